"""PyCUDA's arguments: NumPy's numbers of another width than the parameter, structures by value and by pointer, complex numbers."""

import ml_dtypes
import numpy as np
import pytest
from quern.pycuda import driver as drv
from quern.pycuda.compiler import SourceModule

INTEGERS = {
    "signed char": "int8",
    "short": "int16",
    "int": "int32",
    "long long": "int64",
    "unsigned char": "uint8",
    "unsigned short": "uint16",
    "unsigned int": "uint32",
    "unsigned long long": "uint64",
}
ALL = dict(INTEGERS, float="float32", double="float64")
SOURCE = "".join(f"__global__ void take_{d}({c}* out, int before, {c} v, short after) {{ out[0] = v; out[1] = before + after; }}\n" for c, d in ALL.items())


@pytest.fixture
def take(device):
    module = SourceModule(SOURCE)

    def took(dtype, value):
        out = np.zeros(2, dtype)
        module.get_function(f"take_{dtype}")(drv.Out(out), np.int64(40), value, np.int32(2), block=(1, 1, 1))
        assert out[1] == 42  # the neighbours are whole
        return out[0]

    return took


@pytest.mark.parametrize("dtype", INTEGERS.values())
def test_integers_of_every_width(take, dtype):
    limits = np.iinfo(dtype)
    for given in INTEGERS.values():
        for number in {0, 1, 100, -1, -100, int(limits.min), int(limits.max), int(np.iinfo(given).min), int(np.iinfo(given).max)}:
            if not np.iinfo(given).min <= number <= np.iinfo(given).max:
                continue
            value = np.dtype(given).type(number)
            if limits.min <= number <= limits.max:
                assert take(dtype, value) == number, (given, number)
            elif np.dtype(given).itemsize == np.dtype(dtype).itemsize or limits.bits == 64:
                assert take(dtype, value) == value.astype(dtype)  # the same bytes, or all of them: as in C
            else:
                with pytest.raises(OverflowError, match="argument 3 of 'take_.*does not fit into"):
                    take(dtype, value)
    assert take(dtype, np.True_) == 1


@pytest.mark.parametrize("dtype, given", [("float32", "float64"), ("float64", "float32")])
def test_floats_of_the_other_width(take, dtype, given):
    for number in (0.0, -0.0, 0.1, -2.5, 1e30, np.inf, -np.inf):
        value = np.dtype(given).type(number)
        got = take(dtype, value)
        assert got == value.astype(dtype) and np.signbit(got) == np.signbit(value)
    assert np.isnan(take(dtype, np.dtype(given).type(np.nan)))


@pytest.mark.parametrize("half", [np.float16, ml_dtypes.bfloat16])
def test_halves(device, take, half):
    for dtype in ("float32", "float64"):
        assert take(dtype, half(-1.5)) == -1.5
    with pytest.raises(TypeError, match="argument 3"):
        take("int32", half(1))
    f = SourceModule("__global__ void f(int* out, unsigned short bits) { out[0] = bits; }").get_function("f")
    with pytest.raises(TypeError, match="argument 2"):
        f(drv.Out(np.zeros(1, np.int32)), half(1), block=(1, 1, 1))
    if half is np.float16:
        f = SourceModule("#include <cuda_fp16.h>\n__global__ void f(float* out, __half x) { out[0] = float(x); }").get_function("f")
        out = np.zeros(1, np.float32)
        f(drv.Out(out), half(2.5), block=(1, 1, 1))
        assert out[0] == 2.5


def test_a_float_that_is_too_large(take):
    with pytest.raises(OverflowError, match="does not fit into float"):
        take("float32", np.float64(1e300))


@pytest.mark.parametrize("dtype, value", [("int32", np.float64(1)), ("int64", np.float32(1)), ("float32", np.int64(1)), ("float64", np.int32(1)), ("int32", np.complex64(1)), ("float64", np.complex64(1))])
def test_another_kind_is_refused(take, dtype, value):
    with pytest.raises(TypeError, match="argument 3 of 'take_"):
        take(dtype, value)


def test_booleans(device):
    f = SourceModule("__global__ void f(int* out, bool b) { out[0] = b; }").get_function("f")
    out = np.zeros(1, np.int32)
    for value in (np.True_, np.int32(1), np.int64(256), np.uint64(2**63), True):
        f(drv.Out(out), value, block=(1, 1, 1))
        assert out[0] == 1
    f(drv.Out(out), np.int64(0), block=(1, 1, 1))
    assert out[0] == 0


def test_an_address_is_no_narrow_integer(device):
    f = SourceModule("__global__ void f(int* out) { out[0] = 1; }").get_function("f")
    with pytest.raises(TypeError, match="argument 1"):
        f(np.int32(0), block=(1, 1, 1))


def test_prepared_calls_convert_too(device):
    f = SourceModule("__global__ void f(long long* out, long long a, double b) { out[0] = a; out[1] = b; }").get_function("f")
    out = drv.mem_alloc(16)
    f.prepare("Pif").prepared_call((1, 1), (1, 1, 1), out, -7, 2.0)
    assert drv.from_device(out, 2, np.int64).tolist() == [-7, 2]


def test_complex_numbers_of_both_widths(device):
    f = SourceModule(
        "#include <cuComplex.h>\n__global__ void f(double* o, cuFloatComplex a, cuDoubleComplex b) { o[0] = a.x; o[1] = a.y; o[2] = b.x; o[3] = b.y; }"
    ).get_function("f")
    out = np.zeros(4)
    for first in (np.complex64, np.complex128, complex):
        for second in (np.complex64, np.complex128, complex):
            f(drv.Out(out), first(1 + 2j), second(3 - 4j), block=(1, 1, 1))
            assert out.tolist() == [1, 2, 3, -4]


KIND = np.dtype([("x", np.float32), ("y", np.float64), ("v", np.int16, 3), ("inner", np.dtype([("c", np.uint8), ("n", np.int32)], align=True))], align=True)
STRUCTS = """
struct Inner { unsigned char c; int n; };
struct P { float x; double y; short v[3]; Inner inner; };
__global__ void by_value(double* o, P p) { o[0] = p.x; o[1] = p.y; o[2] = p.v[2]; o[3] = p.inner.c; o[4] = p.inner.n; }
__global__ void by_pointer(P* p, int n) {
  int i = threadIdx.x;
  if (i < n) { p[i].x += 1; p[i].y *= 2; p[i].v[0] = p[i].v[2]; p[i].inner.n = -i; }
}
"""


def test_structures_by_value(device):
    f = SourceModule(STRUCTS).get_function("by_value")
    values = np.array([(1.5, 2.5, (7, 8, 9), (200, -3))], KIND)
    for value in (values[0], values, values.reshape(()), np.void(values[0])):
        out = np.zeros(5)
        f(drv.Out(out), value, block=(1, 1, 1))
        assert out.tolist() == [1.5, 2.5, 9, 200, -3]
    with pytest.raises(TypeError, match="argument 2"):
        f(drv.Out(out), np.zeros(1, [("x", np.float32)])[0], block=(1, 1, 1))


def test_structures_by_pointer(device):
    f = SourceModule(STRUCTS).get_function("by_pointer")
    values = np.zeros(4, KIND)
    values["x"], values["y"] = np.arange(4), 3
    values["v"][:, 2] = np.arange(4) + 10
    f(drv.InOut(values), np.int64(4), block=(32, 1, 1))
    assert values["x"].tolist() == [1, 2, 3, 4] and (values["y"] == 6).all()
    assert values["v"][:, 0].tolist() == [10, 11, 12, 13] and values["inner"]["n"].tolist() == [0, -1, -2, -3]
    memory = drv.to_device(values)
    f(memory, np.uint8(4), block=(32, 1, 1))
    assert drv.from_device_like(memory, values)["x"].tolist() == [2, 3, 4, 5]
    one = drv.to_device(values[1])  # a record alone
    f(one, 1, block=(1, 1, 1))
    assert drv.from_device(one, 1, KIND)["y"] == 12


def test_a_structure_with_a_pointer_in_it(device):
    """As PyCUDA's own example has it: a record that holds a length and the address of an array."""
    f = SourceModule(
        "struct A { int n, pad; float* p; }; __global__ void f(A* a) { for (int i = threadIdx.x; i < a->n; i += blockDim.x) a->p[i] *= 2; }"
    ).get_function("f")
    data = drv.to_device(np.arange(8, dtype=np.float32))
    record = drv.mem_alloc(8 + np.intp(0).nbytes)
    drv.memcpy_htod(int(record), memoryview(np.int32(8)))
    drv.memcpy_htod(int(record) + 8, memoryview(np.uintp(int(data))))
    f(record, block=(32, 1, 1))
    assert drv.from_device(data, 8, np.float32).tolist() == [0, 2, 4, 6, 8, 10, 12, 14]
