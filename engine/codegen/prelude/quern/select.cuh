// On a GPU: the true elements of a mask, as places or as the values that stand there. A block reads select_tile of them. First
// each block counts, then one adds the counts up, then each writes.
//
// Only for NVRTC. See run/calls/nonzero.cpp.
#pragma once

#include "quern/index.cuh"
#include "quern/scan.cuh"

extern "C++" {
namespace quern {
namespace op {

constexpr int select_threads = 256, select_each = 16, select_tile = select_threads * select_each;

// A bit for each of select_each neighbours.
__QUERN_DEVICE unsigned int select_flags(const unsigned char* mask, long long n, long long first) {
  unsigned int bits = 0;
  if (first + select_each <= n && reinterpret_cast<unsigned long long>(mask + first) % 16 == 0) {
    const uint4 four = *reinterpret_cast<const uint4*>(mask + first);
    const unsigned int words[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int k = 0; k < select_each; ++k) bits |= ((words[k / 4] >> k % 4 * 8 & 0xff) != 0) << k;
  } else {
    for (int k = 0; k < select_each; ++k) {
      if (first + k < n && mask[first + k]) bits |= 1u << k;
    }
  }
  return bits;
}

// The sum of what the block's threads have before this one, and of all.
template <class T>
struct SelectScan {
  T before, all;
  template <int threads>
  static __QUERN_DEVICE SelectScan of(T mine) {
    __shared__ T sums[threads / 32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const T through = scan_warp<Scan_add<T>>(mine);
    __syncthreads();  // the sums of an earlier scan have been read
    if (lane == 31) sums[warp] = through;
    __syncthreads();
    SelectScan out{through - mine, 0};
    for (int w = 0; w < threads / 32; ++w) {
      if (w == warp) out.before += out.all;
      out.all += sums[w];
    }
    return out;
  }
};

template <class T>
__global__ void __launch_bounds__(256) counts(const unsigned char* mask, long long n, T* counts) {
  const long long first = (static_cast<long long>(blockIdx.x) * select_threads + threadIdx.x) * select_each;
  const int all = SelectScan<int>::of<select_threads>(__popc(select_flags(mask, n, first))).all;
  if (threadIdx.x == 0) counts[blockIdx.x] = all;
}

// One block: counts become starts, and behind the last one stands the sum.
template <class T>
__global__ void __launch_bounds__(1024) starts(T* counts, long long blocks) {
  constexpr int threads = 1024, items = 4;
  T carry = 0;
  for (long long first = 0; first < blocks; first += threads * items) {
    T mine[items], sum = 0;
#pragma unroll
    for (int k = 0; k < items; ++k) {
      const long long i = first + threadIdx.x * items + k;
      mine[k] = sum;
      if (i < blocks) sum += counts[i];
    }
    const SelectScan<T> scan = SelectScan<T>::template of<threads>(sum);
#pragma unroll
    for (int k = 0; k < items; ++k) {
      const long long i = first + threadIdx.x * items + k;
      if (i < blocks) counts[i] = carry + scan.before + mine[k];
    }
    carry += scan.all;
  }
  if (threadIdx.x == 0) counts[blocks] = carry;
}

// `put(at, place)` for each true element of the block's tile, neighbours by neighbouring threads.
template <class F>
__QUERN_DEVICE void select_each_place(const unsigned char* mask, long long n, const long long* starts, F put) {
  __shared__ unsigned short places[select_tile];
  const long long tile = static_cast<long long>(blockIdx.x) * select_tile;
  const int mine = threadIdx.x * select_each;
  unsigned int bits = select_flags(mask, n, tile + mine);
  const SelectScan<int> scan = SelectScan<int>::of<select_threads>(__popc(bits));
  for (int at = scan.before; bits; bits &= bits - 1) places[at++] = static_cast<unsigned short>(mine + __ffs(bits) - 1);
  __syncthreads();
  const long long start = starts[blockIdx.x];
#pragma unroll 4
  for (int k = threadIdx.x; k < scan.all; k += select_threads) put(start + k, tile + places[k]);
}

template <class T>
__global__ void __launch_bounds__(256) places(const unsigned char* mask, long long n, const long long* starts, T* out) {
  select_each_place(mask, n, starts, [=](long long at, long long place) { out[at] = place; });
}
template <class T>
__global__ void __launch_bounds__(256) values(const unsigned char* mask, long long n, const long long* starts, T* out, const T* in) {
  select_each_place(mask, n, starts, [=](long long at, long long place) { out[at] = in[place]; });
}

}  // namespace op
}  // namespace quern
}  // extern "C++"
