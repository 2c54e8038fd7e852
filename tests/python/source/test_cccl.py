"""CUB's functions of blocks and warps and cuda/std in kernel sources, in programs as they are written; test_cccl_headers.py has each header."""

import numpy as np
import pytest
import quern as qn
from quern.pycuda import driver as drv
from quern.pycuda.compiler import SourceModule

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


def run(text, threads, size):
    """The numbers of a kernel, and those it was given."""
    given = np.random.default_rng(2).integers(-100, 100, 128).astype(np.int32)
    out = qn.zeros(size, "int32")
    qn.RawKernel(text, "all")((1,), (threads,), (qn.asarray(given), out))
    return qn.asnumpy(out), given


def test_blocks_and_warps(device):
    out, x = run(REDUCE, 128, 384)
    assert out[0] == x.sum()
    np.testing.assert_array_equal(out[128:256], np.cumsum(x) - x)
    np.testing.assert_array_equal(out[256:], np.cumsum(x.reshape(4, 32), axis=1).ravel())


def test_sorting(device):
    out, x = run(SORT, 32, 128)
    np.testing.assert_array_equal(out, np.sort(x))


def test_the_standard_library(device):
    out, x = run(STANDARD, 32, 5)
    assert out.tolist() == [x[:3].sum(), 4, 12, 2**31 - 1, 496]


def test_complex_numbers_of_thrust(device):
    text = r"""
#include <thrust/complex.h>
extern "C" __global__ void all(const int*, int* out) { thrust::complex<double> z(1, 2); out[0] = (int)(z * z).imag() + (int)thrust::abs(thrust::complex<float>(3, 4)); }
"""
    out = qn.zeros(1, "int32")
    qn.RawKernel(text, "all")((1,), (1,), (qn.zeros(1, "int32"), out))
    assert out[0] == 9


BESIDE = r"""
#include <time.h>
#include <limits>
#include <type_traits>
#include <cuda_fp16.h>
#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>
#include <cuda/std/cstdint>
#include <thrust/complex.h>
#include <cmath>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::BlockReduce<uint64_t, 128> Reduce;
  __shared__ typename Reduce::TempStorage room;
  uint64_t sum = Reduce(room).Sum((uint64_t)(in[threadIdx.x] + 100) << 33);
  if (threadIdx.x == 0) out[0] = (int)(sum >> 33) + (int)std::sqrt(16.0f);
}
"""
IN_A_MODULE = r"""
#include <cub/block/block_reduce.cuh>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::BlockReduce<int, 128> Reduce;
  __shared__ typename Reduce::TempStorage room;
  int64_t sum = Reduce(room).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0) out[0] = (int)sum;
}
"""


def test_beside_other_headers(device):
    out, x = run(BESIDE, 128, 1)
    assert out[0] == (x + 100).sum() + 4


# CCCL itself defines int64_t as a long long for NVRTC, which is a long in stdint.h.
@pytest.mark.parametrize("before", ["#include <stdint.h>", "#include <cstdint>", "typedef long int64_t;", ""])
def test_beside_integers_that_are_longs(device, before):
    text = before + BESIDE + "static_assert(std::is_same<int64_t, cuda::std::int64_t>::value && sizeof(int_fast16_t) == 8, \"\");\n"
    out, x = run(text + "static_assert(std::is_same<int64_t, long>::value, \"\");\n", 128, 1)
    assert out[0] == (x + 100).sum() + 4


def test_in_a_source_module(device):
    kernel = SourceModule(IN_A_MODULE, no_extern_c=True).get_function("all")
    x, out = np.arange(128, dtype=np.int32), np.zeros(1, np.int32)
    kernel(drv.In(x), drv.Out(out), block=(128, 1, 1))
    assert out[0] == x.sum()


@pytest.mark.parametrize("order", [1, -1])
def test_beside_limits_and_times(device, order):
    names = ["time.h", "limits.h", "float.h", "cuda/std/ctime", "cuda/std/climits", "cuda/std/cfloat", "cuda/std/limits"]
    text = r"""
// nvrtc: -include=time.h -include=limits.h -include=float.h -include=cuda/std/ctime -include=cuda/std/limits
extern "C" __global__ void all(const int* in, int* out)
{
  timespec spent;
  spent.tv_nsec = LONG_MAX;
  bool right = INT_MIN == -2147483647 - 1 && FLT_MAX == cuda::std::numeric_limits<float>::max() && cuda::std::time(nullptr) > 0;
  if (threadIdx.x == 0) out[0] = right && spent.tv_nsec == LLONG_MAX && clock() != 0 ? in[1] : -1;
}
"""
    out, x = run("".join(f"#include <{name}>\n" for name in names[::order]) + text, 128, 1)
    assert out[0] == x[1]


def test_assertions_of_the_headers(device):
    text = r"""
#define CCCL_ENABLE_DEVICE_ASSERTIONS
#include <cub/block/block_reduce.cuh>
#include <cuda/std/optional>
extern "C" __global__ void all(const int* in, int* out)
{
  typedef cub::BlockReduce<int, 128> Reduce;
  __shared__ typename Reduce::TempStorage room;
  int sum = Reduce(room).Sum(in[threadIdx.x]);
  cuda::std::optional<int> some(sum);
  if (threadIdx.x == 0) out[0] = *some;
}
"""
    out, x = run(text, 128, 1)
    assert out[0] == x.sum()


@pytest.mark.parametrize("header", ["cub/device/device_reduce.cuh", "cub/grid/grid_queue.cuh", "cuda/pipeline", "thrust/sort.h"])
def test_what_is_not_there_says_so(device, header):
    text = f"#include <{header}>\n" + 'extern "C" __global__ void all(int* out) { out[0] = 1; }'
    with pytest.raises(qn.CompileError, match=f"(?s){header}.*not|not supported in kernel source|cannot open.*{header}"):
        qn.RawKernel(text, "all").compile()


def test_barriers_of_the_standard_library(device):
    kernel = qn.RawKernel("#include <cuda/barrier>\n" + 'extern "C" __global__ void all(int* out) { out[0] = 1; }', "all")
    if device.kind != "cpu":
        kernel.compile()
        return
    with pytest.raises(qn.CompileError, match="cuda/barrier.*not available.*__syncthreads"):
        kernel.compile()


def test_what_is_for_whole_arrays_is_refused(device):
    text = '#include <cub/cub.cuh>\nextern "C" __global__ void f(int* o) { cub::DeviceReduce::Sum(o); }  // nvrtc: skip'
    said = "'DeviceReduce' is not available here: .*sum, cumsum, sort" if device.kind == "cpu" else "DeviceReduce"
    with pytest.raises(qn.CompileError, match=said):
        qn.RawKernel(text, "f").compile()
