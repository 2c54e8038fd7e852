"""`match` and assignments within conditional expressions: each function compared with itself as plain Python."""

import collections
import enum

import numpy as np
import pytest
from quern.numba import TypingError, UnsupportedError, cuda, njit

Point = collections.namedtuple("Point", "x y")


class Color(enum.IntEnum):
    RED = 1
    BLUE = 4


def numbers(s):
    match s:
        case True:
            return 1
        case False:
            return 2
        case 1 | 2 as n:
            return n * 10
        case -3:
            return 5
        case 1.5:
            return 6
    return 3


def rounds(n):
    total = 0
    for i in range(n):
        match i % 4:
            case 0:
                continue
            case 1:
                total += 1
            case k if k == 3:
                total += 10
            case k:
                total += 100 * k
    return total


def pairs(a, b):
    match a, b:
        case 0, 0:
            return 1
        case [1, c]:
            return c
        case (b, a) if a > b:  # the names change places
            return a * 100 + b
        case _, _:
            return -1


def of_tuple(a):
    match a:
        case (1, *rest):
            return len(rest)
        case (*rest, 7):
            return rest[0]
        case (x, *_, y):
            return x * y
        case _:
            return 0


def of_subjects_name(a):
    match a:
        case (a, b):
            return a - b


def of_points(p):
    match p:
        case Point(x=0, y=y):
            return y
        case Point(x=x, y=y) if x > y:
            return x
        case Point():
            return -1
        case int():
            return -2


def of_classes(v):
    match v:
        case None | 0:
            return -1.0
        case -1.5 | 2:
            return v * 2
        case float():
            return v
        case int(q):
            return q + 0.5


def of_members(n):
    match n:
        case Color.RED:
            return 10
        case Color.BLUE:
            return 40
    return 0


def states(n):
    s = 0
    for i in range(n):
        match i % 3, s % 2:
            case 0, _:
                s += 1
            case 1, 0:
                s += 10
            case (1 | 2 as k), odd if odd and k == 2:
                s += 100
            case _:
                s -= 1
    return s


def once(a):
    """The subject is computed once."""
    match a.sum():
        case 6:
            a[0] = 7
            return a.sum()
        case 12:
            return 0
    return 1


MATCHES = [
    (numbers, [(True,), (False,), (1,), (2,), (-3,), (1.5,), (8,)]),
    (rounds, [(0,), (10,)]),
    (pairs, [(0, 0), (1, 3), (2, 3), (3, 2)]),
    (of_tuple, [((1, 5, 6),), ((2, 3, 7),), ((2, 3, 4),), (5,)]),
    (of_subjects_name, [((1, 5),)]),
    (of_points, [(Point(0, 4),), (Point(3, 2),), (Point(1, 2),), (3,)]),
    (of_classes, [(None,), (0,), (2,), (2.5,), (7,), (-1.5,)]),
    (of_members, [(1,), (2,), (4,)]),
    (states, [(0,), (1,), (7,), (20,)]),
    (once, [(np.array([1, 2, 3]),), (np.array([4, 4, 4]),)]),
]


@pytest.mark.parametrize(("function", "calls"), MATCHES, ids=lambda p: getattr(p, "__name__", ""))
def test_match(device, function, calls):
    compiled = njit(function)
    for arguments in calls:
        copies = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
        assert compiled(*arguments) == function(*copies)


def test_match_in_a_kernel(device):
    @cuda.jit(device=True)
    def place(i, n):
        match i, n:
            case 0, _:
                return 1
            case _, m if i == m - 1:
                return 2
            case _:
                return 3

    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        if i < out.size:
            match out[i] % 3:
                case 0:
                    out[i] = place(i, out.size)
                case 1 as one:
                    out[i] = -one

    out = np.arange(7)
    kernel[2, 4](out)
    assert out.tolist() == [1, -1, 2, 3, -1, 5, 2]


def names_within_alternatives(a, b):
    match a, b:
        case (0, y) | (y, 0):
            return y
    return 1


def of_mappings(a):
    match a:
        case {"x": 1}:
            return 1
    return 2


def by_position(p):
    match p:
        case Point(1, 2):
            return 1
    return 2


@pytest.mark.parametrize(
    ("function", "arguments", "said"),
    [
        (names_within_alternatives, (0, 1), "names within alternatives are not supported in a kernel; write a case for each"),
        (of_mappings, (3,), "the pattern `{'x': 1}` is not supported in a kernel; write if and elif"),
        (by_position, (Point(1, 2),), r"`Point\(1, 2\)` does not say which attributes it is about; write them as name=pattern"),
    ],
    ids=lambda p: getattr(p, "__name__", ""),
)
def test_patterns_that_kernels_do_not_have(device, no_fallback, function, arguments, said):
    with pytest.raises(UnsupportedError, match=said):
        njit(function)(*arguments)


def in_both_branches(c, x):
    return (y := x * 2) + y if c else (y := x) - y * 3


def read_behind(c, x):
    return ((y := x) if c else (y := -x)) + y


def of_two_types(c, x):
    z = (y := x * 1.5) if c else (y := x)
    return y + z


def from_the_test(c, x):
    return y if c and (y := x * 2) > 3 else -x


def read_in_the_other_branch(c, x):
    y = 100
    return (y + 1 if c else (y := x)) + y


def of_tuples(c, x):
    z = (y := (x, 2.0))[0] if c else (y := (x + 1, 3))[1]
    return y[0] + y[1] + z


@pytest.mark.parametrize("function", [in_both_branches, read_behind, of_two_types, from_the_test, read_in_the_other_branch, of_tuples])
def test_assignments_within_conditional_expressions(device, function):
    compiled = njit(function)
    for arguments in ((True, 1), (False, 9), (True, 9)):
        assert compiled(*arguments) == function(*arguments)


def of_other_types_by_the_way(c, x):
    z = (y := (x, 2.0))[0] if c else (y := x)
    return y if z else y


def perhaps_of_another_type(c, x):
    y = 5
    z = c and (y := (x, 2.0))[0] > 1
    return y if z else y


@pytest.mark.parametrize("function", [of_other_types_by_the_way, perhaps_of_another_type])
def test_a_name_that_means_one_or_another(device, no_fallback, function):
    with pytest.raises(TypingError, match=r"'y' is .* or .* here, by the way that was taken; use names of their own"):
        njit(function)(True, 3)
