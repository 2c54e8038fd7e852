"""Names that come to mean values of other types, values that are None on some ways, functions that return nothing on some."""

import math

import numpy as np
import pytest
from kernels import module_of
from quern import cuda
from quern.kernel import errors
from quern.numba import types


@cuda.jit
def several_types(a, r):
    t = cuda.threadIdx.x + 5
    r[0] = t
    t = cuda.local.array(3, np.float32)
    t[0] = 2.5
    r[1] = t[0]
    t = (1, 2.0)
    r[2] = t[1]
    a = a.reshape(2, 3)
    r[3] = a[1, 0]
    a = a.ravel()
    r[4] = a[5]
    f = abs
    r[5] = f(-1)
    f = 7
    r[6] = f


@cuda.jit
def in_branches(x, a, r):
    if x > 0:
        t = a[1:]
        r[0] = t[0]
        t = 5
        r[1] = t
    else:
        t = (1.5, 2)
        r[0] = t[0]
    t = 2.5  # on every way
    r[2] = t
    for i in range(3):
        u = i
        r[3] += u
        u = a[i:]
        r[4] += u[0]
    for i in range(2):
        v = a
        if i == x:
            continue
        r[5] += v[0] + 1
        v = 1
        r[6] += v


@cuda.jit(device=True)
def root_of(x):
    if x >= 0:
        return math.sqrt(x)


@cuda.jit(device=True)
def place_of(a, x):
    for i in range(a.size):
        if a[i] == x:
            return i
    return None


@cuda.jit(device=True)
def or_one(x=None):
    if x is None:
        return 1.0
    return x * 2


@cuda.jit(device=True)
def given_on(p):
    return -1 if p is None else p + 1


@cuda.jit
def perhaps_none(a, r):
    i = cuda.grid(1)
    if i < r.shape[0]:
        root = root_of(a[i])
        r[i, 0] = -1 if root is None else root
        p = place_of(a, 9 if i > 0 else 100)
        if p is not None:
            r[i, 1] = p
        r[i, 2] = given_on(p)
        best = None
        for j in range(i):
            if best is None or a[j] > best:
                best = a[j]
        if best is not None:
            r[i, 3] = best
        if i == 1:
            q = None
        else:
            q = i * 1.5
        r[i, 4] = (q is None) * 10 + or_one(q)
        s = q
        r[i, 5] = s == None  # noqa: E711
        if q:
            r[i, 6] = 1
        s = 3 if s is None else None
        r[i, 7] = s is None


@cuda.jit
def given_or_not(x, y, r):
    if r[0] > 5:
        x = 3
    r[1] = x is None
    r[2] = 0 if x is None else x
    z = y
    if r[0] > 1:
        z = None
    r[3] = z is None
    b = r[0] > 1
    r[4] = (b is True) + 2 * (b is not False) + 4 * (z is True)


def test_separate_uses_of_a_name(device):
    out = np.zeros(7)
    several_types[1, 1](np.arange(6.0), out)
    np.testing.assert_array_equal(out, [5, 2.5, 2, 3, 5, 1, 7])
    for x, first in [(1, [2, 5]), (0, [1.5, 0])]:
        out[:] = 0
        in_branches[1, 1](x, np.array([1.0, 2, 4]), out)
        np.testing.assert_array_equal(out, [*first, 2.5, 3, 7, 2, 1])


def test_what_is_none_on_some_ways(device):
    a, out = np.array([4.0, -1, 9, 16]), np.zeros((4, 8))
    perhaps_none[1, 4](a, out)
    expected = np.zeros((4, 8))
    expected[:, 0] = [2, -1, 3, 4]
    expected[1:, 1], expected[:, 2] = 2, [-1, 3, 3, 3]
    expected[:, 3] = [0, 4, 4, 9]
    expected[:, 4] = [0, 11, 6, 9]
    expected[1, 5] = 1
    expected[:, 6], expected[:, 7] = [0, 0, 1, 1], [1, 0, 1, 1]
    np.testing.assert_array_equal(out, expected)


def test_parameters_that_are_none(device):
    for first, x, y, expected in [(9, None, 2, [0, 3, 1]), (0, None, 2, [1, 0, 0]), (0, 8, None, [0, 8, 1]), (2, 8, 1.5, [0, 8, 1])]:
        out = np.array([first, 0, 0, 0, 0.0])
        given_or_not[1, 1](x, y, out)
        np.testing.assert_array_equal(out[1:4], expected)
        assert out[4] == (3 if first > 1 else 0)


@cuda.jit("optional(f8)(f8)", device=True)
def declared(x):
    if x > 1:
        return x
    return None


@cuda.jit
def of_declared(r):
    v = declared(2.0)
    r[0] = v + 1
    w = declared(0.0)
    r[1] = w is None
    r[2] = v is None


def test_a_declared_optional(device):
    out = np.zeros(3)
    of_declared[1, 1](out)
    np.testing.assert_array_equal(out, [3, 1, 0])
    assert str(types.optional(types.float64)) == "OptionalType(float64)"


@pytest.mark.parametrize(
    "text, said",
    [
        ("t = 1\n    if r[0] > 1:\n        t = r\n    r[0] = t", "'t' is .* or .* here, by the way that was taken"),
        ("t = 1\n    for i in range(3):\n        r[0] = t + 1\n        t = r", "'t' is int64 or array\\(float64, 1d, C\\) here"),
        ("t = 1\n    while r[0] < 3:\n        t = r\n    r[0] = t", "'t' is int64 or array"),
        ("for i in range(3):\n        if i > 0:\n            r[0] = t\n        t = 1\n        if i > 1:\n            t = r\n            continue\n        t = 2",
         "'t' is .* here, by the way"),
    ],
)  # fmt: skip
def test_what_depends_on_the_way(device, tmp_path, text, said):
    kernel = module_of(tmp_path, f"@cuda.jit\ndef kernel(r):\n    {text}\n").kernel
    with pytest.raises(errors.TypingError, match=said):
        kernel[1, 1](np.zeros(3))
