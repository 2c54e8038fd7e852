"""njit functions that Python runs, since they need lists or arrays of their own: their numbers have Numba's types all the same.

The expected values are Numba's.
"""

import math

import numba_oracle
import numpy as np
import pytest
import quern as qn
from quern.numba import guvectorize, njit, vectorize

pytestmark = pytest.mark.usefixtures("silent_fallback")

PROGRAMS = '''
def mean(x):
    seen = [0]
    s = 0.0
    for v in np.full(2000, x):
        s += v
    return s / 2000

def contrast(x):
    out = [0, 0]
    out[0] = x * 2 - 10
    out[1] = -x
    return out[0], out[1], x // 7, x % 7, x << 3, x >> 1, x & 60, x ** 2, abs(x), ~x

def generator(x):
    states = [x]
    for _ in range(5):
        states.append(states[-1] * 6364136223846793005 + 1442695040888963407)
    return states[1], states[5]

def growing(n):
    a = [0, 1]
    for _ in range(n):
        a.append(a[-1] + a[-2])
    return a[-1]

def functions(x):
    seen = [0]
    return log(x), sqrt(-x - 1), exp(x + 1000.0), pow(0.0, -1.0), log(-1.0 - x)

def quotient(x, y):
    seen = [x]
    return seen[0] / y

def floored(x, y):
    seen = [x]
    return seen[0] // y, seen[0] % y

def mixed(x, y):
    seen = [x]
    a = seen[0] - y
    b = x * y
    seen[0] += 1
    return a, b, x < y, x + 1, seen[0], x / y

def single(x):
    seen = [x]
    return x == 0.1, x < 0.1, x * x, x + 1, sqrt(x), sin(x), x * 0.5

def counted(x):
    seen = [0]
    return (x > 1) + (x > 2), seen[0] + (x > 1), -(x > 1), (x > 1) & (x > 2)

def stored(n):
    a = np.zeros(4, np.uint8)
    a[0] = n
    a[1] = 300
    a[2] += 250
    a[2] += 10
    a[3] -= 1
    return a[0], a[1], a[2], a[3]

def wholes(n):
    a = np.full(3, 200, np.uint8) * 2 + n
    b = np.full(3, 0.1, np.float32)
    c = b * 2
    d = b * 0.1
    b *= 3
    a += 1
    return a[0], c[1], d[2], b[0], a.sum()

def beside(x, y):
    seen = [x]
    return x + y, x * y, y / x

def wrapped(n):
    a = np.ones(3, np.int8)
    for i in range(3):
        a[i] = a[i - 1] + n
    a[0], a[1] = a[2] * 3, n
    a[2] *= 3
    return a[0], a[1], a[2]

def arrays(x):
    i = np.arange(3)
    b = np.full(3, 0.1, np.float32)
    c = np.full(3, x)
    return i * b, b - i, i / c, c / c, i + np.float32(0.1), c * 0.1, b // i[1], c // 2, c / 2

def constants(x):
    seen = [x]
    return 2 ** -1, True ** -1, -(2 ** -2), 1 / 2 ** -1, x * 10 ** -2, 1e3 * (2 ** -3), (-1) ** -1, 1 // 1 ** -1, seen[0] ** -1.0, 2 ** 3, int(2 ** -1 * 4)

def compiled_constants(x):
    return 2 ** -1, True ** -1, -(2 ** -2), 1 / 2 ** -1, x * 10 ** -2, 1e3 * (2 ** -3), (-1) ** -1, 1 // 1 ** -1, x ** -1.0, 2 ** 3, int(2 ** -1 * 4)

def summed(x):
    seen = [x, x, x]
    return sum(seen), max(seen), min(seen), divmod(x, 7)
'''  # fmt: skip
MODULE = "from math import *\nimport numpy as np\n" + PROGRAMS.replace("\ndef ", "\n@njit\ndef ")
LOOSE = {"functions": dict.fromkeys(range(5), "float64"), "single": {5: "float32"}}  # what functions of the C library compute

CASES = [
    ("mean", [[["float32", 0.1]], [["float64", 0.1]], [["int8", 100]]]),
    ("contrast", [[["uint8", 200]], [["int8", -100]], [["int64", 12]], [["uint16", 65535]], [["int32", 2**31 - 1]]]),
    ("generator", [[["int64", 12345]], [["int64", -1]]]),
    ("growing", [[["int64", 10]], [["int64", 95]]]),
    ("functions", [[["float64", 0.0]], [["float64", 2.0]]]),
    ("quotient", [[["float64", 1.0], ["float64", 0.0]], [["int64", 1], ["int64", 0]], [["float32", 1.0], ["float64", 3.0]]]),
    ("floored", [[["int64", 7], ["int64", 0]], [["int64", -7], ["int64", 2]], [["float64", 7.5], ["float64", -2.0]], [["float64", 1], ["float64", 0]]]),
    ("mixed", [[["uint64", 3], ["uint64", 5]], [["int64", 3], ["uint64", 5]], [["uint8", 3], ["int8", -5]], [["uint32", 3], ["float32", 0.3]]]),
    ("single", [[["float32", 0.1]], [["float64", 0.1]]]),
    ("counted", [[["int64", 3]], [["float64", 1.5]]]),
    ("stored", [[["int64", -1]], [["int64", 70000]]]),
    ("wholes", [[["int64", 3]], [["int64", -3]]]),
    ("beside", [[["uint16", 3], ["float32", 0.1]], [["uint8", 3], ["float32", 0.1]], [["int32", 3], ["float32", 0.1]]]),
    ("wrapped", [[["int64", 100]], [["int64", 300]]]),
    ("arrays", [[["int8", 3]], [["uint16", 7]], [["int32", 7]], [["float32", 0.3]]]),
    ("constants", [[["int64", 3]], [["float64", 1.5]]]),
    ("compiled_constants", [[["int64", 3]], [["float64", 1.5]]]),
    ("summed", [[["uint8", 200]], [["int8", 100]], [["float32", 0.1]]]),
]


@pytest.mark.parametrize("name, calls", CASES, ids=[name for name, _ in CASES])
def test_numbers(tmp_path, name, calls):
    cases = [[MODULE, name, calls]]
    for ours, theirs in zip(*numba_oracle.run(cases, njit, tmp_path), *numba_oracle.recorded(cases), strict=True):
        assert not numba_oracle.differs(ours, theirs, LOOSE.get(name, {})), f"here  {ours}\nNumba {theirs}"


def test_numpys_error_model():
    def quotients(x, y):
        seen = [x]
        return seen[0] / y, 1 // y, -x / y

    assert njit(quotients, error_model="numpy")(1.0, 0.0)[::2] == (math.inf, -math.inf)
    with pytest.raises(ZeroDivisionError):
        njit(quotients)(1.0, 0.0)


def test_results_are_pythons_own():
    @njit
    def collected(x):
        made = [v * 2 for v in x]
        return made, {0: x[0]}, (x[1], [x[0] + 1])

    made = collected(np.array([1.5, 2], np.float32))
    assert made == ([3.0, 4.0], {0: 1.5}, (2.0, [2.5]))
    assert [type(v) for v in (*made[0], made[1][0], made[2][0], made[2][1][0])] == [float] * 5

    @njit
    def arrays(x):
        y = x.copy()
        y[1:] += 1
        y *= 2
        return y

    x = np.arange(4, dtype=np.int32)
    assert arrays(x).tolist() == [0, 4, 6, 8] and arrays(x).dtype == np.int32 and x.tolist() == [0, 1, 2, 3]


def test_numbers_look_like_pythons_own(capfd):
    @njit
    def show(x):
        seen = [x * 2, x + 1]
        print(x * 2, (x + 1, x), seen, sep="; ")
        return isinstance(seen[0], int), isinstance(x * 0.5, float), isinstance(x * 2, np.int64)

    assert show(np.int8(3)) == (True, True, True)
    assert capfd.readouterr().out == "6; (4, 3); [6, 4]\n"


def test_names_and_lines_stay():
    factor = 3

    @njit
    def outer(x):
        def inner(v):
            return v * factor

        text = f"{x + 1}"
        numbers = sorted({inner(v) for v in (3, 1, 2)}, key=lambda v: -v)
        try:
            return numbers, text, "a" + "b" * 2, [0] * x
        finally:
            numbers.append(0)

    assert outer(2) == ([9, 6, 3, 0], "3", "abb", [0, 0])

    @njit
    def fails(x):
        seen = [x]
        raise ValueError("at", seen[0] * 2)

    with pytest.raises(ValueError) as caught:
        fails(2)
    assert caught.value.args == ("at", 4) and type(caught.value.args[1]) is int and caught.traceback[-1].lineno + 1 == fails.py_func.__code__.co_firstlineno + 3


def test_vectorize_and_guvectorize():
    @vectorize(["float32(float32)"])
    def shifted(x):
        seen = [x]
        return seen[0] / 0.0 + math.log(0.0 * x)

    assert np.isnan(shifted(np.array([1], np.float32))).all()

    @guvectorize(["void(uint8[:], uint8[:])"], "(n)->(n)")
    def doubled(x, out):
        seen = [0]
        for i in range(x.shape[0]):
            out[i] = x[i] * 2 - seen[0]

    assert doubled(np.array([200, 3], np.uint8)).tolist() == [144, 6]


def test_a_function_without_source_is_refused():
    names = {}
    exec("def made(x):\n    return [x * 2][0]", names)
    with pytest.raises(qn.CompileError, match="source of this function cannot be read"):
        njit(names["made"])(np.int8(100))


@njit
def divisor(a, b):
    return a if b == 0 else divisor(b, a % b)


@njit
def halves(n):
    if n < 0:
        raise ValueError("negative")
    return 0 if n == 0 else 1 + halves(n // 2)


@njit
def checked(n):
    assert n >= 0
    return n if n < 2 else checked(n - 1) + checked(n - 2)


@njit
def picked(a, i):
    return a[0] if i == 0 else a[i] + picked(a, i - 1)


@njit
def even(n):
    return True if n == 0 else odd(n - 1)


@njit
def odd(n):
    return False if n == 0 else even(n - 1)


@njit
def outer(n):
    return divisor(n, 12) + n // 5


def test_functions_that_call_themselves():
    assert divisor(84, 36) == 12 and divisor(84, np.int32(36)) == 12 and divisor(7.5, 2) == 0.5
    assert halves(100) == 7 and checked(12) == 144 and picked(np.arange(3.0), 2) == 3.0
    assert even(10) is True and even(np.int32(7)) is False and outer(90) == 24


def test_errors_of_functions_that_call_themselves():
    with pytest.raises(ValueError, match="negative"):
        halves(-1)
    with pytest.raises(TypeError, match="not enough arguments: expected 1, got 0"):
        halves()
    with pytest.raises(TypeError, match="too many arguments: expected 1, got 3"):
        halves(1, 2, 3)
    with pytest.raises(TypeError):
        halves("x")


@njit
def matrices(name, a):
    if name == "inv":
        return np.linalg.inv(a)
    if name == "solve":
        return np.linalg.solve(a, a[0])
    if name == "cholesky":
        return np.linalg.cholesky(a)
    return np.linalg.eigvals(a)


@pytest.mark.parametrize(
    "name, a, said",
    [
        ("inv", np.zeros((2, 2)), "Matrix is singular to machine precision."),
        ("solve", np.zeros((2, 2)), "Matrix is singular to machine precision."),
        ("cholesky", -np.eye(2), "Matrix is not positive definite."),
        ("inv", np.zeros((2, 3)), "Last 2 dimensions of the array must be square."),
        ("inv", np.full((2, 2), np.nan), "Array must not contain infs or NaNs."),
        ("solve", np.full((2, 2), np.inf), "Array must not contain infs or NaNs."),
        ("eigvals", np.full((2, 2), np.nan), "Array must not contain infs or NaNs."),
    ],
)
def test_errors_of_matrices(name, a, said):
    """Numba's texts, which differ from NumPy's."""
    np.testing.assert_array_equal(matrices("inv", np.eye(2) * 2), np.eye(2) / 2)
    with pytest.raises(np.linalg.LinAlgError) as caught:
        matrices(name, a)
    assert str(caught.value) == said
