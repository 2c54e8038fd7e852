"""CUDA's mathematical functions in kernels, compared with mpmath: every function, in single and double precision, to the units of the last
place that CUDA's manual promises. Arguments are spread over all exponents, and lie dense where a function is hard.

QUERN_MATH_POINTS=10000 takes more of them.
"""

import functools
import math

import mpmath
import numpy as np
import pytest
import quern
from long_runs import FIRST_SEED, programs
from mpmath import mp, mpf
from quern.pycuda import driver as drv

POINTS = programs("QUERN_MATH_POINTS", 25)
INF, NAN = math.inf, math.nan
mp.prec = 160
TYPES = {"float": (np.float32, 24, -126, 128), "double": (np.float64, 53, -1022, 1024)}
HALF = mpf(1) / 2
ROOT2 = mp.sqrt(2)


class Row:
    """A function: its bounds in units of the last place (or (bound, where it holds, absolute error elsewhere)), what it is, what it
    is at -inf and inf, where arguments lie (pairs for each parameter), and its values where mpmath has none."""

    def __init__(self, single, double, exact, ends=(NAN, NAN), near=((-4, 4),), at=None, spread=True, odd=False):
        self.bounds = {"float": single, "double": double}
        self.exact, self.ends, self.near, self.at, self.spread, self.odd = exact, ends, near, at or {}, spread, odd


def erfc(x):
    return mp.erfc(max(min(x, mpf(10000)), mpf(-10000)))


def normcdf(x):
    return erfc(-x / ROOT2) / 2


def erfcinv(y):
    if not 0 < y < 2:
        return NAN
    if y > 1:
        return -erfcinv(2 - y) if y != 1 else mpf(0)
    if y > mpf("0.1"):
        return mp.erfinv(1 - y)
    x = mp.sqrt(-mp.log(y * mp.sqrt(-mp.log(y))))
    for _ in range(60):  # on the logarithm, which is nearly a parabola
        value = mp.erfc(x)
        step = (mp.log(value) - mp.log(y)) * value / (-2 / mp.sqrt(mp.pi) * mp.exp(-x * x))
        x -= step
        if abs(step) <= abs(x) * mpf(2) ** -130:
            break
    return x


def erfcx(x):
    return mp.exp(x * x) * mp.erfc(x) if x < 1000 else (1 - 1 / (2 * x * x) + 3 / (4 * x**4)) / (x * mp.sqrt(mp.pi))


def lgamma(x):
    return mp.log(abs(mp.gamma(x))) if abs(x) < 1000 else mp.loggamma(x).real


def away_from_zero(x):
    return mp.sign(x) * mp.floor(abs(x) + HALF)


def logb(x):
    return mpf(mp.frexp(x)[1] - 1)


NEGATIVE = [float(-n) for n in range(1, 60)]
POLES = {x: INF for x in ("0.0", "-0.0", *map(str, NEGATIVE))}
BESSEL = [((0, 8),), ((8, 300),)]


def bessel(order, kind):
    return lambda x: kind(order, x)


def first_kind(single=9, double=7):
    return (single, 8, 2.2e-6), (double, 8, 5e-12)


ONE = {
    "acos": Row(2, 2, mp.acos, near=((-1, 1), (0.999, 1), (-1, -0.999))),
    "acosh": Row(4, 3, mp.acosh, (NAN, INF), near=((1, 4), (1, 1.001))),
    "asin": Row(2, 2, mp.asin, near=((-1, 1), (0.999, 1)), odd=True),
    "asinh": Row(3, 3, mp.asinh, (-INF, INF), odd=True),
    "atan": Row(2, 2, mp.atan, (-math.pi / 2, math.pi / 2), odd=True),
    "atanh": Row(3, 2, mp.atanh, near=((-1, 1), (0.999, 1)), at={"1.0": INF, "-1.0": -INF}, odd=True),
    "cbrt": Row(1, 1, lambda x: mp.sign(x) * mp.cbrt(abs(x)), (-INF, INF), odd=True),
    "ceil": Row(0, 0, mp.ceil, (-INF, INF)),
    "cos": Row(2, 2, mp.cos, near=((-4, 4), (-1e5, 1e5))),
    "cosh": Row(2, 2, mp.cosh, (INF, INF), near=((-4, 4), (-90, 90), (-712, 712))),
    "cospi": Row(2, 2, mp.cospi, near=((-4, 4), (-1e5, 1e5))),
    "cyl_bessel_i0": Row(6, 6, bessel(0, mp.besseli), (INF, INF), near=((-8, 8), (-90, 90), (-700, 700)), spread=False),
    "cyl_bessel_i1": Row(6, 6, bessel(1, mp.besseli), (-INF, INF), near=((-8, 8), (-90, 90), (-700, 700)), spread=False, odd=True),
    "erf": Row(2, 2, mp.erf, (-1, 1), odd=True),
    "erfc": Row(4, 5, erfc, (2, 0), near=((-4, 4), (0, 11), (0, 28))),
    "erfcinv": Row(4, 6, erfcinv, near=((0, 2), (0, 0.01), (1.99, 2)), at={"0.0": INF, "-0.0": INF, "2.0": -INF}),
    "erfcx": Row(4, 4, erfcx, (INF, 0), near=((-4, 4), (-10, 30), (-27, 100))),
    "erfinv": Row(2, 5, mp.erfinv, near=((-1, 1), (0.999, 1)), at={"1.0": INF, "-1.0": -INF}, odd=True),
    "exp": Row(2, 1, mp.exp, (0, INF), near=((-4, 4), (-104, 89), (-746, 710))),
    "exp10": Row(2, 1, lambda x: mp.power(10, x) if x else mpf(1), (0, INF), near=((-4, 4), (-45, 39), (-324, 309))),
    "exp2": Row(2, 1, lambda x: mp.power(2, x), (0, INF), near=((-4, 4), (-150, 129), (-1075, 1025))),
    "expm1": Row(1, 1, mp.expm1, (-1, INF), near=((-4, 4), (-104, 89), (-746, 710)), odd=True),
    "fabs": Row(0, 0, abs, (INF, INF)),
    "floor": Row(0, 0, mp.floor, (-INF, INF)),
    "j0": Row(*first_kind(), bessel(0, mp.besselj), (0, 0), near=((-8, 8), (8, 300), (2.4, 2.41), (5.5, 5.53)), spread=False),
    "j1": Row(*first_kind(), bessel(1, mp.besselj), (0, 0), near=((-8, 8), (8, 300), (3.83, 3.84)), spread=False),
    "lgamma": Row(6, 4, lgamma, (INF, INF), near=((0, 4), (0.999, 1.001), (1.999, 2.001), (-2.2, 40), (-60, -24)), at=POLES, spread=False),
    "log": Row(1, 1, mp.log, (NAN, INF), near=((0, 2), (0.99, 1.01)), at={"0.0": -INF, "-0.0": -INF}),
    "log10": Row(2, 1, mp.log10, (NAN, INF), near=((0, 2), (0.99, 1.01)), at={"0.0": -INF, "-0.0": -INF}),
    "log1p": Row(1, 1, mp.log1p, (NAN, INF), near=((-1, 2), (-0.01, 0.01)), at={"-1.0": -INF}, odd=True),
    "log2": Row(1, 1, lambda x: mp.log(x) / mp.log(2), (NAN, INF), near=((0, 2), (0.99, 1.01)), at={"0.0": -INF, "-0.0": -INF}),
    "logb": Row(0, 0, logb, (INF, INF), at={"0.0": -INF, "-0.0": -INF}),
    "nearbyint": Row(0, 0, mp.nint, (-INF, INF)),
    "normcdf": Row(5, 5, normcdf, (0, 1), near=((-4, 4), (-15, 9), (-39, 9))),
    "normcdfinv": Row(5, 8, lambda p: -ROOT2 * erfcinv(2 * p), near=((0, 1), (0, 0.01), (0.99, 1)), at={"0.0": -INF, "-0.0": -INF, "1.0": INF}),
    "rcbrt": Row(1, 1, lambda x: mp.sign(x) / mp.cbrt(abs(x)), (-0.0, 0.0), at={"0.0": INF, "-0.0": -INF}),
    "rint": Row(0, 0, mp.nint, (-INF, INF)),
    "round": Row(0, 0, away_from_zero, (-INF, INF)),
    "rsqrt": Row(2, 1, lambda x: 1 / mp.sqrt(x), (NAN, 0), at={"0.0": INF, "-0.0": -INF}),
    "sin": Row(2, 2, mp.sin, near=((-4, 4), (-1e5, 1e5)), odd=True),
    "sinh": Row(3, 2, mp.sinh, (-INF, INF), near=((-4, 4), (-90, 90), (-712, 712)), odd=True),
    "sinpi": Row(2, 2, mp.sinpi, near=((-4, 4), (-1e5, 1e5)), odd=True),
    "sqrt": Row(0, 0, mp.sqrt, (NAN, INF), odd=True),
    "tan": Row(4, 2, mp.tan, near=((-4, 4), (-1e5, 1e5)), odd=True),
    "tanh": Row(2, 2, mp.tanh, (-1, 1), near=((-4, 4), (-0.1, 0.1)), odd=True),
    "tgamma": Row(5, 10, mp.gamma, (NAN, INF), near=((0, 4), (-5, 36), (-42, 171)), at={**{str(x): NAN for x in NEGATIVE}, "0.0": INF, "-0.0": -INF}, spread=False),
    "trunc": Row(0, 0, lambda x: mp.sign(x) * mp.floor(abs(x)), (-INF, INF)),
    "y0": Row(*first_kind(), bessel(0, mp.bessely), (NAN, 0), near=((0, 8), (8, 300), (0.89, 0.9)), at={"0.0": -INF, "-0.0": -INF}, spread=False),
    "y1": Row(*first_kind(), bessel(1, mp.bessely), (NAN, 0), near=((0, 8), (8, 300), (2.19, 2.2)), at={"0.0": -INF, "-0.0": -INF}, spread=False),
}  # fmt: skip


def arguments(name, row, type_name):
    """The points of one parameter."""
    dtype, digits, low, high = TYPES[type_name]
    rng = np.random.default_rng(hash_of(name) + FIRST_SEED)
    info = np.finfo(dtype)
    fixed = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.0, -2.0, 2.5, 3.0, INF, -INF, NAN]
    if row.spread:
        fixed += [info.max, -info.max, info.tiny, -info.tiny, info.smallest_subnormal, -info.smallest_subnormal, info.eps]
        exponents = rng.integers(low - digits + 2, high, POINTS)
        fixed += list(np.ldexp(rng.uniform(0.5, 1, POINTS) * rng.choice([-1, 1], POINTS), exponents))
    for a, b in row.near:
        fixed += list(rng.uniform(a, b, POINTS))
    fixed += [float(x) for x in row.at]
    with np.errstate(all="ignore"):
        return np.array(fixed).astype(dtype)


def hash_of(name):
    return int.from_bytes(name.encode(), "little") % 2**32


@functools.cache
def expected(name, type_name):
    """Arguments and exact values (mpf, or float where they are no number or infinite)."""
    row = ONE[name]
    points = arguments(name, row, type_name)
    values = []
    for x in points:
        x = float(x)
        if math.isnan(x):
            values.append(NAN)
        elif math.isinf(x):
            values.append(row.ends[x > 0])
        elif str(x) in row.at:
            values.append(row.at[str(x)])
        else:
            try:
                value = row.exact(mpf(x))
            except (ValueError, ZeroDivisionError, mpmath.libmp.ComplexResult):
                value = NAN
            values.append(NAN if isinstance(value, mpmath.mpc) else value)
    return points, values


def units(got, value, type_name):
    """How many units of the last place lie between."""
    dtype, digits, low, high = TYPES[type_name]
    if mpmath.isnan(value) or math.isnan(got):
        return 0.0 if mpmath.isnan(value) and math.isnan(got) else INF
    # Infinity counts as the number that follows the largest one.
    top = mpf(2) ** high
    value = max(-top, min(top, mpf(value)))
    got = max(-top, min(top, mpf(got)))
    exponent = mp.frexp(abs(value))[1] if value else low
    return float(abs(got - value) / mpf(2) ** (max(exponent, low + 1) - digits))


def allowed(bound, x):
    """Units of the last place, absolute error."""
    if not isinstance(bound, tuple):
        return bound, 0.0
    within, limit, absolute = bound
    return (within, 0.0) if abs(x) < limit else (0.0, absolute)


def run(expressions, type_name, inputs, outputs="T"):
    """out[k] = expressions[k] of the inputs' i-th elements, called by many threads and by a single one."""
    names = "xyzw"[: len(inputs)]
    parameters = ", ".join(f"const {type_name}* {n}" for n in names)
    loads = " ".join(f"{type_name} {n} = {n}_[i];" for n in names)
    parameters = ", ".join(f"const {type_name}* {n}_" for n in names)
    body = "\n".join(f"    out[{k} * n + i] = {e};" for k, e in enumerate(expressions))
    text = f"""
extern "C" __global__ void f({parameters}, {type_name}* out, int n) {{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {{
    {loads}
{body}
  }}
}}
"""
    function = quern.RawKernel(text, "f")
    count = len(inputs[0])
    places = [drv.to_device(np.ascontiguousarray(v)) for v in inputs]
    results = []
    for blocks, threads in ((4, 64), (1, 1)):
        out = np.zeros((len(expressions), count), inputs[0].dtype)
        place = drv.to_device(out)
        function((blocks,), (threads,), (*places, place, np.int32(count)))
        results.append(drv.from_device_like(place, out))
    return results


@pytest.mark.parametrize("type_name", TYPES)
@pytest.mark.parametrize("name", ONE)
def test_functions_of_one(device, name, type_name):
    row, suffix = ONE[name], "f" if type_name == "float" else ""
    points, values = expected(name, type_name)
    bound = row.bounds[type_name]
    for got in run([f"{name}{suffix}(x)"], type_name, [points]):
        worst, where = 0.0, None
        for x, g, value in zip(points, got[0], values, strict=True):
            limit, absolute = allowed(bound, float(x))
            error = units(float(g), value, type_name)
            if absolute and abs(mpf(float(g)) - value) <= absolute:
                continue
            if error - limit > worst:
                worst, where = error - limit, (float(x), float(g), float(value), error)
        # An exact result still has to be rounded.
        assert worst <= 0.5, f"{name}{suffix}(x): (x, got, value, units) = {where}"
        if row.odd:
            zeros = points == 0
            assert np.array_equal(np.signbit(got[0][zeros]), np.signbit(points[zeros]))


# Of more reals than one: bounds in single and double precision, what it is; arguments from [-8, 8] and from all exponents.
SEVERAL = {
    "atan2": (3, 2, lambda y, x: mp.atan2(y, x)),
    "hypot": (3, 2, lambda x, y: mp.hypot(x, y)),
    "rhypot": (2, 1, lambda x, y: 1 / mp.hypot(x, y)),
    "pow": (4, 2, lambda x, y: mp.power(abs(x), y)),  # called with fabs(x)
    "norm3d": (3, 2, lambda x, y, z: mp.sqrt(x * x + y * y + z * z)),
    "rnorm3d": (2, 1, lambda x, y, z: 1 / mp.sqrt(x * x + y * y + z * z)),
    "norm4d": (3, 2, lambda x, y, z, w: mp.sqrt(x * x + y * y + z * z + w * w)),
    "rnorm4d": (2, 1, lambda x, y, z, w: 1 / mp.sqrt(x * x + y * y + z * z + w * w)),
    "fma": (0, 0, lambda x, y, z: x * y + z),
    "fdim": (0, 0, lambda x, y: max(x - y, mpf(0))),
    "fdivide": (0, 0, lambda x, y: x / y),
}


def spread_numbers(name, parameters, type_name, far=True):
    """So many arrays of numbers, the first half of each within [-8, 8], the others of all sizes; no zeros."""
    dtype, digits, low, high = TYPES[type_name]
    rng = np.random.default_rng(hash_of(name) + FIRST_SEED)
    near = rng.uniform(-8, 8, (parameters, 2 * POINTS))
    wide = np.ldexp(rng.uniform(0.5, 1, (parameters, POINTS)) * rng.choice([-1, 1], (parameters, POINTS)), rng.integers(low - digits + 2, high, POINTS))
    wide *= np.ldexp(1.0, rng.integers(-3, 1, (parameters, POINTS)))
    numbers = np.concatenate([near, wide], axis=1) if far else near
    with np.errstate(all="ignore"):
        numbers = numbers.astype(dtype)
    if far:  # few bits: those that all are the smallest number there is, and some of the next ones
        numbers[:, -4:] = np.finfo(dtype).smallest_subnormal * rng.integers(1, 5, (parameters, 4)).astype(dtype)
        numbers[:, -1] = np.finfo(dtype).smallest_subnormal
    numbers[numbers == 0] = np.finfo(dtype).smallest_subnormal
    return list(numbers)


@pytest.mark.parametrize("type_name", TYPES)
@pytest.mark.parametrize("name", SEVERAL)
def test_functions_of_several(device, name, type_name):
    single, double, exact = SEVERAL[name]
    bound = single if type_name == "float" else double
    suffix = "f" if type_name == "float" else ""
    parameters = exact.__code__.co_argcount
    inputs = spread_numbers(name, parameters, type_name, name != "pow")
    first = "fabs(x)" if name == "pow" else "x"
    call = f"{name}{suffix}({', '.join([first, *'yzw'[: parameters - 1]])})"
    for got in run([call], type_name, inputs):
        for g, *given in zip(got[0], *inputs, strict=True):
            value = exact(*(mpf(float(v)) for v in given))
            error = units(float(g), value, type_name)
            assert error <= bound + 0.5, (call, [float(v) for v in given], float(g), float(value), error)


CORNERS = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 3.0, 1e30, -1e30, INF, -INF, NAN]
# What NumPy, or Python's own functions, say of pairs of corners, and of triples.
LIKE_NUMPY = {
    "atan2": np.arctan2, "copysign": np.copysign, "fmod": np.fmod, "hypot": np.hypot, "nextafter": np.nextafter, "pow": np.power,
    "fmax": np.fmax, "fmin": np.fmin, "fdim": lambda x, y: np.where(np.isnan(x) | np.isnan(y), NAN, np.where(x > y, x - y, 0)),
    "remainder": np.vectorize(lambda x, y: NAN if math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0 else math.remainder(x, y), otypes=[float]),
    "rhypot": lambda x, y: 1 / np.hypot(x, y),
}  # fmt: skip


@pytest.mark.parametrize("type_name", TYPES)
def test_corners_of_two(device, type_name):
    dtype = TYPES[type_name][0]
    suffix = "f" if type_name == "float" else ""
    x, y = (np.ascontiguousarray(v.ravel()) for v in np.meshgrid(np.array(CORNERS, dtype), np.array(CORNERS, dtype)))
    for got in run([f"{name}{suffix}(x, y)" for name in LIKE_NUMPY], type_name, [x, y]):
        for row, (name, function) in zip(got, LIKE_NUMPY.items(), strict=True):
            with np.errstate(all="ignore"):
                wanted = function(x, y).astype(dtype)
            np.testing.assert_allclose(row, wanted, rtol=8 * np.finfo(dtype).eps, atol=0, err_msg=name)
            zeros = (wanted == 0) & ~((x == 0) & (y == 0) & (name in ("fmax", "fmin")))
            assert np.array_equal(np.signbit(row[zeros]), np.signbit(wanted[zeros])), (name, x[zeros], y[zeros], row[zeros])


def test_functions_of_an_order(device):
    for type_name, absolute in (("float", 2.2e-6), ("double", 5e-12)):
        suffix = "f" if type_name == "float" else ""
        x = np.random.default_rng(1 + FIRST_SEED).uniform(0.5, 60, POINTS).astype(TYPES[type_name][0])
        for order in (0, 1, 2, 5, 20, 128):
            for got in run([f"jn{suffix}({order}, x)", f"yn{suffix}({order}, x)"], type_name, [x]):
                for v, j, y in zip(x, *got, strict=True):
                    assert abs(mp.besselj(order, float(v)) - float(j)) <= absolute, (order, v)
                    wanted = mp.bessely(order, float(v))
                    size = max(1, abs(wanted)) if order < 20 or v > order else abs(wanted)
                    if size < 1e30:
                        assert abs(wanted - float(y)) <= absolute * max(10, order) * size, (order, v, y, wanted)


def rounded(exact, type_name, mode):
    """A Fraction-like exact mpf in a type, by a rounding mode."""
    dtype, digits, low, high = TYPES[type_name]
    if exact == 0:
        return 0.0
    exponent = max(mp.frexp(abs(exact))[1], low + 1) - digits
    scaled = exact / mpf(2) ** exponent
    whole = {"rn": mp.nint, "rd": mp.floor, "ru": mp.ceil, "rz": lambda v: mp.sign(v) * mp.floor(abs(v))}[mode](scaled)
    value = whole * mpf(2) ** exponent
    if abs(value) >= mpf(2) ** high:
        largest = float(np.finfo(dtype).max)
        up = mode == "rn" or (mode == "ru" and value > 0) or (mode == "rd" and value < 0)
        return math.copysign(INF if up else largest, value)
    return float(value)


ROUNDED = {
    "add": (2, lambda x, y: x + y), "sub": (2, lambda x, y: x - y), "mul": (2, lambda x, y: x * y), "div": (2, lambda x, y: x / y),
    "rcp": (1, lambda x: 1 / x), "sqrt": (1, lambda x: mp.sqrt(abs(x))), "fma": (3, lambda x, y, z: x * y + z),
}  # fmt: skip


@pytest.mark.parametrize("type_name", TYPES)
@pytest.mark.parametrize("mode", ["rn", "rz", "ru", "rd"])
def test_arithmetic_with_a_rounding_mode(device, mode, type_name):
    letter = type_name[0]
    for stem, (parameters, exact) in ROUNDED.items():
        name = f"__{letter}{stem}_{mode}" if stem != "fma" else f"__fma{'f' if letter == 'f' else ''}_{mode}"
        inputs = spread_numbers(name, parameters, type_name)
        arguments_text = {1: "x", 2: "x, y", 3: "x, y, z"}[parameters]
        if stem == "sqrt":
            inputs = [np.abs(v) for v in inputs]
        if stem == "fma":  # also where the parts of the sum cancel
            with np.errstate(all="ignore"):
                product = (-inputs[0] * inputs[1]).astype(inputs[0].dtype)
            keep = np.isfinite(product) & (np.abs(product) > 1e-30)
            inputs[2][keep & (np.arange(keep.size) % 2 == 0)] = product[keep & (np.arange(keep.size) % 2 == 0)]
        mp.prec = 4400 if stem in ("add", "sub", "fma", "mul") else 200
        try:
            wanted = [rounded(exact(*(mpf(float(v)) for v in given)), type_name, mode) for given in zip(*inputs, strict=True)]
        finally:
            mp.prec = 160
        for got in run([f"{name}({arguments_text})"], type_name, inputs):
            for given, g, w in zip(zip(*inputs, strict=True), got[0], wanted, strict=False):
                assert g == w, (name, [float(v) for v in given], float(g), w)


@pytest.mark.parametrize("type_name", TYPES)
@pytest.mark.parametrize("mode", ["rn", "rz", "ru", "rd"])
def test_corners_with_a_rounding_mode(device, mode, type_name):
    """As IEEE 754 has them: only downward sums that cancel are -0."""
    letter, dtype = type_name[0], TYPES[type_name][0]
    corners = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN]
    x, y = (np.ascontiguousarray(v.ravel()) for v in np.meshgrid(np.array(corners, dtype), np.array(corners, dtype)))
    operations = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}
    for got in run([f"__{letter}{stem}_{mode}(x, y)" for stem in operations], type_name, [x, y]):
        for row, (stem, function) in zip(got, operations.items(), strict=True):
            with np.errstate(all="ignore"):
                wanted = function(x, y)
                other = -y if stem == "sub" else y
                if mode == "rd" and stem in ("add", "sub"):
                    wanted = np.where((wanted == 0) & (np.signbit(x) | np.signbit(other)), dtype(-0.0), wanted)
            np.testing.assert_array_equal(row, wanted, err_msg=stem)
            assert np.array_equal(np.signbit(row[wanted == 0]), np.signbit(wanted[wanted == 0])), stem


# The fast functions: what they are, where, and how far off they may be (relative, absolute), as CUDA's manual has it.
FAST = {
    "__sinf(x)": (np.sin, (-math.pi, math.pi), 0, 2**-21.41),
    "__cosf(x)": (np.cos, (-math.pi, math.pi), 0, 2**-21.19),
    "__tanf(x)": (np.tan, (-1.5, 1.5), 1e-4, 1e-5),
    "__tanhf(x)": (np.tanh, (-4, 4), 2**-10, 0),
    "__expf(x)": (np.exp, (-80, 80), 100 * 2.0**-23, 0),
    "__exp10f(x)": (lambda x: 10**x, (-37, 37), 115 * 2.0**-23, 0),
    "__logf(x)": (np.log, (0.5, 2), 0, 2**-21.41),
    "__logf(x) + 0": (np.log, (2, 1e30), 3 * 2.0**-23, 0),
    "__log2f(x)": (np.log2, (0.5, 2), 0, 2**-21.4),
    "__log10f(x)": (np.log10, (0.5, 2), 0, 2**-23),
    "__powf(x, 1.5f)": (lambda x: x**1.5, (0.1, 1e5), 1e-4, 0),
    "__fdividef(x, 7.0f)": (lambda x: x / 7, (-1e30, 1e30), 2 * 2.0**-23, 0),
    "__frsqrt_rn(x)": (lambda x: 1 / np.sqrt(x), (1e-3, 1e30), 2.0**-24 * 1.01, 0),
    "__saturatef(x)": (lambda x: np.clip(x, 0, 1), (-2, 3), 0, 0),
}


def test_fast_functions(device):
    for text, (function, (low, high), relative, absolute) in FAST.items():
        x = np.random.default_rng(3 + FIRST_SEED).uniform(low, high, 10 * POINTS).astype(np.float32)
        for got in run([text], "float", [x]):
            wanted = function(x.astype(np.float64))
            assert np.all(np.abs(got[0] - wanted) <= relative * np.abs(wanted) + absolute), text


PARTS = r"""
extern "C" __global__ void parts(const double* x, double* out, long long* whole, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    double v = x[i];
    float f = (float)v;
    int e = 0, q = 0;
    double* o = out + 12 * i;
    long long* w = whole + 10 * i;
    o[0] = frexp(v, &e), w[0] = isfinite(v) ? e : 0;
    o[1] = modf(v, &o[2]);
    o[3] = ldexp(v, 5);
    o[4] = scalbn(v, -1100);
    o[5] = scalbln(v, 3L);
    o[6] = remquo(v, 2.5, &q), w[1] = isfinite(v) ? q & 7 : 0;
    o[7] = frexpf(f, &e), w[2] = isfinite(f) ? e : 0;
    float part;
    o[8] = modff(f, &part);
    o[9] = part;
    o[10] = ldexpf(f, -140);
    o[11] = nextafterf(f, 0.0f);
    bool fits = fabs(v) < 1e18;
    w[3] = ilogb(v);
    w[4] = fits ? lrint(v) : 0;
    w[5] = fits ? llround(v) : 0;
    w[6] = fits ? llrintf(f) : 0;
    w[7] = fits ? lroundf(f) : 0;
    w[8] = isnan(v) + 2 * isinf(v) + 4 * isfinite(v) + 8 * signbit(v);
    w[9] = __finite(v) + 2 * __isnan(v) + 4 * __isinff(f);
  }
}
"""


def test_parts_of_numbers(device):
    x = np.array([0.0, -0.0, 1.0, -1.5, 2.5, -3.5, 0.499999999, 1e10, -123456.789, 5e-324, 1e300, -1e-310, INF, -INF, NAN])
    out, whole = np.zeros((x.size, 12)), np.zeros((x.size, 10), np.int64)
    places = [drv.to_device(v) for v in (x, out, whole)]
    quern.RawKernel(PARTS, "parts")((1,), (32,), (*places, np.int32(x.size)))
    out, whole = drv.from_device_like(places[1], out), drv.from_device_like(places[2], whole)
    with np.errstate(all="ignore"):
        f = x.astype(np.float32)
        fraction, integral = np.modf(x)
        finite = np.isfinite(x)
        np.testing.assert_array_equal(out[:, 0], np.frexp(x)[0])
        np.testing.assert_array_equal(whole[finite, 0], np.frexp(x)[1][finite])
        np.testing.assert_array_equal(out[:, 1], fraction)
        np.testing.assert_array_equal(out[:, 2], integral)
        np.testing.assert_array_equal(out[:, 3], np.ldexp(x, 5))
        np.testing.assert_array_equal(out[:, 4], np.ldexp(x, -1100))
        np.testing.assert_array_equal(out[:, 5], np.ldexp(x, 3))
        np.testing.assert_array_equal(out[finite, 6], [math.remainder(v, 2.5) for v in x[finite]])
        np.testing.assert_array_equal(out[:, 7], np.frexp(f)[0])
        np.testing.assert_array_equal(out[:, 8], np.modf(f)[0])
        np.testing.assert_array_equal(out[:, 9], np.modf(f)[1])
        np.testing.assert_array_equal(out[:, 10], np.ldexp(f, -140))
        np.testing.assert_array_equal(out[:, 11], np.nextafter(f, np.float32(0)))
    for v, row in zip(x, whole, strict=True):
        if math.isfinite(v) and v:
            assert row[3] == math.frexp(v)[1] - 1
        if v == 0 or math.isnan(v):
            assert row[3] == -(2**31)
        if math.isinf(v):
            assert row[3] == 2**31 - 1
        if math.isfinite(v) and abs(v) < 1e18:
            assert row[4] == round(v) and row[5] == away_from_zero(mpf(v))
            assert row[6] == round(float(np.float32(v))) and row[7] == away_from_zero(mpf(float(np.float32(v))))
        with np.errstate(all="ignore"):
            assert row[8] == math.isnan(v) + 2 * math.isinf(v) + 4 * math.isfinite(v) + 8 * np.signbit(v)
            assert row[9] == math.isfinite(v) + 2 * math.isnan(v) + 4 * bool(np.isinf(np.float32(v)))


def test_pairs_of_results(device):
    x = np.array([0.0, 0.3, -1.7, 100.25, 1e6, INF, NAN])
    for type_name in TYPES:
        suffix = "f" if type_name == "float" else ""
        texts = []
        for name in ("sincos", "sincospi"):
            for k in range(2):
                texts.append(f"[&] {{ {type_name} p[2]; {name}{suffix}(x, &p[0], &p[1]); return p[{k}]; }}()")
        values = x.astype(TYPES[type_name][0])
        for got in run([*texts, f"[&] {{ {type_name} v[5] = {{x, 1, x, 2, 3}}; return norm{suffix}(5, v) * rnorm{suffix}(5, v); }}()"], type_name, [values]):
            with np.errstate(all="ignore"):
                whole = values.astype(np.float64)
                for row, wanted in zip(got[:4], (np.sin(whole), np.cos(whole), np.sin(np.pi * whole), np.cos(np.pi * whole)), strict=True):
                    np.testing.assert_allclose(row, wanted, rtol=1e-5, atol=1e-6 if type_name == "float" else 1e-9)
                np.testing.assert_allclose(got[4][:5], 1, rtol=1e-6)
