"""The option `locals` of compiled functions. Numba is the oracle."""

import numba_oracle
import numpy as np
import pytest
from quern.numba import float32, njit, types

pytestmark = pytest.mark.usefixtures("no_fallback")

FUNCTIONS = """
@njit(locals={"t": numba.float32})
def total(a):
    t = 0
    for x in a:
        t += x
    return t

@njit(locals={"t": numba.uint8})
def cut(n):
    t = n
    return t

@njit(locals={"acc": numba.float32, "k": numba.int32})
def both(n):
    acc = 0.1
    k = n * 3
    return acc, k

@njit(locals={"acc": numba.float32})
def either(n):
    if n > 2:
        acc = 0.1
    else:
        acc = n
    return acc

@njit(locals={"i": numba.int8})
def counted(n):
    t = 0
    for i in range(n):
        t += i
    return t

@njit(locals={"x": numba.float32})
def elements(a):
    t = 0.0
    for x in a:
        t += x
    return t

@njit(locals={"n": numba.int32})
def parameter(n):
    return n

@njit(locals={"n": numba.int32})
def unpacked(a, b):
    n, m = a, b
    return n, m

@njit
def calls(x):
    t = x
    return cut(x), t

@njit(locals={"t": numba.int32})
def halves(n):
    t = n
    while t > 10:
        t = t // 2
    return t
"""


def test_types_of_names(tmp_path):
    whole, tenth = [["int64", 300], ["int64", 2**31], ["int64", 2**33 + 100]], [["array:float64", [0.1] * 1000]]
    cases = [[FUNCTIONS, name, [tenth]] for name in ("total", "elements")]
    cases += [[FUNCTIONS, name, [[n] for n in whole]] for name in ("cut", "both", "parameter", "calls", "halves")]
    cases += [[FUNCTIONS, "counted", [[["int64", 300]]]], [FUNCTIONS, "unpacked", [[n, n] for n in whole]]]
    cases.append([FUNCTIONS, "either", [[["int64", 1]], [["int64", 5]], [["float64", 0.7]]]])
    wrong = []
    for (_, name, calls), here, there in zip(cases, numba_oracle.run(cases, njit, tmp_path), numba_oracle.recorded(cases), strict=True):
        wrong += [f"{name} {c}\nhere  {a}\nNumba {b}" for c, a, b in zip(calls, here, there, strict=True) if numba_oracle.differs(a, b, {})]
    assert not wrong, "\n\n".join(wrong)


def test_what_does_not_convert_is_refused():
    @njit(locals={"t": types.int32})
    def whole(z):
        t = z
        return t

    with pytest.raises(Exception, match="No conversion from complex128 to int32 for 't'"):
        whole(1j)

    @njit(locals={"b": float32[:]})
    def array(a):
        b = a
        return b[0]

    with pytest.raises(Exception, match="No conversion from array"):
        array(np.ones(3))
