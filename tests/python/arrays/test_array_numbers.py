"""Where NumPy gives a scalar the result is a number: ``t = s; s += 1`` leaves ``t`` alone. And Python's integers as operands."""

import numpy as np
import pytest
import quern as qn
import quern.cupy
from quern.lib import _engine


def is_number(x):
    """Does ``x += x`` make a new one?"""
    before = x
    if x.dtype == bool:
        x ^= x
    else:
        x += x
    return x is not before


def operands(m):
    return {
        "v": m.asarray(np.array([3.0, 1.0, 2.0])),
        "i": m.asarray(np.array([1, 2, 0])),
        "z": m.asarray(np.array(2.0)),
        "zi": m.asarray(np.array(2)),
        "g": m.asarray(np.array([[2.0, 1.0], [1.0, 3.0]])),
        "b": m.asarray(np.array([True, False, True])),
        "zb": m.asarray(np.array(True)),
        "e": m.asarray(np.array([1.5])),
    }


# Whatever a function takes of these, it is called with.
ARGUMENTS = """v | i | z | zi | g | b | zb | e | v, v | v, 1 | v, 2.0 | i, 1 | z, z | zi, zi | z, 1 | zi, 1 | z, v | zi, i | g, g | g, v | v, 50
v, 0.5 | 1.0, v | 1.0, v, v | z, v, v | v, z | v, zi | i, zi | g, 1 | g, zi | v, 1, 2 | z, 1, 2 | b, v | b, 1 | zb, 1, 2 | 0.5, v | 3, (2, 2)
zi, (2, 2) | i, (2, 2) | (1, 1), (2, 2) | 'i,i->', v, v | 'ii', g | z, 0 | v, (v, v) | zi, (z, z, z) | [v, v] | [z, z] | z, () | v, (3,)
e, () | v, i | v, 2, 0 | e, 0 | g, 'fro' | g, 2 | g, None | v, 'float32' | z, 'float32' | [v, v], 0 | v, None, None | v, 0, None | z, -1"""
ARGUMENTS = [case.strip() for line in ARGUMENTS.splitlines() for case in line.split(" | ")]

# What cannot be asked like that, or answers something else on purpose.
LEFT_OUT = set(
    """save savez savetxt load loadtxt savez_compressed fromfile fromregex genfromtxt set_printoptions seterr setbufsize seterrcall
    get_include info printoptions errstate show_config show_runtime test frombuffer mintypecode broadcast_shapes geterrcall
    array2string array_repr array_str array_split broadcast_to may_share_memory shares_memory matrix_rank asmatrix bmat""".split()
)
LEFT_OUT |= {"dump", "dumps", "tofile", "setflags", "resize", "setfield", "getfield", "flat", "view", "fill"}
# Arguments that one of both takes by accident, or takes as something of its own.
STRANGE = {
    ("bincount", "[z, z]"), ("dot", "z, 0"), ("polyadd", "g, 1"), ("polyadd", "g, zi"), ("polyadd", "g, 2"), ("polysub", "g, 1"),
    ("polysub", "g, zi"), ("polysub", "g, 2"), ("polyder", "v, 2.0"), ("polyder", "v, 0.5"), ("polyder", "v, z"), ("norm", "v, (3,)"),
    ("norm", "(1, 1), (2, 2)"), ("multi_dot", "[z, z]"), ("imag", "z"), ("imag", "zi"), ("imag", "zb"), ("nan_to_num", "z, 0"),
    ("nan_to_num", "z, ()"),
}  # fmt: skip
NONE_IS_A_VALUE = ("equal", "full_like", "isin", "not_equal", "reshape", "setdiff1d")


def functions():
    for path in ("", "linalg", "fft"):
        host = getattr(np, path) if path else np
        for name in sorted(dir(host)):
            value = getattr(host, name)
            if callable(value) and not isinstance(value, type) and name[0] != "_" and name not in LEFT_OUT:
                yield f"{path}.{name}" if path else name


def methods():
    for name in sorted(dir(np.ndarray)):
        if name[0] != "_" and callable(getattr(np.ndarray, name)) and name not in LEFT_OUT:
            yield name


def alike(call, said):
    """Both give numbers, or both arrays, of one type and shape."""
    try:
        want = eval(call, {"m": np}, operands(np))
    except Exception:
        return
    parts = want if isinstance(want, (tuple, list)) else [want]
    if any(isinstance(part, (np.ndarray, np.generic)) and part.dtype.kind in "OSU" for part in parts):
        return
    got = eval(call, {"m": qn}, operands(qn))
    pairs = zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]
    for ours, theirs in pairs:
        if not isinstance(theirs, (np.ndarray, np.generic)):
            continue
        assert isinstance(ours, qn.Array), said
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), said
        if ours.ndim == 0:
            assert is_number(ours) == isinstance(theirs, np.generic), said


@pytest.mark.parametrize("name", list(functions()))
def test_functions_give_numbers_where_numpy_gives_scalars(name, quiet):
    for arguments in ARGUMENTS:
        short = name.rpartition(".")[2]
        if (short, arguments) in STRANGE or (short in NONE_IS_A_VALUE and "None" in arguments):
            continue
        if "'" in arguments and not short.startswith(("einsum", "norm", "astype", "cond")):
            continue
        alike(f"m.{name}({arguments})", f"{name}({arguments})")


@pytest.mark.parametrize("name", list(methods()))
def test_methods_give_numbers_where_numpy_gives_scalars(name, quiet):
    for array in operands(qn):
        for arguments in ("", "0", "1", "zi", "i", "1, 0", "2, 0", "0, 0"):
            if name in ("conj", "conjugate") and arguments or name == "choose" and ", 0" in arguments:
                continue
            call = f"{array}.{name}({arguments})"
            alike(call, call)


@pytest.mark.parametrize(
    "case",
    """m.argmax(v) | v.argmin() | m.median(v) | m.quantile(v, 0.5) | m.take(v, 2) | v.take(1) | m.searchsorted(v, 2.0) | v.searchsorted(1)
    m.linalg.slogdet(g)[1] | m.linalg.det(g) | m.linalg.cond(g) | m.linalg.norm(g, 1) | m.trace(g) | m.count_nonzero(v) | m.ptp(v)
    m.average(v) | m.interp(1.5, v, v) | m.unravel_index(3, (2, 2))[1] | v.sum() | v[0] | m.nanmax(v) | m.einsum('i,i', v, v)""".replace(
        "\n", "|"
    ).split("|"),
)
def test_a_number_is_not_changed_by_plus_equals(case, quiet):
    s = eval(case, {"m": qn}, operands(qn))
    t = s
    before = t.item()
    s += 1
    assert t.item() == before
    assert s.item() == before + 1
    assert isinstance(s, qn.Array)


def test_out_goes_back_as_it_was_given():
    v, out = qn.asarray([3.0, 1.0, 2.0]), qn.zeros((), "int64")
    assert qn.argmax(v, out=out) is out
    assert qn.argmax(v, None, out) is out
    t = out
    out += 5
    assert t.item() == 5


def test_a_number_follows_no_later_write():
    v = qn.asarray([3.0, 1.0, 2.0])
    s = qn.take(v, 0)
    v[0] = 7
    assert s.item() == 3


# ---- Python's integers

INTEGERS = (300, -1, -129, 127, 128, 2**31, 2**40, -(2**40), 2**63, 2**64 - 1, -(2**63))
TYPES = ("bool", "int8", "uint8", "int32", "int64", "uint64", "float16", "float32", "float64", "complex64")
FUNCTIONS = """m.where(c, x, {k}) | m.where(c, {k}, x) | m.where(True, x, {k}) | m.clip(x, 0, {k}) | m.clip(x, {k}, None) | m.clip(x, None, {k})
m.clip(x, {k}, {k}) | x.clip({k}) | m.asarray({k}, dtype=x.dtype) | m.asarray([{k}], dtype=x.dtype) | m.asarray([{k}]) | m.full((2,), {k})
m.append(x, {k}) | m.insert(x, 1, {k}) | m.pad(x, 1, constant_values={k}) | m.isin(x, {k}) | m.searchsorted(x, {k}) | m.nan_to_num(x, {k})
m.max(x, initial={k}) | m.min(x, initial={k}) | m.sum(x, initial={k}) | m.prod(x, initial={k}) | m.diff(x, prepend={k}) | m.isclose(x, {k})
m.array_equal(x, {k}) | m.digitize(x, [{k}]) | m.fill_diagonal(x.reshape(1, 3), {k}); x | m.put(x, [0], {k}); x | m.place(x, c, {k}); x
m.putmask(x, c, {k}); x | x.fill({k}); x | x[1:2] = {k}; x | x[c] = {k}; x | x[[0, 1]] = {k}; x | m.outer(x, {k}) | m.kron(x, {k})
m.dot(x, {k}) | m.inner(x, {k}) | m.roll(x, {k}) | m.polyval(x, {k}) | m.select([c], [x], {k}) | m.result_type(x, {k}) | m.trapezoid(x, dx={k})
m.full_like(x, {k}) | m.linspace(0, {k}, 3) | m.ediff1d(x, to_end={k}) | m.broadcast_to({k}, (2,)) | m.tile({k}, 2)"""
FUNCTIONS = [case.strip() for line in FUNCTIONS.splitlines() for case in line.split(" | ")]
BINARY = sorted(
    {
        u.__name__
        for u in vars(np).values()
        if isinstance(u, np.ufunc) and u.nin == 2 and u.signature is None and u.__name__ not in ("power", "float_power", "divmod")
    }
)


def answer(case, m, dtype):
    *lines, last = case.split("; ")
    names = {"m": m, "x": m.asarray(np.array([1, 2, 3]).astype(dtype)), "c": m.asarray(np.array([True, False, True]))}
    if not lines and "] = " in last:
        lines, last = [last], "x"
    for line in lines:
        exec(line, names)
    return eval(last, names)


def compare(case, dtype):
    try:
        want = answer(case, np, dtype)
    except Exception as error:
        with pytest.raises(TypeError if isinstance(error, TypeError) else type(error)):
            answer(case, qn, dtype)
        return
    got = answer(case, qn, dtype)
    if not isinstance(want, (np.ndarray, np.generic)):
        assert got == want, (case, dtype)
        return
    got = qn.asnumpy(got)
    assert (got.dtype, got.shape) == (want.dtype, want.shape), (case, dtype)
    loose = 0 if want.dtype.kind in "biu" else 1e-2
    np.testing.assert_allclose(got, want, rtol=loose, atol=loose, err_msg=f"{case} {dtype}")


def pairs(dtype):
    """Integers of more than 63 bits beside bools are left out: NumPy takes those for int64."""
    return [k for k in INTEGERS if not (dtype == "bool" and k >= 2**63)]


@pytest.mark.parametrize("case", FUNCTIONS)
def test_python_integers_out_of_range_in_functions(case, quiet):
    for dtype in TYPES:
        for k in pairs(dtype):
            if "linspace" in case and abs(k) > 2**60:
                continue
            compare(case.format(k=f"({k})"), dtype)


@pytest.mark.parametrize("name", BINARY)
def test_python_integers_out_of_range_in_ufuncs(name, quiet):
    for dtype in TYPES:
        for k in pairs(dtype):
            if name.startswith("logical") and k >= 2**63:
                continue
            compare(f"m.{name}(x, ({k}))", dtype)
            compare(f"m.{name}(({k}), x)", dtype)


@pytest.mark.parametrize("operator", "+ - * / // % & | ^ << >> < <= == != > >=".split())
def test_python_integers_out_of_range_in_operators(operator, quiet):
    for dtype in TYPES:
        for k in pairs(dtype):
            compare(f"x {operator} ({k})", dtype)
            compare(f"({k}) {operator} x", dtype)


def test_where_with_integers_of_more_than_64_bits(quiet):
    c, x = qn.asarray([True, False]), qn.asarray(np.array([1, 2], np.int8))
    for k in (2**64, -(2**63) - 1):
        with pytest.raises(OverflowError):
            qn.where(c, x, k)
    assert qn.where(c, x.astype("float64"), 2**70)[1].item() == 2.0**70


WHOLE = [0, 1, -1, 5, -5, 127, -128, 2**31, 2**53 + 1, 2**62 + 1, 2**63 - 1, -(2**63), 2**63, 2**63 + 1, 2**64 - 1]
COMPARISONS = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]


def held_by(dtype):
    limits = np.iinfo(dtype)
    return np.array([n for n in WHOLE if limits.min <= n <= limits.max], dtype)


@pytest.mark.parametrize("limit", [_engine.tier0_limit, 0])
@pytest.mark.parametrize("name", COMPARISONS)
def test_integers_with_and_without_a_sign_compare_exactly(device, name, limit):
    """Also where their common type would be float64, which does not hold them."""
    theirs, ours = getattr(np, name), getattr(qn, name)
    _engine.set_tier0_limit(limit)
    try:
        for first in ("int8", "int64", "uint8", "uint64"):
            for second in ("int64", "uint64"):
                a, b = held_by(first), held_by(second)
                for x, y in ((a[:, None], b), (b[:, None], a), (a[0], b), (a, b[-1]), (a[-1], b[-1])):
                    want = theirs(x, y)
                    into = qn.zeros(np.shape(want), dtype=bool)
                    ours(qn.asarray(x), qn.asarray(y), out=into)
                    for got in (ours(qn.asarray(x), qn.asarray(y)), ours(qn.asarray(x), y), into):
                        assert got.dtype == bool
                        np.testing.assert_array_equal(qn.asnumpy(got), want)
            for number in [*WHOLE, 2**64, -(2**64), 10**30]:
                np.testing.assert_array_equal(qn.asnumpy(ours(qn.asarray(held_by(first)), number)), theirs(held_by(first), number))
    finally:
        _engine.set_tier0_limit(_engine.tier0_limit)


def test_integers_of_more_than_64_bits(device):
    """What a float can hold, floats take; integers raise."""
    for dtype in ("float64", "float32", "complex128"):
        a = np.arange(3).astype(dtype)
        same = qn.asarray(a)
        np.testing.assert_array_equal(qn.asnumpy(same + 2**70), a + 2**70)
        np.testing.assert_array_equal(qn.asnumpy(same - 2**70), a - 2**70)
        np.testing.assert_array_equal(qn.asnumpy(qn.full(2, 2**70, dtype=dtype)), np.full(2, 2**70, dtype))
        same[1] = -(2**70)
        assert qn.asnumpy(same)[1] == -(2**70)
    for act in (lambda a: a + 2**70, lambda a: qn.maximum(a, -(2**70)), lambda a: a.__setitem__(0, 2**70)):
        with pytest.raises(OverflowError):
            act(qn.arange(3))
    with pytest.raises(OverflowError):
        qn.arange(3.0) * 10**400


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_the_lowest_integer_is_its_own_opposite(device, dtype):
    """Widened in the kernel that negates it, too."""
    host = np.array([np.iinfo(dtype).min, -1, 0, np.iinfo(dtype).max] * 3000, dtype)
    x = qn.asarray(host)
    for f in (lambda a: -a, np.abs, lambda a: 0 - a, lambda a: a * -1):
        np.testing.assert_array_equal(np.asarray(f(x).astype("int64")), f(host).astype("int64"))
        np.testing.assert_array_equal(np.asarray(f(x) + 1.5), f(host) + 1.5)


@pytest.mark.parametrize("limit", [0, _engine.tier0_limit])
@pytest.mark.parametrize("n", [1, 7, 8, 16, 24, 32, 48, 100])
def test_half_precision_is_compared_and_divided(device, limit, n):
    """At each width of the processor's vectors, with one operand converted."""
    h = np.resize(np.array([7, -0.3, 2.5, 100, -4, 0.5, -0.0, 1, -2000, 0.1, 3], np.float16), n)
    x, ones = qn.asarray(h), qn.ones(n, dtype=bool)
    _engine.set_tier0_limit(limit)
    try:
        for op in ("floor_divide", "remainder", "less", "greater_equal", "maximum", "copysign"):
            for a, b in ((np.True_, h), (h[:1], h), (h, h[::-1]), (h, np.float16(-0.3))):
                ours = {id(np.True_): ones, id(h): x}
                with np.errstate(all="ignore"):
                    want = getattr(np, op)(a, b)
                got = getattr(qn, op)(ours.get(id(a), a), ours.get(id(b), b))
                assert np.array_equal(qn.asnumpy(got), want, equal_nan=True), (op, a, b)
    finally:
        _engine.set_tier0_limit(_engine.tier0_limit)


@pytest.mark.parametrize("limit", [0, _engine.tier0_limit])
@pytest.mark.parametrize("call", ["ravel()", "reshape(1)", "reshape((1, 1))", "ravel('F')", "__getitem__(...)", "__getitem__(None)", "flatten()"])
def test_arrays_made_of_a_number_are_their_own(device, limit, call):
    """NumPy's numbers have no memory that could be written; of CuPy's arrays without dimensions these are views."""
    _engine.set_tier0_limit(limit)
    try:
        for looked_at in (False, True):
            for m, kept in ((np, True), (qn, True), (qn.cupy, call == "flatten()")):
                for v in (m.ones(3).sum(), m.arange(4.0).max()):
                    if looked_at:
                        float(v)
                    before = float(v) if looked_at else 3.0
                    made = eval(f"v.{call}")
                    made[...] = 9
                    assert float(v) == (before if kept else 9) and float(made.sum()) == 9
                    made += v
                    assert float(made.sum()) == (12 if kept else 18)
    finally:
        _engine.set_tier0_limit(_engine.tier0_limit)


@pytest.mark.parametrize("dtype", "i1 u1 i2 u2 i4 u4 i8 u8".split())
@pytest.mark.parametrize("size", [50, 3000, 100_000])
def test_integers_are_divided_exactly(device, dtype, size, quiet):
    """Numbers of all lengths, the ends of the type, multiples and their neighbours, by arrays and by one number."""
    rng, info = np.random.default_rng(size), np.iinfo(dtype)

    def numbers():
        out = (rng.integers(0, 2**64, size, dtype="u8") >> rng.integers(0, 64, size).astype("u8")).astype(dtype)
        ends = np.array([info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, -1 if info.min else 3]).astype(dtype)
        return np.where(rng.random(size) < 0.15, rng.choice(ends, size), out)

    a, b = numbers(), numbers()
    near = (rng.random(size) < 0.3) & (b != 0)
    a[near] = a[near] // b[near] * b[near] + rng.integers(0, 2, np.count_nonzero(near)).astype(dtype)
    x, y = qn.asarray(a), qn.asarray(b)
    for function in ("floor_divide", "remainder", "fmod"):
        ours, theirs = getattr(qn, function), getattr(np, function)
        np.testing.assert_array_equal(qn.asnumpy(ours(x, y)), theirs(a, b))
        for one in (info.min, info.max, 1, 2, 7, 100, 0, *((-1, -7) if info.min else ())):
            one = np.dtype(dtype).type(one)
            np.testing.assert_array_equal(qn.asnumpy(ours(x, one)), theirs(a, one), err_msg=f"{function} by {one}")
            np.testing.assert_array_equal(qn.asnumpy(ours(one, y)), theirs(one, b), err_msg=f"{function} of {one}")


def test_a_number_of_python_before_one_of_numpy_has_no_type_of_its_own():
    for name in ("add", "multiply", "maximum", "arctan2", "floor_divide", "copysign"):
        for a, b in ((2, np.int32(5)), (np.int8(3), 2), (2.5, np.float32(2)), (np.float16(1), 2), (True, np.int16(2)), (2.5, np.int32(2))):
            expected, found = getattr(np, name)(a, b), getattr(qn, name)(a, b)
            assert found.dtype == expected.dtype and np.isclose(found.get(), expected, rtol=1e-6), (name, a, b)


REPEATED = """[1] * i | i * [1] | (1, 2) * i | 'ab' * i | b'x' * i | bytearray(b'x') * i | [] * i | [[1, 2]] * i | ['a'] * i | [1] * n | [1] * z | [1] * i.sum()
[1] * b | [1] * f | f * (1, 2) | 'a' * f | [1] * a | a * [1] | [1] + [i] * 2 == [1, 3, 3]"""


@pytest.mark.parametrize("case", [one.strip() for line in REPEATED.splitlines() for one in line.split("|")])
def test_an_integer_repeats_a_sequence(device, case):
    """As NumPy's numbers do; arrays multiply its elements."""

    def answer(asarray):
        x = asarray(np.array([3, -1, 0]))
        names = {"i": x[0], "n": x[1], "z": x[2], "b": asarray(np.array([True]))[0], "f": asarray(np.array([2.0]))[0], "a": x}
        try:
            made = eval(case, names)
        except TypeError:
            return TypeError
        return qn.asnumpy(made).tolist() if isinstance(made, qn.ndarray) else made.tolist() if isinstance(made, np.ndarray) else made

    assert answer(lambda x: qn.asarray(x, device=device)) == answer(np.asarray)


@pytest.mark.parametrize("value", [[1, 2], [], [[1]], (1, 2)])
@pytest.mark.parametrize("dtype", ["int32", "uint8", "float64"])
def test_a_sequence_is_no_element(device, value, dtype):
    errors = []
    for x in (np.zeros(3, dtype), qn.zeros(3, dtype, device=device)):
        with pytest.raises((TypeError, ValueError)) as raised:
            x[0] = value
        errors.append(raised.type)
    assert errors[0] is errors[1]


@pytest.mark.parametrize("value", [1.5, 2.5, -0.5, float("nan"), float("inf"), np.float32(7.25), np.int32(15), np.uint8(4), np.True_, 1 + 2j])
@pytest.mark.parametrize("digits", [(), (None,), (1,), (-1,)])
def test_round_of_elements(device, value, digits):
    """round() of an element is an int, or of its dtype where digits are asked for."""
    element = np.asarray([value])
    try:
        expected = round(element[0], *digits)
    except Exception as error:
        with pytest.raises(type(error)) as raised:
            round(qn.array(element)[0], *digits)
        assert str(raised.value) == str(error)
        return
    found = round(qn.array(element)[0], *digits)
    if isinstance(expected, int):
        assert type(found) is int and found == expected
    else:
        assert found.dtype == expected.dtype and found.ndim == 0 and np.array_equal(found.get(), expected, equal_nan=True)


def test_round_counts_a_loop(device):
    a = qn.arange(3.0) + 0.6
    assert list(range(round(a[1]))) == [0, 1]
    assert round(a, 0).tolist() == round(a).tolist() == [1, 2, 3]
