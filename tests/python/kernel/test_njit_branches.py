"""Branches that constants decide are left out, as by Numba, so that what they would return has no say in the result's type."""

import linecache

import numpy as np
import pytest
from quern.numba import njit

BIG = 2**62 + 1  # which a float64 does not hold
FLAG, DEBUG, NOTHING = 1, False, None
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
"""
OPEN = """
c = 1; d = c + 1; if d > 1: return BIG + x; return 0.5
c = 1; c += 1; if c: return BIG + x; return 0.5
if x: return BIG + x; return 0.5
"""


def function_of(line):
    """The function whose statements stand in a line; a branch is one statement."""
    body = "".join("    " + part.replace(": ", ":\n        ") + "\n" for part in line.split("; "))
    text, name = "def f(x):\n" + body, f"<{line}>"
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    names = dict(globals())
    exec(compile(text, name, "exec"), names)
    return njit(names["f"])


@pytest.mark.parametrize("line", DECIDED.strip().split("\n"))
def test_decided(line):
    assert repr(function_of(line)(2)) == repr(BIG + 2)


@pytest.mark.parametrize("line", OPEN.strip().split("\n"))
def test_open(line):
    assert repr(function_of(line)(2)) == repr(float(BIG + 2))


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
