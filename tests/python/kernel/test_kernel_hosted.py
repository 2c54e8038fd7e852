"""jit and njit: functions compiled for the host. Python itself is the oracle."""

import math
import warnings

import numpy as np
import pytest
import quern as qn
from quern.kernel.errors import KernelError
from quern.numba import float64, jit, njit, prange, types


def test_numbers(device):
    @njit
    def f(a, b):
        return a * b + math.sqrt(a)

    assert f(4, 2.5) == 12.0 and isinstance(f(4, 2.5), float)
    assert f(9, 2) == 21.0
    assert len(f.signatures) == 2 and str(f.nopython_signatures[0]) == "(int64, float64) -> float64"
    assert list(f.overloads) == f.signatures and f.overloads[f.signatures[0]].signature == f.nopython_signatures[0]

    @jit
    def g(n):
        return n // 2, n > 3, (n, 1j)

    assert g(5) == (2, True, (5, 1j)) and isinstance(g(5)[0], int)


def test_arrays_are_used_in_place(device):
    @njit(parallel=True, fastmath=False, cache=True)
    def scale(x, by=3):
        total = 0.0
        for i in prange(x.shape[0]):
            for j in range(x.shape[1]):
                x[i, j] *= by
                total += x[i, j]
        return total

    x = np.arange(12.0).reshape(3, 4)
    assert scale(x) == 198.0 and x[2, 3] == 33
    assert scale(x[::2, ::-1], by=0.5) == x[::2].sum()
    with pytest.raises(TypeError, match="unexpected keyword argument 'nothing'"):
        scale(x, nothing=1)
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        scale(by=1)


def test_functions_call_each_other(device):
    @njit
    def fibonacci(n):
        if n < 2:
            return n
        return fibonacci(n - 1) + fibonacci(n - 2)

    @njit("int64(int64)")
    def twice(n):
        return 2 * fibonacci(n)

    assert twice(20) == 13530 and twice.py_func is not twice


def test_nothing_is_returned(device):
    @njit
    def fill(x, v):
        x[:] = v

    x = np.zeros(5, np.float32)
    assert fill(x, 2) is None and (x == 2).all()
    y = qn.device("cpu")
    assert y.kind == "cpu"


def test_unsupported_functions(device):
    """Python runs it, with a warning at the line that called it."""

    @njit
    def makes(n, first=0):
        return [i for i in range(first, n)]

    with pytest.warns(qn.FallbackWarning, match=r"(?s)\[makes\] runs as plain Python .*because it cannot be compiled: .*is not supported") as told:
        assert makes(3) == [0, 1, 2]
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # once for each function
        assert makes(2) == [0, 1] and makes(first=1, n=3) == [1, 2]

    with pytest.warns(qn.FallbackWarning, match="unsupported operand types"):

        @njit("float64[:](float64[:], int32)")
        def halved(x, n):
            return x / n

    x = np.arange(3.0)
    np.testing.assert_array_equal(halved(x, 2.7), x / 2)

    with pytest.warns(qn.FallbackWarning, match="cannot be compiled"):

        @njit("int32(float64)")
        def whole(x):
            return np.floor(np.array([x, x])).sum()

    assert whole(2.5) == 4 and type(whole(2.5)) is int

    @njit
    def uses(n):
        total = 0.0
        for v in halved(np.arange(n) * 1.0, 2):
            total += v
        return total

    with pytest.warns(qn.FallbackWarning):
        assert uses(4) == 3.0
    qn.set_fallback("silent")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert njit(lambda x: x + 1)(x).tolist() == [1, 2, 3]
        qn.set_fallback("error")
        with pytest.raises(KernelError, match="a kernel works on one element|a kernel works on elements"):
            njit(lambda x: x + 1)(x)
    finally:
        qn.set_fallback("warn")


def test_errors_that_a_function_raises(device):
    @njit
    def root(x):
        if x < 0:
            raise ValueError("negative")
        return math.sqrt(x)

    assert root(4.0) == 2.0
    with pytest.raises(ValueError, match="^negative$"):
        root(-1.0)
    assert root(9.0) == 3.0

    @njit
    def fails():
        raise KeyError('it\'s "this"', 3)

    with pytest.raises(KeyError) as caught:  # by itself: nothing is returned that would be waited for
        fails()
    assert caught.value.args == ('it\'s "this"', 3)

    @njit
    def of_names(a):
        raise IndexError(a)

    with pytest.raises(IndexError, match="^1$"):
        of_names(1)

    @njit
    def holds(a):
        assert a > 2
        return a

    assert holds(3) == 3
    with pytest.raises(AssertionError):
        holds(2)


def test_divisions_by_zero(device):
    @njit
    def divide(a, b):
        return a / b

    @njit
    def floor(a, b):
        return a // b

    @njit
    def rest(a, b):
        a %= b
        return a

    for f, python in ((divide, lambda a, b: a / b), (floor, lambda a, b: a // b), (rest, lambda a, b: a % b)):
        for a, b in ((7, 2), (-7, 2), (7.5, -2), (7.5, 2.5)):
            assert f(a, b) == python(a, b)
        for a, b in ((7, 0), (7.5, 0.0), (0, 0), (7, 0.0)):
            with pytest.raises(ZeroDivisionError, match="^(integer )?(division|modulo) by zero$"):
                f(a, b)

    @njit
    def guarded(x):
        total = 0
        for i in range(x.size):
            total += 10 // x[i] if x[i] != 0 else 1
        return total

    assert guarded(np.array([1, 0, 5])) == 13

    @njit(error_model="numpy")
    def as_numpy(a, b):
        return a / b

    assert as_numpy(1.0, 0.0) == math.inf


@pytest.mark.parametrize("model", ["python", "numpy"])
@pytest.mark.parametrize("interpreted", [False, True])
def test_pow_of_zero(device, request, model, interpreted):
    """Numba raises for a negative integer, under each error model; of floats the result is inf."""
    if interpreted:
        request.getfixturevalue("silent_fallback")

        @njit(error_model=model)
        def power(a, b):
            seen = [a]
            return math.pow(seen[0], b)

    else:

        @njit(error_model=model)
        def power(a, b):
            return math.pow(a, b)

    for a, b in ((0, -7), (0.0, -7), (-0.0, -3), (np.float32(0), -1), (0.0, np.int32(-3)), (False, -1)):
        with pytest.raises(ZeroDivisionError, match="^division by zero$"):
            power(a, b)
    assert power(0.0, -7.0) == math.inf and power(-0.0, -1.0) == -math.inf
    assert power(2, -1) == 0.5 and power(0, 0) == 1.0 and power(-2, 3) == -8.0


@pytest.mark.parametrize("interpreted", [False, True])
def test_digits_of_integers(device, request, interpreted):
    """round() of an integer to digits is a float in Numba; without digits it is an integer."""
    if interpreted:
        request.getfixturevalue("silent_fallback")

        @njit
        def rounded(a, n):
            seen = [a]
            return round(seen[0], n), round(seen[0])

    else:

        @njit
        def rounded(a, n):
            return round(a, n), round(a)

    for a, n, wanted in ((25, 1, 25.0), (25, -1, 20.0), (np.int8(3), 1, 3.0), (-150, -2, -200.0)):
        made = rounded(a, n)
        assert made == (wanted, a) and [type(v) for v in made] == [float, int]


def test_len_computes_the_parts_of_a_tuple(device):
    @njit
    def parts(a):
        return len((1 / a, 1))

    assert parts(2) == 2
    with pytest.raises(ZeroDivisionError, match="^division by zero$"):
        parts(0)


def test_what_is_no_function_or_has_another_number_of_arguments(device):
    """The errors are Numba's."""
    for decorate in (njit, jit):
        with pytest.raises(TypeError, match=r"^The decorated object is not a function \(got type <class 'int'>\)\.$"):
            decorate(5)
    for signature, count in (("int32(int32,int32)", 2), ("int32()", 0), (["(int32, int32)"], 2)):
        with pytest.raises(TypeError, match=f"^Signature mismatch: {count} argument types given, but function takes 1 arguments$"):
            njit(signature)(lambda a: a + 1)
    with pytest.raises(TypeError, match="^Signature mismatch: 1 argument types given, but function takes 2 arguments$"):
        njit("int32(int32)")(lambda a, b=2: a + b)


def test_signatures_ahead(device):
    @njit([float64(float64), "float64(int64)"])
    def f(x):
        return x / 2

    assert len(f.signatures) == 2 and f(3) == 1.5 and f(3.0) == 1.5


def test_signatures_say_what_is_taken_and_returned(device):
    """As Numba has it: arguments become what the nearest signature takes, and nothing else is compiled."""
    product = njit("float64(float64, int32)")(lambda x, y: x * y)
    for arguments, wanted in (((2, 3), 6.0), ((2.5, 3), 7.5), ((2.5, 3.7), 7.5), ((np.float32(1.5), np.int64(2)), 3.0)):
        made = product(*arguments)
        assert made == wanted and type(made) is float
    assert product.signatures == [(types.float64, types.int32)]
    assert str(product.nopython_signatures) == "[(float64, int32) -> float64]"
    after = njit(["int32(int32)", "float64(float64)"])(lambda x: x + 1)
    for x, wanted in ((1, 2.0), (1.5, 2.5), (np.int8(3), 4), (np.float32(1.5), 2.5)):
        assert after(x) == wanted and type(after(x)) is type(wanted)
    assert njit("int32(float64)")(lambda x: x * 2.7)(3) == 8
    assert njit((types.int32,))(lambda x: x * 2)(5.5) == 10
    assert njit("UniTuple(int32, 2)(float64)")(lambda x: (x, x * 2))(1.7) == (1, 3)
    total = njit("float64(float64[:])")(lambda x: x.sum())
    assert total(np.arange(3.0)) == 3 and total(np.arange(6.0)[::2]) == 6
    for work in (
        lambda: product(np.zeros(2), 1),
        lambda: product(1j, 2),
        lambda: product(1),
        lambda: after(1j),
        lambda: total(np.arange(3)),
        lambda: njit("void(float64[::1])")(lambda x: None)(np.arange(6.0)[::2]),
    ):
        with pytest.raises(TypeError, match="No matching definition for argument type"):
            work()


def test_arrays_that_are_given_are_returned(device):
    @njit
    def scaled(x, by):
        for i in range(x.shape[0]):
            x[i] *= by
        return x

    @njit
    def chosen(a, b, first):
        return a if first else b

    @njit
    def parts(x, k):
        return x[k:], x[0], (x[::-1], x[1:1])

    x = np.arange(6.0)
    assert scaled(x, 2) is x and x.tolist() == [0, 2, 4, 6, 8, 10]
    every = x[::2]
    assert scaled(every, 10) is every and x.tolist() == [0, 2, 40, 6, 80, 10]
    other = np.zeros(4)
    assert chosen(x, other, True) is x and chosen(x, other, False) is other
    tail, first, (back, empty) = parts(x, 2)
    assert first == 0 and isinstance(first, float)
    for made, wanted in ((tail, x[2:]), (back, x[::-1]), (empty, x[1:1])):
        assert type(made) is np.ndarray and (made.dtype, made.shape, made.strides) == (wanted.dtype, wanted.shape, wanted.strides)
        np.testing.assert_array_equal(made, wanted)
    tail[0] = 7
    assert x[2] == 7 and back[-3] == 7
    del x  # a part keeps the memory
    assert tail.tolist() == [7, 6, 80, 10] and back.tolist() == [10, 80, 6, 7, 2, 0]

    @njit
    def turned(m, i):
        return m.T, m[i], m[:, i]

    for m in (np.arange(12).reshape(3, 4), np.asfortranarray(np.arange(12).reshape(3, 4)), np.arange(24)[::2].reshape(3, 4)[:, ::-1]):
        for made, wanted in zip(turned(m, 2), (m.T, m[2], m[:, 2]), strict=True):
            assert made.strides == wanted.strides and np.shares_memory(made, m)
            np.testing.assert_array_equal(made, wanted)

    records = np.zeros(3, [("a", "i4"), ("b", "f8")])
    rest = njit(lambda x: x[1:])(records)
    rest["b"][0] = 5
    assert rest.dtype == records.dtype and records["b"].tolist() == [0, 5, 0]
    fixed = np.arange(3)
    fixed.flags.writeable = False
    assert not njit(lambda x: x[1:])(fixed).flags.writeable and njit(lambda x: x)(fixed) is fixed
    assert njit("float64[:](float64[:])")(lambda x: x)(other) is other


FOUND = np.array([3, 4, 5])


def test_arrays_that_a_function_finds_are_copied(device):
    made = njit(lambda: FOUND)()
    assert made.tolist() == [3, 4, 5] and made.dtype == FOUND.dtype and not np.shares_memory(made, FOUND)


def test_arrays_of_the_device_are_returned():
    x = qn.asarray(np.arange(6.0), device="cpu")
    assert njit(lambda x: x)(x) is x
    tail = njit(lambda x: x[2:])(x)
    assert isinstance(tail, qn.Array) and tail.get().tolist() == [2, 3, 4, 5]
    tail[0] = 9
    assert x.get()[2] == 9
    back = njit(lambda x: x[::-2])(x)
    assert back.get().tolist() == [5, 3, 1]
    rows = qn.asarray(np.arange(12.0).reshape(3, 4), device="cpu")
    assert njit(lambda x: x.T)(rows).get().tolist() == rows.get().T.tolist()


def test_products_are_rounded_as_numba_rounds_them(device):
    def residue(a, b, c):
        return a * b + c

    a, b = 1 + 2.0**-30, 1 - 2.0**-30
    assert njit(residue)(a, b, -1.0) == residue(a, b, -1.0) == 0
    assert njit(fastmath=True)(residue)(a, b, -1.0) in (0, -(2.0**-60))


def test_numbers_are_printed_as_python_prints_them(device, capfd):
    values = [2.5, 3.0, -0.0, 1e16, 1e15, 0.1, 1e-5, 0.0001, math.inf, -math.inf, math.nan, 123456789.125, 5e-324]

    @njit
    def show(x, n, z):
        print(x, n, z, n > 3, "text", (x, n), None)

    for value in values:
        show(value, 7, 1 + 2.5j)
    show(np.float32(0.1), -1, -1.5 - 2j)
    expected = [f"{v!r} 7 (1+2.5j) True text ({v!r}, 7) None" for v in values]
    expected.append(f"{float(np.float32(0.1))!r} -1 (-1.5-2j) False text ({float(np.float32(0.1))!r}, -1) None")
    assert capfd.readouterr().out.splitlines() == expected


def test_types_that_cannot_be_compiled_leave_others_compiled():
    @njit
    def total(x):
        out = x[0]
        for i in range(1, len(x)):
            out = out + x[i]
        return out

    with pytest.warns(qn.FallbackWarning, match="a list"):
        assert total([1, 2, 3]) == 6
    assert total(np.arange(4.0)) == 6 and total.signatures == [(types.Array(types.float64, 1, "C"),)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert total([4, 5]) == 9
        assert total(np.arange(3)) == 3 and len(total.signatures) == 2
