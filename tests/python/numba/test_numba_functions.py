"""Device functions in kernels: what is handed to them and known then, declared signatures, arrays and functions found around them."""

import enum
import math
import operator
import typing

import numpy as np
import pytest
from kernels import module_of
from quern import cuda
from quern.kernel import errors
from quern.numba import float32, literal_unroll, types


class Mode(enum.Enum):
    first = 1
    second = 2


# ---- functions, types and texts as arguments


@cuda.jit(device=True)
def applied(op, a, i, v):
    return op(a, i, v)


@cuda.jit(device=True)
def twice(f, x):
    return f(f(x))


@cuda.jit(device=True)
def plus_one(x):
    return x + 1


@cuda.jit(device=True)
def filled(n, dtype, v):
    t = cuda.local.array(n, dtype)
    for i in range(n):
        t[i] = v
    return t.sum()


@cuda.jit(device=True)
def handed_on(n, dtype, v):
    return filled(n, dtype, v)


@cuda.jit(device=True)
def shaped(shape, dtype):
    t = cuda.shared.array(shape=shape, dtype=dtype)
    t[0, 0] = 3.75
    return t[0, 0] + t.shape[1]


@cuda.jit(device=True)
def by_mode(x, mode="add", f=math.sqrt):
    if mode == "add":
        return f(x) + 1
    elif mode == "mul":
        return f(x) * 2
    return 0.0


@cuda.jit(device=True)
def converted(x, of):
    return of(x)


FIVE = 5


@cuda.jit
def of_known_things(a, r):
    applied(cuda.atomic.add, a, 1, 5)
    r[0] = twice(plus_one, 3)
    r[1] = twice(math.sqrt, 16.0)
    r[2] = filled(4, types.float32, 1.5)
    r[3] = filled(FIVE, np.int32, 1.5)
    r[4] = handed_on(3, float32, 2.5)
    r[5] = shaped((2, 3), types.int32)
    r[6] = shaped((2, 4), np.float32)
    r[7] = by_mode(16.0)
    r[8] = by_mode(16.0, "mul")
    r[9] = by_mode(16.0, "other")
    r[10] = by_mode(16.0, f=math.exp2)
    r[11] = converted(3.7, np.int32) + converted(3.7, types.int8) + converted(3.7, int)
    applied(cuda.atomic.max, a, 0, 50)
    for f in literal_unroll((math.sin, math.cos)):
        r[12] += f(0.5)
    r[13] = handed_on(n=3, dtype="float32", v=2)
    r[14] = twice(np.sqrt, 16.0) + twice(operator.neg, 2)


def test_functions_types_and_texts_as_arguments(device):
    a, out = np.zeros(3), np.zeros(15)
    of_known_things[1, 1](a, out)
    np.testing.assert_array_equal(a, [50, 5, 0])
    expected = [5, 2, 6, 5, 7.5, 6, 7.75, 5, 8, 0, 65537, 9, math.sin(0.5) + math.cos(0.5), 6, 4]
    np.testing.assert_allclose(out, expected)


@pytest.mark.parametrize(
    "text, said",
    [
        ("r[0] = filled(k, np.float32)", "the shape of an array of the kernel's own must be known when the kernel is compiled"),
        ("r[0] = filled(3, range(3))", "cannot be passed to a function"),
        ("r[0] = filled(3, 'float33')", "float33"),
        ("r[0] = filled", "cannot be written"),
    ],
)
def test_what_is_not_known(device, tmp_path, text, said):
    head = "@cuda.jit(device=True)\ndef filled(n, dtype):\n    t = cuda.local.array(n, dtype)\n    return t[0]\n"
    kernel = module_of(tmp_path, f"{head}@cuda.jit\ndef kernel(r, k):\n    {text}\n").kernel
    with pytest.raises(errors.KernelError, match=said):
        kernel[1, 1](np.zeros(3), 3)


# ---- arrays of the device that functions find around them


def found_kernels(tmp_path):
    text = """
import quern
RECORD = np.dtype([("a", "f8"), ("b", "i4")])
values, number = cuda.to_device(np.arange(5.0)), cuda.to_device(np.array(3, np.int32))
matrix, mapped = cuda.to_device(np.arange(6, dtype=np.complex64).reshape(2, 3, order="F")), cuda.mapped_array(3)
records, plain = cuda.to_device(np.zeros(3, RECORD)), quern.arange(4.0)
mapped[:] = 2
both = (values[1:], matrix)

@cuda.jit(device=True)
def read(i):
    return values[i] + number[()]

@cuda.jit(device=True)
def write(i, v):
    if i > 3:
        return write(i - 1, v)
    values[i] = v
    return 1

@cuda.jit(device=True)
def part():
    return values[2:]

@cuda.jit
def reads(r):
    i = cuda.grid(1)
    if i < r.size:
        r[i] = read(i) * 10 + matrix[1, i % 3].real + both[0][0] + plain[3] + values.size

@cuda.jit
def writes(n):
    for i in range(n):
        write(i, -i)
        cuda.atomic.add(mapped, 0, 1)
    records[1].a = n
    records[0]["b"] = 4
    plain[1] = 50
    number[()] = 8

@cuda.jit
def writes_a_part():
    p = part()
    p[0] = 100

def made():
    own = cuda.to_device(np.ones(4, np.float32))

    @cuda.jit
    def kernel(r):
        r[0] = own.sum()
        own[1] = r[0] + 1

    return kernel, own
"""
    return module_of(tmp_path, text)


def test_arrays_of_the_device_around_functions(device, tmp_path):
    m = found_kernels(tmp_path)
    out = np.zeros(5)
    m.reads[1, 8](out)
    expected = (np.arange(5.0) + 3) * 10 + np.array([1, 3, 5, 1, 3]) + 1 + 3 + 5
    np.testing.assert_array_equal(out, expected)
    m.writes[1, 1](5)
    np.testing.assert_array_equal(m.values.copy_to_host(), [0, -1, -2, -4, 4])
    cuda.synchronize()
    np.testing.assert_array_equal(m.mapped, [7, 2, 2])
    np.testing.assert_array_equal(m.records.copy_to_host(), np.array([(0, 4), (5, 0), (0, 0)], m.RECORD))
    np.testing.assert_array_equal(np.asarray(m.plain), [0, 50, 2, 3])
    m.values[:] = 7.0  # what happens to them between launches is seen
    m.reads[1, 8](out)
    np.testing.assert_array_equal(out, 150 + np.array([1, 3, 5, 1, 3]) + 7 + 3 + 5)
    m.writes_a_part[1, 1]()
    np.testing.assert_array_equal(m.values.copy_to_host(), [7, 7, 100, 7, 7])
    kernel, own = m.made()
    for total, second in [(4, 5), (8, 9)]:
        kernel[1, 1](out)
        assert out[0] == total
        np.testing.assert_array_equal(own.copy_to_host(), [1, second, 1, 1])


def test_arrays_of_the_device_around_declared_functions(device):
    table = cuda.to_device(np.arange(6.0).reshape(3, 2))

    @cuda.jit("float64(float64, int32)", device=True)
    def of_row(x, i):
        row = table[i : i + 1]
        return x * row[0, 0] + table[i, 1]

    @cuda.jit
    def kernel(r):
        i = cuda.grid(1)
        if i < r.size:
            r[i] = of_row(2, i)

    out = np.zeros(3)
    kernel[1, 4](out)
    assert out.tolist() == [1, 7, 13]
    assert of_row.compile_device((types.float64, types.int32)).signature.return_type == types.float64


# ---- declared signatures


@cuda.jit("i8(i8)", device=True)
def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


@cuda.jit("int32(int32, int32)", device=True)
def added(a, b):
    return a + b


@cuda.jit(types.int32(types.int32), device=True)
def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


@cuda.jit(["f4(f4)", "f8(f8)"], device=True)
def third(x):
    return x / 3


@cuda.jit("void(f8[:], f8)", device=True)
def put(a, v):
    a[0] = v


def of_closure():
    @cuda.jit("i8(i8)", device=True)
    def inner(n):
        return 1 if n < 1 else inner(n - 1) + 1

    @cuda.jit
    def kernel(r):
        r[0] = inner(5)

    return kernel


@cuda.jit
def of_declared(x, r):
    r[0] = fibonacci(10)
    r[1] = added(x[0], x[1])
    r[2] = factorial(5)
    r[3] = third(np.float32(1))
    r[4] = third(1)
    r[5] = added(2147483647, 1)
    put(r[6:], 7)


def test_declared_signatures_convert_and_may_call_themselves(device):
    out = np.zeros(7)
    of_declared[1, 1](np.array([1.7, 2.9], np.float32), out)
    np.testing.assert_array_equal(out, [55, 3, 120, np.float32(1) / np.float32(3), 1 / 3, -(2.0**31), 7])
    of_closure()[1, 1](out)
    assert out[0] == 6


@pytest.mark.parametrize(
    "text, said",
    [
        ("added(1j, 2)", "added does not take \\(complex128, int64\\); it was declared for \\(int32, int32\\)"),
        ("added(r, 2)", "added does not take"),
        ("added(1)", "added takes 2 arguments, not 1"),
        ("endless(3)", "the return type of this recursive call cannot be inferred"),
    ],
)
def test_what_declared_functions_refuse(device, tmp_path, text, said):
    head = '@cuda.jit("int32(int32, int32)", device=True)\ndef added(a, b):\n    return a + b\n'
    head += "@cuda.jit(device=True)\ndef endless(n):\n    return endless(n - 1)\n"
    kernel = module_of(tmp_path, f"{head}@cuda.jit\ndef kernel(r):\n    r[0] = {text}\n").kernel
    with pytest.raises(errors.TypingError, match=said):
        kernel[1, 1](np.zeros(3))


# ---- isinstance


class Pair(typing.NamedTuple):
    x: int
    y: float


@cuda.jit(device=True)
def by_class(x):
    if isinstance(x, bool):
        return 1
    elif isinstance(x, int):
        return x + 10
    elif isinstance(x, (float, np.complexfloating)):
        return abs(x) * 2
    elif isinstance(x, Pair):
        return x.y
    elif isinstance(x, tuple):
        return x[0]
    elif isinstance(x, str):
        return 77
    elif isinstance(x, np.ndarray):
        return x.sum()
    return -1


@cuda.jit
def of_all_classes(out, v, p, n):
    out[0] = by_class(True)
    out[1] = by_class(3)
    out[2] = by_class(2.5)
    out[3] = by_class(3 + 4j)
    out[4] = by_class(p)
    out[5] = by_class((8, 9))
    out[6] = by_class("text")
    out[7] = by_class(v)
    out[8] = by_class(n)
    out[9] = isinstance(v[0], np.floating) and isinstance(np.int8(1), np.int8) and not isinstance(np.int8(1), np.uint8)


def test_isinstance_is_known_when_the_kernel_is_compiled(device):
    out = np.zeros(10)
    of_all_classes[1, 1](out, np.arange(4.0), Pair(1, 2.25), None)
    assert out.tolist() == [1, 13, 5, 10, 2.25, 8, 77, 6, -1, 1]


def test_isinstance_of_what_is_no_class(tmp_path):
    kernel = module_of(tmp_path, "@cuda.jit\ndef kernel(x):\n    x[0] = isinstance(x, x)\n").kernel
    with pytest.raises(errors.TypingError, match="isinstance takes classes"):
        kernel[1, 1](np.zeros(1))


# ---- functions inside of kernels

TEN = 10


@cuda.jit
def with_functions_inside(out, n):
    c = 7

    def square(x):
        return x * x + TEN

    def both(x, y=2):
        return square(x) * y

    def with_c(x):
        return x + c

    def factorial(m):
        if m < 2:
            return 1
        return m * factorial(m - 1)

    thrice = lambda x: x * 3  # noqa: E731
    out[0] = square(n)
    out[1] = both(n)
    out[2] = both(1, y=5)
    out[3] = with_c(1.5)
    out[4] = factorial(5)
    out[5] = thrice(4)
    out[6] = (lambda x, y: x - y)(9, 4)
    out[7] = twice(lambda x: x * 2, 3) + twice(lambda x: x * 5, 3)
    for i in range(3):

        def more(x):
            return x + 1

        out[8] += more(i)
    if n > 0:

        def half(x):
            return x * 0.5

        out[9] = half(3)


def test_functions_inside_of_kernels(device):
    out = np.zeros(10)
    with_functions_inside[1, 1](out, 3)
    assert out.tolist() == [19, 38, 55, 8.5, 120, 12, 5, 87, 6, 1.5]


def test_functions_inside_see_what_is_around_the_kernel(device):
    table, by = np.arange(4.0), 3

    @cuda.jit
    def kernel(out):
        def looked_up(i):
            return table[i] * by

        out[0] = looked_up(2) + (lambda i: table[i])(1)

    out = np.zeros(1)
    kernel[1, 1](out)
    assert out[0] == 7
