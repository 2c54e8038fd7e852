// The loops of Fourier transforms on vectors: lines in lanes, one line as a matrix, ends of reals. Start at lanes(), and at
// columns() and rows(). What they are made of: fourier_passes.h, fourier_lanes.h.
//
// Only for fourier_<level>.cpp, which say what a vector is; each is a copy of its own.
#pragma once

#include "run/calls/fourier_lanes.h"
#include "run/calls/fourier_levels.h"
#include "run/calls/fourier_passes.h"
#include "run/calls/fourier_vectors.h"

namespace quern::fft {

inline namespace QUERN_FOURIER_LEVEL {  // so that the names of functions say whose instructions they have
namespace {

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
  // Where nothing else reads the values, the passes' rows lie as is best for these.
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
