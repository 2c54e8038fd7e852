"""What Python objects are to kernels, operators and functions: every front end reads the same value from the same object."""

import ctypes
import enum

import ml_dtypes
import numpy as np
import pytest
import quern
import quern as qn
from quern import cuda
from quern.pycuda import driver
from quern.pycuda.compiler import SourceModule

SOURCE = """
struct Pair { float x; int n; };
extern "C" __global__ void whole(int* out, int v) { out[0] = v; }
extern "C" __global__ void real(float* out, float v) { out[0] = v; }
extern "C" __global__ void pair(float* out, Pair p) { out[0] = p.x + p.n; }
__global__ void typed_whole(int* out, int v) { out[0] = v; }
__global__ void typed_real(float* out, float v) { out[0] = v; }
__global__ void typed_pair(float* out, Pair p) { out[0] = p.x + p.n; }
__global__ void typed_pointer(float* out, const float* p) { out[0] = p[0]; }
"""
TYPES = {"whole": np.int32, "real": np.float32, "pair": np.float32, "pointer": np.float32}


class Number(enum.IntEnum):
    three = 3


class Real(float):
    pass


class Complex(complex):
    pass


class Index:
    def __index__(self):
        return 7


class Pair(ctypes.Structure):
    _fields_ = [("x", ctypes.c_float), ("n", ctypes.c_int)]


PAIR = np.array([(1.5, 2)], np.dtype([("x", "f4"), ("n", "i4")]))


@pytest.fixture(params=["RawKernel", "SourceModule"])
def call(request, device):
    """A kernel of the source, called with one value; what it stored."""
    names = [f"typed_{name}" for name in TYPES]
    raw = quern.RawModule(code=SOURCE, name_expressions=names)

    def by_raw(name, value):
        out = qn.zeros(1, TYPES[name.removeprefix("typed_")])
        raw.get_function(name)((1,), (1,), (out, value))
        return qn.asnumpy(out)[0]

    def by_driver(name, value):
        symbol = {"whole": "Pii", "real": "Pff", "pair": "Pf4Pair", "pointer": "PfPKf"}
        plain = name.removeprefix("typed_")
        function = SourceModule(SOURCE, no_extern_c=True).get_function(
            name if name == plain else f"_Z{len(name)}{name}{symbol[plain]}"
        )
        host = np.zeros(1, TYPES[plain])
        memory = driver.mem_alloc(4)
        function(memory, value, block=(1, 1, 1))
        driver.memcpy_dtoh(host, memory)
        return host[0]

    return by_raw if request.param == "RawKernel" else by_driver


@pytest.mark.parametrize("prefix", ["", "typed_"])
def test_what_kernels_in_cuda_take_by_value(call, device, prefix):
    for value, wanted in (
        (Number.three, 3),
        (Index(), 7),
        (ctypes.c_int(5), 5),
        (np.int32(-4), -4),
        (np.array(9, np.int32), 9),
        (np.array([9], np.int32), 9),
    ):
        assert call(prefix + "whole", value) == wanted, value
    for value, wanted in (
        (Real(2.5), 2.5),
        (Number.three, 3),
        (ctypes.c_float(1.5), 1.5),
        (np.float32(0.5), 0.5),
        (np.array(2.5, np.float32), 2.5),
    ):
        assert call(prefix + "real", value) == wanted, value
    for value in (Pair(1.5, 2), PAIR[0]):
        assert call(prefix + "pair", value) == 3.5, value
    for value in (PAIR, PAIR.reshape(())):  # of as many bytes as a pointer
        assert call(prefix + "pair", value) == 3.5, value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("whole", ctypes.c_float(1.5)),
        ("real", ctypes.c_int(5)),
        ("whole", Real(2.5)),
        ("whole", np.float32(1.5)),
        ("whole", np.array(1.5, np.float32)),
        ("real", np.array(3, np.int32)),
        ("whole", np.zeros(2, np.int32)),
        ("pair", np.zeros(3, np.float32)),
        ("pair", (1.5, 2)),
        ("pointer", np.zeros(2, np.float32)),  # as many bytes as a pointer has
        ("pointer", np.zeros(5, np.float32)),
        ("real", None),
        ("real", "1.5"),
        ("real", [1.5]),
        ("real", np.datetime64(1, "s")),
    ],
)
def test_what_they_refuse(call, name, value):
    with pytest.raises(TypeError, match="argument 2|parameter #1"):
        call("typed_" + name, value)


def test_a_parameter_of_unknown_type_takes_no_host_array_for_a_pointer(device):
    kernel = quern.RawKernel('extern "C" __global__ void f(float* out, const float* p) { out[0] = p[0]; }', "f")
    with pytest.raises(TypeError, match="argument 2 of 'f' is a NumPy array in host memory"):
        kernel((1,), (1,), (qn.zeros(1, "float32"), np.zeros(1)))


def test_arrays_in_managed_memory_are_device_memory_for_every_kernel(call):
    managed = driver.managed_empty(4, np.float32, mem_flags=driver.mem_attach_flags.GLOBAL)
    managed[:] = [4, 5, 6, 7]
    assert call("typed_pointer", managed) == 4
    assert call("typed_pointer", managed[2:]) == 6


def test_what_kernels_in_python_take(device):
    @cuda.jit
    def store(out, value):
        out[0] = value

    def stored(value, dtype=np.float64):
        out = cuda.to_device(np.zeros(1, dtype))
        store[1, 1](out, value)
        return out.copy_to_host()[0]

    assert stored(Number.three) == 3
    assert stored(Real(2.5)) == 2.5
    assert stored(Complex(1 + 2j), np.complex128) == 1 + 2j
    for value in (np.float16(1.5), ml_dtypes.bfloat16(1.5), np.float32(2.5), np.int8(-3), np.uint8(200), np.True_):
        assert stored(value) == float(value)
    assert stored(np.uint64(2**63 + 1), np.uint64) == 2**63 + 1
    assert stored(np.complex64(1 + 2j), np.complex128) == 1 + 2j
    assert stored(np.datetime64(7, "s"), "M8[s]") == np.datetime64(7, "s")
    with pytest.raises(TypeError, match="cannot be written into an element of type float64"):
        stored(np.datetime64(1, "s"))
    for value in (Index(), ctypes.c_int(2), [1], "1", np.longdouble(1)):
        with pytest.raises(TypeError, match="argument 2 is a"):
            stored(value)


@pytest.mark.parametrize("value", [np.zeros(3), np.array(3), True, 1.5, "3", [3]], ids=repr)
def test_what_is_no_device_memory(device, value):
    with pytest.raises(TypeError, match="device memory is needed"):
        driver.memcpy_htod(value, np.zeros(3))


def test_numbers_derived_from_pythons_are_weak_as_those_are(device):
    for dtype in ("int8", "float32", "complex64"):
        x = np.array([1, 2, 3], dtype)
        for value in (Number.three, Real(2.5), Complex(2j)):
            if isinstance(value, Complex) and dtype == "int8":
                continue
            wanted = x * (type(value).__mro__[1] if not isinstance(value, Number) else int)(value)
            for got in (qn.asarray(x) * value, value * qn.asarray(x), qn.multiply(qn.asarray(x), value)):
                assert got.dtype == wanted.dtype, (dtype, value)
                assert np.array_equal(qn.asnumpy(got), wanted)
    assert qn.asnumpy(qn.full(2, Number.three)).tolist() == [3, 3]


@pytest.mark.parametrize("code", "?bhilqBHILQefdFD")
def test_numpys_numbers_keep_their_type(device, code):
    dtype = np.dtype(code)
    for number in (0, 1, 3, *([-2, 1.1] if dtype.kind in "fc" else ()), *([np.iinfo(dtype).max] if dtype.kind in "iu" else ())):
        value = dtype.type(number)
        for x in (np.array([1, 2, 3], np.int8), np.array([1, 2, 3], np.float32)):
            with np.errstate(all="ignore"):
                wanted = x * value
            got = qn.asarray(x) * value
            assert got.dtype == wanted.dtype
            assert np.array_equal(qn.asnumpy(got), wanted)


def test_bfloat16_numbers(device):
    x = qn.asarray(np.array([1, 2, 3], ml_dtypes.bfloat16))
    got = x * ml_dtypes.bfloat16(1.5)
    assert got.dtype == ml_dtypes.bfloat16
    assert qn.asnumpy(got).astype(float).tolist() == [1.5, 3, 4.5]


def test_indices_of_types_derived_from_numpys(device):
    class Derived(np.ndarray):
        pass

    x = np.arange(5)
    places = np.array([0, 2])
    assert qn.asnumpy(qn.asarray(x)[places.view(Derived)]).tolist() == [0, 2]
    for truth in (np.True_, np.False_):
        assert np.array_equal(qn.asnumpy(qn.asarray(x)[truth]), x[truth])
    assert int(qn.asarray(x)[Number.three]) == 3
