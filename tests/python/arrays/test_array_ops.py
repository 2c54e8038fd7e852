"""Element-by-element functions against NumPy: values, types, exceptions, in tier 0 and in compiled groups."""

import warnings

import numpy as np
import pytest
import quern as qn
from arrays import same
from quern.lib import _engine

DTYPES = [name for name in _engine.dtype_names() if name != "bfloat16"]
OPS = [(name, count) for name, count, origin, _ in _engine.array_ops() if origin == "numpy"]


def sample(dtype, seed):
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.integers(0, 2, 12).astype(bool)
    if kind in "iu":
        info = np.iinfo(dtype)
        some = rng.integers(max(info.min, -9), 9, 9)
        return np.array([*some.tolist(), info.max, info.min, 0], dtype)
    some = rng.uniform(-3, 3, 8)
    if kind == "c":
        return (some + 1j * rng.uniform(-3, 3, 8)).astype(dtype)
    return np.concatenate([some, [0.0, -0.0, np.inf, np.nan]]).astype(dtype)


EXACT = {"add", "subtract", "multiply", "true_divide", "sqrt", "negative", "absolute", "square", "floor", "ceil", "rint", "trunc"}
UNEQUAL = {"complex64", "complex128"}  # NumPy's own complex functions take other ways to the last digits


@pytest.mark.parametrize("name,count", OPS)
def test_types_and_exceptions(name, count):
    theirs, ours = getattr(np, name), getattr(qn, name)
    for a in DTYPES:
        for b in DTYPES if count == 2 else [None]:
            operands = [np.ones(3, t) for t in (a, b) if t is not None]
            try:
                with np.errstate(all="ignore"):
                    want = theirs(*operands).dtype
            except TypeError:
                with pytest.raises(TypeError):
                    ours(*map(qn.asarray, operands))
            else:
                assert ours(*map(qn.asarray, operands)).dtype == want, (name, a, b)


@pytest.mark.parametrize("name,count", OPS)
def test_values(name, count, tier):
    theirs, ours = getattr(np, name), getattr(qn, name)
    for dtype in DTYPES if tier == "tiny" else ["bool", "int32", "uint8", "float16", "float32", "float64", "complex64"]:
        operands = [sample(dtype, seed) for seed in range(count)]
        if name in ("power", "float_power") and np.dtype(dtype).kind in "iu":
            operands[1] = np.abs(operands[1].astype(np.int64) % 5).astype(dtype)
        if name == "float_power" and np.dtype(dtype).kind in "iu":
            operands[0] = np.clip(operands[0], 0, 9)
        if dtype in UNEQUAL and name not in EXACT:
            operands = [np.clip(o.real, 0.1, 0.9).astype(dtype) + np.asarray(0.25j, dtype) for o in operands]
        try:
            with np.errstate(all="ignore"):
                want = theirs(*operands)
        except TypeError:
            continue
        same(ours(*map(qn.asarray, operands)), want, name in EXACT and dtype not in UNEQUAL)


@pytest.mark.parametrize("dtype", DTYPES)
def test_python_scalars_are_weak(dtype, tier):
    x = sample(dtype, 1)
    for scalar in (True, 2, 2.5, 1 + 2j):
        for f in (
            lambda a, s: a + s,
            lambda a, s: s * a,
            lambda a, s: a < s if np.dtype(dtype).kind != "c" and not isinstance(s, complex) else a == s,
        ):
            with np.errstate(all="ignore"):
                same(f(qn.asarray(x), scalar), f(x, scalar), True)


def test_integers_out_of_range():
    a = qn.asarray(np.ones(3, np.uint8))
    with pytest.raises(OverflowError, match="Python integer 300 out of bounds for uint8"):
        a + 300
    same(a < 300, np.ones(3, bool), True)
    same(a == -1, np.zeros(3, bool), True)


@pytest.mark.parametrize("a", DTYPES)
def test_conversions(a, tier):
    for b in DTYPES:
        x = sample(a, 3)
        x = x[np.isfinite(x)] if np.dtype(a).kind in "fc" else x
        if np.dtype(b).kind in "iu" and np.dtype(a).kind in "fc":
            x = np.abs(x)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            same(qn.asarray(x).astype(b), x.astype(b), True)


def test_where_and_clip(tier):
    x = np.arange(12.0).reshape(3, 4)
    c = x % 2 == 0
    same(qn.where(qn.asarray(c), qn.asarray(x), -1), np.where(c, x, -1), True)
    same(qn.where(qn.asarray(c), qn.asarray(x.astype(np.float32)), 1), np.where(c, x.astype(np.float32), 1), True)
    same(qn.clip(qn.asarray(x), 2, 7.5), np.clip(x, 2, 7.5), True)


def test_out(tier):
    a = np.arange(6.0)
    x, out = qn.asarray(a), qn.zeros(6)
    assert qn.add(x, 1, out=out) is out
    same(out, a + 1, True)
    with pytest.raises(TypeError, match="same_kind"):
        qn.add(x, 1, out=qn.zeros(6, dtype=int))
    with pytest.raises(ValueError, match="broadcast"):
        qn.add(x, 1, out=qn.zeros(5))
    with pytest.raises(ValueError, match="broadcast"):
        x + qn.zeros(5)


def test_numbers_are_values(tier):
    """What NumPy gives as a scalar changes for one name only, and takes the type that the op gives."""
    for m in (np, qn):
        x = m.asarray(np.arange(6))
        for text in ("x.sum()", "x[2]", "m.mean(x) + 1", "x @ x", "m.abs(x[1])"):
            first = second = eval(text)
            before = float(second)
            first += 1
            assert (float(first), float(second)) == (before + 1, before)
            first /= 2
            assert float(first) == (before + 1) / 2
            first -= m.asarray([1.0, 2.0])
            assert first.shape == (2,) and float(second) == before
        assert x.tolist() == list(range(6))
        x[1] += 2
        x[2] *= 10
        assert x.tolist() == [0, 3, 20, 3, 4, 5]
        # Arrays without dimensions are arrays.
        for array in (m.asarray(5), m.zeros((), int), x[...].reshape(6)[3:4].reshape(()), m.where(x[0] > 0, 1, 2)):
            first = second = array
            first += 1
            assert first is second and int(second) == int(array)
            with pytest.raises(TypeError, match="same_kind"):
                first += 0.5


def test_assignments_that_cannot_be(tier):
    for m in (np, qn):
        x = m.asarray(np.arange(6, dtype=np.uint8))
        for key in (slice(1, 3), slice(1, 1), 2):
            with pytest.raises(OverflowError):
                x[key] = -2
            with pytest.raises(TypeError):
                x[key] = 1j
        b = m.asarray(np.zeros(2, bool))
        b[0] = 1j
        assert x.tolist() == list(range(6)) and b.tolist() == [True, False]


def test_clip_of_bfloat16(tier):
    x = qn.clip(qn.asarray(np.float32([0, 2, 9])).astype("bfloat16"), 1, 5)
    assert x._dtype_name == "bfloat16" and qn.asnumpy(x.astype("float32")).tolist() == [1, 2, 5]


def test_lists_are_operands(tier):
    a = np.arange(3)
    x = qn.asarray(a)
    for other in ([0, 1, 5], (2.5, 1, 0), [[1, 2, 3], [4, 5, 6]], [True, False, True]):
        same(x + other, a + other, True)
        same(other * x, other * a, True)
        same(x == other, a == other, True)
        same(x < other, a < other, True)
    with pytest.raises(ValueError, match="broadcast"):
        x + [1, 2]
    assert [q.tolist() for q in (x.__divmod__(2)[0], x.__divmod__(2)[1])] == [q.tolist() for q in divmod(a, 2)]
    assert (x.item(2), x.item(-1), x.reshape(3, 1).item(1, 0)) == (2, 2, 1)
    with pytest.raises(IndexError):
        x.item(3)


POWERS = """x ** -1 | m.power(x, -1) | x ** np.int64(-1) | x ** -129 | b ** -1 | u ** -1 | u ** 300 | m.power(y, -2) | w ** 2 ** 63 | w ** 2 | x ** 2
b ** 2 | b ** 3 | b ** 0.5 | f ** -1 | f ** 2.0 | x ** 2.5 | x ** -2.0 | 2 ** x | x ** True | u ** np.uint8(2) | x ** 0 | m.power(x, [1, 2, 3])
y ** np.int32(-3) | m.float_power(x, -1) | x.__ipow__(-1) | f.__ipow__(-2)"""


@pytest.mark.parametrize("case", [case.strip() for line in POWERS.splitlines() for case in line.split(" | ")])
def test_powers(case, device):
    def run(m):
        x, y, f = m.asarray(np.array([1, 2, 3], "i1")), m.asarray(np.arange(1, 4)), m.asarray(np.array([1.0, 2.0]))
        b, u, w = m.asarray(np.array([True, False])), m.asarray(np.array([1, 2], "u1")), m.asarray(np.arange(3, dtype="u8"))
        return np.asarray(eval(case, {"m": m, "np": np, "x": x, "y": y, "f": f, "b": b, "u": u, "w": w}))

    try:
        want = run(np)
    except (ValueError, OverflowError) as error:
        with pytest.raises(type(error)):
            run(qn)
        return
    got = run(qn)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=1e-15)


def test_the_result_lies_in_memory_as_numpy_has_it(device):
    """Order "K" of several operands: where they disagree about two axes, C order wins."""
    rng = np.random.default_rng(4)
    for _ in range(200):
        shape = tuple(int(n) for n in rng.integers(1, 5, rng.integers(2, 5)))
        theirs, ours = [], []
        for _ in range(rng.integers(1, 3)):
            order = [int(n) for n in rng.permutation(len(shape))]
            whole = [shape[n] * int(rng.integers(1, 3)) for n in order]
            key = tuple(slice(None, None, w // shape[n]) for w, n in zip(whole, order, strict=True))
            back = [order.index(n) for n in range(len(shape))]
            cut = tuple(slice(0, 1) if rng.random() < 0.2 else slice(None, None, int(rng.choice([1, 1, -1]))) for _ in shape)
            theirs.append(np.ones(whole)[key].transpose(back)[cut])
            ours.append(qn.ones(tuple(whole))[key].transpose(back)[cut])
        expected, got = (sum(x[1:], x[0] * 2) for x in (theirs, ours))
        assert got.shape == expected.shape
        long = [n for n, size in enumerate(expected.shape) if size > 1]
        assert [got.strides[n] for n in long] == [expected.strides[n] for n in long], [(x.shape, x.strides) for x in theirs]


def test_reductions_of_repeated_elements_lie_in_c_order(device):
    """An axis along which an array is repeated says nothing about the order: reshape(-1) sees the result's own memory."""
    for axis in (0, 1, 2, -1):
        results = []
        for m, x in ((np, np.arange(12.0).reshape(4, 3)), (qn, qn.asarray(np.arange(12.0).reshape(4, 3)))):
            result = m.sum(m.broadcast_to(x, (2, 4, 3)), axis=axis)
            flat = result.reshape(-1)
            flat[...] += 1
            results.append(result)
        assert [n for n, size in zip(results[1].strides, results[1].shape, strict=True) if size > 1] == list(results[0].strides)
        np.testing.assert_array_equal(qn.asnumpy(results[1]), results[0])


def test_copies_of_repeated_elements_lie_as_numpys_do(device):
    for shape in ((2, 4, 3), (2, 2, 4, 3)):
        for turn in (None, (1, 0, *range(2, len(shape)))):
            x, y = np.broadcast_to(np.arange(12).reshape(4, 3), shape), qn.broadcast_to(qn.arange(12).reshape(4, 3), shape)
            if turn:
                x, y = x.transpose(turn), y.transpose(turn)
            assert y.astype("int8").strides == x.astype("int8").strides
            assert (y + 1).strides == (x + 1).strides


# Powers of two and their neighbours, the ends, and numbers of every length.
def whole_numbers(dtype, seed, count):
    info, rng = np.iinfo(dtype), np.random.default_rng(seed)
    some = {0, info.min, info.max, *(sign * ((1 << bit) + near) for bit in range(info.bits) for near in (-1, 0, 1) for sign in (-1, 1))}
    some |= {sign * (int(rng.integers(1, 1 << 63)) >> int(rng.integers(0, 63))) for _ in range(count) for sign in (-1, 1)}
    return np.array(sorted(n for n in some if info.min <= n <= info.max), dtype)


@pytest.mark.parametrize("dtype", [name for name in DTYPES if np.dtype(name).kind in "iu"])
def test_integers_are_divided_by_a_number(dtype, tier):
    numbers = whole_numbers(dtype, 1, 150)
    if np.iinfo(dtype).bits == 8:
        numbers = divisors = np.arange(np.iinfo(dtype).min, np.iinfo(dtype).max + 1).astype(dtype)
    else:
        divisors = whole_numbers(dtype, 2, 20)
    a = qn.array(numbers)
    for divisor in divisors:
        with np.errstate(all="ignore"):
            for got, want in ((a // divisor, numbers // divisor), (a % divisor, numbers % divisor)):
                np.testing.assert_array_equal(qn.asnumpy(got), want, err_msg=f"by {divisor}")


@pytest.mark.parametrize("dtype", [name for name in DTYPES if np.dtype(name).kind in "iu"])
def test_integers_are_divided_by_integers(dtype, tier):
    numbers, divisors = whole_numbers(dtype, 3, 100), whole_numbers(dtype, 4, 100)
    at = np.arange(len(numbers) * len(divisors))
    with np.errstate(all="ignore"):
        for part in np.array_split(at, len(at) // 200) if tier == "tiny" else [at]:
            a, b = numbers[part % len(numbers)], divisors[part // len(numbers)]
            np.testing.assert_array_equal(qn.asnumpy(qn.array(a) // qn.array(b)), a // b)
            np.testing.assert_array_equal(qn.asnumpy(qn.array(a) % qn.array(b)), a % b)
