"""What the pages of CuPy's user guide show, page by page, as programs of our own: each checks its answer.

Fourier transforms and other libraries are in test_cupy_documentation_libraries.py; the programs of the reference, of docstrings and of
CuPy's folder of examples in test_cupy_documentation_examples.py.
"""

import itertools
import os
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest
import quern
from quern import cupy as cp
from quern import cupyx
from quern.cupyx import jit
from quern.device import set_current_device


def close(ours, theirs, rtol=1e-6):
    assert isinstance(ours, cp.ndarray)
    np.testing.assert_allclose(cp.asnumpy(ours), theirs, rtol=rtol, atol=rtol)


# ---- basics


def test_arrays_and_where_they_are(device):
    x = cp.array([2, -3, 6])
    assert float(cp.linalg.norm(x)) == float(np.linalg.norm(np.array([2, -3, 6]))) == 7
    here = x.device
    assert here == cp.cuda.Device(here.id) and repr(here) == f"<CUDA Device {here.id}>"
    here.use()
    with cp.cuda.Device(here.id):
        y = cp.asarray(np.arange(3.0))
        uninitialized = cp.ndarray([4, 2])
    assert y.device == here and uninitialized.shape == (4, 2)
    assert cp.asarray(y) is y and cp.array(y) is not y and cp.array(y, copy=False) is y
    for host in (cp.asnumpy(y), y.get(), cp.asnumpy([0.0, 1, 2])):
        assert type(host) is np.ndarray and host.tolist() == [0, 1, 2]


def test_arrays_of_several_devices(device):
    count = cp.cuda.runtime.getDeviceCount()
    x = cp.arange(4) * 3
    for number in range(count):
        with cp.cuda.Device(number):
            there = cp.asarray(x)
            assert there.device == cp.cuda.Device(number)
            assert (there + 1).get().tolist() == [1, 4, 7, 10]
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="there is no device"), cp.cuda.Device(count):
        cp.zeros(3)


def test_functions_for_both(device, capsys):
    def log_cosh(x):
        xp = cp.get_array_module(x)
        print("with", xp.__name__)
        x = xp.abs(x)
        return x + xp.log1p(xp.exp(-2 * x)) - np.log(2)

    host = np.linspace(-4, 4, 9)
    wanted = log_cosh(host)
    assert type(wanted) is np.ndarray
    close(log_cosh(cp.asarray(host)), wanted)
    assert capsys.readouterr().out == "with numpy\nwith cupy\n"
    assert cp.get_array_module(host) is np and cp.get_array_module(host, cp.asarray(host)) is cp

    there, more = cp.asarray(host), host**2
    with pytest.raises(TypeError, match="cupy.asarray"):
        there + more
    np.testing.assert_array_equal(cp.asnumpy(there) + more, host + more)
    np.testing.assert_array_equal(cp.asnumpy(there) + cp.asnumpy(more), host + more)
    close(there + cp.asarray(more), host + more)
    close(cp.asarray(there) + cp.asarray(more), host + more)


# ---- own kernels


def test_elementwise_kernels(device):
    quarter = cp.ElementwiseKernel("float32 low, float32 high", "float32 at", "at = low + (high - low) / 4", "quarter")
    low, high = cp.arange(6, dtype=np.float32).reshape(3, 2), cp.full(2, 8, dtype=np.float32)
    wanted = (np.arange(6).reshape(3, 2) * 0.75 + 2).astype(np.float32)
    close(quarter(low, high), wanted)
    assert repr(quarter(low, high)) == repr(wanted)
    close(quarter(low, 8), wanted)
    close(quarter(0, high), np.full(2, 2.0))
    out = cp.empty((3, 2), dtype=np.float32)
    assert quarter(low, high, out) is out
    close(out, wanted)


def test_kernels_of_any_type(device):
    one_line = cp.ElementwiseKernel("T x, T y", "T z", "z = x * y - x - y", "one_line")
    lines = cp.ElementwiseKernel(
        "T x, T y",
        "T z",
        """
            T product = x * y;
            z = product - x - y;
        """,
        "lines",
    )
    for kernel, dtype in itertools.product((one_line, lines), (np.float32, np.float64, np.int32)):
        x = cp.arange(8, dtype=dtype)
        out = kernel(x, x[::-1])
        assert out.dtype == dtype
        close(out, np.arange(8) * np.arange(8)[::-1] - 7)
    with pytest.raises(TypeError, match="mismatched"):
        lines(cp.arange(3, dtype="f4"), cp.arange(3, dtype="f8"))
    of_three_types = cp.ElementwiseKernel("X x, Y y", "Z z", "z = x * y + 1", "of_three_types")
    close(of_three_types(cp.arange(4, dtype="i4"), cp.full(4, 0.5), cp.empty(4, "f4")), np.arange(4) * 0.5 + 1)
    with pytest.raises(TypeError, match="the type 'Z'"):
        of_three_types(cp.arange(4, dtype="i4"), cp.ones(4))


def test_raw_arguments(device):
    mirrored = cp.ElementwiseKernel("T x, raw T other", "T z", "z = x - 2 * other[_ind.size() - 1 - i]", "mirrored")
    x = np.arange(12.0)
    for other in (x * 3, np.arange(24.0)[::2], np.arange(12.0).reshape(3, 4).T):  # of any shape and steps
        close(mirrored(cp.asarray(x), cp.asarray(other)), x - 2 * other.ravel()[::-1])
    around = cp.ElementwiseKernel("raw T x, int64 count", "T z", "z = x[(i + 1) % count] - x[(i + count - 1) % count]", "around")
    close(around(cp.asarray(x), 12, size=12), np.roll(x, -1) - np.roll(x, 1))
    with pytest.raises(ValueError, match="size"):
        cp.ElementwiseKernel("raw T x", "raw T z", "z[i] = x[i]", "no_size")(cp.asarray(x), cp.empty(12))


def test_reduction_kernels(device):
    geometric_mean = cp.ReductionKernel(
        "T x",
        "T y",
        "log(x)",
        "a + b",
        "y = exp(a * _out_ind.size() / _in_ind.size())",
        "0",
        "geometric_mean",
    )
    x = cp.arange(1, 13, dtype=np.float32).reshape(3, 4)
    host = np.log(np.arange(1.0, 13).reshape(3, 4))
    close(geometric_mean(x, axis=1), np.exp(host.mean(1)), 1e-5)
    close(geometric_mean(x), np.exp(host.mean()), 1e-5)
    close(geometric_mean(x, axis=0, keepdims=True), np.exp(host.mean(0, keepdims=True)), 1e-5)


def test_raw_kernels(device, capfd):
    hypotenuse = cp.RawKernel(
        r"""
        extern "C" __global__
        void hypotenuse(const float* a, const float* b, float* c) {
            int at = blockIdx.x * blockDim.x + threadIdx.x;
            c[at] = sqrtf(a[at] * a[at] + b[at] * b[at]);
        }
        """,
        "hypotenuse",
    )
    a = cp.arange(12, dtype=cp.float32).reshape(4, 3)
    c = cp.zeros((4, 3), dtype=cp.float32)
    hypotenuse((4,), (3,), (a, 2 * a, c))
    wanted = np.arange(12).reshape(4, 3) * np.sqrt(5)
    close(c, wanted)
    hypotenuse((4,), (3,), (a.T, 2 * a, c))  # of a view it takes the memory
    close(c, wanted)
    attributes = hypotenuse.attributes
    assert attributes["max_threads_per_block"] > 0 and attributes["num_regs"] == hypotenuse.num_regs
    hypotenuse.max_dynamic_shared_size_bytes = 20000
    hypotenuse.preferred_shared_memory_carveout = 50
    assert hypotenuse.max_dynamic_shared_size_bytes == 20000 == hypotenuse.attributes["max_dynamic_shared_size_bytes"]

    printing = cp.RawKernel('extern "C" __global__ void told(int n) { printf("thread %d of %d\\n", threadIdx.x, n); }', "told")
    printing((1,), (2,), (2,))
    cp.cuda.Stream.null.synchronize()
    assert sorted(capfd.readouterr().out.split("\n")) == ["", "thread 0 of 2", "thread 1 of 2"]


def test_raw_kernels_of_complex_numbers(device):
    turned = cp.RawKernel(
        r"""
        #include <cupy/complex.cuh>
        extern "C" __global__
        void turned(const complex<float>* x, complex<float>* y, complex<float> by, float more) {
            int i = blockDim.x * blockIdx.x + threadIdx.x;
            y[i] = by * x[i] + more * conj(x[i]) + complex<float>(i, 0);
        }
        """,
        "turned",
    )
    x = cp.arange(25, dtype=cp.complex64) * np.complex64(1 + 2j)
    y = cp.zeros(25, dtype=cp.complex64)
    turned((5,), (5,), (x, y, np.complex64(1j), cp.float32(3)))
    close(y, 1j * x.get() + 3 * x.get().conj() + np.arange(25))

    of_cuda = cp.RawKernel(
        r"""
        #include <cuComplex.h>
        extern "C" __global__ void squared(const cuDoubleComplex* x, cuDoubleComplex* y) {
            int i = threadIdx.x;
            y[i] = cuCadd(cuCmul(x[i], x[i]), make_cuDoubleComplex(0, i));
        }
        """,
        "squared",
        translate_cucomplex=True,
    )
    x, y = cp.arange(7) + 2j, cp.zeros(7, dtype=cp.complex128)
    of_cuda((1,), (7,), (x, y))
    close(y, x.get() ** 2 + 1j * np.arange(7))


def test_headers_of_the_standard_library(device):
    kernel = cp.RawKernel(
        r"""
        #include <type_traits>
        template <class T> __device__ int bits() { return std::is_floating_point<T>::value ? -1 : int(8 * sizeof(T)); }
        extern "C" __global__ void told(int* out) { out[0] = bits<short>(); out[1] = bits<double>(); }
        """,
        "told",
        jitify=True,
    )
    out = cp.zeros(2, dtype=cp.int32)
    kernel((1,), (1,), (out,))
    assert out.tolist() == [16, -1]


def test_kernels_launch_no_kernels(device):
    kernel = cp.RawKernel(
        'extern "C" __global__ void inner(int* x) { x[threadIdx.x] = 1; } extern "C" __global__ void outer(int* x) { inner<<<1, 4>>>(x); }',
        "outer",
        options=("-dc",),
    )
    with pytest.raises(quern.CompileError, match="kernels cannot launch kernels .*: launch .* from the host"):
        kernel((1,), (1,), (cp.zeros(4, cp.int32),))


def test_values_as_arguments(device):
    kinds = "bool signed_char short int long_long unsigned_char unsigned_short unsigned unsigned_long_long half float double".split()
    numbers = [np.bool_(True), np.int8(-3), np.int16(-300), np.int32(-70000), np.int64(-(2**40)), np.uint8(200), np.uint16(60000)]
    numbers += [np.uint32(2**32 - 1), np.uint64(2**63), np.float16(1.5), np.float32(0.25), np.float64(1e100)]
    parameters = ", ".join(f"{kind.replace('_', ' ')} x{n}" for n, kind in enumerate(kinds))
    stores = " ".join(f"out[{n}] = {'(float)' if kind == 'half' else ''}x{n};" for n, kind in enumerate(kinds))
    code = f'#include <cuda_fp16.h>\nextern "C" __global__ void taken({parameters}, double* out) {{ {stores} }}'
    out = cp.zeros(len(kinds))
    cp.RawKernel(code, "taken")((1,), (1,), (*numbers, out))
    assert out.tolist() == [float(x) for x in numbers]
    cp.RawKernel(code, "taken")((1,), (1,), (*(np.array([x]) for x in numbers), out))  # arrays of NumPy's of one element
    assert out.tolist() == [float(x) for x in numbers]

    code = r"""
    #include <cupy/complex.cuh>
    extern "C" __global__ void taken(long long i, double x, complex<double> z, bool b, complex<float> w, double* out) {
        out[0] = i; out[1] = x; out[2] = z.real(); out[3] = z.imag(); out[4] = b; out[5] = w.imag();
    }"""
    out = cp.zeros(6)
    cp.RawKernel(code, "taken")((1,), (1,), (-5, 0.1, 3 - 4j, True, np.complex64(2j), out))
    assert out.tolist() == [-5, 0.1, 3, -4, 1, 2]


def test_structures_as_arguments(device):
    short4 = np.dtype({"names": ["x", "y", "z", "w"], "formats": [np.int16] * 4})
    given = np.array([1, -2, 3, -4], np.int16).view(short4)
    given["y"] = 20
    out = cp.zeros(4, dtype=cp.int16)
    code = 'extern "C" __global__ void taken(short4 v, short* out) { out[0] = v.x; out[1] = v.y; out[2] = v.z; out[3] = v.w; }'
    cp.RawKernel(code, "taken")((1,), (1,), (given, out))
    assert out.tolist() == [1, 20, 3, -4]

    table = np.dtype({"names": ["values"], "formats": [(np.float64, (3, 4))]})
    given = np.arange(12.0).view(table)
    assert given.itemsize == 96 and given.shape == (1,)
    out = cp.zeros((4, 3))
    code = r"""
    struct Table { double values[3][4]; };
    extern "C" __global__ void turned(Table t, double* out) {
      int i = threadIdx.x;
      out[i] = t.values[i % 3][i / 3];
    }
    """
    cp.RawKernel(code, "turned")((1,), (12,), (given, out))
    close(out, np.arange(12.0).reshape(3, 4).T)


def test_structures_of_a_kernel(device):
    code = r"""
    template <class T> struct Planes { T* first; T* second; };
    template <class T> __global__ void filled(Planes<T> planes, T value, int n) {
      int i = blockDim.x * blockIdx.x + threadIdx.x;
      if (i < n) { planes.first[i] = value; planes.second[i] = -value; }
    }
    struct Pair { float3 a; double b; };
    __global__ void taken(Pair pair, double* out) { out[0] = pair.a.x + pair.a.y + pair.a.z + pair.b; }
    """
    module = cp.RawModule(code=code, options=("-std=c++17",), name_expressions=["filled<double>", "taken"])
    x, y = cp.zeros(10), cp.zeros(10)
    planes = np.zeros(1, np.dtype([("first", "u8"), ("second", "u8")]))
    planes["first"], planes["second"] = x.data.ptr, y.data.ptr
    module.get_function("filled<double>")((1,), (16,), (planes[0], 2.5, np.int32(10)))
    close(x, np.full(10, 2.5))
    close(y, np.full(10, -2.5))
    pair = np.zeros((), np.dtype({"names": ["a", "b"], "formats": [("f4", 3), "f8"], "offsets": [0, 16], "itemsize": 24}))
    pair["a"], pair["b"] = (1, 2, 3), 4
    out = cp.zeros(1)
    module.get_function("taken")((1,), (1,), (pair, out))
    assert float(out[0]) == 10


def test_raw_modules(device):
    module = cp.RawModule(
        code=r"""
        extern "C" {
        __constant__ float weights[3];
        __device__ int calls;
        __global__ void summed(const float* x1, const float* x2, float* y, \
                               unsigned int n) {
          unsigned int t = blockDim.x * blockIdx.x + threadIdx.x;
          if (t < n) y[t] = x1[t] * weights[0] + x2[t] * weights[1] + weights[2];
          if (t == 0) atomicAdd(&calls, 1);
        }
        __global__ void larger(const float* x1, const float* x2, float* y, unsigned int n) {
          unsigned int t = blockDim.x * blockIdx.x + threadIdx.x;
          if (t < n) y[t] = fmaxf(x1[t], x2[t]);
        }
        }"""
    )
    n = 100
    x1, x2 = cp.arange(n, dtype=cp.float32), cp.full(n, 40, dtype=cp.float32)
    y = cp.zeros(n, dtype=cp.float32)
    weights = cp.ndarray((3,), cp.float32, module.get_global("weights"))
    weights[...] = cp.array([2, 0.5, 4], cp.float32)
    summed, larger = module.get_function("summed"), module.get_function("larger")
    summed((4,), (32,), (x1, x2, y, n))
    assert cp.allclose(y, x1 * 2 + 24)
    larger((4,), (32,), (x1, x2, y, n))
    assert cp.allclose(y, cp.maximum(x1, 40))
    assert int(cp.ndarray((), cp.int32, module.get_global("calls"))) == 1


def test_raw_modules_of_templates(device):
    code = r"""
    template <typename T, int power>
    __global__ void raised(T* x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        T made = 1;
        for (int k = 0; k < power; ++k) made *= x[i < n ? i : 0];
        if (i < n) x[i] = made;
    }
    """
    for option in ("-std=c++11", "--std=c++17"):
        names = ["raised<float, 2>", "raised<double, 3>", "raised<int, 4>"]
        module = cp.RawModule(code=code, options=(option,), name_expressions=names)
        for name, dtype, power in zip(names, (cp.float32, cp.float64, cp.int32), (2, 3, 4), strict=True):
            x = cp.arange(10, dtype=dtype)
            module.get_function(name)((2,), (5,), (x, 10))
            assert x.dtype == dtype and x.tolist() == [n**power for n in range(10)]
    with pytest.raises(quern.LogicError, match="raised"):
        module.get_function("raised<short, 2>")


def test_texture_memory(device):
    source = r"""
    extern "C" __global__ void looked_up(float* out, cudaTextureObject_t texture, int width, int height) {
      unsigned int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
      if (x < width && y < height) out[y * width + x] = tex2D<float>(texture, (float)x / width, (float)y / height);
    }"""
    from quern.cupy.cuda import runtime, texture

    width, height = 8, 16
    channel = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    memory = texture.CUDAarray(channel, width, height)
    picture = np.random.default_rng(0).random((height, width), np.float32)
    memory.copy_from(cp.asarray(picture))
    resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=memory)
    wrap = (runtime.cudaAddressModeClamp,) * 2
    description = texture.TextureDescriptor(wrap, runtime.cudaFilterModePoint, runtime.cudaReadModeElementType, normalizedCoords=1)
    out = cp.zeros((height, width), np.float32)
    cp.RawKernel(source, "looked_up")((1, 1), (width, height), (out, texture.TextureObject(resource, description), width, height))
    close(out, picture)

    line = texture.CUDAarray(channel, 8)
    line.copy_from(cp.arange(8, dtype=np.float32) ** 2)
    resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=line)
    description = texture.TextureDescriptor(wrap[:1], runtime.cudaFilterModePoint, runtime.cudaReadModeElementType)
    squares = texture.TextureObject(resource, description)
    by_place = cp.ElementwiseKernel("T x, U table", "T y", "U from = table; y = x + tex1D<T>(from, i)", "by_place")
    close(by_place(cp.ones(8, np.float32), squares), np.arange(8) ** 2 + 1)
    by_value = cp.ElementwiseKernel("float32 x, U table", "float32 y", "y = tex1D<float>(table, x)", "by_value")
    found = by_value(cp.array([[3, 0], [7, 20]], np.float32), texture.TextureObject(resource, description))
    close(found, [[9, 0], [49, 49]])
    all_raw = cp.ElementwiseKernel("U table, raw T x", "raw T y", "y[i] = tex1D<T>(table, i) - x[i]", "all_raw")
    close(all_raw(squares, cp.ones(8, np.float32), cp.zeros(8, np.float32), size=8), np.arange(8) ** 2 - 1)
    with pytest.raises(TypeError, match="texture"):
        cp.ReductionKernel("T x, U table", "T y", "x", "a + b", "y = a", "0", "summed")(cp.ones(3), squares)


def test_functions_that_are_fused(device):
    @cp.fuse()
    def relative(x, y):
        return (x - y) / (x * x + y + 1)

    x, y = np.arange(9.0), np.arange(9.0)[::-1] ** 2
    wanted = (x - y) / (x * x + y + 1)
    close(relative(cp.asarray(x), cp.asarray(y)), wanted)
    assert type(relative(x, y)) is np.ndarray
    np.testing.assert_allclose(relative(x, y), wanted)
    assert relative(3.0, 1.0) == 2 / 11

    @cp.fuse()
    def mean_of_squares(x, y):
        return cp.sum((x - y) ** 2, axis=-1) / 4

    close(mean_of_squares(cp.asarray(x), cp.asarray(y)), ((x - y) ** 2).sum() / 4)

    @cp.fuse(kernel_name="told_as_this")
    def named(x, y):
        return x * y - 1

    close(named(cp.asarray(x), cp.asarray(y)), x * y - 1)


# A kernel in Python whose pieces the page writes: its own place and step, a type for what is summed.
@jit.rawkernel()
def running_squares(x, y, size):
    place = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    step = jit.gridDim.x * jit.blockDim.x
    for i in range(place, size, step):
        y[i] = x[i] * x[i]


def test_kernels_in_python(device):
    size = cp.uint32(5000)
    x = cp.random.normal(size=(size,), dtype=cp.float32)
    y, z = cp.empty((size,), dtype=cp.float32), cp.empty((size,), dtype=cp.float32)
    running_squares((128,), (64,), (x, y, size))
    running_squares[128, 64](x, z, size)
    assert (y == x * x).all() and (z == x * x).all()

    @jit.rawkernel()
    def by_grid(x, y, size):
        for i in range(jit.grid(1), size, jit.gridsize(1)):
            y[i] = -x[i]

    by_grid[4, 64](x, y, size)
    assert (y == -x).all()


# ---- streams and events


def test_streams_and_events(device):
    host = np.arange(20)
    stream = cp.cuda.Stream()
    before = cp.cuda.get_current_stream()
    with stream:
        x = cp.asarray(host)
        total = cp.sum(x)
        assert cp.cuda.get_current_stream() == stream
    assert cp.cuda.get_current_stream() == before
    other = cp.cuda.Stream(non_blocking=True)
    number = x.device.id
    try:
        assert other.use() is other and repr(other) == f"<Stream {other.ptr} (device {number})>"
        assert int(cp.asnumpy(total)) == 190 and cp.cuda.get_current_stream() == other
    finally:
        assert repr(cp.cuda.Stream.null.use()) == "<Stream 0 (device -1)>"
    assert cp.cuda.get_current_stream() == cp.cuda.Stream.null

    first = cp.cuda.Event()
    first.record()
    x = total * x - 5
    last = cp.cuda.get_current_stream().record()
    third = cp.cuda.Stream()
    third.wait_event(last)
    with third:
        np.testing.assert_array_equal(cp.asnumpy(x), 190 * host - 5)
    last.synchronize()
    assert first.done and last.done and cp.cuda.get_elapsed_time(first, last) >= 0
    third.synchronize()
    assert third.done
    cp.cuda.Device().synchronize()


def test_streams_one_within_another(device):
    """What use() made current is so until a block ends; a stream may be current in several threads."""
    first, second, third = (cp.cuda.Stream() for _ in range(3))
    with first:
        second.use()
        assert cp.cuda.get_current_stream() == second
        with third:
            assert cp.cuda.get_current_stream() == third
        assert cp.cuda.get_current_stream() == first
    assert cp.cuda.get_current_stream() == cp.cuda.Stream.null

    second.use()
    with first:
        pass
    assert cp.cuda.get_current_stream() == cp.cuda.Stream.null

    ready, found = threading.Barrier(2), []

    def work(factor):
        set_current_device(device)
        with first:
            ready.wait()
            x = cp.arange(5) * factor
            assert cp.cuda.get_current_stream() == first
            ready.wait()
        found.append((cp.cuda.get_current_stream() == cp.cuda.Stream.null, factor, x.tolist()))

    threads = [threading.Thread(target=work, args=(factor,)) for factor in (2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [(True, factor, [factor * n for n in range(5)]) for factor in (2, 3)]


def test_devices_one_within_another(device):
    here = cp.cuda.Device()
    with cp.cuda.Device(here.id):
        assert cp.cuda.Device() == here == cp.zeros(2).device
    assert cp.cuda.Device() == here


# ---- memory


def test_pools(device):
    pool, pinned = cp.get_default_memory_pool(), cp.get_default_pinned_memory_pool()
    pool.free_all_blocks()
    pinned.free_all_blocks()
    before = pool.used_bytes()
    host = np.ones(10000, np.float32)
    a = cp.array(host)
    assert a.nbytes == host.nbytes == 40000
    a.data.ptr  # noqa: B018  # it is there now
    assert pool.used_bytes() >= before + 40000 and pool.total_bytes() >= pool.used_bytes()
    assert pool.n_free_blocks() >= 0 and pool.free_bytes() == pool.total_bytes() - pool.used_bytes()
    a = None
    cp.cuda.Device().synchronize()
    assert pool.used_bytes() <= before + 40000
    pool.free_all_blocks()
    pinned.free_all_blocks()
    assert pinned.n_free_blocks() == 0


def test_limits(device):
    pool = cp.get_default_memory_pool()
    for number in range(cp.cuda.runtime.getDeviceCount()):
        with cp.cuda.Device(number):
            assert pool.get_limit() == 0
            pool.set_limit(size=1 << 40)
            assert pool.get_limit() == 1 << 40
            pool.set_limit(size=0)
    pool.set_limit(fraction=0.5)
    assert pool.get_limit() > 1 << 20
    pool.set_limit(size=pool.used_bytes() + (1 << 20))
    try:
        with pytest.raises(cp.cuda.memory.OutOfMemoryError, match="raise the limit"):
            cp.empty(1 << 22).data.ptr  # noqa: B018
    finally:
        pool.set_limit(size=0)
    assert cp.zeros(1 << 20)[:2].tolist() == [0, 0]


@pytest.mark.parametrize("said", ["1073741824", "50%"])
def test_limits_of_the_environment(said):
    program = "from quern import cupy; print(cupy.get_default_memory_pool().get_limit())"
    environment = {**os.environ, "CUPY_GPU_MEMORY_LIMIT": said, "PYTHONPATH": os.pathsep.join(sys.path)}
    told = int(subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True).stdout)
    assert told == 1 << 30 if "%" not in said else told > 1 << 26


def test_other_allocators(device):
    stream = cp.cuda.Stream()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on a GPU: that it is not managed
        makers = [cp.cuda.MemoryPool(cp.cuda.malloc_managed).malloc, cp.cuda.malloc_managed]
        makers += [cp.cuda.MemoryAsyncPool().malloc, cp.cuda.malloc_async, cp.cuda.MemoryPool().malloc, None]
        for maker in makers:
            cp.cuda.set_allocator(maker)
            try:
                with stream:
                    a = cp.empty((100,), dtype=cp.float64)
                    a.fill(1.5)
                assert float((a + 1).sum()) == 250
            finally:
                cp.cuda.set_allocator(cp.get_default_memory_pool().malloc)
        with cp.cuda.using_allocator(makers[0]):
            assert cp.zeros(3).tolist() == [0, 0, 0]
    for maker in (cp.cuda.PinnedMemoryPool().malloc, None):
        cp.cuda.set_pinned_memory_allocator(maker)
        try:
            close(cp.asarray(cupyx.zeros_pinned(4)) + 1, np.ones(4))
        finally:
            cp.cuda.set_pinned_memory_allocator(cp.get_default_pinned_memory_pool().malloc)


def test_pinned_arrays(device):
    x = cupyx.zeros_pinned((4,), np.float32)
    assert type(x) is np.ndarray and x.tolist() == [0] * 4
    x[:] = 3
    close(cp.asarray(x) * 2, np.full(4, 6.0))
    for like in (np.arange(5.0), cp.arange(5.0)):
        kept = cupyx.empty_like_pinned(like)
        kept[:] = np.arange(5.0)
        out = cp.empty(5)
        out.set(kept, stream=cp.cuda.Stream())
        close(out, np.arange(5.0))
        assert cupyx.zeros_like_pinned(like).tolist() == [0] * 5
    assert cupyx.empty_pinned((2, 3), dtype="i2").nbytes == 12


# ---- performance


def test_what_a_call_costs(device, capsys):
    from quern.cupyx.profiler import benchmark, profile, time_range

    def spread(a):
        return cp.max(a, axis=-1) - cp.min(a, axis=-1)

    a = cp.random.random((64, 32))
    print(benchmark(spread, (a,), n_repeat=3, n_warmup=1))
    told = capsys.readouterr().out
    assert told.startswith("spread ") and "CPU:" in told and "GPU-" in told
    print(benchmark(a.sum, (), n_repeat=2))
    assert capsys.readouterr().out.startswith("sum ")
    found = benchmark(spread, (a,), n_repeat=4, name="named", max_duration=10)
    assert found.name == "named" and found.cpu_times.shape == (4,) == found.gpu_times.shape[1:]
    assert (found.cpu_times > 0).all() and (found.gpu_times > 0).all()
    with profile(), time_range("spread", color_id=0):
        close(spread(a), np.ptp(a.get(), axis=-1))

    start, end = cp.cuda.Event(), cp.cuda.Event()
    start.record()
    began = time.perf_counter()
    out = spread(a)
    ended = time.perf_counter()
    end.record()
    end.synchronize()
    assert cp.cuda.get_elapsed_time(start, end) >= 0 and ended > began
    close(out, np.ptp(a.get(), axis=-1))


def test_the_magic_that_times(device):
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    shell = InteractiveShell()
    shell.user_ns.update(cp=cp)
    shell.extension_manager.load_extension("quern.cupyx.profiler")
    with capture_output() as told:
        shell.run_line_magic("gpu_timeit", "-n 2 -w 1 cp.arange(10).sum()")
        shell.run_line_magic("gpu_timeit", "-n3 --max-duration 5 -cp.arange(10)")
        shell.run_cell_magic("gpu_timeit", "--n-repeat=2 --n-warmup 0", "  a = cp.arange(5)\n  b = a * 2")
    assert told.stdout.count("GPU-") == 3 and shell.user_ns["b"].tolist() == [0, 2, 4, 6, 8]
    for line, cell, what in (("", None, "an expression"), ("-n x cp", None, "a number"), ("-n 2 cp", "cp", "in the cell")):
        with pytest.raises(ValueError, match=what):
            shell.find_cell_magic("gpu_timeit")(line, cell)


# ---- where CuPy differs from NumPy


def test_differences_from_numpy(device):
    """Those that the page lists: they are CuPy's on both devices."""
    with np.errstate(invalid="ignore"):
        for value, dtype in ((-1, np.uint32), (np.inf, np.int32), (np.nan, np.int32)):
            assert cp.array([value], dtype=np.float32).astype(dtype).dtype == dtype  # what value is not told
    with pytest.raises(TypeError):
        np.random.randn(dtype=np.float32)
    for numbers in (cp.random.randn(dtype=np.float32), cp.random.rand(2, dtype="f4"), cp.random.normal(size=3, dtype=np.float32)):
        assert numbers.dtype == np.float32

    x = cp.arange(4)  # places wrap around
    assert x[[1, 6]].tolist() == [1, 2] and x[cp.array([5])].tolist() == [1]
    x[[0, 7]] = -9
    assert x.tolist() == [-9, 1, 2, -9]
    with pytest.raises(IndexError):
        np.arange(4)[[0, 7]]

    a, places, values = cp.zeros((3,)), cp.arange(999) % 3, cp.arange(999).astype(np.float32)
    a[places] = values  # which of them is not told
    assert all(int(a[n]) % 3 == n for n in range(3))

    assert type(cp.sum(cp.arange(3))) is cp.ndarray and cp.sum(cp.arange(3)).shape == () and int(cp.sum(cp.arange(3))) == 3
    assert (cp.array(3, dtype=np.int32) * cp.array([1.0, 2.0], dtype=np.float32)).dtype == np.float64
    with pytest.raises(TypeError, match="Unsupported type <class 'list'>"):
        cp.power([cp.arange(5)], 2)
    for wrong in (["a", "b"], [object()]):
        with pytest.raises((TypeError, ValueError)):
            cp.array(wrong)

    seeded = [cp.random.RandomState(seed=np.array([3, 1, 4])).rand(4) for _ in range(2)]
    assert (seeded[0] == seeded[1]).all() and (seeded[0] != cp.random.RandomState(seed=np.array([3, 1, 5])).rand(4)).any()
    half_nan = np.asarray([2.5 - 1j, complex(0.5, np.nan), complex(np.nan, 4), complex(np.nan, np.nan)])
    for found in (cp.asarray(half_nan).max(), cp.asarray(half_nan).min()):
        assert np.isnan(complex(found))
    for order in "CF":
        x = cp.array([[1, 2], [3, 4]], order=order)
        assert x.flags[f"{order}_CONTIGUOUS"] and (x + x).flags.forc and (x + x).tolist() == [[2, 4], [6, 8]]


def test_random_numbers_of_generators_and_states(device):
    rng = cp.random.default_rng(seed=3)
    values = rng.random(1000)
    assert 0 <= float(values.min()) and float(values.max()) < 1
    close(cp.random.default_rng(seed=3).random(1000), values.get())
    cp.random.seed(11)
    first = cp.random.rand(5)
    cp.random.seed(11)
    close(cp.random.rand(5), first.get())
    state = cp.random.RandomState(5)
    assert state.normal(size=(3, 2), dtype=np.float32).dtype == np.float32
    assert cp.random.Generator(cp.random.Philox4x3210(7)).integers(0, 9, size=20).max() < 9
