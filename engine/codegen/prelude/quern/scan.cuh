// Scans (running sums, products, extrema) on a GPU: rows of n values that lie one after the other.
//
// A row is cut into tiles of fixed size. scan_sums reduces each tile, scan_carries runs over these, scan_tiles does a tile from
// what comes before it. Within a tile each warp has a part, and goes over it in steps in which a lane takes neighbours. So a
// result depends on the shape, the type and the values alone.
//
// R has A, what is computed in, and both(A, A); T is what lies in memory.
#pragma once

#include "quern/scan_ops.cuh"

extern "C++" {
namespace quern {
namespace op {

constexpr int scan_threads = 512, scan_steps = 4;
template <class T>
struct ScanTile {
  static constexpr int each = sizeof(T) < 16 ? 16 / sizeof(T) : 1, warp = 32 * each * scan_steps, size = warp * (scan_threads / 32);
};

// What the lane `delta` below has; any type.
template <class A>
__QUERN_DEVICE A scan_moved(const A& value, int delta, bool from_last = false) {
  constexpr int words = (sizeof(A) + 3) / 4;
  union Both {
    unsigned int words_[words];
    A value_;
    __QUERN_DEVICE Both() {}
  } both;
  both.words_[words - 1] = 0;
  both.value_ = value;
  for (int w = 0; w < words; ++w) {
    both.words_[w] = from_last ? __shfl_sync(0xffffffffu, both.words_[w], 31) : __shfl_up_sync(0xffffffffu, both.words_[w], delta);
  }
  return both.value_;
}

template <class R, class A>
__QUERN_DEVICE A scan_warp(A value) {
  const int lane = threadIdx.x % 32;
  for (int d = 1; d < 32; d *= 2) {
    const A other = scan_moved(value, d);
    if (lane >= d) value = R::both(other, value);
  }
  return value;
}

// `each` neighbours; what lies behind `held` is anything, and nothing that is kept is made of it.
template <class T, class A>
__QUERN_DEVICE void scan_load(const T* from, long long held, bool aligned, A* out) {
  constexpr int each = ScanTile<T>::each;
  if (aligned && held >= each) {
    const Pack<T, each> pack = *reinterpret_cast<const Pack<T, each>*>(from);
#pragma unroll
    for (int k = 0; k < each; ++k) out[k] = to<A>(pack.v[k]);
  } else {
#pragma unroll
    for (int k = 0; k < each; ++k) out[k] = k < held ? to<A>(from[k]) : A();
  }
}
template <class T, class A>
__QUERN_DEVICE void scan_store(T* to_, long long held, bool aligned, const A* values) {
  constexpr int each = ScanTile<T>::each;
  if (aligned && held >= each) {
    Pack<T, each> pack;
#pragma unroll
    for (int k = 0; k < each; ++k) pack.v[k] = to<T>(values[k]);
    *reinterpret_cast<Pack<T, each>*>(to_) = pack;
  } else {
#pragma unroll
    for (int k = 0; k < each; ++k) {
      if (k < held) to_[k] = to<T>(values[k]);
    }
  }
}
template <class T>
__QUERN_DEVICE bool scan_aligned(const T* in, const T* out) {
  return (reinterpret_cast<unsigned long long>(in) | reinterpret_cast<unsigned long long>(out)) % 16 == 0;
}

template <class R, class T>
__QUERN_DEVICE void scan_sums(const T* in, typename R::A* sums, long long n, int tiles) {
  typedef typename R::A A;
  typedef ScanTile<T> Tile;
  const long long row = blockIdx.x / tiles, t = blockIdx.x % tiles;
  if (t == tiles - 1) return;  // nothing comes after it
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const T* from = in + row * n + t * Tile::size + warp * Tile::warp + lane * Tile::each;
  const bool aligned = scan_aligned(from, from);
  A values[scan_steps][Tile::each];
#pragma unroll
  for (int s = 0; s < scan_steps; ++s) scan_load(from + s * 32 * Tile::each, Tile::each, aligned, values[s]);
  A sum = values[0][0];
#pragma unroll
  for (int s = 0; s < scan_steps; ++s) {
    A part = values[s][0];
#pragma unroll
    for (int k = 1; k < Tile::each; ++k) part = R::both(part, values[s][k]);
    sum = s == 0 ? part : R::both(sum, part);
  }
  sum = scan_warp<R>(sum);
  __shared__ __align__(16) char memory[sizeof(A) * (scan_threads / 32)];
  A* of_warps = reinterpret_cast<A*>(memory);
  if (lane == 31) of_warps[warp] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    sum = of_warps[0];
    for (int w = 1; w < scan_threads / 32; ++w) sum = R::both(sum, of_warps[w]);
    sums[row * tiles + t] = sum;
  }
}

// A block of 1024 for each row: sums[t] becomes what tiles 0 to t have together.
template <class R>
__QUERN_DEVICE void scan_carries(typename R::A* sums, int tiles) {
  typedef typename R::A A;
  A* here = sums + static_cast<long long>(blockIdx.x) * tiles;
  const int count = tiles - 1, share = (count + 1023) / 1024, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int from = threadIdx.x * share, end = from + share < count ? from + share : count;
  A sum = A();
  for (int t = from; t < end; ++t) {
    sum = t == from ? here[t] : R::both(sum, here[t]);
    here[t] = sum;
  }
  const A all = scan_warp<R>(sum);
  const A before = scan_moved(all, 1);
  __shared__ __align__(16) char memory[sizeof(A) * 32];
  A* of_warps = reinterpret_cast<A*>(memory);
  if (lane == 31) of_warps[warp] = all;
  __syncthreads();
  if (from >= end || threadIdx.x == 0) return;
  A carry = before;
  if (warp > 0) {
    carry = of_warps[0];
    for (int w = 1; w < warp; ++w) carry = R::both(carry, of_warps[w]);
    if (lane > 0) carry = R::both(carry, before);
  }
  for (int t = from; t < end; ++t) here[t] = R::both(carry, here[t]);
}

template <class R, class T>
__QUERN_DEVICE void scan_tiles(const T* in, T* out, const typename R::A* sums, long long n, int tiles) {
  typedef typename R::A A;
  typedef ScanTile<T> Tile;
  const long long row = blockIdx.x / tiles, t = blockIdx.x % tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const long long place = t * Tile::size + warp * Tile::warp + lane * Tile::each;
  const T* from = in + row * n + place;
  T* target = out + row * n + place;
  const bool aligned = scan_aligned(from, target);
  A values[scan_steps][Tile::each];
#pragma unroll
  for (int s = 0; s < scan_steps; ++s) scan_load(from + s * 32 * Tile::each, n - place - s * 32 * Tile::each, aligned, values[s]);
  A carry = A();  // what the warp's earlier steps have
#pragma unroll
  for (int s = 0; s < scan_steps; ++s) {
#pragma unroll
    for (int k = 1; k < Tile::each; ++k) values[s][k] = R::both(values[s][k - 1], values[s][k]);
    const A all = scan_warp<R>(values[s][Tile::each - 1]);
    A before = scan_moved(all, 1);
    if (s > 0) before = lane > 0 ? R::both(carry, before) : carry;
    if (s > 0 || lane > 0) {
#pragma unroll
      for (int k = 0; k < Tile::each; ++k) values[s][k] = R::both(before, values[s][k]);
    }
    carry = scan_moved(values[s][Tile::each - 1], 0, true);
  }
  __shared__ __align__(16) char memory[sizeof(A) * (scan_threads / 32)];
  A* of_warps = reinterpret_cast<A*>(memory);
  if (lane == 31) of_warps[warp] = carry;
  __syncthreads();
  if (warp > 0 || t > 0) {
    A before = t > 0 ? sums[row * tiles + t - 1] : of_warps[0];
    for (int w = t > 0 ? 0 : 1; w < warp; ++w) before = R::both(before, of_warps[w]);
#pragma unroll
    for (int s = 0; s < scan_steps; ++s) {
#pragma unroll
      for (int k = 0; k < Tile::each; ++k) values[s][k] = R::both(before, values[s][k]);
    }
  }
#pragma unroll
  for (int s = 0; s < scan_steps; ++s) scan_store(target + s * 32 * Tile::each, n - place - s * 32 * Tile::each, aligned, values[s]);
}

// A warp for each row: for many short ones.
template <class R, class T>
__QUERN_DEVICE void scan_rows(const T* in, T* out, long long rows, int n) {
  typedef typename R::A A;
  const long long row = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  A carry = A();
  for (int i = lane; i - lane < n; i += 32) {
    A value = i < n ? to<A>(in[row * n + i]) : A();
    value = scan_warp<R>(value);
    if (i >= 32) value = R::both(carry, value);
    if (i < n) out[row * n + i] = to<T>(value);
    carry = scan_moved(value, 0, true);
  }
}

}  // namespace op
}  // namespace quern
}  // extern "C++"

// The kernels of one op and type, by the names that run/calls/scan.cpp asks for.
#define QUERN_SCAN(name, T)                                                                                          \
  typedef quern::op::Scan_##name<T> ScanOp;                                                                          \
  extern "C" __global__ void __launch_bounds__(512) sums(const T* in, ScanOp::A* sums, long long n, int tiles) {     \
    quern::op::scan_sums<ScanOp>(in, sums, n, tiles);                                                                \
  }                                                                                                                  \
  extern "C" __global__ void __launch_bounds__(1024) carries(ScanOp::A* sums, int tiles) {                           \
    quern::op::scan_carries<ScanOp>(sums, tiles);                                                                    \
  }                                                                                                                  \
  extern "C" __global__ void __launch_bounds__(512)                                                                  \
      tiles(const T* in, T* out, const ScanOp::A* sums, long long n, int tiles) {                                    \
    quern::op::scan_tiles<ScanOp>(in, out, sums, n, tiles);                                                          \
  }                                                                                                                  \
  extern "C" __global__ void __launch_bounds__(256) rows(const T* in, T* out, long long rows, int n) {               \
    quern::op::scan_rows<ScanOp>(in, out, rows, n);                                                                  \
  }
