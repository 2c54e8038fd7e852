"""What the pages of CuPy's user guide show, page by page, as programs of our own: each checks its answer."""

import itertools
import warnings

import numpy as np
import pytest
from quern import cupy as cp
from quern import cupyx
from quern.cupyx import jit


def close(ours, theirs, rtol=1e-6):
    assert isinstance(ours, cp.ndarray)
    np.testing.assert_allclose(cp.asnumpy(ours), theirs, rtol=rtol, atol=rtol)


# ---- basics


def test_arrays_devices_and_functions_for_both(device):
    x = cp.array([1, 2, 3])
    assert float(cp.linalg.norm(x)) == pytest.approx(14**0.5)
    assert isinstance(x, cp.ndarray) and x.device == cp.cuda.Device(x.device.id)
    with cp.cuda.Device(x.device.id):
        assert cp.asarray(np.arange(3.0)).device == x.device
    close(x, cp.asnumpy(x))
    close(x, x.get())

    def softplus(x):
        xp = cp.get_array_module(x)
        return xp.maximum(0, x) + xp.log1p(xp.exp(-abs(x)))

    host = np.linspace(-3, 3, 7)
    assert type(softplus(host)) is np.ndarray
    close(softplus(cp.asarray(host)), softplus(host))
    assert cp.get_array_module(host) is np and cp.get_array_module(x) is cp


# ---- own kernels


def test_elementwise_kernels(device):
    squared_difference = cp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "squared_difference")
    x = cp.arange(10, dtype=np.float32).reshape(2, 5)
    y = cp.arange(5, dtype=np.float32)
    wanted = (np.arange(10.0).reshape(2, 5) - np.arange(5)) ** 2
    close(squared_difference(x, y), wanted)
    close(squared_difference(x, 5), (np.arange(10.0).reshape(2, 5) - 5) ** 2)
    out = cp.empty((2, 5), np.float32)
    assert squared_difference(x, y, out) is out
    close(out, wanted)


def test_kernels_of_any_type(device):
    squared_difference = cp.ElementwiseKernel("T x, T y", "T z", "T d = x - y; z = d * d", "squared_difference_generic")
    for dtype in (np.float32, np.float64, np.int32):
        x = cp.arange(10, dtype=dtype)
        out = squared_difference(x, x[::-1])
        assert out.dtype == dtype
        close(out, (np.arange(10) - np.arange(10)[::-1]) ** 2)
    mixed = cp.ElementwiseKernel("X x, Y y", "Z z", "z = x + y", "mixed")
    close(mixed(cp.arange(4, dtype="i4"), cp.ones(4), cp.empty(4, "f4")), np.arange(4.0) + 1)
    with pytest.raises(TypeError):
        squared_difference(cp.arange(3, dtype="f4"), cp.arange(3, dtype="f8"))


def test_raw_arguments(device):
    added_backwards = cp.ElementwiseKernel("T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "added_backwards")
    x, y = cp.arange(6.0), cp.arange(6.0) * 10
    close(added_backwards(x, y), np.arange(6.0) + np.arange(6.0)[::-1] * 10)
    neighbours = cp.ElementwiseKernel("raw T x, int64 count", "T out", "out = x[(i + 1) % count] - x[(i + count - 1) % count]", "neighbours")
    close(neighbours(y, 6, size=6), np.roll(np.arange(6) * 10, -1) - np.roll(np.arange(6) * 10, 1))


def test_reduction_kernels(device):
    norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    x = cp.arange(10, dtype=np.float32).reshape(2, 5)
    host = np.arange(10.0).reshape(2, 5)
    close(norm(x, axis=1), np.sqrt((host**2).sum(1)))
    close(norm(x), np.sqrt((host**2).sum()))
    close(norm(x, axis=0, keepdims=True), np.sqrt((host**2).sum(0, keepdims=True)))


def test_raw_kernels(device):
    added = cp.RawKernel(
        r"""
        extern "C" __global__ void added(const float* a, const float* b, float* c) {
          int i = blockDim.x * blockIdx.x + threadIdx.x;
          c[i] = a[i] + b[i];
        }
        """,
        "added",
    )
    a = cp.arange(25, dtype=cp.float32).reshape(5, 5)
    c = cp.zeros((5, 5), dtype=cp.float32)
    added((5,), (5,), (a, a, c))
    close(c, 2 * np.arange(25.0).reshape(5, 5))
    assert added.attributes["max_threads_per_block"] > 0 and added.num_regs >= 0

    turned = cp.RawKernel(
        r"""
        #include <cupy/complex.cuh>
        extern "C" __global__ void turned(const complex<float>* x, complex<float>* y, complex<float> by) {
          int i = blockDim.x * blockIdx.x + threadIdx.x;
          y[i] = by * x[i] + complex<float>(i, 0);
        }
        """,
        "turned",
    )
    x = cp.arange(25, dtype=cp.complex64) * np.complex64(1 + 2j)
    y = cp.zeros(25, dtype=cp.complex64)
    turned((5,), (5,), (x, y, np.complex64(1j)))
    close(y, 1j * np.arange(25) * (1 + 2j) + np.arange(25))


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
        __global__ void summed(const float* x1, const float* x2, float* y, unsigned int n) {
          unsigned int t = blockDim.x * blockIdx.x + threadIdx.x;
          if (t < n) y[t] = x1[t] * weights[0] + x2[t] * weights[1] + weights[2];
          if (t == 0) atomicAdd(&calls, 1);
        }
        __global__ void multiplied(const float* x1, const float* x2, float* y, unsigned int n) {
          unsigned int t = blockDim.x * blockIdx.x + threadIdx.x;
          if (t < n) y[t] = x1[t] * x2[t];
        }
        }"""
    )
    n = 100
    x1, x2 = cp.arange(n, dtype=cp.float32), cp.ones(n, dtype=cp.float32)
    y = cp.zeros(n, dtype=cp.float32)
    weights = cp.ndarray(3, cp.float32, module.get_global("weights"))
    weights[...] = cp.array([2, 3, 4], cp.float32)
    summed, multiplied = module.get_function("summed"), module.get_function("multiplied")
    summed((4,), (32,), (x1, x2, y, np.uint32(n)))
    close(y, np.arange(n) * 2 + 7)
    multiplied((4,), (32,), (x1, x1, y, np.uint32(n)))
    close(y, np.arange(n) ** 2.0)
    assert int(cp.ndarray((), cp.int32, module.get_global("calls"))) == 1


def test_texture_memory(device):
    source = r"""
    extern "C" __global__ void copied(float* out, cudaTextureObject_t texture, int width, int height) {
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
    cp.RawKernel(source, "copied")((1, 1), (width, height), (out, texture.TextureObject(resource, description), width, height))
    close(out, picture)


def test_kernels_in_python(device):
    @jit.rawkernel()
    def copied(x, y, size):
        first, step = jit.grid(1), jit.gridsize(1)
        for i in range(first, size, step):
            y[i] = x[i]

    size = cp.uint32(5000)
    x = cp.random.normal(size=(5000,), dtype=cp.float32)
    y, z = cp.empty((5000,), cp.float32), cp.empty((5000,), cp.float32)
    copied((128,), (64,), (x, y, size))
    copied[128, 64](x, z, size)
    close(y, x.get())
    close(z, x.get())

    @jit.rawkernel()
    def summed(x, y, size):
        place = jit.threadIdx.x
        step, own = jit.blockDim.x, cp.float32(0)
        for i in range(place, size, step):
            own += x[i]
        shared = jit.shared_memory(cp.float32, 1024)
        shared[place] = own
        jit.syncthreads()
        if place == cp.uint32(0):
            total = cp.float32(0)
            for i in range(step):
                total += shared[i]
            y[0] = total

    summed((1,), (256,), (x, y, size))
    assert float(y[0]) == pytest.approx(float(x.get().sum(dtype=float)), abs=0.05)


def test_functions_that_are_fused(device):
    @cp.fuse()
    def squared_difference(x, y):
        return (x - y) * (x - y)

    @cp.fuse(kernel_name="sum_of_products")
    def sum_of_products(x, y):
        return cp.sum(x * y, axis=-1)

    x, y = cp.arange(10.0), cp.arange(10.0)[::-1]
    close(squared_difference(x, y), (np.arange(10) - np.arange(10)[::-1]) ** 2.0)
    assert float(sum_of_products(x, y)) == (np.arange(10) * np.arange(10)[::-1]).sum()


# ---- streams, memory, time


def test_streams_and_events(device):
    a = cp.arange(1000.0)
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        doubled = a * 2
        start = stream.record()
        total = doubled.sum()
        end = stream.record()
    stream.synchronize()
    end.synchronize()
    assert float(total) == 999000 and cp.cuda.get_elapsed_time(start, end) >= 0
    other = cp.cuda.Stream()
    other.wait_event(end)
    other.use()
    try:
        assert cp.cuda.get_current_stream() == other
        close(doubled + 1, np.arange(1000) * 2.0 + 1)
    finally:
        cp.cuda.Stream.null.use()
    assert stream.done and end.done
    outside = cp.cuda.ExternalStream(other.ptr)
    with outside:
        assert float((a + 1)[3]) == 4


def test_pools_and_limits(device):
    pool, pinned = cp.get_default_memory_pool(), cp.get_default_pinned_memory_pool()
    before = pool.used_bytes()
    a = cp.array(np.ndarray(10000, np.float32))
    assert pool.used_bytes() >= before + a.nbytes and pool.total_bytes() >= pool.used_bytes()
    a = None
    cp.cuda.Device().synchronize()
    pool.free_all_blocks()
    pinned.free_all_blocks()
    assert pinned.n_free_blocks() == 0
    pool.set_limit(size=1 << 40)
    assert pool.get_limit() == 1 << 40
    pool.set_limit(size=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on a GPU: that it is not managed
        managed = cp.cuda.MemoryPool(cp.cuda.malloc_managed).malloc
    with cp.cuda.using_allocator(managed):
        assert cp.zeros(3).tolist() == [0, 0, 0]
    x = cupyx.zeros_pinned((4,), np.float32)
    x[:] = 3
    close(cp.asarray(x) * 2, np.full(4, 6.0))
    host = np.arange(5.0)
    kept = cupyx.empty_like_pinned(host)
    kept[:] = host
    out = cp.empty(5)
    out.set(kept, stream=cp.cuda.Stream())
    close(out, host)


def test_what_a_call_costs(device):
    from quern.cupyx.profiler import benchmark, profile, time_range

    def norm(a):
        return cp.sqrt(cp.sum(a * a, axis=-1))

    a = cp.random.rand(64, 64)
    found = benchmark(norm, (a,), n_repeat=3, n_warmup=1)
    assert found.cpu_times.shape == (3,) and (found.cpu_times > 0).all() and "norm" in str(found)
    with profile(), time_range("norm", color_id=0):
        close(norm(a), np.linalg.norm(a.get(), axis=-1))


# ---- the libraries' pages


def test_fourier_transforms(device):
    a = cp.random.random((10, 8)).astype(cp.complex64)
    close(cp.fft.fft(a), np.fft.fft(a.get()), 1e-5)
    close(cp.fft.ifft2(cp.fft.fft2(a)), a.get(), 1e-5)
    plan = cp.fft.config.get_plan_cache()
    assert plan.get_curr_size() >= 0
    close(cp.fft.irfft(cp.fft.rfft(a.real, axis=0), axis=0), a.real.get(), 1e-5)
    assert cp.fft.fftfreq(8, 0.5).tolist() == np.fft.fftfreq(8, 0.5).tolist()


def test_arrays_of_other_libraries(device):
    x = cp.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(np.asarray(cp.asnumpy(x)), x.get())
    assert type(np.add(x, x)) is cp.ndarray and type(np.linalg.norm(x)) is cp.ndarray  # NumPy's functions give the work to us
    again = cp.from_dlpack(x)
    again[0, 0] = 7
    assert float(x[0, 0]) == 7 and again.data.ptr == x.data.ptr
    if device.kind == "cuda":

        class Foreign:
            __cuda_array_interface__ = x.__cuda_array_interface__

        close(cp.asarray(Foreign()), x.get())
        memory = cp.cuda.UnownedMemory(x.data.ptr, x.nbytes, x)
        close(cp.ndarray((2, 3), x.dtype, cp.cuda.MemoryPointer(memory, 0)), x.get())


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


# ---- where CuPy differs from NumPy


def test_differences_from_numpy(device):
    """Those that the page lists: they are CuPy's on both devices."""
    assert cp.array([np.nan], dtype="f4").astype("i4").dtype == np.int32  # what value is not told
    assert cp.random.rand(2, dtype="f4").dtype == np.float32
    close(cp.arange(2)[cp.array([1, 3])], [1, 1])  # places wrap around
    assert type(cp.sum(cp.arange(3))) is cp.ndarray and cp.sum(cp.arange(3)).shape == ()
    a = cp.zeros((2,))
    a[cp.array([0, 0])] = cp.array([1.0, 2.0])
    assert float(a[0]) in (1, 2)
    with pytest.raises((TypeError, ValueError)):
        cp.array(["a", "b"])
    with pytest.raises((TypeError, ValueError)):
        cp.array([object()])
    for order, x in itertools.product("CF", ([[1, 2], [3, 4]],)):
        assert cp.array(x, order=order).flags[f"{order}_CONTIGUOUS"]
