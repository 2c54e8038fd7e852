"""bfloat16 in kernels, and numba.cuda.bf16, compared with NumPy, ml_dtypes and exact fractions."""

import pickle
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
import quern as qn
from kernels import kernel_of, module_of
from programs import quern
from quern import cuda, numba
from quern.cuda import bf16, numpy_support
from quern.kernel import operators, signatures, types

B = ml_dtypes.bfloat16
ALL = np.arange(65536, dtype=np.uint16).view(B)  # every number there is
MOST = float(ml_dtypes.finfo(B).max)
EXACT = {
    "hfloor": np.floor, "hceil": np.ceil, "hrint": np.rint, "htrunc": np.trunc, "hneg": np.negative, "habs": np.abs, "hsqrt": np.sqrt,
    "hrcp": lambda x: 1 / x,
}  # fmt: skip
NEAR = {
    "hsin": np.sin, "hcos": np.cos, "htanh": np.tanh, "htanh_approx": np.tanh, "hlog": np.log, "hlog2": np.log2, "hlog10": np.log10,
    "hexp": np.exp, "hexp2": np.exp2, "hexp10": lambda x: np.power(10.0, x), "hrsqrt": lambda x: 1 / np.sqrt(x),
}  # fmt: skip
ARITHMETIC = {"hadd": np.add, "hsub": np.subtract, "hmul": np.multiply, "hdiv": np.divide}
TESTS = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
OPERATORS = ("+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=")
ROUNDINGS = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}
INTEGERS = {"short": "int16", "ushort": "uint16", "int": "int32", "uint": "uint32", "ll": "int64", "ull": "uint64"}


@pytest.fixture(autouse=True)
def silent():
    with np.errstate(all="ignore"):
        yield


def rounded(x, mode="rn"):
    """Numbers with more digits, float64 or longdouble, as bfloat16: rounded once."""
    x = np.asarray(x)
    _, exponent = np.frexp(x)
    step = np.ldexp(x.dtype.type(1), np.maximum(exponent - 8, -133))
    y = np.where(np.isfinite(x), ROUNDINGS[mode](x / step) * step, x)
    if mode in ("rz", "rd"):
        y = np.where((y > MOST) & np.isfinite(x), MOST, y)
    if mode in ("rz", "ru"):
        y = np.where((y < -MOST) & np.isfinite(x), -MOST, y)
    return np.where(np.abs(y) > MOST, np.copysign(np.inf, y), y).astype(np.float32).astype(B)


def same(got, wanted):
    """The same numbers, zeros by their signs."""
    got, wanted = (np.asarray(a).astype(np.float32) for a in (got, wanted))
    np.testing.assert_array_equal(got, wanted)
    number = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(got)[number], np.signbit(wanted)[number])


def pairs():
    """Numbers that are near each other, far away, tiny, huge, infinite and none."""
    rng = np.random.default_rng(1)
    some = np.array([0, 1, -1, 0.5, 1.0078125, 2.5, -2.75, 3.14, 1e-4, 700, MOST, -MOST, 1e-38, 9.2e-41, np.inf, -np.inf, np.nan]).astype(B)
    some = np.concatenate([some, -some])
    a, b = (g.ravel() for g in np.meshgrid(some, some))
    bits = rng.integers(0, 65536, (2, 30000), np.uint16)
    bits[1, ::2] = (bits[1, ::2] & 0x807F) | (bits[0, ::2] & 0x7F80)
    return np.concatenate([a, bits[0].view(B)]), np.concatenate([b, bits[1].view(B)])


def run(kernel, out, *inputs):
    n = len(inputs[0])
    kernel[-(-n // 256), 256](*inputs, out)
    return out


# ---- the module's functions


def test_functions_that_round_once(device, tmp_path):
    kernel = kernel_of(tmp_path, [f"cuda.bf16.{name}(<x>)" for name in EXACT], ["x"])
    out = run(kernel, np.zeros((len(EXACT), ALL.size), B), ALL)
    for k, function in enumerate(EXACT.values()):
        same(out[k], rounded(function(ALL.astype(float))))


def test_functions_by_way_of_float(device, tmp_path):
    kernel = kernel_of(tmp_path, [f"cuda.bf16.{name}(<x>)" for name in NEAR], ["x"])
    out = run(kernel, np.zeros((len(NEAR), ALL.size), B), ALL)
    for k, (name, function) in enumerate(NEAR.items()):
        got, wanted = out[k].astype(float), rounded(function(ALL.astype(float))).astype(float)
        np.testing.assert_array_equal(np.isnan(got), np.isnan(wanted), name)
        special = np.isinf(wanted) | (wanted == 0)
        np.testing.assert_array_equal(got[special], wanted[special], name)
        finite = np.isfinite(wanted)
        assert np.all(np.abs(got - wanted)[finite] <= np.abs(wanted)[finite] / 128 + 1e-40), name
        assert np.mean(got[finite] == wanted[finite]) > 0.99, name


def test_arithmetic(device, tmp_path):
    a, b = pairs()
    names = [*ARITHMETIC, "hadd_rn", "hsub_rn", "hmul_rn", "hadd_sat", "hsub_sat", "hmul_sat"]
    out = run(kernel_of(tmp_path, [f"cuda.bf16.{n}(<a>, <b>)" for n in names], ["a", "b"]), np.zeros((len(names), a.size), B), a, b)
    for k, name in enumerate(names):
        wanted = rounded(ARITHMETIC[name[:4]](a.astype(float), b.astype(float)))
        if name.endswith("_sat"):
            wanted = np.where(np.isnan(wanted), 0, np.clip(wanted.astype(float), 0, 1) + 0.0)
        same(out[k], wanted)


def _exactly(a, b, c):
    """a * b + c as bfloat16, by fractions."""
    whole = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    if whole == 0:
        return float(a) * float(b) + float(c)
    step = Fraction(2) ** -133
    while abs(whole) / step >= 256:
        step *= 2
    out = round(whole / step) * step  # halves to even ones
    return float(out) if abs(out) <= MOST else np.copysign(np.inf, float(whole > 0) - 0.5)


def test_fma_rounds_once(device, tmp_path):
    rng = np.random.default_rng(2)
    a = (1 + rng.integers(0, 128, 4000) / 128).astype(B)
    b = (1 + rng.integers(0, 128, 4000) / 128).astype(B)
    c = (rng.choice([-1, 1], 4000) * (1 + rng.integers(0, 128, 4000) / 128) * 2.0 ** rng.integers(-100, 2, 4000)).astype(B)
    scale = (2.0 ** rng.integers(-70, 60, 4000)).astype(B)
    a, b = (a.astype(float) * scale).astype(B), (b.astype(float) * scale).astype(B)
    c = (c.astype(float) * scale.astype(float) ** 2).astype(B)
    a[:3], b[:3], c[:3] = [1.5, np.inf, np.nan], [1.0078125, 0, 1], [1e-30, 1, 1]
    names = ["hfma", "hfma_sat", "hfma_relu"]
    out = np.zeros((3, a.size), B)
    run(kernel_of(tmp_path, [f"cuda.bf16.{n}(<a>, <b>, <c>)" for n in names], ["a", "b", "c"]), out, a, b, c)
    wanted = np.array([np.nan if i in (1, 2) else _exactly(*v) for i, v in enumerate(zip(a, b, c, strict=True))])
    same(out[0], wanted)
    same(out[1], np.where(np.isnan(wanted), 0, np.clip(wanted, 0, 1) + 0.0))
    same(out[2], np.where(np.isnan(wanted), np.nan, np.maximum(wanted, 0) + 0.0))


def test_comparisons(device, tmp_path):
    a, b = pairs()
    texts = [f"cuda.bf16.h{name}{u}(<a>, <b>)" for name in TESTS for u in ("", "u")]
    out = run(kernel_of(tmp_path, texts, ["a", "b"]), np.zeros((len(texts), a.size), bool), a, b)
    none = np.isnan(a) | np.isnan(b)
    for k, function in enumerate(TESTS.values()):
        np.testing.assert_array_equal(out[2 * k], function(a, b) & ~none)
        np.testing.assert_array_equal(out[2 * k + 1], function(a, b) | none)


def test_larger_and_smaller(device, tmp_path):
    a, b = pairs()
    names = ["hmax", "hmin", "hmax_nan", "hmin_nan"]
    out = run(kernel_of(tmp_path, [f"cuda.bf16.{n}(<a>, <b>)" for n in names], ["a", "b"]), np.zeros((4, a.size), B), a, b)
    x, y = a.astype(float), b.astype(float)
    for k, name in enumerate(names):
        pick = {"hmax": np.fmax, "hmin": np.fmin, "hmax_nan": np.maximum, "hmin_nan": np.minimum}[name](x, y)
        zeros = (x == 0) & (y == 0)
        minus = (np.signbit(x) & np.signbit(y)) if "max" in name else (np.signbit(x) | np.signbit(y))
        same(out[k], np.where(zeros, np.where(minus, -0.0, 0.0), pick))


def test_what_they_are(device, tmp_path):
    out = run(kernel_of(tmp_path, ["cuda.bf16.hisnan(<x>)", "cuda.bf16.hisinf(<x>)"], ["x"]), np.zeros((2, ALL.size), np.int32), ALL)
    wide = ALL.astype(float)
    np.testing.assert_array_equal(out[0], np.isnan(wide))
    np.testing.assert_array_equal(out[1], np.where(np.isinf(wide), np.sign(wide), 0))


@pytest.mark.parametrize("style", ["cuda", "numba"])
def test_to_integers(style, device, tmp_path):
    wide = ALL.astype(np.longdouble)
    for word, name in INTEGERS.items():
        info = np.iinfo(name)
        texts = [f"bfloat162{word}_{m}" if style == "cuda" else f"bfloat16_to_{name}_{m}" for m in ROUNDINGS]
        kernel = kernel_of(tmp_path, [f"cuda.bf16.{t}(<x>)" for t in texts], ["x"])
        out = run(kernel, np.zeros((4, ALL.size), name), ALL)
        for k, rounding in enumerate(ROUNDINGS.values()):
            none = 0 if info.bits < 64 else 1 << 63 if info.min == 0 else info.min
            whole = rounding(wide)
            wanted = [none if np.isnan(w) else int(min(max(w, info.min), info.max)) for w in whole]
            np.testing.assert_array_equal(out[k], np.array(wanted, name))
    for word, name in (("char", "int8"), ("uchar", "uint8")):
        info = np.iinfo(name)
        text = f"bfloat162{word}_rz" if style == "cuda" else f"bfloat16_to_{name}_rz"
        out = run(kernel_of(tmp_path, [f"cuda.bf16.{text}(<x>)"], ["x"]), np.zeros((1, ALL.size), name), ALL)
        np.testing.assert_array_equal(out[0], np.clip(np.trunc(np.nan_to_num(wide)), info.min, info.max).astype(name))


def _near_halves(dtype):
    """Integers whose digits end beside the middle of two neighbours."""
    info, rng = np.iinfo(dtype), np.random.default_rng(3)
    if info.bits == 16:
        return np.arange(info.min, info.max + 1).astype(dtype)
    out = [info.min, info.max, info.min + 1, info.max - 1, 0, 1]
    for shift in range(info.bits - 9):
        for top in rng.integers(128, 256, 20).tolist():
            middle = (2 * top + 1) << shift
            out += [s * (middle + d) for d in (-1, 0, 1) for s in ((1, -1) if info.min else (1,))]
    return np.array([v for v in out if info.min <= v <= info.max], dtype)


@pytest.mark.parametrize("style", ["cuda", "numba"])
def test_from_integers(style, device, tmp_path):
    for word, name in INTEGERS.items():
        x = _near_halves(name)
        texts = [f"{word}2bfloat16_{m}" if style == "cuda" else f"{name}_to_bfloat16_{m}" for m in ROUNDINGS]
        kernel = kernel_of(tmp_path, [*[f"cuda.bf16.{t}(<x>)" for t in texts], "numba.bfloat16(<x>)"], ["x"])
        out = run(kernel, np.zeros((5, x.size), B), x)
        for k, mode in enumerate([*ROUNDINGS, "rn"]):
            same(out[k], rounded(x.astype(np.longdouble), mode))


@pytest.mark.parametrize("style", ["cuda", "numba"])
def test_from_and_to_reals(style, device, tmp_path):
    rng = np.random.default_rng(4)
    bits = rng.integers(0, 2**32, 60000, np.uint32)
    bits[::3] = (bits[::3] & 0xFFFF0000) | 0x8000
    bits[1::3] = (bits[1::3] & 0xFFFF0000) | rng.choice(np.array([0x7FFF, 0x8001, 0, 1, 0xFFFF], np.uint32), 20000)
    x = np.concatenate([bits.view(np.float32), [np.inf, -np.inf, np.nan, 0, -0.0, 3.4e38, -3.4e38]]).astype(np.float32)
    names = ["float2bfloat16", "float2bfloat16_rn", "float2bfloat16_rz", "float2bfloat16_rd", "float2bfloat16_ru"]
    if style == "numba":
        names = [n.replace("float2", "float32_to_") for n in names]
    out = run(kernel_of(tmp_path, [f"cuda.bf16.{n}(<x>)" for n in names], ["x"]), np.zeros((5, x.size), B), x)
    for k, mode in enumerate(["rn", "rn", "rz", "rd", "ru"]):
        same(out[k], rounded(x.astype(float), mode))
    same(out[0], x.astype(B))
    # Digits that float32 has not: one rounding, where NumPy's type has two.
    y = np.concatenate([x, (1 + 2.0**-8) * np.array([1 + 2.0**-40, 1 - 2.0**-40, -1 - 2.0**-40]), [1e300, -1e300, 1e-300, 3.39e38]])
    name = "double2bfloat16" if style == "cuda" else "float64_to_bfloat16"
    out = run(kernel_of(tmp_path, [f"cuda.bf16.{name}(<y>)", "numba.bfloat16(<y>)", "<y>"], ["y"]), np.zeros((3, y.size), B), y)
    for got in out:
        same(got, rounded(y))
    name = "bfloat162float" if style == "cuda" else "bfloat16_to_float32"
    out = run(kernel_of(tmp_path, [f"cuda.bf16.{name}(<x>)", "<x>"], ["x"]), np.zeros((2, ALL.size), np.float32), ALL)
    same(out[0], ALL)
    same(out[1], ALL)


@pytest.mark.parametrize("style", ["cuda", "numba"])
def test_bits(style, device, tmp_path):
    short, ushort = ("short", "ushort") if style == "cuda" else ("int16", "uint16")
    bits = ALL.view(np.uint16)
    kernel = kernel_of(tmp_path, [f"cuda.bf16.bfloat16_as_{short}(<x>)", f"cuda.bf16.bfloat16_as_{ushort}(<x>)"], ["x"])
    out = run(kernel, np.zeros((2, ALL.size), np.int32), ALL)
    np.testing.assert_array_equal(out, [bits.view(np.int16), bits])
    for name, given in ((short, bits.view(np.int16)), (ushort, bits)):
        out = run(kernel_of(tmp_path, [f"cuda.bf16.{name}_as_bfloat16(<x>)"], ["x"]), np.zeros((1, ALL.size), B), given)
        np.testing.assert_array_equal(out[0].view(np.uint16), bits)


# ---- operators, types


def test_operators(device, tmp_path):
    a, b = pairs()
    out = run(kernel_of(tmp_path, [f"<a> {op} <b>" for op in OPERATORS], ["a", "b"]), np.zeros((len(OPERATORS), a.size), B), a, b)
    for k, op in enumerate(OPERATORS):
        wanted = eval(f"a {op} b", {"a": a.astype(float), "b": b.astype(float)})
        same(out[k], rounded(wanted) if wanted.dtype == float else wanted)


def test_floor_division_and_powers(device, tmp_path):
    rng = np.random.default_rng(5)
    a, b = (rng.normal(0, 8, 3000).astype(B) for _ in range(2))
    texts = ["<a> // <b>", "<a> % <b>", "<a> ** 2", "abs(<a>) ** <b>", "-<a>", "+<a>", "divmod(<a>, <b>)[1]"]
    out = run(kernel_of(tmp_path, texts, ["a", "b"]), np.zeros((len(texts), a.size), B), a, b)
    x, y = a.astype(np.float32), b.astype(np.float32)
    for k, wanted in ((0, np.floor_divide(x, y)), (1, np.remainder(x, y)), (2, x * x), (4, -x), (5, x), (6, np.remainder(x, y))):
        same(out[k], wanted.astype(B))
    power = np.power(np.abs(x), y)
    assert np.all(np.abs(out[3].astype(float) - power) <= power / 128 + 1e-40)


TYPES_BESIDE = {
    "bool": "bfloat16", "int8": "bfloat16", "uint8": "bfloat16", "int16": "float32", "uint16": "float32", "int32": "float64",
    "uint32": "float64", "int64": "float64", "uint64": "float64", "float16": "float32", "bfloat16": "bfloat16", "float32": "float32",
    "float64": "float64", "complex64": "complex64", "complex128": "complex128",
}  # fmt: skip


@pytest.mark.parametrize("other", TYPES_BESIDE)
def test_the_type_of_an_operation(other, device, tmp_path):
    wanted, given = types.NUMBERS[TYPES_BESIDE[other]], types.NUMBERS[other]
    for pair in ((types.bfloat16, given), (given, types.bfloat16)):
        assert operators.binary_types("*", *pair) == types.common_real(*pair) == wanted
    assert types.unified(types.bfloat16, given) == wanted if other != "bool" else True
    a, b = np.array([3.140625, 1, 0.00390625], B), np.array([3, 1, 0]).astype(given.dtype)
    kind = complex if other.startswith("complex") else float
    out = np.zeros((3, 3), kind)
    kernel_of(tmp_path, ["<a> + <b>", "<b> * <a>", "<a> - <b>"], ["a", "b"])[1, 4](a, b, out)
    x, y = a.astype(kind), b.astype(kind)
    for got, exact in zip(out, (x + y, y * x, x - y), strict=True):
        np.testing.assert_array_equal(got, rounded(exact).astype(float) if wanted == types.bfloat16 else exact.astype(wanted.dtype))
    compared = np.zeros((2, 3), bool)
    kernel_of(tmp_path, ["<a> == <b>", "<a> != <b>"], ["a", "b"])[1, 4](a, b, compared)
    np.testing.assert_array_equal(compared, [x == y, x != y])


def test_values_and_types(device, tmp_path):
    text = """
from ml_dtypes import bfloat16 as of_numpy
from quern.cuda.bf16 import bfloat16, hadd
SEVEN = of_numpy(7)
@cuda.jit
def kernel(x, n, out):
    b = bfloat16(1.5)
    out[0] = b + x[0]
    out[1] = of_numpy(n) * b          # 257 rounds to 256
    out[2] = math.sqrt(x[0])
    out[3] = abs(-b)
    out[4] = max(b, x[0])
    out[5] = float(b) / 3
    out[6] = int(x[0] * b)
    out[7] = b if x[0] > 1 else bfloat16(0)
    out[8] = numba.float32(x[0]) + n
    s = cuda.shared.array(2, bfloat16)
    s[0] = x[0]
    out[9] = -s[0]
    b += x[0]
    out[10] = b
    b *= x[0]
    b -= x[0]
    b /= x[0]
    out[11] = b
    l = cuda.local.array((2, 2), numba.types.bfloat16)
    l[1, 0] = 0.1
    l[1, 1] = l[1, 0]
    l[1, 1] += 1
    out[12] = l[1, 0]
    out[13] = l[1, 1]
    out[14] = bfloat16(1.0) + bfloat16(0.001)    # stays a bfloat16
    out[15] = hadd(SEVEN, 1.0)
    out[16] = min(b, x[0], bfloat16(0.25))
    out[17] = bool(b) and not bfloat16(0)
    out[18] = round(x[0] * bfloat16(0.625))
    out[19] = round(bfloat16(3.140625), 1)
    out[20] = numba.bfloat16(1.003906250000001)     # rounds once
    out[21] = cuda.selp(n > 0, b, x[0])
    out[22] = numba.int32(bfloat16(-2.75)) + numba.uint8(bfloat16(200))
    out[23] = x[0].real + x[0].imag + bfloat16(True)
    out[24] = (x[0] + b).dtype(1.001)
    c = 0
    for k in range(3):
        c += x[0]
    out[25] = c
    out[26] = complex(x[0], b).imag
"""
    out = np.zeros(27)
    module_of(tmp_path, text).kernel[1, 1](np.array([4.0], B), 257, out)
    tenth, third = float(B(0.1)), float(B(3.1))
    assert out.tolist() == [
        *(5.5, 384.0, 2.0, 1.5, 4.0, 0.5, 6.0, 1.5, 261.0, -4.0, 5.5, 4.5, tenth, float(B(1.1015625)), 1.0, 8.0, 0.25, 1.0, 2.0, third),
        *(1.0078125, 4.5, 198.0, 5.0, 1.0, 12.0, 4.5),
    ]  # fmt: skip


def test_mathematics(device, tmp_path):
    x = np.linspace(0.0625, 0.96875, 200).astype(B)
    y = x[::-1].copy()
    own = {
        "sqrt": np.sqrt, "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "log10": np.log10, "sin": np.sin, "cos": np.cos,
        "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
        "expm1": np.expm1, "log1p": np.log1p, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "fabs": np.fabs,
    }  # fmt: skip
    if not hasattr(__import__("math"), "exp2"):
        del own["exp2"]
    texts = [f"math.{name}(<x>)" for name in own] + ["math.hypot(<x>, <y>)", "math.atan2(<x>, <y>)", "math.copysign(<x>, -<y>)"]
    texts += ["np.sin(<x>)", "np.maximum(<x>, <y>)", "np.fmin(<x>, <y>)", "np.abs(-<x>)", "math.pow(<x>, <y>)"]
    texts += ["math.isnan(<x>)", "math.isinf(<x>)", "math.isfinite(<x>)", "math.erf(<x>)", "math.frexp(<x>)[0]", "math.ldexp(<x>, 2)"]
    out = run(kernel_of(tmp_path, texts, ["x", "y"]), np.zeros((len(texts), x.size)), x, y)
    a, b = x.astype(float), y.astype(float)
    wanted = [function(a) for function in own.values()] + [np.hypot(a, b), np.arctan2(a, b), -a]
    wanted += [np.sin(a), np.maximum(a, b), np.fmin(a, b), a, a**b]
    for k, w in enumerate(wanted):
        assert np.all(np.abs(out[k] - w) <= np.abs(w) / 200), texts[k]
        same(out[k], out[k].astype(B))  # its type has stayed
    erf = np.array([__import__("math").erf(v) for v in a])
    np.testing.assert_array_equal(out[-6:-3], [a != a, a != a, a == a])
    np.testing.assert_allclose(out[-3], erf, rtol=1e-6)  # by way of float32
    np.testing.assert_array_equal(out[-2:], [np.frexp(a)[0], a * 4])


# ---- arrays and numbers of the host


def test_arrays_of_numpy(device, tmp_path):
    text = """
@cuda.jit
def double(a, out):
    i, j = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        out[i, j] = a[i, j] + a[i, j]
@cuda.jit
def fill(out, x):
    out[:] = x
@cuda.jit
def info(a, out):
    out[0], out[1], out[2], out[3] = a.size, a.itemsize, a.nbytes, a.strides[0]
"""
    module = module_of(tmp_path, text)
    a = np.arange(48).reshape(6, 8).astype(B)
    for given in (a, np.asfortranarray(a), a[::2, ::-1], a.T):
        out = np.zeros(given.shape, B)
        module.double[(1, 1), (8, 8)](given, out)
        same(out, given + given)
        into = np.zeros((given.shape[0], 2 * given.shape[1]), B)
        module.double[(1, 1), (8, 8)](given, into[:, ::2])
        same(into[:, ::2], given + given)
        assert not into[:, 1::2].any()
    fixed = a.copy()
    fixed.flags.writeable = False
    out = np.zeros(a.shape, B)
    module.double[(1, 1), (8, 8)](fixed, out)
    same(out, a + a)
    with pytest.raises(TypeError, match="read-only"):
        module.double[(1, 1), (8, 8)](a, fixed)
    module.fill[1, 1](out, a)
    same(out, a)
    out = np.zeros(4, np.int64)
    module.info[1, 1](a[0], out)
    assert out.tolist() == [8, 2, 16, 2]
    assert str(module.double.signatures[0][0]) == "array(bfloat16, 2d, C)"
    with pytest.raises(TypeError, match="byte order"):
        module.fill[1, 1](a, a.astype(np.dtype(B).newbyteorder(">")))
    empty = np.zeros((0, 3), B)
    module.double[(1, 1), (8, 8)](empty, empty)


def test_slices_round_once(device, tmp_path):
    text = "@cuda.jit\ndef kernel(a, out):\n    out[:] = a\n    out[2:] = a[0]\n"
    out, a = np.zeros(4, B), np.full(4, 1 + 2.0**-8 + 2.0**-40)
    module_of(tmp_path, text).kernel[1, 1](a, out)
    assert out.tolist() == [1.0078125] * 4
    for given in (np.array([1, 2, 3, 4], np.float16), np.arange(1, 5), np.array([1, 2, 3, 4], B), np.ones(4, bool)):
        module_of(tmp_path, "@cuda.jit\ndef kernel(a, out):\n    out[:] = a\n").kernel[1, 1](given, out)
        assert out.tolist() == given.tolist()
    with pytest.raises(TypeError, match="complex64 does not convert to bfloat16"):
        module_of(tmp_path, text).kernel[1, 1](a.astype(np.complex64), out)


def test_arrays_of_the_device(device, tmp_path):
    kernel = module_of(tmp_path, "@cuda.jit\ndef kernel(a, out):\n    i = cuda.grid(1)\n    out[i] = a[i] * a[i]\n").kernel
    host = np.linspace(-3, 3, 64).astype(B)
    wanted = (host.astype(np.float32) ** 2).astype(B)
    given, out = cuda.to_device(host), cuda.device_array(64, dtype=B)
    assert given.dtype == out.dtype == np.dtype(B)
    kernel[1, 64](given, out)
    same(out.copy_to_host(), wanted)
    like = cuda.device_array_like(host)
    kernel[1, 64](host, like)
    same(like.copy_to_host(), wanted)
    ours = qn.asarray(host)
    made = qn.zeros(64, dtype="bfloat16")
    kernel[1, 64](ours, made)
    same(qn.asnumpy(made), wanted)
    same(qn.asnumpy(made + ours), (wanted + host).astype(B))
    back = np.zeros(64, B)
    kernel[1, 64](cuda.In(host), cuda.Out(back))
    same(back, wanted)
    mapped = cuda.mapped_array(64, dtype=B)
    mapped[:] = 3
    kernel[1, 64](mapped, back)
    assert (back == 9).all()
    out.copy_to_device(host)
    same(out.copy_to_host(), host)
    named = cuda.device_array((2, 3), dtype="bfloat16")
    assert named.dtype == np.dtype(B) and named.nbytes == 12


def test_global_arrays(device, tmp_path):
    text = """
import ml_dtypes
TABLE = np.array([[0.5, -0.0, np.inf], [np.nan, 3.14, -7]]).astype(ml_dtypes.bfloat16)
HALF = np.array([0.5, -2.0, 65504], np.float16)
@cuda.jit
def kernel(out):
    i = cuda.grid(1)
    own = cuda.const.array_like(TABLE)
    out[i] = own[i // 3, i % 3]
    out[i + 6] = HALF[i % 3] * own[0, 0]
"""
    module = module_of(tmp_path, text)
    out = np.zeros(12, np.float32)
    module.kernel[1, 6](out)
    same(out[:6], module.TABLE.ravel())
    same(out[6:], np.tile(module.HALF.astype(np.float32), 2) / 2)


def test_numbers_as_arguments(device, tmp_path):
    plain = module_of(tmp_path, "@cuda.jit\ndef kernel(x, t, out):\n    out[0], out[1] = x + x, t[1] * x\n").kernel
    out = np.zeros(2, B)
    plain[1, 1](B(1.5), (1, B(2.5)), out)
    assert out.tolist() == [3.0, 3.75]
    assert signatures.typeof(B(1.5)) == types.bfloat16
    assert signatures.typeof(np.zeros((2, 2), B)) == types.Array(types.bfloat16, 2, "C")


@pytest.mark.parametrize("declared", ["bfloat16", "float32", "float64", "complex64"])
def test_numbers_of_other_types(declared, device, tmp_path):
    text = f"@cuda.jit('void({declared}, bfloat16[:], float16)')\ndef kernel(x, out, h):\n    out[0], out[1] = x.real, h\n"
    kernel = module_of(tmp_path, text).kernel
    for given in (B(-2.5), np.float16(-2.5), np.float32(-2.5), -2.5):
        out = np.zeros(2, B)
        kernel[1, 1](given, out, given)
        assert out.tolist() == [-2.5, -2.5]
    if declared == "bfloat16":
        out = np.zeros(2, B)
        kernel[1, 1](3, out, True)
        assert out.tolist() == [3.0, 1.0]


def test_signatures(device, tmp_path):
    text = """
from numba_types import bfloat16, void
@cuda.jit(void(bfloat16, bfloat16[:, ::1], numba.types.Array(bfloat16, 1, "C")))
def kernel(x, a, out):
    out[0] = cuda.bf16.hadd(x, a[0, 1])
@cuda.jit("bfloat16(bfloat16, bfloat16)", device=True)
def both(a, b):
    return a * b
@cuda.jit
def calls(x, out):
    out[0] = both(x, 2.0)
""".replace("numba_types", "quern.cuda.types")
    module = module_of(tmp_path, text)
    out = np.zeros(1, B)
    module.kernel[1, 1](B(0.5), np.array([[0, 2]], B), out)
    assert out[0] == 2.5
    module.calls[1, 1](B(0.5), out)
    assert out[0] == 1


def test_records(device, tmp_path):
    text = "@cuda.jit\ndef kernel(a):\n    i = cuda.grid(1)\n    a[i].y = a[i].x + a[i]['y']\n    a[i].z[1] = a[i].x\n"
    kernel = module_of(tmp_path, text).kernel
    for align in (False, True):
        dtype = np.dtype([("t", "i1"), ("x", B), ("y", B), ("z", B, 2)], align=align)
        a = np.zeros(5, dtype)
        a["x"], a["y"] = np.arange(5).astype(B), B(0.5)
        kernel[1, 5](a)
        assert a["y"].tolist() == [0.5, 1.5, 2.5, 3.5, 4.5]
        assert a["z"].tolist() == [[0, k] for k in range(5)]


def test_atomics_loads_and_stores(device, tmp_path):
    text = """
@cuda.jit
def kernel(a, out):
    i = cuda.grid(1)
    cuda.atomic.add(out, i % 3, a[i])
@cuda.jit
def loads(a, h, out):
    i = cuda.grid(1)
    x = cuda.ldca(a, i) + cuda.ldcg(a, i) + cuda.ldcs(a, i) + cuda.ldlu(a, i) + cuda.ldcv(a, i)
    cuda.stcg(out, i, x)
    cuda.stcs(out, i + 4, x + cuda.ldca(h, i))
    cuda.stwb(out, i + 8, a[i])
    cuda.stwt(out, i + 12, 2)
"""
    module = module_of(tmp_path, text)
    out = np.zeros(3, B)
    module.kernel[2, 30](np.full(60, 0.5, B), out)
    assert out.tolist() == [10.0] * 3
    a, h, out = np.array([1, 2, 3, 4], B), np.array([1, 1, 1, 0.5], np.float16), np.zeros(16, B)
    module.loads[1, 4](a, h, out)
    assert out.tolist() == [5, 10, 15, 20, 6, 11, 16, 20.5, 1, 2, 3, 4, 2, 2, 2, 2]


def test_vectorized(device):
    f = numba.vectorize(_sum_of_squares)
    x, y = np.linspace(-2, 2, 40).astype(B), np.linspace(1, 3, 40).astype(B)
    wanted = ((x * x).astype(B) + (y * y).astype(B)).astype(B)
    for given in ((x, y), (qn.asarray(x), qn.asarray(y))):
        got = f(*given)
        assert got.dtype == np.dtype(B)
        same(qn.asnumpy(got) if isinstance(got, qn.ndarray) else got, wanted)
    g = numba.vectorize(["bfloat16(bfloat16, bfloat16)", "float64(float64, float64)"])(_sum_of_squares)
    assert g(x, y).dtype == np.dtype(B) and g(1.5, 2.5) == 8.5
    assert g.types == ["EE->E", "dd->d"]
    assert cuda.reduce(_sum)(np.full(50, 0.5, B)) == 25


def _sum(a, b):
    return a + b


def _sum_of_squares(a, b):
    return a * a + b * b


def test_functions_of_the_host():
    f = numba.njit(_sum_of_squares)
    assert f(B(1.5), B(2.5)) == 8.5
    assert f(B(1.5), 2.0) == 6.25


def test_host_side():
    assert cuda.is_bfloat16_supported() is True and cuda.get_current_device().supports_bfloat16 is True
    assert cuda.bf16 is bf16
    assert bf16.bfloat16 is types.bfloat16 is cuda.bfloat16 is numba.bfloat16 is numba.types.bfloat16 is cuda.types.bfloat16
    assert str(types.bfloat16) == "bfloat16" and pickle.loads(pickle.dumps(types.bfloat16)) == types.bfloat16
    assert numpy_support.from_dtype(np.dtype(B)) == types.bfloat16 and numpy_support.as_dtype(types.bfloat16) == np.dtype(B)
    assert types.bfloat16(1.5) == B(1.5) and type(types.bfloat16(1.5)) is B
    assert all(hasattr(bf16, name) for name in bf16.__all__)
    assert bf16.hadd.__doc__ == "hadd(a, b): CUDA's __hadd; takes (bfloat16, bfloat16), gives bfloat16."
    assert bf16.int32_to_bfloat16_rz is bf16.int2bfloat16_rz
    with pytest.raises(RuntimeError, match=r"cuda\.bf16\.hadd"):
        bf16.hadd(B(1), B(2))
    with pytest.raises(TypeError, match="does not take"):
        numba.cuda.jit("void(complex64)")(_of_complex)
    with pytest.raises(TypeError, match="does not take"):
        numba.cuda.jit("void(float32)")(_of_bits)
    with pytest.raises(AttributeError, match="8-bit"):
        getattr(cuda, "fp8")  # noqa: B009


def _of_complex(x):
    cuda.bf16.hneg(x)


def _of_bits(x):
    cuda.bf16.short_as_bfloat16(x)


def test_a_program_of_numba(tmp_path):
    (tmp_path / "program.py").write_text("""
import ml_dtypes
import numba
import numpy as np
from numba import cuda
from numba.cuda import bf16
from numba.cuda.bf16 import bfloat16, hfma
from numba.cuda.types import bfloat16 as same
assert bf16.bfloat16 is bfloat16 is same is numba.types.bfloat16

@cuda.jit
def axpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = hfma(a, x[i], y[i]) + bfloat16(1)

x = np.arange(1000).astype(ml_dtypes.bfloat16)
y = np.ones_like(x)
axpy[4, 256](ml_dtypes.bfloat16(2), x, y)
print(y[:4].tolist(), y[999])
""")
    done = quern("run", tmp_path / "program.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[2.0, 4.0, 6.0, 8.0] 2000"


# The functions that numba-cuda's module has, by Numba's names.
NUMBA = """habs hadd hsub hmul hadd_rn hsub_rn hmul_rn hdiv hadd_sat hsub_sat hmul_sat hfma hfma_sat hneg hfma_relu heq hne hge hgt hle hlt
    hmax hmin hmax_nan hmin_nan hisinf hisnan hequ hneu hgeu hgtu hleu hltu float32_to_bfloat16 float64_to_bfloat16 bfloat16_to_float32
    float32_to_bfloat16_rn float32_to_bfloat16_rz float32_to_bfloat16_rd float32_to_bfloat16_ru bfloat16_to_int8_rz bfloat16_to_uint8_rz
    bfloat16_as_int16 bfloat16_as_uint16 int16_as_bfloat16 uint16_as_bfloat16 htrunc hceil hfloor hrint hsqrt hrsqrt hrcp hlog hlog2
    hlog10 hcos hsin htanh htanh_approx hexp hexp2 hexp10"""


def test_names():
    names = NUMBA.split() + [f"{a}_{m}" for t in INTEGERS.values() for a in (f"{t}_to_bfloat16", f"bfloat16_to_{t}") for m in ROUNDINGS]
    assert len(names) == 111 and set(names) <= set(bf16.__all__)
    words = [f"{a}_{m}" for w in INTEGERS for a in (f"{w}2bfloat16", f"bfloat162{w}") for m in ROUNDINGS]
    words += ["bfloat162float", "float2bfloat16", "double2bfloat16", "bfloat162char_rz", "bfloat162uchar_rz", "short_as_bfloat16"]
    assert set(words) <= set(bf16.__all__)
