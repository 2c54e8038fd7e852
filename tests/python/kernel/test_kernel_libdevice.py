"""numba.cuda.libdevice in kernels: every function, compared with exact arithmetic, math and NumPy."""

import functools
import math
import os
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from kernels import module_of
from quern.cuda import libdevice
from quern.kernel.library.libdevice import TABLE

INF, NAN = math.inf, math.nan
REALS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 0.3, 2.75, -2.75, 17.125, 1e-3, -1e-5, 3.1, 20.5, INF, -INF, NAN]
INSIDE = [0.0, 0.1, -0.1, 0.5, -0.75, 0.99, -0.99, 1e-4]  # of [-1, 1]
POSITIVE = [0.25, 0.5, 1.0, 1.7, 3.0, 8.5, 25.0]
SMALL = [0.0, -0.3, 0.5, 1.0, -1.5, 2.75, -4.25]
RATIOS = [0.01, 0.2, 0.5, 0.7, 0.95]
INTEGERS = [0, 1, -1, 2, 7, -13, 255, 65537, 0x12345678, -0x12345678, 2**31 - 1, -(2**31)]
LONGS = [*INTEGERS, 2**40 + 3, -(2**45) - 1, 2**53 + 1, 2**62 + 1, 2**63 - 1, -(2**63), -(2**63) + 1025]


_gauss = functools.cache(np.polynomial.legendre.leggauss)


def _nodes(low, high):
    x, w = _gauss(400)
    return (high - low) / 2 * x + (high + low) / 2, (high - low) / 2 * w


def bessel_j(n, x):
    t, w = _nodes(0, np.pi)
    return float((w * np.cos(n * t - x * np.sin(t))).sum() / np.pi)


def bessel_y(n, x):
    t, w = _nodes(0, np.pi)
    far, v = _nodes(0, math.asinh(800 / x))
    tail = (np.exp(n * far) + (-1) ** n * np.exp(-n * far)) * np.exp(-x * np.sinh(far))
    return float((w * np.sin(x * np.sin(t) - n * t)).sum() / np.pi - (v * tail).sum() / np.pi)


def _numpy(name):
    return lambda x, *more: getattr(np, name)(np.float64(x), *map(np.float64, more))


# Of one real: what it is, and for which arguments.
ONE = {
    **{n: (_numpy("arc" + n[1:]), REALS) for n in ("acos", "asin", "atan")},
    **{n: (_numpy("arc" + n[1:]), REALS) for n in ("acosh", "asinh", "atanh")},
    **{
        n: (_numpy(n), REALS)
        for n in ("cbrt ceil cos cosh exp exp2 expm1 fabs floor log log10 log1p log2 rint sin sinh sqrt tan tanh trunc").split()
    },
    "nearbyint": (_numpy("rint"), REALS),
    "exp10": (lambda x: np.power(10.0, x), REALS),
    "round": (lambda x: math.copysign(math.floor(abs(x) + 0.5), x) if math.isfinite(x) else x, REALS),
    "logb": (lambda x: float(math.frexp(x)[1] - 1) if x and math.isfinite(x) else -INF if x == 0 else abs(x), REALS),
    "rsqrt": (lambda x: 1 / np.sqrt(np.float64(x)), REALS),
    "rcbrt": (lambda x: 1 / np.cbrt(np.float64(x)), REALS),
    "cospi": (lambda x: math.cos(math.pi * x), SMALL),
    "sinpi": (lambda x: math.sin(math.pi * x), SMALL),
    "erf": (math.erf, REALS),
    "erfc": (math.erfc, [*SMALL, INF, -INF, NAN]),
    "erfcx": (lambda x: math.exp(x * x) * math.erfc(x), SMALL),
    "erfinv": (lambda y: NormalDist().inv_cdf((y + 1) / 2) / math.sqrt(2), INSIDE),
    "erfcinv": (lambda y: -NormalDist().inv_cdf(y / 2) / math.sqrt(2), [0.02, 0.5, 1.0, 1.3, 1.9]),
    "normcdf": (lambda x: 0.5 * math.erfc(-x / math.sqrt(2)), SMALL),
    "normcdfinv": (NormalDist().inv_cdf, RATIOS),
    "tgamma": (math.gamma, [*POSITIVE, -0.5, -2.25]),
    "lgamma": (math.lgamma, [*POSITIVE, -0.5, -2.25]),
    "j0": (lambda x: bessel_j(0, x), SMALL),
    "j1": (lambda x: bessel_j(1, x), SMALL),
    "y0": (lambda x: bessel_y(0, x), POSITIVE),
    "y1": (lambda x: bessel_y(1, x), POSITIVE),
    "saturate": (lambda x: 0.0 if math.isnan(x) else min(max(x, 0.0), 1.0), REALS),
}
PAIRS = [(x, y) for x in (1.0, -2.5, 7.25, 0.0) for y in (3.0, -0.75, 2.0, 1e3)]
TWO = {
    "atan2": (_numpy("arctan2"), PAIRS),
    "copysign": (_numpy("copysign"), PAIRS),
    "fdim": (lambda x, y: max(x - y, 0.0), PAIRS),
    "fmax": (_numpy("fmax"), [*PAIRS, (NAN, 1.0), (1.0, NAN)]),
    "fmin": (_numpy("fmin"), [*PAIRS, (NAN, 1.0), (1.0, NAN)]),
    "fmod": (_numpy("fmod"), PAIRS),
    "hypot": (_numpy("hypot"), [*PAIRS, (INF, NAN)]),
    "pow": (_numpy("power"), [(2.0, 0.5), (1.5, -3.0), (-2.0, 3.0), (0.0, 0.0), (0.0, -1.0), (-8.0, 1 / 3)]),
    "remainder": (math.remainder, PAIRS),
    "fdivide": (lambda x, y: x / y, PAIRS),
}


def rounded(exact, dtype, mode):
    """The number of that type that the mode takes for a Fraction."""
    near = dtype(float(exact))
    below, above = (near, near)
    while Fraction(float(below)) > exact:
        below = np.nextafter(below, dtype(-np.inf))
    while Fraction(float(above)) < exact:
        above = np.nextafter(above, dtype(np.inf))
    # `near` came by way of double: its neighbours may be closer.
    while Fraction(float(np.nextafter(below, dtype(np.inf)))) <= exact:
        below = np.nextafter(below, dtype(np.inf))
    while Fraction(float(np.nextafter(above, dtype(-np.inf)))) >= exact:
        above = np.nextafter(above, dtype(-np.inf))
    if mode == "rz":
        mode = "rd" if exact > 0 else "ru"
    if mode == "rd":
        return below
    if mode == "ru":
        return above
    down, up = exact - Fraction(float(below)), Fraction(float(above)) - exact
    if down != up:
        return below if down < up else above
    return below if int(below.view(f"u{below.itemsize}")) % 2 == 0 else above


def root(x):
    """A Fraction on the same side of every float as the root of x."""
    scale = 1 << 400
    value = math.isqrt(int(x * scale * scale))
    return Fraction(value, scale) + (0 if value * value == x * scale * scale else Fraction(1, scale * 4))


ARITHMETIC = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "div": lambda x, y: x / y, "rcp": lambda x: 1 / x,
    "sqrt": root, "rsqrt": lambda x: 1 / root(x), "ma": lambda x, y, z: x * y + z, "maf": lambda x, y, z: x * y + z,
}  # fmt: skip


def random_reals(count, parts, dtype, positive=False):
    values = np.random.default_rng(7).normal(size=(parts, count)) * 10.0 ** np.random.default_rng(8).integers(-3, 4, (parts, count))
    return (np.abs(values) if positive else values).astype(dtype)


def case(name, returned, taken):
    """Arguments (a list for each parameter), results (a list for each that is returned), how exact: None for to the last bit."""
    dtype = np.dtype(taken[-1] if taken[0] == "int32" else taken[0]).type
    stem, _, mode = name.rpartition("_")
    is_float = "float32" in (*taken, *returned)
    exactness = 2e-6 if is_float else 1e-12
    if name.startswith("fast_"):
        plain = name[5:-1]
        function, arguments = (TWO if plain in ("fdivide", "pow") else ONE).get(plain, (None, None))
        if plain == "sincos":
            return two_results(name, 1e-4)
        values = POSITIVE if len(taken) == 1 else [(abs(x) + 0.25, y / 10) for x, y in PAIRS[:8]]
        if plain in ("sin", "cos", "tan"):
            values = [-1.25, -0.3, 0.25, 0.5, 1.25, 2.0]
        return values, [[function(*np.atleast_1d(v)) for v in values]], 2e-4
    if mode in ("rd", "rn", "ru", "rz") and stem[0] in "df" and stem[1:] in ARITHMETIC or stem in ("fma", "fmaf"):
        operation = stem[1:]
        columns = random_reals(40, len(taken), dtype, "sqrt" in operation)
        if operation in ("sqrt", "rcp", "rsqrt"):
            columns[0, :3] = 4.0, 1.0, 0.25
        values = [tuple(c) for c in columns.T]
        return values, [[rounded(ARITHMETIC[operation](*(Fraction(float(v)) for v in row)), dtype, mode) for row in values]], None
    if mode in ("rd", "rn", "ru", "rz") and "2" in stem and "half" not in stem:
        return *conversion(*stem.split("2"), mode, dtype, np.dtype(returned[0]).type), None
    if taken[0].startswith("int") and all(t == taken[0] for t in (*taken, *returned)) or name in ("clzll", "ffsll", "popcll"):
        return *integers(name, len(taken), 64 if taken[0] == "int64" else 32), None
    if name in ("jn", "jnf", "yn", "ynf"):
        values = [(n, x) for n in (0, 1, 2, 5) for x in (1.0, 2.75, 8.5)]
        function = bessel_j if name[0] == "j" else bessel_y
        return values, [[function(*v) for v in values]], max(exactness, 1e-11) * 5
    if name.removesuffix("f") in ("ldexp", "scalbn", "powi"):
        values = [(x, n) for x in (1.5, -0.75, 3.0) for n in (0, 1, -1, 7, -12)]
        if name.startswith("powi"):
            return values, [[x**n for x, n in values]], exactness
        return values, [[math.ldexp(*v) for v in values]], None
    if name in ("nextafter", "nextafterf"):
        values = [(1.0, 2.0), (1.0, -2.0), (0.0, 1.0), (-3.5, INF), (NAN, 1.0)]
        return values, [[np.nextafter(dtype(x), dtype(y)) for x, y in values]], None
    if name.startswith("fma") and len(taken) == 3:
        return case(f"fma{'f' if is_float else ''}_rn", returned, taken)
    if len(returned) == 2:
        return two_results(name if name == "modf" else name.removesuffix("f"), exactness)
    if name in ONE or name[:-1] in ONE and is_float:
        function, values = ONE[name if name in ONE else name[:-1]]
        return values, [[function(x) for x in values]], exactness * 4
    if name in TWO or name[:-1] in TWO and is_float:
        function, values = TWO[name if name in TWO else name[:-1]]
        return values, [[function(*v) for v in values]], exactness
    return others(name, dtype)


def two_results(name, exactness):
    values = [0.5, -0.5, 2.75, -17.125, 0.0, 1e3]
    if name == "frexp":
        made = [math.frexp(x) for x in values]
    elif name == "modf":
        made = [math.modf(x) for x in values]
    elif name == "remquo":
        values = [(5.0, 3.0), (-7.5, 2.0), (9.0, 0.75), (1.0, 4.0)]
        # The last three bits of the quotient, with its sign.
        made = []
        for x, y in values:
            whole = round((x - math.remainder(x, y)) / y)
            made.append((math.remainder(x, y), int(math.copysign(abs(whole) % 8, whole))))
    elif name == "sincospi":
        values = SMALL
        made = [(math.sin(math.pi * x), math.cos(math.pi * x)) for x in values]
    else:
        values = [0.5, -0.5, 1.25, 2.75, -3.5]
        made, exactness = [(math.sin(x), math.cos(x)) for x in values], 1e-4 if name.startswith("fast") else exactness
    return values, [list(part) for part in zip(*made, strict=True)], exactness


def conversion(from_, to, mode, dtype, result):
    rounds = {"rd": math.floor, "ru": math.ceil, "rz": math.trunc, "rn": round}
    kinds = {"int": (32, True), "uint": (32, False), "ll": (64, True), "ull": (64, False)}
    if to in kinds:
        bits, signed = kinds[to]
        values = [0.0, 0.5, 1.5, 2.5, 2.75, 1e6 + 0.25, 123456.75] + [-0.5, -1.5, -2.75, -99999.5] * signed
        values += [2.0**40 + 2**20, 2.0**62] * (bits == 64) + [3e9] * (bits == 32 and not signed) + [2.0**63] * (to == "ull")
        made = [rounds[mode](dtype(v).item()) for v in values]
        return values, [list(np.array([m % 2**bits for m in made], f"u{bits // 8}").view(result))]
    if from_ in kinds:
        bits, signed = kinds[from_]
        values = [v for v in (LONGS if bits == 64 else INTEGERS)] + [16777217, 33554435, 2**31 - 65]
        exact = [Fraction(v if signed else v % 2**bits) for v in values]
    else:
        values = [*random_reals(30, 1, np.float64)[0], 1 / 3, -1 / 3, 1.0, 1e-40, 16777217.0]
        exact = [Fraction(float(v)) for v in values]
    return values, [[rounded(e, result, mode) if e else result(0) for e in exact]]


def integers(name, count, bits):
    mask, top = 2**bits - 1, 2 ** (bits - 1)
    name = name.removeprefix("ll" if bits == 64 and name != "ffsll" else "\0").removesuffix("ll" if bits == 64 else "\0")
    name = name.replace("64", "")
    if name.startswith("ul"):
        name = "u" + name[3:]
    unsigned = name.startswith("u")
    pool = LONGS if bits == 64 else INTEGERS
    if count == 1:
        values = pool
    elif count == 2:
        values = [(a, b) for a in pool for b in pool]
    else:
        values = [(a, b, c) for a in pool for b in pool[::3] for c in (0, 5, 0x1234, 0x7654, 0xBA98 - 2**16)]

    def wrapped(x):
        x &= mask
        return x - 2 * top if x >= top else x

    def low24(x):
        x &= 0xFFFFFF
        return x if unsigned or x < 2**23 else x - 2**24

    def byte_perm(x, y, s):
        source = (x & mask) | (y & mask) << 32
        out = 0
        for i in range(4):
            out |= (source >> 8 * (s >> (4 * i) & 7) & 255) << 8 * i
        return out

    made = {
        "abs": abs, "max": max, "min": min, "byte_perm": byte_perm,
        "brev": lambda x: int(f"{x & mask:0{bits}b}"[::-1], 2),
        "clz": lambda x: bits - (x & mask).bit_length(),
        "ffs": lambda x: (x & -x & mask).bit_length(),
        "popc": lambda x: (x & mask).bit_count(),
        "hadd": lambda x, y: (x + y) >> 1, "rhadd": lambda x, y: (x + y + 1) >> 1,
        "mul24": lambda x, y: low24(x) * low24(y), "mulhi": lambda x, y: x * y >> bits,
        "sad": lambda x, y, z: abs(x - y) + z,
    }  # fmt: skip
    function = made[name[1:] if unsigned else name]
    if count == 1:
        return values, [[wrapped(function(v)) for v in values]]
    # Modes of bytes that are not the selector's stay those of the words.
    convert = (lambda v: v & mask) if unsigned else (lambda v: v)
    return values, [[wrapped(function(*map(convert, v))) for v in values]]


def others(name, dtype):
    ints = {4: np.int32, 8: np.int64}
    if name in ("float_as_int", "double_as_longlong"):
        return REALS[:-1], [list(np.array(REALS[:-1], dtype).view(ints[dtype().itemsize]))], None
    if name in ("int_as_float", "longlong_as_double"):
        values = np.array(REALS[:-1], "f4" if name[0] == "i" else "f8")
        return list(values.view(ints[values.itemsize])), [list(values)], None
    if name in ("double2hiint", "double2loint"):
        halves = np.array(REALS[:-1]).view(np.int32)
        return REALS[:-1], [list(halves[1 if name == "double2hiint" else 0 :: 2])], None
    if name == "hiloint2double":
        halves = np.array(REALS[:-1]).view(np.int32)
        return list(zip(halves[1::2], halves[::2], strict=True)), [REALS[:-1]], None
    if name == "float2half_rn":
        values = [0.0, 1.0, -2.5, 1 / 3, 65504.0, 1e6, 1e-7]
        with np.errstate(over="ignore"):
            return values, [list(np.array(values, "f4").astype("f2").view(np.int16))], None
    if name == "half2float":
        values = np.array([0.0, 1.0, -2.5, 1 / 3, 65504.0, INF, 1e-7], "f2")
        return list(values.view(np.int16)), [list(values.astype("f4"))], None
    if name in ("llrint", "llrintf"):
        values = [0.5, 1.5, -2.5, 2.75, 1e6]
        return values, [[round(v) for v in values]], None
    if name in ("llround", "llroundf"):
        values = [0.5, 1.5, -2.5, 2.75, 1e6]
        return values, [[int(math.copysign(math.floor(abs(v) + 0.5), v)) for v in values]], None
    if name in ("ilogb", "ilogbf"):
        return POSITIVE, [[math.frexp(v)[1] - 1 for v in POSITIVE]], None
    test = {"isfinited": np.isfinite, "finitef": np.isfinite, "isinf": np.isinf, "isnan": np.isnan, "signbit": np.signbit}
    function = test.get(name) or test[name[:-1]]
    values = REALS[:-1] if "signbit" in name else REALS
    return values, [[int(function(v)) for v in values]], None


@pytest.mark.parametrize("row", range(len(TABLE)), ids=[f"{r[3].split()[0]}" for r in TABLE])
def test_functions(device, tmp_path, row):
    returned, taken, names = TABLE[row][0].split(), TABLE[row][1].split(), TABLE[row][3].split()
    lines, cases = ["from quern.cuda import libdevice"], []
    for name in names:
        with np.errstate(all="ignore"):
            values, results, exactness = case(name, returned, taken)
        cases.append((name, values, results, exactness))
        arguments = ", ".join(f"a{i}[i]" for i in range(len(taken)))
        parameters = [f"a{i}" for i in range(len(taken))] + [f"o{i}" for i in range(len(returned))]
        lines.append(f"@cuda.jit\ndef {name}({', '.join(parameters)}):\n    i = cuda.grid(1)\n    if i < o0.size:")
        lines.append(f"        {', '.join(f'o{i}[i]' for i in range(len(returned)))} = libdevice.{name}({arguments})")
    written = module_of(tmp_path, "\n".join(lines))
    for name, values, results, exactness in cases:
        columns = list(zip(*values, strict=True)) if len(taken) > 1 else [[v[0] if isinstance(v, tuple) else v for v in values]]
        inputs = [np.array(c, t) for c, t in zip(columns, taken, strict=True)]
        outputs = [np.zeros(len(values), t) for t in returned]
        getattr(written, name)[1 + len(values) // 128, 128](*inputs, *outputs)
        for got, wanted, type_ in zip(outputs, results, returned, strict=True):
            with np.errstate(all="ignore"):
                wanted = np.array(wanted, type_)
            if exactness is None or np.dtype(type_).kind == "i":
                np.testing.assert_array_equal(got, wanted, err_msg=name)
            else:
                np.testing.assert_allclose(got, wanted, rtol=exactness, atol=exactness, err_msg=name)


def test_names():
    assert len(libdevice.__all__) == 317
    folder = os.environ.get("QUERN_API_NAMES")
    if folder:
        with open(os.path.join(folder, "numba.tsv")) as f:
            rows = [line.split("\t") for line in f]
        named = {r[1] for r in rows if r[0] == "numba.cuda.libdevice"} - {"nan", "nanf"}
        assert named <= set(libdevice.__all__)
    assert "float64" in libdevice.frexp.__doc__ and libdevice.frexp.__doc__.startswith("frexp(x)")
    with pytest.raises(RuntimeError, match="libdevice.frexp"):
        libdevice.frexp(1.0)


def test_arguments_convert(device, tmp_path):
    text = """
from quern.cuda import libdevice
@cuda.jit
def kernel(x, n, out):
    out[0] = libdevice.sqrt(n[0])          # an integer
    out[1] = libdevice.sqrtf(x[0])         # a double
    out[2] = libdevice.umulhi(0xffffffff, 2)
    fraction, exponent = libdevice.frexp(x[0] * 2)
    out[3] = fraction * 2.0 ** exponent
    out[4] = libdevice.sincos(0.0)[1]
"""
    out = np.zeros(5)
    module_of(tmp_path, text).kernel[1, 1](np.array([2.0]), np.array([9], np.int32), out)
    assert out.tolist() == [3.0, float(np.sqrt(np.float32(2))), 1.0, 4.0, 1.0]


def test_wrong_arguments(device, tmp_path):
    text = "from quern.cuda import libdevice\n@cuda.jit\ndef kernel(x):\n    x[0] = libdevice.sinf({})\n"
    for arguments in ("", "1.0, 2.0", "1j", "x"):
        with pytest.raises(TypeError, match="does not take"):
            module_of(tmp_path, text.format(arguments)).kernel[1, 1](np.zeros(2))
