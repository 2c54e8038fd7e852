"""Which loop calls of functions under vectorize and guvectorize mean, and what their keywords do. Numba is the oracle."""

import numba_oracle
import numpy as np
import pytest
from long_runs import part
from quern import cuda
from quern.numba import guvectorize, njit, vectorize

pytestmark = pytest.mark.usefixtures("no_fallback")

OF_TWO = [
    ["int32(int32,int32)", "int64(int64,int64)", "float64(float64,float64)"],
    ["uint8(uint8,uint8)", "int64(int64,int64)"],
    ["float32(float32,float32)", "float64(float64,float64)"],
    ["float64(float64,float64)", "int64(int64,int64)"],
    ["int32(int32,int32)"],
    ["float32(float32,float32)"],
    ["int64(int64,int64)", "float32(float32,float32)"],
    ["boolean(boolean,boolean)", "int8(int8,int8)", "uint64(uint64,uint64)", "complex64(complex64,complex64)"],
    ["float64(int32,float64)", "float64(float32,int64)"],
]
KINDS = ["bool", "int8", "uint8", "int32", "uint32", "int64", "uint64", "float32", "float64", "complex64"]
NUMBERS = [["python", text] for text in ("2", "-3", "300", "100000", "3000000000", "2.5", "True", "1j", "[1, 2]")]
VALUES = NUMBERS + [[kind, 1] for kind in KINDS] + [["array:" + kind, [1, 2]] for kind in KINDS]
PRODUCT = """
@numba.vectorize({given}, identity=1)
def product(a, b):
    return a * b
"""
FOLDS = """
import numpy as np

def made(name):
    def both(a, b):
        return a + b
    both.__name__ = name
    return numba.vectorize({given}, identity=0)(both)

both = made("{name}")
reduced = both.reduce
accumulated = both.accumulate

def at_places(x):
    both.at(x, [0, 1, 1], x[:1])

def outer(x):
    return both.outer(x, x[:2])

def parts(x):
    return both.reduceat(x, [0, 2])

def begun(x):
    return both.reduce(x, initial=5)

def into(x, out):
    return both.reduce(x, out=out)
"""
KEYWORDS = """
@numba.vectorize({given})
def product(a, b):
    return a * b

def typed(x, dtype):
    return product(x, x, dtype=dtype)

def cast(x, casting):
    return product(x, x, casting=casting)

def cast_out(x, out, casting):
    return product(x, x, out, casting=casting)

def both(x, dtype, casting):
    return product(x, x, dtype=dtype, casting=casting)

def signed(x, signature):
    return product(x, x, signature=signature)
"""
OF_ARRAYS = """
@numba.guvectorize({given}, "(n)->(n)")
def doubled(x, out):
    for i in range(x.shape[0]):
        out[i] = x[i] * 2

def typed(x, dtype):
    return doubled(x, dtype=dtype)
"""
WITH_NUMBER = """
@numba.guvectorize({given}, "(n),()->(n)")
def moved(x, k, out):
    for i in range(x.shape[0]):
        out[i] = x[i] + k
"""
OPEN = """
@numba.vectorize
def less(a, b):
    return a - b

@numba.vectorize
def square(a):
    return a * a
"""


def python(text):
    return ["python", text]


def products():
    pairs = [[a, b] for i, a in enumerate(VALUES) for j, b in enumerate(VALUES) if (i + j) % 2 and (i < len(NUMBERS) or j < len(NUMBERS) or i < j)]
    return [[PRODUCT.format(given=given), "product", pairs] for given in OF_TWO]


def folds():
    cases = []
    for given in (OF_TWO[0], OF_TWO[3], OF_TWO[6], ["uint8(uint8,uint8)"]):
        for name in ("both", "add"):
            for kind in ("int8", "uint8", "int64", "float32"):
                text = FOLDS.format(given=given, name=name)
                call = [[["array:" + kind, [1, 2, 3]]]]
                # A function of its own for each: NumPy keeps which loop it has found.
                cases += [[f"{text}# {kind} {m}", m, call] for m in ("reduced", "accumulated", "outer", "parts", "begun", "at_places")]
    big = [[["array:int64", [2**53, 1, 1]]]]
    return [*cases, *([FOLDS.format(given=OF_TWO[3], name="add") + "#", method, big] for method in ("reduced", "accumulated", "parts", "begun"))]


def keywords():
    cases = []
    for given in (OF_TWO[0], OF_TWO[2], ["float64(int32,float64)"]):
        text = KEYWORDS.format(given=given)
        arrays = [["array:" + kind, [1, 2]] for kind in ("int8", "int32", "int64", "float32", "float64", "complex64")]
        castings = [python(repr(c)) for c in ("no", "equiv", "safe", "same_kind", "unsafe", "odd")]
        dtypes = [python(repr(d)) for d in ("int32", "int64", "float32", "float64")]
        cases.append([text, "typed", [[x, d] for x in arrays for d in dtypes]])
        cases.append([text, "cast", [[x, c] for x in arrays for c in castings]])
        cases.append([text, "both", [[x, d, c] for x in arrays for d in dtypes[2:] for c in castings[:5]]])
        cases.append([text, "cast_out", [[x, ["array:float32", [0, 0]], c] for x in arrays for c in castings[:5]]])
        cases.append([text, "signed", [[x, python(repr(s))] for x in arrays for s in ("dd->d", "ll->l", "ff->f")]])
    return cases


def of_arrays():
    cases = []
    for kinds in (["int32"], ["float64", "int64"], ["int32", "int64", "float64"], ["float32"], ["float32", "float64"], ["int8", "uint64", "complex64"]):
        text = OF_ARRAYS.format(given=[f"void({k}[:],{k}[:])" for k in kinds])
        values = [["array:" + kind, [1, 2]] for kind in KINDS] + [python(t) for t in ("[1, 2]", "[1.5]", "[True]")]
        cases.append([text, "doubled", [[x] for x in [["array:int64", [2**33 + 1, 3]], *values]]])
        cases.append([text, "typed", [[x, python(repr(d))] for x in values[:10] for d in ("int32", "float32", "float64")]])
        text = WITH_NUMBER.format(given=[f"void({k}[:],{k},{k}[:])" for k in kinds])
        numbers = [python("1"), python("300"), python("2.5"), ["int8", 1], ["int64", 3], ["float32", 2.5], python("1j")]
        cases.append([text, "moved", [[x, k] for x in values[1:10] for k in numbers]])
    return cases


def opened():
    calls = [[python("1"), python("2")], [["array:uint8", [1]], ["array:uint8", [2]]], [["array:float32", [1.5]], python("2")], [["int8", 1]] * 2]
    squares = [[python("1.5")], [python("3")], [["array:float32", [1.5]]], [python("1j")], [["array:complex64", [1]]]]
    return [[OPEN, "less", calls], [OPEN, "square", squares]]


def seen(answer):
    """Of what is raised the class; UFuncTypeError is a TypeError."""
    result = answer[1]
    if isinstance(result, list) and result[:1] == ["raises"]:
        return ["raises", result[1] if result[1] in ("OverflowError", "ValueError") else "TypeError"]
    return [result, answer[2]]


@pytest.mark.parametrize("cases", [products, folds, keywords, of_arrays, opened])
def test_loops(cases, tmp_path):
    wrong, cases = [], part(cases(), 60)
    for (text, name, calls), here, there in zip(cases, numba_oracle.run(cases, njit, tmp_path), numba_oracle.recorded(cases), strict=True):
        given = [line for line in text.splitlines() if "vectorize" in line][0]
        wrong += [f"{given} {name} {c}\nhere  {a[1]}\nNumba {b[1]}" for c, a, b in zip(calls, here, there, strict=True) if seen(a) != seen(b)]
    assert not wrong, f"{len(wrong)} differ\n" + "\n\n".join(wrong[:20])


def test_arrays_of_the_device(device):
    @vectorize(OF_TWO[0])
    def product(a, b):
        return a * b

    @guvectorize(["void(int32[:],int32[:])"], "(n)->(n)")
    def doubled(x, out):
        for i in range(x.shape[0]):
            out[i] = x[i] * 2

    there = cuda.to_device(np.array([100000, 3]))
    for _ in range(2):  # the second call knows the loop
        np.testing.assert_array_equal(product(there, there).copy_to_host(), [10**10, 9])
        made = product(there, there, dtype="float64")
        assert made.dtype == "float64"
    with pytest.raises(TypeError, match="no signature takes"):
        doubled(there)


def test_gpu_ufuncs_take_arrays_of_their_very_types(device):
    @vectorize(["float32(float32,float32)", "float64(float64,float64)"], target="cuda")
    def product(a, b):
        return a * b

    for x in (np.arange(3), np.arange(3, dtype=np.float16), np.ones(3, bool)):
        with pytest.raises(TypeError, match="no signature takes arrays|no signature takes of the very dtypes"):
            product(x, x)
    x = np.arange(3, dtype=np.float32)
    assert product(x, 2).dtype == "float32" and product(2.0, x.astype("f8")).dtype == "float64"
    assert product(x, np.float64(2)).dtype == "float32"
    assert type(product(2.0, 3.0)) is np.float64
    with pytest.raises(TypeError, match="ambiguous"):
        product(2, 3)

    @vectorize(["int32(int32,int32)", "int64(int64,int64)"], target="cuda")
    def whole(a, b):
        return a * b

    assert whole(100000, 100000) == 10**10
