"""Which of its signatures a call of a compiled function means, and what becomes of the arguments. Numba is the oracle."""

import itertools

import numba_oracle
import numpy as np
import pytest
from long_runs import part
from quern import cuda
from quern.numba import njit

pytestmark = pytest.mark.usefixtures("no_fallback")

NAMES = ["boolean", "int8", "int32", "int64", "uint8", "uint32", "uint64", "float32", "float64", "complex64", "complex128"]
THREE = [("int8", "uint8", "int32"), ("int32", "int64", "float64"), ("float32", "float64", "complex64"), ("uint32", "int32", "float32")]
SIGNATURES = [(name,) for name in NAMES] + list(itertools.combinations(NAMES, 2)) + list(itertools.permutations(NAMES[2:8:2], 2)) + THREE
NUMBERS = [[name, 3] for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64", "complex64")]
NUMBERS += [["uint64", 2**63 + 5], ["uint32", 2**32 - 1], ["int32", -3], ["float64", 2.5], ["float64", -3.75], ["float64", 1e300], ["bool", True]]
NUMBERS += [["int64", 2**62], ["float64", float("nan")], ["array:float64", [1.0, 2.0]]]
# Out of an integer's range C says nothing about what a conversion gives.
WITHIN = [[kind, value] for kind, value in NUMBERS if kind != "float64" or value == 2.5]

TWO = """
@njit(["int64(int64,int64)", "float64(float64,float64)"])
def product(a, b):
    return a * b

@njit(["int64(int64,float64)", "float64(float64,int64)"])
def crossed(a, b):
    return a + b

@njit(["float64(float64[:],int32)", "float64(float64[::1],int64)"])
def element(a, i):
    return a[i]

@njit
def calls(a, b):
    return product(a, b)
"""
ONE = """
@njit([{listed}])
def direct(x):
    return x

@njit
def inner(x):
    return direct(x)
"""


def of_one():
    cases = []
    for names in part(SIGNATURES, 24):
        text = ONE.format(listed=", ".join(f'"{n}({n})"' for n in names))
        cases += [[text, "direct", [[number] for number in NUMBERS]], [text, "inner", [[number] for number in WITHIN]]]
    return cases


def of_two():
    pairs = [[a, b] for a in NUMBERS[:-4] for b in (["int8", 3], ["uint64", 7], ["float32", 2.5], ["float64", 2.5], ["complex64", 1])]
    cases = [[TWO, "product", pairs], [TWO, "crossed", pairs], [TWO, "calls", pairs]]
    arrays = [[["array:float64", [1, 2, 3]], [kind, 1]] for kind in ("int64", "int32", "int8", "uint32", "float64")]
    return [*cases, [TWO, "element", [*arrays, [["array:float32", [1, 2]], ["int64", 1]]]]]


def seen(answer):
    """Of what is raised the class; TypingError is a TypeError."""
    result = answer[1]
    if isinstance(result, list) and result[:1] == ["raises"]:
        return result[:2] if result[1] in ("OverflowError", "ValueError") else ["raises", "TypeError"]
    return result


def check(cases, folder):
    wrong = []
    for (text, name, calls), here, there in zip(cases, numba_oracle.run(cases, njit, folder), numba_oracle.recorded(cases), strict=True):
        wrong += [
            f"{text.splitlines()[1]} {name} {c}\nhere  {a[1]}\nNumba {b[1]}"
            for c, a, b in zip(calls, here, there, strict=True)
            if not numba_oracle.same(seen(a), seen(b))
        ]
    assert not wrong, f"{len(wrong)} differ\n" + "\n\n".join(wrong[:20])


def test_one_argument(tmp_path):
    check(of_one(), tmp_path)


def test_two_arguments(tmp_path):
    check(of_two(), tmp_path)


def test_ambiguous_calls_say_so():
    @njit(["int32(int32)", "int64(int64)"])
    def same(x):
        return x

    with pytest.raises(TypeError, match=r"Ambiguous overloading for \(float64\): \(int32\); \(int64\)"):
        same(2.5)
    assert same(np.uint32(2**32 - 1)) == 2**32 - 1


def test_integers_are_cut_to_their_parameter():
    @njit("uint64(uint64)")
    def same(x):
        return x

    with pytest.raises(OverflowError, match="can't convert negative int to unsigned"):
        same(np.int32(-3))
    with pytest.raises(OverflowError, match="int too big to convert"):
        njit("int64(int64)")(lambda x: x)(2**63 + 5)
    assert njit("int8(int8)")(lambda x: x)(300) == 44


def test_readonly_arrays_do_not_become_writable():
    @njit("float64(float64[:])")
    def first(a):
        return a[0]

    fixed = np.ones(3)
    fixed.flags.writeable = False
    with pytest.raises(TypeError, match="No matching definition"):
        first(fixed)


def test_kernels(device):
    @cuda.jit(["void(int64[:],int32,int32)", "void(int64[:],int64,int64)", "void(int64[:],float64,float64)"])
    def stores(out, x, which):
        out[0] = x
        out[1] = x * 0 + 3000000000 * which

    def stored(x, which):
        out = np.zeros(2, np.int64)
        stores[1, 1](out, x, which)
        return out.tolist()

    assert stored(np.uint32(2**32 - 1), np.int32(1)) == [2**32 - 1, 3000000000]
    assert stored(np.float32(2.5), 1) == [2, 3000000000]
    for x in (1j, np.ones(2)):
        with pytest.raises(TypeError, match="No matching definition"):
            stored(x, 1)

    @cuda.jit(["void(int64[:],int32)", "void(int64[:],int64)"])
    def ambiguous(out, x):
        out[0] = x

    with pytest.raises(TypeError, match="Ambiguous overloading"):
        ambiguous[1, 1](np.zeros(1, np.int64), 2.5)

    @cuda.jit("void(int64[:],int32)")
    def no_integer(out, x):
        out[0] = x

    with pytest.raises(TypeError, match="convert it with int"):
        no_integer[1, 1](np.zeros(1, np.int64), 2.5)
