// The passes of Fourier transforms on vectors. Start at transformed().
//
// Only for fourier_kernels.h.
#pragma once

#include "run/calls/fourier_levels.h"
#include "run/calls/fourier_vectors.h"

namespace quern::fft {

inline namespace QUERN_FOURIER_LEVEL {  // so that the names of functions say whose instructions they have
namespace {

#define LOOP [[gnu::noinline QUERN_FOURIER_TARGET]]

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

}  // namespace
}  // namespace QUERN_FOURIER_LEVEL

}  // namespace quern::fft
