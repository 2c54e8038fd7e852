"""Members of enumerations in kernels: compared, handed over, returned; those of integers are integers."""

import enum

import numpy as np
import pytest
from kernels import module_of
from quern import cuda
from quern.kernel import errors, types
from quern.numba import typeof, vectorize


class Color(enum.Enum):
    red = 1
    green = 2
    blue = 3


class Shape(enum.Enum):
    circle = 2
    square = 9


class Planet(enum.Enum):
    mercury = 3.5
    venus = 4


class Word(enum.Enum):
    yes = "y"
    no = "n"


class Problem(enum.IntEnum):
    dummy = 2
    not_found = 404
    internal = 500


@cuda.jit
def compared(r):
    r[0] = Color.red == Color.green
    r[1] = Color.red != Color.green
    r[2] = Color.red is Color.red
    r[3] = Color.red is not Color.green
    r[4] = Color["red"] == Color.red
    r[5] = Color(3) is Color.blue
    r[6] = Color.blue.value
    r[7] = Planet.venus.value
    r[8] = Word.yes == Word["yes"]
    r[9] = Word.yes is Word.no
    r[10] = Color.green == Shape.circle
    r[11] = Color.red in (Color.green, Color.red)


@cuda.jit(device=True)
def next_of(c):
    if c == Color.red:
        return Color.green
    elif c is Color.green:
        return Color.blue
    return Color.red


@cuda.jit
def of_arguments(c, s, p, r):
    r[0] = c == Color.green
    r[1] = next_of(c) is Color.blue
    r[2] = next_of(next_of(c)) == Color.red
    d = Color.red if r[0] > 5 else Color.blue
    r[3] = d != Color.red
    r[4] = c.value + d.value
    r[5] = s == c
    r[6] = p == Problem.not_found
    r[7] = p + 1
    r[8] = Color(r[6] + 1) == Color.green


@cuda.jit
def of_integers(x, r):
    r[0] = Problem.not_found + 1
    r[1] = Problem.not_found == 404
    r[2] = Problem["internal"] // 2
    r[3] = Problem(2) is Problem.dummy
    r[4] = Problem.not_found != Problem.dummy
    r[5] = Problem.not_found.value
    for i in range(x.size):
        if x[i] == Problem.not_found:
            r[6] += 1
    r[7] = max(Problem.dummy, Problem.internal)


def test_members_that_are_known(device):
    out = np.full(12, -1.0)
    compared[1, 1](out)
    np.testing.assert_array_equal(out, [0, 1, 1, 1, 1, 1, 3, 4, 1, 0, 0, 1])


def test_members_as_arguments(device):
    out = np.zeros(9)
    of_arguments[1, 1](Color.green, Shape.circle, Problem.not_found, out)
    np.testing.assert_array_equal(out, [1, 1, 1, 1, 5, 0, 1, 405, 1])
    of_arguments[1, 1](Color.red, Shape.square, Problem.dummy, out)
    np.testing.assert_array_equal(out, [0, 0, 0, 1, 4, 0, 0, 3, 0])


def test_members_of_integers(device):
    out = np.zeros(8)
    of_integers[1, 1](np.array([404, 2, 404]), out)
    np.testing.assert_array_equal(out, [405, 1, 250, 1, 1, 404, 2, 500])

    @vectorize(["i8(i8)"], target="cuda")
    def checked(x):
        if x != 0:
            return Problem.not_found
        return Problem["internal"].value + Problem.dummy

    np.testing.assert_array_equal(checked(np.array([0, 1, 5])), [502, 404, 404])


def test_their_types():
    assert typeof(Color.red) == types.EnumMember(Color, types.int64)
    assert typeof(Planet.venus) == types.EnumMember(Planet, types.float64)
    assert typeof(Color.red) != typeof(Shape.circle)


@pytest.mark.parametrize(
    "text, said",
    [
        ("r[0] = Color['pink'] == Color.red", "Color has no member 'pink'"),
        ("r[0] = Color(9) == Color.red", "9 is not a valid Color"),
        ("r[0] = Color.red", "cannot be written into an element"),
        ("r[0] = Color.red + 1", "unsupported operand types"),
        ("r[0] = Color.red < Color.blue", "unsupported operand types"),
    ],
)
def test_what_members_are_not(device, tmp_path, text, said):
    head = "import enum\nclass Color(enum.Enum):\n    red = 1\n    blue = 3\n"
    kernel = module_of(tmp_path, f"{head}@cuda.jit\ndef kernel(r):\n    {text}\n").kernel
    with pytest.raises(errors.TypingError, match=said):
        kernel[1, 1](np.zeros(3))
