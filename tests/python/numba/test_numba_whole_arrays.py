"""Whole arrays in kernels: NumPy's reductions, ufuncs with an array for the results, methods. Each thread does them for itself."""

import numpy as np
import pytest
from kernels import module_of
from quern import cuda, numba
from quern.kernel import errors

TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
LAYOUTS = ["C", "F", "strided"]


def laid_out(values, layout):
    """The values in an array of that layout."""
    if layout == "F":
        return np.array(values, order="F")
    if layout == "C" or not values.ndim:
        return np.array(values, order="C")
    steps = tuple(slice(None, None, 2 if layout == "strided" else -1) for _ in values.shape)
    room = np.zeros(tuple(2 * n if layout == "strided" else n for n in values.shape), values.dtype)
    room[steps] = values
    return room[steps]


def numbers(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    out = rng.integers(0, 4, shape).astype(dtype)
    if out.dtype.kind in "fc":
        out = (out - np.array(1.5).astype(dtype)).astype(dtype)
    if out.dtype.kind == "c":
        out = out + (1j * rng.integers(0, 3, shape)).astype(dtype)
    return np.asarray(out)


# ---- reductions


@cuda.jit
def by_functions(a, r):
    r[0] = np.sum(a)
    r[1] = np.prod(a)
    r[2] = np.mean(a)
    r[3] = np.std(a)
    r[4] = np.var(a)
    r[5] = np.min(a)
    r[6] = np.max(a)
    r[7] = np.all(a)
    r[8] = np.any(a)
    r[9] = np.count_nonzero(a)
    r[10] = np.argmin(a)
    r[11] = np.argmax(a)


@cuda.jit
def by_methods(a, r):
    r[0] = a.sum()
    r[1] = a.prod()
    r[2] = a.mean()
    r[3] = a.std()
    r[4] = a.var()
    r[5] = a.min()
    r[6] = a.max()
    r[7] = a.all()
    r[8] = a.any()
    r[9] = a[...].sum()
    r[10] = a.argmin()
    r[11] = a.argmax()


@cuda.jit
def without_nan(a, r):
    r[0] = np.nansum(a)
    r[1] = np.nanprod(a)
    r[2] = np.nanmean(a)
    r[3] = np.nanstd(a)
    r[4] = np.nanvar(a)
    r[5] = np.nanmin(a)
    r[6] = np.nanmax(a)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_reductions(device, dtype, layout):
    for shape in {"C": [(), (5,), (2, 3, 2)], "F": [(2, 3, 2)], "strided": [(5,), (2, 3, 2)]}[layout]:
        given = laid_out(numbers(shape, dtype), layout)
        with_nan = given.copy(order="K")
        if with_nan.dtype.kind in "fc" and with_nan.size > 1:
            with_nan[(0,) * (len(shape) - 1) + (1,)] = np.nan
        for array, kernel in [(given, by_functions), (given, by_methods), (with_nan, by_functions), (with_nan, without_nan)]:
            out, expected = np.zeros((2, 12), "c16" if given.dtype.kind == "c" else "f8")
            kernel[1, 1](array, out)
            with np.errstate(all="ignore"):
                kernel.py_func(array, expected)
            np.testing.assert_allclose(out, expected, rtol=2e-3 if dtype == "f2" else 1e-6, err_msg=f"{kernel.__name__}{shape}")


ARRAYS = (np.arange(3), np.arange(6.0).reshape(2, 3), np.array(7.5), np.array([True, True]), np.array([1 + 2j]).real)


@cuda.jit
def of_constants(r):
    i = 0
    for a in numba.literal_unroll(ARRAYS):
        r[i] = np.sum(a)
        i += 1


@cuda.jit
def of_none(a, r):
    r[0] = np.sum(a)
    r[1] = np.prod(a)
    r[2] = np.all(a)
    r[3] = np.any(a)


@cuda.jit
def of_own(r):
    a = cuda.local.array((2, 2), np.float32)
    a[...] = 2
    a[1, 0] = 5
    r[0] = a.sum()
    r[1] = a[0].max()
    r[2] = np.sum(a[:, 0], dtype=np.float64)
    r[3] = np.ptp(a)


def test_reductions_of_constants_of_parts_and_of_nothing(device):
    out = np.zeros(5)
    of_constants[1, 1](out)
    np.testing.assert_array_equal(out, [3, 15, 7.5, 2, 1])
    of_none[1, 1](np.zeros(0), out)
    np.testing.assert_array_equal(out[:4], [0, 1, 1, 0])
    of_own[1, 1](out)
    np.testing.assert_array_equal(out[:4], [11, 2, 7, 3])


def test_an_axis_is_refused(device, tmp_path):
    kernel = module_of(tmp_path, "@cuda.jit\ndef kernel(a, r):\n    r[0] = np.sum(a, axis=0)[0]\n").kernel
    with pytest.raises(errors.TypingError, match=r"numpy.sum takes an array in a kernel, and reduces all of it"):
        kernel[1, 1](np.zeros((2, 2)), np.zeros(1))


# ---- ufuncs

ONE = [
    *("sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh deg2rad radians rad2deg degrees".split()),
    *("exp exp2 expm1 log log2 log10 log1p sqrt cbrt square absolute fabs negative floor ceil trunc rint".split()),
    *("isnan isinf isfinite signbit logical_not conjugate sign reciprocal positive spacing".split()),
]
TWO = [
    *("add subtract multiply divide true_divide power arctan2 hypot fmod remainder floor_divide copysign nextafter".split()),
    *("greater greater_equal less less_equal equal not_equal logical_and logical_or logical_xor maximum minimum fmax fmin".split()),
    *("logaddexp logaddexp2 heaviside float_power".split()),
]
INTEGERS = "bitwise_and bitwise_or bitwise_xor left_shift right_shift invert bitwise_not gcd lcm sign positive".split()


def ufunc_kernel(folder, name):
    ufunc = getattr(np, name)
    inputs = ["x", "y"][: ufunc.nin]
    given = ", ".join(inputs)
    return module_of(folder, f"@cuda.jit\ndef kernel({given}, r):\n    np.{name}({given}, r)\n").kernel


@pytest.mark.parametrize("name", ONE + TWO)
def test_ufuncs_write_into_arrays(device, tmp_path, name):
    kernel, ufunc = ufunc_kernel(tmp_path, name), getattr(np, name)
    has_complex = any(t.startswith("D" * ufunc.nin) for t in ufunc.types)
    for dtype in ["f8", "f4", *["c16"] * (has_complex and name not in ("log2", "exp2", "logical_not", "isinf", "isfinite", "isnan", "rint"))]:
        for shape, layouts in [((6,), ("C", "strided")), ((2, 3), ("F", "C")), ((2, 3), ("reversed", "F"))]:
            x = np.linspace(0.1, 0.9, 6).reshape(shape).astype(dtype)
            x = x + 1 if name == "arccosh" else x
            given = [laid_out(x, layouts[0]), laid_out(x[::-1] + (1 if dtype == "c16" else 0), layouts[1])][: ufunc.nin]
            expected = ufunc(*given)
            out = laid_out(np.zeros(shape, expected.dtype), layouts[1])
            kernel[1, 1](*given, out)
            np.testing.assert_allclose(out, expected, rtol=1e-5 if dtype == "f4" else 1e-12)


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8"])
def test_ufuncs_of_integers(device, tmp_path, name, dtype):
    kernel, ufunc = ufunc_kernel(tmp_path, name), getattr(np, name)
    given = [np.arange(6, dtype=dtype), np.array([1, 2, 0, 3, 1, 2], dtype)][: ufunc.nin]
    expected = ufunc(*given)
    out = np.zeros_like(expected)
    kernel[1, 1](*given, out)
    np.testing.assert_array_equal(out, expected)


@cuda.jit
def chained(x, y, r):
    t = cuda.local.array(3, np.float64)
    np.add(x, 1, t)
    np.multiply(t, y, out=t)
    r[0] = np.sqrt(t, t).sum()
    np.subtract(2, x[::-1], r[1:])
    np.maximum(r[1:], y[0], r[1:])


@cuda.jit
def repeated(x, y, r):
    np.multiply(x, y, r)


@cuda.jit
def small(x, r):
    np.add(x, 200, r)


def test_numbers_axes_of_one_element_and_own_arrays(device):
    x, y, out = np.array([1.0, 2, 3]), np.array([2.0, 4, 8]), np.zeros(4)
    chained[1, 1](x, y, out)
    np.testing.assert_allclose(out, [np.sqrt((x + 1) * y).sum(), *np.maximum(2 - x[::-1], 2)])
    out = np.zeros((2, 3, 4))
    x, y = np.arange(6.0).reshape(2, 3, 1), np.arange(4.0)
    repeated[1, 1](x, y, out)
    np.testing.assert_array_equal(out, x * y)
    bytes_ = np.arange(100, 104, dtype=np.uint8)
    into = np.zeros(4, np.uint8)
    small[1, 1](bytes_, into)  # the number takes the array's type
    np.testing.assert_array_equal(into, bytes_ + np.uint8(200))


@pytest.mark.parametrize(
    "text, said",
    [
        ("np.sin(x, k)", "numpy.sin makes float64, which cannot be cast to an array of int32"),
        ("np.sin(x)", "numpy.sin of whole arrays takes 2 arrays"),
        ("np.add(x, k, 5)", "the results go into an array, not into int64"),
        ("np.add(m, x, x)", "more dimensions than the array for the results"),
        ("np.add(x, x, x, where=x)", "takes its arrays and `out`"),
    ],
)
def test_what_ufuncs_refuse(device, tmp_path, text, said):
    kernel = module_of(tmp_path, f"@cuda.jit\ndef kernel(x, k, m):\n    {text}\n").kernel
    with pytest.raises(errors.TypingError, match=said):
        kernel[1, 1](np.zeros(3), np.zeros(3, np.int32), np.zeros((3, 3)))


def test_lengths_that_do_not_fit_end_the_thread(device):
    out = np.full((2, 3), 5.0)
    repeated[1, 1](np.zeros(2), np.zeros(3), out)
    np.testing.assert_array_equal(out, 5)


# ---- methods


@cuda.jit
def reshaped(a, r):
    b = a.reshape(3, 4)
    r[0] = b[2, 1]
    c = a.reshape((2, -1))
    r[1] = c[1, 0] + c.shape[1]
    d = np.reshape(b, (2, 3, 2))
    r[2] = d[1, 2, 0]
    d[1, 1, 1] = 100
    e = b.ravel()
    e[0] = 50
    r[3] = b.reshape(-1).shape[0]
    r[4] = b[1:].reshape(8)[3]
    r[5] = a.reshape(1, a.size)[0, -1]


@cuda.jit
def as_other_types(a, r):
    b = a.view(np.int32)
    r[0] = b.shape[0]
    b[1] = 7
    r[1] = a[2:6].view(np.uint8).shape[0]
    r[2] = a.view("float32")[3]
    c = a[::2].view(np.uint32)
    c[0] = 0x40000000
    r[3] = a[0]
    r[4] = a.view(np.float64)[1] == 0


@cuda.jit
def copies(a, r):
    b = a.copy()
    b[0, 0] = 100
    r[0] = a[0, 0]
    r[1] = b.sum()
    c = a.flatten()
    c[1] = 9
    r[2] = c.size + a[0, 1]
    d = a.T.ravel()
    r[3] = d[1]
    e = a.astype(np.int32)
    r[4] = e[1, 1] / 2
    total = 0.0
    for i in range(3):
        f = a[i].copy()
        f[0] += i
        total += f.sum()
    r[5] = total


@cuda.jit
def walked(a, r, places):
    k = 0
    for v in a.flat:
        r[0, k] = v
        k += 1
    for i, v in enumerate(a.flat):
        r[1, i] = v
    for i, j in np.ndindex(a.shape):
        r[2, i * a.shape[1] + j] = a[i, j]
    for at, v in np.ndenumerate(a):
        r[3, at[0] * a.shape[1] + at[1]] = v + a[at]
    for at in np.ndindex(2, 3):
        places[at] = at[0] * 10 + at[1]
    for i in range(len(a.flat)):
        a.flat[i] += i
    a.flat[-1] = 100
    r[4, 0] = a.flat[1]
    for (i,) in np.ndindex(3):
        if i == 2:
            break
        r[5, i] = i + 1


@cuda.jit
def parts(z, r):
    z.real[0] = 5
    z.imag[1] += 2
    cuda.atomic.add(z.real, 2, 10)
    cuda.atomic.max(z.imag, (2,), 10)
    r[0] = z.real.sum()
    r[1] = z.imag[::2].sum()
    r[2] = r.real[0]


@cuda.jit
def turned(a, r):
    b = a.transpose(2, 0, 1)
    r[0] = b[3, 1, 2]
    r[1] = b.shape[0] * 100 + b.shape[1] * 10 + b.shape[2]
    c = np.transpose(a, (1, 0, 2))
    r[2] = c[2, 1, 3]
    r[3] = a.transpose()[3, 2, 1]
    c[0, 0, 0] = -1
    a[0].fill(4)
    r[4] = a.item(5) + a.item(1, 2, 3) + np.shape(a)[1] + np.ndim(a) + np.size(a)


def test_reshape(device):
    a, out = np.arange(12.0), np.zeros(6)
    reshaped[1, 1](a, out)
    np.testing.assert_array_equal(out, [9, 12, 10, 12, 7, 11])
    assert (a[0], a[9]) == (50, 100)


def test_view(device):
    a, out = np.zeros(8, np.float32), np.zeros(5)
    a[3] = 1.5
    as_other_types[1, 1](a, out)
    np.testing.assert_array_equal(out, [8, 16, 1.5, 2, 0])
    assert a.view(np.int32)[1] == 7


@pytest.mark.parametrize("layout", LAYOUTS)
def test_copies(device, layout):
    a, out = laid_out(np.arange(12.0).reshape(3, 4), layout), np.zeros(6)
    copies[1, 1](a, out)
    np.testing.assert_array_equal(out, [0, 166, 13, 4, 2.5, 69])
    np.testing.assert_array_equal(a, np.arange(12.0).reshape(3, 4))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["i2", "f4", "f8"])
def test_walks(device, layout, dtype):
    a = laid_out(np.arange(6).reshape(2, 3).astype(dtype), layout)
    out, places, expected = np.zeros((6, 6)), np.zeros((2, 3)), np.zeros((6, 6))
    walked[1, 1](a, out, places)
    expected[:3], expected[3] = np.arange(6), 2 * np.arange(6)
    expected[4, 0], expected[5, :2] = 2, [1, 2]
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(places, [[0, 1, 2], [10, 11, 12]])
    np.testing.assert_array_equal(a, [[0, 2, 4], [6, 8, 100]])


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_parts_of_complex_numbers(device, dtype, layout):
    z, out = laid_out(np.array([1 + 1j, 2 + 2j, 3 + 3j], dtype), layout), np.zeros(3)
    parts[1, 1](z, out)
    np.testing.assert_array_equal(z, np.array([5 + 1j, 2 + 4j, 13 + 10j]))
    np.testing.assert_array_equal(out, [20, 11, 20])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_axes_in_another_order(device, layout):
    a, out = laid_out(np.arange(24.0).reshape(2, 3, 4), layout), np.zeros(5)
    turned[1, 1](a, out)
    np.testing.assert_array_equal(out, [23, 423, 23, 23, 4 + 23 + 3 + 3 + 24])
    assert (a[0] == 4).all()


@cuda.jit
def does_not_fit(a, r):
    r[0] = 1
    b = a.reshape(5, 5)
    r[1] = b[0, 0]


def test_a_shape_that_does_not_fit_ends_the_thread(device):
    out = np.zeros(2)
    does_not_fit[1, 1](np.ones(12), out)
    np.testing.assert_array_equal(out, [1, 0])


@pytest.mark.parametrize(
    "text, said",
    [
        ("r[0] = a.T.reshape(12)[0]", "is not reshaped in a kernel; the array lies with gaps, or may"),
        ("r[0] = a.transpose(0, 0)[0, 0]", "are each named once"),
        ("r[0] = r.imag[0]", "the imaginary parts of .* are all 0"),
        ("r[0] = of_copy(a)[0]", "it makes copies of arrays, which end with the call"),
        ("for x in a.T.flat[1:]: r[0] = x", "a part of .flat is one element"),
    ],
)
def test_what_methods_refuse(device, tmp_path, text, said):
    head = "@cuda.jit(device=True)\ndef of_copy(a):\n    b = a.copy()\n    return b[0]\n"
    kernel = module_of(tmp_path, f"{head}@cuda.jit\ndef kernel(a, r):\n    {text}\n").kernel
    with pytest.raises(errors.KernelError, match=said):
        kernel[1, 1](np.zeros((3, 4)), np.zeros(3))
