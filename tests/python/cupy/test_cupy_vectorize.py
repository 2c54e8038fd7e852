"""cupy.vectorize: functions of numbers with Python's control flow. numpy.vectorize is the oracle."""

import math

import numpy as np
import pytest
from quern import cupy as cp
from quern.kernel.errors import KernelError

LIMIT = 2


def piecewise(x):
    if x > LIMIT:
        y = x * 2
    elif x > 0:
        y = x + 1
    else:
        y = -x
    return y


def counted(x):
    n = 0
    while x > 1:
        x = x // 2
        n += 1
    return n


def collatz(x):
    """With break, continue and two results of a condition."""
    steps = 0
    while True:
        if x <= 1:
            break
        steps += 1
        if x % 2 == 0:
            x //= 2
            continue
        x = 3 * x + 1
    return steps


def early(x):
    if x > 1:
        return 1
    return x


def two_numbers(x):
    a = 2.0
    b = 3
    return x * a + b


def ranged(start, stop, step):
    s = 0
    for i in range(start, stop, step):
        s += i
    return s


def swapped(x, y):
    x, y = y, x
    a = b = x - y
    return a * 2 + b


def same(f, *columns, values_only=False):
    expected = np.vectorize(f)(*columns)
    got = cp.vectorize(f)(*[cp.asarray(c) if isinstance(c, np.ndarray) else c for c in columns])
    assert isinstance(got, cp.ndarray)
    np.testing.assert_array_equal(got.get(), expected)
    if not values_only:
        assert got.dtype == expected.dtype


@pytest.mark.parametrize("character", "bhilBHILefd")
def test_control_flow_for_every_type(device, character):
    x, y = np.arange(6).astype(character), np.array([3, 1, 4, 1, 5, 2]).astype(character)
    for f in (piecewise, early, two_numbers, lambda x: not x, lambda x: x**2, lambda x: np.float32(x) / 3, lambda x: x * 2.5):
        same(f, x)
    for f in (
        lambda x, y: x if x > y else y,
        lambda x, y: x > 1 and y < 3,
        lambda x, y: x > 1 or y < 3,
        lambda x, y: 0 < x < 3 and 1 < y < 5,
        lambda x, y: x if 1 < x < 4 or y > 3 else y,
        lambda x, y: min(x, y),
        lambda x, y: max(x, y),
        lambda x, y: x / y,
        lambda x, y: x // y,
        lambda x, y: x % y,
        lambda x, y: (x == y) + (x != y) + (x <= y) + (x >= y),
    ):
        same(f, x, y)
    if np.dtype(character).kind in "iu":  # of which numpy.vectorize makes Python's integers
        for f in (lambda x, y: x & y, lambda x, y: x | y, lambda x, y: x ^ y, lambda x, y: x << y, lambda x, y: x >> y, lambda x, y: ~x):
            got = cp.vectorize(f)(cp.asarray(x), cp.asarray(y))
            np.testing.assert_array_equal(got.get(), f(x, y))
            assert got.dtype == x.dtype


def test_loops(device):
    x = np.arange(1, 30)
    same(counted, x)
    same(collatz, x)
    same(ranged, np.array([0, 5, 2, 7]), np.array([10, -3, 2, 20]), np.array([3, -2, 1, 5]))
    same(swapped, x, x[::-1].copy())


def test_numbers_of_pythons_take_the_others_type(device):
    def weighted(n, y):
        s = 0
        for i in range(n):
            s = s + i * y
        return s

    n = cp.arange(6, dtype=cp.int32)
    assert cp.vectorize(weighted)(n, cp.ones(6, "f")).dtype == np.float32
    assert cp.vectorize(weighted)(n, n).dtype == np.int32
    assert cp.vectorize(weighted)(n, cp.arange(6)).dtype == np.int64
    assert cp.vectorize(weighted)(n, cp.arange(6)).get().tolist() == [0, 0, 2, 9, 24, 50]
    assert cp.vectorize(lambda x: 1)(n).dtype == np.int64 and cp.vectorize(lambda x: 0.5)(n).dtype == np.float64
    assert cp.vectorize(lambda x: int(x) + x)(cp.ones(2, "b")).dtype == np.int8
    assert cp.vectorize(lambda x: float(x) * x)(cp.ones(2, "f")).dtype == np.float32


def test_arguments_broadcast(device):
    f = cp.vectorize(lambda x, y: x * x + y if x > 1 else y - x)
    x = np.arange(12.0).reshape(3, 4)
    expected = np.where(x > 1, x * x + 3, 3 - x)
    np.testing.assert_array_equal(f(cp.asarray(x), 3).get(), expected)
    np.testing.assert_array_equal(f(cp.asarray(x).T, 3).get(), expected.T)
    np.testing.assert_array_equal(f(cp.asarray(x), cp.asarray([3.0])).get(), expected)
    assert float(f(2, 3.0)) == 7.0 and f(2, 3).dtype == np.int64
    assert f(cp.zeros((0, 4)), 1).shape == (0, 4)


def test_functions_of_cupy(device):
    def f(x):
        if cp.isnan(x):
            return cp.float64(0)
        return cp.sqrt(cp.abs(x)) + cp.exp(-x) + cp.where(x > 0, 1, 2) + cp.arctan2(x, 2.0) + math.sin(x)

    x = np.array([0.5, -2.0, np.nan, 4.0])
    expected = np.sqrt(np.abs(x)) + np.exp(-x) + np.where(x > 0, 1, 2) + np.arctan2(x, 2.0) + np.sin(x)
    np.testing.assert_allclose(cp.vectorize(f)(cp.asarray(x)).get(), np.where(np.isnan(x), 0, expected), rtol=1e-12)
    assert cp.vectorize(lambda x: cp.sin(x))(cp.ones(2, "b")).dtype == np.float16
    assert cp.vectorize(lambda x: np.sin(x))(cp.ones(2, "i")).dtype == np.float64
    assert cp.vectorize(lambda x, y: cp.logical_and(x, y))(cp.arange(3), 1).get().tolist() == [False, True, True]
    assert cp.vectorize(lambda x, y: cp.add(x, y) // cp.left_shift(1, x))(cp.arange(3), 9).get().tolist() == [9, 5, 2]


def test_functions_keep_their_names():
    for f in (cp.where, cp.sum, cp.clip, cp.cumsum):
        assert f.__name__ in ("where", "sum", "clip", "cumsum") and f.__doc__


def test_several_results(device):
    def both(x):
        return x + 1, x * 0.5

    a, b = cp.vectorize(both)(cp.arange(3, dtype="f"))
    assert (a.dtype, b.dtype) == (np.float32, np.float32) and (a.get().tolist(), b.get().tolist()) == ([1, 2, 3], [0, 0.5, 1])
    a, b = cp.vectorize(both, otypes="ld")(cp.arange(3))
    assert (a.dtype, b.dtype) == (np.int64, np.float64)


def test_functions_that_it_calls(device):
    def helper(x, n):
        return x**n if n > 1 else x

    f = cp.vectorize(lambda x: helper(x, 3) - helper(x, 1))
    assert f(cp.arange(4)).get().tolist() == [0, 0, 6, 24]


def test_complex_numbers(device):
    z = cp.asarray([1 + 2j, 3 - 1j])
    assert cp.vectorize(lambda z: z * z if z.real > 2 else z.conjugate())(z).get().tolist() == [1 - 2j, 8 - 6j]
    assert cp.vectorize(lambda x: x + 1j)(cp.ones(1, "f")).dtype == np.complex64
    for f in (lambda z: z < 1, lambda z: z <= 1, lambda z: z > 1j, lambda z: z >= z):
        with pytest.raises(TypeError):
            cp.vectorize(f)(z)
    with pytest.raises(TypeError, match="take its .real"):
        cp.vectorize(lambda z: cp.float32(z))(z)


def test_what_it_cannot_be(device):
    with pytest.raises(TypeError):
        cp.vectorize(abs)(cp.arange(3))
    names = {}
    exec("def made_up(x):\n    return x if x > 1 else 0", names)
    try:
        got = cp.vectorize(names["made_up"])(cp.arange(3)).get().tolist()
    except KernelError as e:
        assert "source of this function cannot be read" in str(e)
    else:
        assert got == [0, 0, 2]
    with pytest.raises(TypeError, match="bools are not subtracted"):
        cp.vectorize(lambda x: x - x)(cp.ones(2, bool))
    with pytest.raises(TypeError, match="return"):
        cp.vectorize(lambda x: None)(cp.ones(2))


def test_types_as_constants(device):
    typecast, wanted = np.bool_, np.float16

    def reciprocal(x):
        return cp.reciprocal(x + cp.dtype(wanted).type(3))

    def converted(x):
        kind = cp.dtype("f").type
        return kind(x)

    for dtype in "ef":
        x = np.arange(1, 5).astype(dtype)
        got = cp.vectorize(reciprocal)(cp.asarray(x))
        assert got.dtype == dtype
        np.testing.assert_allclose(got.get(), 1 / (x + 3), rtol=1e-3)
    assert cp.vectorize(converted)(cp.arange(3)).dtype == np.float32
    for dtype in "FDef":
        x = np.array([0, 1, 0.5, 0]).astype(dtype)
        assert cp.vectorize(lambda x: typecast(x))(cp.asarray(x)).tolist() == [False, True, True, False]
    assert cp.vectorize(lambda x: typecast(x))(cp.asarray([0j, 1j])).tolist() == [False, True]
