// The loops of Fourier transforms on vectors: passes, loads and stores, lines in lanes, one line as a matrix. Start at lanes(),
// and at columns() and rows().
//
// Only for fourier_<level>.cpp, which say what a vector is; each is a copy of its own.
#pragma once

#include "run/calls/fourier_levels.h"
#include "run/calls/fourier_vectors.h"

namespace quern::fft {

inline namespace QUERN_FOURIER_LEVEL {  // so that the names of functions say whose instructions they have
namespace {

#define LOOP [[gnu::noinline QUERN_FOURIER_TARGET]]

// ---- passes

template <class T>
FN Number<T> turn_of(const Turns<T>& turns, int64_t k) {
  const T *a = turns.coarse + 2 * (k >> turns.shift), *b = turns.fine + 2 * (k & ((int64_t{1} << turns.shift) - 1));
  return times(Number<T>{b[0], b[1]}, a);
}

template <class T, int radix, bool is_turned>
FN void few(const Pair<T>* x, int64_t from, Pair<T>* y, int64_t to, const T* turns) {
  Pair<T> a[radix];
  UNROLLED for (int j = 0; j < radix; ++j) a[j] = x[j * from];
  Short<T, radix>::run(a);
  y[0] = a[0];
  UNROLLED for (int k = 1; k < radix; ++k) y[k * to] = is_turned ? times(a[k], turns + 2 * (k - 1)) : a[k];
}

// What a pass walks over: from x, `step` between one p and the next, `from` between one j and the next; to y, where results with
// the same p lie one behind the other, `to` between one k and the next, and a gap after `block` of them.
template <class T>
struct Walk {
  int64_t m, s;
  const Pair<T>* x;
  int64_t step, from;
  Pair<T>* y;
  int64_t to, block, gap;
  const T* turns;
};

template <class T, int radix>
LOOP void pass(const Walk<T>& walk) {
  const int64_t m = walk.m, s = walk.s, from = walk.from, to = walk.to;
  const Pair<T>* x = walk.x;
  Pair<T>* y = walk.y;
  for (int64_t q = 0; q < s; ++q) few<T, radix, false>(x + q, from, y + q, to, nullptr);
  const T* turns = walk.turns;
  for (int64_t p = 1, left = walk.block; p < m; ++p) {
    x += walk.step;
    y += s * radix;
    turns += 2 * (radix - 1);
    if (--left == 0) {
      y += walk.gap;
      left = walk.block;
    }
    for (int64_t q = 0; q < s; ++q) few<T, radix, true>(x + q, from, y + q, to, turns);
  }
}

// Any odd prime, by the same sums and differences as Short has.
template <class T>
LOOP void pass_of(int64_t radix, const Walk<T>& walk, const T* circle) {
  int64_t half = radix / 2, from = walk.from, to = walk.to;
  Pair<T> sums[largest_radix / 2 + 1], rests[largest_radix / 2 + 1];
  for (int64_t p = 0; p < walk.m; ++p) {
    const T* w = walk.turns + 2 * (radix - 1) * p - 2;
    for (int64_t q = 0; q < walk.s; ++q) {
      const Pair<T>* a = walk.x + q + walk.step * p;
      Pair<T>* b = walk.y + q + walk.s * radix * p + p / walk.block * walk.gap;
      Pair<T> first = a[0], all = first;
      for (int64_t j = 1; j <= half; ++j) {
        Pair<T> one = a[from * j], other = a[from * (radix - j)];
        sums[j] = one + other;
        rests[j] = one - other;
        all = all + sums[j];
      }
      b[0] = all;
      auto put = [&](int64_t k, Pair<T> even, Pair<T> odd) QUERN_FOURIER_LAMBDA {
        b[to * k] = times(less_turned(even, odd), w + 2 * k);
        b[to * (radix - k)] = times(plus_turned(even, odd), w + 2 * (radix - k));
      };
      auto next = [&](int64_t at, int64_t k) QUERN_FOURIER_LAMBDA { return at + k < radix ? at + k : at + k - radix; };
      // Two at once, as each number that is loaded serves both; sums of a few, so that fewer roundings lie on top of each other.
      constexpr int64_t few_at_a_time = 8;
      for (int64_t k = 1; k <= half; k += 2) {
        const int64_t k2 = k < half ? k + 1 : k;
        Pair<T> even = first, odd{}, even2 = first, odd2{};
        for (int64_t j = 1, at = k, at2 = k2; j <= half;) {
          Pair<T> e{}, o{}, e2{}, o2{};
          const int64_t end = j + few_at_a_time <= half ? j + few_at_a_time : half + 1;
          for (; j < end; ++j, at = next(at, k), at2 = next(at2, k2)) {
            e = e + sums[j] * circle[2 * at];
            o = o - rests[j] * circle[2 * at + 1];
            e2 = e2 + sums[j] * circle[2 * at2];
            o2 = o2 - rests[j] * circle[2 * at2 + 1];
          }
          even = even + e;
          odd = odd + o;
          even2 = even2 + e2;
          odd2 = odd2 + o2;
        }
        put(k, even, odd);
        put(k2, even2, odd2);
      }
    }
  }
}

// Numbers that are read together lie a row apart. Where that is a multiple of what a way of the first cache spans, they would
// take each other's place in it.
template <class T>
FN int64_t pitch_of(int64_t row) {
  return row * static_cast<int64_t>(sizeof(Pair<T>)) % 4096 == 0 ? row + 1 : row;
}
// Numbers of a row of the first pass, and of the last one's result.
template <class T>
FN int64_t row_of(const Steps<T>& plan) {
  return plan.count ? plan.steps[0].m : 1;
}
template <class T>
FN int64_t last_row_of(const Steps<T>& plan) {
  return plan.count ? plan.length() / plan.steps[plan.count - 1].radix : 1;
}

// From x, rows so far apart, to y or z, by y and z; `pitch`: between the result's rows, 0 where there are to be no gaps.
template <class T>
FN Pair<T>* passes(const Steps<T>& plan, const Pair<T>* x, int64_t from, Pair<T>* y, Pair<T>* z, int64_t pitch) {
  if (plan.count == 0) {
    y[0] = x[0];
    return y;
  }
  Walk<T> walk{plan.steps[0].m, 1, x, 1, from, y, 1, 1, 0, nullptr};
  for (const Step<T>*step = plan.steps, *end = step + plan.count; step != end;) {
    walk.turns = step->turns;
    const T* circle = step->circle;
    int64_t radix = step->radix, row = 0;
    ++step;
    if (step != end) {
      row = plan.length() / step->radix;
      walk.block = step->m;
      walk.gap = pitch_of<T>(row) - row;
    } else if (pitch) {
      walk.to = pitch;
    }
    switch (radix) {
#define RADIX(r)      \
  case r:             \
    pass<T, r>(walk); \
    break;
      RADIX(2)
      RADIX(3)
      RADIX(4)
      RADIX(5)
      RADIX(6)
      RADIX(7)
      RADIX(8)
      RADIX(9)
      RADIX(10)
      RADIX(11)
      RADIX(12)
      RADIX(13)
      RADIX(15)
      RADIX(16)
#undef RADIX
      default:
        pass_of<T>(radix, walk, circle);
    }
    walk.s *= radix;
    walk.m = walk.block;
    walk.x = walk.y;
    walk.step = walk.to = walk.s;
    walk.from = row + walk.gap;
    y = z;
    z = walk.y;
    walk.y = y;
  }
  return z;
}

// In one of the two buffers; `from` and `pitch` where there is no convolution.
template <class T>
LOOP Pair<T>* transformed(const Steps<T>& plan, Pair<T>* x, int64_t from, Pair<T>* y, int64_t pitch) {
  if (!plan.chirp) return passes(plan, x, from, y, x, pitch);
  int64_t row = row_of(plan);
  for (int64_t k = 0; k < plan.n; ++k) x[k] = times(x[k], plan.chirp + 2 * k);
  for (int64_t k = plan.n; k < plan.within; ++k) x[k] = Pair<T>{};
  Pair<T>* z = passes(plan, x, row, y, x, 0);
  for (int64_t k = 0; k < plan.within; ++k)
    z[k] = exchanged(times(z[k], plan.filter + 2 * k));  // so that the same passes go back
  z = passes(plan, z, row, z == x ? y : x, z, 0);
  for (int64_t k = 0; k < plan.n; ++k) z[k] = times(exchanged(z[k]), plan.chirp + 2 * k);
  return z;
}

// ---- between memory and lanes

template <class T>
FN Pair<T> parted(Vector<T> a, Vector<T> b) {
  return {picked<T, Parted<T, false>>(a, b), picked<T, Parted<T, true>>(a, b)};
}
// Past the caches: memory is not read first, and who reads it next finds it there. Only whole lines of the cache.
template <class T>
constexpr bool can_stream = QUERN_FOURIER_BYTES == 64;
template <class T>
FN void stream(T* p, Vector<T> v) {
  if constexpr (can_stream<T> && sizeof(T) == 8)
    __builtin_ia32_movntpd512(p, v);
  else if constexpr (can_stream<T>)
    __builtin_ia32_movntps512(p, v);
  else
    store(p, v);
}
template <class T>
FN Pair<T> load_pairs(const T* p) {
  return parted<T>(load(p), load(p + width<T>));
}
// Two vectors as they lie in memory.
template <class T>
FN Pair<T> joined(Vector<T> re, Vector<T> im) {
  return {picked<T, Joined<T, false>>(re, im), picked<T, Joined<T, true>>(re, im)};
}
template <class T>
FN void store_pairs(T* p, Pair<T> a) {
  a = joined<T>(a.re, a.im);
  store(p, a.re);
  store(p + width<T>, a.im);
}

FN bool are_beside(const int64_t* lines, int64_t count, int64_t distance) {
  for (int64_t l = 1; l < count; ++l)
    if (lines[l] != lines[0] + l * distance) return false;
  return true;
}

template <class T, int some>
FN void copy_some(T*& to, const T*& from, int64_t count) {
  if (!(count & some)) return;
  __builtin_memcpy(to, from, some * sizeof(T));
  to += some;
  from += some;
}
// Fewer than two vectors.
template <class T>
FN void copy_few(T* to, const T* from, int64_t count) {
  copy_some<T, 16>(to, from, count);
  copy_some<T, 8>(to, from, count);
  copy_some<T, 4>(to, from, count);
  copy_some<T, 2>(to, from, count);
  copy_some<T, 1>(to, from, count);
}

// How lines lie decides how their numbers come into lanes.
enum class Way { rows, beside, pairs_beside, few_beside, few_pairs_beside, one_by_one };
template <class T, class P>
FN Way way_of(const Places<P>& at, int64_t count, int64_t n) {
  if (at.beside == 1 && at.step == 2 && n >= width<T> / 2) return Way::rows;
  if (at.beside == 0 && at.step == 1 && n >= width<T>) return Way::rows;
  bool is_full = count == width<T>;
  if (at.beside == 1 && are_beside(at.lines, count, 2)) return is_full ? Way::pairs_beside : Way::few_pairs_beside;
  if (at.beside != 1 && are_beside(at.lines, count, 1)) return is_full ? Way::beside : Way::few_beside;
  return Way::one_by_one;
}

// What comes next lies beside this, far from what came before: no processor foresees that.
constexpr int64_t far = 1024, short_row = 128;
template <class T>
FN void fetch(const T* p, bool to_write) {
  if (to_write)
    __builtin_prefetch(p, 1);
  else
    __builtin_prefetch(p, 0);
  if (QUERN_FOURIER_BYTES == 64) {
    if (to_write)
      __builtin_prefetch(reinterpret_cast<const char*>(p) + 64, 1);
    else
      __builtin_prefetch(reinterpret_cast<const char*>(p) + 64, 0);
  }
}

// Numbers 0 to n of the lines; exchanged: real and imaginary parts.
template <class T>
LOOP void load_lanes(const Places<const T>& at, int64_t count, int64_t n, Pair<T>* to, bool is_exchanged, bool is_large) {
  constexpr int64_t w = width<T>;
  const T* in = at.first;
  Way way = way_of<T>(at, count, n);
  auto put = [&](int64_t k, Vector<T> re, Vector<T> im)
                 QUERN_FOURIER_LAMBDA { to[k] = is_exchanged ? Pair<T>{im, re} : Pair<T>{re, im}; };
  if (way == Way::rows && at.beside == 0) {
    for (int64_t k = 0; k < n; k += w) {
      if (k + w > n) k = n - w;
      Vector<T> v[w];
      UNROLLED for (int64_t l = 0; l < w; ++l) v[l] = load(in + at.lines[l] + k);
      turn_over<T>(v);
      UNROLLED for (int64_t l = 0; l < w; ++l) put(k + l, v[l], Vector<T>{});
    }
  } else if (way == Way::rows && is_large && n <= short_row) {
    // Line by line, as memory likes it, and from there.
    alignas(QUERN_FOURIER_BYTES) T all[2 * short_row * w];
    for (int64_t l = 0; l < w; ++l) {
      for (int64_t k = 0; k < n; k += w / 2) {
        if (k + w / 2 > n) k = n - w / 2;
        store(all + 2 * (l * n + k), load(in + at.lines[l] + 2 * k));
      }
    }
    for (int64_t k = 0; k < n; k += w / 2) {
      if (k + w / 2 > n) k = n - w / 2;
      Vector<T> v[w];
      UNROLLED for (int64_t l = 0; l < w; ++l) v[l] = load(all + 2 * (l * n + k));
      turn_over<T>(v);
      UNROLLED for (int64_t l = 0; l < w / 2; ++l) put(k + l, v[2 * l], v[2 * l + 1]);
    }
  } else if (way == Way::rows) {
    int64_t next = n <= short_row ? (at.lines[1] - at.lines[0]) * w : 0;
    for (int64_t k = 0; k < n; k += w / 2) {
      if (k + w / 2 > n) k = n - w / 2;
      Vector<T> v[w];
      if (next) UNROLLED for (int64_t l = 0; l < w; ++l) __builtin_prefetch(in + at.lines[l] + 2 * k + next, 0);
      UNROLLED for (int64_t l = 0; l < w; ++l) v[l] = load(in + at.lines[l] + 2 * k);
      turn_over<T>(v);
      UNROLLED for (int64_t l = 0; l < w / 2; ++l) put(k + l, v[2 * l], v[2 * l + 1]);
    }
  } else if (way == Way::pairs_beside) {
    in += at.lines[0];
    bool is_far = at.step * static_cast<int64_t>(sizeof(T)) >= far;
    for (int64_t k = 0; k < n; ++k, in += at.step) {
      if (is_far) fetch(in + 2 * w, false);
      Pair<T> a = load_pairs(in);
      put(k, a.re, a.im);
    }
  } else if (way == Way::beside) {
    in += at.lines[0];
    for (int64_t k = 0; k < n; ++k, in += at.step) put(k, load(in), at.beside ? load(in + at.beside) : Vector<T>{});
  } else if (way == Way::few_pairs_beside || way == Way::few_beside) {
    // All as they lie, then what was written is read: at once, the processor would wait for the one to end before the other.
    in += at.lines[0];
    bool are_pairs = way == Way::few_pairs_beside;
    for (int64_t k = 0; k < n; ++k, in += at.step) {
      T* target = reinterpret_cast<T*>(to + k);
      to[k] = Pair<T>{};
      copy_few(target, in, are_pairs ? 2 * count : count);
      if (!are_pairs && at.beside) copy_few(target + w, in + at.beside, count);
    }
    for (int64_t k = 0; k < n; ++k) {
      Pair<T> a = are_pairs ? parted<T>(to[k].re, to[k].im) : to[k];
      put(k, a.re, a.im);
    }
  } else {
    int64_t re = is_exchanged ? w : 0, im = w - re;
    for (int64_t k = 0; k < n; ++k, in += at.step) {
      T* target = reinterpret_cast<T*>(to + k);
      if (count < w || !at.beside) to[k] = Pair<T>{};
      for (int64_t l = 0; l < count; ++l) {
        target[re + l] = in[at.lines[l]];
        if (at.beside) target[im + l] = in[at.lines[l] + at.beside];
      }
    }
  }
}

// Do the first number and those of so many lines begin lines of the cache?
template <class T>
FN bool are_whole_lines(const T* first, const Places<T>& at, int64_t lines) {
  auto is_one = [](const T* p) QUERN_FOURIER_LAMBDA { return reinterpret_cast<uintptr_t>(p) % QUERN_FOURIER_BYTES == 0; };
  for (int64_t l = 0; l < lines; ++l)
    if (!is_one(first + at.lines[l])) return false;
  return lines > 0 || is_one(first);
}

// Without a place for imaginary parts, real ones alone. What comes from `from` need not stay there.
template <class T>
LOOP void store_lanes(Pair<T>* from, const Places<T>& at, int64_t count, int64_t n, T scale, bool is_exchanged, bool streams) {
  constexpr int64_t w = width<T>;
  T* out = at.first;
  Way way = way_of<T>(at, count, n);
  auto get = [&](int64_t k) QUERN_FOURIER_LAMBDA {
    Pair<T> a = from[k] * scale;
    return is_exchanged ? Pair<T>{a.im, a.re} : a;
  };
  if (way == Way::rows && at.beside == 0) {
    for (int64_t k = 0; k < n; k += w) {
      if (k + w > n) k = n - w;
      Vector<T> v[w];
      UNROLLED for (int64_t l = 0; l < w; ++l) v[l] = get(k + l).re;
      turn_over<T>(v);
      if (count == w) {
        UNROLLED for (int64_t l = 0; l < w; ++l) store(out + at.lines[l] + k, v[l]);
      } else {
        for (int64_t l = 0; l < count; ++l) store(out + at.lines[l] + k, v[l]);
      }
    }
  } else if (way == Way::rows) {
    streams = streams && count == w && n % (w / 2) == 0 && are_whole_lines(out, at, w);
    int64_t next = !streams && n <= short_row ? (at.lines[1] - at.lines[0]) * w : 0;
    for (int64_t k = 0; k < n; k += w / 2) {
      if (k + w / 2 > n) k = n - w / 2;
      Vector<T> v[w];
      if (next) UNROLLED for (int64_t l = 0; l < w; ++l) __builtin_prefetch(out + at.lines[l] + 2 * k + next, 1);
      UNROLLED for (int64_t l = 0; l < w / 2; ++l) {
        Pair<T> a = get(k + l);
        v[2 * l] = a.re;
        v[2 * l + 1] = a.im;
      }
      turn_over<T>(v);
      if (streams) {
        UNROLLED for (int64_t l = 0; l < w; ++l) stream(out + at.lines[l] + 2 * k, v[l]);
      } else if (count == w) {
        UNROLLED for (int64_t l = 0; l < w; ++l) store(out + at.lines[l] + 2 * k, v[l]);
      } else {
        for (int64_t l = 0; l < count; ++l) store(out + at.lines[l] + 2 * k, v[l]);
      }
    }
  } else if (way == Way::pairs_beside) {
    out += at.lines[0];
    bool is_far = at.step * static_cast<int64_t>(sizeof(T)) >= far;
    if (streams && at.step % w == 0 && are_whole_lines(out, at, 0)) {
      for (int64_t k = 0; k < n; ++k, out += at.step) {
        Pair<T> a = get(k);
        a = joined<T>(a.re, a.im);
        stream(out, a.re);
        stream(out + w, a.im);
      }
      return;
    }
    for (int64_t k = 0; k < n; ++k, out += at.step) {
      if (is_far) fetch(out + 2 * w, true);
      store_pairs(out, get(k));
    }
  } else if (way == Way::beside) {
    out += at.lines[0];
    for (int64_t k = 0; k < n; ++k, out += at.step) {
      Pair<T> a = get(k);
      store(out, a.re);
      if (at.beside) store(out + at.beside, a.im);
    }
  } else if (way == Way::few_pairs_beside || way == Way::few_beside) {
    bool are_pairs = way == Way::few_pairs_beside;
    for (int64_t k = 0; k < n; ++k) {
      Pair<T> a = get(k);
      from[k] = are_pairs ? joined<T>(a.re, a.im) : a;
    }
    out += at.lines[0];
    for (int64_t k = 0; k < n; ++k, out += at.step) {
      const T* source = reinterpret_cast<const T*>(from + k);
      copy_few(out, source, are_pairs ? 2 * count : count);
      if (!are_pairs && at.beside) copy_few(out + at.beside, source + w, count);
    }
  } else {
    for (int64_t k = 0; k < n; ++k, out += at.step) {
      Pair<T> a = get(k);
      const T* source = reinterpret_cast<const T*>(&a);
      for (int64_t l = 0; l < count; ++l) {
        out[at.lines[l]] = source[l];
        if (at.beside) out[at.lines[l] + at.beside] = source[w + l];
      }
    }
  }
}

// n numbers in rows, the pitch between these; where there are no gaps, at once.
template <class T>
FN void load_rows(Places<const T> at, int64_t count, int64_t n, int64_t row, int64_t pitch, Pair<T>* to, bool is_exchanged,
                  bool is_large) {
  if (pitch == row) return load_lanes<T>(at, count, n, to, is_exchanged, is_large);
  for (int64_t k = 0; k < n; k += row, at.first += row * at.step, to += pitch)
    load_lanes<T>(at, count, row, to, is_exchanged, is_large);
}
template <class T>
FN void store_rows(Pair<T>* from, Places<T> at, int64_t count, int64_t n, int64_t row, int64_t pitch, T scale, bool is_exchanged,
                   bool streams) {
  if (pitch == row) return store_lanes<T>(from, at, count, n, scale, is_exchanged, streams);
  for (int64_t k = 0; k < n; k += row, at.first += row * at.step, from += pitch)
    store_lanes<T>(from, at, count, row, scale, is_exchanged, streams);
}

// ---- ends: reals that were transformed as pairs

// What is of the even ones and of the odd ones is parted, at places k and h - k; and joined again.
template <class V, class T>
FN void part_pair(Complex<V>& near, Complex<V>& far, Complex<V> turn, T half) {
  Complex<V> b = conjugate(far), even = (near + b) * half, odd = ((near - b) * half) * turn;
  near = less_turned(even, odd);
  far = conjugate(plus_turned(even, odd));
}
template <class V>
FN void join_pair(Complex<V>& near, Complex<V>& far, Complex<V> turn) {
  Complex<V> b = conjugate(far), even = near + b, odd = (near - b) * conjugate(turn);
  near = plus_turned(even, odd);
  far = conjugate(less_turned(even, odd));
}
template <class T>
FN Pair<T> in_all_lanes(const T* w) {
  return {Vector<T>{} + w[0], Vector<T>{} + w[1]};
}

// Of k and what follows it.
template <class T>
FN Pair<T> turns_of(const Turns<T>& turns, int64_t k) {
  return times(load_pairs(turns.fine + 2 * (k & ((int64_t{1} << turns.shift) - 1))), turns.coarse + 2 * (k >> turns.shift));
}
template <class T>
FN Pair<T> reversed(Pair<T> a) {
  return {picked<T, Reversed<T>>(a.re, a.re), picked<T, Reversed<T>>(a.im, a.im)};
}

// ---- lines in lanes

template <class T>
LOOP void part_lanes(Pair<T>* x, int64_t h, const T* ends) {
  Pair<T> first = x[0];
  x[0] = {first.re + first.im, Vector<T>{}};
  x[h] = {first.re - first.im, Vector<T>{}};
  for (int64_t k = 1; 2 * k <= h; ++k) {
    Pair<T> near = x[k], far = x[h - k];
    part_pair(near, far, in_all_lanes(ends + 2 * k), T(0.5));
    x[k] = near;
    x[h - k] = far;
  }
}
template <class T>
LOOP void join_lanes(Pair<T>* x, int64_t h, const T* ends) {
  Vector<T> first = x[0].re, last = x[h].re;
  x[0] = {first - last, first + last};
  for (int64_t k = 1; 2 * k <= h; ++k) {
    Pair<T> near = x[k], far = x[h - k];
    join_pair(near, far, in_all_lanes(ends + 2 * k));
    x[k] = exchanged(near);  // as it goes backward
    x[h - k] = exchanged(far);
  }
}

template <class T>
LOOP void lanes(const LanesJob<T>& job) {
  const Steps<T>& plan = *job.steps;
  int64_t n = job.n, bins = n / 2 + 1, h = plan.n;
  Pair<T>*x = reinterpret_cast<Pair<T>*>(job.room), *y = x + job.buffer;
  bool is_back = job.kind == Kind::backward, is_whole = job.kind == Kind::whole;
  bool is_half = job.kind == Kind::half, is_full = job.kind == Kind::full, is_packed = job.ends;
  // Where nothing else looks at the numbers, the passes' rows lie as is best for these.
  bool is_plain = !plan.chirp && plan.count > 1;
  int64_t row = row_of(plan), from = is_plain && !is_whole ? pitch_of<T>(row) : row;
  int64_t last = last_row_of(plan), pitch = is_plain && !is_half && !is_full ? pitch_of<T>(last) : last;
  load_rows<T>(job.in, job.count, is_whole ? bins : h, row, from, x, is_back, job.is_large);
  if (is_whole && is_packed) {
    join_lanes(x, h, job.ends);
  } else if (is_whole) {
    x[0] = {Vector<T>{}, x[0].re};
    for (int64_t k = 1; k < bins; ++k) {
      x[n - k] = exchanged(conjugate(x[k]));
      x[k] = exchanged(x[k]);
    }
  }
  Pair<T>* z = transformed(plan, x, from, y, pitch);
  if (is_half || is_full) {
    if (is_packed)
      part_lanes(z, h, job.ends);
    else
      z[0].im = Vector<T>{};
    for (int64_t k = 1; is_full && k < bins; ++k) z[n - k] = conjugate(z[k]);
  }
  int64_t count = is_half ? bins : is_whole && is_packed ? h : n;
  store_rows<T>(z, job.out, job.count, count, last, pitch, job.scale, is_back || is_whole, job.is_large && can_stream<T>);
}

// ---- one line as a matrix

template <class T>
LOOP void columns(const SplitJob<T>& job, int64_t from, int64_t to, T* room) {
  constexpr int64_t w = width<T>;
  const Split<T>& split = *job.split;
  int64_t n1 = split.n1, n2 = split.n2, lines[w];
  for (int64_t block = from; block < to; ++block) {
    int64_t first = block * w, count = n2 - first < w ? n2 - first : w;
    for (int64_t l = 0; l < w; ++l) lines[l] = (l < count ? l : 0) * job.in.step;
    Pair<T>*x = reinterpret_cast<Pair<T>*>(room), *y = x + split.first->buffer();
    int64_t row = row_of(*split.first), from = split.first->chirp ? row : pitch_of<T>(row);
    load_rows<T>({job.in.first + first * job.in.step, lines, job.in.step * n2, job.in.beside}, count, n1, row, from, x,
                 job.exchanges_in, false);
    const Pair<T>* z = transformed(*split.first, x, from, y, 0);
    Pair<T>* target = reinterpret_cast<Pair<T>*>(job.work) + block * n1;
    if (split.turns) {
      const Pair<T>* turns = reinterpret_cast<const Pair<T>*>(split.turns) + block * n1;
      for (int64_t k = 0; k < n1; ++k) target[k] = z[k] * turns[k];
    } else {
      const Pair<T>* of_lanes = reinterpret_cast<const Pair<T>*>(split.lane_turns);
      const T* of_block = split.block_turns + 2 * block * n1;
      for (int64_t k = 0; k < n1; ++k) target[k] = z[k] * times(of_lanes[k], of_block + 2 * k);
    }
  }
}

template <class T>
LOOP void rows(const SplitJob<T>& job, int64_t from, int64_t to, T* room) {
  constexpr int64_t w = width<T>;
  const Split<T>& split = *job.split;
  int64_t n1 = split.n1, n2 = split.n2, lines[w];
  for (int64_t group = from; group < to; ++group) {
    int64_t first = group * w, count = n1 - first < w ? n1 - first : w;
    Pair<T>*x = reinterpret_cast<Pair<T>*>(room), *y = x + split.second->buffer() + w;
    for (int64_t block = 0; block * w < n2; ++block) {
      const Pair<T>* source = reinterpret_cast<const Pair<T>*>(job.work) + block * n1 + first;
      Pair<T>* target = x + block * w;  // a last block that is not full writes more than there is: x has room for it
      Vector<T> v[w];
      UNROLLED for (int64_t l = 0; l < w; ++l) v[l] = source[l < count ? l : 0].re;
      turn_over<T>(v);
      UNROLLED for (int64_t l = 0; l < w; ++l) target[l].re = v[l];
      UNROLLED for (int64_t l = 0; l < w; ++l) v[l] = source[l < count ? l : 0].im;
      turn_over<T>(v);
      UNROLLED for (int64_t l = 0; l < w; ++l) target[l].im = v[l];
    }
    Pair<T>* z = transformed(*split.second, x, row_of(*split.second), y, 0);
    for (int64_t l = 0; l < w; ++l) lines[l] = (l < count ? l : 0) * job.out.step;
    // Where not all are wanted: of a column those in front of the limit.
    int64_t full = (job.limit - first) / n1, over = job.limit - first - full * n1;
    full = full < 0 ? 0 : full < n2 ? full : n2;
    Places<T> out{job.out.first + first * job.out.step, lines, n1 * job.out.step, job.out.beside};
    if (over >= count && full < n2) ++full;
    store_lanes<T>(z, out, count, full, job.scale, job.exchanges_out, false);
    if (over > 0 && over < count && full < n2) {
      out.first += full * out.step;
      store_lanes<T>(z + full, out, over, 1, job.scale, job.exchanges_out, false);
    }
  }
}

// ---- a vector of lines, each as a matrix

template <class T, class P>
FN Places<P> from_number(const Places<P>& at, int64_t k) {
  return {at.first + k * at.step, at.lines, at.step, at.beside};
}

template <class T>
LOOP void tall_columns(const TallJob<T>& job, int64_t from, int64_t to, T* room) {
  const Split<T>& split = *job.split;
  const int64_t n1 = split.n1, n2 = split.n2, w = split.width, row = row_of(*split.first);
  const int64_t pitch = split.first->chirp ? row : pitch_of<T>(row);
  Pair<T>*x = reinterpret_cast<Pair<T>*>(room), *y = x + split.first->buffer();
  for (int64_t c = from; c < to; ++c) {
    Places<const T> in{job.in.first + c * job.in.step, job.in.lines, job.in.step * n2, job.in.beside};
    load_rows<T>(in, job.count, n1, row, pitch, x, job.exchanges, false);
    const Pair<T>* z = transformed(*split.first, x, pitch, y, 0);
    Pair<T>* target = reinterpret_cast<Pair<T>*>(job.work) + c * pitch_of<T>(n1);
    const int64_t block = c / w, lane = c % w;
    if (split.turns) {
      const T* turns = split.turns + block * n1 * 2 * w + lane;
      for (int64_t k = 0; k < n1; ++k, turns += 2 * w) {
        T turn[2] = {turns[0], turns[w]};
        target[k] = times(z[k], turn);
      }
    } else {
      const T *turns = split.lane_turns + lane, *of_block = split.block_turns + 2 * block * n1;
      for (int64_t k = 0; k < n1; ++k, turns += 2 * w) {
        Number<T> turn = times(Number<T>{turns[0], turns[w]}, of_block + 2 * k);
        target[k] = times(z[k], &turn.re);
      }
    }
  }
}

template <class T>
LOOP void tall_rows(const TallJob<T>& job, int64_t from, int64_t to, T* room) {
  const Split<T>& split = *job.split;
  const int64_t n1 = split.n1, n2 = split.n2, row = row_of(*split.second), last = last_row_of(*split.second);
  const bool is_plain = !split.second->chirp && split.second->count > 1;
  const int64_t from_pitch = is_plain ? pitch_of<T>(row) : row, pitch = is_plain ? pitch_of<T>(last) : last;
  Pair<T>*x = reinterpret_cast<Pair<T>*>(room), *y = x + split.second->buffer();
  for (int64_t k = from; k < to; ++k) {
    const Pair<T>* source = reinterpret_cast<const Pair<T>*>(job.work) + k;
    Pair<T>* target = x;
    const int64_t dense = from_pitch == row ? n2 : row;
    for (int64_t j = 0; j < n2; j += dense, target += from_pitch)
      for (int64_t i = 0; i < dense; ++i, source += pitch_of<T>(n1)) target[i] = *source;
    Pair<T>* z = transformed(*split.second, x, from_pitch, y, pitch);
    Places<T> out{job.out.first + k * job.out.step, job.out.lines, n1 * job.out.step, job.out.beside};
    store_rows<T>(z, out, job.count, n2, last, pitch, job.scale, job.exchanges, false);
  }
}

constexpr int64_t few_numbers = 16;  // that come into lanes at once

template <class T>
LOOP void tall_part(const TallEndsJob<T>& job, int64_t from, int64_t to) {
  const int64_t h = job.h, lines = job.count;
  Pair<T> near[few_numbers], far[few_numbers];
  if (from == 0) {
    load_lanes<T>(job.in, lines, 1, near, false, false);
    *far = {near->re - near->im, Vector<T>{}};
    *near = {near->re + near->im, Vector<T>{}};
    store_lanes<T>(near, job.out, lines, 1, T(1), false, false);
    store_lanes<T>(far, from_number<T>(job.out, h), lines, 1, T(1), false, false);
    ++from;
  }
  for (int64_t k = from, count; k < to; k += count) {
    count = to - k < few_numbers ? to - k : few_numbers;
    const int64_t opposite = h - k - count + 1;
    load_lanes<T>(from_number<T>(job.in, k), lines, count, near, false, false);
    load_lanes<T>(from_number<T>(job.in, opposite), lines, count, far, false, false);
    for (int64_t i = 0; i < count; ++i) part_pair(near[i], far[count - 1 - i], in_all_lanes(job.ends + 2 * (k + i)), T(0.5));
    store_lanes<T>(near, from_number<T>(job.out, k), lines, count, T(1), false, false);
    store_lanes<T>(far, from_number<T>(job.out, opposite), lines, count, T(1), false, false);
  }
}

template <class T>
LOOP void tall_join(const TallEndsJob<T>& job, int64_t from, int64_t to) {
  const int64_t h = job.h, lines = job.count;
  Pair<T> near[few_numbers], far[few_numbers];
  if (from == 0) {
    load_lanes<T>(job.in, lines, 1, near, false, false);
    load_lanes<T>(from_number<T>(job.in, h), lines, 1, far, false, false);
    *near = {near->re + far->re, near->re - far->re};
    store_lanes<T>(near, job.out, lines, 1, T(1), false, false);
    ++from;
  }
  for (int64_t k = from, count; k < to; k += count) {
    count = to - k < few_numbers ? to - k : few_numbers;
    const int64_t opposite = h - k - count + 1;
    load_lanes<T>(from_number<T>(job.in, k), lines, count, near, false, false);
    load_lanes<T>(from_number<T>(job.in, opposite), lines, count, far, false, false);
    for (int64_t i = 0; i < count; ++i) join_pair(near[i], far[count - 1 - i], in_all_lanes(job.ends + 2 * (k + i)));
    store_lanes<T>(near, from_number<T>(job.out, k), lines, count, T(1), false, false);
    store_lanes<T>(far, from_number<T>(job.out, opposite), lines, count, T(1), false, false);
  }
}

// ---- one line, number by number: vectors of neighbours where it has no gaps

template <class P>
FN bool is_dense(const Places<P>& line) {
  return line.step == 2 && line.beside == 1;
}
template <class T, class P>
FN Number<T> number_at(const Places<P>& line, int64_t k) {
  return {line.first[k * line.step], line.beside ? line.first[k * line.step + line.beside] : T(0)};
}
template <class T>
FN void put(const Places<T>& line, int64_t k, Number<T> a) {
  line.first[k * line.step] = a.re;
  if (line.beside) line.first[k * line.step + line.beside] = a.im;
}

template <class T>
LOOP void part(const EndsJob<T>& job, int64_t from, int64_t to) {
  constexpr int64_t w = width<T>;
  int64_t h = job.h, k = from;
  const Places<T>& line = job.out;
  if (k == 0) {
    Number<T> first = number_at<T>(line, 0);
    put<T>(line, 0, {first.re + first.im, 0});
    put<T>(line, h, {first.re - first.im, 0});
    ++k;
  }
  for (; is_dense(line) && k + w <= to && 2 * (k + w) <= h; k += w) {
    T *low = line.first + 2 * k, *high = line.first + 2 * (h - k - w + 1);
    Pair<T> near = load_pairs(low), far = reversed<T>(load_pairs(high));
    part_pair(near, far, turns_of(job.turns, k), T(0.5));
    store_pairs(low, near);
    store_pairs(high, reversed<T>(far));
  }
  for (; k < to; ++k) {
    Number<T> near = number_at<T>(line, k), far = number_at<T>(line, h - k);
    part_pair(near, far, turn_of(job.turns, k), T(0.5));
    put(line, k, near);
    put(line, h - k, far);
  }
}

template <class T>
LOOP void join(const EndsJob<T>& job, int64_t from, int64_t to) {
  constexpr int64_t w = width<T>;
  int64_t h = job.h, k = from;
  const Places<const T>& in = job.in;
  const Places<T>& out = job.out;
  if (k == 0) {
    T first = number_at<T>(in, 0).re, last = number_at<T>(in, h).re;
    put<T>(out, 0, {first + last, first - last});
    ++k;
  }
  for (; is_dense(in) && is_dense(out) && k + w <= to && 2 * (k + w) <= h; k += w) {
    int64_t high = h - k - w + 1;
    Pair<T> near = load_pairs(in.first + 2 * k), far = reversed<T>(load_pairs(in.first + 2 * high));
    join_pair(near, far, turns_of(job.turns, k));
    store_pairs(out.first + 2 * k, near);
    store_pairs(out.first + 2 * high, reversed<T>(far));
  }
  for (; k < to; ++k) {
    Number<T> near = number_at<T>(in, k), far = number_at<T>(in, h - k);
    join_pair(near, far, turn_of(job.turns, k));
    put(out, k, near);
    put(out, h - k, far);
  }
}

template <class T>
LOOP void mirror(const MirrorJob<T>& job, int64_t from, int64_t to) {
  constexpr int64_t w = width<T>;
  int64_t k = from;
  for (; is_dense(job.in) && is_dense(job.out) && k + w <= to; k += w)
    store_pairs(job.out.first + 2 * (job.n - k - w + 1), reversed<T>(conjugate(load_pairs(job.in.first + 2 * k))));
  for (; k < to; ++k) put(job.out, job.n - k, conjugate(number_at<T>(job.in, k)));
}

template <class T>
LOOP void product(const ProductJob<T>& job, int64_t from, int64_t to) {
  constexpr int64_t w = width<T>;
  int64_t k = from;
  for (; is_dense(job.in) && is_dense(job.out) && k + w <= to; k += w) {
    Pair<T> a = load_pairs(job.in.first + 2 * k);
    a = (job.exchanges_in ? exchanged(a) : a) * load_pairs(job.by + 2 * k) * job.scale;
    store_pairs(job.out.first + 2 * k, job.exchanges_out ? exchanged(a) : a);
  }
  for (; k < to; ++k) {
    Number<T> a = number_at<T>(job.in, k);
    a = times(job.exchanges_in ? exchanged(a) : a, job.by + 2 * k) * job.scale;
    put(job.out, k, job.exchanges_out ? exchanged(a) : a);
  }
}

template <class T>
constexpr Loops<T> loops_of_level{width<T>,      &lanes<T>,     &columns<T>, &rows<T>, &tall_columns<T>, &tall_rows<T>,
                                  &tall_part<T>, &tall_join<T>, &part<T>,    &join<T>, &mirror<T>,       &product<T>};

}  // namespace
}  // namespace QUERN_FOURIER_LEVEL

}  // namespace quern::fft
