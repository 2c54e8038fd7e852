"""Which type the numbers of a range have, and how many there are, for arguments of several integer types. Numba is the oracle."""

import numba_oracle
import numpy as np
import pytest
from long_runs import part
from quern import cuda
from quern.numba import njit

pytestmark = pytest.mark.usefixtures("no_fallback")

KINDS = ["bool", "int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"]
FUNCTIONS = """
@njit
def around(n):
    t = 0
    for i in range(-n, n):
        t += 1
    return t

@njit
def before(n):
    t = 0
    for i in range(n - 10, n):
        t += 1
    return t

@njit
def one(n):
    for i in range(n):
        pass
    return i

@njit
def begins(n):
    for i in range(-3, n):
        pass
    return i

@njit
def ends(n):
    t, i = 0, 0
    for i in range(n, 9):
        t += 1
    return t, i

@njit
def by_two(n):
    for i in range(0, n, 2):
        pass
    return i

@njit
def back(n):
    t = 0
    for i in range(n, -1, -1):
        t += i
    return t

@njit
def two(a, b):
    t = 0
    for i in range(a, b):
        t += 1
    return t

@njit
def last(a, b):
    for i in range(a, b):
        pass
    return i

@njit
def three(a, b, c):
    t = 0
    for i in range(a, b, c):
        t += 1
        if t > 20:
            break
    return t, i
"""
ODD = [[["int8", -3], ["uint64", 5]], [["int64", -3], ["uint64", 5]], [["int32", -3], ["uint32", 5]], [["int32", -3], ["uint8", 5]]]
ODD += [[["uint64", 2**63], ["uint64", 2**63 + 3]], [["uint64", 9], ["uint64", 5]], [["uint64", 2**63 - 3], ["uint64", 2**63 + 3]]]
ODD += [[["uint64", 0], ["uint64", 2**63 + 3]]]


def ranges():
    cases = [[FUNCTIONS, name, [[[kind, 4]]]] for name in ("around", "before", "one", "begins", "ends", "by_two", "back") for kind in KINDS if kind != "bool"]
    cases += [[FUNCTIONS, name, [[[a, 1], [b, 9 if b != "bool" else 1]]]] for name in ("two", "last") for a in KINDS for b in KINDS[1:]]
    cases.append([FUNCTIONS, "two", ODD])
    return [*cases, *([FUNCTIONS, "three", [[[a, 4], [b, 9], [c, 2]]]] for a in KINDS[1::2] for b in KINDS[2::2] for c in KINDS[1:])]


def test_ranges(tmp_path):
    wrong, cases = [], part(ranges(), 120)
    for (_, name, calls), here, there in zip(cases, numba_oracle.run(cases, njit, tmp_path), numba_oracle.recorded(cases), strict=True):
        wrong += [f"{name} {c}\nhere  {a}\nNumba {b}" for c, a, b in zip(calls, here, there, strict=True) if numba_oracle.differs(a, b, {})]
    assert not wrong, f"{len(wrong)} differ\n" + "\n\n".join(wrong[:20])


def test_ranges_of_kernels(device):
    @cuda.jit
    def counts(n, out):
        for _ in range(n - 10, n):
            out[0] += 1
        for _ in range(-n, n):
            out[1] += 1

    out = np.zeros(2, np.int64)
    counts[1, 1](np.uint64(4), out)
    assert out.tolist() == [10, 8]
