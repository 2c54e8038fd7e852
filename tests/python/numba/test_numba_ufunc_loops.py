"""NumPy's ufuncs of numbers of several types take the loops that Numba takes: integers beside float32 are float32."""

import types

import numpy as np
import pytest
import quern as qn
from quern import cuda
from quern.kernel.interpreted import with_types
from quern.numba import njit

NUMBERS = {
    "b": np.bool_(True), "i1": np.int8(-7), "u1": np.uint8(200), "u2": np.uint16(60000), "i4": np.int32(-70000), "u4": np.uint32(4000000000),
    "i8": np.int64(-(2**62) - 3), "u8": np.uint64(2**64 - 5), "f4": np.float32(2.75), "f8": np.float64(-3.25), "c8": np.complex64(1 - 2j),
}  # fmt: skip

# The operands' types, the type of Numba's result, and the result, as real Numba gives them.
CASES = {
    np.add: [
        ("i4 f4", "float32", np.float32(-69997.25)), ("u8 f4", "float32", np.float32(2**64)), ("u2 c8", "complex64", 60001 - 2j),
        ("i8 u8", "float64", 2.0**64 - 2.0**62), ("u1 i1", "int16", 193), ("b b", "bool", True), ("b u1", "uint8", 201), ("u1 u1", "uint8", 144),
    ],
    np.subtract: [("b b", "int8", 0), ("f4 i8", "float32", np.float32(2**62)), ("u1 u2", "uint16", 5736)],
    np.multiply: [("i8 f4", "float32", np.float32(-(2**62) * 2.75)), ("b i1", "int8", -7), ("u1 u1", "uint8", 64)],
    np.true_divide: [("b b", "float32", 1.0), ("i1 u1", "float32", float(np.float32(-0.035))), ("i4 u1", "float64", -350.0), ("i8 f4", "float32", None)],
    np.floor_divide: [("i4 f4", "float32", -25455.0), ("u1 i1", "int16", -29), ("f4 u8", "float32", 0.0)],
    np.remainder: [("i4 f4", "float32", None), ("i1 u1", "int16", 193)],
    np.power: [("f4 i4", "float32", 0.0), ("u1 u1", "uint8", 0), ("i1 u1", "int16", None), ("u1 f4", "float32", None)],
    np.maximum: [("u1 i1", "int16", 200), ("i4 f4", "float32", 2.75), ("u8 i8", "float64", 2.0**64), ("b b", "bool", True)],
    np.minimum: [("u8 i8", "float64", float(-(2**62))), ("i4 c8", "complex64", None), ("b i1", "int8", -7)],
    np.arctan2: [("i4 f4", "float32", None), ("i1 u1", "float32", None), ("i4 i4", "float64", None)],
    np.hypot: [("u8 f4", "float32", None)],
    np.greater: [("u8 i8", "bool", True), ("i8 u8", "bool", False), ("b i1", "bool", True), ("i8 f4", "bool", False)],
    np.equal: [("u8 i8", "bool", False), ("b u1", "bool", False), ("i4 f4", "bool", False)],
    np.less: [("i8 u8", "bool", True), ("u8 i8", "bool", False), ("f4 u8", "bool", True)],
    np.gcd: [("b b", "int8", 1), ("u1 i1", "int16", 1)],
    np.square: [("b", "int8", 1), ("u1", "uint8", 64)],
    np.absolute: [("b", "bool", True), ("i1", "int8", 7)],
    np.conjugate: [("b", "int8", 1)],
    np.sign: [("b", "int8", 1)],
    np.positive: [("b", "int8", 1)],
    np.reciprocal: [("b", "int8", 1)],
    np.sqrt: [("u1", "float32", float(np.sqrt(np.float32(200)))), ("u4", "float64", float(np.sqrt(4e9)))],
}  # fmt: skip
ALL = [(ufunc, *case) for ufunc, cases in CASES.items() for case in cases]


ufunc = None  # in function_of() another one


def one(x):
    return ufunc(x)


def two(x, y):
    return ufunc(x, y)


def function_of(of):
    """A function that calls the ufunc, which it finds as a global."""
    function = one if of.nin == 1 else two
    return types.FunctionType(function.__code__, {**globals(), "ufunc": of}, function.__name__)


@pytest.mark.parametrize("of, names, dtype, result", ALL)
def test_types_and_values(of, names, dtype, result):
    values = [NUMBERS[n] for n in names.split()]
    compiled = njit(function_of(of))
    qn.set_fallback("error")
    try:
        made = compiled(*values)
    finally:
        qn.set_fallback("warn")
    assert str(compiled.nopython_signatures[0].return_type) == dtype
    assert result is None or made == result


@pytest.mark.parametrize("of, names, dtype, result", ALL)
def test_functions_that_python_runs(of, names, dtype, result):
    values = [NUMBERS[n] for n in names.split()]
    made = function_of(of)
    typed = with_types(made)(*values)
    assert result is None or typed == result
    arrays = with_types(made)(*[np.array([v]) for v in values])
    assert arrays.dtype == dtype and (result is None or arrays[0] == result)


@pytest.mark.parametrize(
    "of, names, dtype, result",
    [
        (np.divmod, "i1 u1", "UniTuple(int16 x 2)", (-1, 193)),
        (np.divmod, "i4 f4", "UniTuple(float32 x 2)", (-25455.0, 1.25)),
        (np.divmod, "u1 u1", "UniTuple(uint8 x 2)", (1, 0)),
        (np.ldexp, "f4 i1", "float32", 2.75 / 128),
        (np.ldexp, "f8 i1", "float64", -3.25 / 128),
        (np.ldexp, "i4 i1", "float64", -70000 / 128),
    ],
)
def test_ufuncs_that_are_pairs_or_scales(of, names, dtype, result):
    values = [NUMBERS[n] for n in names.split()]
    compiled = njit(function_of(of))
    assert compiled(*values) == result and str(compiled.nopython_signatures[0].return_type) == dtype


def test_constants_beside_float32():
    assert njit(lambda x: np.add(x, 16777217))(np.float32(0)) == 16777216
    assert njit(lambda x: np.maximum(x, -1))(np.uint8(3)) == 3 and njit(lambda x: np.maximum(x, -1))(np.int8(-3)) == -1


def test_kernels(device):
    @cuda.jit
    def kernel(i, f, out):
        out[0] = np.add(i[0], f[0])
        out[1] = np.arctan2(i[0], f[0])

    out = np.zeros(2)
    kernel[1, 1](np.array([16777217], np.int32), np.array([1], np.float32), out)
    assert out[0] == 16777216 and out[1] == np.arctan2(np.float32(16777217), np.float32(1))
