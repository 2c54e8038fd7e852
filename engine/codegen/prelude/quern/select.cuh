// On a GPU: the true elements of a mask, as places or as the values that stand there. A block looks at select_tile of them. First
// each block counts, then one adds the counts up, then each writes; NVIDIA's CUB adds within a block.
//
// Only for NVRTC. See run/calls/nonzero.cpp.
#pragma once

#define CCCL_DISABLE_FP16_SUPPORT
#define CCCL_DISABLE_BF16_SUPPORT

#include <cub/block/block_scan.cuh>

#include "quern/index.cuh"

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

typedef cub::BlockScan<int, select_threads> SelectScan;

__QUERN_DEVICE void select_counts(const unsigned char* mask, long long n, long long* counts) {
  __shared__ SelectScan::TempStorage memory;
  const long long first = (static_cast<long long>(blockIdx.x) * select_threads + threadIdx.x) * select_each;
  int before, all;
  SelectScan(memory).ExclusiveSum(__popc(select_flags(mask, n, first)), before, all);
  if (threadIdx.x == 0) counts[blockIdx.x] = all;
}

// One block: counts become starts, and behind the last one stands the sum.
__QUERN_DEVICE void select_starts(long long* counts, long long blocks) {
  constexpr int threads = 1024, items = 4;
  typedef cub::BlockScan<long long, threads> Scan;
  __shared__ typename Scan::TempStorage memory;
  long long carry = 0;
  for (long long first = 0; first < blocks; first += threads * items) {
    long long mine[items], all;
#pragma unroll
    for (int k = 0; k < items; ++k) {
      const long long i = first + threadIdx.x * items + k;
      mine[k] = i < blocks ? counts[i] : 0;
    }
    Scan(memory).ExclusiveSum(mine, mine, all);
#pragma unroll
    for (int k = 0; k < items; ++k) {
      const long long i = first + threadIdx.x * items + k;
      if (i < blocks) counts[i] = carry + mine[k];
    }
    carry += all;
    __syncthreads();
  }
  if (threadIdx.x == 0) counts[blocks] = carry;
}

// `put(at, place)` for each true element of the block's tile, neighbours by neighbouring threads.
template <class F>
__QUERN_DEVICE void select_each_place(const unsigned char* mask, long long n, const long long* starts, F put) {
  __shared__ SelectScan::TempStorage memory;
  __shared__ unsigned short places[select_tile];
  const long long tile = static_cast<long long>(blockIdx.x) * select_tile;
  const int mine = threadIdx.x * select_each;
  unsigned int bits = select_flags(mask, n, tile + mine);
  int at, all;
  SelectScan(memory).ExclusiveSum(__popc(bits), at, all);
  for (; bits; bits &= bits - 1) places[at++] = static_cast<unsigned short>(mine + __ffs(bits) - 1);
  __syncthreads();
  const long long start = starts[blockIdx.x];
#pragma unroll 4
  for (int k = threadIdx.x; k < all; k += select_threads) put(start + k, tile + places[k]);
}

}  // namespace op
}  // namespace quern

extern "C" __global__ void __launch_bounds__(256) counts(const unsigned char* mask, long long n, long long* counts) {
  quern::op::select_counts(mask, n, counts);
}
extern "C" __global__ void __launch_bounds__(1024) starts(long long* counts, long long blocks) {
  quern::op::select_starts(counts, blocks);
}
extern "C" __global__ void __launch_bounds__(256) places(const unsigned char* mask, long long n, const long long* starts, long long* out) {
  quern::op::select_each_place(mask, n, starts, [=](long long at, long long place) { out[at] = place; });
}
#define QUERN_SELECT(bytes, T)                                                                                                    \
  extern "C" __global__ void __launch_bounds__(256)                                                                               \
      values##bytes(const unsigned char* mask, long long n, const long long* starts, T* out, const T* in) {                       \
    quern::op::select_each_place(mask, n, starts, [=](long long at, long long place) { out[at] = in[place]; });                   \
  }
QUERN_SELECT(1, unsigned char)
QUERN_SELECT(2, unsigned short)
QUERN_SELECT(4, unsigned int)
QUERN_SELECT(8, unsigned long long)
QUERN_SELECT(16, quern::op::Sixteen)
#undef QUERN_SELECT
