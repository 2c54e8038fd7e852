"""Names in njit functions that hold numbers of several types: each place reads the type that Numba's would. Numba is the oracle."""

import os
import random

import numba_oracle
import numpy as np
import pytest
from quern import cuda
from quern.numba import njit, types

TYPES = [
    ("int64", "int64", "float64"),
    ("uint64", "int64", "float64"),
    ("uint64", "uint64", "uint64"),
    ("int32", "uint8", "float32"),
    ("uint64", "int32", "bool"),
    ("uint32", "uint32", "int64"),
    ("int64", "uint64", "uint64"),
    ("int8", "uint16", "float64"),
]
NUMBERS = [(1, 2, 3), (7, 5, 0), (2**61 + 3, 3, 9), (0, 1, 1)]
PROGRAMS = 40  # with recorded answers
MORE = int(os.environ.get("QUERN_NUMBA_PROGRAMS", "40"))  # that Numba itself must answer


class Program:
    """A random function of x, y and z, whose names a, b, c and k hold numbers of several types."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        lines = [f"{name} = {self.one_of('0', '1', 'x', 'y', 'z', '0.5', '2')}" for name in "abc"]
        lines += ["k = 1", *self.block(0, False), *self.block(0, False), "return a, b, c"]
        self.text = "def function(x, y, z):\n" + "".join(f"    {line}\n" for line in lines)
        kinds = [np.dtype(t) for t in self.one_of(*TYPES)]
        most = [2 ** (8 * kind.itemsize - 1) if kind.kind in "iu" else 2 if kind.kind == "b" else 2**20 for kind in kinds]
        self.case = [self.text, "function", [[[k.name, n % m] for k, n, m in zip(kinds, ns, most, strict=True)] for ns in NUMBERS]]

    def one_of(self, *choices):
        return self.random.choice(choices)

    def number(self):
        return self.one_of("0", "1", "2", "3", "5", "0.5", "1.5", "x", "y", "z", *"abcabck")

    def test(self):
        """Of an argument: what constants decide, Numba decides when it compiles, and leaves the other way's types out."""
        return f"{self.one_of('x', 'y', 'z')} {self.one_of('<', '>', '<=', '>=', '==', '!=')} {self.number()}"

    def expression(self, depth=0):
        kind = self.random.random()
        if kind < 0.35 or depth > 1:
            return self.number()
        if kind < 0.75:
            return f"({self.expression(depth + 1)} {self.one_of('+', '-', '*', '+', '-')} {self.expression(depth + 1)})"
        if kind < 0.82:
            return f"({self.expression(depth + 1)} / {self.one_of('2', '4', '8', '2.0')})"
        if kind < 0.9:
            return f"({self.expression(depth + 1)} {self.one_of('//', '%')} {self.one_of('3', '7', '5')})"
        if kind < 0.95:
            return f"({self.expression(depth + 1)} if {self.test()} else {self.expression(depth + 1)})"
        return f"({self.one_of('x', 'y', 'k')} {self.one_of('+', '-', '*')} {self.one_of('3', '2**40', '2**61 - 1')})"

    def block(self, depth, is_in_loop):
        return [line for _ in range(self.random.randint(1, 4)) for line in self.statement(depth, is_in_loop)]

    def inside(self, head, depth, is_in_loop, before=()):
        return [head, *(f"    {line}" for line in [*before, *self.block(depth + 1, is_in_loop)])]

    def statement(self, depth, is_in_loop):
        kind, name = self.random.random(), self.one_of(*"abc")
        if kind < 0.5:
            return [f"{name} = {self.expression()}"]
        if kind < 0.62:
            return [f"{name} {self.one_of('+', '-', '*')}= {self.expression(1)}"]
        if kind < 0.8 and depth < 3:
            lines = self.inside(f"if {self.test()}:", depth, is_in_loop)
            return lines + (self.inside("else:", depth, is_in_loop) if self.random.random() < 0.5 else [])
        if kind < 0.88 and depth < 2:
            lines = self.inside(f"for {self.one_of('k', 'k', 'a')} in range({self.one_of('2', '3', '4')}):", depth, True)
            return lines + (self.inside("else:", depth, is_in_loop) if self.random.random() < 0.2 else [])
        if kind < 0.92 and depth < 2:
            return [f"n{depth} = 0", *self.inside(f"while n{depth} < 3 and {self.test()}:", depth, True, [f"n{depth} += 1"])]
        if kind < 0.95 and is_in_loop:
            return [f"if {self.test()}:", f"    {self.one_of('break', 'continue')}"]
        if kind < 0.98 and depth > 0:
            return [f"if {self.test()}:", f"    return {name}, 1.0, 2"]
        return [f"{name} = {self.one_of(*'abc')}"]


def check(cases, theirs, folder):
    ours = numba_oracle.run(cases, njit, folder)
    wrong = [f"{case[0]}{case[2]}\nhere  {a}\nNumba {b}" for case, a, b in zip(cases, ours, theirs, strict=True) if numba_oracle.differs(a, b)]
    assert not wrong, "\n\n".join(wrong)


# z, an unsigned integer, is one as long as no signed one has been added; behind the branch it is either, a float64.
WRITTEN = """
def modulo(x, y):
    p = 2**61 - 1
    z = x + y
    if z >= p:
        z = z - p
    return z

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
    return [[WRITTEN, name, calls] for name in ("modulo", "steps", "leaves", "mixed") for calls in (arguments, signed)]


def test_recorded_answers(tmp_path):
    cases = [*written(), *(Program(seed).case for seed in range(PROGRAMS))]
    check(cases, numba_oracle.recorded(cases), tmp_path)


@pytest.mark.skipif(numba_oracle.numba_python() is None, reason="there is no Numba to compare with")
def test_numba_answers(tmp_path):
    cases = [Program(1000 + seed).case for seed in range(MORE)]
    check(cases, numba_oracle.answers(cases), tmp_path)


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
