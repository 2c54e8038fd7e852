"""Gradients of functions under @vectorize, which are derived from their own source: against central differences, first and second order."""

import cmath
import math

import numpy as np
import pytest
import quern as qn
from differences import agrees, gradients, leaves, numbers, reals, weighted
from quern import trace
from quern.kernel.errors import KernelError
from quern.lib import _engine
from quern.numba import cuda, vectorize

THIRD = 1.25
TABLE = np.array([0.5, 2.0, 3.0])


@cuda.jit(device=True)
def power_or_line(x, k=2.0):
    if x > 0:
        return x**k
    return -x * k


@cuda.jit(device=True)
def repeated(x, n):
    if n <= 0:
        return 1.0
    return x * repeated(x, n - 1)


@cuda.jit(device=True)
def pair(x, y):
    return x * y, 3, x + 1.0


def chooses(x, y):
    return x * 2 + y if x > y else x - y * y


def loops(x, y):
    s = 0.0
    for i in range(5):
        s += math.sin(x * i) * y + TABLE[i % 3]
        if s > 3:
            break
        elif s < -4:
            continue
        s *= 1.5
    else:
        s = s + x
    while s > 2.0:
        s = s * 0.5
    return s


def calls(x, y):
    return power_or_line(x) + power_or_line(y, 3.0) * power_or_line(x, k=THIRD) + repeated(x, 3)


def tuples(x, y):
    a, b = x, y
    for _ in range(3):
        a, b = b, a * b + THIRD
    t = (a, b * 2)
    p, q = t
    product, whole, more = pair(p, q)
    return p * t[1] + q + product * whole + more


def unrolled(x, y):
    s = 0.0
    for i, (u, v) in enumerate(zip((x, y, x * y), (y, 2.0, x))):  # noqa: B905
        s += u * v * i
    for w in (x, 1.0, y):
        s *= w + 1
    return s if x > 0 and y < 1 else -s


def local_arrays(x, y):
    a = cuda.local.array(3, np.float64)
    for i in range(3):
        a[i] = x * i
    a[1] += y
    a[2] *= a[1]
    s = 0.0
    for v in a:
        s += v * v
    return s


def built_in(x, y):
    q, r = divmod(x, 0.7)
    f, w = math.modf(y * 3)
    return r * f + q + w + max(x, y, 0.3) * min(x * y, 1.0) + abs(x) + pow(y, 2) + float(x) + int(3.7) * np.float64(y) + round(x) * y


def of_math(x, y):
    a, b = abs(x) + 0.2, abs(y) + 0.3
    return (
        math.hypot(x, y)
        + math.atan2(x, y)
        + math.copysign(x, y)
        + math.fmod(y, 0.4)
        + x % 0.3
        + math.erf(x) * math.erfc(y)
        + math.lgamma(a)
        + math.gamma(b)
        + math.ldexp(x, 3)
        + a**b
        + 2.0**y
        + x**3
        + y**-2
        + math.log1p(a)
        + math.expm1(x)
        + math.sqrt(b)
        + math.asinh(x)
        + math.acosh(1 + a)
        + math.atanh(y / 10)
        + math.degrees(x) / math.log10(b + 2)
    )


def of_numpy(x, y):
    return (
        np.maximum(x, y) * np.minimum(x, 1.0) + np.arctan2(y, x) + np.cbrt(x) + np.exp2(y) + np.square(x) - np.fmax(y, x) / np.hypot(x, y)
    )


def of_libdevice(x, y):
    s, c = cuda.libdevice.sincos(x)
    return s * c + cuda.libdevice.rsqrt(abs(y)) + cuda.libdevice.erfinv(math.tanh(x) * 0.9) + cuda.libdevice.normcdf(y) + cuda.fma(x, y, x)


def branches(x, y):
    z = x
    z = z * z
    k = 3
    if x > 0:
        z = 0.5
        k = 4
    elif y > 0:
        z -= y
    else:
        return y
    return z * x * k + (x or y) + math.sqrt(abs(z))


FUNCTIONS = [chooses, loops, calls, tuples, unrolled, local_arrays, built_in, of_math, of_numpy, of_libdevice, branches]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_first_order(device, function):
    f = vectorize(function)
    agrees(lambda a, b: weighted(f(a, b)), reals(3, 4), reals(4, seed=1))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_second_order(device, function):
    f = vectorize(function)

    def slopes(values):
        inputs = leaves(values)
        first = gradients(weighted(f(*inputs)), inputs, retain_graph=True, create_graph=True)
        return inputs, sum((weighted(g, 3 + i) for i, g in enumerate(first)), qn.asarray(0.0))

    values = [reals(2, 3), reals(3, seed=1)]
    inputs, total = slopes(values)
    found = gradients(total, inputs, allow_unused=True)
    step = 1e-5
    for k, value in enumerate(values):
        for place in np.ndindex(value.shape):
            ends = []
            for sign in (1, -1):
                moved = [v.copy() for v in values]
                moved[k][place] += sign * step
                ends.append(float(qn.asnumpy(slopes(moved)[1])))
            got = 0.0 if found[k] is None else qn.asnumpy(found[k])[place]
            np.testing.assert_allclose(got, (ends[0] - ends[1]) / (2 * step), rtol=1e-4, atol=1e-4)


def test_complex_numbers(device):
    @vectorize
    def f(z, w):
        made = z * w.conjugate() + z.real * w.imag + abs(z) + cmath.exp(w) * 1j + cmath.phase(z) + complex(z.real, w.imag) ** 2
        return made + cmath.polar(w)[0] + cmath.rect(z.real, w.real)

    agrees(lambda a, b: weighted(f(a, b)), numbers("complex", 3), numbers("complex", 3, seed=5))
    agrees(lambda a, b: weighted(f(a, b)), reals(3, seed=3), numbers("complex", 2, 3, seed=5))

    @vectorize
    def size(z):
        return z.real**2 + z.imag * 3

    agrees(lambda a: weighted(size(a)), numbers("complex", 4))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_types(device, dtype):
    f = vectorize([f"{dtype}({dtype}, int32)"])(lambda x, n: x * x * n)
    (x,) = leaves([np.array([1, 2, 3], dtype)])
    y = f(x, qn.asarray(np.array([1, 2, 3], np.int32)))
    (g,) = gradients(y.sum(), [x])
    assert g.dtype == dtype
    np.testing.assert_array_equal(qn.asnumpy(g), [2, 8, 18])


def test_only_what_is_wanted_is_derived(device):
    """Where a slope is infinite and does not count, nothing is said."""

    @vectorize
    def f(x, y):
        return math.sqrt(x) * y

    x, (y,) = qn.asarray([0.0, 4.0]), leaves([np.array([2.0, 3.0])])
    (g,) = gradients(f(x, y).sum(), [y])
    np.testing.assert_array_equal(qn.asnumpy(g), [0, 2])


def test_values_are_those_of_the_call(device):
    f = vectorize(lambda x: x * x * x)
    (x,) = leaves([np.array([1.0, 2.0])])
    z = x * 1
    y = f(z)
    z[...] = 7
    (g,) = gradients(y.sum(), [x])
    np.testing.assert_array_equal(qn.asnumpy(g), [3, 12])


def test_out_takes_the_record(device):
    f = vectorize(lambda x: x * x)
    (x,) = leaves([np.array([1.0, 2.0])])
    out = qn.zeros(2)
    assert f(x, out=out) is out
    (g,) = gradients(out.sum(), [x])
    np.testing.assert_array_equal(qn.asnumpy(g), [2, 4])
    with _without_record():
        assert not _engine.wants_gradient(f(x))


NAMES = """positive negative conjugate square reciprocal absolute fabs sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos
arctan sinh cosh tanh arcsinh arccosh arctanh degrees radians rint floor ceil trunc add subtract multiply true_divide floor_divide remainder
fmod power arctan2 hypot copysign maximum minimum fmax fmin""".split()


@pytest.mark.parametrize("name", NAMES)
def test_kernels_and_arrays_have_one_derivative(device, name):
    """At ordinary points, ties, zeros and not-a-number, of both formulas from grads.def."""
    function = getattr(np, name)
    given = [0.0, -0.0, 0.4, -0.7, 1.0, 1.5, -2.5, np.nan]
    operands = [np.array(given)] if function.nin == 1 else [v.ravel().copy() for v in np.meshgrid(given, [0.4, 1.0, -0.7, 0.0, 2.0, np.nan])]
    kernel = vectorize((lambda a: function(a)) if function.nin == 1 else (lambda a, b: function(a, b)))
    found = []
    for call in (kernel, getattr(qn, name)):
        inputs = leaves(operands)
        found.append([qn.asnumpy(g) for g in gradients(call(*inputs).sum(), inputs)])
    if name in ("absolute", "fabs"):
        for slopes in found:
            slopes[0][-1] = 0  # of NaN: the sign of NaN is NaN for NumPy, no slope for kernels
    if name != "power":  # kernels have the rules for whole exponents, too
        np.testing.assert_allclose(*found, rtol=1e-13)
    else:
        np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-13)


class _without_record:  # noqa: N801
    def __enter__(self):
        self.before = _engine.set_gradient_mode(False)

    def __exit__(self, *_):
        _engine.set_gradient_mode(self.before)


def test_one_kernel_has_all_gradients(device):
    f = vectorize(lambda x, y: math.sin(x) * y + x * y * y)
    x, y = leaves([reals(1000), reals(1000, seed=1)])
    for _ in range(2):
        z = f(x, y)
        np.asarray(_engine.detached(z))
        with trace() as events:
            found = gradients(z, [x, y], given=[qn.asarray(np.ones(1000))])
            _engine.array_evaluate_all()
            assert [np.asarray(g).shape for g in found] == [(1000,)] * 2
    assert [e["kind"] for e in events].count("launch") == 1


@cuda.jit(device=True)
def writes(a, v):
    a[0] = v


def test_what_has_none(device):
    (x,) = leaves([np.array([1.0, 2.0])])

    @vectorize
    def bessel(x):
        return x + cuda.libdevice.j0(x)

    @vectorize
    def hands_over(x):
        a = cuda.local.array(1, np.float64)
        writes(a, x)
        return a[0]

    for f, what in ((bessel, "cuda.libdevice.j0"), (hands_over, r"writes\(a, x\)")):
        with pytest.raises(KernelError, match=rf"test_gradient_vectorize.py:\d+: \[{f.__name__}\] `{what}.*has no derivative here"):
            f(x)
        assert f(_engine.detached(x)).shape == (2,)


def test_steps_have_zeros(device):
    @vectorize
    def f(x):
        return math.floor(x) + (x // 0.5) + int(x)

    (x,) = leaves([np.array([1.3, 2.2])])
    y = f(x)
    if _engine.wants_gradient(y):
        (g,) = gradients(y.sum(), [x])
        np.testing.assert_array_equal(qn.asnumpy(g), [0, 0])
