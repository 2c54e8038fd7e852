"""None in njit functions: ends without `return`, values that may be None, tuples of them. As in Numba they are None, or a TypeError."""

import collections
import warnings

import numpy as np
import pytest
from quern import cuda
from quern.kernel.errors import TypingError
from quern.numba import njit, vectorize

pytestmark = pytest.mark.usefixtures("no_fallback")

Span = collections.namedtuple("Span", "low high")


@njit
def place_of(a, v):
    for i in range(a.size):
        if a[i] == v:
            return i


def test_ends_without_return():
    a = np.arange(4.0)
    assert place_of(a, 9.0) is None and place_of(a, 2.0) == 2 and type(place_of(a, 2.0)) is int

    @njit
    def kinds(n, x):
        if n == 0:
            return x * 0.5
        if n == 1:
            return 3
        while True:
            n -= 1
            if n < 5:
                break

    assert kinds(0, 3) == 1.5 and kinds(1, 3) == 3.0 and type(kinds(1, 3)) is float and kinds(7, 3) is None

    @njit
    def truth(n):
        if n > 1:
            return True

    assert truth(3) is True and truth(0) is None

    @njit
    def only_none(n):
        return None

    assert only_none(3) is None


def test_ways_that_all_return():
    @njit
    def by_else(n):
        for i in range(n):
            if i > 3:
                return i
        else:
            return -1

    @njit
    def endless(n):
        while 1:
            n += 1
            if n > 10:
                return n

    assert by_else(9) == 4 and by_else(2) == -1 and endless(3) == 11
    assert [str(f.nopython_signatures[0].return_type) for f in (by_else, endless)] == ["int64", "int64"]


def test_tuples_and_arrays():
    @njit
    def pair(x, n):
        if n > 3:
            return x, n

    assert pair(2.5, 4) == (2.5, 4) and pair(2.5, 3) is None

    @njit
    def tail(a, n):
        if n > 0:
            return a[n:]

    a = np.arange(4.0)
    assert tail(a, 0) is None and np.shares_memory(tail(a, 2), a) and tail(a, 2).tolist() == [2, 3]

    @njit
    def of_tuples(a, n):
        found = place_of(a, n)
        return (found, None, 2), Span(n, found)

    assert of_tuples(a, 3.0) == ((3, None, 2), (3.0, 3)) and of_tuples(a, 7.0) == ((None, None, 2), (7.0, None))
    assert type(of_tuples(a, 3.0)[1]) is Span

    @njit
    def parts(a, v):
        t = (place_of(a, v), a, None)
        u = t
        if v > 100:
            u = (None, a, None)
        first, second, third = u
        return first is None, t[0], second.size, third

    assert parts(a, 2.0) == (False, 2, 4, None) and parts(a, 7.0) == (True, None, 4, None) and parts(a, 200.0) == (True, None, 4, None)

    @njit
    def perhaps_tail(a, n):
        return (tail(a, n), n)

    assert perhaps_tail(a, 0) == (None, 0) and perhaps_tail(a, 3)[0].tolist() == [3]


def test_names_that_are_none_on_some_ways():
    @njit
    def total(n):
        found = None
        for i in range(n):
            if found is None:
                found = i
            else:
                found += i
        return found

    assert total(0) is None and total(5) == 10

    @njit
    def handed_on(a, v):
        return place_of(a, v)

    assert handed_on(np.arange(3.0), 1.0) == 1 and handed_on(np.arange(3.0), 5.0) is None


USES = {
    "sum": lambda a, v: place_of(a, v) + 1,
    "product": lambda a, v: 2 * place_of(a, v),
    "negative": lambda a, v: -place_of(a, v),
    "less": lambda a, v: place_of(a, v) < 5,
    "equal": lambda a, v: place_of(a, v) == 2,
    "member": lambda a, v: place_of(a, v) in (1, 2),
    "function": lambda a, v: abs(place_of(a, v)),
    "element": lambda a, v: a[place_of(a, v)],
    "float": lambda a, v: float(place_of(a, v)),
}


@pytest.mark.parametrize("use", USES)
def test_none_is_no_number(use):
    a, function = np.arange(4.0), njit(USES[use])
    assert function(a, 2.0) == {"sum": 3, "product": 4, "negative": -2}.get(use, USES[use](a, 2.0))
    with pytest.raises(TypeError, match="^expected int64, got None$"):
        function(a, 9.0)


def test_none_is_not_written():
    @njit
    def write(a, v):
        a[0] = place_of(a, v)

    @njit
    def count(a, v):
        n = 0
        for _ in range(place_of(a, v)):
            n += 1
        return n

    for function in (write, count):
        a = np.arange(4.0)
        with pytest.raises(TypeError, match="^expected int64, got None$"):
            function(a, 9.0)
        assert a.tolist() == [0, 1, 2, 3]
    assert count(np.arange(4.0), 3.0) == 3


def test_declared_results():
    def first(x):
        if x > 3:
            return x

    with pytest.raises(TypingError, match="returns None on some ways, and its signature says int64"):
        njit("int64(int64)")(first)
    with pytest.raises(TypingError, match="it must return a number"):
        vectorize(first)(np.arange(3.0))
    assert njit("optional(int64)(int64)")(first)(2) is None and njit("optional(int64)(int64)")(first)(5) == 5
    with pytest.raises(TypingError, match="returns None on some ways"):
        cuda.jit("float64(float64)", device=True)(first)


def test_kernels(device):
    @cuda.jit(device=True)
    def root(x):
        if x >= 0:
            return x**0.5

    @cuda.jit
    def kernel(x, out, pair):
        i = cuda.grid(1)
        if i < x.size:
            found = (root(x[i]), i)
            t = found[0]
            out[i] = -1 if t is None else t
            out[i] += pair[1] if pair[0] is None else 0

    x, out = np.array([4.0, -1, 9]), np.zeros(3)
    kernel[1, 4](x, out, (None, 10))
    assert out.tolist() == [12, 9, 13]

    @cuda.jit(debug=True, opt=False)
    def adds(x, out):
        out[0] = root(x[0]) + 1

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        adds[1, 1](x, out)
        assert out[0] == 3
        with pytest.raises(TypeError, match="expected float64, got None"):
            adds[1, 1](x[1:], out)
