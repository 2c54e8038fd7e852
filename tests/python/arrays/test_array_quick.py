"""Plain calls of functions with a quick way in the engine, and small work that is done at once: NumPy is the oracle, and the other
ways to the same function give the same bits."""

import copy
import inspect

import numpy as np
import pytest
import quern as qn
from arrays import same

TYPES = "bool int8 int32 int64 uint8 uint16 uint64 float16 float32 float64 complex64 complex128".split()
SHAPES = [(), (1,), (3,), (16,), (17,), (33,), (100,), (1000,), (5000,), (0,), (7, 31), (0, 3), (2, 3, 4)]
FUNCTIONS = "sum prod max min any all mean var std argmax argmin cumsum cumprod sort".split()


def values(dtype, shape, seed=0):
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        return rng.integers(0, 50, shape).astype(dtype)
    out = np.round(rng.normal(size=shape) * 3, 1)
    if dtype.kind == "c":
        out = out + 1j * np.round(rng.normal(size=shape), 1)
    return np.asarray(out).astype(dtype)


def outcome(call):
    try:
        result = call()
        qn.asnumpy(result)
        return result
    except (ValueError, IndexError, TypeError, OverflowError) as error:
        return type(error)


def alike(got, want):
    if isinstance(want, type) or isinstance(got, type):
        assert got is want
    else:
        assert got._dtype_name == want._dtype_name and got.shape == want.shape and type(got) is type(want)
        assert qn.asnumpy(got).tobytes() == qn.asnumpy(want).tobytes()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_plain_call_is_the_call_with_keywords(device, tier, name, shape):
    axis = -1 if name == "sort" else None
    for dtype in TYPES:
        if dtype[0] == "c" and name in ("var", "std"):
            continue  # no quick way
        a = qn.asarray(values(dtype, shape))
        function = getattr(qn, name)
        keywords = outcome(lambda: function(a, axis=axis))  # noqa: B023
        alike(outcome(lambda: function(a)), keywords)  # noqa: B023
        if name != "sort":
            alike(outcome(lambda: getattr(a, name)()), keywords)  # noqa: B023
        if len(shape) > 1:
            alike(outcome(lambda: function(a.T)), outcome(lambda: function(a.T, axis=axis)))  # noqa: B023
        if len(shape) == 1:
            alike(outcome(lambda: function(a[::-2])), outcome(lambda: function(a[::-2], axis=axis)))  # noqa: B023


@pytest.mark.parametrize("n", [1, 5, 31, 32, 33, 64, 100, 1000, 5000, 20000])
@pytest.mark.parametrize("dtype", "int8 int32 int64 uint64 float32 float64 float16".split())
def test_where_the_extremes_are(device, tier, n, dtype):
    x = values(dtype, (n,), n)
    rng = np.random.default_rng(n)
    kinds = [x, np.zeros_like(x)]
    if x.dtype.kind == "f":
        for value in (np.nan, np.inf, -np.inf, -0.0):
            y = x.copy()
            y[rng.integers(0, n, 3)] = value
            kinds += [y, np.full_like(x, value)]
        kinds.append(np.where(rng.random(n) < 0.5, 0.0, -0.0).astype(dtype))
    for y in kinds:
        a = qn.asarray(y)
        assert int(qn.argmax(a)) == np.argmax(y)
        assert int(a.argmin()) == np.argmin(y)
        assert int(a[1:].argmax()) == np.argmax(y[1:]) if n > 1 else True


@pytest.mark.parametrize("n", [*range(1, 40), 64, 100, 127, 128, 129, 1000, 4096, 5000, 100_000])
def test_sorted_values(device, n):
    rng = np.random.default_rng(n)
    whole = rng.integers(-(1 << 63), (1 << 63) - 1, n)
    kinds = [rng.random(n), rng.normal(size=n), np.arange(n) * 1.0, np.arange(n)[::-1] * 1.0, np.zeros(n), whole, whole.astype("uint64")]
    kinds += [rng.integers(0, 3, n), rng.integers(0, 3, n) * 1.0, np.arange(n) % 17 * 1.0, np.where(rng.random(n) < 0.3, np.nan, 1.5)]
    kinds += [np.where(rng.random(n) < 0.5, np.inf, -np.inf), np.full(n, np.iinfo("int64").max), np.full(n, np.iinfo("int64").min)]
    kinds += [np.concatenate([np.arange(n // 2), np.arange(n - n // 2)[::-1]]) * 1.0]
    for x in kinds:
        same(qn.sort(qn.asarray(x)), np.sort(x))
        same(qn.sort(qn.asarray(x), descending=True), np.sort(x)[::-1])


def test_picks(device, tier):
    rng = np.random.default_rng(0)
    for dtype in TYPES:
        for n in (1, 10, 1000, 20_000):
            x = values(dtype, (n,))
            a = qn.asarray(x)
            for i in (rng.integers(-n, n, n), rng.integers(0, n, (2, 5)), np.zeros((0,), "int64"), rng.integers(0, n, 7).astype("int32")):
                j = qn.asarray(i)
                same(a[j], x[i])
                same(a[::-1][j], x[::-1][i])
                same(qn.take(a, j), np.take(x, i))
                if i.ndim == 2:
                    same(a[j.T], x[i.T])
    a = qn.zeros(3)
    for wrong in (3, -4):
        with pytest.raises(IndexError, match="out of bounds for axis 0 with size 3"):
            qn.asnumpy(a[qn.asarray([0, wrong])])
    with pytest.raises(IndexError):
        qn.zeros((2, 2))[qn.asarray([0]), 0, 0]
    with pytest.raises(IndexError):
        qn.zeros(3)[qn.asarray([0.5])]


def test_picks_are_values_of_their_own(device, tier):
    a = qn.asarray([1.0, 2.0, 3.0])
    i = qn.asarray([2, 0])
    picked, ordered, sums = a[i], qn.sort(a), qn.cumsum(a)
    a[...] = 7
    i[...] = 1
    same(picked, np.array([3.0, 1.0]))
    same(ordered, np.array([1.0, 2.0, 3.0]))
    same(sums, np.array([1.0, 3.0, 6.0]))
    picked[0] = 5
    same(a, np.array([7.0, 7.0, 7.0]))


def test_slices(device):
    x = np.arange(12.0).reshape(3, 4)
    a = qn.asarray(x)
    for key in (slice(None), slice(None, None, -1), slice(1, 9), slice(-2, None), slice(5, 2), slice(2, None, -2)):
        same(a[key], x[key])
        same(a[0][key], x[0][key])
    a[::-1][0, 0] = 100
    assert float(a[2, 0]) == 100
    with pytest.raises(ValueError):
        a[::0]
    with pytest.raises(IndexError):
        qn.asarray(1.0)[::2]


def test_conversions(device):
    a = qn.asarray([0.0, 1.5, -2.0])
    for dtype in (np.float32, "float32", np.dtype("int64"), int, float, bool, complex, "i2", np.dtype(">f8"), "bool"):
        wanted = np.array([0.0, 1.5, -2.0]).astype(dtype)
        got = a.astype(dtype)
        assert got.dtype == wanted.dtype.newbyteorder("=") and got is not a
        np.testing.assert_array_equal(qn.asnumpy(got), wanted)
    assert a.astype("float64", copy=False) is a and a.astype(dtype=np.float64) is not a
    with pytest.raises(TypeError):
        a.astype("nonsense")
    with pytest.raises(TypeError):
        a.astype()


def test_limits_and_choices(device, tier):
    x = np.array([np.nan, -1.0, 0.5, 2.0, np.inf])
    for dtype in ("float32", "float64", "int64", "uint8"):
        y = np.nan_to_num(x, posinf=9).clip(0, 9).astype(dtype) if dtype[0] != "f" else x.astype(dtype)
        a = qn.asarray(y)
        for low, high in ((0, 1), (0.25, 0.75), (2.0, 1.0), (np.float32(0.25), np.float64(0.5)), (0, 1.5), (True, 3)):
            same(qn.clip(a, low, high), np.clip(y, low, high))
            same(a.clip(low, high), y.clip(low, high))
        same(qn.where(a > 0, a, 0.5), np.where(y > 0, y, 0.5))
        same(qn.where(a > 0, 1.5, a), np.where(y > 0, 1.5, y))
        same(qn.where(a > 0, a, a[::-1]), np.where(y > 0, y, y[::-1]))
        same(qn.where(a > 0, 2.5, 1.5), np.where(y > 0, 2.5, 1.5))


def test_numbers(device):
    for make in (qn.argmax, qn.sum, qn.mean, qn.max):
        s = make(qn.asarray([1.0, 3.0, 2.0]))
        t = s
        s += 1
        assert float(s) == float(t) + 1


def test_they_are_functions():
    for name in [*FUNCTIONS, "where", "clip"]:
        function = getattr(qn, name)
        assert callable(function) and function.__name__ == name and function.__doc__
        assert inspect.signature(function).parameters
        assert copy.deepcopy(function) is function
        assert name in repr(function)
    assert inspect.signature(qn.sum).parameters["axis"].default is None
    bound = qn.asarray([3, 1]).sum
    assert int(bound()) == 4
    assert qn.Array.sum is qn.sum
    with pytest.raises(TypeError):
        qn.sum()
    with pytest.raises(TypeError):
        qn.sum(qn.zeros(3), nonsense=1)


def test_limits_of_either_name(device, quiet):
    x = np.array([[1.5, 2.5], [3.5, 4.5]])
    a = qn.asarray(x)
    for given, named in (
        ((2, 3), {}), ((None, 3), {}), ((2, None), {}), ((None, None), {}), ((), {}), ((), {"min": 2}), ((), {"max": 3}), ((), {"min": 2, "max": 3}),
        ((2,), {}), ((2,), {"max": 3}), ((2, 3), {"max": 3}), ((2, 3), {"dtype": "f4"}), ((2, 3), {"dtype": int}), ((2, [3, 4]), {}),
        ((2, 3), {"casting": "unsafe", "dtype": "f2"}), ((2, 3), {"subok": False}), ((2, 3), {"nonsense": 1}),
    ):  # fmt: skip
        want, got = outcome_of(lambda: np.clip(x, *given, **named)), outcome_of(lambda: qn.clip(a, *given, **named))  # noqa: B023
        assert got == want, (given, named)
    out = qn.full((2, 2), 7.0)
    assert qn.clip(a, 2, 3, out=out, where=[True, False]) is out and out.tolist() == [[2.0, 7.0], [3.0, 7.0]]
    for small in ("u1", "i1"):
        for low, high in ((-(2**70), 300), (-5, 2**70), (0, 255), (-128, 127), (5, 127)):
            want = outcome_of(lambda: np.clip(np.array([1, 100], small), low, high))  # noqa: B023
            assert outcome_of(lambda: qn.clip(qn.asarray([1, 100], small), low, high)) == want  # noqa: B023


def outcome_of(call):
    """The values and their type, or the type of the error."""
    try:
        result = call()
    except (ValueError, TypeError, OverflowError) as error:
        return next(kind for kind in (TypeError, OverflowError, ValueError) if isinstance(error, kind))
    host = np.asarray(result.get() if isinstance(result, qn.Array) else result)
    return host.tolist(), host.dtype.name


def test_choices_of_either_form(device):
    c = qn.asarray([True, False])
    assert [places.tolist() for places in qn.where(c)] == [places.tolist() for places in qn.where(c, None, None)] == [[0]]
    with pytest.raises(ValueError, match="either both or neither of x and y should be given"):
        qn.where(c, 1)
    for x, y in ((1, -300), (np.int8(1), -300), (np.uint8(1), -1), (True, -1), (1.5, 2**70), (1, 2**70), (np.float32(1), 3), (2, 1j)):
        assert outcome_of(lambda: qn.where(c, x, y)) == outcome_of(lambda: np.where([True, False], x, y)), (x, y)  # noqa: B023
    s = qn.where(True, 1, 2)  # an array, as in NumPy
    t = s
    s += 1
    assert int(t) == 2


def test_conversions_that_are_refused():
    a = qn.asarray([1.5, 2.5])
    with pytest.raises(TypeError, match="according to the rule 'safe'"):
        a.astype(int, casting="safe")
    with pytest.raises(ValueError, match="casting must be one of"):
        a.astype(int, casting="nonsense")
    with pytest.raises(TypeError, match="order must be str"):
        a.astype(int, order=1)
    with pytest.raises(TypeError):
        qn.astype([1.5], int)
    assert a.astype(int, "C").tolist() == [1, 2]
    assert qn.astype(a, "float64", copy=False) is a and qn.astype(a, "float64") is not a
