"""Numbers in kernels: the type that each operation has, and its values, for every pair of types. NumPy in that type is the oracle."""

import operator

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from kernels import module_of
from quern.kernel import types
from quern.kernel.program import Program

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
REALS = ["float32", "float64"]
NUMBERS = ["bool", *INTEGERS, *REALS]
CASES = 48

SYMBOLS = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.true_divide, "//": np.floor_divide, "%": np.remainder,
    "<<": np.left_shift, ">>": np.right_shift, "&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor, "**": np.power,
}  # fmt: skip
COMPARISONS = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip

few = settings(max_examples=8, deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


# ---- what Numba says of types


def whole(*names):
    """Whole numbers work in 64 bits, signed where one of them is; a truth value is an int64."""
    return np.dtype("uint64") if all(n.startswith("uint") for n in names) else np.dtype("int64")


def work_type(symbol, a, b):
    """The type in which `a <symbol> b` works; None where there is no such operation."""
    integers = a not in REALS and b not in REALS
    if symbol in ("&", "|", "^"):
        return (np.dtype(bool) if a == b == "bool" else whole(a, b)) if integers else None
    if symbol in ("<<", ">>"):
        return whole(a) if integers else None
    if integers:
        return np.dtype("float64") if symbol == "/" else whole(a, b)
    if symbol == "**" and a in REALS and b not in REALS:
        return np.dtype(a)
    return np.dtype("float64") if {a, b} == {"uint16", "float32"} else np.promote_types(a, b)  # Numba's


# ---- cases


def special(dtype):
    if dtype.kind == "b":
        return [False, True]
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        near = [0, 1, 2, 3, 7, info.max, info.max - 1, info.max // 2, info.min, info.min + 1]
        return [n for n in [*near, -1, -2, -3, -7] if info.min <= n <= info.max]
    info = np.finfo(dtype)
    ends = [info.max, info.tiny, info.smallest_subnormal, info.eps, np.inf]
    return [float(n) for x in (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 7.25, 1e9, *ends) for n in (x, -x)] + [float("nan")]


def columns(*names):
    """Arrays of CASES values each, of which many are at the edges of their type."""

    def column(name):
        dtype = np.dtype(name)
        any_of = hnp.from_dtype(dtype, allow_nan=True) if dtype.kind == "f" else hnp.from_dtype(dtype)
        return hnp.arrays(dtype, CASES, elements=st.one_of(st.sampled_from(special(dtype)), any_of), fill=st.nothing())

    return st.tuples(*map(column, names))


def compiled(folder, expressions, inputs):
    """A kernel that writes each expression of a and b into an array of its own."""
    outs = [f"o{k}" for k in range(len(expressions))]
    lines = [f"@cuda.jit\ndef kernel({', '.join([*(f'{n}_values' for n in inputs), *outs])}):", "    i = cuda.grid(1)"]
    lines += [f"    if i < {inputs[0]}_values.size:"]
    lines += [f"        {name} = {name}_values[i]" for name in inputs]
    lines += [f"        {out}[i] = {expression}" for out, expression in zip(outs, expressions, strict=True)]
    return module_of(folder, "\n".join(lines) + "\n").kernel


def run(kernel, given, dtypes):
    outs = [np.zeros(CASES, dtype) for dtype in dtypes]
    kernel[1, CASES](*given, *outs)
    return outs


def same(got, wanted, what, given, close=0):
    __tracebackhide__ = True
    wanted = np.asarray(wanted)
    assert got.dtype == wanted.dtype, what
    if close:
        good = np.isclose(got, wanted, rtol=close, atol=0, equal_nan=True)
    else:
        good = (got == wanted) | ((got != got) & (wanted != wanted))
        if got.dtype.kind == "f":
            good &= (np.signbit(got) == np.signbit(wanted)) | (got != got)
    if not good.all():
        k = int(np.flatnonzero(~good)[0])
        raise AssertionError(f"{what} of {[repr(x[k]) for x in given]} is {got[k]!r}, not {wanted[k]!r}")


PAIRS = [(a, b) for a in NUMBERS for b in NUMBERS]


def result_of(tmp_path, text, *names):
    function = module_of(tmp_path, f"def f({', '.join('abc'[: len(names)])}):\n    return {text}\n").f
    result = Program(function, tuple(types.of_dtype(n) for n in names), False).kernel.result
    return result.dtype


@pytest.mark.parametrize("symbol", [*SYMBOLS, "=="])
def test_types_of_operations(tmp_path, symbol):
    module = module_of(tmp_path, f"def f(a, b):\n    return a {symbol} b\n")
    for a, b in PAIRS:
        work = np.dtype(bool) if symbol == "==" else work_type(symbol, a, b)
        parameters = tuple(types.of_dtype(n) for n in (a, b))
        if work is None:
            with pytest.raises(TypeError):
                Program(module.f, parameters, False)
        else:
            assert Program(module.f, parameters, False).kernel.result.dtype == work, (a, symbol, b)


@pytest.mark.parametrize(
    "text, of",
    [
        ("-a", {"bool": "int64", "int8": "int64", "uint8": "uint64", "uint64": "uint64", "float32": "float32"}),
        ("+a", {"bool": "int64", "int16": "int64", "uint32": "uint64", "float64": "float64"}),
        ("~a", {"bool": "bool", "int32": "int64", "uint8": "uint64"}),
        ("not a", {"bool": "bool", "int32": "bool", "float32": "bool"}),
        ("abs(a)", {"bool": "int64", "int8": "int8", "uint8": "uint8", "float32": "float32", "int64": "int64"}),
        ("int(a)", {"bool": "int64", "int8": "int8", "uint64": "uint64", "float32": "int64", "float64": "int64"}),
        ("float(a)", {"bool": "float64", "int8": "float64", "float32": "float32"}),
        ("bool(a)", {"int8": "bool", "float32": "bool"}),
        ("round(a)", {"bool": "int64", "int8": "int64", "float32": "int64", "float64": "int64"}),
        ("round(a, 2)", {"bool": "float64", "int8": "float64", "float32": "float32", "float64": "float64"}),
        ("max(a, 1)", {"int8": "int64", "uint64": "float64", "float32": "float64", "int64": "int64"}),
    ],
)
def test_types_of_functions(tmp_path, text, of):
    for name, wanted in of.items():
        assert result_of(tmp_path, text, name) == wanted, (text, name)


# ---- values


def power(a, b, work):
    """As Numba's on GPUs. Of whole numbers also with negative exponents: 1 / a**-b, cut off, and of 0 the lowest integer; from 65537 on
    what does not fit ends at the type's ends."""
    if work.kind not in "iu":
        return np.power(a.astype(work), b.astype(work))
    ends, bits = np.iinfo(work), 2**64

    def one(x, n):
        if n < 0:
            return {0: ends.min, 1: 1, -1: -1 if n % 2 else 1}.get(x, 0)
        if n > 65536 and abs(x) > 1:
            return ends.min if x < 0 and n % 2 else ends.max
        return pow(x, n, bits)

    made = [one(int(x), int(n)) for x, n in zip(a.astype(work).tolist(), b.tolist(), strict=True)]
    return np.array([m % bits for m in made], np.uint64).view(work)


@pytest.mark.parametrize("a, b", PAIRS)
def test_operators(device, tmp_path, quiet, a, b):
    symbols = [s for s in SYMBOLS if work_type(s, a, b) is not None]
    works = [work_type(s, a, b) for s in symbols]
    kernel = compiled(tmp_path, [f"a {s} b" for s in symbols], ["a", "b"])

    @few
    @given(columns(a, b))
    def check(given):
        for symbol, work, got in zip(symbols, works, run(kernel, given, works), strict=True):
            left, right = (x.astype(work) for x in given)
            if symbol == "**":
                wanted = power(*given, work)
                same(got, wanted, symbol, given, close={"f4": 1e-5, "f8": 1e-12}.get(work.str[1:], 0))
            else:
                if symbol in ("<<", ">>"):  # by less than the width
                    shifts = [given[0], (given[1].astype("int64") & 63).astype(b)]
                    (got,) = run(shift[symbol], shifts, [work])
                    left, right = (x.astype(work) for x in shifts)
                same(got, SYMBOLS[symbol](left, right), symbol, given)

    shift = {s: compiled(tmp_path, [f"a {s} b"], ["a", "b"]) for s in ("<<", ">>") if s in symbols}
    check()


def exactly(x, y):
    """The two as numbers that compare exactly, as Python has them; with a real number, whole ones are float64 as in Numba."""
    if x.dtype.kind == "f" or y.dtype.kind == "f":
        work = np.promote_types(x.dtype, y.dtype)
        x, y = x.astype(work), y.astype(work)
    return x.tolist(), y.tolist()


@pytest.mark.parametrize("a, b", PAIRS)
def test_comparisons(device, tmp_path, a, b):
    chosen = ["min(a, b)", "max(a, b)"]
    kernel = compiled(tmp_path, [*(f"a {s} b" for s in COMPARISONS), *chosen], ["a", "b"])
    function = module_of(tmp_path, "def f(a, b):\n    return min(a, b)\n").f
    least = Program(function, (types.of_dtype(a), types.of_dtype(b)), False).kernel.result.dtype

    @few
    @given(columns(a, b))
    def check(given):
        outs = run(kernel, given, [bool] * len(COMPARISONS) + [least] * 2)
        rows = list(zip(*exactly(*given), strict=True))
        for (symbol, compare), got in zip(COMPARISONS.items(), outs, strict=False):
            same(got, [compare(x, y) for x, y in rows], symbol, given)
        # As in Python the first one stays, unless the other is less (greater): so also where one is no number.
        left, right = (x.astype(least) for x in given)
        same(outs[-2], np.where(right < left, right, left), "min", given)
        same(outs[-1], np.where(right > left, right, left), "max", given)

    check()


@pytest.mark.parametrize("a", NUMBERS)
def test_one_operand(device, tmp_path, quiet, a):
    dtype = np.dtype(a)
    wide = dtype if a in REALS else whole(a)
    texts = {"-a": wide, "+a": wide, "not a": np.dtype(bool), "bool(a)": np.dtype(bool)}
    texts["abs(a)"] = np.dtype("int64") if a == "bool" else dtype
    texts["float(a)"] = dtype if a in REALS else np.dtype("float64")
    if a not in REALS:
        texts["~a"] = np.dtype(bool) if a == "bool" else wide
        texts["int(a)"] = np.dtype("int64") if a == "bool" else dtype
    kernel = compiled(tmp_path, texts, ["a"])

    def wanted(text, x):
        # Of narrow types: in the type itself, then widened, as in Numba and NumPy.
        number = x.astype("int64") if a == "bool" else x
        return {
            "-a": lambda: -number, "+a": lambda: number, "~a": lambda: ~x, "not a": lambda: ~x.astype(bool), "abs(a)": lambda: abs(number),
            "bool(a)": lambda: x.astype(bool), "float(a)": lambda: x, "int(a)": lambda: number,
        }[text]()  # fmt: skip

    @few
    @given(columns(a))
    def check(given):
        for (text, to), got in zip(texts.items(), run(kernel, given, texts.values()), strict=True):
            same(got, wanted(text, given[0]).astype(to), text, given)

    check()


# Reals that every integer of the type holds.
def within(real, to):
    info = np.iinfo(to)
    low, high = np.array([info.min, info.max], real)
    if float(high) > info.max:
        high = np.nextafter(high, np.array(0, real))
    return float(low), float(high)


@pytest.mark.parametrize("a, to", PAIRS)
def test_casts(device, tmp_path, quiet, a, to):
    """By the type's name, by assignment to an element, and in a variable."""
    as_type = "np.bool_" if to == "bool" else f"np.{to}"
    kernel = compiled(tmp_path, [f"{as_type}(a)", "a", "numba.types.boolean(a)" if to == "bool" else f"numba.{to}(a)"], ["a"])
    cases = columns(a)
    if a in REALS and to in INTEGERS:
        low, high = within(a, to)
        some = st.floats(low, high, width=np.dtype(a).itemsize * 8)
        cases = st.tuples(hnp.arrays(a, CASES, elements=some, fill=st.nothing()))

    @few
    @given(cases)
    def check(given):
        for got in run(kernel, given, [to] * 3):
            same(got, given[0].astype(to), f"{a} as {to}", given)

    check()


ROUNDED = {"float32": st.floats(-1e6, 1e6, width=32), "float64": st.floats(-1e15, 1e15)}


def rounded_to(x, n):
    """Floats rounded to digits, as Numba does it."""
    scale = 10.0 ** np.abs(n)
    scaled = np.where(n < 0, x / scale, x * scale)
    wanted = np.where(n < 0, np.rint(scaled) * scale, np.rint(scaled) / scale)
    return np.where(np.isfinite(scaled), wanted, x)


@pytest.mark.parametrize("a", REALS)
def test_rounding(device, tmp_path, quiet, a):
    dtype = np.dtype(a)
    kernel = compiled(tmp_path, ["round(a)", "int(a)", "math.floor(a)", "math.ceil(a)", "math.trunc(a)"], ["a"])
    digits = compiled(tmp_path, ["round(a, 2)", "round(a, -2)", "round(a, 0)", "round(a, b)"], ["a", "b"])

    @few
    @given(st.tuples(hnp.arrays(dtype, CASES, elements=ROUNDED[a], fill=st.nothing())))
    def check(given):
        got = run(kernel, given, [np.int64] * 5)
        for values, f in zip(got, (round, int, np.floor, np.ceil, np.trunc), strict=True):
            same(values, [int(f(x)) for x in given[0].tolist()], f.__name__, given)

    @few
    @given(columns(a))
    def check_digits(given):
        x = given[0].astype(np.float64)
        counts = np.resize(np.array([0, 1, 3, -1, 2]), CASES)
        got = run(digits, [*given, counts], [dtype] * 4)
        for values, n in zip(got, (2, -2, 0, counts), strict=True):
            same(values, rounded_to(x, n).astype(dtype), f"round to {n}", given)

    check()
    check_digits()


def test_rounding_of_integers(device, tmp_path):
    """To digits an integer is a float64 first, as in Numba."""
    kernel = compiled(tmp_path, ["round(a)", "round(a, 2)", "round(a, -1)", "round(a, -2)", "round(a, b)"], ["a", "b"])
    x = np.resize(np.array([0, 4, 5, 6, 14, 15, 25, 35, -5, -15, -25, 149, 150, 250, 251, -149, -150, -250, 10**15 + 50]), CASES)
    counts = np.resize(np.array([0, -1, -3, 2, -2, -25]), CASES)
    whole, *got = run(kernel, (x, counts), [np.int64] + [np.float64] * 4)
    same(whole, x, "round", (x, counts))
    for values, n in zip(got, (2, -1, -2, counts), strict=True):
        same(values, rounded_to(x.astype(np.float64), n), f"round to {n}", (x, counts))


@pytest.mark.parametrize("a", NUMBERS)
def test_divmod(device, tmp_path, quiet, a):
    work = work_type("//", a, a)
    kernel = compiled(tmp_path, ["divmod(a, b)[0]", "divmod(a, b)[1]"], ["a", "b"])

    @few
    @given(columns(a, a))
    def check(given):
        left, right = (x.astype(work) for x in given)
        for got, wanted in zip(run(kernel, given, [work] * 2), np.divmod(left, right), strict=True):
            same(got, wanted, "divmod", given)

    check()


AUGMENTED = ["+=", "-=", "*=", "//=", "%=", "&=", "|=", "^=", "<<=", ">>="]


@pytest.mark.parametrize("a", [n for n in NUMBERS if n != "bool"])
@pytest.mark.parametrize("b", ["int8", "uint8", "int64", "uint64", "float32"])
def test_augmented_elements(device, tmp_path, quiet, a, b):
    """`x[i] += y[i]`: in the type of the operation, then in the element's."""
    symbols = [s for s in AUGMENTED if work_type(s[:-1], a, b) is not None]
    # What a real number leaves in an array of integers is only asked where it fits: nowhere here.
    symbols = [s for s in symbols if not (work_type(s[:-1], a, b).kind == "f" and a in INTEGERS)]
    if not symbols:
        pytest.skip("no result of theirs fits the element")
    outs = [f"o{k}" for k in range(len(symbols))]
    lines = [f"@cuda.jit\ndef kernel(y, {', '.join(outs)}):", "    i = cuda.grid(1)", "    if i < y.size:"]
    lines += [f"        {out}[i] {symbol} y[i]" for out, symbol in zip(outs, symbols, strict=True)]
    kernel = module_of(tmp_path, "\n".join(lines) + "\n").kernel

    @few
    @given(columns(a, b))
    def check(given):
        x, y = given
        got = [x.copy() for _ in symbols]
        kernel[1, CASES](y, *got)
        for symbol, values in zip(symbols, got, strict=True):
            work = work_type(symbol[:-1], a, b)
            left, right = x.astype(work), y.astype(work)
            same(values, SYMBOLS[symbol[:-1]](left, right).astype(a), symbol, given)

    check()


def test_constant_exponents(device, tmp_path, quiet):
    exponents = [-3, -2, -1, 0, 1, 2, 3, 4, 5, 10]
    for a in NUMBERS:
        work = [work_type("**", a, "int64")] * len(exponents)
        kernel = compiled(tmp_path, [f"a ** {n}" for n in exponents], ["a"])
        x = np.resize(np.array(special(np.dtype(a)), a), CASES)
        for n, got in zip(exponents, run(kernel, (x,), work), strict=True):
            left = x.astype(work[0])
            close = {"f4": 1e-5, "f8": 1e-12}.get(work[0].str[1:], 0)
            if close:  # below the smallest normal number a product in another order has other bits
                wanted = np.power(left, left.dtype.type(n))
                tiny = abs(wanted) < np.finfo(left.dtype).tiny
                got, wanted = np.where(tiny, 0, got), np.where(tiny, 0, wanted)
            else:
                wanted = power(x, np.full(CASES, n), work[0])
            same(np.asarray(got, work[0]), wanted, f"** {n}", (x,), close=close)


def test_powers_of_known_integers_are_integers(device, tmp_path):
    """Python's own fraction is that of numbers written there alone."""
    text = "N, M = 4, -1\n@cuda.jit\ndef kernel(out, n):\n    zero, x = 0, 2\n    out[0] = N ** -1\n    out[1] = 2 ** M\n    out[2] = 4 ** -1\n"
    text += "    out[3] = zero ** M\n    out[4] = x ** -1\n    out[5] = pow(N, -2)\n    out[6] = operator.pow(1, M)\n    out[7] = n ** -3\n"
    out = np.zeros(8)
    module_of(tmp_path, text).kernel[1, 1](out, -1)
    assert out.tolist() == [0, 0, 0.25, -(2.0**63), 0, 0, 1, -1]


def test_negative_zero_and_no_number_in_conditions(device, tmp_path):
    x = np.resize(np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.0]), CASES)
    texts = ["1 if a else 2", "2 if not a else 1", "a and 3.0", "a or 3.0", "a == a", "a != a", "0.0 <= a <= 1.0", "a in (0.0, 1.0)"]
    kernel = compiled(tmp_path, texts, ["a"])
    for text, got in zip(texts, run(kernel, (x,), [float] * len(texts)), strict=True):
        same(got, [float(eval(text, {"a": a})) for a in x.tolist()], text, (x,))
