"""What njit functions raise, return and print: exceptions of any class with their arguments, named tuples; functions that call each other."""

import collections
import math

import numpy as np
import pytest
import quern as qn
from quern import cuda
from quern.kernel.interpreted import with_types
from quern.numba import njit

pytestmark = pytest.mark.usefixtures("no_fallback")

Point = collections.namedtuple("Point", "x y")


class Refused(Exception):
    pass


class Late(Refused):
    def __init__(self, text, code=0):
        super().__init__(text, code)
        self.code = code


READY = Late("not now", 7)


@njit
def raises(kind, x):
    if kind == 0:
        raise Refused
    if kind == 1:
        raise Late("too late", 3)
    if kind == 2:
        raise np.linalg.LinAlgError("Singular matrix")
    if kind == 3:
        raise ValueError("neg", x, kind, x > 2, -1)
    if kind == 4:
        raise READY
    if kind == 5:
        raise KeyError('it\'s "this" \\', None, (1, "b"))
    if kind == 6:
        raise ValueError(f"x is {x} of {kind}: {x + 1}")
    if kind == 7:
        raise OverflowError(x * 1j)
    if kind == 8:
        raise StopIteration()
    return x


@pytest.mark.parametrize(
    "kind, cls, args",
    [
        (0, Refused, ()),
        (1, Late, ("too late", 3)),
        (2, np.linalg.LinAlgError, ("Singular matrix",)),
        (3, ValueError, ("neg", -2.5, 3, False, -1)),
        (4, Late, ("not now", 7)),
        (5, KeyError, ('it\'s "this" \\', None, (1, "b"))),
        (6, ValueError, ("x is -2.5 of 6: -1.5",)),
        (7, OverflowError, (-2.5j,)),
        (8, StopIteration, ()),
    ],
)
def test_classes_and_arguments(kind, cls, args):
    with pytest.raises(cls) as caught:
        raises(kind, -2.5)
    assert type(caught.value) is cls and caught.value.args == args
    assert raises(9, 4.0) == 4


def test_integers_keep_their_values():
    @njit
    def fails(n):
        raise ValueError(n)

    for n in (2**63 - 1, -(2**63), np.uint64(2**64 - 1), np.int8(-3), True):
        with pytest.raises(ValueError) as caught:
            fails(n)
        assert caught.value.args == (n,) and type(caught.value.args[0]) is (bool if n is True else int)


def test_tuples_of_numbers_are_arguments():
    @njit
    def fails(kind, x, p):
        if kind == 0:
            raise ValueError("at", (x, kind), p)
        if kind == 1:
            raise Late((x, (p.y, True, "text")), p)
        assert x > 5, ("small", x)

    p = Point(1, -0.5)
    for kind, cls, args in ((0, ValueError, ("at", (2, 0), p)), (1, Late, ((2, (-0.5, True, "text")), p)), (2, AssertionError, (("small", 2),))):
        with pytest.raises(cls) as caught:
            fails(kind, 2, p)
        assert caught.value.args == args
    with pytest.raises(ValueError) as caught:
        fails(0, 2, p)
    assert type(caught.value.args[2]) is Point


DIVISIONS = {
    "true": lambda a, b: a / b,
    "floor": lambda a, b: a // b,
    "remainder": lambda a, b: a % b,
    "both": lambda a, b: divmod(a, b),
    "power": lambda a, b: b ** (a - 6),
    "inverse": lambda a, b: b**-1,
}


@pytest.mark.parametrize(
    "name, arguments, said",
    [
        ("true", (5, 0), "division by zero"),
        ("true", (5, 0j), "complex division by zero"),
        ("floor", (5, 0), "integer division by zero"),
        ("floor", (np.uint64(5), 0), "integer division by zero"),
        ("floor", (5, 0.0), "division by zero"),
        ("remainder", (5, False), "integer modulo by zero"),
        ("remainder", (5.0, np.float32(0)), "modulo by zero"),
        ("both", (5, np.int8(0)), "integer divmod by zero"),
        ("both", (np.uint64(5), 0), "modulo by zero"),
        ("both", (5.0, 0.0), "modulo by zero"),
        ("power", (5, 0), "0 cannot be raised to a negative power"),
        ("power", (5, 0.0), "division by zero"),
        ("inverse", (5, np.uint8(0)), "0 cannot be raised to a negative power"),
        ("inverse", (5, np.float32(0)), "division by zero"),
    ],
)
@pytest.mark.parametrize("runs", ["compiled", "by Python"])
def test_division_by_zero(name, arguments, said, runs):
    qn.set_fallback("error" if runs == "compiled" else "silent")
    function = DIVISIONS[name]
    if runs == "by Python":
        function = with_types(function)
    else:
        function = njit(function)
    with pytest.raises(ZeroDivisionError) as caught:
        function(*arguments)
    assert caught.value.args == (said,)


def test_powers_of_zero_that_are_numbers():
    power = njit(lambda a, b: a**b)
    assert power(0, 0) == 1 and power(0.0, 2) == 0 and power(0.0, -1.0) == math.inf and power(2, -1) == 0 and power(2.0, -1) == 0.5
    assert njit(lambda a: a**-2, error_model="numpy")(0.0) == math.inf


def test_asserts():
    @njit
    def positive(x):
        assert x > 0, "must be positive"
        assert x != 2, f"not {x}"
        assert x < 5
        return math.sqrt(x)

    assert positive(4.0) == 2
    for x, args in ((-1.0, ("must be positive",)), (2.0, ("not 2.0",)), (9.0, ())):
        with pytest.raises(AssertionError) as caught:
            positive(x)
        assert caught.value.args == args


def test_raised_by_what_it_calls():
    @njit
    def outer(x):
        return raises(3, x) + 1

    with pytest.raises(ValueError) as caught:
        outer(-1.0)
    assert caught.value.args == ("neg", -1.0, 3, False, -1)


def test_named_tuples():
    @njit
    def mirrored(p):
        return Point(p.y, p.x), (p, 1), Point(2, Point(p.x, 3))

    made = mirrored(Point(1, 2.5))
    assert made == ((2.5, 1), ((1, 2.5), 1), (2, (1, 3)))
    assert [type(t) for t in (made[0], made[1][0], made[2], made[2].y)] == [Point] * 4

    @njit
    def either(p, q, n):
        if n > 2:
            return p
        return q

    made = either(Point(1, 2), Point(0.5, 3), 3)
    assert made == Point(1.0, 2) and type(made) is Point and type(made.x) is float


@njit
def even(n):
    if n == 0:
        return True
    return odd(n - 1)


@njit
def odd(n):
    if n == 0:
        return False
    return even(n - 1)


@njit
def up(n):
    if n > 0:
        return down(n - 1) + 1
    return 0


@njit
def down(n):
    if n > 3:
        return up(n - 1) * 0.5
    return up(n - 1)


@njit
def fill(x, i):
    if i < x.size:
        x[i] += i
        mark(x, i + 1)


@njit
def mark(x, i):
    if i < x.size:
        x[i] -= i
        fill(x, i + 1)


def test_functions_that_call_each_other():
    assert even(10) is True and odd(10) is False and even(7) is False
    assert up(10) == 2.0 and type(up(10)) is float and down(9) == 1.0
    x = np.zeros(5)
    assert fill(x, 0) is None and x.tolist() == [0, -1, 2, -3, 4]

    @njit("int64(int64)")
    def first(n):
        return 0 if n < 1 else second(n - 1) + 1

    @njit("int64(int64)")
    def second(n):
        return 0 if n < 1 else first(n - 1) + 1

    assert first(6) == 6 and second(3) == 3


def test_recursion_that_returns_nothing(device):
    @cuda.jit(device=True)
    def count(x, n):
        if n > 0:
            x[n] += n
            count(x, n - 1)

    @cuda.jit
    def kernel(x):
        count(x, 3)

    x = np.zeros(5)
    kernel[1, 1](x)
    assert x.tolist() == [0, 1, 2, 3, 0]

    @njit
    def lost(n):
        if n > 0:
            return lost(n - 1)

    assert lost(3) is None


@njit
def shows(x):
    print(x)


@njit
def shows_all(x, y):
    last = None
    if x > 2:
        last = x
    print("x =", x, y, x / y, x * 1j, (x,), Point(x, 2.5), [x, 1], [y], (x, "it's"), "100%", 'a "b"\t', True, None, last)


@pytest.mark.parametrize(
    "value",
    [2.5, 1.0, -0.0, 1e16, 1e-5, 1 / 3, math.inf, math.nan, 3, -7, True, 2 + 3j, 1j, -1j, complex(-0.0, -1), complex(0, math.nan), (1, 2.5)]
    + [(1,), (1, (2, 3.5)), Point(1, 2.5), (Point(1, (2j,)), False), None, np.uint64(2**64 - 1), np.int8(-3)],
)
def test_print_writes_what_python_writes(capfd, value):
    shows(value)
    assert capfd.readouterr().out == f"{value.item() if isinstance(value, np.generic) else value}\n"


def test_print_of_several_values(capfd):
    shows_all(3, 2.0)
    text = "x = 3 2.0 1.5 3j (3,) Point(x=3, y=2.5) [3, 1] [2.0] (3, \"it's\") 100% a \"b\"\t True None"
    assert capfd.readouterr().out == f"{text} 3\n"
    shows_all(0, 2.0)
    assert capfd.readouterr().out.endswith(" True None None\n")
