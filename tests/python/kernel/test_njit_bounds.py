"""Indices outside of arrays under boundscheck=True and NUMBA_BOUNDSCHECK, and outside of tuples, where Numba always checks them."""

import os
import subprocess
import sys

import numpy as np
import pytest
import quern as qn
from quern import cuda
from quern.cuda import config
from quern.kernel.errors import TypingError
from quern.numba import njit, prange

pytestmark = pytest.mark.usefixtures("no_fallback")

WIDE, FLAT = np.arange(6.0).reshape(2, 3), np.arange(3.0)
RECORDS = np.zeros(3, [("x", "f8"), ("y", "i4")])
K = 5


def read(a, i):
    return a[i]


def write(a, i):
    a[i] = 7


def add(a, i):
    a[i] += 1


def swap(a, i):
    a[0], a[i] = a[i], a[0]


def read_pair(a, i, j):
    return a[i, j]


def row(a, i):
    return a[i].sum()


def column(a, i):
    return a[:, i].sum()


def by_tuple(a, t):
    return a[t]


def narrow(a, i):
    return a[np.uint8(i)]


def of_record(a, i):
    return a[i].x


def of_field(a, i):
    return a.x[i]


def by_array(a, b):
    return a[b[0]]


def search(a, i):
    while a[i] < 100:
        i += 1
    return i


def total(a, n):
    s = 0.0
    for i in prange(n):
        s += a[i]
    return s


def constant(a):
    return a[3]


def negative_constant(a):
    return a[-4]


def flat(a, i):
    return a.flat[i]


OUTSIDE = [
    *[(f, (FLAT, i)) for f in (read, write, add, swap) for i in (3, -4, 2**40)],
    (read, (FLAT, np.uint64(2**63))),
    (read, (np.zeros(0), 0)),
    (read, (np.zeros(0), -1)),
    (read, (np.arange(9.0)[::-2], 5)),
    *[(read_pair, (WIDE, *at)) for at in ((0, 3), (2, 0), (-3, 0), (1, -4))],
    (row, (WIDE, 2)),
    (column, (WIDE, 3)),
    (by_tuple, (WIDE, (1, 3))),
    (narrow, (FLAT, 255)),
    (of_record, (RECORDS, 3)),
    (of_field, (RECORDS, 3)),
    (by_array, (FLAT, np.array([5]))),
    (search, (FLAT, 0)),
    (total, (FLAT, 4)),
    (constant, (FLAT,)),
    (negative_constant, (FLAT,)),
    (flat, (WIDE, 6)),
]


@pytest.mark.parametrize("options", [{}, {"parallel": True}, {"error_model": "numpy"}])
@pytest.mark.parametrize("function, arguments", OUTSIDE)
def test_indices_outside(function, arguments, options):
    arguments = [a.copy() if isinstance(a, np.ndarray) and a is FLAT else a for a in arguments]
    with pytest.raises(IndexError) as caught:
        njit(boundscheck=True, **options)(function)(*arguments)
    assert caught.value.args == ("index is out of bounds",)


def part(a, i, j):
    return a[i:j].sum()


def guarded(a, i):
    return i < a.size and a[i] > 1


def chosen(a, i):
    return a[i] if i < a.size else -1.0


@pytest.mark.parametrize(
    "function, arguments, result",
    [
        (read, (FLAT, -3), 0),
        (read_pair, (WIDE, -2, -3), 0),
        (part, (FLAT, 5, 9), 0),
        (part, (FLAT, -9, 2), 1),
        (guarded, (FLAT, 3), False),
        (chosen, (FLAT, 3), -1),
        (total, (FLAT, 3), 3),
        (flat, (WIDE, -1), 5),
    ],
)
def test_indices_inside(function, arguments, result):
    assert njit(boundscheck=True)(function)(*arguments) == result


def test_each_function_has_its_own_option():
    checked, unchecked = njit(boundscheck=True)(read), njit(read)

    @njit
    def asks_checked(a, i):
        return checked(a, i)

    @njit(boundscheck=True)
    def asks_unchecked(a, i):
        return unchecked(a, i)

    with pytest.raises(IndexError):
        asks_checked(FLAT, 3)
    inside = np.arange(6.0)
    assert asks_unchecked(inside[:3], 4) == 4
    with pytest.raises(IndexError):
        njit("f8(f8[:],i8)", boundscheck=True)(read)(FLAT, 5)


def test_error_models_of_callers_are_inherited():
    silent, plain = njit(error_model="numpy")(lambda a, b: a / b), njit(lambda a, b: a / b)
    assert njit(lambda a, b: silent(a, b))(1.0, 0.0) == np.inf
    assert njit(error_model="numpy")(lambda a, b: plain(a, b))(1.0, 0.0) == np.inf
    with pytest.raises(ZeroDivisionError):
        njit(error_model="numpy")(lambda a, b: loud(a, b))(1.0, 0.0)
    with pytest.raises(ZeroDivisionError):
        njit(lambda a, b: plain(a, b))(1.0, 0.0)


loud = njit(error_model="python")(lambda a, b: a / b)


def test_the_configuration_counts_more(monkeypatch):
    inside = np.arange(6.0)
    monkeypatch.setattr(config, "BOUNDSCHECK", 1)
    with pytest.raises(IndexError):
        njit(read)(inside[:3], 4)
    monkeypatch.setattr(config, "BOUNDSCHECK", 0)
    assert njit(boundscheck=True)(read)(inside[:3], 4) == 4


def test_the_variable_of_the_environment():
    program = "import numpy as np\nfrom quern.numba import njit\nprint(njit(lambda a, i: a[i])(np.arange(6.0)[:3], 4))"
    for value in ("0", "1"):
        environment = os.environ | {"NUMBA_BOUNDSCHECK": value}
        done = subprocess.run([sys.executable, "-c", "import quern; quern.keep_sources()\nexec(" + repr(program) + ")"], capture_output=True, text=True, env=environment)
        assert done.stdout == "4.0\n" if value == "0" else "IndexError: index is out of bounds" in done.stderr, done.stderr


def test_cuda_has_no_bounds_checks():
    for options in ({}, {"device": True}):
        with pytest.raises(NotImplementedError, match="bounds checking is not supported for CUDA.*quern check"):
            cuda.jit(boundscheck=True, **options)(write)
    assert callable(cuda.jit(boundscheck=False)(write).forall)


# ---- tuples

PAIR = ((1, 2, 3), (1, 2.5, 3), (7,), ((1, 2), (3, 4)), (np.arange(2), np.arange(2)))


def third(t):
    return t[3]


def before(t):
    return t[-4]


def through_a_name(t):
    i = 3
    return t[i]


def of_global(t):
    return t[K]


def computed(t):
    return t[len(t) + 2]


def nested(t):
    return (t, t)[0][3]


def of_slice(t):
    return t[5:][0]


@pytest.mark.parametrize("function", [third, before, through_a_name, of_global, computed, nested, of_slice])
@pytest.mark.parametrize("value", PAIR[:3])
@pytest.mark.parametrize("fallback", ["error", "warn"])
def test_constant_indices_outside_of_tuples(function, value, fallback):
    qn.set_fallback(fallback)  # Python does not run what Numba refuses
    with pytest.raises(TypingError, match="tuple index out of range: element -?[0-9]+ of"):
        njit(function)(value)
    with pytest.raises(TypingError, match="tuple index out of range"):

        @cuda.jit
        def kernel(x):
            x[0] = third((1, 2, 3))

        kernel[1, 1](np.zeros(1))


def sum_of_four(t):
    s = 0
    for i in range(4):
        s += t[i]
    return s


def of_inner(t, i):
    return t[1][i]


@pytest.mark.parametrize(
    "function, arguments",
    [
        *[(read, ((1, 2, 3), i)) for i in (3, -4, np.uint8(200), 2**40, -(2**40))],
        (read, ((7,), 1)),
        (read, (((1, 2), (3, 4)), 2)),
        (read, ((np.arange(2), np.arange(2)), -3)),
        (of_inner, ((1, (2, 3)), 2)),
        (sum_of_four, ((1, 2, 3),)),
    ],
)
def test_indices_outside_of_tuples(function, arguments):
    with pytest.raises(IndexError) as caught:
        njit(function)(*arguments)
    assert caught.value.args == ("tuple index out of range",)


def test_indices_inside_of_tuples():
    assert [njit(read)((1, 2, 3), i) for i in (0, 2, -3)] == [1, 3, 1]
    assert njit(lambda t, i: i < 3 and t[i] > 1)((1, 2, 3), 3) is False


def test_threads_end_at_indices_outside_of_tuples(device):
    @cuda.jit
    def kernel(x, i):
        x[0] = 5
        x[0] = (1, 2, 3)[i]
        x[1] = 6

    for i, made in ((1, [2, 6]), (3, [5, 0]), (-4, [5, 0])):
        x = np.zeros(2)
        kernel[1, 1](x, i)
        assert x.tolist() == made

    debugged = cuda.jit(debug=True, opt=False)(kernel.py_func)
    with pytest.raises(IndexError, match="tuple index out of range"):
        debugged[1, 1](np.zeros(2), 3)


def test_functions_may_be_named_as_their_parts():
    @njit
    def a(x):
        return x + 1

    @njit
    def r(x):
        return a(x), x

    assert a(1) == 2 and r(2.5) == (3.5, 2.5)


