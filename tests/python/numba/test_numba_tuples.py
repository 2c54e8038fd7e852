"""Tuples in kernels: named ones, tuples that are unpacked into arguments, lists that nothing changes."""

import cmath
import collections
import typing

import numpy as np
import pytest
from kernels import module_of
from quern import cuda
from quern.kernel import errors, types
from quern.numba import float64, njit, typeof

Point = collections.namedtuple("Point", "x y")
Pair = collections.namedtuple("Pair", ("values", "at"), defaults=(Point(1, 2.5),))


class Mixed(typing.NamedTuple):
    a: float
    b: int = 7


ORIGIN = Point(3, 4.5)


@cuda.jit(device=True)
def swapped(p):
    return Point(p.y, p.x)


@cuda.jit(device=True)
def three(a, b, c):
    return a * 100 + b * 10 + c


@cuda.jit
def of_points(p, q, r):
    r[0] = p.x * 10 + p[1]
    r[1] = q.at.y + q.values[1]
    q.values[0] = p.y
    s = swapped(p)
    r[2] = s.x * 10 + s.y
    r[3] = ORIGIN.x + ORIGIN.y
    m = Mixed(a=1.5)
    r[4] = m.a + m.b
    x, y = s
    r[5] = x - y
    r[6] = len(p)


@pytest.mark.parametrize("point", [Point(1, 2.0), Point(1.0, 2.0), Point(np.float32(1), np.int8(2)), Point(1, 2)])
def test_named_tuples(device, point):
    out, values = np.zeros(7), np.array([5.0, 6.0])
    of_points[1, 1](point, Pair(values, Point(7, 8)), out)
    np.testing.assert_array_equal(out, [12, 14, 21, 7.5, 8.5, 1, 2])
    np.testing.assert_array_equal(values, [2, 6])


def test_their_types():
    assert typeof(Point(1, 2.0)) == types.NamedTuple([types.int64, types.float64], Point)
    assert typeof(Point(1, 2.0)) != typeof((1, 2.0))
    assert str(typeof(Mixed(1.0, 2))) == "Mixed(float64, int64)"
    assert typeof(Point(1.0, 2.0)).fields == ("x", "y")
    assert typeof((1.0, 2.0)) == types.Tuple([float64, float64])


@cuda.jit
def unpacked(t, z, r):
    r[0] = three(*t)
    r[1] = three(1, *t[:2])
    r[2] = three(*t[:1], *(5, 6))
    w = complex(*cmath.polar(z))
    r[3] = w.real
    r[4] = w.imag
    r[5] = max(*t)


SIZE = 3


@cuda.jit
def of_lists(r):
    a = cuda.local.array(shape=[SIZE, 2], dtype=np.float64)
    b = cuda.shared.array([SIZE + 1], np.int32)
    a[2, 1] = 5
    b[3] = 6
    r[0] = a[2, 1] + b[3] + a.shape[0]
    for x in [1, 2.5, 3]:
        r[1] += x
    for i, x in enumerate([4, 5]):
        r[2] += i * x
    r[3] = 2 in [1, 2, 3]
    r[4] = max([1, 7, 3])


def test_unpacked_arguments_and_lists_of_constants(device):
    out = np.zeros(6)
    unpacked[1, 1]((1, 2, 3), 3 + 4j, out)
    np.testing.assert_allclose(out, [123, 112, 156, 5, cmath.phase(3 + 4j), 3])
    out[:] = 0
    of_lists[1, 1](out)
    np.testing.assert_array_equal(out[:5], [14, 6.5, 5, 1, 7])


@pytest.mark.parametrize(
    "text, said",
    [
        ("r[0] = p.z", "has no attribute 'z' in a kernel"),
        ("r[0] = max(*r)", "cannot be unpacked"),
        ("x = [1, 2]", "`\\[1, 2\\]` is not supported in a kernel; write a tuple"),
        ("r[0] = Point(1).x", "Point takes x, y"),
        ("r[0] = max(**p)", "arguments cannot be unpacked with \\*\\* in a kernel"),
    ],
)
def test_what_is_refused(device, tmp_path, text, said):
    head = "from collections import namedtuple\nPoint = namedtuple('Point', 'x y')\n"
    m = module_of(tmp_path, f"{head}@cuda.jit\ndef kernel(p, r):\n    {text}\n")
    with pytest.raises(errors.KernelError, match=said):
        m.kernel[1, 1](m.Point(1, 2), np.zeros(3))


@cuda.jit
def printing(t):
    print((1, 2))
    print((1,), t)
    print(((1, 2.5), (True, 'a"%')), ())
    print("at", cuda.threadIdx, cuda.blockDim)


def test_printed_tuples(device, capfd):
    printing[1, 1]((1, (2, 3)))
    cuda.synchronize()
    assert capfd.readouterr().out.splitlines() == [
        "(1, 2)",
        "(1,) (1, (2, 3))",
        "((1, 2.500000), (True, 'a\"%')) ()",
        "at (0, 0, 0) (1, 1, 1)",
    ]


EMPTY, ROWS, RECORDS = np.zeros(0), np.zeros((2, 0), np.int32), np.zeros(0, [("a", "f8")])


@cuda.jit
def of_nothing(r):
    a = cuda.const.array_like(EMPTY)
    b = cuda.const.array_like(ROWS)
    c = cuda.const.array_like(RECORDS)
    r[0] = a.size
    r[1] = b.shape[0]
    r[2] = b.shape[1]
    r[3] = len(c)
    for v in a:
        r[0] += v


def test_empty_constants(device):
    out = np.ones(4)
    of_nothing[1, 1](out)
    np.testing.assert_array_equal(out, [0, 2, 0, 0])


@cuda.jit
def compared(a, b, x, out):
    out[0], out[1], out[2] = a == b, a < b, a <= b
    out[3], out[4], out[5] = a != b, a > b, a >= b
    out[6], out[7] = x.shape == (2, 3), x.shape == (2,)
    out[8] = (cuda.threadIdx.x, cuda.threadIdx.y) == (0, 0)
    out[9] = a in (b, (1, 2.0))


@pytest.mark.parametrize(
    "a, b",
    [((1, 2.0), (1, 2.0)), ((1, 2.5), (1, 2)), ((1, 9.0), (2, 0)), ((2.0, 0), (1, 5)), ((1,), (1, 2)), ((1, 2, 3), (1, 2)), ((3, 1, 1), (4,))],
)
def test_comparisons_of_tuples(device, a, b):
    out = np.zeros(10, np.bool_)
    compared[1, 1](a, b, np.zeros((2, 3)), out)
    assert out.tolist() == [a == b, a < b, a <= b, a != b, a > b, a >= b, True, False, True, a in (b, (1, 2.0))]


@cuda.jit
def nested(a, b, out):
    out[0], out[1], out[2] = a == b, a < b, a >= b


@pytest.mark.parametrize("b", [(1, (2, 3)), (1, (2, 4)), (1, (1, 5)), (0, (9, 9))])
def test_comparisons_of_tuples_in_tuples(device, b):
    a, out = (1, (2, 3)), np.zeros(3, np.bool_)
    nested[1, 1](a, b, out)
    assert out.tolist() == [a == b, a < b, a >= b]


def test_sum_any_and_all(device):
    def folded(x, t):
        return sum(t), sum(x), sum(t, 10), sum(x, start=0.5), sum((1.5, 2)), any(x), all(t), any((False, 0)), all(x[:0]), any(x[:0]), sum(x[:0])

    for x in (np.arange(4.0), np.arange(3, dtype="f4"), np.array([True, False])):
        assert njit(folded)(x, (1, 2, 3)) == folded(x, (1, 2, 3))

    @cuda.jit
    def kernel(out, x):
        i = cuda.grid(1)
        out[i] = sum(x[i]) if all(x[i]) else -1

    out = np.zeros(3)
    kernel[1, 3](out, np.arange(6.0).reshape(3, 2))
    assert out.tolist() == [-1, 5, 9]
    for wrong in (3, np.zeros((2, 2))):
        with pytest.raises(errors.TypingError, match="sum takes a tuple or an array of one dimension, not .*; write a loop"):
            cuda.jit(lambda x: sum(x))[1, 1](wrong)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i2", "c16"])
def test_a_tuple_is_written_into_a_part(device, dtype):
    @cuda.jit(device=True)
    def ends(row):
        return row[0], row[2] + 1

    @cuda.jit
    def kernel(out, x):
        i = cuda.grid(1)
        if i < x.shape[0]:
            out[i] = ends(x[i])
            out[i, :] = out[i, 1], out[i, 0]
            out[i, 1] += 1
            out[i, ::-1] = out[i, 1] - 1, out[i, 0]

    x = np.arange(12).reshape(4, 3).astype(dtype)
    out = np.zeros((4, 2), dtype)
    kernel[1, 8](out, x)
    np.testing.assert_array_equal(out, np.stack([x[:, 2] + 1, x[:, 0]], axis=1))

    @cuda.jit(debug=True, opt=False)
    def too_many(out):
        out[:] = (1, 2, 3)

    too_many[1, 1](out[0, :].repeat(2)[:3])
    with pytest.raises(ValueError, match="cannot assign slice from input of different size"):
        too_many[1, 1](out[0])
    with pytest.raises(errors.TypingError, match="cannot be written into"):

        @cuda.jit("void(float64[:, :])")
        def into_two(out):
            out[:] = (1, 2)


UNEQUAL = """(1, 2) == x | (1, 2) == 1.5 | x != (1, 2) | () == x | (x, y) == x | (1, 2) < x | x >= (1, 2) | (1, 2) == [1, 2] | [1, 2] == (1, 2)
(1, 2) == a | a != (x, y) | (1, 2) == range(3) | (1, 2) in a | (1, 2) in (1, 2) | (1, 2) in [x, y] | (1, 2) == True | np.float32(2) == (1, 2)
(1, 2) < None | (1, 2) < 'ab' | (1, 2) == {1, 2} | slice(1, 2) == (1, 2) | (1, x) == ((1, 2), 3) | [(1, 2)] == (1, 2) | (1, 2) == np.zeros(2)"""
COMPARED = """(1, 2) == (1, 2, 3) | (x, y) == (3, 2) | (1, x) == (1.0, 3) | (1, 2) == None | (1, 2) != 'ab' | None == (1, 2) | () == () | () == (1,)
(1, 2, 3) < (x, y) | (1, 2) < (1, 2, 3) | (x, y) >= (3,) | (1, 2) in [(1, 2)] | (1, 2) in ((1, 2),) | x in (1, 3) | 1.5 in (1, 2) | (1, 2) in ()
None in (1, 2) | (1, 2) in [(x, y), (1, 2)] | (1, 2) not in [(1, 3)] | True in (1, 2) | (1, 2) is None"""


def _cases(text):
    return [one.strip() for line in text.splitlines() for one in line.split("|")]


def _compared(expression, tmp_path):
    function = module_of(tmp_path, f"def f(x, y, a):\n    return {expression}\n").f
    return njit(function), function


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", _cases(UNEQUAL))
def test_tuples_beside_others_have_no_comparison(expression, tmp_path):
    """As in Numba; NumPy would compare with an array of the tuple's elements."""
    with pytest.raises(errors.TypingError, match="unsupported operand types"):
        _compared(expression, tmp_path)[0](3, 2, np.array([1, 2]))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", _cases(COMPARED))
def test_tuples_compared_with_tuples(expression, tmp_path):
    compiled, python = _compared(expression, tmp_path)
    assert compiled(3, 2, np.array([1, 2])) is python(3, 2, np.array([1, 2]))


WITHOUT_ORDER = [
    ((1, 2), ("a", 2)), ((np.int32(1), np.int8(2)), ("a", 2)), (("a", 2), (np.array([1, 2]), 1)), (("a", 2), ("ab", "cd")),
    ((1, 2), (None, 2)), (("a", 1), ((1, 2), 1)),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("operator", ["<", "<=", ">", ">="])
@pytest.mark.parametrize("pair", WITHOUT_ORDER, ids=str)
def test_tuples_whose_elements_have_no_order(operator, pair, tmp_path):
    """Also where another element decides."""
    function = njit(module_of(tmp_path, f"def f(a, b):\n    return a {operator} b\n").f)
    for a, b in (pair, pair[::-1]):
        with pytest.raises(errors.TypingError, match="unsupported operand types"):
            function(a, b)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("container", [1, 2.5, None, "ab", slice(1, 2), range(3)], ids=str)
@pytest.mark.parametrize("operator", ["in", "not in"])
def test_tuples_in_what_holds_none(operator, container, tmp_path):
    function = njit(module_of(tmp_path, f"def f(a, b):\n    return a {operator} b\n").f)
    with pytest.raises(errors.TypingError, match="unsupported operand types"):
        function((1, "a"), container)


@pytest.mark.filterwarnings("ignore")
def test_identity_of_tuples(tmp_path):
    """Two tuples of the same types are one where their elements are equal, and NaN is not; of others only None can be asked."""
    function = njit(module_of(tmp_path, "def f(a, b, s):\n    return a is b\n").f)
    t, mixed = (float("nan"), 1.0), (1, "a")
    assert not function(t, t, "s")
    assert function(mixed, (1, "a"), "s") and not function(mixed, (2, "a"), "s") and not function(mixed, None, "s")
    with pytest.raises(errors.TypingError):
        function(mixed, range(3), "s")


WRONG = """-t | t - t | t @ t | t & t | abs(t) | int(t) | float(t) | round(t) | divmod(t, 2) | math.sqrt(t) | t() | t[1.0] | t['a'] | t[None] | len(t[0]) | t[0][0]
np.zeros(t) | np.full(t, 1.0) | np.zeros(3)[t] | np.zeros(6).reshape(t) | np.concatenate(t) | np.array((t, 1)) | np.zeros(3)[0.5]"""
STATEMENTS = "t[0] = 1 | del t[0] | t.append(1) | t.x | a, b, c = t"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", _cases(WRONG) + _cases(STATEMENTS))
def test_operations_that_tuples_do_not_have(expression, tmp_path):
    """TypingError, also where Python runs the function."""
    line = expression if expression in _cases(STATEMENTS) else f"return {expression}"
    function = module_of(tmp_path, f"import math\nimport numpy as np\n\ndef f(t):\n    {line}\n").f
    with pytest.raises(errors.TypingError) as raised:
        njit(function)((1, 2.5))
    assert isinstance(raised.value, AttributeError) == (expression in ("t.append(1)", "t.x"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", ["raise TypeError('own')", "raise AttributeError('own')", "raise IndexError('too many indices for array')"])
def test_a_programs_own_errors_keep_their_class(line, tmp_path):
    function = module_of(tmp_path, f"import numpy as np\n\ndef f(t):\n    if np.zeros(3).sum() == 0:\n        {line}\n    return t\n").f
    kind = {"T": TypeError, "A": AttributeError, "I": IndexError}[line[6]]
    with pytest.raises(kind) as raised:
        njit(function)((1, 2.5))
    assert raised.type is kind


@pytest.mark.filterwarnings("ignore")
def test_a_text_is_none_of_a_tuples_arrays(tmp_path):
    arrays = np.arange(3.0), np.arange(2.0)
    assert not _of_tuple("'a' in t", tmp_path)(arrays) and _of_tuple("'a' not in t", tmp_path)(arrays)
    assert _of_tuple("'a' in (t[0], 'a')", tmp_path)(arrays)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", "any(t) | all(t) | t.count(t[0]) | max(t) | min(t) | max(t[0], t[1]) | min(t[0], 1)".split(" | "))
@pytest.mark.parametrize("last", [1.0, np.ones(2)], ids=["number", "array"])
def test_functions_of_elements_that_are_arrays(expression, last, tmp_path):
    """Only max() and min() compare the arrays of a tuple, where there is nothing else."""
    is_compared = expression in ("max(t)", "min(t)") and isinstance(last, np.ndarray)
    with pytest.raises(ValueError if is_compared else errors.TypingError) as raised:
        _of_tuple(expression, tmp_path)((np.ones(2), last))
    assert isinstance(raised.value, errors.TypingError) != is_compared


@pytest.mark.filterwarnings("ignore")
def test_functions_of_elements_that_are_texts(tmp_path):
    assert _of_tuple("max(t)", tmp_path)(("a", "b")) == "b" and _of_tuple("max(t)", tmp_path)((np.ones(1),)).tolist() == [1]
    assert _of_tuple("max(t, 'c')", tmp_path)("b") == "c" and _of_tuple("max(t, key=len)", tmp_path)(("a", "bb")) == "bb"


def _of_tuple(expression, tmp_path):
    return njit(module_of(tmp_path, f"def f(t):\n    return {expression}\n").f)
