// Numbers of lines in memory come into the lanes of vectors, and go back. Start at load_lanes() and store_lanes().
//
// Only for fourier_kernels.h.
#pragma once

#include "run/calls/fourier_passes.h"

namespace quern::fft {

inline namespace QUERN_FOURIER_LEVEL {  // so that the names of functions say whose instructions they have
namespace {

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

// Rows, a square of numbers at a time; `put` takes what is of one place in all lines.
template <class T, class F>
FN void load_turned(const Places<const T>& at, int64_t n, bool is_large, F put) {
  constexpr int64_t w = width<T>;
  const T* in = at.first;
  if (at.beside == 0) {
    for (int64_t k = 0; k < n; k += w) {
      if (k + w > n) k = n - w;
      Vector<T> v[w];
      UNROLLED for (int64_t l = 0; l < w; ++l) v[l] = load(in + at.lines[l] + k);
      turn_over<T>(v);
      UNROLLED for (int64_t l = 0; l < w; ++l) put(k + l, v[l], Vector<T>{});
    }
  } else if (is_large && n <= short_row) {
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
  } else {
    int64_t next = n <= short_row ? (at.lines[1] - at.lines[0]) * w : 0;
    for (int64_t k = 0; k < n; k += w / 2) {
      if (k + w / 2 > n) k = n - w / 2;
      Vector<T> v[w];
      if (next) UNROLLED for (int64_t l = 0; l < w; ++l) __builtin_prefetch(in + at.lines[l] + 2 * k + next, 0);
      UNROLLED for (int64_t l = 0; l < w; ++l) v[l] = load(in + at.lines[l] + 2 * k);
      turn_over<T>(v);
      UNROLLED for (int64_t l = 0; l < w / 2; ++l) put(k + l, v[2 * l], v[2 * l + 1]);
    }
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
  if (way == Way::rows) {
    load_turned<T>(at, n, is_large, put);
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

// Rows, a square of numbers at a time; `get` gives what is of one place in all lines.
template <class T, class F>
FN void store_turned(const Places<T>& at, int64_t count, int64_t n, bool streams, F get) {
  constexpr int64_t w = width<T>;
  T* out = at.first;
  if (at.beside == 0) {
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
  } else {
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
  }
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
  if (way == Way::rows) {
    store_turned<T>(at, count, n, streams, get);
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

}  // namespace
}  // namespace QUERN_FOURIER_LEVEL

}  // namespace quern::fft
