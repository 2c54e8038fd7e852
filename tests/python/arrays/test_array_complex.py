"""Functions of complex numbers compared with NumPy: NaN, infinities and signs of zeros exactly, ordinary values to a few digits."""

import numpy as np
import pytest
import quern as qn
from kernels import module_of

pytestmark = pytest.mark.usefixtures("tier", "quiet")

TYPES = ["complex64", "complex128"]
ONE = (
    "positive negative conjugate absolute sign square reciprocal sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh "
    "arcsin arccos arctan arcsinh arccosh arctanh isnan isinf isfinite rint"
).split()
TWO = (
    "add subtract multiply true_divide power maximum minimum fmax fmin equal not_equal less less_equal greater greater_equal "
    "logical_and logical_or logical_xor"
).split()
# Where the special values are not NumPy's, and why.
EXCEPTIONS = {
    "multiply": "NumPy's vector loops round a * c - b * d once, so they differ between machines: here each product is rounded",
    "square": "as multiply",
    "log1p": "NumPy rounds 1 + z first, which leaves nothing of a small z: here it stays",
}
# Functions of which each part has few wrong digits, whatever the sizes of the parts.
EVERYWHERE = "sqrt arcsin arccos arctan arcsinh arccosh arctanh".split()


def grid(dtype):
    """All pairs of special parts."""
    real = np.dtype(dtype).type(0).real.dtype
    huge, small, overflows = (1e300, 1e-320, 800) if real == np.float64 else (1e38, 1e-40, 100)
    parts = np.array([0.0, -0.0, 1, -1, 0.5, -2, 7, overflows, -overflows, huge, -huge, small, np.inf, -np.inf, np.nan], real)
    z = np.empty((len(parts), len(parts)), dtype)
    z.real, z.imag = parts[:, None], parts
    return z.reshape(-1)


def in_two_ways(name, *operands):
    """Alone, and at the end of a group of operations that change nothing."""
    f = getattr(qn, name)
    yield f(*map(qn.asarray, operands))
    yield f(*[qn.negative(qn.negative(qn.asarray(x))) for x in operands])


def plainly(name, a, b):
    """The product with each step rounded."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape), a.dtype)
    out.real = a.real * b.real - a.imag * b.imag
    out.imag = a.real * b.imag + a.imag * b.real
    return out


def check_special(name, got, want, operands):
    got = qn.asnumpy(got)
    assert got.dtype == want.dtype
    for x, y in [(got.real, want.real), (got.imag, want.imag)] if want.dtype.kind == "c" else [(got, want)]:
        if want.dtype == bool:
            wrong = x != y
        else:
            wrong = (np.isnan(x) != np.isnan(y)) | (np.isinf(x) != np.isinf(y)) | (np.isinf(x) & (x != y))
            zero = y == 0
            if name == "log1p":
                zero &= (x == 0) | (abs(operands[0]) > 0.1)
            # C99 leaves open the sign of a zero that is made of a NaN, or by exp() of an infinite angle.
            known = ~np.isnan(np.array(operands)).any(axis=0)
            if name == "exp":
                known &= ~np.isinf(operands[0].imag)
            wrong |= zero & ((x != 0) | (known & (np.signbit(x) != np.signbit(y))))
        assert not wrong.any(), (name, [(*(o[i] for o in operands), got[i], want[i]) for i in np.flatnonzero(wrong)[:5]])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ONE)
def test_special_values(device, name, dtype):
    z = grid(dtype)
    want = plainly(name, z, z) if name == "square" else getattr(np, name)(z)
    for got in in_two_ways(name, z):
        check_special(name, got, want, [z])
    check_special(name, getattr(qn, name)(qn.asarray(z[3:])), want[3:], [z[3:]])  # other ones are left over after the vectors


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", TWO)
def test_special_pairs(device, name, dtype):
    z = grid(dtype)
    a, b = (np.ascontiguousarray(x).reshape(-1) for x in np.broadcast_arrays(z[:, None], z))
    want = plainly(name, a, b) if name == "multiply" else getattr(np, name)(a, b)
    for got in in_two_ways(name, a, b):
        if name == "power":
            check_power(qn.asnumpy(got), want, a, b)
        else:
            check_special(name, got, want, [a, b])


def check_power(got, want, a, b):
    """Whole powers are products, which NumPy's compiler may round once: compared where no intermediate value overflows."""
    whole = (b.imag == 0) & (abs(b.real) < 100) & (b.real != 0)
    ordinary = ~whole | (np.isfinite(a) & (abs(a.real) < 1e30) & (abs(a.imag) < 1e30))
    # Where the angle is far beyond what its digits tell, so is the direction; and beside an axis, of what is 0 or infinite.
    with np.errstate(all="ignore"):
        turns = abs((b * np.log(a)).imag)
        axis = np.minimum(abs(np.sin(turns)), abs(np.cos(turns))) < 1e-4  # on which side of it?
    ordinary &= ~(((turns > 1e5) | ((np.isinf(want) | (want == 0)) & axis & (turns != 0))) & np.isfinite(a) & np.isfinite(b))
    ordinary &= ~((want == 0) & ~np.isfinite(turns))  # a zero in no direction
    check_special("power", got[ordinary], want[ordinary], [a[ordinary], b[ordinary]])


@pytest.mark.parametrize("dtype", TYPES)
def test_extremes_of_arrays(device, dtype):
    z = grid(dtype)
    for name in ("max", "min"):
        for part in (z[~np.isnan(z)], z[:15], z[20:40]):  # at most one NaN, as which one it is depends on the order
            check_special(name, getattr(qn, name)(qn.asarray(part)).reshape(1), getattr(np, name)(part).reshape(1), [part[:1]])


def wrong_digits(got, want, dtype):
    """The distances in units of the last place of `dtype`; below the normal numbers in units of the smallest one's."""
    info = np.finfo(dtype)
    with np.errstate(all="ignore"):
        out = abs(got.astype(want.dtype) - want) / np.maximum(abs(want), info.tiny) / info.eps
    return np.where(np.isfinite(want) & (abs(want) < info.max), out, 0)


def in_wide(name, z):
    """NumPy's value in a wider type; its log1p of a small number has lost what is wanted there too."""
    want = getattr(np, name)(z)
    if name == "log1p":
        small = abs(z) < 0.5
        want.real[small] = np.log1p(z.real * (2 + z.real) + z.imag**2)[small] / 2
    return want


@pytest.mark.parametrize("scale", [1e-5, 0.1, 1, 3, 30])
@pytest.mark.parametrize("dtype", TYPES)
def test_ordinary_values(device, dtype, scale):
    rng = np.random.default_rng(5)
    z = ((rng.normal(size=5000) + 1j * rng.normal(size=5000)) * scale).astype(dtype)
    wide = z.astype("complex128" if dtype == "complex64" else np.clongdouble)
    for name in ONE:
        if name not in ("isnan", "isinf", "isfinite", "rint"):
            got = qn.asnumpy(getattr(qn, name)(qn.asarray(z)))
            worst = wrong_digits(got, in_wide(name, wide), dtype)
            assert worst.max() < 8, (name, z[worst.argmax()], got[worst.argmax()])


@pytest.mark.parametrize("dtype", TYPES)
def test_powers(device, dtype):
    rng = np.random.default_rng(6)
    z, w = ((rng.normal(size=5000) + 1j * rng.normal(size=5000)).astype(dtype) * 2 for _ in range(2))
    w[:1000] = rng.integers(-20, 20, 1000)
    wide = "complex128" if dtype == "complex64" else np.clongdouble
    want = np.power(z.astype(wide), w.astype(wide))
    worst = wrong_digits(qn.asnumpy(qn.power(qn.asarray(z), qn.asarray(w))), want, dtype)
    assert (worst < 8 + 4 * abs(w * np.log(z)) + 4 * abs(w)).all()


@pytest.mark.parametrize("name", EVERYWHERE)
@pytest.mark.parametrize("dtype", TYPES)
def test_parts_of_all_sizes(device, dtype, name):
    """Each part by itself: beside the branch points, huge beside tiny."""
    rng = np.random.default_rng(7)
    info, n = np.finfo(dtype), 8000
    size = lambda: np.ldexp(rng.uniform(1, 2, n), rng.integers(info.minexp, info.maxexp, n)) * rng.choice([-1, 1], n)  # noqa: E731
    z = np.empty(n, dtype)
    z.real, z.imag = size(), size()
    z.real[: n // 2] = rng.choice([1, -1, 1 + info.eps, 1 - info.eps / 2, -1 - info.eps, 0, -0.0, 2, 0.5], n // 2)
    z[: n // 4] = (z[: n // 4] * 1j).conj()
    wide = z.astype("complex128" if dtype == "complex64" else np.clongdouble)
    want, got = getattr(np, name)(wide), qn.asnumpy(getattr(qn, name)(qn.asarray(z)))
    for x, y in ((got.real, want.real), (got.imag, want.imag)):
        worst = wrong_digits(x, y, dtype)
        assert worst.max() < 10, (z[worst.argmax()], got[worst.argmax()], want[worst.argmax()])


def test_what_used_to_overflow(device):
    got = [
        qn.arccos(qn.asarray([1e300j])),
        qn.sqrt(qn.asarray([1e308 + 1e308j])),
        qn.log(qn.asarray([1e-320 + 1e-320j])),
        qn.arctanh(qn.asarray([1 + 1e-310j])),
        qn.log1p(qn.asarray([1e-30 + 1e-20j])),
    ]
    want = [
        1.5707963267948966 - 691.4686750787736j,
        1.09868411346781e154 + 4.550898605622274e153j,
        -736.480667300694 + 0.7853981633974483j,
        357.2472630043571 + 0.7853981633974483j,
        1e-30 + 1e-20j,
    ]
    np.testing.assert_allclose([qn.asnumpy(x)[0] for x in got], want, rtol=1e-9)


def test_kernels_written_in_python_have_the_same_functions(device, tmp_path):
    names = "sqrt exp log log10 sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh".split()
    lines = "\n".join(f"        out[{k}, i] = cmath.{name}(z[i])" for k, name in enumerate(names))
    text = f"@cuda.jit\ndef kernel(z, out):\n    i = cuda.grid(1)\n    if i < z.size:\n{lines}\n"
    z = grid("complex128")
    out = np.zeros((len(names), len(z)), complex)
    module_of(tmp_path, text).kernel[8, 32](z, out)
    for k, name in enumerate(names):
        check_special(name, qn.asarray(out[k]), getattr(np, name.replace("a", "arc", 1) if name[0] == "a" else name)(z), [z])
