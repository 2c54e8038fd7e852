"""What the pages of CuPy's user guide show, page by page, as programs of our own: each checks its answer.

The programs of the reference, of docstrings and of CuPy's folder of examples are in test_cupy_documentation_examples.py.
"""

import itertools
import os
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
import quern
from quern import cupy as cp
from quern import cupyx
from quern.cupyx import jit


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
    close(there + more, host + more)  # CuPy's raises TypeError
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
    with pytest.raises(TypeError, match="nothing says what type 'Z'"):
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
    with pytest.raises(quern.CompileError, match="a kernel launches no other kernels here: launch .* from the host"):
        kernel((1,), (1,), (cp.zeros(4, cp.int32),))


def test_values_as_arguments(device):
    kinds = "bool signed_char short int long_long unsigned_char unsigned_short unsigned unsigned_long_long half float double".split()
    numbers = [np.bool_(True), np.int8(-3), np.int16(-300), np.int32(-70000), np.int64(-(2**40)), np.uint8(200), np.uint16(60000)]
    numbers += [np.uint32(2**32 - 1), np.uint64(2**63), np.float16(1.5), np.float32(0.25), np.float64(1e100)]
    parameters = ", ".join(f"{kind.replace('_', ' ')} x{n}" for n, kind in enumerate(kinds))
    stores = " ".join(f"out[{n}] = (double)x{n};" for n in range(len(kinds)))
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
    code = "struct Table { double values[3][4]; }; extern \"C\" __global__ void turned(Table t, double* out) { int i = threadIdx.x; "
    cp.RawKernel(code + "out[i] = t.values[i % 3][i / 3]; }", "turned")((1,), (12,), (given, out))
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
    """A stream that use() made current goes when the block that it is in ends."""
    first, second, third = (cp.cuda.Stream() for _ in range(3))
    with first:
        second.use()
        with third:
            assert cp.cuda.get_current_stream() == third
        assert cp.cuda.get_current_stream() in (first, second)
    assert cp.cuda.get_current_stream() == cp.cuda.Stream.null


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


# ---- Fourier transforms


def test_fourier_transforms(device):
    a = cp.random.random((10, 8)).astype(cp.complex64)
    close(cp.fft.fft(a), np.fft.fft(a.get()), 1e-5)
    close(cp.fft.ifft2(cp.fft.fft2(a)), a.get(), 1e-5)
    close(cp.fft.irfft(cp.fft.rfft(a.real, axis=0), axis=0), a.real.get(), 1e-5)
    assert cp.fft.fft(a).dtype == np.complex64 and cp.fft.rfft(a.real).dtype == np.complex64
    for norm in ("backward", "forward", "ortho"):
        close(cp.fft.fftn(a, norm=norm), np.fft.fftn(a.get(), norm=norm), 1e-4)
    assert cp.fft.fftfreq(8, 0.5).tolist() == np.fft.fftfreq(8, 0.5).tolist()


def test_the_cache_of_plans(device, capsys):
    from quern.cupy.cuda import Device
    from quern.cupy.fft.config import get_plan_cache

    x = cp.random.random((3, 12, 10))
    cache = get_plan_cache()
    for _ in range(2):
        close(cp.fft.fftn(x, axes=(1, 2)), np.fft.fftn(x.get(), axes=(1, 2)), 1e-10)
        cache.show_info()
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 2 and all("0 of 16" in line for line in told) and list(cache) == []
    with Device(Device().id):
        cache = get_plan_cache()
        cache.set_size(0)
        assert cache.get_size() == 0 and cp.fft.config.get_plan_cache() is cache
    cache.clear()
    cache.set_size(16)
    cp.fft.config.show_plan_cache_info()
    assert "0 of 16" in capsys.readouterr().out


def test_transforms_on_several_devices(device):
    """They run on the array's."""
    import quern.cupy.fft.config as config

    config.use_multi_gpus = True
    try:
        config.set_cufft_gpus([0, 1])
        x = cp.random.random((6, 16)).astype(cp.complex64)
        close(cp.fft.fft(x), np.fft.fft(x.get()), 1e-5)
        assert cp.fft.config.use_multi_gpus is True and cp.fft.fft(x).device == x.device
    finally:
        config.use_multi_gpus = False


def test_plans_made_by_hand(device):
    from quern.cupy.cuda import cufft

    host = np.random.default_rng(3).random((5, 24)).astype(np.complex64)
    for x, out in ((host, np.empty_like(host)), (cp.asarray(host), cp.empty_like(cp.asarray(host)))):
        plan = cufft.Plan1d(24, cufft.CUFFT_C2C, 5, devices=[0, 1])
        plan.fft(x, out, cufft.CUFFT_FORWARD)
        np.testing.assert_allclose(cp.asnumpy(out), np.fft.fft(host), rtol=1e-4, atol=1e-4)
        plan.fft(x, out, cufft.CUFFT_INVERSE)
        np.testing.assert_allclose(cp.asnumpy(out), np.fft.ifft(host) * 24, rtol=1e-4, atol=1e-4)
    real, there, back = cp.random.random((4, 10)), cp.empty((4, 6), complex), cp.empty((4, 10))
    cp.cuda.cufft.Plan1d(10, cufft.CUFFT_D2Z, 4).fft(real, there, cufft.CUFFT_FORWARD)
    close(there, np.fft.rfft(real.get()))
    cp.cuda.cufft.Plan1d(10, cufft.CUFFT_Z2D, 4).fft(there, back, cufft.CUFFT_INVERSE)
    close(back, real.get() * 10)
    solid, out = cp.random.random((2, 6, 4)).astype(complex), cp.empty((2, 6, 4), complex)
    plan = cufft.PlanNd((6, 4), None, 1, 24, None, 1, 24, cufft.CUFFT_Z2Z, 2, "C", -1, None)
    plan.fft(solid, out, cufft.CUFFT_FORWARD)
    close(out, np.fft.fftn(solid.get(), axes=(1, 2)))
    with plan:
        assert cufft.get_current_plan() is plan
        close(cp.fft.fftn(solid, axes=(1, 2)), out.get())
    assert cufft.get_current_plan() is None
    for wrong, what in (((real.astype("f4"), there, -1), "float64"), ((real[:2], there, -1), "shape"), ((real, back, -1), "result")):
        with pytest.raises((TypeError, ValueError), match=what):
            cufft.Plan1d(10, cufft.CUFFT_D2Z, 4).fft(*wrong)
    with pytest.raises(NotImplementedError, match="gaps"):
        cufft.PlanNd((6, 4), None, 2, 48, None, 1, 24, cufft.CUFFT_Z2Z, 2, "C", -1, None)


def test_transforms_of_half_precision(device):
    shape = (3, 8, 6)
    x = cp.random.random((*shape[:2], 2 * shape[2])).astype(cp.float16)
    out = cp.empty_like(x)
    sizes = shape[1:], 1, shape[1] * shape[2], "E"
    plan = cp.cuda.cufft.XtPlanNd(shape[1:], *sizes, *sizes, shape[0], "E", order="C", last_axis=-1, last_size=None)
    plan.fft(x, out, cp.cuda.cufft.CUFFT_FORWARD)
    wanted = np.fft.fftn(x.get().astype(np.float32).view(np.complex64), axes=(1, 2)).astype(np.complex64).view(np.float32)
    assert out.dtype == np.float16
    close(out, wanted, 5e-3)


def test_transforms_take_no_callbacks(device):
    code = "__device__ cufftComplex ones(void* data, size_t at, void* info, void* shared) { return {1.f, 0.f}; }"
    for options in ({}, {"cb_ver": "jit", "cb_load_name": "ones"}):
        with pytest.raises(NotImplementedError, match="transforms take no callbacks"), cp.fft.config.set_cufft_callbacks(code, **options):
            pass


@pytest.mark.parametrize("part", ["scipy.fft", "scipy.fftpack", "scipy.sparse", "cutensor", "distributed"])
def test_what_is_not_served_of_cupyx(part, tmp_path):
    (tmp_path / "asks.py").write_text(f"import cupyx.{part}\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "quern", "run", str(tmp_path / "asks.py")]
    found = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert found.returncode == 1 and f"No module named 'cupyx.{part}': quern serves no such part of cupyx" in found.stderr


# ---- interoperability


def test_functions_of_numpy(device):
    x = cp.random.randn(2, 3, 4).astype(cp.float32)
    total = np.sum(x)
    assert type(total) is cp.ndarray and total.dtype == np.float32
    close(total, x.get().sum(), 1e-4)
    close(np.exp(x) + np.linalg.norm(x), np.exp(x.get()) + np.linalg.norm(x.get()), 1e-4)


def test_kernels_and_arrays_of_numba(device):
    from quern.numba import cuda

    @cuda.jit
    def weighted(x, y, out):
        first, step = cuda.grid(1), cuda.gridsize(1)
        for i in range(first, x.shape[0], step):
            out[i] = 3 * x[i] - y[i]

    x = cp.arange(10)
    y, out = x * x, cp.zeros_like(x)
    assert str(out) == "[0 0 0 0 0 0 0 0 0 0]"
    weighted[1, 32](x, y, out)
    assert str(out) == str(3 * np.arange(10) - np.arange(10) ** 2)

    of_numba = cuda.to_device(np.arange(6.0))
    ours = cp.asarray(of_numba)
    ours *= 2
    assert of_numba.copy_to_host().tolist() == [0, 2, 4, 6, 8, 10]


def test_libraries_that_reduce_over_processes(device):
    """What mpi4py does with an array, for one process: it reads the one buffer and fills the other, through DLPack."""

    class Communicator:
        def Get_size(self):  # noqa: N802
            return 1

        def Allreduce(self, sent, received):  # noqa: N802
            if device.kind == "cuda":
                for array in (sent, received):
                    assert array.__cuda_array_interface__["data"][0] == array.data.ptr
                received[...] = sent
            else:
                np.from_dlpack(received)[...] = np.from_dlpack(sent)

    world = Communicator()
    sent = cp.arange(10, dtype="i")
    received = cp.empty_like(sent)
    world.Allreduce(sent, received)
    assert cp.allclose(received, sent * world.Get_size())


def test_tensors_of_torch(device):
    from quern import torch

    where = "cuda" if device.kind == "cuda" else "cpu"
    tensor = torch.rand((4, 4), device=where)
    before = tensor.numpy(force=True).copy()
    ours = cp.asarray(tensor) if device.kind == "cuda" else cp.from_dlpack(tensor)  # a tensor of the host is copied by asarray
    ours *= ours
    np.testing.assert_allclose(tensor.numpy(force=True), before**2, rtol=1e-6)
    assert ours.data.ptr == tensor.data_ptr()

    ours = cp.arange(10)
    tensor = torch.as_tensor(ours, device=where)
    tensor += 3
    assert ours.tolist() == list(range(3, 13)) and ours.data.ptr == tensor.data_ptr()

    tensor = torch.randn(1, 2, 3, 4, device=where)
    again = torch.from_dlpack(cp.from_dlpack(tensor))
    assert again.data_ptr() == tensor.data_ptr() and torch.equal(again, tensor)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        through = cp.fromDlpack(torch.utils.dlpack.to_dlpack(tensor))
        again = torch.utils.dlpack.from_dlpack(through.toDlpack())
    assert again.data_ptr() == tensor.data_ptr()


def test_a_function_of_torch_with_raw_kernels(device):
    from quern import torch

    code = r"""
    extern "C" __global__ void root(const float* x, float* y, int n) {
        int i = blockDim.x * blockIdx.x + threadIdx.x;
        if (i < n) y[i] = sqrtf(x[i]);
    }
    extern "C" __global__ void root_gradient(const float* y, const float* after, float* before, int n) {
        int i = blockDim.x * blockIdx.x + threadIdx.x;
        if (i < n) before[i] = after[i] / (2 * y[i]);
    }
    """
    module = cp.RawModule(code=code)
    forward_kernel, backward_kernel = module.get_function("root"), module.get_function("root_gradient")

    class Root(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x = cp.ascontiguousarray(cp.from_dlpack(x.detach()))
            y = cp.empty(x.shape, dtype=x.dtype)
            forward_kernel(((x.size + 63) // 64,), (64,), (x, y, x.size))
            ctx.result = torch.from_dlpack(y)
            return ctx.result

        @staticmethod
        def backward(ctx, after):
            y, after = (cp.from_dlpack(t.detach()).ravel() for t in (ctx.result, after))
            before = cp.zeros(after.shape, dtype=after.dtype)
            backward_kernel(((y.size + 63) // 64,), (64,), (y, after, before, y.size))
            return torch.from_dlpack(before)

    x = (torch.rand(100, device="cuda" if device.kind == "cuda" else "cpu") + 1).requires_grad_()
    y = Root.apply(x)
    (3 * y).sum().backward()
    host = x.detach().numpy(force=True)
    np.testing.assert_allclose(y.detach().numpy(force=True), np.sqrt(host), rtol=1e-6)
    np.testing.assert_allclose(x.grad.numpy(force=True), 1.5 / np.sqrt(host), rtol=1e-5)


def test_memory_of_other_libraries_as_an_allocator(device):
    """What RMM and pytorch-pfn-extras do: CuPy's arrays lie in memory that another library gives, here torch's."""
    from quern import torch

    given = []

    def allocator(size):
        block = torch.empty(size, dtype=torch.uint8, device="cuda" if device.kind == "cuda" else "cpu")
        given.append(size)
        return cp.cuda.MemoryPointer(cp.cuda.UnownedMemory(block.data_ptr(), size, owner=block), 0)

    cp.cuda.set_allocator(allocator)
    try:
        x = cp.arange(10)
        assert x.data.ptr and sum(given) >= 80
        close(x * 2, np.arange(10) * 2)
    finally:
        cp.cuda.set_allocator(cp.get_default_memory_pool().malloc)


def test_dlpack(device):
    x = cp.random.randn(1, 2, 3, 4).astype(cp.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again, old = cp.from_dlpack(x.toDlpack()), cp.fromDlpack(x.toDlpack())
    again[0, 0, 0, 0] = 7
    assert float(x[0, 0, 0, 0]) == 7 and again.data.ptr == x.data.ptr == old.data.ptr
    cp.testing.assert_array_equal(x, old)
    if device.kind == "cpu":  # NumPy is a library that has from_dlpack(), as JAX is
        host = np.arange(5.0)
        ours = cp.from_dlpack(host)
        assert np.from_dlpack(ours).tolist() == host.tolist()


def test_dlpack_with_jax(device):
    jax_numpy = pytest.importorskip("jax.numpy")
    ours = cp.from_dlpack(jax_numpy.arange(5.0))
    assert ours.tolist() == [0, 1, 2, 3, 4]
    assert jax_numpy.from_dlpack(ours).tolist() == [0, 1, 2, 3, 4]


def test_tensors_of_tensorflow(device):
    tf = pytest.importorskip("tensorflow")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tensor = tf.random.uniform((10,))
        before = tensor.numpy()
        ours = cp.from_dlpack(tf.experimental.dlpack.to_dlpack(tensor))
        close(ours * 3, before * 3)
        again = tf.experimental.dlpack.from_dlpack(cp.arange(10).toDlpack())
    assert again.numpy().tolist() == list(range(10))


def test_memory_by_its_address(device):
    owner = cp.arange(256, dtype=np.float32)
    assert owner.data.ptr and owner.nbytes == 1024
    memory = cp.cuda.UnownedMemory(owner.data.ptr, 1024, owner=owner)
    pointer = cp.cuda.MemoryPointer(memory, offset=0)
    x = cp.ndarray((16, 16), dtype=cp.float32, memptr=pointer)
    assert x.nbytes <= x.data.mem.size
    x += 1
    close(owner, np.arange(256.0) + 1)
    assert cp.cuda.UnownedMemory(owner.data.ptr, 1024, owner=None).ptr == owner.data.ptr
    if device.kind == "cuda":

        class Foreign:
            __cuda_array_interface__ = owner.__cuda_array_interface__

        close(cp.asarray(Foreign()), np.arange(256.0) + 1)


def test_streams_of_other_libraries(device):
    from quern import torch

    ours = cp.cuda.Stream()
    version, address = ours.__cuda_stream__()
    assert version == 0 and address == ours.ptr and ours.device_id == cp.cuda.Device().id

    class Foreign:
        def __cuda_stream__(self):
            return ours.__cuda_stream__()

    taken = [cp.cuda.Stream.from_external(ours), cp.cuda.Stream.from_external(Foreign())]
    taken += [cp.cuda.ExternalStream(ours.ptr), cp.cuda.ExternalStream(ours.ptr, device_id=ours.device_id)]
    if device.kind == "cuda":
        of_torch = torch.cuda.Stream()
        taken += [cp.cuda.Stream.from_external(of_torch), cp.cuda.ExternalStream(of_torch.cuda_stream)]
        with torch.cuda.stream(of_torch), taken[-1]:
            assert torch.arange(10, device="cuda").sum().item() == 45
    for stream in taken:
        with stream:
            assert cp.cuda.get_current_stream().ptr == stream.ptr
            x = cp.arange(10) * 2
        stream.synchronize()
        assert x.tolist() == list(range(0, 20, 2))
    for wrong in (3, object()):
        with pytest.raises(TypeError):
            cp.cuda.Stream.from_external(wrong)


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
    assert cp.power([cp.arange(5)], 2).tolist() == [[0, 1, 4, 9, 16]]  # CuPy's takes no lists
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
