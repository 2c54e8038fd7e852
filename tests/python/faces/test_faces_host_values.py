"""Arrays of host values: numbers, nested sequences, NumPy arrays, buffers and interfaces, compared with NumPy's and PyTorch's answers."""

import array as arrays_of_python
import collections
import decimal
import enum
import fractions
import warnings

import numpy as np
import pytest
import quern as qn
import torch_oracle

# ---- NumPy

VALUES = """
1 | 1.5 | True | 1j | -0.0 | 2**63 - 1 | 2**63 | 2**64 - 1 | 2**64 | -2**63 | -2**63 - 1 | 10**400 | float("nan") | float("inf")
[] | [[]] | [[], []] | () | ((),) | [[[]]] | [1, 2, 3] | (1, 2) | [1, 2.5] | [True, 2] | [True, 2.5] | [True, False] | [1, 2j] | [1.5, 2j] | [True, 1j]
[[1, 2], [3, 4]] | [[1, 2], (3, 4.5)] | ([1], [2]) | [[[1]], [[2]]] | [[1, 2], [3]] | [1, [2]] | [[1], 2] | [[1], []] | [[], 1] | [[], [1]] | [[[1], [2]], [[3]]]
[2**63] | [1, 2**63] | [2**63, -1] | [2**64] | [1.5, 2**64] | [2**63, 1.5] | [-2**63, 2**63 - 1] | [1, 10**400] | [2**63, True]
[float("nan"), 1] | [float("inf"), -1] | [1e308, -1e-320] | [0.1, 1/3]
"a" | b"a" | ["a"] | ["a", 1] | [b"a"] | "1" | ["1", "2"] | None | [None] | [1, None] | object() | [object()] | {} | {1: 2} | {1} | [{}] | slice(1)
np.int8(3) | np.float16(1.5) | np.bool_(True) | np.complex64(1j) | np.uint64(2**63) | np.float64(2) | np.longdouble(1) | np.datetime64("2020-01-01") | np.str_("a")
[np.int8(1)] | [np.int8(1), np.int8(2)] | [np.int8(1), 2] | [np.float32(1), 2] | [np.float32(1), 2.5] | [np.int16(1), np.uint16(2)] | [np.int64(1), np.uint64(2)]
[np.float16(1), np.int16(2)] | [np.bool_(True), np.bool_(False)] | [np.bool_(True), 1] | [np.float64(1), 2j] | [np.complex64(1)] | [np.int16(1), np.uint16(2), np.float32(3)]
np.arange(3) | np.arange(6.0).reshape(2, 3) | np.arange(6).reshape(2, 3).T | np.arange(24).reshape(2, 3, 4).transpose(1, 0, 2) | np.arange(24).reshape(2, 3, 4).transpose(2, 1, 0)
np.arange(6)[::2] | np.arange(6)[::-1] | np.arange(6).reshape(2, 3)[:, :1] | np.zeros((0, 3)) | np.zeros((3, 0)).T | np.array(5) | np.array(5.5, "f2") | np.zeros((1, 3)).T
np.arange(3, dtype=">i4") | np.arange(3, dtype=">f8")[::2] | np.array(["a"]) | np.array([None]) | np.array([1, "a"], object) | np.array(["2020-01-01"], "M8[D]")
np.array([(1, 2.0)], [("x", "i4"), ("y", "f8")]) | np.ma.array([1, 2], mask=[0, 1]) | np.matrix([[1, 2]]) | np.broadcast_to(np.arange(3), (2, 3)) | np.longdouble([1, 2])
[np.arange(3), np.arange(3)] | [np.arange(3), [1, 2, 3]] | [np.arange(2), np.arange(3)] | [np.array(1), np.array(2)] | [np.array(1), 2.5] | (np.arange(2.0), [1, 2]) | [np.float32([1, 2]), [1, 2]]
range(4) | range(0) | [range(2), range(2)] | bytearray(b"ab") | memoryview(b"abc") | array("d", [1, 2]) | array("i", [1, 2]) | [array("d", [1]), array("d", [2])] | array("u", "ab")
Fraction(1, 2) | Decimal("1.5") | [Fraction(1, 2)] | [Decimal(1), 2] | Kind.two | [Kind.one, Kind.two] | Point(1, 2) | [Point(1, 2), Point(3, 4)] | Points([1, 2]) | deque([1, 2])
Whole(3) | [Whole(3), 4] | Real(1.5) | [Real(1.5)] | Offering() | [Offering(), Offering()] | Interface() | Wrong() | [Wrong()] | Sequence() | Indexed() | iter([1]) | (n for n in [1]) | deep(63) | deep(64) | deep(70) | endless()
a | [a, a] | [a, [1, 2]] | [[a, a], [a, a]] | [a, np.arange(2)] | [a[0], 2] | (a[0], a[1]) | [a, a[0]] | [a, 1] | [s, s] | [s, 1.5] | [b, a] | [[s], [1]] | b.T | [b.T, b.T]
""".strip()
WITH = """
[1, 2.5], "f4" | [1, 2], "f8" | [1.5, 2], "i4" | [1.5], int | [1, 2], "i1" | [300], "i1" | [-1], "u1" | [300], "u1" | [2**63], "u8" | [2**63], "i8" | [-1], "u8" | [True, False], "f4"
[1, 2], bool | [0.0, 2.5], bool | [float("nan")], bool | [0j, 1j], bool | [2], "c8" | [2.5], "c16" | [1j], "f8" | [1j], int | [1e300], "f4" | [1e300], "f2" | [1e300j], "c8" | [float("inf")], "f4" | [0.1], "f2"
[float("nan")], int | [float("inf")], "i4" | ["1"], int | ["1.5"], float | ["a"], float | [None], float | [], int | [[]], "f4" | [1, 2], "O" | [1], "U3" | [1], "M8[D]" | [1], "nonsense" | [1], None | [1, 2], ">i4"
[[1, 2], [3]], "f4" | [1, [2]], int | 1.5, int | 300, "u1" | True, "i1" | 2**70, "f8" | 2**70, "i8" | [2**70], float | [10**400], float | [2**53 + 1], "f4" | [2**24 + 1], "f4" | [2**63 - 1], "f8" | [np.int8(1), 2], "f4"
[np.float32(300)], "u1" | [np.float64(1.5)], int | np.float64(1.5), int | np.float64(1.5), "f4" | np.arange(3), "f4" | np.arange(3.5), int | np.array([1.5, -2.5]), "i1" | np.arange(3), bool | np.arange(6).reshape(2, 3).T, "f4"
np.array(["1"]), int | np.array([1j]), "c8" | np.array([1.0]), "c8" | a, "f4" | a, int | [a, a], "f4" | [a, [1, 2]], "i4" | b.T, "f4" | range(3), "f4" | [(1, 2)], [("x", int), ("y", float)] | (1, 2), [("x", int), ("y", float)]
bytearray(b"ab"), "i4" | Offering(), "f4" | [Kind.one], "f4" | Fraction(1, 2), float | "5", int | [True], "u1" | [1, 2], np.dtype("i2") | [1, 2], np.int16 | [1, 2], complex | [1, 2], "bogus" | [1, 2], 5 | [0.5, True], "i2"
""".strip()
KEYWORDS = """
m.array([1, 2], order="F") | m.array([[1, 2], [3, 4]], order="F") | m.array(c, order="F") | m.array(c, order="C") | m.array(c.T, order="K") | m.array(c.T, order="A") | m.array(c.T, order="C") | m.array(c, order="X")
m.asarray(c.T, order="C") | m.asarray(c.T, order="F") | m.asarray(c, order="F") | m.asarray(c, order="A") | m.asarray([[1, 2]], order="F") | m.asarray(c, None, "F") | m.asarray(c, "f4", "F") | m.asarray(c.T, "f4")
m.array(1, ndmin=2) | m.array([1, 2], ndmin=3) | m.array(c, ndmin=1) | m.array(c, ndmin=3) | m.array(c.T, ndmin=3) | m.array([1], ndmin=-1) | m.array([1], ndmin="x") | m.array([1], ndmin=1.5)
m.array(c, copy=False) | m.array([1], copy=False) | m.array(c, copy=None) | m.asarray([1], copy=False) | m.asarray(c, "f4", copy=False) | m.asarray(c, copy=False) | m.asarray(c, copy=True) | m.asarray([1], copy=True) | m.asarray([1], copy="x")
m.asarray(5, copy=False) | m.asarray(c, order="F", copy=False) | m.array(c, subok=True) | m.array(c, subok=False) | m.array() | m.asarray() | m.array([1], "f4", 3) | m.asarray([1], None, None, 4) | m.array([1], nothing=1) | m.array([1], object=1)
m.array(object=[1]) | m.asarray(a=[1]) | m.array([1], dtype="f4", copy=None, order="C", ndmin=2) | m.asarray(a=[1], dtype=float, order="C") | m.array([1], copy="no") | m.array([1], copy=2) | m.array(a, copy=False) | m.asarray(a, copy=False)
m.asarray(a, "f4", copy=False) | m.array(b.T, order="C") | m.array(b.T, order="K") | m.array(b.T, order="A") | m.array(b.T, order="F") | m.array(b, ndmin=4) | m.array(a, dtype=complex) | m.array([a, a], order="F") | m.array([1], order=None)
m.asarray(1, order="K") | m.asarray([[1, 2], [3, 4]], order="K") | m.asarray([[1, 2], [3, 4]], "f4", order="F") | m.asarray(c, device="cpu") | m.asarray([1], device="cpu") | m.asarray([1], device="nowhere")
""".strip()


def cases(table):
    return [case.strip() for line in table.splitlines() for case in line.split(" | ") if case.strip()]


class Kind(enum.IntEnum):
    one, two = 1, 2


Point = collections.namedtuple("Point", "x y")
Points, Whole, Real = type("Points", (list,), {}), type("Whole", (int,), {}), type("Real", (float,), {})


class Offering:
    def __array__(self, dtype=None, copy=None):
        return np.arange(3, dtype=dtype or "i2")


class Interface:
    held = np.arange(3, dtype="i2")
    __array_interface__ = held.__array_interface__


class Wrong:
    def __array__(self, dtype=None, copy=None):
        raise KeyError("no values")


class Sequence:
    def __len__(self):
        return 2

    def __getitem__(self, n):
        if n > 1:
            raise IndexError
        return n + 0.5


class Indexed:
    def __index__(self):
        return 3


def deep(n):
    out = 1
    for _ in range(n):
        out = [out]
    return out


def endless():
    out = []
    out.append(out)
    return out


def names_for(m):
    names = {"np": np, "m": m, "array": arrays_of_python.array, "Fraction": fractions.Fraction, "Decimal": decimal.Decimal}
    names |= {"deque": collections.deque, "Kind": Kind, "Point": Point, "Points": Points, "Whole": Whole, "Real": Real, "deep": deep}
    names |= {"Offering": Offering, "Interface": Interface, "Wrong": Wrong, "Sequence": Sequence, "Indexed": Indexed, "endless": endless}
    c = np.arange(6.0).reshape(2, 3)
    take = (lambda x: x) if m is np else (lambda x: qn.asarray(x))
    return names | {"c": c, "a": take(np.array([1.5, 2.5])), "s": take(np.array(7)), "b": take(np.arange(6).reshape(2, 3))}


# What has no type in an array here, though NumPy has objects, texts, times and long numbers.
def is_ours(host):
    return host.dtype.kind not in "OUSMmT" and host.dtype.name not in ("longdouble", "float128", "clongdouble", "complex256")


def answer(text, m):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            made = eval(text, names_for(m))
        except RecursionError:
            return ValueError
        except Exception as error:
            return type(error)
    return made


def check_against_numpy(text):
    want, got = answer(text, np), answer(text, qn)
    if isinstance(want, np.ndarray) and not is_ours(want):
        want = TypeError
    if isinstance(want, type):
        assert isinstance(got, type), (text, want, got)
        want = TypeError if want.__module__.startswith("numpy._core") else want
        assert issubclass(got, want), (text, want, got)
        return
    assert not isinstance(got, type), (text, got)
    assert type(got) is qn.ndarray, (text, type(got))
    host = qn.asnumpy(got)
    assert (got.dtype, got.shape) == (want.dtype.newbyteorder("="), want.shape), (text, got.dtype, got.shape, want.dtype, want.shape)
    np.testing.assert_array_equal(host, want)
    if host.dtype.kind in "fc":
        np.testing.assert_array_equal(np.signbit(host.real), np.signbit(want.real))
    return got, want


@pytest.mark.parametrize("value", cases(VALUES))
def test_values_as_numpy(value):
    for made in ("asarray", "array"):
        found = check_against_numpy(f"m.{made}({value})")
        # Elements that NumPy shares stay where they are; here all are copied.
        if found and not found[1].dtype.names and not (found[1].strides and min(found[1].strides) <= 0):
            of_new = np.array(found[1], copy=True)
            assert found[0].strides == of_new.strides or value in ("np.ma.array([1, 2], mask=[0, 1])",), (value, of_new.strides)


@pytest.mark.parametrize("given", cases(WITH))
def test_types_as_numpy(given):
    check_against_numpy(f"m.asarray({given})")
    check_against_numpy(f"m.array({given})")


@pytest.mark.parametrize("case", cases(KEYWORDS))
def test_keywords_as_numpy(case):
    if "c, copy=False" in case and qn.device().kind != "cpu":
        pytest.skip("a GPU does not share the memory of NumPy's arrays")
    found = check_against_numpy(case)
    if found and found[1].size:  # a step along an axis of one element says nothing
        for size, ours, theirs in zip(found[1].shape, found[0].strides, found[1].strides, strict=True):
            assert size == 1 or ours == theirs


# ---- PyTorch

TENSORS = """
1 | 1.5 | True | 1j | -0.0 | 2**63 - 1 | 2**63 | 2**64 | -2**63 | 10**400 | [] | [[]] | [[], []] | () | [[[]]] | [1, 2, 3] | (1, 2) | [1, 2.5] | [True, 2] | [True, 2.5] | [1, 2j]
[True, 1j] | [[1, 2], [3, 4]] | [[1, 2], (3, 4.5)] | [[1, 2], [3]] | [1, [2]] | [[1], 2] | [[1], []] | [[[1], [2]], [[3]]] | [2**63] | [2**64] | [1.5, 2**64] | [1e300] | [float("nan")]
"a" | b"a" | ["a"] | [b"a"] | [1, "a"] | None | [None] | [1, None] | object() | [object()] | {} | {1: 2} | {1} | slice(1) | range(4) | range(0) | [range(2), range(2)]
np.int8(3) | np.float16(1.5) | np.bool_(True) | np.complex64(1j) | np.float64(2) | np.uint16(2) | [np.int8(1)] | [np.int8(1), np.int8(2)] | [np.int8(1), 2] | [np.float32(1), 2] | [np.float64(1.5), 2] | [1.5, np.float64(2)]
[np.bool_(True)] | [np.float16(1), np.float16(2)] | [[np.int32(1)], [np.int32(2)]] | [np.complex64(1)] | np.arange(3) | np.arange(6.0).reshape(2, 3) | np.arange(6).reshape(2, 3).T | np.arange(6)[::2] | np.zeros((0, 3))
np.arange(6)[::-1].copy() | np.array(5) | np.arange(3, dtype="u2") | np.array(["a"]) | np.array([None]) | np.array([1j]) | [np.arange(3), np.arange(3)] | [np.float32([1, 2]), np.float32([3, 4])]
torch.ones(2) | torch.ones(2, 3).T | torch.tensor(3) | [torch.tensor(1), torch.tensor(2)] | [torch.tensor(1.5), 2] | [torch.tensor([1]), torch.tensor([2])] | [torch.tensor(1, dtype=torch.int8)] | [torch.ones(2), torch.ones(2)]
[1, torch.tensor(2)] | (torch.tensor(1.5), torch.tensor(2)) | [[torch.tensor(1)], [torch.tensor(2)]] | torch.ones(2, 3).shape | [torch.ones(2).shape] | bytearray(b"ab") | memoryview(b"ab") | math.pi | [math.inf, 1] | [0.1, 1 / 3] | 2**53 + 1
""".strip()
TYPED = """
[1, 2.5], dtype=torch.int64 | [1, 2], dtype=torch.float64 | [1.5], dtype=torch.int32 | [300], dtype=torch.int8 | [-1], dtype=torch.uint8 | [256], dtype=torch.uint8 | [-300], dtype=torch.uint8 | [1j], dtype=torch.float32
[1, 2], dtype=torch.bool | [0.0, 2.5], dtype=torch.bool | [2], dtype=torch.complex64 | [1e300], dtype=torch.float32 | [1e300], dtype=torch.float16 | [0.1], dtype=torch.float16 | [0.1], dtype=torch.bfloat16 | 3, dtype=torch.bfloat16
[], dtype=torch.int64 | [[]], dtype=torch.bool | [[1, 2], [3]], dtype=torch.float32 | [1, [2]], dtype=torch.int64 | ["a"], dtype=torch.float32 | [None], dtype=torch.float32 | None, dtype=torch.float32 | "a", dtype=torch.float32
1.7, dtype=torch.int16 | -1.7, dtype=torch.int64 | True, dtype=torch.float32 | 2**40, dtype=torch.int32 | 2**63, dtype=torch.int64 | 2**63, dtype=torch.uint64 | 2**62 + 1, dtype=torch.float32 | 2**53 + 1, dtype=torch.float64
np.arange(3), dtype=torch.float32 | np.array([1.5, -2.5]), dtype=torch.int32 | np.array([300]), dtype=torch.uint8 | np.float64(1.5), dtype=torch.int64 | [np.float64(1.5)], dtype=torch.int64 | np.arange(6).reshape(2, 3).T, dtype=torch.float32
torch.ones(2), dtype=torch.int64 | torch.ones(2, requires_grad=True), dtype=torch.float64 | [torch.tensor(1)], dtype=torch.float32 | range(3), dtype=torch.float32 | [1, 2], dtype=None
[1.5], requires_grad=True | [1], requires_grad=True | [1j], requires_grad=True | 1.5, requires_grad=True, dtype=torch.float64 | [1], device="cpu" | [1], pin_memory=False | torch.ones(2), requires_grad=True
[1], dtype=int | [1], dtype="float32" | [1], device="nowhere" | [1], nothing=1 | [1], device=torch.device("cpu")
""".strip()
MORE = """
torch.tensor() | torch.tensor([1], torch.float32) | torch.tensor(data=[1]) | torch.as_tensor([1, 2.5]) | torch.as_tensor([1], torch.float32) | torch.as_tensor([1], dtype=torch.float64, device="cpu") | torch.as_tensor(data=[1])
torch.as_tensor(np.arange(3), dtype=torch.float32) | torch.as_tensor(np.arange(6).reshape(2, 3).T) | torch.as_tensor(np.array(["a"])) | torch.as_tensor(1.5) | torch.as_tensor(np.float32(1.5)) | torch.as_tensor("a") | torch.as_tensor(None)
torch.asarray([1, 2.5]) | torch.asarray(1, dtype=torch.float64) | torch.asarray([1.5], requires_grad=True) | torch.asarray(np.arange(3), copy=True) | torch.asarray(obj=[1]) | torch.asarray(torch.ones(2, 3).T) | torch.asarray(torch.ones(2), dtype=torch.int64)
torch.asarray([1, 2], copy=True) | torch.asarray(torch.ones(2), copy=True) | torch.as_tensor(torch.ones(2, 3).T, torch.float64) | torch.ones(2).new_tensor([1, 2]) | torch.Tensor([1, 2]) | torch.FloatTensor([[1, 2], [3, 4]]) | torch.LongTensor([1, 2])
""".strip()
IN_TURN = """
x = np.arange(3.0); t = torch.as_tensor(x); x[0] = 9; t.tolist()
x = np.arange(3.0); t = torch.tensor(x); x[0] = 9; t.tolist()
x = np.arange(3.0); t = torch.asarray(x); x[0] = 9; t.tolist()
x = np.arange(3.0); t = torch.asarray(x, copy=True); x[0] = 9; t.tolist()
x = np.arange(3.0); t = torch.as_tensor(x, dtype=torch.float64); x[0] = 9; t.tolist()
x = np.arange(3.0); t = torch.as_tensor(x, dtype=torch.float32); x[0] = 9; t.tolist()
x = np.arange(6.0).reshape(2, 3).T; t = torch.from_numpy(x); x[0, 0] = 9; (t.tolist(), t.stride())
raises(lambda: torch.from_numpy(np.arange(3, dtype=">i4")))[0]
raises(lambda: torch.as_tensor(np.arange(3, dtype=">i4")))[0]
raises(lambda: torch.as_tensor(np.arange(3)[::-1]))[0]
raises(lambda: torch.from_numpy([1]))[0]
t = torch.ones(2); (torch.as_tensor(t) is t, torch.as_tensor(t, dtype=torch.float32) is t, torch.asarray(t) is t, torch.tensor(t) is t)
t = torch.ones(2, requires_grad=True); u = torch.as_tensor(t, dtype=torch.float64); u.sum().backward(); (t.grad, u.requires_grad)
t = torch.ones(2, requires_grad=True); u = torch.tensor(t); (u.requires_grad, u.is_leaf)
torch.set_default_dtype(torch.float64); t = [torch.tensor([1.5]).dtype, torch.tensor([1j]).dtype, torch.tensor([]).dtype, torch.tensor(1).dtype]; torch.set_default_dtype(torch.float32); t
torch.set_default_dtype(torch.float16); t = [torch.tensor([1.5]).dtype, torch.tensor(2.5)]; torch.set_default_dtype(torch.float32); t
""".strip()
DESCRIBED = """
def described(make):
    try:
        t = make()
    except Exception as error:
        return type(error).__name__
    return t, t.dtype, t.numel() and t.stride(), t.is_leaf
described(lambda: {})
"""


def test_tensors_as_pytorch():
    calls = [f"torch.tensor({case})" for case in cases(TENSORS) + cases(TYPED)] + cases(MORE)
    calls += [f"torch.as_tensor({case})" for case in cases(TENSORS)]
    torch_oracle.compare_all([DESCRIBED.format(call) for call in calls])


def test_memory_of_tensors_as_pytorch():
    torch_oracle.compare_all([line.replace("; ", "\n") for line in IN_TURN.splitlines()])
