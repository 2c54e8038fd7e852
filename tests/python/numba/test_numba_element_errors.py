"""Exceptions that functions of vectorize and guvectorize raise, for each way of calling them; indices into tuples raise as well."""

import math

import numpy as np
import pytest
from differences import grads
from quern import cuda
from quern.numba import guvectorize, njit, vectorize

pytestmark = pytest.mark.usefixtures("no_fallback")


def root(x):
    if x < 0:
        raise ValueError("negative", 1)
    if x > 100:
        raise KeyError("large")
    return math.sqrt(x)


def added(x, y):
    if y < 0:
        raise ValueError(f"{y} is negative")
    assert x != 13, "unlucky"
    return x + y


ROOTS = [vectorize(root), vectorize(["f8(f8)"])(root), vectorize(["f8(f8)"], target="parallel")(root)]
SUMS = [vectorize(added), vectorize(["f8(f8,f8)"])(added)]
MIXED = np.array([4.0, -1.0, 9.0, 200.0])


def raised(call):
    with pytest.raises(Exception) as caught:
        call()
    return type(caught.value), caught.value.args


@pytest.mark.parametrize("function", ROOTS)
def test_the_last_element_that_raises_counts(function, device):
    assert raised(lambda: function(MIXED)) == (KeyError, ("large",))
    assert raised(lambda: function(MIXED[::-1])) == (ValueError, ("negative", 1))
    assert raised(lambda: function(-1)) == (ValueError, ("negative", 1))
    assert raised(lambda: function([1.0, -1.0])) == (ValueError, ("negative", 1))
    assert raised(lambda: function(MIXED.reshape(2, 2).T)) == (KeyError, ("large",))
    assert raised(lambda: function(np.arange(2000.0) - 5)) == (KeyError, ("large",))
    assert raised(lambda: function(cuda.to_device(-MIXED))) == (ValueError, ("negative", 1))
    assert function(np.array([4.0, 9.0])).tolist() == [2, 3] and function(np.zeros(0)).size == 0 and function(16.0) == 4
    assert function(cuda.to_device(MIXED[:1])).copy_to_host().tolist() == [2]


@pytest.mark.parametrize("function", ROOTS)
@pytest.mark.parametrize("of", [np.array, cuda.to_device])
def test_other_elements_are_stored(function, of, device):
    out = of(np.full(4, 7.0))
    assert raised(lambda: function(of(MIXED), out=out))[0] is KeyError
    assert np.asarray(out).tolist() == [2, 7, 3, 7]
    same = of(MIXED)
    assert raised(lambda: function(same, same))[0] is KeyError
    assert np.asarray(same).tolist() == [2, -1, 3, 200]
    single = of(np.full(4, 7.0, np.float32))
    assert raised(lambda: function(of(MIXED), out=single))[0] is KeyError
    assert np.asarray(single).tolist() == [2, 7, 3, 7]


@pytest.mark.parametrize("function", SUMS)
def test_folds_raise(function, device):
    some, rising = np.array([1.0, 2.0, -3.0, 4.0]), np.arange(5.0)
    negative = (ValueError, ("-3.0 is negative",))
    assert raised(lambda: function.reduce(some)) == negative and raised(lambda: function.accumulate(some)) == negative
    assert raised(lambda: function.outer(rising, some)) == negative
    assert raised(lambda: function.reduceat(some, [0, 3])) == negative
    assert raised(lambda: function.at(np.zeros(3), [0, 1], np.array([1.0, -3.0]))) == negative
    assert raised(lambda: function.reduce(rising, initial=13.0)) == (AssertionError, ("unlucky",))
    assert function.reduce(rising) == 10 and function.accumulate(rising).tolist() == [0, 1, 3, 6, 10]
    assert function.reduce(np.array([[1.0, -2], [3, 4]]), axis=0).tolist() == [4, 2]  # the first row is where it begins
    assert function.reduceat(some, [0, 2]).tolist() == [3, 1]


def test_what_is_raised_by_functions_that_it_calls(device):
    @njit
    def inner(x):
        if x < 0:
            raise OverflowError("inner", x)
        return 1 / x

    @vectorize
    def outer(x):
        return inner(x) + 1

    assert raised(lambda: outer(np.array([1.0, -1.0]))) == (OverflowError, ("inner", -1.0))
    assert outer(np.array([1.0, 0.0])).tolist() == [2, math.inf]  # a division by 0 is a number in ufuncs


def test_divisions_by_zero_are_numbers(device):
    @vectorize(["i8(i8)"])
    def whole(x):
        assert x > -9
        return 7 // x + 7 % x

    @vectorize(["f8(f8)"])
    def real(x):
        assert x > -9
        return 7 / x

    assert whole(np.array([0, 5])).tolist() == [0, 3] and real(np.array([0.0, 5])).tolist() == [math.inf, 1.4]


def test_indices_of_tuples(device):
    @vectorize
    def of_tuple(i):
        return (1, 2, 3)[i]

    assert of_tuple(np.array([0, -3, 2])).tolist() == [1, 1, 3]
    for wrong in (3, -4, 2**40):
        assert raised(lambda: of_tuple(np.array([0, wrong]))) == (IndexError, ("tuple index out of range",))  # noqa: B023  (called now)


def test_gradients_of_functions_that_raise(device):
    @vectorize
    def cubed(x):
        if x > 100:
            raise ValueError("large", x)
        return x * x * x

    assert grads(lambda x: cubed(x).sum(), [np.array([1.0, 2.0])])[0].tolist() == [3, 12]
    assert raised(lambda: grads(lambda x: cubed(x).sum(), [np.array([1.0, 200.0])])) == (ValueError, ("large", 200.0))


def test_cuda_ends_elements_without_a_word(device):
    function = vectorize(["f8(f8)"], target="cuda")(root)
    assert function(np.array([4.0, 9.0, 16.0])).tolist() == [2, 3, 4]
    function(MIXED)


def roots(x, r):
    for i in range(len(x)):
        if x[i] < 0:
            raise ValueError("negative", x[i])
        assert x[i] < 100, "large"
        r[i] = math.sqrt(x[i])


@pytest.mark.parametrize("of", [np.array, cuda.to_device])
@pytest.mark.parametrize("options", [{}, {"target": "parallel"}])
def test_gufuncs_end_at_the_first_place_that_raises(of, options, device):
    x = np.array([[4.0, 9], [1, -3], [16, -25], [200, 3]])
    for function in (guvectorize(["f8[:],f8[:]"], "(n)->(n)", **options)(roots), guvectorize("(n)->(n)", **options)(roots)):
        out = of(np.full(x.shape, 7.0))
        assert raised(lambda: function(of(x), out)) == (ValueError, ("negative", -3.0))  # noqa: B023  (called now)
        assert np.asarray(out).tolist() == [[2, 3], [1, 7], [7, 7], [7, 7]]
        assert raised(lambda: function(of(x[::-1].copy()), out=out)) == (AssertionError, ("large",))  # noqa: B023  (called now)
        assert np.asarray(function(of(x[0]), of(np.zeros(2)))).tolist() == [2, 3]
    function = guvectorize(["f8[:],f8[:]"], "(n)->(n)", **options)(roots)
    assert raised(lambda: function(of(x))) == (ValueError, ("negative", -3.0))
    assert np.asarray(function(of(x[:1]))).tolist() == [[2, 3]]


def test_gufuncs_of_numbers(device):
    @guvectorize(["i8,i8[:]"], "()->()")
    def positive(x, r):
        r[0] = x // 0
        if x < 0:
            raise ValueError("negative", x)
        r[0] = x

    assert raised(lambda: positive(np.array([3, -2, -5]))) == (ValueError, ("negative", -2))
    assert raised(lambda: positive(-3)) == (ValueError, ("negative", -3)) and positive(3) == 3


def test_indices_of_gufuncs(device):
    def moved(x, r):
        for i in range(r.size):
            r[i] = x[i + 1]

    checked = guvectorize(["f8[:],f8[:]"], "(n)->(n)", boundscheck=True)(moved)
    assert raised(lambda: checked(np.arange(3.0))) == (IndexError, ("index is out of bounds",))
