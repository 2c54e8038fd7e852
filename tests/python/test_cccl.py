"""CUB's functions of blocks and warps and cuda/std in kernels' texts: on GPUs they are there, on the CPU one clear error says that they are not."""

import numpy as np
import pytest
import quern as qn

REDUCE = r"""
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_scan.cuh>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::BlockReduce<int, 128> Reduce;
  typedef cub::BlockScan<int, 128> Scan;
  typedef cub::WarpScan<int> WarpScan;
  __shared__ union { typename Reduce::TempStorage reduce; typename Scan::TempStorage scan; typename WarpScan::TempStorage warps[4]; } room;
  int t = threadIdx.x, x = in[t], before, inside;
  int sum = Reduce(room.reduce).Sum(x);
  __syncthreads();
  Scan(room.scan).ExclusiveSum(x, before);
  __syncthreads();
  WarpScan(room.warps[t / 32]).InclusiveSum(x, inside);
  if (t == 0) out[0] = sum;
  out[128 + t] = before;
  out[256 + t] = inside;
}
"""
SORT = r"""
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_store.cuh>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::BlockRadixSort<int, 32, 4> Sort;
  __shared__ typename Sort::TempStorage room;
  int keys[4];
  cub::LoadDirectBlocked(threadIdx.x, in, keys);
  Sort(room).Sort(keys);
  cub::StoreDirectBlocked(threadIdx.x, out, keys);
}
"""
STANDARD = r"""
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
extern "C" __global__ void all(const int* in, int* out)
{
  cuda::std::array<int, 3> three{in[0], in[1], in[2]};
  cuda::std::complex<float> z(1, 2);
  cuda::std::optional<int> some = 5;
  auto pair = cuda::std::make_tuple(7, 2.5f);
  static_assert(cuda::std::is_same<decltype(z.real()), float>::value, "");
  cuda::atomic_ref<int, cuda::thread_scope_device>(out[4]).fetch_add(threadIdx.x);
  if (threadIdx.x != 0) return;
  out[0] = three[0] + three[1] + three[2];
  out[1] = (int)(z * z).imag();
  out[2] = *some + cuda::std::get<0>(pair);
  out[3] = cuda::std::numeric_limits<int>::max();
}
"""


def run(device, text, threads, size):
    """The numbers of a kernel, and those it was given; None where its headers are not there."""
    given = np.random.default_rng(2).integers(-100, 100, 128).astype(np.int32)
    out = qn.zeros(size, "int32")
    kernel = qn.RawKernel(text, "all")
    if device.kind == "cpu":
        with pytest.raises(qn.CompileError, match=r"(cub|cuda)/.*(not|GPU)"):
            kernel.compile()
        return None
    kernel((1,), (threads,), (qn.asarray(given), out))
    return qn.asnumpy(out), given


def test_blocks_and_warps(device):
    found = run(device, REDUCE, 128, 384)
    if found is None:
        return
    out, x = found
    assert out[0] == x.sum()
    np.testing.assert_array_equal(out[128:256], np.cumsum(x) - x)
    np.testing.assert_array_equal(out[256:], np.cumsum(x.reshape(4, 32), axis=1).ravel())


def test_sorting(device):
    found = run(device, SORT, 32, 128)
    if found is not None:
        np.testing.assert_array_equal(found[0], np.sort(found[1]))


def test_the_standard_library(device):
    found = run(device, STANDARD, 32, 5)
    if found is not None:
        out, x = found
        assert out.tolist() == [x[:3].sum(), 4, 12, 2**31 - 1, 496]


def test_complex_numbers_of_thrust(device):
    text = r"""
#include <thrust/complex.h>
extern "C" __global__ void all(const int*, int* out) { thrust::complex<double> z(1, 2); out[0] = (int)(z * z).imag() + (int)thrust::abs(thrust::complex<float>(3, 4)); }
"""
    out = qn.zeros(1, "int32")
    qn.RawKernel(text, "all")((1,), (1,), (qn.zeros(1, "int32"), out))
    assert out[0] == 9
