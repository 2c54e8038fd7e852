"""The ufuncs that NumPy does not have, against the same functions in sixty digits and more; and what a ufunc is there without NumPy's."""

import doctest
import functools
import math
import pickle
from decimal import Context, localcontext
from decimal import Decimal as D
from fractions import Fraction

import numpy as np
import pytest
import quern as qn
from quern.lib import _engine

DIGITS = 60
REALS = ["float64", "float32", "float16", "bfloat16"]

# ---- the functions in many digits


def digits(count):
    """A context of that many digits, in which nothing over- or underflows."""
    return localcontext(Context(prec=count, Emax=10**9, Emin=-(10**9)))


@functools.cache
def pi():
    with digits(1000):

        def arctan_of_one_over(n):
            total = term = D(1) / n
            for k in range(3, 4000, 2):
                term = -term / (n * n)
                total += term / k
            return total

        return 16 * arctan_of_one_over(5) - 4 * arctan_of_one_over(239)


@functools.cache
def bernoulli():
    out = [Fraction(1)]
    for m in range(1, 81):
        out.append(-sum(math.comb(m + 1, k) * out[k] for k in range(m)) / Fraction(m + 1))
    return [D(b.numerator) / D(b.denominator) for b in out]


def sine(x):
    total = term = x
    for k in range(3, 400, 2):
        term = -term * x * x / (k * (k - 1))
        total += term
        if abs(term) < D(10) ** -(DIGITS + 20):
            return total
    raise AssertionError


def parts(x):
    """sin(pi x) and cos(pi x)."""
    rest = x - 2 * (x / 2).to_integral_value()
    return sine(pi() * rest), sine(pi() * (D(1) / 2 - rest))


def erf(x):
    """A series of positive terms: 2 / sqrt(pi) * exp(-x**2) * sum of 2**n x**(2n + 1) / (1 * 3 * ... * (2n + 1))."""
    if abs(x) > 30:
        return D(1).copy_sign(x)
    with digits(DIGITS + 20 + int(0.87 * float(x * x))):
        total = term = x
        n = 0
        while abs(term) > abs(total) * D(10) ** -(DIGITS + 10 + int(0.44 * float(x * x))):
            n += 1
            term = term * 2 * x * x / (2 * n + 1)
            total += term
        return total * 2 / pi().sqrt() * (-x * x).exp()


def erfc(x):
    if x > 30:
        return D(0)
    with digits(DIGITS + 20 + int(0.87 * float(x * x))):
        return 1 - erf(x)


def sigmoid(x):
    return D(0) if x < -2000 else D(1) if x > 2000 else 1 / (1 + (-x).exp())


def lgamma(x):
    if x < 0:
        return (pi() / abs(parts(x)[0])).ln() - lgamma(1 - x)
    product = D(1)
    while x < 60:
        product *= x
        x += 1
    series = sum(bernoulli()[2 * k] / (2 * k * (2 * k - 1)) / x ** (2 * k - 1) for k in range(1, 40))
    return (x - D(1) / 2) * x.ln() - x + (2 * pi()).ln() / 2 + series - product.ln()


def digamma(x):
    if x < 0:
        s, c = parts(x)
        return digamma(1 - x) - pi() * c / s
    total = D(0)
    while x < 60:
        total -= 1 / x
        x += 1
    return total + x.ln() - 1 / (2 * x) - sum(bernoulli()[2 * k] / (2 * k) / x ** (2 * k) for k in range(1, 40))


def mirrored(function):
    """What is subtracted below zero: how many digits a result has is a matter of it, close to the zeros there."""
    return lambda x: abs(function(1 - x)) if x < 0 else D(0)


def nothing(x):
    return D(0)


# Each function: the oracle, how far off in units of the last place, of which larger number; where it is tested; special values.
FUNCTIONS = {
    "erf": (erf, 5, nothing, [(-7, 7), (-1e-3, 1e-3)], [(np.inf, 1), (-np.inf, -1), (0.0, 0.0), (-0.0, -0.0), (1e300, 1)]),
    "erfc": (erfc, 6, nothing, [(-7, 7), (5, 27.3)], [(np.inf, 0), (-np.inf, 2), (-0.0, 1), (1e300, 0), (-1e300, 2)]),
    "sigmoid": (sigmoid, 4, nothing, [(-40, 40), (-760, -30)], [(np.inf, 1), (-np.inf, 0), (0.0, 0.5), (-0.0, 0.5), (1e300, 1), (-1e300, 0)]),
    "lgamma": (
        lgamma, 6, mirrored(lgamma), [(0, 30), (0.9, 2.1), (-12, 0), (1e3, 1e6)],
        [(np.inf, np.inf), (-np.inf, np.inf), (0.0, np.inf), (-0.0, np.inf), (-1.0, np.inf), (-7.0, np.inf), (1.0, 0), (2.0, 0), (-1e300, np.inf)],
    ),
    "digamma": (
        digamma, 5, mirrored(digamma), [(0, 30), (1.4, 1.5), (0, 1e-3), (-12, 0), (-0.6, -0.4), (9, 11), (1e3, 1e6)],
        [(np.inf, np.inf), (-np.inf, np.nan), (0.0, -np.inf), (-0.0, np.inf), (-1.0, np.nan), (-7.0, np.nan), (-1e300, np.nan)],
    ),
}  # fmt: skip
POINTS = {
    "erf": [0.5, 1.0, -0.25, 5.9, 2e-8, 5e-324],
    "erfc": [0.5, 1.0, 26.5, 26.6, 27.2, 1e-20],
    "sigmoid": [-745.0, -708.5, -709.9, -36.8, 36.8, 1e-20],
    "lgamma": [0.5, 1e-300, 1e300, 1.0 + 2**-52, 2.0 - 2**-52, 1e-8, -1e-8, -0.5, -1.5, -100.25],
    "digamma": [0.5, 1.0, 2.0, 10.0, 9.999999999999998, 1.4616321449683622, 1.4616321449683625, 1.4616321449683, 1e-300, 1e300, -1e-20,
                -0.5040830082644554, -0.50408, -0.5, -1.5, -0.25, -0.75, -1e-300, -1000.25, 2.0**53],
}  # fmt: skip


def test_every_function_is_tested():
    """A new row of the table of ops that NumPy does not have wants its line here."""
    assert {name for name, _, origin, _ in _engine.array_ops() if origin == "own"} == set(FUNCTIONS)


def spacing(value, dtype):
    """A unit of the last place of a number of the type, as it is."""
    if dtype == "bfloat16":
        return math.ldexp(1, max(math.frexp(value)[1] - 8, -133))
    return float(np.spacing(np.abs(np.asarray(value, dtype))))


def array_of(values, dtype):
    """Of the device, and what it holds as float64."""
    host = np.asarray(values, "float64").astype(np.float32 if dtype == "bfloat16" else dtype)
    x = qn.asarray(host).astype(dtype)
    return x, qn.asnumpy(x.astype("float64"))


def worst(name, values, dtype):
    """The largest error in units of the last place, and where."""
    oracle, _, beside, _, _ = FUNCTIONS[name]
    x, held = array_of(values, dtype)
    result = getattr(qn, name)(x)
    assert result.dtype == x.dtype
    got = qn.asnumpy(result.astype("float64"))
    most = (0.0, None)
    top = D(float(np.finfo(dtype).max)) if dtype != "bfloat16" else D(float(np.finfo(np.float32).max))
    with digits(DIGITS):
        for at, value in zip(held.tolist(), got.tolist(), strict=True):
            want = oracle(D(at))
            if math.isinf(value):
                assert abs(want) > top * D("0.999"), (at, value)
                continue
            unit = spacing(float(min(max(abs(want), beside(D(at))), top)), dtype)
            most = max(most, (float(abs(D(value) - want) / D(unit)), at), key=lambda pair: pair[0])
    return most


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values(name, dtype, tier, device):
    _, limit, _, ranges, _ = FUNCTIONS[name]
    rng = np.random.default_rng(7)
    values = np.concatenate([rng.uniform(low, high, 30) for low, high in ranges] + [POINTS[name]])
    with np.errstate(all="ignore"):
        values = array_of(values, dtype)[1]
    keep = np.isfinite(values) & ((values != np.rint(values)) | (values > 0) | (name not in ("lgamma", "digamma")))
    error, at = worst(name, values[keep], dtype)
    assert error <= (limit if dtype in ("float64", "float32") else 0.6), at


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_values(name, dtype, tier, device):
    wanted = [(np.nan, np.nan), *FUNCTIONS[name][4]]
    wanted = [(at, want) for at, want in wanted if abs(at) < 1e4 or not np.isfinite(at) or dtype == "float64"]
    x, _ = array_of([at for at, _ in wanted], dtype)
    got = qn.asnumpy(getattr(qn, name)(x).astype("float64"))
    np.testing.assert_array_equal(got, [want for _, want in wanted])
    zeros = [want for _, want in wanted if want == 0]
    assert np.signbit(got[[want == 0 for _, want in wanted]]).tolist() == np.signbit(zeros).tolist()


# ---- arrays of all kinds


@pytest.mark.parametrize("name", FUNCTIONS)
def test_layouts(name, tier, device):
    f = getattr(qn, name)

    def same(got, want):  # a loop's vectors and what is left of them may differ in the last place
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=2e-15)

    a = np.linspace(0.3, 7.1, 24)
    want = qn.asnumpy(f(qn.asarray(a)))
    x, table = qn.asarray(a), want.reshape(4, 6)
    same(qn.asnumpy(f(x[::-3])), want[::-3])
    same(qn.asnumpy(f(x.reshape(4, 6).T)), table.T)
    same(qn.asnumpy(f(x.reshape(4, 6)[1:3, ::2])), table[1:3, ::2])
    same(qn.asnumpy(f(qn.broadcast_to(x[3], (2, 2)))), np.full((2, 2), want[3]))
    assert f(qn.zeros((0, 3))).shape == (0, 3)
    assert f(x[5]).shape == () and abs(float(f(x[5])) / want[5] - 1) < 2e-15
    for number in (a[5], float(a[5])):
        assert abs(float(f(number)) / want[5] - 1) < 2e-15
    assert f(qn.asarray(a)[5:6].reshape(())).shape == ()
    same(qn.asnumpy(f(a.tolist())), want)
    same(qn.asnumpy(f(a)), want)
    same(qn.asnumpy(f(np.arange(3, 7))), qn.asnumpy(f(np.arange(3, 7.0))))


def test_fused(device):
    """Elements of one kernel with the work around them, as each by itself."""
    a = np.linspace(0.1, 8, 100_000)
    x = qn.asarray(a)
    apart = [qn.asarray(qn.asnumpy(getattr(qn, name)(x * 0.5))) for name in FUNCTIONS]
    together = sum(getattr(qn, name)(x * 0.5) * (n + 1) for n, name in enumerate(FUNCTIONS))
    want = sum(qn.asnumpy(part) * (n + 1) for n, part in enumerate(apart))
    np.testing.assert_allclose(qn.asnumpy(together), want, rtol=1e-13, atol=1e-13)


# ---- as ufuncs


@pytest.mark.parametrize("name", FUNCTIONS)
def test_types(name, tier, device):
    f = getattr(qn, name)
    for dtype in _engine.dtype_names():
        x = qn.ones(3, dtype=dtype)
        if "complex" in dtype:
            with pytest.raises(TypeError, match=f"{name}.*complex"):
                f(x)
        else:
            assert f(x).dtype == qn.cbrt(x).dtype
    with pytest.raises(TypeError):
        f(1j)
    for wrong in ("text", np.array(["text"]), np.ones(2, object), np.ones(2, "m8[s]")):
        with pytest.raises((TypeError, ValueError)):
            f(wrong)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_keywords(name, tier, device):
    f, x = getattr(qn, name), qn.asarray([0.5, 1.5, 2.5])
    want = qn.asnumpy(f(x))
    out = qn.zeros(3)
    assert f(x, out=out) is out and f(x, out) is out
    np.testing.assert_array_equal(qn.asnumpy(out), want)
    host = np.zeros(3)
    assert f(x, out=host) is host
    np.testing.assert_array_equal(host, want)
    np.testing.assert_array_equal(qn.asnumpy(f(x, where=[True, False, True])), want * [1, 0, 1])
    single = f(x, dtype="float32")
    assert single.dtype == np.float32
    np.testing.assert_array_equal(qn.asnumpy(single), qn.asnumpy(f(x.astype("float32"))))
    for wrong in ({"out": qn.zeros(3, dtype=int)}, {"dtype": int}, {"dtype": complex}, {"casting": "no", "dtype": "float32"}, {"axis": 0}):
        with pytest.raises(TypeError, match="dtype|rule|loop|axis|cast"):
            f(x, **wrong)
    with pytest.raises(ValueError, match="broadcast"):
        f(x, out=qn.zeros(2))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_attributes_and_methods(name, device):
    f, like = getattr(qn, name), qn.cbrt
    assert isinstance(f, qn.ufunc) and repr(f) == f"<ufunc '{name}'>" and name in qn.__all__
    assert (f.__name__, f.nin, f.nout, f.nargs, f.identity, f.signature) == (name, 1, 1, 2, None, None)
    assert [t for t in f.types if t[0] in "efd"] == ["e->e", "f->f", "d->d"] and f.ntypes == len(f.types)
    assert pickle.loads(pickle.dumps(f)) is f
    for given in ("f8", "f4", "f2", "i1", "i2", "i4", "u8", "?", int, float):
        given = given if isinstance(given, type) else np.dtype(given)
        assert f.resolve_dtypes((given, None)) == like.resolve_dtypes((given, None))
    signature = {"signature": (None, np.dtype("f4"))}
    assert f.resolve_dtypes((np.dtype("f8"), None), **signature) == (np.dtype("f4"),) * 2
    for wrong in ({"casting": "safe", **signature}, {"signature": (None, np.dtype("i4"))}):
        with pytest.raises(TypeError):
            f.resolve_dtypes((np.dtype("f8"), None), **wrong)
    with pytest.raises(ValueError, match="binary"):
        f.reduce(qn.ones(3))
    x = qn.asarray([0.5, 1.5, 2.5])
    f.at(x, [0, 2])
    f.at(x, slice(1, 2))
    np.testing.assert_array_equal(qn.asnumpy(x), qn.asnumpy(f(qn.asarray([0.5, 1.5, 2.5]))))
    x = qn.asarray([1.5])
    qn.sigmoid.at(x, [0] * 40)
    assert abs(x.item() - 0.6590460684074066) < 1e-15  # where sigmoid(x) is x


@pytest.mark.parametrize("name", FUNCTIONS)
def test_documentation(name):
    text = getattr(qn, name).__doc__
    assert "Parameters" in text and "Returns" in text and "Raises" in text
    names = {key: getattr(qn, key) for key in qn.__all__}
    test = doctest.DocTestParser().get_doctest(text, names, name, None, None)
    assert test.examples
    assert not doctest.DocTestRunner().run(test).failed


def test_the_functions_are_not_in_cupy():
    import quern.cupy

    assert not any(hasattr(quern.cupy, name) for name in FUNCTIONS)
