"""Branches that constants decide are left out, as by Numba 0.68, so that what they would return has no say in the result's type."""

import linecache
import warnings

import numpy as np
import pytest
from quern.numba import njit

BIG = 2**62 + 1  # which a float64 does not hold
FLAG, DEBUG, NOTHING = 1, False, None
NARROW, ZERO, ONES = np.int8(5), np.float32(0), (1, 1)
BASE, POWER, PAIR = -3.0, 2.5, (-0.5, 0.5)

DECIDED = """
if FLAG: return BIG + x; return 0.5
if not DEBUG: return BIG + x; return 0.5
if NOTHING is None: return BIG + x; return 0.5
y = BIG + x if FLAG == 1 else 1j; return y
y = BIG + x if DEBUG is False else 2.5; return y
y = DEBUG or BIG + x; return y
y = FLAG and BIG + x; return y
c = 1; if c: return BIG + x; return 0.5
c = 0.0; if c: return 0.5; return BIG + x
c = -1; if c < 0: return BIG + x; return 0.5
c = True; if not c: return 0.5; return BIG + x
c = True; if c is True: return BIG + x; return 0.5
c = 1; d = 2; if c < d: return BIG + x; return 0.5
c = 1; y = 0.5 if c > 3 else BIG + x; return y
c = 0.0; y = c or BIG + x; return y
c = 1; if c == 1 and c < 3: return BIG + x; return 0.5
if 0 < FLAG <= 1: return BIG + x; return 0.5
if x and 0 < FLAG <= DEBUG: return 0.5; return BIG + x
if not (x == 7 or FLAG): return 0.5; return BIG + x
c = 1; if x > 5 or c: return BIG + x; return 0.5
if NARROW: return BIG + x; return 0.5
if NARROW > 3 and not ZERO: return BIG + x; return 0.5
if FLAG + 1: return BIG + x; return 0.5
if 1 in ONES: return BIG + x; return 0.5
if not (FLAG if not DEBUG else 0): return 0.5; return BIG + x
while DEBUG: return 0.5; return BIG + x
c = FLAG; d = c; if d == 1: return BIG + x; return 0.5
c = FLAG == 1; if c: return BIG + x; return 0.5
c = d = 1; if d: return BIG + x; return 0.5
c = 1; c = 0; if c: return 0.5; return BIG + x
c = 1; if DEBUG: c = 0; if c: return BIG + x; return 0.5
for i in range(x): c = 1; if c: return BIG + x; return 0.5
if x and isinstance(x, float): return 0.5; return BIG + x
"""
OPEN = """
if 'z' is not x: return BIG + x; return 0.5
if 'z' != x: return BIG + x; return 0.5
if not ('z' == x): return BIG + x; return 0.5
if x is x: return BIG + x; return 0.5
if x is not None and x is not 'z': return BIG + x; return 0.5
if not (1.5 is x): return BIG + x; return 0.5
if True is not x: return BIG + x; return 0.5
if x is not NARROW: return BIG + x; return 0.5
c = 1; d = c + 1; if d > 1: return BIG + x; return 0.5
c = 1; c += 1; if c: return BIG + x; return 0.5
if x: return BIG + x; return 0.5
if x is not None: return BIG + x; return 0.5
if x != None: return BIG + x; return 0.5
y = 0.5 if x is None else BIG + x; return y
if np.pi > 3: return BIG + x; return 0.5
if np.pi: return BIG + x; return 0.5
if FLAG + 1 > 1: return BIG + x; return 0.5
if -FLAG: return BIG + x; return 0.5
if len(ONES) > 1: return BIG + x; return 0.5
if ONES[0]: return BIG + x; return 0.5
if bool(FLAG): return BIG + x; return 0.5
c = 1; if x: c = 2; if c: return BIG + x; return 0.5
c = 1; for i in range(x): c += 1; if c: return BIG + x; return 0.5
c = 1, 2; if c: return BIG + x; return 0.5
"""


def function_of(line):
    """The function whose statements stand in a line; a branch is one statement."""
    body = "".join("    " + part.replace(": ", ":\n        ") + "\n" for part in line.split("; "))
    text, name = "def f(x):\n" + body, f"<{line}>"
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    names = dict(globals())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # of `is` with a literal
        exec(compile(text, name, "exec"), names)
    return njit(names["f"])


@pytest.mark.parametrize("line", DECIDED.strip().split("\n"))
def test_decided(line):
    assert repr(function_of(line)(2)) == repr(BIG + 2)


@pytest.mark.parametrize("line", OPEN.strip().split("\n"))
def test_open(line):
    assert repr(function_of(line)(2)) == repr(float(BIG + 2))


def test_defaults():
    """A parameter decides only where it is None; its default has a type, and no value."""

    @njit
    def kept(x, d=False):
        if d is not None:
            return BIG + x
        return 0.5

    @njit
    def left_out(x, d=None):
        if d is not None:
            return 0.5
        return BIG + x

    @njit
    def replaced(x, d=None):
        if d is None:
            d = 1
        if d:
            return BIG + x
        return 0.5

    assert repr(replaced(2)) == repr(replaced(2, 3)) == repr(float(BIG + 2))
    assert [repr(y) for y in (kept(2), kept(2, False), kept(2, d=7), kept(2, 1.5))] == [repr(float(BIG + 2))] * 4
    assert [left_out(2), left_out(2, None), left_out(2, d=None)] == [BIG + 2] * 3
    assert left_out(2, False) == 0.5


def test_none_and_texts_as_tests(no_fallback):
    @njit
    def tested(x, d=None, name="mean"):
        return 1 if d and x else 2 if name or x else 3

    assert tested(2) == 2 and tested(0, 1) == 2 and tested(2, 1) == 1


def test_tests_are_evaluated_where_a_constant_decides():
    @njit
    def counts(a):
        a[0] += 1
        return a[0] > 5

    @njit
    def tests(a):
        if counts(a) or FLAG:
            return 1 if counts(a) and DEBUG else 2
        return 3

    a = np.zeros(1)
    assert tests(a) == 2 and a[0] == 2


def test_powers_of_constants_are_real():
    """A negative base and a real exponent give NaN, as they do where neither is known; Python's result is complex."""
    made = [njit(f)() for f in (lambda: BASE**POWER, lambda: pow(-3, POWER), lambda: PAIR[0] ** PAIR[1])]
    assert all(type(x) is float and np.isnan(x) for x in made)
    assert njit(lambda: (-3.0) ** 2.5)() == (-3.0) ** 2.5  # written as numbers it is Python's


def test_powers_of_constants_end():
    """Powers with many digits are left to the program, whose integers have 64 bits."""
    many = 2**40
    assert njit(lambda: FLAG**many)() == 1 and type(njit(lambda: 64**many)()) is int
    three = -3
    assert njit(lambda: three**40)() == (3**40 + 2**63) % 2**64 - 2**63


def test_a_call_with_another_number_of_arguments_before():
    """Its results are other numbers: a flag and a value, or one value."""

    def f(x, b=None):
        r = b
        if x > 3:
            r = 7
        return r

    for calls in (((4,), (4, 0), (2,), (2, 0)), ((4, 0), (4,)), ((2, None), (2, 1), (4, None, ))):
        compiled = njit(f)
        assert [compiled(*c) for c in calls] == [f(*c) for c in calls]
