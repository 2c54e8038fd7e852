"""What Python means inside of a kernel: statements, operators, loops, tuples, views, functions. Python itself is the oracle."""

import math
from fractions import Fraction

import numpy as np
import pytest
from kernels import module_of
from quern.kernel import errors
from quern.numba import cuda

TABLE = np.array([3.5, -1.0, 7.25])
LIMIT = 3
PAIR = (2, 0.5)


def elementwise(function, device_function, *columns, out=float):
    """What a kernel makes of each row of the columns."""

    @cuda.jit
    def kernel1(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = device_function(x[i])

    @cuda.jit
    def kernel2(x, y, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = device_function(x[i], y[i])

    result = np.zeros(len(columns[0]), out)
    (kernel1 if len(columns) == 1 else kernel2).forall(len(result))(*columns, result)
    return result


def same(function, *columns, out=None):
    """The kernel's values are Python's."""
    expected = [function(*(v.item() for v in row)) for row in zip(*columns, strict=True)]
    got = elementwise(function, cuda.jit(device=True)(function), *columns, out=out or np.asarray(expected).dtype)
    np.testing.assert_array_equal(got, expected)


INTS = np.array([-7, -3, -2, -1, 0, 1, 2, 3, 5, 12, 100])
DIVISORS = np.array([3, -2, 5, -4, 7, 2, -1, 4, -3, 5, -7])
REALS = np.array([-7.5, -3.0, -0.5, -0.0, 0.0, 0.25, 1.0, 2.5, 1e10, 1e-10, 33.0])


@pytest.mark.parametrize(
    "f",
    [
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * b,
        lambda a, b: a / b,
        lambda a, b: a // b,
        lambda a, b: a % b,
        lambda a, b: a & b,
        lambda a, b: a | b,
        lambda a, b: a ^ b,
        lambda a, b: a << (b & 7),
        lambda a, b: a >> (b & 7),
        lambda a, b: a == b,
        lambda a, b: a != b,
        lambda a, b: a < b,
        lambda a, b: a <= b,
        lambda a, b: a > b,
        lambda a, b: a >= b,
        lambda a, b: -a + ~b,
        lambda a, b: a**2 + b**3,
        lambda a, b: a and b,
        lambda a, b: a or b,
        lambda a, b: not a,
        lambda a, b: a < b < 3,
        lambda a, b: -3 < a <= b != 2,
        lambda a, b: a if a > b else b,
        lambda a, b: min(a, b) + max(a, b, 1),
        lambda a, b: abs(a) + abs(b),
        lambda a, b: a in (1, 2, b),
        lambda a, b: a not in (1, 2, b),
        lambda a, b: int(a / 2.0) + round(b / 4.0),
        lambda a, b: float(a) + bool(b),
        lambda a, b: LIMIT * a + PAIR[0] * b + PAIR[1],
        lambda a, b: divmod(a, b)[0] * 100 + divmod(a, b)[1],
    ],
)
def test_operators_of_integers(device, f):
    same(f, INTS, DIVISORS)


@pytest.mark.parametrize(
    "f",
    [
        lambda a, b: a + b * 2 - 1,
        lambda a, b: a / (b + 100),
        lambda a, b: a // (b + 100),
        lambda a, b: a % (b + 100),
        lambda a, b: a % 3,
        lambda a, b: a // -2,
        lambda a, b: a**2,
        lambda a, b: a < b or a == 2.5,
        lambda a, b: not a,
        lambda a, b: min(a, b) - max(a, 1),
        lambda a, b: abs(a) if a else 5.0,
        lambda a, b: int(a) + math.floor(a) + math.ceil(b),
        lambda a, b: round(a, 1),
    ],
)
def test_operators_of_reals(device, f):
    same(f, REALS, REALS[::-1].copy())


@pytest.mark.parametrize(
    "dtype", [np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32, np.int64, np.uint64, np.float32, np.float64]
)
def test_small_integers_work_in_64_bits(device, dtype):
    x = np.array([0, 1, 5, 100, 127], dtype)

    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = x[i] * x[i] * x[i] + 1

    out = np.zeros(5)
    kernel[1, 32](x, out)
    np.testing.assert_array_equal(out, x.astype(np.float64) ** 3 + 1)


def test_integers_wrap_at_64_bits(device):
    x = np.array([2**62, -(2**63), 2**63 - 1])

    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if i < 3:
            out[i] = x[i] * 2 + x[i]

    out = np.zeros(3, np.int64)
    kernel[1, 3](x, out)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(out, x * 2 + x)


def test_division_by_zero_is_not_an_error(device):
    @cuda.jit
    def kernel(x, y, quotient, modulus, real):
        i = cuda.grid(1)
        if i < 3:
            quotient[i] = x[i] // y[i]
            modulus[i] = x[i] % y[i]
            real[i] = x[i] / y[i]

    x, y = np.array([5, -5, 0]), np.zeros(3, np.int64)
    q, m, r = np.ones(3, np.int64), np.ones(3, np.int64), np.ones(3)
    kernel[1, 3](x, y, q, m, r)
    assert not q.any() and not m.any()
    np.testing.assert_array_equal(r, [np.inf, -np.inf, np.nan])


def while_loop(n):
    total = 0
    while n > 0:
        n -= 1
        if n % 3 == 0:
            continue
        if n > 40:
            break
        total += n
    else:
        total += 1000
    return total


def for_loops(n):
    total = 0
    for i in range(n):
        for j in range(i, 0, -2):
            if j == 3:
                break
            total += i * j
        else:
            total += 7
    for k in range(10, n):
        total += k
    return total


def over_tuples(n):
    total = 0.0
    for x in (1, 2.5, n):
        total += x * 2
    for i, x in enumerate((n, 4, 5)):
        total += i * x
    for a, b in zip((1, 2), (n, 3)):  # noqa: B905
        total += a * b
    return total


def unpacked(n):
    a, b = n, 1
    a, b = b, a + b
    (c, d), e = (a, b), 3
    t = (a, b, c)
    u = t + (d, e)
    return u[0] + 10 * u[1] + 100 * u[-1] + len(u) + t[1:][1]


def branches(n):
    if n < 2:
        x = 1
    elif n < 5:
        x = 2.5
    else:
        x = n
    y = 0
    if n:
        y = x
    return x + y


def nested_conditions(n):
    x = 5 if n > 3 else (2 if n > 1 else 0)
    if n > 0 and (n < 4 or n == 7):
        return x + 1
    if not n:
        return -1
    return x


def augmented(n):
    x = n
    x += 3
    x *= 2
    x -= 1
    x //= 2
    x %= 7
    x <<= 2
    x |= 1
    x ^= 5
    x **= 2
    y = float(x)
    y /= 3
    return y


def helper(x, k=2):
    return x * k


def calls(n):
    return helper(n, 3) + helper(n, 1) + recursive(n if n < 6 else 6)


def recursive(n):
    if n <= 1:
        return 1
    return n * recursive(n - 1)


def digits(n):
    if n < 7:
        return n
    return (n % 7) + 10 * digits(n // 7) + (n << 2) % (n >> 1) + int(n * 0.4) // 2


def with_default(n):
    return helper(n) + helper(n, k=5)


def constant_tables(n):
    return TABLE[n % 3] + TABLE.size + TABLE.shape[0]


@pytest.mark.parametrize(
    "f",
    [while_loop, for_loops, over_tuples, unpacked, branches, nested_conditions, augmented, calls, digits, with_default, constant_tables],
)
def test_statements(device, f):
    same(f, np.arange(0, 60))


def test_a_function_that_calls_itself_divides_and_shifts_as_kernels_do(device):
    @cuda.jit(device=True)
    def folded(n, by):
        if n <= 0:
            return 0
        return folded(n - 1, by - 1) + 7 // by * 0 + (1 << (n + 60)) // 2**62 + 9 % by * 0

    @cuda.jit
    def kernel(out):
        out[0] = folded(3, 2)  # divides by 2, 1, 0

    out = np.zeros(1, np.int64)
    kernel[1, 1](out)
    assert out[0] == -1


def test_closures_are_constants(device):
    def scaled(by):
        @cuda.jit
        def kernel(x):
            i = cuda.grid(1)
            if i < x.size:
                x[i] *= by

        return kernel

    x = np.ones(4)
    scaled(3)[1, 4](x)
    scaled(0.5)[1, 4](x)
    np.testing.assert_array_equal(x, np.full(4, 1.5))


# ---- arrays


def test_arrays_of_several_dimensions(device):
    @cuda.jit
    def kernel(a, b, out):
        i, j = cuda.grid(2)
        if i < a.shape[0] and j < a.shape[1]:
            out[i, j] = a[i, j] + b[j, i] * a[-1, -1] + a[i][j]

    a = np.arange(12.0).reshape(3, 4)
    b = np.arange(12.0).reshape(4, 3)
    for left in (a, np.asfortranarray(a), np.arange(48.0).reshape(6, 8)[::2, ::2]):
        out = np.zeros((3, 4))
        kernel[(2, 2), (2, 2)](left, b, out)
        np.testing.assert_array_equal(out, left + b.T * left[-1, -1] + left)


def test_a_grid_over_three_dimensions(device):
    @cuda.jit
    def kernel(out):
        i, j, k = cuda.grid(3)
        n, m, o = cuda.gridsize(3)
        if i < out.shape[0] and j < out.shape[1] and k < out.shape[2]:
            out[i, j, k] = i * 100 + j * 10 + k + n * 1000 + m * 0 + o * 0

    out = np.zeros((3, 4, 5), np.int64)
    kernel[(2, 2, 3), (2, 2, 2)](out)
    i, j, k = np.indices(out.shape)
    np.testing.assert_array_equal(out, i * 100 + j * 10 + k + 4000)


def test_views_and_slices(device):
    @cuda.jit
    def kernel(a, out):
        i = cuda.grid(1)
        if i < a.shape[0]:
            line = a[i]
            part = line[1:-1]
            back = a[i, ::-1]
            column = a[:, 1]
            total = 0.0
            for x in part:
                total += x
            out[i] = total + back[0] + column[0] + part.size + len(back) + a[i, 1:3].shape[0] + a.T[1, i] + a[..., 0][i]

    a = np.arange(20.0).reshape(4, 5)
    out = np.zeros(4)
    kernel[1, 4](a, out)
    np.testing.assert_array_equal(out, [r[1:-1].sum() + r[-1] + a[0, 1] + 3 + 5 + 2 + r[1] + r[0] for r in a])


def test_slices_are_written(device):
    @cuda.jit
    def kernel(a, b):
        i = cuda.grid(1)
        if i < a.shape[0]:
            a[i, 1:3] = 7
            a[i, 3:] = b[i]
            a[i, 0] += 1
            row = b[i]
            row[0] = i

    a, b = np.zeros((3, 5)), np.arange(6.0).reshape(3, 2)
    expected_b = b.copy()
    expected = np.zeros((3, 5))
    expected[:, 1:3] = 7
    expected[:, 3:] = b
    expected[:, 0] += 1
    expected_b[:, 0] = np.arange(3)
    kernel[1, 4](a, b)
    np.testing.assert_array_equal(a, expected)
    np.testing.assert_array_equal(b, expected_b)


@pytest.mark.parametrize("dtype", [bool, "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_element_types(device, dtype):
    @cuda.jit
    def kernel(a, out):
        i = cuda.grid(1)
        if i < a.size:
            out[i] = a[i]

    a = np.array([0, 1, 1, 0, 1]).astype(dtype)
    out = np.zeros(5, dtype)
    kernel[1, 8](a, out)
    np.testing.assert_array_equal(out, a)


def test_complex_numbers(device):
    @cuda.jit
    def kernel(a, out, parts):
        i = cuda.grid(1)
        if i < a.size:
            z = a[i]
            out[i] = (z * z.conjugate() + 2j * z - 1) / (z + 3) + complex(z.real, -z.imag) ** 2
            parts[i] = abs(z) + z.imag

    for dtype, digits in (("c8", 1e-5), ("c16", 1e-13)):
        a = np.array([1 + 2j, -0.5j, 3, 0.25 - 4j]).astype(dtype)
        out, parts = np.zeros(4, dtype), np.zeros(4)
        kernel[1, 4](a, out, parts)
        np.testing.assert_allclose(out, (a * a.conj() + 2j * a - 1) / (a + 3) + a.conj() ** 2, rtol=digits)
        np.testing.assert_allclose(parts, abs(a) + a.imag, rtol=digits)


def test_tuples_and_none_as_arguments(device):
    @cuda.jit
    def kernel(arrays, numbers, nothing, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = arrays[0][i] + arrays[1][i] * numbers[0] + numbers[1][1]
            if nothing is not None:
                out[i] = -1

    a, b, out = np.arange(4.0), np.arange(4, dtype=np.int32), np.zeros(4)
    kernel[1, 4]((a, b), (2, (1, 0.5)), None, out)
    np.testing.assert_array_equal(out, a + b * 2 + 0.5)


# ---- what is refused


def fails(function, *args, kind=errors.KernelError):
    with pytest.raises(kind) as caught:
        cuda.jit(function)[1, 1](*args)
    text = str(caught.value)
    assert __file__ in text and "^" in text, text
    return text


def test_messages_show_the_place(device):
    def unknown(x):
        x[0] = nothing_of_that_name + 1  # noqa: F821

    text = fails(unknown, np.zeros(1))
    assert "nothing_of_that_name" in text and "x[0] = nothing_of_that_name + 1" in text
    caret = text.splitlines()[-1]
    assert caret.strip("^ ") == "" and caret.count("^") == len("nothing_of_that_name")


def test_what_kernels_do_not_have(device):
    def tries(x):
        try:
            x[0] = 1
        except ValueError:
            pass

    def with_statement(x):
        with x:
            pass

    def comprehension(x):
        x[0] = sum([i for i in range(3)])

    def generator(x):
        yield x

    def returns(x):
        return x[0]

    def changes_type(x):
        y = 1
        if x[0] > 1:
            y = x
        x[0] = y

    def too_many_indices(x):
        x[0, 0] = 1

    def real_index(x):
        x[1.5] = 1

    def no_attribute(x):
        x[0] = x.nothing

    def to_real(x):
        x[0] = 1j

    def text_value(x):
        x[0] = "a"

    for function in (
        *(tries, with_statement, comprehension, generator, returns, changes_type, too_many_indices, real_index),
        *(no_attribute, to_real, text_value),
    ):
        fails(function, np.zeros(2))


def test_a_read_only_array_is_not_written(device):
    def writes(x):
        x[0] = 1

    x = np.zeros(3)
    x.flags.writeable = False
    assert "read-only" in fails(writes, x)


def test_leaving_a_loop_over_a_tuple(device):
    def f(n):
        total = 0.0
        for x in (1, 2.5, n, 7):
            if x == 2.5:
                continue
            if x > 6:
                break
            total += x
        else:
            total += 100
        return total

    same(f, np.arange(0, 10))


def test_a_kernel_with_defaults(device):
    @cuda.jit
    def kernel(x, by=3, plus=0.5):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = x[i] * by + plus

    x = np.arange(3.0)
    kernel[1, 4](x)
    kernel[1, 4](x, 2)
    np.testing.assert_array_equal(x, (np.arange(3.0) * 3 + 0.5) * 2 + 0.5)
    with pytest.raises(errors.TypingError, match="it takes 1 to 3 arguments, not 4"):
        kernel[1, 4](x, 1, 2, 3)


def test_lambdas_of_one_line_are_distinguished(device):
    first, second = cuda.reduce(lambda a, b: max(a, b)), cuda.reduce(lambda a, b: min(a, b))
    x = np.array([3.0, 1, 2])
    assert (first(x), second(x)) == (3, 1)
    k, m = 5, 6  # loaded otherwise than a lambda by itself would load them
    assert [cuda.reduce(f)(x) for f in (lambda a, b: max(a, b, k), lambda a, b: max(a, b, m))] == [5, 6]
    for f in (lambda a, b: np.maximum(a, b), lambda a, b: np.minimum(a, b)):
        assert cuda.reduce(f)(x) == f(*[f(x[0], x[1]), x[2]])


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_bits_of_each_type(device, dtype):
    @cuda.jit
    def kernel(a, out, turned):
        i = cuda.grid(1)
        out[0, i] = cuda.popc(a[i])
        out[1, i] = cuda.clz(a[i])
        out[2, i] = cuda.ffs(a[i])
        turned[i] = cuda.brev(a[i])

    bits = np.dtype(dtype).itemsize * 8
    patterns = [0, 1, 6, 2**bits - 1, 2 ** (bits - 1), 2 ** (bits - 2) + 4]
    a = np.array(patterns, f"u{bits // 8}").view(dtype)
    out, turned = np.zeros((3, 6), np.int64), np.zeros(6, np.uint64)
    kernel[1, 6](a, out, turned)
    np.testing.assert_array_equal(out[0], [bin(p).count("1") for p in patterns])
    np.testing.assert_array_equal(out[1], [bits - p.bit_length() for p in patterns])
    np.testing.assert_array_equal(out[2], [(p & -p).bit_length() for p in patterns])
    wide = [int(v) for v in a] if dtype == "u8" else [int(v) & 0xFFFFFFFF for v in a]  # Numba has 32 bits for all others
    np.testing.assert_array_equal(turned, [int(f"{p:0{64 if dtype == 'u8' else 32}b}"[::-1], 2) for p in wide])

    @cuda.jit
    def bit_reversed(out):
        i = cuda.grid(1)
        out[i] = cuda.brev(i) >> 29

    order = np.zeros(8, np.int64)
    bit_reversed[1, 8](order)
    assert order.tolist() == [0, 4, 2, 6, 1, 5, 3, 7]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_numbers_of_cuda(device, dtype):
    """fma rounds once; cbrt takes negative numbers; pow is an operator's."""

    @cuda.jit
    def kernel(x, y, z, out):
        i = cuda.grid(1)
        out[0, i] = cuda.fma(x[i], y[i], z[i])
        out[1, i] = cuda.cbrt(x[i])
        out[2, i] = pow(x[i], 3) + pow(2, 5)
        out[3, i] = cuda.gridDim.x * 100 + cuda.gridDim.y * 10 + cuda.gridDim.z

    eps = np.finfo(dtype).eps
    x, y, z = np.array([1 + eps, -8, 0.5], dtype), np.array([1 - eps, 3, 2], dtype), np.array([-1, 1, 1], dtype)
    out = np.zeros((4, 3), dtype)
    kernel[(1, 2, 3), 3](x, y, z, out)
    exact = [Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c)) for a, b, c in zip(x, y, z, strict=True)]
    np.testing.assert_array_equal(out[0], np.array([float(v) for v in exact], dtype))
    np.testing.assert_allclose(out[1], np.cbrt(x.astype(float)), rtol=4 * eps)
    np.testing.assert_allclose(out[2], x.astype(float) ** 3 + 32, rtol=4 * eps)
    np.testing.assert_array_equal(out[3], np.full(3, 123))


@pytest.mark.parametrize(
    "name",
    "array blockDim blockIdx clock_t const_cast double exp gridDim none_given offsetof size_t slice_of static_assert static_cast std template "
    "threadIdx uint ushort warpSize CUDA_VERSION NULL half dim3 float4 uint3 int64_t cudaStream_t größe θ fill view from_end __init__".split(),
)
def test_names_that_mean_something_in_cuda(device, tmp_path, name):
    """Kernels, functions that they call, parameters and variables may have them."""
    text = f"""@cuda.jit(device=True)
def {name}({name}):
    return {name} * 2


double_of = {name}


@cuda.jit
def {name}(x, {name}):
    part = x[1:]
    part[0] = double_of(x[{name}]) + cuda.threadIdx.x + round(x[0], 2)
    {name} = -2
    x[2:4] = {name}
"""
    x = np.arange(5.0)
    getattr(module_of(tmp_path, text), name)[1, 1](x, -1)
    np.testing.assert_array_equal(x, [0, 8, -2, -2, 4])


def test_shapes_from_variables_that_are_assigned_once(device, tmp_path):
    kernel = module_of(
        tmp_path,
        """
@cuda.jit
def kernel(out):
    n = 4
    m, w = 2 * n, 3
    shape = (n, m)
    own = cuda.local.array(shape, np.float32)
    together = cuda.shared.array((m, w - 1), np.int32)
    for i in range(n):
        for j in range(m):
            own[i, j] = i * j
    together[3, 1] = 5
    out[0] = own[3, 7] + together[3, 1]
    out[1], out[2] = own.size, together.size
""",
    ).kernel
    out = np.zeros(3)
    kernel[1, 1](out)
    assert out.tolist() == [26, 32, 16]


def test_a_variable_that_changes_is_no_shape(device, tmp_path):
    kernel = module_of(
        tmp_path,
        """
@cuda.jit
def kernel(out):
    n = 4
    n += 1
    own = cuda.local.array(n, np.float32)
    out[0] = own[0]
""",
    ).kernel
    with pytest.raises(errors.TypingError, match="the shape of an array of the kernel's own must be known when the kernel is compiled"):
        kernel[1, 1](np.zeros(1))


# ---- assignments within expressions


@cuda.jit(device=True)
def next_of(n):
    return n // 2 if n % 2 == 0 else 3 * n + 1


@cuda.jit
def assigned_within(a, n):
    count = 0
    while (n := next_of(n)) != 1:
        count += 1
    a[0] = count
    if (m := a[0] * 2) > 10 and (p := m + 1) > 3:
        a[1] = m + p
    a[2] = (q := 5) + q * 2
    a[3] = (r := 1.5) if a[0] > 1000 else (r := 2)
    a[4] = r
    if a[0] < 0 and (z := next_of(3)) > 1:
        a[5] = z
    else:
        a[5] = -1
    a[(i := 6)] = 6
    a[6] += i
    x = 3
    if x > 1 and (x := x + 1) > 3:
        a[7] = x
    for j in range(t := 3):
        a[8] += j * t
    a[9] = max((u := 4), u + 1)
    i = 0
    while i < 3 and (v := a[i]) >= 0:
        i += 1
        a[10] += v


def test_assignments_within_expressions(device):
    for n in (7, 27, 2):
        expected, out = np.zeros(11), np.zeros(11)
        count, m = 0, n
        while (m := m // 2 if m % 2 == 0 else 3 * m + 1) != 1:
            count += 1
        expected[:10] = count, 4 * count + 1 if count > 5 else 0, 15, 2, 2, -1, 12, 4, 9, 5
        expected[10] = expected[:3].sum()
        assigned_within[1, 1](out, n)
        assert out.tolist() == expected.tolist()
