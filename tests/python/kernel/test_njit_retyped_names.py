"""Names in njit functions that hold numbers of several types: each place reads the type that Numba's would. Numba is the oracle."""

import numba_oracle
import numpy as np
from quern import cuda
from quern.numba import njit, types


def check(cases, theirs, folder):
    wrong = []
    for (_, name, calls), here, there in zip(cases, numba_oracle.run(cases, njit, folder), theirs, strict=True):
        wrong += [f"{name} {c}\nhere  {a}\nNumba {b}" for c, a, b in zip(calls, here, there, strict=True) if numba_oracle.differs(a, b, {})]
    assert not wrong, "\n\n".join(wrong)


# z, an unsigned integer, is one as long as no signed one has been added; behind the branch it is either, a float64.
WRITTEN = """
@njit
def modulo(x, y):
    p = 2**61 - 1
    z = x + y
    if z >= p:
        z = z - p
    return z

@njit
def steps(x, y):
    n = 0
    while x > 1:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        n += 1
        if n > 50:
            break
    return n, x

@njit
def leaves(x, y):
    last = 0
    for i in range(5):
        n = last + 1
        if i == x:
            last = 0.5
            break
    else:
        last = last - 1
    return n, last

@njit
def over_a_tuple(x, y):
    a = x
    b = x
    for a in (3, 1, 2):
        b = 1
        if a == y:
            break
    else:
        b = x + b
    return a, b

@njit
def perhaps(x, y):
    h = None
    if y > 2:
        h = x
    if h is not None:
        return h + y, h * h, h << 1, y % h
    return x + y, x * x, x << 1, 1

@njit
def mixed(x, y):
    r = x - y
    s = x
    s -= 1
    t = x
    t += y
    return r, s, t, x // 3, -x, x >> 1, x * 2.0, x & 255
"""


def written():
    arguments = [[["uint64", a], ["uint64", b]] for a, b in ((2**61 - 2, 5), (7, 9), (3, 3), (0, 1))]
    signed = [[["int64", a], ["uint64", b]] for a, b in ((7, 9), (-3, 3), (2, 1))]
    return [[WRITTEN, name, calls] for name in ("modulo", "steps", "leaves", "mixed", "over_a_tuple", "perhaps") for calls in (arguments, signed)]


def test_recorded_answers(tmp_path):
    check(written(), numba_oracle.recorded(written()), tmp_path)


def test_declared_results():
    @njit("uint64(uint64,uint64)")
    def modulo(x, y):
        p = 2**61 - 1
        z = x + y
        if z >= p:
            z = z - p
        return z

    assert modulo(2**61 - 2, 5) == 4


def test_kernels_read_the_right_type(device):
    @cuda.jit
    def kernel(x, n, out):
        z = x[0]
        if n > 1:
            z = z - 1
            out[0] = z % 10
            z = z / 4
            out[1] = z
        else:
            out[2] = z % 10
        out[3] = z
        for i in range(3):
            if i == n:
                z = i
                out[4] = z + 1
                break
        out[5] = z

    for n, expected in ((2, [2, 2.0**61 / 4, 0, 2.0**61 / 4, 3, 2]), (0, [0, 0, 5, 2.0**61 + 3, 1, 0])):
        out = np.zeros(6)
        kernel[1, 1](np.array([2**61 + 3], np.uint64), n, out)
        expected[0] = (2**61 + 2) % 10 if n > 1 else 0
        expected[2] = (2**61 + 3) % 10 if n < 2 else 0
        np.testing.assert_array_equal(out, expected)


def test_inspected_types_have_each_name(device):
    @cuda.jit
    def kernel(out):
        for i in range(3):
            t = i * 0.5
            if t > 0.4:
                u = 3
                out[0] += u
                return

    kernel[1, 1](np.zeros(1))
    (info,) = kernel.get_annotation_info().values()
    assert {"out", "i", "t", "u"} <= set(info["types"]) and info["types"]["u"] == types.int64
