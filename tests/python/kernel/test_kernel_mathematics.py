"""math, cmath, operator and NumPy's ufuncs in kernels, compared with Python and NumPy."""

import cmath
import itertools
import math
import operator

import numpy as np
import pytest
from kernels import kernel_of, module_of
from quern import cuda
from quern.cuda.bf16 import bfloat16
from quern.kernel.errors import KernelError

INF, NAN = math.inf, math.nan
REALS = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.5, -3.75, 1e-5, 20.0, INF, -INF, NAN]
INTEGERS = [-5, -1, 0, 1, 2, 7, 100]
ONE = (
    "acos asin atan acosh asinh atanh cos sin tan cosh sinh tanh erf erfc exp exp2 expm1 fabs gamma lgamma log log2 log10 log1p sqrt ceil floor "
    "trunc degrees radians cbrt"
).split()
TWO = "hypot atan2 nextafter remainder pow copysign fmod".split()
UFUNCS_1 = (
    "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh deg2rad radians rad2deg degrees log log2 log10 log1p exp exp2 expm1 "
    "sqrt cbrt fabs floor ceil trunc rint negative square conjugate absolute logical_not"
).split()
NOT_COMPLEX = "deg2rad radians rad2deg degrees cbrt fabs floor ceil trunc rint absolute logical_not".split()
UFUNCS_2 = (
    "arctan2 hypot greater greater_equal less less_equal not_equal equal logical_and logical_or logical_xor maximum minimum fmax fmin copysign "
    "nextafter"
).split()
ARITHMETIC = "add subtract multiply true_divide divide floor_divide remainder mod fmod power".split()
BITS = "bitwise_and bitwise_or bitwise_xor left_shift right_shift".split()
OPERATORS = "add sub mul truediv floordiv mod pow lshift rshift and_ or_ xor eq ne lt le gt ge".split()
INPLACE = "iadd isub imul itruediv ifloordiv imod ipow ilshift irshift iand ior ixor".split()


def python(function, *arguments):
    """What Python gives, infinities and NaN where it raises: as C has them."""
    try:
        return function(*arguments)
    except OverflowError:
        return INF if function is not math.sinh or arguments[0] > 0 else -INF
    except (ValueError, ZeroDivisionError):
        return None  # not compared


def compare(got, wanted, exactness=1e-12):
    for g, w in zip(got, wanted, strict=True):
        if w is not None:
            np.testing.assert_allclose(g, w, rtol=exactness, atol=exactness)


def both(values):
    a, b = zip(*itertools.product(values, values), strict=True)
    return np.array(a), np.array(b)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.uint8])
def test_math_of_one(device, tmp_path, dtype):
    names = [n for n in ONE if hasattr(math, n)]
    values = np.array([v for v in (REALS if np.dtype(dtype).kind == "f" else INTEGERS) if dtype is not np.uint8 or v >= 0], dtype)
    out = np.zeros((len(names), len(values)))
    kernel_of(tmp_path, [f"math.{n}(<x>)" for n in names], ["x"])[1, 32](values, out)
    for k, name in enumerate(names):
        wanted = [python(getattr(math, name), v.item()) if name not in ("floor", "ceil", "trunc") else getattr(np, name)(v) for v in values]
        compare(out[k], wanted, 4e-6 if dtype is np.float32 else 1e-12)


def test_math_of_two(device, tmp_path):
    a, b = both(REALS)
    for dtype in (np.float64, np.float32):
        x, y = a.astype(dtype), b.astype(dtype)
        out = np.zeros((len(TWO), len(x)), dtype)
        kernel_of(tmp_path, [f"math.{n}(<x>, <y>)" for n in TWO], ["x", "y"])[2, 128](x, y, out)
        for k, name in enumerate(TWO):
            if name == "nextafter":
                np.testing.assert_array_equal(out[k], np.nextafter(x, y))
            else:
                with np.errstate(all="ignore"):
                    wanted = [python(getattr(math, name), *map(float, v)) for v in zip(x, y, strict=True)]
                compare(out[k], wanted, 2e-6 if dtype is np.float32 else 1e-12)


def test_math_of_two_integers(device, tmp_path):
    names = "hypot atan2 copysign remainder ldexp pow".split()
    x, y = both(INTEGERS)
    out = np.zeros((len(names), len(x)))
    kernel_of(tmp_path, [f"math.{n}(<x>, <y>)" for n in names], ["x", "y"])[2, 128](x, y, out)
    for k, name in enumerate(names):
        compare(out[k], [python(getattr(math, name), int(a), int(b)) for a, b in zip(x, y, strict=True)])


def test_tests(device, tmp_path):
    names = ["isnan", "isinf", "isfinite"]
    modules = ["math", "np"]
    x = np.array(REALS)
    out = np.zeros((len(names) * 2 + 3, len(x)), bool)
    expressions = [f"{m}.{n}(<x>)" for m in modules for n in names] + [f"math.{n}(7)" for n in names]
    kernel_of(tmp_path, expressions, ["x"])[1, 32](x, out)
    wanted = [getattr(np, n)(x) for n in names] * 2 + [np.full(len(x), v) for v in (False, False, True)]
    np.testing.assert_array_equal(out, wanted)


def test_frexp_ldexp_modf(device, tmp_path):
    text = """
@cuda.jit
def kernel(x, n, out):
    i = cuda.grid(1)
    if i < x.size:
        m, e = math.frexp(x[i])
        f, w = math.modf(x[i])
        out[i, 0], out[i, 1], out[i, 2], out[i, 3], out[i, 4] = m, e, f, w, math.ldexp(x[i], n[i])
        out[i, 5] = math.frexp(n[i])[0]
"""
    n = np.array([0, 1, -1, 10, -1030, 3, 1, 2, 0, -2], np.int64)
    for dtype in (np.float64, np.float32):
        x = np.array([0.0, -0.0, 0.5, -0.75, 1.0, 3.1, -1e10, 1e-5, 255.5, -2.0], dtype)
        out = np.zeros((len(x), 6))
        module_of(tmp_path, text).kernel[1, 32](x, n, out)
        wanted = [(*np.frexp(v), *np.modf(v), np.ldexp(v, int(k)), np.frexp(float(k))[0]) for v, k in zip(x, n, strict=True)]
        np.testing.assert_array_equal(out, np.array(wanted, float))


def test_types_stay(device, tmp_path):
    text = """
@cuda.jit
def kernel(x, out):
    out[0] = math.floor(x[0]) * 1e10 > 3e38        # floor of a float32 is one; 1e10 is a float64
    out[1] = math.sqrt(x[1]) == math.sqrt(np.float64(x[1]))
    out[2] = np.sin(np.int16(1)) == np.float64(np.sin(np.float32(1)))
    out[3] = np.sin(np.int32(1)) == math.sin(1)
    out[4] = np.invert(np.uint8(1)) == 254
    out[5] = np.left_shift(np.uint8(255), np.uint8(1)) == 254
    out[6] = np.invert(True)
    out[7] = ~True == -2
    out[8] = math.ceil(7) // 2 == 3
"""
    out = np.zeros(9, bool)
    module_of(tmp_path, text).kernel[1, 1](np.array([1e30, 2.0], np.float32), out)
    assert out.tolist() == [True, False, True, True, True, True, False, True, True]


@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_cmath(device, tmp_path, dtype):
    names = "acos acosh asin asinh atan atanh cos cosh exp log log10 sin sinh sqrt tan tanh".split()
    z = np.array([0.3 + 0.4j, -0.7 + 1.5j, 1.2 - 0.1j, -2 - 3j, 0.5 + 0j, -0.25 + 0j, 3j, -1.5j, 4 + 0.5j, 1e-3 + 1e-3j], dtype)
    out = np.zeros((len(names) + 2, len(z)), dtype)
    rounded_trip = ["cmath.rect(cmath.polar(<z>)[0], cmath.polar(<z>)[1])", "cmath.rect(abs(<z>), cmath.phase(<z>))"]
    kernel_of(tmp_path, [f"cmath.{n}(<z>)" for n in names] + rounded_trip, ["z"])[1, 32](z, out)
    exactness = 1e-12 if dtype is np.complex128 else 5e-6
    for k, name in enumerate(names):
        np.testing.assert_allclose(out[k], [getattr(cmath, name)(complex(v)) for v in z], rtol=exactness, atol=exactness, err_msg=name)
    np.testing.assert_allclose(out[len(names) :], [z, z], rtol=exactness, atol=exactness)


def test_cmath_of_reals_and_edges(device, tmp_path):
    text = """
@cuda.jit
def kernel(x, z, out, real, tests):
    out[0] = cmath.sqrt(x[0])        # of -4.0
    out[1] = cmath.log(-1)
    out[2] = cmath.exp(0)
    out[3] = cmath.acos(2.0)
    out[4] = cmath.rect(2, 0)
    real[0], real[1] = cmath.polar(z[0])
    real[2] = cmath.phase(-1.0)
    real[3] = cmath.phase(0j)
    for i in range(z.size):
        tests[i, 0] = cmath.isnan(z[i])
        tests[i, 1] = cmath.isinf(z[i])
        tests[i, 2] = cmath.isfinite(z[i])
"""
    z = np.array([3 - 4j, complex(NAN, 0), complex(0, INF), complex(-INF, NAN), 0])
    out, real, tests = np.zeros(5, complex), np.zeros(4), np.zeros((5, 3), bool)
    module_of(tmp_path, text).kernel[1, 1](np.array([-4.0]), z, out, real, tests)
    np.testing.assert_allclose(out[:3], [2j, cmath.pi * 1j, 1], atol=1e-12)
    np.testing.assert_allclose(abs(out[3].imag), abs(cmath.acos(2.0).imag), rtol=1e-12)
    assert out[4] == 2
    np.testing.assert_allclose(real, [5, cmath.phase(3 - 4j), math.pi, 0], rtol=1e-15)
    assert tests.tolist() == [[cmath.isnan(v), cmath.isinf(v), cmath.isfinite(v)] for v in z.tolist()]


def test_operators(device, tmp_path):
    x, y = both([-7, -2, 1, 3, 10])
    names = [*OPERATORS, *INPLACE]
    out = np.zeros((len(names), len(x)))
    kernel_of(tmp_path, [f"operator.{n}(<x>, <y>)" for n in names], ["x", "y"])[1, 32](x, y, out)
    for k, name in enumerate(names):
        for got, a, b in zip(out[k], x.tolist(), y.tolist(), strict=True):
            if "shift" in name and b < 0 or name in ("pow", "ipow") and b < 0:
                continue
            assert got == getattr(operator, name)(a, b), (name, a, b)
    assert len(names) + 4 == 34


def test_operators_of_one(device, tmp_path):
    x = np.array([-7, 0, 3], np.int32)
    out = np.zeros((5, 3))
    kernel_of(tmp_path, [f"operator.{n}(<x>)" for n in ("neg", "pos", "invert", "inv", "not_")], ["x"])[1, 32](x, out)
    np.testing.assert_array_equal(out, [-x, x, ~x, ~x, x == 0])
    floats = np.array([-1.5, 0.0, NAN])
    out = np.zeros((3, 3))
    kernel_of(tmp_path, [f"operator.{n}(<x>)" for n in ("neg", "pos", "not_")], ["x"])[1, 32](floats, out)
    np.testing.assert_array_equal(out, [-floats, floats, floats == 0])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int16, np.bool_, np.complex128])
def test_ufuncs(device, tmp_path, dtype, quiet):
    kind = np.dtype(dtype).kind
    names = UFUNCS_1 if kind != "c" else [n for n in UFUNCS_1 if n not in NOT_COMPLEX]
    x = np.array({"f": REALS, "i": INTEGERS, "b": [False, True], "c": [0.3 + 0.4j, -0.7 + 1.5j, 1.2 - 0.1j]}[kind], dtype)
    out = np.zeros((len(names), len(x)), complex if kind == "c" else float)
    kernel_of(tmp_path, [f"np.{n}(<x>)" for n in names], ["x"])[1, 32](x, out)
    exactness = 1e-12 if dtype in (np.float64, np.int64, np.complex128) else 4e-6
    for k, name in enumerate(names):
        wide = x if kind in "fc" else x.astype(np.float32 if x.itemsize <= 2 else float)  # as Numba has it
        np.testing.assert_allclose(out[k], getattr(np, name)(wide), rtol=exactness, atol=exactness, err_msg=name)
    if kind == "c":
        return
    a, b = both(x.tolist())
    a, b = a.astype(dtype), b.astype(dtype)
    out = np.zeros((len(UFUNCS_2), len(a)))
    kernel_of(tmp_path, [f"np.{n}(<a>, <b>)" for n in UFUNCS_2], ["a", "b"])[2, 128](a, b, out)
    for k, name in enumerate(UFUNCS_2):
        if name == "nextafter" and kind != "f":  # of types that NumPy has there and kernels have not
            continue
        np.testing.assert_allclose(
            out[k], getattr(np, name)(a, b).astype(float), rtol=max(exactness, 1e-3 if kind == "b" else 0), err_msg=name
        )


TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", TYPES)
def test_ufuncs_of_arithmetic(device, tmp_path, dtype, quiet):
    """Integers stay in their own type and wrap there, as NumPy's do."""
    kind = np.dtype(dtype).kind
    values = {"b": [0, 1], "i": [-128, -7, -1, 1, 2, 5, 100, 127], "u": [1, 2, 7, 100, 255], "f": REALS, "c": [0.3 + 0.4j, -0.7 + 1.5j, 2]}[
        kind
    ]
    x, y = (v.astype(dtype) for v in both(values))
    names = [n for n in ARITHMETIC if n not in {"b": ["subtract"], "c": ["floor_divide", "remainder", "mod", "fmod"]}.get(kind, [])]
    wanted = []
    for name in names:
        exponent = y & np.array(7, dtype) if name == "power" and kind == "i" else y
        wanted.append(getattr(np, name)(x, exponent))
    out = np.zeros((len(names), len(x)), complex if kind == "c" else float)
    expressions = [f"np.{n}(<x>, {f'np.bitwise_and(<y>, np.{dtype}(7))' if n == 'power' and kind == 'i' else '<y>'})" for n in names]
    kernel_of(tmp_path, expressions, ["x", "y"])[3, 64](x, y, out)
    exactness = {"float32": 4e-6, "complex64": 1e-5}.get(dtype, 1e-12)
    for k, name in enumerate(names):
        # Quotients of integers of up to 16 bits are float32, as Numba's.
        is_single = name in ("divide", "true_divide") and kind in "iub" and np.dtype(dtype).itemsize <= 2
        expected = wanted[k].astype(np.float32) if is_single else wanted[k]
        np.testing.assert_allclose(out[k], expected, rtol=exactness, atol=exactness, err_msg=name)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64", "uint64", "bool"])
def test_ufuncs_of_bits(device, tmp_path, dtype):
    values = [0, 1] if dtype == "bool" else [0, 1, 2, 5, 100] + [-1, -7] * (dtype[0] == "i")
    x, y = (v.astype(dtype) for v in both(values))
    names = [n for n in BITS if dtype != "bool" or "shift" not in n]
    out = np.zeros((len(names) + 2, len(x)), dtype)
    kernel_of(tmp_path, [f"np.{n}(<x>, <y>)" for n in names] + ["np.invert(<x>)", "np.bitwise_not(<x>)"], ["x", "y"])[1, 64](x, y, out)
    inside = y >= np.array(0, dtype)
    for k, name in enumerate(names):
        keep = inside if "shift" in name else slice(None)
        np.testing.assert_array_equal(out[k][keep], getattr(np, name)(x, y)[keep], err_msg=name)
    np.testing.assert_array_equal(out[-2:], [~x, ~x])


@pytest.mark.parametrize(
    "expression",
    ["math.sin(1j)", "math.sin()", "math.atan2(1)", "math.floor(1j)", "math.frexp(1j)", "np.invert(1.5)", "np.left_shift(1, 2.0)",
     "np.logical_and(1)", "operator.neg(1, 2)", "cmath.rect(1j, 2)", "cmath.polar(1, 2)", "np.hypot(1j, 2)", "math.isqrt(4)"],
)  # fmt: skip
def test_errors(device, tmp_path, expression):
    with pytest.raises(KernelError):
        module_of(tmp_path, f"@cuda.jit\ndef kernel(x):\n    a = {expression}\n").kernel[1, 1](np.zeros(2))


@cuda.jit
def of_texts_and_bits(x, r):
    r[0] = float("nan")
    r[1] = -float("inf")
    r[2] = float("1e3")
    r[3] = bfloat16(float("nan"))
    r[4] = bfloat16(float("inf"))
    r[5] = np.float32("nan")
    r[6] = np.float16(float("inf"))
    r[7] = x[0].bit_count()
    r[8] = x[1].bit_count()
    n = 7
    r[9] = n.bit_count()
    r[10] = np.uint8(255).bit_count()
    z = cmath.log(3 + 4j, 2)
    r[11] = z.real
    r[12] = z.imag
    r[13] = cmath.log(8, 2).real
    z = cmath.exp(complex(-float("inf"), -float("inf")))
    r[14] = math.copysign(1, z.real)
    r[15] = math.copysign(1, z.imag)


def test_numbers_from_texts_and_bits_that_are_set(device):
    out = np.zeros(16)
    of_texts_and_bits[1, 1](np.array([-5, 2**40 - 1]), out)
    log, least = cmath.log(3 + 4j, 2), cmath.exp(complex(-math.inf, -math.inf))
    expected = [np.nan, -np.inf, 1000, np.nan, np.inf, np.nan, np.inf, 2, 40, 3, 8, log.real, log.imag, 3]
    np.testing.assert_allclose(out, [*expected, math.copysign(1, least.real), math.copysign(1, least.imag)])
