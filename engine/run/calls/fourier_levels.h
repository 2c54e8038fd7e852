// What the plans of transforms (fourier_plan.h) and the loops that follow them (fourier_kernels.h) agree about: plain data, and
// a table of the loops for each level of instruction sets that a processor may have (graph/tier0/levels.h).
//
// Complex numbers are pairs of T, {re, im}. Loops work on vectors, a lane for each line, whose complex numbers are a vector of
// real parts and one of imaginary parts. Distances and places in memory count Ts.
#pragma once

#include "graph/tier0/levels.h"

#include <array>
#include <cstdint>

namespace quern::fft {

// Where `count` lines lie: their first numbers, and what is between the real parts of neighbouring numbers, and between a real
// and its imaginary part (0: there are no imaginary parts).
template <class T>
struct Places {
  T* first;
  const int64_t* lines;  // from `first`; as many as a vector has lanes, those that are too many anything valid
  int64_t step, beside;
};

constexpr int64_t largest_radix = 127;

// A pass: numbers x[q + s (p + m j)] become y[q + s (r p + k)], with j and k below the radix r, p below m.
template <class T>
struct Step {
  int64_t radix, m;
  const T* turns;   // e^(-2 pi i p k / (r m)), k from 1 on
  const T* circle;  // e^(-2 pi i k / r), for radices that have no loop of their own
};

// A transform of n numbers in lanes: as passes, or, where n has a large prime factor, as a convolution of `within` numbers, which
// the passes are of.
template <class T>
struct Steps {
  int64_t n, within;
  const Step<T>* steps;
  int64_t count;
  const T *chirp, *filter;  // null: no convolution
  int64_t length() const { return chirp ? within : n; }
  // Pairs of one of the two buffers that it works in: there are gaps between some.
  int64_t buffer() const { return length() + largest_radix + 1; }
};

enum class Kind : uint8_t { forward, backward, half, whole, full };  // full: as half, and the conjugates

// So many lines, one a lane.
template <class T>
struct LanesJob {
  const Steps<T>* steps;
  Kind kind;
  const T* ends;  // of reals taken as pairs; else null
  int64_t n;      // numbers of a line, complex or real
  int64_t count;  // lines
  Places<const T> in;
  Places<T> out;
  T scale;
  bool is_large;   // more than caches hold: results go past them, where they can
  T* room;         // two buffers of vectors' pairs
  int64_t buffer;  // so many pairs each: at least Steps' buffer(), and for Kind::full n
};

// e^(-2 pi i k / n) for any k below n, as the product of those for 2^shift (k >> shift) and for the rest of k; the second table
// goes on for a vector's width.
template <class T>
struct Turns {
  const T *coarse, *fine;
  int64_t shift;
};

// One line as a matrix of n1 rows: transforms along its columns, turns, transforms along its rows.
template <class T>
struct Split {
  int64_t n1, n2;
  const Steps<T>*first, *second;  // of n1 and of n2
  // What columns are turned by: vectors' pairs for each n1 of each block of columns; or null, and the product of a vector's pair
  // for each n1, its lanes' turns, and a number for each n1 of each block.
  const T *turns, *lane_turns, *block_turns;
  int64_t width;  // of these vectors: a narrower level's loops may read them
};
template <class T>
struct SplitJob {
  const Split<T>* split;
  bool exchanges_in, exchanges_out;  // real and imaginary parts
  Places<const T> in;                // of one line
  Places<T> out;
  int64_t limit;  // so many results are stored
  T scale;
  T* work;  // vectors' pairs, n1 for each block of columns
};

// So many lines, one a lane, and each as such a matrix: where more than a cache is between the first number and the last.
template <class T>
struct TallJob {
  const Split<T>* split;
  int64_t count;
  bool exchanges;  // before and after
  Places<const T> in;
  Places<T> out;
  T scale;
  T* work;  // vectors' pairs, a column of n1 and at most one for a gap behind the other
};
// Their ends, where they are of reals.
template <class T>
struct TallEndsJob {
  int64_t h;      // n / 2
  const T* ends;  // turns of n, k from 0 to n / 4
  int64_t count;  // lines
  Places<const T> in;
  Places<T> out;
};

template <class T>
struct EndsJob {
  int64_t h;           // n / 2
  Turns<T> turns;      // of n
  Places<const T> in;  // h + 1 numbers
  Places<T> out;
};
// out[n - k] = the conjugate of in[k].
template <class T>
struct MirrorJob {
  int64_t n;
  Places<const T> in;
  Places<T> out;
};
// out[k] = in[k] * by[k] * scale, with real and imaginary parts exchanged before or after.
template <class T>
struct ProductJob {
  Places<const T> in;
  Places<T> out;
  const T* by;  // without gaps
  T scale;
  bool exchanges_in, exchanges_out;
};

template <class T>
struct Loops {
  int64_t width;  // lanes
  void (*lanes)(const LanesJob<T>& job);
  // Blocks of columns; groups of so many rows as there are lanes. `room`: two buffers of vectors' pairs.
  void (*columns)(const SplitJob<T>& job, int64_t from, int64_t to, T* room);
  void (*rows)(const SplitJob<T>& job, int64_t from, int64_t to, T* room);
  // Columns, then rows, of a vector of lines; and what part() and join() do.
  void (*tall_columns)(const TallJob<T>& job, int64_t from, int64_t to, T* room);
  void (*tall_rows)(const TallJob<T>& job, int64_t from, int64_t to, T* room);
  void (*tall_part)(const TallEndsJob<T>& job, int64_t from, int64_t to);
  void (*tall_join)(const TallEndsJob<T>& job, int64_t from, int64_t to);
  // Of a line of n reals that was transformed as n / 2 complex numbers, its ends: see part_ends(). Numbers k from..to - 1 of
  // 1 ... n / 4, and those opposite them.
  void (*part)(const EndsJob<T>& job, int64_t from, int64_t to);
  void (*join)(const EndsJob<T>& job, int64_t from, int64_t to);
  void (*mirror)(const MirrorJob<T>& job, int64_t from, int64_t to);
  void (*product)(const ProductJob<T>& job, int64_t from, int64_t to);
};

extern const Loops<float>&float_loops_baseline, &float_loops_avx2, &float_loops_avx512;
extern const Loops<double>&double_loops_baseline, &double_loops_avx2, &double_loops_avx512;
template <class T>
using LoopsOfLevels = std::array<const Loops<T>*, tier0::level_count>;

}  // namespace quern::fft
