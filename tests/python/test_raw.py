"""RawKernel and RawModule, in CuPy's way."""

import io

import numpy as np
import pytest
import quern
from quern.pycuda import driver as drv

AXPY = r"""
extern "C" __global__ void axpy(double a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += (float)a * x[i];
}
"""


def test_call(device):
    axpy = quern.RawKernel(AXPY, "axpy")
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    dx, dy = drv.to_device(x), drv.to_device(y)
    axpy((4,), (256,), (2.0, dx, dy, 1000))
    axpy((4, 1, 1), (256,), [np.float64(1), int(dx), dy, np.int32(1000)])
    assert np.array_equal(drv.from_device_like(dy, y), 1 + 3 * x)


def test_cuda_array_interface(device):
    x = np.arange(8, dtype=np.float32)
    dx = drv.to_device(x)

    class Array:
        __cuda_array_interface__ = {"shape": (8,), "typestr": "<f4", "data": (int(dx), False), "version": 3}

    quern.RawKernel(AXPY, "axpy")((1,), (32,), (1.0, Array(), Array(), 8))
    assert np.array_equal(drv.from_device_like(dx, x), 2 * x)


def test_templates_by_name_expression(device):
    code = "template <class T, int N> __global__ void fill(T* o) { if (threadIdx.x < N) o[threadIdx.x] = T(N); }"
    module = quern.RawModule(code=code, name_expressions=["fill<float, 3>", "fill<long long, 5>"], options=("-std=c++17",))
    for name, dtype, n in (("fill<float, 3>", np.float32, 3), ("fill<long long, 5>", np.int64, 5)):
        d = drv.to_device(np.zeros(8, dtype))
        module.get_function(name)((1,), (32,), (d,))
        assert drv.from_device(d, 8, dtype).tolist() == [n] * n + [0] * (8 - n)
    d = drv.to_device(np.zeros(2, np.float64))
    quern.RawKernel(code, "fill<double, 2>")((1,), (32,), (d,))
    assert drv.from_device(d, 2, np.float64).tolist() == [2, 2]


def test_options_reach_the_compiler(device):
    f = quern.RawKernel('extern "C" __global__ void f(int* o) { o[0] = N; }', "f", options=("-DN=42",))
    d = drv.mem_alloc(4)
    f((1,), (1,), (d,))
    assert drv.from_device(d, 1, np.int32)[0] == 42


def test_include_folders(device, tmp_path):
    header = tmp_path / "mine.h"
    for value in (7, 8):  # a changed header is compiled again
        header.write_text(f"#define MINE {value}{'0' * value}\n")
        f = quern.RawKernel('#include "mine.h"\nextern "C" __global__ void f(int* o) { o[0] = MINE; }', "f", options=(f"-I{tmp_path}",))
        d = drv.mem_alloc(4)
        f((1,), (1,), (d,))
        assert drv.from_device(d, 1, np.int32)[0] == int(f"{value}{'0' * value}")


def test_shared_memory_and_stream(device):
    f = quern.RawKernel(
        'extern "C" __global__ void f(int* o) { extern __shared__ int s[]; s[threadIdx.x] = threadIdx.x;'
        " __syncthreads(); o[threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x]; }",
        "f",
    )
    d, stream = drv.mem_alloc(256), drv.Stream()
    f((1,), (64,), (d,), shared_mem=256, stream=stream)
    stream.synchronize()
    assert drv.from_device(d, 64, np.int32).tolist() == [*range(1, 64), 0]


def test_attributes(device):
    f = quern.RawKernel(
        'extern "C" __global__ void f(int* o) { __shared__ int s[100]; s[threadIdx.x] = 1; __syncthreads(); o[0] = s[3]; }', "f"
    )
    assert f.attributes["shared_size_bytes"] == f.shared_size_bytes == 400
    assert f.max_threads_per_block == 1024 and f.num_regs >= 0 and f.local_size_bytes >= 0 and f.const_size_bytes >= 0
    assert f.name == "f" and f.backend == "nvrtc" and f.options == ()
    assert f.max_dynamic_shared_size_bytes > 48 * 1024
    with pytest.raises(ValueError):
        f.max_dynamic_shared_size_bytes = 1 << 30


def test_errors(device):
    with pytest.raises(quern.LogicError, match="it has: axpy"):
        quern.RawKernel(AXPY, "axpi").compile()
    with pytest.raises(quern.CompileError):
        quern.RawKernel("extern C what", "f").compile()
    with pytest.raises(TypeError):
        quern.RawModule()
    axpy = quern.RawKernel(AXPY, "axpy")
    for wrong in ((1,), ((1,), (1,)), ((1,), (1,), (), ())):
        with pytest.raises(TypeError):
            axpy(*wrong)
    with pytest.raises(TypeError, match="argument 2"):
        axpy((1,), (1,), (1.0, "x", "y", 1))
    with pytest.raises(TypeError, match="4 arguments"):
        axpy((1,), (1,), (1.0,))


def test_compile_writes_warnings(device):
    out = io.StringIO()
    quern.RawKernel('extern "C" __global__ void f(int* o) { int unused_value = 3; o[0] = 1; }', "f").compile(log_stream=out)
    assert isinstance(out.getvalue(), str)


def test_global(device):
    module = quern.RawModule(code="__device__ int g[3] = {1, 2, 3};")
    address, size = module.get_global("g")
    assert size == 12 and drv.from_device(address, 3, np.int32).tolist() == [1, 2, 3]


def test_addresses_of_kernels_stay_with_their_device(device):
    axpy = quern.RawKernel(AXPY, "axpy")
    y = drv.to_device(np.zeros(4, np.float32))
    axpy((1,), (4,), (1.0, y, y, 4))
    assert axpy.kernel.info()["name"] == "axpy"
