"""pycuda.gpuarray: GPUArray and the functions on it. NumPy is the oracle, but where PyCUDA's rules are others."""

import copy
import operator
import pickle
import time

import numpy as np
import pytest
from quern.pycuda import driver as drv
from quern.pycuda import gpuarray
from quern.pycuda.compiler import SourceModule

DTYPES = ["int8", "uint8", "int16", "int32", "uint32", "int64", "float32", "float64", "complex64", "complex128"]


def host(dtype="float32", n=10, seed=0):
    random = np.random.default_rng(seed)
    values = random.integers(1, 50, n) if np.dtype(dtype).kind in "iu" else random.standard_normal(n) * 4
    return (values + 1j * random.standard_normal(n) if np.dtype(dtype).kind == "c" else values).astype(dtype)


def same(array, wanted):
    assert isinstance(array, gpuarray.GPUArray)
    got = array.get()
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape) and array.dtype == wanted.dtype and array.shape == wanted.shape
    if wanted.dtype.kind in "fc":
        assert np.allclose(got, wanted, rtol=1e-6 if wanted.dtype.itemsize > 4 * (1 + (wanted.dtype.kind == "c")) else 1e-5, equal_nan=True)
    else:
        assert np.array_equal(got, wanted)


@pytest.mark.parametrize("dtype", DTYPES)
def test_there_and_back(device, dtype):
    for x in (
        host(dtype),
        host(dtype, 12).reshape(3, 4),
        np.asfortranarray(host(dtype, 12).reshape(3, 4)),
        host(dtype, 1)[0:0],
        host(dtype, 1)[0],
    ):
        x = np.asarray(x)
        a = gpuarray.to_gpu(x)
        same(a, x)
        assert (
            (a.strides == x.strides or not x.size) and a.size == x.size == a.mem_size and a.nbytes == x.nbytes and a.itemsize == x.itemsize
        )
        assert (a.flags.c_contiguous, a.flags.f_contiguous, a.flags.forc) == (x.flags.c_contiguous, x.flags.f_contiguous, x.flags.forc)
        assert (a.get().strides == x.strides or not x.size) and a.ndim == x.ndim


def test_a_transposed_host_array_keeps_its_values(device):
    x = np.arange(24.0).reshape(2, 3, 4)
    for y in (x.T, x[:, ::-1], x[:, ::2, 1:3], x.transpose(1, 0, 2)):
        same(gpuarray.to_gpu(y), y)


COMPARISONS = ["lt", "le", "eq", "ne", "gt", "ge"]
OPERATORS = ["add", "sub", "mul", *COMPARISONS]


def wanted_of(name, x, y, array):
    """NumPy's result; comparisons are 0 or 1 in the arrays' common dtype, beside a number in the array's."""
    result = getattr(operator, name)(x, y)
    both = all(isinstance(z, np.ndarray) for z in (x, y))
    return result.astype(np.result_type(x, y) if both else array.dtype) if name in COMPARISONS else result


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize(
    "dtypes",
    [("float32", "float32"), ("float32", "float64"), ("int32", "float32"), ("int32", "int64"), ("uint8", "int8"), ("complex64", "float64")],
)
def test_operators_of_two_arrays(device, name, dtypes):
    x, y = host(dtypes[0]), host(dtypes[1], seed=1)
    if x.dtype.kind == "c" and name in ("lt", "le", "gt", "ge"):
        return
    same(getattr(operator, name)(gpuarray.to_gpu(x), gpuarray.to_gpu(y)), wanted_of(name, x, y, x))


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("dtype", ["float32", "int32", "complex128"])
@pytest.mark.parametrize("number", [2, 2.5, np.float32(3), np.int64(7), np.float64(1.5)])
def test_operators_with_numbers(device, name, dtype, number):
    x = host(dtype)
    if dtype == "complex128" and name in ("lt", "le", "gt", "ge"):
        return
    op, a = getattr(operator, name), gpuarray.to_gpu(x)
    same(op(a, number), wanted_of(name, x, number, x))
    same(op(number, a), wanted_of(name, number, x, x))


def test_python_numbers_keep_the_dtype(device):
    a = gpuarray.to_gpu(host("float32"))
    for b in (a + 1, 2.5 * a, a - 1.0, a / 3, 3 / a, a**2, 2**a, a**0.5):
        assert b.dtype == np.float32
    assert (a * np.float64(2)).dtype == np.float64
    assert (gpuarray.to_gpu(host("int32")) * 2).dtype == np.int32
    assert (gpuarray.to_gpu(host("int32")) * 2.0).dtype == np.float64


def test_division(device):
    x, y = host("float32"), host("float32", seed=1)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    same(a / b, x / y)
    same(a / 3, x / np.float32(3))
    same(3 / a, np.float32(3) / x)
    a /= b
    same(a, x / y)
    c = gpuarray.to_gpu(host("complex64"))
    same(c / 2, host("complex64") / 2)


def test_division_of_integers_is_that_of_c(device):
    x, y = np.array([7, -7, 7, -7, 5, 0, 9], np.int32), np.array([2, 2, -2, -2, 5, 3, 0], np.int32)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    same(a / b, np.array([3, -3, -3, 3, 1, 0, 0], np.int32))
    same(a / 2, np.array([3, -3, 3, -3, 2, 0, 4], np.int32))
    same(100 / b, np.array([50, 50, -50, -50, 20, 33, 0], np.int32))
    same(gpuarray.to_gpu(x.astype(np.uint8)) / 2, x.astype(np.uint8) // 2)
    a /= 2
    same(a, np.array([3, -3, 3, -3, 2, 0, 4], np.int32))


def test_powers(device):
    x = np.abs(host("float32")) + 1
    a = gpuarray.to_gpu(x)
    same(a**2, x**2)
    same(a**-1.5, x ** np.float32(-1.5))
    same(a**a, x**x)
    same(2**a, 2**x)
    same(gpuarray.to_gpu(np.arange(5)) ** 3, np.arange(5) ** 3)
    a **= 2
    same(a, x**2)


def test_unary(device):
    for dtype in ("int32", "float32", "complex64"):
        x = host(dtype)
        a = gpuarray.to_gpu(x)
        same(-a, -x)
        same(+a, +x)
        same(abs(a), abs(x))
    x = host("int32")
    same(gpuarray.to_gpu(x) // 7, x // 7)
    same(gpuarray.to_gpu(x) % 7, x % 7)


def test_in_place_keeps_dtype_and_memory(device):
    x = host("float32")
    a = gpuarray.to_gpu(x)
    view, address = a[2:5], a.ptr
    a += 1
    a *= np.float64(2)
    a -= gpuarray.to_gpu(x.astype(np.float64))
    same(a, ((x + 1) * 2 - x).astype(np.float32))
    assert a.ptr == address and a.dtype == np.float32
    same(view, a.get()[2:5])
    i = gpuarray.to_gpu(np.arange(5, dtype=np.int32))
    i *= 1.5
    same(i, np.array([0, 1, 3, 4, 6], np.int32))


def test_nothing_broadcasts_but_arrays_without_axes(device):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    a = gpuarray.to_gpu(x)
    for other in (gpuarray.to_gpu(x[:1]), gpuarray.to_gpu(x[0]), gpuarray.to_gpu(x.T)):
        for op in (operator.add, operator.mul, operator.truediv, operator.eq, operator.pow, operator.iadd):
            with pytest.raises(NotImplementedError):
                op(a, other)
    one = gpuarray.to_gpu(np.array(2, np.float32))
    same(a * one, x * 2)
    same(one - a, 2 - x)
    a += one
    same(a, x + 2)
    with pytest.raises(NotImplementedError):
        one += a


def test_negative_sizes_are_refused(device):
    for call in (lambda: gpuarray.zeros(-1), lambda: gpuarray.zeros((-2, 3), order="F"), lambda: gpuarray.ones(-1, np.float32)):
        with pytest.raises(ValueError, match="negative dimensions are not allowed"):
            call()


def test_what_is_no_array_is_refused(device):
    a = gpuarray.to_gpu(host())
    for other in (host(), [1] * 10, "x", None):
        with pytest.raises(TypeError):
            a + other
        with pytest.raises(TypeError):
            other * a
    with pytest.raises(TypeError):
        hash(a)
    with pytest.raises(TypeError):
        gpuarray.to_gpu(np.zeros(3, "S4"))
    with pytest.raises(TypeError):
        gpuarray.empty(3, "O")


def test_slices(device):
    x = host("float32", 60).reshape(5, 12)
    a = gpuarray.to_gpu(x)
    for key in (
        2,
        -1,
        (1, 3),
        slice(1, 4),
        slice(None, None, -1),
        (slice(None), slice(2, 11, 3)),
        (slice(4, 0, -2), slice(None, None, -1)),
        (..., 3),
        (None, 1),
        (slice(2, 2),),
    ):
        part = a[key]
        same(part, np.asarray(x[key]))
        if part.size and part.ndim:
            assert part.strides == np.asarray(x[key]).strides
            assert part.ptr - a.ptr == np.asarray(x[key]).__array_interface__["data"][0] - x.__array_interface__["data"][0]
    with pytest.raises(IndexError):
        a[5]
    with pytest.raises(IndexError):
        a[0, 0, 0]
    assert len(a) == 5 and [r.shape for r in a] == [(12,)] * 5
    with pytest.raises(TypeError):
        len(a[0, 0])


def test_slices_are_written(device):
    x = host("float32", 60).reshape(5, 12)
    a = gpuarray.to_gpu(x)
    for key in (2, (1, 3), slice(1, 4), (slice(None), slice(2, 11, 3)), (slice(4, 0, -2), slice(None, None, -1))):
        values = np.asarray(np.random.default_rng(1).standard_normal(np.shape(x[key])), np.float32)
        a[key] = gpuarray.to_gpu(values)
        x[key] = values
        same(a, x)
        a[key] = values * 2
        x[key] = values * 2
        same(a, x)
        a[key] = 7
        x[key] = 7
        same(a, x)
        a[key] += 1
        x[key] += 1
        same(a, x)
    with pytest.raises(ValueError):
        a[0] = a[:, 0]
    with pytest.raises(TypeError):
        a[0] = a[0].astype(np.float64)
    with pytest.raises(TypeError):
        a[0] = "x"


def test_set_and_get(device):
    x = host("float32", 12).reshape(3, 4)
    a = gpuarray.empty((3, 4), np.float32)
    a.set(x)
    same(a, x)
    out = np.zeros_like(x)
    assert a.get(out) is out and np.array_equal(out, x)
    out = np.zeros_like(x, order="F")
    assert np.array_equal(a.get(ary=out), x)
    assert np.array_equal(a.get(pagelocked=True), x)
    a.T.set(x.T * 2)
    same(a, x * 2)
    for wrong in (np.zeros(5, np.float32), x.astype(np.float64)):
        with pytest.raises(ValueError):
            a.set(wrong)
        with pytest.raises(ValueError if wrong.size != 12 else TypeError):
            a.get(wrong)
    with pytest.raises(TypeError):
        a.get(nonsense=1)


def test_set_and_get_in_streams(device):
    x = host("float32", 10_000)
    stream = drv.Stream()
    pinned = drv.pagelocked_empty(x.shape, x.dtype)
    pinned[:] = x
    a = gpuarray.to_gpu_async(pinned, stream=stream)
    b = gpuarray.empty_like(a)
    b.set_async(pinned, stream)
    triple = SourceModule("__global__ void f(float* x) { x[threadIdx.x + blockIdx.x * blockDim.x] *= 3; }").get_function("f")
    for pointer in (a, a.gpudata, int(a.gpudata)):
        triple(pointer, block=(100, 1, 1), grid=(100, 1), stream=stream)
    out = drv.pagelocked_empty(x.shape, x.dtype)
    assert a.get_async(stream, out) is out
    new = b.get_async(stream=stream)
    turned = a.reshape(100, 100).T.get_async(stream)
    stream.synchronize()
    assert np.allclose(out, 27 * x, rtol=1e-6) and np.array_equal(new, x) and np.array_equal(turned, out.reshape(100, 100).T)
    assert np.array_equal(a[::2].get(stream=stream), out[::2])


def test_array_work_and_kernels_see_each_other(device):
    f = SourceModule("__global__ void f(float* y, const float* x) { y[threadIdx.x] += x[threadIdx.x]; }").get_function("f")
    x = host("float32", 32)
    a = gpuarray.to_gpu(x)
    b = 2 * a + 1
    f(b, a * 3, block=(32, 1, 1))
    c = b - 1
    f(b.gpudata, a.gpudata, block=(32, 1, 1))
    f(int(b.gpudata), a.ptr, block=(32, 1, 1))
    same(c, (2 * x + 1) + 3 * x - 1)
    same(b, (2 * x + 1) + 3 * x + x + x)
    f.prepare("PP")
    f.prepared_call((1, 1), (32, 1, 1), b.gpudata, a.gpudata)
    f.prepared_call((1, 1), (32, 1, 1), b[:].gpudata, a.gpudata)
    same(b, (2 * x + 1) + 3 * x + 4 * x)
    part = gpuarray.zeros(64, np.float32)
    f(part[32:], a, block=(32, 1, 1))
    f(part[32:].gpudata, a, block=(32, 1, 1))
    f(part.gpudata + 128, a, block=(32, 1, 1))
    same(part, np.concatenate([0 * x, x + x + x]))


def test_copies_and_memsets_see_array_work(device):
    x = host("float32", 100)
    a = gpuarray.to_gpu(x) * 2
    out = np.empty_like(x)
    drv.memcpy_dtoh(out, a.gpudata)
    assert np.array_equal(out, 2 * x)
    b = a + 1
    drv.memcpy_htod(a.gpudata, x)
    same(b, 2 * x + 1)
    same(a, x)
    drv.memcpy_dtod(a.gpudata, b.gpudata, b.nbytes)
    same(a, 2 * x + 1)
    b += 5
    drv.memset_d32(a.gpudata, 0, 50)
    same(a, np.where(np.arange(100) < 50, np.float32(0), 2 * x + 1))
    start, end = drv.Event(), drv.Event()
    start.record()
    c = b * b
    end.record()
    end.synchronize()
    assert start.time_till(end) >= 0
    same(c, (2 * x + 6) ** 2)


def test_arrays_over_memory_of_others(device):
    memory = drv.mem_alloc(48)
    a = gpuarray.GPUArray((3, 4), np.float32, gpudata=memory)
    a.fill(2)
    out = np.empty(12, np.float32)
    drv.memcpy_dtoh(out, memory)
    assert (out == 2).all()
    drv.memcpy_htod(memory, np.arange(12, dtype=np.float32))
    same(a, np.arange(12, dtype=np.float32).reshape(3, 4))
    b = gpuarray.GPUArray((2, 2), np.float32, base=a, gpudata=int(a.gpudata) + 4, strides=(16, 8))
    same(b, np.array([[1, 3], [5, 7]], np.float32))
    b *= 10
    assert a.get()[0, 1] == 10
    c = gpuarray.GPUArray(a.shape, a.dtype, gpudata=a.gpudata)
    del a, memory
    assert c.get()[0, 1] == 10
    x = gpuarray.to_gpu(np.arange(12, dtype=np.float32))
    part, bits = gpuarray.GPUArray((2, 3), np.float32, gpudata=x[3:].gpudata), gpuarray.GPUArray((12,), np.int32, gpudata=x.gpudata)
    same(part, np.arange(3, 9, dtype=np.float32).reshape(2, 3))
    same(bits, np.arange(12, dtype=np.float32).view(np.int32))
    same(gpuarray.GPUArray((2, 3), np.float32, gpudata=x.gpudata, order="F"), np.arange(6, dtype=np.float32).reshape(2, 3, order="F"))
    same(gpuarray.GPUArray((3,), np.float32, gpudata=x.gpudata, strides=(12,)), np.array([0, 3, 6], np.float32))
    same(gpuarray.GPUArray((3,), np.float32, gpudata=x[8:].gpudata, strides=(-8,)), np.array([8, 6, 4], np.float32))
    part *= 2
    assert x.get()[3] == 6 and part.ptr == x.ptr + 12
    sizes = []

    def allocate(size):
        sizes.append(size)
        return drv.mem_alloc(size)

    for d in (gpuarray.zeros(5, np.int32, allocator=allocate), gpuarray.to_gpu(np.zeros(5, np.int32), allocator=allocate)):
        same(d, np.zeros(5, np.int32))
        assert d.allocator is allocate and isinstance(d.gpudata, drv.DeviceAllocation)
    assert sizes == [20, 20]
    e = gpuarray.zeros(3, np.int32)
    e.name = "its own"
    assert e.name == "its own" and int(e.gpudata) == e.ptr and hash(e.gpudata) == hash(e.ptr) and e.gpudata == e[:].gpudata


def test_kernels_on_memory_of_others_see_array_work(device):
    f = SourceModule("__global__ void f(float* x) { x[threadIdx.x] += threadIdx.x; }").get_function("f")
    memory = drv.mem_alloc(40)
    a = gpuarray.GPUArray((10,), np.float32, gpudata=memory)
    wanted = np.zeros(10, np.float32)
    a.fill(0)
    for pointer in (memory, a.gpudata, int(memory), a):
        a += 1
        a *= 2
        f(pointer, block=(10, 1, 1))
        wanted = (wanted + 1) * 2 + np.arange(10, dtype=np.float32)
    same(a, wanted)


def test_new_arrays(device):
    for make in (gpuarray.zeros, gpuarray.ones):
        wanted = getattr(np, make.__name__)
        same(make((2, 3), np.float32), wanted((2, 3), np.float32))
        same(make(4), wanted(4))
        assert make((2, 3), np.int8, order="F").strides == wanted((2, 3), np.int8, order="F").strides
        same(make((), np.int32), wanted((), np.int32))
    a = gpuarray.empty((2, 3), np.float32, order="F")
    assert a.shape == (2, 3) and a.strides == (4, 8) and a.flags.f_contiguous and isinstance(a, gpuarray.empty)
    for like in (gpuarray.zeros_like, gpuarray.ones_like, gpuarray.empty_like):
        assert like(a).strides == (4, 8) and like(a, dtype=np.int64).dtype == np.int64 and like(a, order="C").strides == (12, 4)
    same(gpuarray.zeros_like(a), np.zeros((2, 3), np.float32))
    same(gpuarray.ones_like(a), np.ones((2, 3), np.float32))
    with pytest.raises(ValueError):
        gpuarray.empty((-1,), np.float32)
    with pytest.raises(ValueError):
        gpuarray.zeros(3, np.float32, order="X")


@pytest.mark.parametrize("args", [(5,), (1, 7), (1, 7, 2), (5, 0, -1), (0, 1, 0.25), (0,), (3, 1)])
@pytest.mark.parametrize("dtype", [None, np.float32, np.int32])
def test_arange(device, args, dtype):
    if dtype is np.int32 and 0.25 in args:
        return
    same(gpuarray.arange(*args, dtype=dtype), np.arange(*args, dtype=dtype))


def test_arange_refuses(device):
    for args, kwargs in (((), {}), ((1, 2, 3, "f4", 5), {}), ((1,), {"nonsense": 1}), ((1,), {"stop": 2})):
        with pytest.raises(ValueError):
            gpuarray.arange(*args, **kwargs)
    same(gpuarray.arange(5, np.dtype(np.int16)), np.arange(5, dtype=np.int16))
    same(gpuarray.arange(0.9, 5.9, 1.5, dtype=np.int32), np.arange(0, 5, 1, dtype=np.int32))  # of the dtype before they are counted with


def test_shapes(device):
    x = host("float32", 24).reshape(2, 3, 4)
    a = gpuarray.to_gpu(x)
    same(a.reshape(6, 4), x.reshape(6, 4))
    same(a.reshape((4, -1)), x.reshape(4, -1))
    same(a.reshape(6, 4, order="F"), x.ravel().reshape(6, 4, order="F"))  # the memory stays as it is
    assert a.reshape(6, 4, order="F").flags.f_contiguous and a.T.reshape(4, 6).flags.c_contiguous
    same(a.T.reshape(4, 6), x.reshape(4, 6))
    same(a.T.reshape((4, 6), order="F"), x.reshape(6, 4).T)
    same(a.T.ravel(), x.ravel())
    same(a[:, ::2].reshape(2, -1), x[:, ::2].reshape(2, -1))
    same(a[:, :, 1:3].ravel(), x[:, :, 1:3].ravel())
    same(gpuarray.reshape(a, 24), x.reshape(24))
    same(a.ravel(), x.ravel())
    same(a.T, x.T)
    same(a.transpose((1, 0, 2)), x.transpose(1, 0, 2))
    same(gpuarray.transpose(a, [2, 0, 1]), x.transpose(2, 0, 1))
    same(a[:, :1].squeeze(), x[:, :1].squeeze())
    same(a.view(np.int32), x.view(np.int32))
    same(a.view(np.complex64), x.view(np.complex64))
    same(a.T.view(np.int16), x.view(np.int16).T)
    same(a.T.view(np.float64), x.view(np.float64).T)
    same(a.transpose((0, 2, 1)).view(np.int16), x.view(np.int16).transpose(0, 2, 1))
    same(a.transpose((2, 0, 1))[:2].view(np.float64), x[..., :2].view(np.float64).transpose(2, 0, 1))
    same(a[:, 1:].view(np.int16), x[:, 1:].view(np.int16))
    a.ravel()[0] = 99
    a.reshape(24)[1] = 98
    a.reshape(6, 4, order="F")[2, 0] = 96
    a.T.ravel()[3] = 95
    assert a.get()[0, 0].tolist()[2:] == [96, 95]
    a.T[0, 0, 1] = 97
    assert a.get().ravel()[:2].tolist() == [99, 98] and a.get()[1, 0, 0] == 97
    assert a.T.flags.f_contiguous and a.T.strides == x.T.strides
    for wrong in (lambda: a.reshape(5, 5), lambda: a.transpose((0, 0, 1)), lambda: a.reshape(-1, -1)):
        with pytest.raises(ValueError):
            wrong()


def test_copies(device):
    x = np.asfortranarray(host("float32", 12).reshape(3, 4))
    a = gpuarray.to_gpu(x)
    for b in (a.copy(), copy.copy(a), copy.deepcopy(a), pickle.loads(pickle.dumps(a)), a.astype(np.float32)):
        same(b, x)
        assert b.strides == a.strides
        b += 1
        same(a, x)
    same(a.astype(np.int32), x.astype(np.int32))
    same(gpuarray.to_gpu(x.astype(np.complex64)).astype(np.complex128), x.astype(np.complex128))
    same(a[::-1, ::2].copy(), x[::-1, ::2])


def test_complex_parts_are_dense(device):
    x = host("complex64", 12).reshape(3, 4)
    a = gpuarray.to_gpu(x)
    for got, wanted in ((a.real, x.real), (a.imag, x.imag), (a.conj(), x.conj()), (a.conjugate(), x.conj())):
        same(got, np.ascontiguousarray(wanted))
        assert got.flags.c_contiguous
    out = gpuarray.empty_like(a)
    assert a.conj(out=out) is out
    same(out, x.conj())
    wide = gpuarray.to_gpu(x.astype(np.complex128))
    assert wide.conj(out=out) is out and (out[:1] * 0).get().any() == 0
    same(out, x.conj())
    r = gpuarray.to_gpu(x.real.copy())
    assert r.real is r and r.conj() is r
    same(r.imag, np.zeros((3, 4), np.float32))


def test_methods(device):
    x = host("float32")
    a = gpuarray.to_gpu(x)
    same(a.mul_add(2, a + 1, -3), 2 * x - 3 * (x + 1))
    same(a.mul_add(np.float64(2), a, 1.0), 3 * x)
    same(a._axpbyz(2, a, 1, gpuarray.empty_like(a)), 3 * x)
    times, begin = [], time.perf_counter()
    for stream in (None, drv.Stream()):
        same(a.mul_add(2, a, 1, add_timer=lambda size, time: times.append((size, time())), stream=stream), 3 * x)
    whole = time.perf_counter() - begin  # of which each is a part, in seconds
    assert [size for size, _ in times] == [30, 30] and all(0 < seconds <= whole for _, seconds in times)
    same(a.reverse(), x[::-1])
    b = gpuarray.empty_like(a)
    assert b.fill(3) is b
    same(b, np.full(10, 3, np.float32))
    assert a.any().get() and a.all().get() and not gpuarray.zeros(3, np.float32).any().get() and a.any().dtype == bool
    assert bool(gpuarray.to_gpu(np.array(3.0))) and not bool(gpuarray.zeros((), np.int32))
    assert bool(gpuarray.ones((1, 1), np.float32)) and not gpuarray.zeros(1, np.float32)
    with pytest.raises(ValueError):
        bool(a)
    assert str(a) == str(x) and repr(a) == repr(x)


def test_exchange(device):
    x = host()
    a = gpuarray.to_gpu(x)
    if device.kind == "cpu":
        assert np.array_equal(np.from_dlpack(a), x)
    else:
        assert a.__cuda_array_interface__["data"][0] == a.ptr
    assert isinstance(np.sum(a), gpuarray.GPUArray)


def test_concatenate_and_stack(device):
    x, y = host("float32", 12).reshape(3, 4), host("float32", 8, 1).reshape(2, 4)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    same(gpuarray.concatenate((a, b)), np.concatenate((x, y)))
    same(gpuarray.concatenate([a, 2 * a], axis=1), np.concatenate((x, 2 * x), 1))
    for axis in (0, 1, 2):
        same(gpuarray.stack([a, a + 1], axis), np.stack([x, x + 1], axis))
    same(gpuarray.stack([a, a + 1], -1), np.stack([x, x + 1], -1))
    assert gpuarray.stack([a, a], 1).flags.f_contiguous and gpuarray.stack([a.T, a.T]).flags.c_contiguous
    assert gpuarray.concatenate([a.T, a.T]).flags.c_contiguous
    same(gpuarray.stack([a, a.astype(np.float64)]), np.stack([x, x.astype(np.float64)]))
    same(gpuarray.stack([gpuarray.to_gpu(np.array(n)) for n in (1, 2)], -1), np.array([1, 2]))
    for wrong in (
        lambda: gpuarray.concatenate((a, b), 1),
        lambda: gpuarray.stack([]),
        lambda: gpuarray.stack([a, b]),
        lambda: gpuarray.stack([a], 5),
    ):
        with pytest.raises(ValueError):
            wrong()


def test_take_and_put(device):
    x = host("float32", 20)
    where = np.array([3, 0, 19, 7, 3], np.uint32)
    a, at = gpuarray.to_gpu(x), gpuarray.to_gpu(where)
    same(gpuarray.take(a, at), x[where])
    out = gpuarray.empty(5, np.float32)
    assert gpuarray.take(a, at, out=out) is out
    same(out, x[where])
    for got, wanted in zip(gpuarray.multi_take([a, a * 2], at), (x[where], x[where] * 2), strict=True):
        same(got, wanted)
    places = np.array([4, 1, 0, 3, 2], np.int32)
    (put,) = gpuarray.multi_put([out], gpuarray.to_gpu(places))
    wanted = np.empty(5, np.float32)
    wanted[places] = x[where]
    same(put, wanted)
    into = [gpuarray.zeros((2, 5), np.float32)]
    gpuarray.multi_put([out], gpuarray.to_gpu(places + 5), out=into)
    same(into[0], np.stack([0 * wanted, wanted]))
    (both,) = gpuarray.multi_take_put([a], gpuarray.to_gpu(places), at, dest_shape=(5,), src_offsets=[0])
    same(both, wanted)
    (both,) = gpuarray.multi_take_put([a], gpuarray.to_gpu(places), gpuarray.to_gpu(where - where), (5,), src_offsets=[2])
    same(both, np.full(5, x[2]))
    assert gpuarray.multi_put([], at) == []
    with pytest.raises(TypeError):
        gpuarray.take(a, a)


def test_choosing(device):
    x, y = host("float32"), host("float32", seed=1)
    x[3] = 0
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    same(gpuarray.if_positive(a, a, b), np.where(x > 0, x, y))
    same(gpuarray.where(a, a, b), np.where(x, x, y))
    out = gpuarray.empty_like(a)
    assert gpuarray.if_positive(a > 0, a, b, out=out) is out
    same(out, np.where(x > 0, x, y))
    with pytest.raises(ValueError):
        gpuarray.if_positive(a, a[:5], b[:5])
    with pytest.raises(ValueError):
        gpuarray.where(a, a, b.astype(np.float64))
    x[0], y[1], x[2], y[2] = np.nan, np.nan, np.nan, np.nan
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    same(gpuarray.maximum(a, b), np.fmax(x, y))
    same(gpuarray.minimum(a, b), np.fmin(x, y))
    same(gpuarray.maximum(a, 0), np.fmax(x, np.float32(0)))
    same(gpuarray.minimum(1.5, a), np.fmin(np.float32(1.5), x))
    i = gpuarray.arange(5, dtype=np.int32)
    same(gpuarray.maximum(i, 2), np.maximum(np.arange(5, dtype=np.int32), 2))
    same(gpuarray.maximum(a, b.astype(np.float64)), np.fmax(x, y))  # in the first one's dtype
    same(gpuarray.minimum(np.float64(0.5), a), np.fmin(np.float32(0.5), x))
    same(gpuarray.minimum(i, gpuarray.arange(5, dtype=np.float32) - 0.5), np.minimum(np.arange(5), np.arange(5) - 0.5).astype(np.int32))


def test_logic(device):
    x, y = np.array([0, 1, 2, 0]), np.array([0.0, 0.0, 1.0, 5.0])
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    same(gpuarray.logical_and(a, b), np.logical_and(x, y))
    same(gpuarray.logical_or(a, b), np.logical_or(x, y))
    same(gpuarray.logical_or(a, 1), np.ones(4, bool))
    same(gpuarray.logical_not(b), np.logical_not(y))
    same(gpuarray.logical_and(1, 0), np.array(False))
    assert gpuarray.any(a).get() and not gpuarray.all(a).get()
    with pytest.raises(ValueError):
        gpuarray.logical_and(a, x)
    with pytest.raises(ValueError):
        gpuarray.logical_and(a, b[:2])


@pytest.mark.parametrize("n", [1, 7, 1000, 1_000_003])
@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "complex64"])
def test_reductions(device, n, dtype):
    x, y = host(dtype, n), host(dtype, n, 1)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    close = {"rtol": 1e-4 if np.dtype(dtype).itemsize <= 8 else 1e-10, "atol": 1e-3 * n**0.5}
    total = gpuarray.sum(a)
    assert total.shape == () and total.dtype == x.dtype and np.allclose(total.get(), x.sum(dtype=np.complex128), **close)
    product = gpuarray.dot(a, b)
    wide = np.int64 if x.dtype.kind == "i" else np.complex128
    assert product.shape == () and product.dtype == x.dtype and np.allclose(product.get(), (x.astype(wide) * y).sum(), **close)
    assert gpuarray.sum(a, dtype=np.complex128).dtype == np.complex128
    if dtype != "complex64":
        same(gpuarray.max(a), x.max())
        same(gpuarray.min(a), x.min())
        assert float(gpuarray.max(a).get()) == x.max()


def test_reductions_at_the_edges(device):
    x = np.array([np.nan, -3, 5, np.nan], np.float32)
    a = gpuarray.to_gpu(x)
    same(gpuarray.max(a), np.float32(5))
    same(gpuarray.min(a), np.float32(-3))
    none = gpuarray.empty(0, np.float32)
    assert gpuarray.max(none).get() == -np.inf and gpuarray.min(none).get() == np.inf and gpuarray.sum(none).get() == 0
    assert gpuarray.min(gpuarray.empty(0, np.int32)).get() == 2**31 - 1
    y = host("float32", 20).reshape(4, 5)
    b = gpuarray.to_gpu(y)
    assert np.allclose(gpuarray.sum(b[::2, ::-1]).get(), y[::2].sum(), rtol=1e-5)
    assert np.allclose(gpuarray.dot(b, b.reshape(20)).get(), (y * y).sum(), rtol=1e-5)
    with pytest.raises(ValueError):
        gpuarray.dot(b, b[1:])
    at = np.array([1, 3, 5], np.int32)
    c = gpuarray.to_gpu(y.ravel())
    subset = gpuarray.to_gpu(at)
    assert np.allclose(gpuarray.subset_sum(subset, c).get(), y.ravel()[at].sum())
    assert np.allclose(gpuarray.subset_dot(subset, c, c).get(), (y.ravel()[at] ** 2).sum())
    same(gpuarray.subset_max(subset, c), y.ravel()[at].max())
    same(gpuarray.subset_min(subset, c), y.ravel()[at].min())


def test_vector_types(device):
    v = gpuarray.vec.make_float3(1, 2, 3)
    assert gpuarray.vec.make_float3(x=1, z=3, y=2) == v == gpuarray.vec.make_float3(1, z=3, y=2)
    with pytest.raises(TypeError):
        gpuarray.vec.make_float2(1, x=2)
    assert gpuarray.vec.float3.names == ("x", "y", "z") and v["y"] == 2 and v.dtype == gpuarray.vec.float3
    f = SourceModule("__global__ void f(float* o, float3 v, int2 w) { o[0] = v.x + v.y * v.z; o[1] = w.y; }").get_function("f")
    out = gpuarray.zeros(2, np.float32)
    f(out, v, gpuarray.vec.make_int2(4, -5), block=(1, 1, 1))
    same(out, np.array([7, -5], np.float32))
    with pytest.raises(ValueError):
        gpuarray.vec.make_int2(1, 2, 3)


def test_work_is_recorded_and_fused(device):
    from quern.lib import _engine

    x = host("float32", 1_000_000)
    a = gpuarray.to_gpu(x)
    b = ((a * 2 + 1) * a - 3) / 2
    assert _engine.array_pending() > 0
    same(b, ((x * 2 + 1) * x - 3) / 2)
