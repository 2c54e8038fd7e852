"""PyCUDA's driver: memory, copies, launches, streams, events, modules."""

import struct

import numpy as np
import pytest
from quern.pycuda import driver as drv
from quern.pycuda.compiler import SourceModule

ADD = """
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
"""


@pytest.fixture
def add(device):
    return SourceModule(ADD).get_function("add")


def arrays(n, seed=0):
    random = np.random.default_rng(seed)
    return random.standard_normal(n, dtype=np.float32), random.standard_normal(n, dtype=np.float32)


@pytest.mark.parametrize("n", [1, 31, 1024, 100_001])
def test_add(add, n):
    a, b = arrays(n)
    c = np.zeros_like(a)
    da, db, dc = drv.to_device(a), drv.to_device(b), drv.mem_alloc(c.nbytes)
    add(da, db, dc, np.int32(n), block=(256, 1, 1), grid=((n + 255) // 256, 1))
    drv.memcpy_dtoh(c, dc)
    assert np.array_equal(c, a + b)


def test_plain_numbers_take_the_parameters_type(device):
    f = SourceModule(
        "__global__ void f(double* o, char c, unsigned long long u, float x, double y, bool b, short s) "
        "{ o[0] = c; o[1] = u; o[2] = x; o[3] = y; o[4] = b; o[5] = s; }"
    ).get_function("f")
    out = np.zeros(6)
    f(drv.Out(out), -3, 2**63 + 2048, 0.1, 0.1, True, -300, block=(1, 1, 1))
    assert out.tolist() == [-3, 2.0**63 + 2048, float(np.float32(0.1)), 0.1, 1, -300]


def test_in_out_inout(add):
    a, b = arrays(777)
    c = np.empty_like(a)
    add(drv.In(a), drv.In(b), drv.Out(c), np.int32(777), block=(128, 1, 1), grid=(7, 1))
    assert np.array_equal(c, a + b)
    before = b.copy()
    f = SourceModule("__global__ void f(float* x) { x[threadIdx.x] *= 2; }").get_function("f")
    f(drv.InOut(b), block=(777, 1, 1))
    assert np.array_equal(b, 2 * before)


def test_time_kernel_returns_seconds(add):
    a, b = arrays(100)
    c = np.empty_like(a)
    seconds = add(drv.In(a), drv.In(b), drv.Out(c), np.int32(100), block=(128, 1, 1), grid=(1, 1), time_kernel=True)
    assert isinstance(seconds, float) and seconds > 0
    assert np.array_equal(c, a + b)


def test_streams_and_events(add):
    a, b = (drv.pagelocked_empty(5000, np.float32) for _ in range(2))
    a[:], b[:] = arrays(5000)
    c = drv.pagelocked_zeros(5000, np.float32)
    stream, start, end = drv.Stream(), drv.Event(), drv.Event()
    da, db, dc = (drv.mem_alloc(a.nbytes) for _ in range(3))
    start.record(stream)
    drv.memcpy_htod_async(da, a, stream)
    drv.memcpy_htod_async(db, b, stream)
    add(da, db, dc, np.int32(5000), block=(256, 1, 1), grid=(20, 1), stream=stream)
    drv.memcpy_dtoh_async(c, dc, stream)
    assert end.record(stream) is end
    assert end.synchronize() is end
    assert end.query() and start.time_till(end) == end.time_since(start) >= 0
    assert stream.is_done()
    assert np.array_equal(c, a + b)


def test_a_stream_waits_for_an_event(device):
    f = SourceModule(
        "__global__ void add_one(int* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }"
        "__global__ void twice(int* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }"
    )
    add_one, twice = f.get_function("add_one"), f.get_function("twice")
    n = 200_000
    x = drv.mem_alloc(4 * n)
    for _ in range(20):
        first, second, event = drv.Stream(1), drv.Stream(1), drv.Event()
        drv.memset_d32(x, 5, n)
        drv.Context.synchronize()
        add_one(x, np.int32(n), block=(256, 1, 1), grid=((n + 255) // 256, 1), stream=first)
        event.record(first)
        second.wait_for_event(event)
        twice(x, np.int32(n), block=(256, 1, 1), grid=((n + 255) // 256, 1), stream=second)
        second.synchronize()
        assert (drv.from_device(x, n, np.int32) == 12).all()


def test_the_default_stream_waits_for_the_others(device):
    slow = SourceModule(
        "__global__ void slow(int* x, int n) { int v = x[0]; for (int i = 0; i < n; ++i) v = v * 3 + 1; x[0] = v; }"
    ).get_function("slow")
    x = drv.to_device(np.array([1], np.int32))
    stream = drv.Stream()
    slow(x, np.int32(2_000_000), block=(1, 1, 1), stream=stream)
    expected = 1
    result = drv.from_device(x, 1, np.int32)  # the default stream: after `slow`
    again = drv.from_device(x, 1, np.int32)
    stream.synchronize()
    assert result[0] == again[0] == drv.from_device(x, 1, np.int32)[0] != expected


@pytest.mark.parametrize("bits, dtype", [(8, np.uint8), (16, np.uint16), (32, np.uint32)])
def test_memset(device, bits, dtype):
    x = drv.mem_alloc(1000 * bits // 8)
    getattr(drv, f"memset_d{bits}")(x, 0x5A, 1000)
    assert (drv.from_device(x, 1000, dtype) == 0x5A).all()
    getattr(drv, f"memset_d2d{bits}")(x, 100 * bits // 8, 7, 30, 10)
    out = drv.from_device(x, (10, 100), dtype)
    assert (out[:, :30] == 7).all() and (out[:, 30:] == 0x5A).all()


def test_copies_between_device_memory(device):
    a = np.arange(1000, dtype=np.int32)
    x, y = drv.to_device(a), drv.mem_alloc(a.nbytes)
    drv.memcpy_dtod(y, x, a.nbytes)
    assert np.array_equal(drv.from_device_like(y, a), a)
    drv.memcpy_dtod(int(y) + 400, x, 400)
    assert np.array_equal(drv.from_device_like(y, a)[100:200], a[:100])


def test_addresses_as_numbers(add):
    a, b = arrays(64)
    c = np.empty_like(a)
    da, db, dc = drv.to_device(a), drv.to_device(b), drv.mem_alloc(c.nbytes)
    add(int(da), np.intp(int(db)), np.uintp(int(dc)), np.int32(64), block=(64, 1, 1))
    drv.memcpy_dtoh(c, dc)
    assert np.array_equal(c, a + b)


def test_pointer_holders_and_gpudata(add):
    a, b = arrays(64)
    da, db = drv.to_device(a), drv.to_device(b)
    dc = drv.mem_alloc(a.nbytes)

    class Holder(drv.PointerHolderBase):
        def get_pointer(self):
            return int(db)

    class Array:
        gpudata = dc

    class Interface:
        __cuda_array_interface__ = {"shape": (64,), "typestr": "<f4", "data": (int(da), False), "version": 3}

    add(Interface(), Holder(), Array(), np.int32(64), block=(64, 1, 1))
    assert np.array_equal(drv.from_device_like(dc, a), a + b)


def test_managed_memory(device):
    f = SourceModule("__global__ void f(int* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 3; }").get_function("f")
    x = drv.managed_zeros(100, np.int32)
    x += np.arange(100, dtype=np.int32)
    f(x, np.int32(100), block=(128, 1, 1))
    drv.Context.synchronize()
    assert np.array_equal(x, 3 * np.arange(100))


def test_page_locked_and_aligned_arrays(device):
    for make in (drv.pagelocked_empty, drv.aligned_empty, drv.managed_empty):
        a = make((3, 4), np.float64, order="F")
        assert a.shape == (3, 4) and a.flags.f_contiguous and a.dtype == np.float64
        a[:] = 7
        assert (a == 7).all()
    assert drv.aligned_zeros(10, np.int8, alignment=8192).ctypes.data % 8192 == 0
    assert drv.pagelocked_zeros_like(np.ones((2, 3))).tolist() == [[0, 0, 0], [0, 0, 0]]
    ordinary = np.arange(5000.0)
    registered = drv.register_host_memory(ordinary)
    d = drv.to_device(registered)
    assert np.array_equal(drv.from_device_like(d, ordinary), ordinary)


def test_globals(device):
    module = SourceModule(
        "__constant__ float factor[4]; __device__ int counter = 5;"
        "__global__ void f(float* o) { o[threadIdx.x] = factor[threadIdx.x] * 2; if (threadIdx.x == 0) atomicAdd(&counter, 1); }"
    )
    address, size = module.get_global("factor")
    assert size == 16
    drv.memcpy_htod(address, np.array([1, 2, 3, 4], np.float32))
    out = np.zeros(4, np.float32)
    module.get_function("f")(drv.Out(out), block=(4, 1, 1))
    assert out.tolist() == [2, 4, 6, 8]
    address, size = module.get_global("counter")
    assert drv.from_device(address, 1, np.int32)[0] == 6
    with pytest.raises(drv.LogicError, match="no_such"):
        module.get_global("no_such")


def test_two_modules_of_one_source_have_their_own_globals(device):
    source = "__device__ int counter; __global__ void count() { atomicAdd(&counter, 1); }"
    first, second = SourceModule(source), SourceModule(source)
    for module, times in ((first, 3), (second, 1)):
        for _ in range(times):
            module.get_function("count")(block=(2, 1, 1))
    assert [drv.from_device(m.get_global("counter")[0], 1, np.int32)[0] for m in (first, second)] == [6, 2]


def test_prepared_calls(add):
    a, b = arrays(300)
    da, db, dc = drv.to_device(a), drv.to_device(b), drv.mem_alloc(a.nbytes)
    assert add.prepare("PPPi") is add
    add.prepared_call((3, 1), (128, 1, 1), da, db, dc, 300)
    assert np.array_equal(drv.from_device_like(dc, a), a + b)
    stream = drv.Stream()
    add.prepared_async_call((3, 1), (128, 1, 1), stream, db, db, dc, 300)
    stream.synchronize()
    assert np.array_equal(drv.from_device_like(dc, a), b + b)
    seconds = add.prepared_timed_call((3, 1), (128, 1, 1), da, da, dc, 300)()
    assert seconds >= 0
    add.prepare([np.intp, np.intp, np.intp, np.int32]).prepared_call((3, 1), (128, 1, 1), int(da), int(db), int(dc), 300)
    with pytest.raises(struct.error):
        add.prepared_call((3, 1), (128, 1, 1), da, db, dc)


def test_dynamic_shared_memory(device):
    f = SourceModule(
        "extern __shared__ int s[]; __global__ void f(int* o) { s[threadIdx.x] = threadIdx.x; __syncthreads();"
        " o[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; }"
    ).get_function("f")
    out = np.zeros(200, np.int32)
    f(drv.Out(out), block=(200, 1, 1), shared=800)
    assert out.tolist() == list(range(199, -1, -1))
    f(drv.Out(out), block=(200, 1, 1), shared=100 * 1024)  # more than 48 KiB needs no setting
    assert out.tolist() == list(range(199, -1, -1))


def test_structs_by_value(device):
    f = SourceModule(
        "struct P { float x; double y; int n; }; __global__ void f(P p, double* o) { o[0] = p.x; o[1] = p.y; o[2] = p.n; }"
    ).get_function("f")
    kind = np.dtype([("x", np.float32), ("y", np.float64), ("n", np.int32)], align=True)
    value = np.array((1.5, 2.5, 7), kind)[()]
    out = np.zeros(3)
    f(value, drv.Out(out), block=(1, 1, 1))
    assert out.tolist() == [1.5, 2.5, 7]


def test_device_and_context(device):
    assert drv.Device.count() >= 1
    first = drv.Device(0)
    assert first.name() and first.total_memory() > 0
    assert first.max_threads_per_block == 1024 and first.get_attribute(drv.device_attribute.WARP_SIZE) == 32
    assert len(first.compute_capability()) == 2
    assert drv.device_attribute.MAX_THREADS_PER_BLOCK in first.get_attributes()
    context = first.make_context()
    assert drv.Context.get_device() == first
    context.pop()
    with pytest.raises(drv.LogicError):
        drv.Device(1000)
    free, total = drv.mem_get_info()
    assert 0 < free <= total


def test_function_attributes(add):
    assert add.max_threads_per_block == 1024 and add.shared_size_bytes == 0 and add.local_size_bytes >= 0
    assert add.get_attribute(drv.function_attribute.NUM_REGS) == add.num_regs


def test_access_of_pointers(device):
    # Without extern "C" both devices know the parameter types; the CPU's compiler also sees what the code does.
    f = SourceModule("__global__ void f(const float* a, float* b, int n) { b[threadIdx.x] = a[threadIdx.x] + n; }").get_function("f")
    access = f.info()["access"]
    assert access[0] == "read" and access[1] in ("write", "both") and (access[2] == "none" or device.kind == "cuda")


def test_module_from_buffer(device):
    from quern.pycuda.compiler import compile

    module = drv.module_from_buffer(compile(ADD))
    a, b = arrays(10)
    c = np.zeros_like(a)
    module.get_function("add")(drv.In(a), drv.In(b), drv.Out(c), np.int32(10), block=(32, 1, 1))
    assert np.array_equal(c, a + b)


def test_host_arrays_must_be_contiguous(device):
    x = drv.mem_alloc(400)
    with pytest.raises(ValueError, match="contiguous"):
        drv.memcpy_htod(x, np.zeros(200, np.float32)[::2])
    read_only = np.zeros(4)
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        drv.memcpy_dtoh(read_only, x)
    with pytest.raises(TypeError):
        drv.memcpy_htod(x, 5)
