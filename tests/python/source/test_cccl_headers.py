"""Each header of CUB's for blocks, warps and threads, of cuda/std and of Thrust that kernels may include: a small kernel, compared with NumPy."""

import numpy as np
import pytest
import quern as qn

THREADS = 64
given = np.random.default_rng(5).integers(-100, 100, 4 * THREADS).astype(np.int32)
front = given[:THREADS]


def warps(x):
    return x.reshape(-1, 32)


def in_tiles(function):
    """A function of a warp's items, over the 32 * 4 items of each of two warps."""
    return np.concatenate([function(part) for part in given.reshape(2, 128)])


BLOCKS = {
    "load and store, transposed": (
        r"""
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE> Load;
  typedef cub::BlockStore<int, 64, 4, cub::BLOCK_STORE_TRANSPOSE> Store;
  __shared__ union { typename Load::TempStorage load; typename Store::TempStorage store; } room;
  int items[4];
  Load(room.load).Load(in, items, 250, -7);
  __syncthreads();
  for (int i = 0; i < 4; ++i) items[i] = items[i] * 4 + i;
  Store(room.store).Store(out, items);
}
""",
        lambda: np.concatenate([given[:250], np.full(6, -7)]) * 4 + np.arange(256) % 4,
    ),
    "vectors and stripes": (
        r"""
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_VECTORIZE> Load;
  typedef cub::BlockStore<int, 64, 4, cub::BLOCK_STORE_STRIPED> Store;
  __shared__ union { typename Load::TempStorage load; typename Store::TempStorage store; } room;
  int items[4];
  Load(room.load).Load(in, items);
  __syncthreads();
  Store(room.store).Store(out, items);
}
""",
        lambda: given.reshape(64, 4).T.ravel(),
    ),
    "exchange": (
        r"""
#include <cub/block/block_exchange.cuh>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::BlockExchange<int, 64, 4> Exchange;
  __shared__ typename Exchange::TempStorage room;
  int items[4], ranks[4];
  for (int i = 0; i < 4; ++i) items[i] = in[64 * i + threadIdx.x], ranks[i] = 255 - (4 * threadIdx.x + i);
  Exchange(room).StripedToBlocked(items, items);
  __syncthreads();
  Exchange(room).ScatterToBlocked(items, items, ranks);
  for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = items[i];
}
""",
        lambda: given[::-1],
    ),
    "histograms": (
        r"""
#include <cub/block/block_histogram.cuh>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::BlockHistogram<unsigned char, 64, 4, 128, cub::BLOCK_HISTO_SORT> Sorting;
  typedef cub::BlockHistogram<unsigned char, 64, 4, 128, cub::BLOCK_HISTO_ATOMIC> Adding;
  __shared__ union { typename Sorting::TempStorage sorting; typename Adding::TempStorage adding; } room;
  __shared__ unsigned int counts[128], more[128];
  unsigned char items[4];
  for (int i = 0; i < 4; ++i) items[i] = (unsigned char)((in[4 * threadIdx.x + i] + 100) / 2);
  Sorting(room.sorting).Histogram(items, counts);
  __syncthreads();
  Adding(room.adding).Histogram(items, more);
  __syncthreads();
  for (int i = threadIdx.x; i < 128; i += 64) out[i] = counts[i], out[128 + i] = more[i];
}
""",
        lambda: np.tile(np.bincount((given + 100) // 2, minlength=128), 2),
    ),
    "discontinuities": (
        r"""
#include <cub/block/block_discontinuity.cuh>
#include <cuda/std/functional>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::BlockDiscontinuity<int, 64> Discontinuity;
  __shared__ typename Discontinuity::TempStorage room;
  int items[4], heads[4];
  for (int i = 0; i < 4; ++i) items[i] = in[4 * threadIdx.x + i] > 0;
  Discontinuity(room).FlagHeads(heads, items, cuda::std::not_equal_to<>{});
  for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = heads[i];
}
""",
        lambda: np.diff(given > 0, prepend=given[0] <= 0).astype(int),
    ),
    "shuffles": (
        r"""
#include <cub/block/block_shuffle.cuh>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::BlockShuffle<int, 64> Shuffle;
  __shared__ typename Shuffle::TempStorage room;
  int x = in[threadIdx.x], before = 0, around = 0;
  Shuffle(room).Offset(x, before, -1);
  __syncthreads();
  Shuffle(room).Rotate(x, around, 3);
  out[threadIdx.x] = threadIdx.x ? before : 0;
  out[64 + threadIdx.x] = around;
}
""",
        lambda: np.concatenate([[0], front[:-1], np.roll(front, -3)]),
    ),
    "pairs sorted downwards": (
        r"""
#include <cub/block/block_radix_sort.cuh>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::BlockRadixSort<float, 64, 2, int> Sort;
  __shared__ typename Sort::TempStorage room;
  float keys[2];
  int places[2];
  for (int i = 0; i < 2; ++i) places[i] = 2 * threadIdx.x + i, keys[i] = (float)in[places[i]];
  Sort(room).SortDescending(keys, places);
  for (int i = 0; i < 2; ++i) out[2 * threadIdx.x + i] = (int)keys[i], out[128 + 2 * threadIdx.x + i] = places[i];
}
""",
        lambda: np.concatenate([np.sort(given[:128])[::-1], np.argsort(-given[:128], kind="stable")]),
    ),
    "64-bit keys, in stripes": (
        r"""
#include <cub/block/block_radix_sort.cuh>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::BlockRadixSort<long long, 64, 4> Sort;
  __shared__ typename Sort::TempStorage room;
  long long keys[4];
  for (int i = 0; i < 4; ++i) keys[i] = in[4 * threadIdx.x + i] * 10000000000ll;
  Sort(room).SortBlockedToStriped(keys);
  for (int i = 0; i < 4; ++i) out[64 * i + threadIdx.x] = (int)(keys[i] / 10000000000ll);
}
""",
        lambda: np.sort(given),
    ),
    "ranks": (
        r"""
#include <cub/block/block_radix_rank.cuh>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::BlockRadixRank<64, 4, false> Rank;
  __shared__ typename Rank::TempStorage room;
  unsigned int keys[2];
  int ranks[2];
  for (int i = 0; i < 2; ++i) keys[i] = (unsigned int)(in[2 * threadIdx.x + i] + 128);
  Rank(room).RankKeys(keys, ranks, cub::BFEDigitExtractor<unsigned int>(2, 4));
  for (int i = 0; i < 2; ++i) out[2 * threadIdx.x + i] = ranks[i];
}
""",
        lambda: np.argsort(np.argsort((given[:128] + 128) >> 2 & 15, kind="stable")),
    ),
    "reductions": (
        r"""
#include <cub/block/block_reduce.cuh>
struct Larger { __device__ int operator()(int a, int b) const { return a > b ? a : b; } };
template <cub::BlockReduceAlgorithm algorithm>
__device__ void reduce(const int* in, int* out)
{
  typedef cub::BlockReduce<int, 64, algorithm> Reduce;
  __shared__ typename Reduce::TempStorage room;
  int items[4];
  for (int i = 0; i < 4; ++i) items[i] = in[4 * threadIdx.x + i];
  int sum = Reduce(room).Sum(items);
  __syncthreads();
  int most = Reduce(room).Reduce(items, Larger());
  __syncthreads();
  int some = Reduce(room).Sum(in[threadIdx.x], 41);
  if (threadIdx.x == 0) out[0] = sum, out[1] = most, out[2] = some;
}
extern "C" __global__ void all(const int* in, int* out)
{
  reduce<cub::BLOCK_REDUCE_RAKING>(in, out);
  reduce<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(in, out + 3);
  reduce<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(in, out + 6);
}
""",
        lambda: np.tile([given.sum(), given.max(), given[:41].sum()], 3),
    ),
    "a reduction of doubles": (
        r"""
#include <cub/block/block_reduce.cuh>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::BlockReduce<double, 64, cub::BLOCK_REDUCE_WARP_REDUCTIONS, 1, 1> Reduce;
  __shared__ typename Reduce::TempStorage room;
  double sum = Reduce(room).Sum(in[threadIdx.x] * 0.5);
  if (threadIdx.x == 0) out[0] = (int)(2 * sum);
}
""",
        lambda: [front.sum()],
    ),
    "scans": (
        r"""
#include <cub/block/block_scan.cuh>
struct Larger { __device__ int operator()(int a, int b) const { return a > b ? a : b; } };
struct Running { int total; __device__ int operator()(int more) { int before = total; total += more; return before; } };
template <cub::BlockScanAlgorithm algorithm>
__device__ void scan(const int* in, int* out)
{
  typedef cub::BlockScan<int, 64, algorithm> Scan;
  __shared__ typename Scan::TempStorage room;
  int most, sums[2], total;
  Scan(room).InclusiveScan(in[threadIdx.x], most, Larger());
  __syncthreads();
  for (int i = 0; i < 2; ++i) sums[i] = in[2 * threadIdx.x + i];
  Running running = {1000};
  Scan(room).ExclusiveSum(sums, sums, running);
  __syncthreads();
  int one;
  Scan(room).ExclusiveSum(1, one, total);
  out[threadIdx.x] = most;
  for (int i = 0; i < 2; ++i) out[64 + 2 * threadIdx.x + i] = sums[i];
  out[192 + threadIdx.x] = 100 * one + total;
}
extern "C" __global__ void all(const int* in, int* out)
{
  scan<cub::BLOCK_SCAN_RAKING>(in, out);
  scan<cub::BLOCK_SCAN_RAKING_MEMOIZE>(in, out + 256);
  scan<cub::BLOCK_SCAN_WARP_SCANS>(in, out + 512);
}
""",
        lambda: np.tile(
            np.concatenate([np.maximum.accumulate(front), 1000 + np.cumsum(given[:128]) - given[:128], 100 * np.arange(64) + 64]), 3
        ),
    ),
    "records, in three dimensions": (
        r"""
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
struct Record { int sum; double most; char count; };
struct Joined
{
  __device__ Record operator()(const Record& a, const Record& b) const
  {
    return Record{a.sum + b.sum, a.most > b.most ? a.most : b.most, (char)(a.count + b.count)};
  }
};
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::BlockReduce<Record, 8, cub::BLOCK_REDUCE_WARP_REDUCTIONS, 4, 2> Reduce;
  typedef cub::BlockScan<Record, 8, cub::BLOCK_SCAN_WARP_SCANS, 4, 2> Scan;
  __shared__ union Room { typename Reduce::TempStorage reduce; typename Scan::TempStorage scan; } room;
  int t = (threadIdx.z * 4 + threadIdx.y) * 8 + threadIdx.x;
  Record own = {in[t], (double)in[t], 1}, upto;
  Record whole = Reduce(room.reduce).Reduce(own, Joined());
  __syncthreads();
  Scan(room.scan).InclusiveScan(own, upto, Joined());
  if (t == 0) out[0] = whole.sum, out[1] = (int)whole.most, out[2] = whole.count;
  out[3 + t] = upto.sum, out[67 + t] = (int)upto.most, out[131 + t] = upto.count;
}
""",
        lambda: np.concatenate(
            [[front.sum(), front.max(), 64], np.cumsum(front), np.maximum.accumulate(front), np.arange(1, 65)]
        ),
    ),
    "halves and complex numbers": (
        r"""
#include <cuda_fp16.h>
#include <cub/block/block_reduce.cuh>
#include <cuda/std/complex>
#include <cuda/std/functional>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cuda::std::complex<float> complex;
  typedef cub::BlockReduce<__half, 64> Halves;
  typedef cub::BlockReduce<complex, 64> Complexes;
  __shared__ union Room { __device__ Room() {} typename Halves::TempStorage halves; typename Complexes::TempStorage complexes; } room;
  __half sum = Halves(room.halves).Sum(__int2half_rn(in[threadIdx.x] / 8));
  __syncthreads();
  complex both = Complexes(room.complexes).Reduce(complex((float)in[threadIdx.x], (float)threadIdx.x), cuda::std::plus<>{});
  if (threadIdx.x == 0) out[0] = (int)__half2float(sum), out[1] = (int)both.real(), out[2] = (int)both.imag();
}
""",
        lambda: [np.trunc(front / 8).sum(), front.sum(), 64 * 63 // 2],
    ),
    "ranks by matching": (
        r"""
#include <cub/block/block_radix_rank.cuh>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::BlockRadixRankMatch<64, 4, false> Rank;
  __shared__ typename Rank::TempStorage room;
  unsigned int keys[2];
  int ranks[2], warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = 0; i < 2; ++i) keys[i] = (unsigned int)(in[64 * warp + 32 * i + lane] + 128);
  Rank(room).RankKeys(keys, ranks, cub::BFEDigitExtractor<unsigned int>(2, 4));
  for (int i = 0; i < 2; ++i) out[64 * warp + 32 * i + lane] = ranks[i];
}
""",
        lambda: np.argsort(np.argsort((given[:128] + 128) >> 2 & 15, kind="stable")),
    ),
    "differences": (
        r"""
#include <cub/block/block_adjacent_difference.cuh>
#include <cuda/std/functional>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::BlockAdjacentDifference<int, 64> Difference;
  __shared__ typename Difference::TempStorage room;
  int items[4], differences[4];
  for (int i = 0; i < 4; ++i) items[i] = in[4 * threadIdx.x + i];
  Difference(room).SubtractLeft(items, differences, cuda::std::minus<>{});
  for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = differences[i];
}
""",
        lambda: np.diff(given, prepend=0),
    ),
    "run lengths": (
        r"""
#include <cub/block/block_run_length_decode.cuh>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::BlockRunLengthDecode<int, 64, 1, 4> Decode;
  __shared__ typename Decode::TempStorage room;
  int run[1] = {in[threadIdx.x]}, length[1] = {(int)threadIdx.x % 4 + 1}, total, items[4];
  Decode decode(room, run, length, total);
  decode.RunLengthDecode(items, 0);
  for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = 4 * threadIdx.x + i < total ? items[i] : 0;
}
""",
        lambda: np.concatenate([np.repeat(front, np.arange(64) % 4 + 1), np.zeros(96, int)]),
    ),
    "a merge sort": (
        r"""
#include <cub/block/block_merge_sort.cuh>
struct Less { __device__ bool operator()(int a, int b) const { return a < b; } };
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::BlockMergeSort<int, 64, 4> Sort;
  __shared__ typename Sort::TempStorage room;
  int keys[4];
  for (int i = 0; i < 4; ++i) keys[i] = in[4 * threadIdx.x + i];
  Sort(room).Sort(keys, Less());
  for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = keys[i];
}
""",
        lambda: np.sort(given),
    ),
    "all of CUB by one header": (
        r"""
#include <cub/cub.cuh>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::BlockRadixSort<int, 64, 1> Sort;
  typedef cub::WarpReduce<int> Sum;
  __shared__ typename Sort::TempStorage sorted;
  __shared__ typename Sum::TempStorage sums[2];
  int t = threadIdx.x, items[1] = {in[t]};
  Sort(sorted).Sort(items);
  int sum = Sum(sums[t / 32]).Sum(in[t]);
  out[t] = items[0];
  if (t % 32 == 0) out[64 + t / 32] = sum;
}
""",
        lambda: np.concatenate([np.sort(front), warps(front).sum(1)]),
    ),
}

WARPS = {
    "reductions": (
        r"""
#include <cub/warp/warp_reduce.cuh>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::WarpReduce<int> Whole;
  typedef cub::WarpReduce<double, 8> Part;
  __shared__ typename Whole::TempStorage whole[2];
  __shared__ typename Part::TempStorage part[8];
  int t = threadIdx.x, sum = Whole(whole[t / 32]).Sum(in[t]);
  int most = Whole(whole[t / 32]).Reduce(in[t], cuda::maximum<>{});
  double eight = Part(part[t / 8]).Sum((double)in[t]);
  if (t % 32 == 0) out[t / 32] = sum, out[2 + t / 32] = most;
  if (t % 8 == 0) out[4 + t / 8] = (int)eight;
}
""",
        lambda: np.concatenate([warps(front).sum(axis=1), warps(front).max(axis=1), front.reshape(8, 8).sum(axis=1)]),
    ),
    "segments": (
        r"""
#include <cub/warp/warp_reduce.cuh>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::WarpReduce<int> Reduce;
  __shared__ typename Reduce::TempStorage room[2];
  int t = threadIdx.x, sum = Reduce(room[t / 32]).HeadSegmentedSum(in[t], t % 8 == 0);
  out[t] = t % 8 == 0 ? sum : 0;
}
""",
        lambda: np.where(np.arange(64) % 8 == 0, np.repeat(front.reshape(8, 8).sum(axis=1), 8), 0),
    ),
    "scans": (
        r"""
#include <cub/warp/warp_scan.cuh>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::WarpScan<int> Scan;
  typedef cub::WarpScan<float, 16> Half;
  __shared__ typename Scan::TempStorage room[2];
  __shared__ typename Half::TempStorage half[4];
  int t = threadIdx.x, before, least, total;
  float sum;
  Scan(room[t / 32]).ExclusiveSum(in[t], before, total);
  Scan(room[t / 32]).InclusiveScan(in[t], least, cuda::minimum<>{});
  Half(half[t / 16]).InclusiveSum((float)in[t], sum);
  out[t] = before + total, out[64 + t] = least, out[128 + t] = (int)sum;
}
""",
        lambda: np.concatenate(
            [
                (np.cumsum(warps(front), axis=1) - warps(front) + warps(front).sum(axis=1, keepdims=True)).ravel(),
                np.minimum.accumulate(warps(front), axis=1).ravel(),
                np.cumsum(front.reshape(4, 16), axis=1).ravel(),
            ]
        ),
    ),
    "a merge sort": (
        r"""
#include <cub/warp/warp_load.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_store.cuh>
struct Less { __device__ bool operator()(int a, int b) const { return a < b; } };
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::WarpLoad<int, 4, cub::WARP_LOAD_TRANSPOSE> Load;
  typedef cub::WarpMergeSort<int, 4, 32> Sort;
  typedef cub::WarpStore<int, 4, cub::WARP_STORE_TRANSPOSE> Store;
  __shared__ typename Load::TempStorage load[2];
  __shared__ typename Sort::TempStorage sort[2];
  __shared__ typename Store::TempStorage store[2];
  int warp = threadIdx.x / 32, items[4];
  Load(load[warp]).Load(in + 128 * warp, items);
  Sort(sort[warp]).Sort(items, Less());
  Store(store[warp]).Store(out + 128 * warp, items);
}
""",
        lambda: in_tiles(np.sort),
    ),
    "exchange": (
        r"""
#include <cub/warp/warp_exchange.cuh>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::WarpExchange<int, 4> Exchange;
  __shared__ typename Exchange::TempStorage room[2];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, items[4];
  for (int i = 0; i < 4; ++i) items[i] = in[4 * threadIdx.x + i];
  Exchange(room[warp]).BlockedToStriped(items, items);
  for (int i = 0; i < 4; ++i) out[128 * warp + 32 * i + lane] = items[i];
}
""",
        lambda: given,
    ),
    "one thread": (
        r"""
#include <cub/thread/thread_load.cuh>
#include <cub/thread/thread_reduce.cuh>
#include <cub/thread/thread_scan.cuh>
#include <cub/thread/thread_store.cuh>
extern "C" __global__ void all(const int* in, int* out)
{
  int items[4];
  for (int i = 0; i < 4; ++i) items[i] = cub::ThreadLoad<cub::LOAD_CG>(in + 4 * threadIdx.x + i);
  cub::ThreadStore<cub::STORE_WB>(out + threadIdx.x, cub::ThreadReduce(items, cuda::std::plus<>{}));
}
""",
        lambda: given.reshape(64, 4).sum(axis=1),
    ),
}

STANDARD = {
    "type_traits, concepts, cstdint, cstddef, climits, limits": (
        r"""
#include <cuda/std/climits>
#include <cuda/std/concepts>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
template <class T>
__device__ cuda::std::enable_if_t<cuda::std::is_unsigned_v<T>, int> kind() { return 1; }
template <class T>
__device__ cuda::std::enable_if_t<cuda::std::is_floating_point_v<T>, int> kind() { return 2; }
static_assert(cuda::std::is_same_v<cuda::std::make_unsigned_t<long long>, unsigned long long>, "");
static_assert(cuda::std::is_same_v<cuda::std::common_type_t<int, double>, double>, "");
static_assert(cuda::std::is_trivially_copyable_v<int> && !cuda::std::is_convertible_v<int*, int>, "");
static_assert(cuda::std::numeric_limits<cuda::std::int16_t>::max() == SHRT_MAX, "");
static_assert(sizeof(cuda::std::int64_t) == 8 && sizeof(cuda::std::uint8_t) == 1 && sizeof(cuda::std::size_t) == 8, "");
extern "C" __global__ void all(const int* in, int* out)
{
  out[0] = kind<unsigned char>(), out[1] = kind<double>();
  out[2] = cuda::std::numeric_limits<int>::lowest();
  out[3] = cuda::std::numeric_limits<float>::infinity() > 3e38f && cuda::std::numeric_limits<double>::digits == 53;
}
""",
        lambda: [1, 2, -(2**31), 1],
    ),
    "array, span, iterator, algorithm, numeric": (
        r"""
#include <cuda/std/algorithm>
#include <cuda/std/array>
#include <cuda/std/iterator>
#include <cuda/std/numeric>
#include <cuda/std/span>
extern "C" __global__ void all(const int* in, int* out)
{
  int t = threadIdx.x;
  cuda::std::array<int, 4> four;
  cuda::std::copy(in + 4 * t, in + 4 * t + 4, four.begin());
  cuda::std::span<const int> part(in + 4 * t, 4);
  out[t] = cuda::std::accumulate(part.begin(), part.end(), 0);
  out[64 + t] = *cuda::std::max_element(four.begin(), four.end()) + (int)cuda::std::distance(part.begin(), part.end());
  out[128 + t] = cuda::std::clamp(four[1], -20, 20) + cuda::std::gcd(12, 18) + cuda::std::min({9, 7, 8});
  out[192 + t] = cuda::std::inner_product(four.begin(), four.end(), part.begin(), 0);
}
""",
        lambda: np.concatenate(
            [
                given.reshape(64, 4).sum(axis=1),
                given.reshape(64, 4).max(axis=1) + 4,
                np.clip(given[1::4], -20, 20) + 13,
                (given.reshape(64, 4) ** 2).sum(axis=1),
            ]
        ),
    ),
    "tuple, utility, optional, variant, expected, functional": (
        r"""
#include <cuda/std/expected>
#include <cuda/std/functional>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/std/variant>
__device__ cuda::std::optional<int> positive(int x) { return x > 0 ? cuda::std::optional<int>(x) : cuda::std::nullopt; }
__device__ cuda::std::expected<int, float> checked(int x)
{
  if (x < 0) return cuda::std::unexpected<float>(0.5f);
  return x;
}
extern "C" __global__ void all(const int* in, int* out)
{
  int t = threadIdx.x, x = in[t];
  auto [a, b] = cuda::std::make_tuple(x, 2 * x);
  auto pair = cuda::std::make_pair(a, b);
  cuda::std::swap(pair.first, pair.second);
  auto all = cuda::std::tuple_cat(cuda::std::make_tuple(1, 2.0), cuda::std::make_tuple(3));
  cuda::std::variant<int, float> either = x;
  if (x < 0) either = 0.25f;
  out[t] = pair.first - pair.second + cuda::std::get<2>(all);
  out[64 + t] = positive(x).value_or(-1);
  out[128 + t] = checked(x).has_value() ? *checked(x) : (int)(checked(x).error() * 4);
  out[192 + t] = cuda::std::visit([](auto v) { return (int)(v * 8); }, either);
  out[256 + t] = cuda::std::invoke(cuda::std::minus<>{}, 10, x);
}
""",
        lambda: np.concatenate(
            [front + 3, np.where(front > 0, front, -1), np.where(front < 0, 2, front), np.where(front < 0, 2, 8 * front), 10 - front]
        ),
    ),
    "complex, cmath, numbers, ratio": (
        r"""
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/numbers>
#include <cuda/std/ratio>
extern "C" __global__ void all(const int* in, int* out)
{
  int t = threadIdx.x;
  cuda::std::complex<double> z(in[t], t), w = cuda::std::exp(cuda::std::complex<double>(0, cuda::std::numbers::pi / 2)) * z;
  cuda::std::complex<float> q = cuda::std::complex<float>(3, 4) / cuda::std::complex<float>(1, 2);
  out[t] = (int)cuda::std::round(w.real()), out[64 + t] = (int)cuda::std::lround(w.imag());
  out[128 + t] = (int)(10 * cuda::std::abs(cuda::std::complex<float>(3, 4))) + (int)cuda::std::round(10 * q.imag());
  out[192 + t] = (int)(cuda::std::hypot(3.0, 4.0) + cuda::std::sqrt(16.0f) + cuda::std::pow(2.0, 5.0)) + cuda::std::isnan(NAN) +
                 (int)cuda::std::ratio_add<cuda::std::ratio<1, 2>, cuda::std::ratio<1, 3>>::num;
}
""",
        lambda: np.concatenate([-np.arange(64), front, np.full(64, 50 - 4), np.full(64, 5 + 4 + 32 + 1 + 5)]),
    ),
    "bit, bitset": (
        r"""
#include <cuda/std/bit>
#include <cuda/std/bitset>
extern "C" __global__ void all(const int* in, int* out)
{
  int t = threadIdx.x;
  unsigned int x = (unsigned int)in[t];
  cuda::std::bitset<40> bits(x);
  bits.set(39);
  out[t] = cuda::std::popcount(x) + 100 * cuda::std::countl_zero(x) + 10000 * cuda::std::countr_zero(x);
  out[64 + t] = (int)cuda::std::rotl(x, 5), out[128 + t] = cuda::std::bit_cast<int>((float)in[t]);
  out[192 + t] = (int)cuda::std::bit_ceil((unsigned int)t) + 1000 * (int)bits.count();
}
""",
        lambda: bits(),
    ),
    "atomic": (
        r"""
#include <cuda/atomic>
#include <cuda/std/atomic>
extern "C" __global__ void all(const int* in, int* out)
{
  cuda::atomic_ref<int, cuda::thread_scope_device> sum(out[0]);
  cuda::std::atomic_ref<int> least(out[1]);
  cuda::atomic_ref<int, cuda::thread_scope_block> tries(out[2]);
  sum.fetch_add(in[threadIdx.x], cuda::std::memory_order_relaxed);
  least.fetch_sub(in[threadIdx.x]);
  int old = tries.load();
  while (!tries.compare_exchange_weak(old, old + 2, cuda::std::memory_order_acq_rel)) {}
  cuda::atomic<int, cuda::thread_scope_device>* counter = reinterpret_cast<cuda::atomic<int, cuda::thread_scope_device>*>(out + 3);
  ++*counter;
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_system>(*reinterpret_cast<unsigned long long*>(out + 4)).fetch_or(1ull << threadIdx.x);
}
""",
        lambda: [front.sum(), -front.sum(), 128, 64, -1, -1],
    ),
    "mdspan": (
        r"""
#include <cuda/std/mdspan>
extern "C" __global__ void all(const int* in, int* out)
{
  cuda::std::mdspan<const int, cuda::std::extents<int, 8, 8>> from(in);
  cuda::std::mdspan<int, cuda::std::dextents<int, 2>, cuda::std::layout_left> to(out, 8, 8);
  int row = threadIdx.x / 8, column = threadIdx.x % 8;
  to(row, column) = from(row, column) + (int)from.extent(0);
}
""",
        lambda: front.reshape(8, 8).T.ravel() + 8,
    ),
    "cuda/cmath, cuda/functional": (
        r"""
#include <cuda/cmath>
#include <cuda/functional>
extern "C" __global__ void all(const int* in, int* out)
{
  int t = threadIdx.x;
  out[t] = cuda::ceil_div(t, 7) + cuda::maximum<>{}(in[t], 3);
  out[64 + t] = cuda::ilog2(t + 1) + cuda::round_up(t, 8);
}
""",
        lambda: np.concatenate(
            [-(-np.arange(64) // 7) + np.maximum(front, 3), np.log2(np.arange(1, 65)).astype(int) + -(-np.arange(64) // 8) * 8]
        ),
    ),
}

THRUST = {
    "tuple.h, pair.h, beside complex.h": (
        r"""
#include <thrust/complex.h>
#include <thrust/pair.h>
#include <thrust/tuple.h>
extern "C" __global__ void all(const int* in, int* out)
{
  int t = threadIdx.x, low, high;
  thrust::tuple<int, float, thrust::complex<float>> three = thrust::make_tuple(in[t], 0.5f, thrust::complex<float>(t, 1));
  thrust::get<0>(three) += thrust::tuple_size<decltype(three)>::value;
  thrust::pair<int, int> two = thrust::make_pair(min(in[t], 7), max(in[t], 7));
  thrust::tie(low, high) = two;
  out[t] = thrust::get<0>(three) + (int)(thrust::get<1>(three) * 4 + thrust::norm(thrust::get<2>(three)));
  out[64 + t] = 10 * two.first + high - low;
}
""",
        lambda: np.concatenate([front + 3 + 2 + np.arange(64) ** 2 + 1, 10 * np.minimum(front, 7) + abs(front - 7)]),
    ),
    "functional.h": (
        r"""
#include <thrust/functional.h>
template <class F> __device__ int folded(const int* in, int n, F f) {
  int so_far = in[0];
  for (int i = 1; i < n; ++i) so_far = f(so_far, in[i]);
  return so_far;
}
extern "C" __global__ void all(const int* in, int* out)
{
  int n = threadIdx.x + 1;
  out[4 * n - 4] = folded(in, n, thrust::plus<int>());
  out[4 * n - 3] = folded(in, n, thrust::maximum<int>()) + thrust::multiplies<int>()(n, 1);
  out[4 * n - 2] = folded(in, n, thrust::minimum<int>()) - thrust::negate<int>()(n);
  out[4 * n - 1] = folded(in, n, thrust::bit_xor<int>()) + thrust::less<int>()(in[0], n);
}
""",
        lambda: np.stack(
            [
                np.add.accumulate(front),
                np.maximum.accumulate(front) + np.arange(1, 65),
                np.minimum.accumulate(front) + np.arange(1, 65),
                np.bitwise_xor.accumulate(front) + (front[0] < np.arange(1, 65)),
            ],
            1,
        ).ravel(),
    ),
    "iterators to read": (
        r"""
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/strided_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>
struct Twice { __device__ int operator()(int x) const { return 2 * x; } };
extern "C" __global__ void all(const int* in, int* out)
{
  int t = threadIdx.x;
  thrust::counting_iterator<int> count(5);
  auto constant = thrust::make_constant_iterator(3);
  auto twice = thrust::make_transform_iterator(in, Twice());
  auto back = thrust::make_reverse_iterator(in + 64);
  auto both = thrust::make_zip_iterator(thrust::make_tuple(in, count));
  out[t] = count[t] + constant[t] * twice[t];
  out[64 + t] = back[t] + thrust::get<1>(both[t]) * thrust::get<0>(*(both + t));
  out[128 + t] = thrust::make_permutation_iterator(in, thrust::make_counting_iterator(1))[t];
  out[192 + t] = thrust::make_strided_iterator(in, 4)[t];
}
""",
        lambda: np.concatenate(
            [np.arange(64) + 5 + 6 * front, front[::-1] + (np.arange(64) + 5) * front, given[1:65], given[::4]],
        ),
    ),
    "iterators to write": (
        r"""
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_input_output_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
struct Less { __device__ int operator()(int x) const { return x - 1; } };
struct Twice { __device__ int operator()(int x) const { return 2 * x; } };
struct Put { int* to; __device__ void operator()(int at, int x) const { to[63 - at] = x; } };
extern "C" __global__ void all(const int* in, int* out)
{
  int t = threadIdx.x;
  auto less = thrust::make_transform_output_iterator(out, Less());
  less[t] = in[t];
  auto around = thrust::make_transform_input_output_iterator(out + 64, Twice(), Less());
  around[t] = in[t];
  out[128 + t] = around[t];
  auto turned = thrust::make_tabulate_output_iterator(Put{out + 192});
  turned[t] = in[t];
  auto nowhere = thrust::make_discard_iterator();
  nowhere[t] = in[t];
}
""",
        lambda: np.concatenate([front - 1, front - 1, 2 * (front - 1), front[::-1]]),
    ),
}


def bits():
    x = front.astype(np.uint32)
    words = [f"{v:032b}" for v in x]
    zeros = [(len(w) - len(w.lstrip("0")), len(w) - len(w.rstrip("0"))) for w in words]
    first = [w.count("1") + 100 * left + 10000 * right for w, (left, right) in zip(words, zeros, strict=True)]
    ceils = [1 << max(t - 1, 0).bit_length() if t > 1 else 1 for t in range(64)]
    counts = [w.count("1") + 1 for w in words]
    return np.concatenate(
        [
            first,
            (x << np.uint32(5) | x >> np.uint32(27)).view(np.int32),
            front.astype(np.float32).view(np.int32),
            np.array(ceils) + 1000 * np.array(counts),
        ]
    )


CASES = [(f"{of}: {name}", *case) for of, cases in (("block", BLOCKS), ("warp", WARPS), ("std", STANDARD), ("thrust", THRUST)) for name, case in cases.items()]


@pytest.mark.parametrize(("name", "text", "expected"), CASES, ids=[case[0] for case in CASES])
def test_headers(device, name, text, expected):
    wanted = np.asarray(expected())
    out = qn.zeros(wanted.size, "int32")
    block = (8, 4, 2) if "in three dimensions" in name else (THREADS,)
    qn.RawKernel(text, "all")((1,), block, (qn.asarray(given), out))
    np.testing.assert_array_equal(qn.asnumpy(out), wanted)
