"""Gradients of quern's own arrays, against central differences: in the tape's words, without a front end that has tensors."""


import numpy as np
import pytest
import quern as qn
from differences import KINDS, STEP, agrees, backward, gradient, gradients, grads, leaves, numbers, reals, weighted
from hypothesis import given, settings
from hypothesis import strategies as st
from quern.lib import _engine

# ---- the ops

# Where a function is smooth; else numbers of either sign, none near 0.
DOMAINS = {
    **dict.fromkeys(["sqrt", "log", "log2", "log10", "cbrt", "lgamma", "digamma"], (0.3, 4)),
    **dict.fromkeys(["log1p"], (-0.7, 3)),
    **dict.fromkeys(["arcsin", "arccos", "arctanh"], (-0.9, 0.9)),
    **dict.fromkeys(["arccosh"], (1.2, 4)),
    **dict.fromkeys(["power", "float_power", "remainder", "fmod", "floor_divide"], (0.6, 2.4)),
    **dict.fromkeys(["tan"], (-1.2, 1.2)),
}
WITH_FORMULA = {name: len(formulas) for name, formulas in _engine.gradient_formulas().items() if formulas}
OPS = [name for name in WITH_FORMULA if name not in ("where", "ldexp") and hasattr(qn, name)]
BESSEL = [name for name in WITH_FORMULA if name.startswith("bessel_")]
COMPLEX = """positive negative add subtract multiply true_divide power float_power absolute sign conjugate square reciprocal sqrt
exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh""".split()


def operands_of(name, count, kind):
    draw = np.random.default_rng(len(name))
    if name in DOMAINS and kind == "real":
        low, high = DOMAINS[name]
        return [draw.uniform(low, high, 24) for _ in range(count)]
    out = [draw.uniform(0.2, 2.2, 24) * draw.choice([-1, 1], 24) for _ in range(count)]
    if kind == "complex":
        out = [a + 1j * draw.uniform(0.2, 1.5, 24) * draw.choice([-1, 1], 24) for a in out]
    return out


def slopes(op, arrays, k):
    """d weighted(op) / d operand k; each element of the result depends on its own operands alone."""
    out = np.zeros_like(arrays[k])
    weights = np.random.default_rng(7)
    probe = qn.asnumpy(op(*[qn.asarray(a) for a in arrays]))
    w = weights.normal(size=probe.shape)
    v = weights.normal(size=probe.shape) if np.iscomplexobj(probe) else 0 * w
    for unit in (1, 1j) if np.iscomplexobj(out) else (1,):
        ends = []
        for sign in (1, -1):
            moved = list(arrays)
            moved[k] = arrays[k] + sign * STEP * unit
            ends.append(qn.asnumpy(op(*[qn.asarray(a) for a in moved])))
        slope = (ends[0] - ends[1]) / (2 * STEP)
        out += unit * (slope.real * w + slope.imag * v)
    return out


@pytest.mark.parametrize("name", OPS)
@KINDS
def test_ops(device, name, kind):
    if kind == "complex" and name not in COMPLEX:
        pytest.skip("of real numbers alone")
    op = getattr(qn, name)
    count = op.nin
    arrays = operands_of(name, count, kind)
    if name == "heaviside":
        arrays[0][:8] = 0
    got = grads(lambda *x: weighted(op(*x)), arrays)
    for k in range(count):
        if name == "heaviside" and k == 0:
            continue  # it jumps
        np.testing.assert_allclose(got[k], slopes(op, arrays, k), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", BESSEL)
def test_bessel_functions(device, name):
    mpmath = pytest.importorskip("mpmath")

    def op(x):
        return _engine.array_op(name, x)

    x = np.random.default_rng(3).uniform(0.3, 9, 24)
    kind, order = name[7], int(name[8])
    function = getattr(mpmath, f"bessel{kind}")
    scale = (mpmath.exp(-mpmath.mpf(float(v)) if kind == "i" else mpmath.mpf(float(v))) for v in x) if "scaled" in name else [1] * 24
    want = [float(function(order, mpmath.mpf(float(v))) * s) for v, s in zip(x, scale, strict=True)]
    np.testing.assert_allclose(qn.asnumpy(op(qn.asarray(x))), want, rtol=4e-15, atol=4e-16)
    np.testing.assert_allclose(grads(lambda a: weighted(op(a)), [x])[0], slopes(op, [x], 0), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
def test_incomplete_gamma_functions(device, name):
    mpmath = pytest.importorskip("mpmath")
    draw = np.random.default_rng(4)
    a, x = draw.uniform(0.2, 60, 40), draw.uniform(0.1, 80, 40)
    want = []
    for shape, v in zip(a.tolist(), x.tolist(), strict=True):
        low, high = (v, mpmath.inf) if name == "gammaincc" else (0, v)
        want.append(float(mpmath.gammainc(mpmath.mpf(shape), low, high, regularized=True)))
    np.testing.assert_allclose(qn.asnumpy(_engine.array_op(name, qn.asarray(a), qn.asarray(x))), want, rtol=2e-13)
    op = lambda v: _engine.array_op(name, qn.asarray(a), v)  # noqa: E731
    np.testing.assert_allclose(grads(lambda v: weighted(op(v)), [x])[0], slopes(op, [x], 0), rtol=1e-4, atol=1e-6)


def test_every_op_of_complex_numbers_is_named():
    """What takes complex numbers and gives real or complex ones stands in COMPLEX."""
    for name in OPS:
        try:
            result = getattr(qn, name)(*[qn.asarray([0.5 + 0.25j])] * getattr(qn, name).nin)
        except (TypeError, NotImplementedError):
            assert name not in COMPLEX
            continue
        assert name in COMPLEX or name in ("maximum", "minimum", "fmax", "fmin", "rint"), (name, result)


@KINDS
def test_ops_that_are_no_ufuncs(device, kind):
    x, y = numbers(kind, 3, 4), numbers(kind, 4, seed=1)
    agrees(lambda a, b: weighted(qn.where(qn.asarray(reals(3, 1, seed=2)) > 0, a, b * 2)), x, y)
    agrees(lambda a: weighted(a.astype("complex128")), x)
    if kind == "real":
        agrees(lambda a: weighted(qn.frexp(a)[0]), x)
        agrees(lambda a: weighted(_engine.array_op("relu", a)), x)
        agrees(lambda a: weighted(qn.ldexp(a, qn.asarray([1, -2, 0, 3]))), x)


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
def test_of_equal_operands(device, name):
    a, b = leaves([[1.0, 2.0, 3.0], [1.0, 5.0, 0.0]])
    first, second = (qn.asnumpy(g) for g in gradients(getattr(qn, name)(a, b).sum(), [a, b]))
    np.testing.assert_array_equal(first + second, [1, 1, 1])
    assert first[0] == 0.5


@pytest.mark.parametrize("name, first, second", [("maximum", [0, 1], [np.inf, 1]), ("minimum", [np.inf, 1], [0, 1]),
                                                 ("fmax", [0, 0], [np.inf, 1]), ("fmin", [np.inf, 0], [0, 1])])  # fmt: skip
def test_infinite_gradients_of_the_greater_and_the_smaller(device, name, first, second):
    """As PyTorch has them: the operand that is not chosen has 0, not infinity times 0; beside NaN both have all of it."""
    a, b = leaves([[1.0, np.nan], [2.0, 1.0]])
    given = qn.asarray(np.array([np.inf, 1.0]))
    found = gradients(getattr(qn, name)(a, b), [a, b], given=[given])
    np.testing.assert_array_equal([qn.asnumpy(g) for g in found], [first, second])


def test_where_a_slope_is_no_number(device):
    """What is not chosen has no say, and 0 ** 0 neither."""
    (x,) = leaves([[0.0, 1.0, 4.0]])
    (g,) = gradients(qn.where(x > 0, x, 0.0).sum(), [x])
    np.testing.assert_array_equal(qn.asnumpy(g), [0, 1, 1])
    (g,) = gradients((x**0.0).sum(), [x])
    np.testing.assert_array_equal(qn.asnumpy(g), [0, 0, 0])
    (g,) = gradients(qn.abs(x).sum(), [x])
    np.testing.assert_array_equal(qn.asnumpy(g), [0, 1, 1])
    (y,) = leaves([[0.0, 2.0]])
    (g,) = gradients((qn.asarray([0.0, 3.0]) ** y).sum(), [y])
    np.testing.assert_allclose(qn.asnumpy(g), [0, 9 * np.log(3)])


@pytest.mark.parametrize("name", ["spacing"])
def test_without_a_formula(device, name):
    (x,) = leaves([[1.5, 2.5]])
    with pytest.raises(NotImplementedError, match=rf"derivative for {name} is not implemented; .*\(recorded at .*{__name__}.py:\d+\)"):
        backward(getattr(qn, name)(x).sum())


def test_kernels_that_are_launched_have_none(device):
    from quern.numba import cuda, njit

    (x,) = leaves([[1.5, 2.5]])

    @cuda.jit
    def twice(a, out):
        i = cuda.grid(1)
        if i < a.size:
            out[i] = a[i] * 2

    @njit
    def first(a):
        return a[0]

    out = qn.zeros(2)
    text = "a kernel compiled from source has no derivative(.|\\n)*class Own.torch.autograd.Function.(.|\\n)*def backward"
    for call in (lambda: twice[1, 32](x, out), lambda: twice[1, 32](out, x * 2)):
        with pytest.raises(NotImplementedError, match=text):
            call()
    if device.name == "cpu":
        with pytest.raises(NotImplementedError, match=text):
            first(x)
    twice[1, 32](_engine.detached(x), out)
    np.testing.assert_array_equal(qn.asnumpy(out), [3, 5])


def test_what_the_error_says_works(device):
    """The Function that it shows, with the kernel's name and its slope filled in."""
    from quern import cupy, torch

    kernel = cupy.ElementwiseKernel("T x", "T y", "y = x * x * x", "cubes")
    x = torch.tensor([1.5, 2.5], requires_grad=True)
    with pytest.raises(NotImplementedError, match=r"\[cubes\]") as error:
        kernel(x)
    text = str(error.value)
    lines = text[text.index("    class Own") :].splitlines()
    names = {"torch": torch, "kernel": kernel, "slope": lambda x: 3 * x * x, "x": x}
    exec("\n".join(line[4:] for line in lines), names)
    names["y"].sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [6.75, 18.75])


def test_kernels_have_none(device):
    (x,) = leaves([[1.5, 2.5]])
    from quern import cupy

    y = cupy.asarray(x)
    if not _engine.wants_gradient(y):
        pytest.skip("another front end's array is another one")
    for kernel in (
        cupy.ElementwiseKernel("T x", "T y", "y = x * x", "squares"),
        cupy.ElementwiseKernel("raw T x", "T y", "y = x[i] * x[i]", "raw_squares"),
        cupy.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "sums"),
    ):
        with pytest.raises(NotImplementedError, match="has no derivative"):
            kernel(y, size=2) if kernel.name == "raw_squares" else kernel(y)


@pytest.mark.parametrize("name", ["equal", "isnan", "signbit", "logical_not", "greater"])
def test_what_has_none(device, name):
    (x,) = leaves([[1.5, 2.5]])
    op = getattr(qn, name)
    assert not _engine.wants_gradient(op(*[x] * op.nin))


# ---- sums back over broadcasts


@st.composite
def shapes_that_broadcast(draw):
    whole = draw(st.lists(st.integers(1, 3), min_size=0, max_size=3))
    out = []
    for _ in range(2):
        shape = [draw(st.sampled_from([1, n])) for n in whole]
        out.append(tuple(shape[draw(st.integers(0, len(shape))) :]))
    return out


@given(shapes_that_broadcast())
@settings(max_examples=40, deadline=None)
def test_broadcasts(shapes):
    x, y = reals(*shapes[0]), reals(*shapes[1], seed=1)
    agrees(lambda a, b: weighted(qn.sin(a) * b + a), x, y)


def test_a_number_beside_an_array(device):
    agrees(lambda a, b: (a * b).sum(), np.float64(1.5), reals(2, 3))
    agrees(lambda a: 2 / a + 3 * a, np.float64(1.5))


# ---- reductions

AXES = [None, 0, 1, 2, (0, 2), (1, 2), (0, 1, 2)]


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "var", "std"])
def test_reductions(device, name, axes, keep):
    agrees(lambda a: weighted(getattr(a, name)(axis=axes, keepdims=keep)), reals(2, 3, 2))


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var"])
def test_reductions_of_complex_numbers(device, name):
    agrees(lambda a: weighted(getattr(a, name)(axis=1)), numbers("complex", 3, 4))


@KINDS
def test_products_with_zeros(device, kind):
    x = numbers(kind, 4, 3)
    x[1, 0] = x[2, 0] = x[2, 2] = 0
    agrees(lambda a: weighted(a.prod(axis=1)), x)
    x[3] = 0
    agrees(lambda a: weighted(a.prod(axis=0)), x)
    agrees(lambda a: weighted(a.prod()), numbers(kind, 5))


def second(function, x):
    """The gradient of a weighted sum of a function's gradient, and the same by differences."""

    def first(values):
        (a,) = leaves([values])
        (g,) = gradients(weighted(function(a)), [a], retain_graph=True, create_graph=True)
        return a, weighted(g, 11)

    a, total = first(x)
    (got,) = gradients(total, [a], allow_unused=True)
    want, step = np.zeros_like(x), 1e-5
    for place in np.ndindex(x.shape):
        for unit in (1, 1j) if np.iscomplexobj(x) else (1,):
            ends = []
            for sign in (1, -1):
                moved = x.copy()
                moved[place] += sign * step * unit
                ends.append(float(qn.asnumpy(first(moved)[1])))
            want[place] += unit * (ends[0] - ends[1]) / (2 * step)
    np.testing.assert_allclose(np.zeros_like(x) if got is None else qn.asnumpy(got), want, rtol=1e-4, atol=1e-4)


ZEROS = [[2.0, 0.0, 3.0, 0.5], [0.0, 0.0, 1.0, -1.0], [1.0, 2.0, 4.0, 0.25]]


@KINDS
@pytest.mark.parametrize(
    "function",
    [
        lambda a: a.prod(),
        lambda a: a.prod(axis=1) ** 2,
        lambda a: a.prod(axis=0),
        lambda a: a[:, None].prod(axis=(0, 2)),
        lambda a: qn.cumprod(a, axis=1) ** 2,
        lambda a: qn.cumprod(a, axis=0),
        lambda a: qn.cumprod(a.T[::-1]),
        lambda a: a[:0].prod(axis=0) * a[0],
    ],
)
def test_second_derivatives_of_products(device, kind, function):
    x = np.array(ZEROS)
    second(function, x if kind == "real" else x * (1 + 0.5j) + 0)
    second(function, numbers(kind, 3, 4))


@pytest.mark.parametrize("function", [qn.digamma, qn.lgamma, lambda a: _engine.array_op("polygamma", 2.0, a)])
def test_second_derivatives_of_gamma_functions(device, function):
    second(function, np.array([0.2, 1.0, 3.5, 12.0, -0.3, -2.6]))


def test_numbers_drawn_from_gamma_distributions(device):
    """They move with the shape as their quantiles do: -dP/da over the density, by mpmath."""
    mpmath = pytest.importorskip("mpmath")
    shapes = np.array([1e-3, 0.05, 0.5, 1.0, 3.0, 30.0, 399.0, 401.0, 5000.0]).repeat(3)
    (a,) = leaves([shapes])
    x = qn.random.default_rng(7).gamma(a)
    backward(x.sum())
    got, drawn = gradient(a), qn.asnumpy(x)
    with mpmath.workdps(40):
        for shape, value, slope in zip(shapes, drawn, got, strict=True):
            if value < 1e-280:
                continue
            s, v = mpmath.mpf(float(shape)), mpmath.mpf(float(value))
            moved = mpmath.diff(lambda q, v=v: mpmath.gammainc(q, 0, v, regularized=True), s)
            want = float(-moved / (v ** (s - 1) * mpmath.exp(-v) / mpmath.gamma(s)))
            np.testing.assert_allclose(slope, want, rtol=1e-9 if shape < 400 else 1e-5)
    edges = _engine.array_op("gamma_slope", qn.asarray([0.0, 1.0, np.nan, 2.0]), qn.asarray([0.0, 0.0, 1.0, np.nan]))
    np.testing.assert_array_equal(qn.asnumpy(edges), [0, 0, np.nan, np.nan])


def test_polygamma(device):
    """Against mpmath's, on both sides of 0, and at the edges."""
    mpmath = pytest.importorskip("mpmath")
    x = np.array([1e-3, 0.3, 1.0, 2.5, 9.999, 10.0, 57.0, 1e4, -0.5, -1.25, -3.7, -0.999, -40.01])
    for n in (1, 2, 3, 4, 9, 30):
        with mpmath.workdps(40):
            want = np.array([float(mpmath.polygamma(n, mpmath.mpf(float(v)))) for v in x])
        got = qn.asnumpy(_engine.array_op("polygamma", float(n), qn.asarray(x)))
        np.testing.assert_allclose(got, want, rtol=2e-13)
        single = qn.asnumpy(_engine.array_op("polygamma", float(n), qn.asarray(x[4:7].astype("float32"))))
        assert single.dtype == np.float32
        with mpmath.workdps(40):
            want = [float(mpmath.polygamma(n, mpmath.mpf(float(v)))) for v in x[4:7].astype("float32")]
        np.testing.assert_allclose(single, want, rtol=2e-6)
    edges = qn.asarray([0.0, -1.0, -7.0, np.inf, -np.inf, np.nan])
    np.testing.assert_array_equal(qn.asnumpy(_engine.array_op("polygamma", 1.0, edges)), [np.inf] * 3 + [0, np.nan, np.nan])
    np.testing.assert_array_equal(qn.asnumpy(_engine.array_op("polygamma", 2.0, edges)), [-np.inf] * 3 + [0, np.nan, np.nan])
    orders = qn.asnumpy(_engine.array_op("polygamma", qn.asarray([0.0, -1.0, 0.5]), 2.0))
    np.testing.assert_array_equal(orders[1:], [np.nan, np.nan])
    np.testing.assert_allclose(orders[0], 0.42278433509846714)


@pytest.mark.parametrize("name", ["max", "min"])
def test_equal_extremes_share(device, name):
    (x,) = leaves([[[1.0, 2.0, 2.0], [3.0, 3.0, 3.0], [2.0, 1.0, 1.0]]])
    (g,) = gradients(getattr(x, name)(axis=1).sum(), [x])
    want = {"max": [[0, 0.5, 0.5], [1 / 3] * 3, [1, 0, 0]], "min": [[1, 0, 0], [1 / 3] * 3, [0, 0.5, 0.5]]}[name]
    np.testing.assert_allclose(qn.asnumpy(g), want)


def test_extremes_with_nan(device):
    (x,) = leaves([[1.0, np.nan, 3.0, np.nan]])
    (g,) = gradients(x.max(), [x])
    np.testing.assert_array_equal(qn.asnumpy(g), [0, 0.5, 0, 0.5])


# ---- views


VIEWS = {
    "slice": lambda x: x[1:, ::2],
    "backwards": lambda x: x[::-1, ::-2],
    "element": lambda x: x[1, 2],
    "turned": lambda x: x.T,
    "moved": lambda x: qn.moveaxis(x, 0, 2)[1],
    "in another shape": lambda x: x.reshape(6, -1)[2:],
    "as a line": lambda x: x.reshape(-1)[::3],
    "diagonal": lambda x: qn.diagonal(x, axis1=0, axis2=1),
    "broadcast": lambda x: qn.broadcast_to(x[:, :1], (4, 3, 5, 2)),
    "broadcast and cut": lambda x: qn.broadcast_to(x[0, :, 0], (4, 4))[1:3, ::-1],
    "new axes": lambda x: x[None, :, 0, None],
    "of views of views": lambda x: x[::-1][1:].T[0][:, ::-1][1:],
    "nothing": lambda x: x[:0],
}


@pytest.mark.parametrize("name", VIEWS)
def test_views(device, name):
    view = VIEWS[name]
    agrees(lambda a: weighted(qn.sin(view(a))) + weighted(view(a * 2), 9), reals(3, 4, 2))


def test_views_of_complex_numbers(device):
    x = numbers("complex", 3, 4)
    agrees(lambda a: weighted(qn.sin(a.real[1:]) * a.imag[:-1]), x)
    agrees(lambda a: weighted((a * 2).T.imag[::2]), x)

    def parts_written(a):
        y = a * (1 + 2j)
        y.real[0] = a.imag[1] * 3
        y.imag[:, ::2] *= 2
        return weighted(y * y)

    agrees(parts_written, x)


def test_both_a_view_and_the_whole(device):
    agrees(lambda a: weighted(a[0] * a[:, 0].sum() + qn.sin(a).sum(axis=0) + a[::-1][0]), reals(3, 4))


# ---- writes in place


def written_rows(x):
    y = x * 2
    y[0] = y[1] * x[0]
    y[1] *= 3
    y += x
    return weighted(y * y)


def written_views(x):
    y = qn.exp(x)
    half, line = y[1:], y.T[0]
    before = half * 2
    half -= x[:-1]
    line[...] = line * line
    y[::-1, 1:] += 1.5
    return weighted(y * y) + weighted(before) + weighted(half, 9)


def written_over(x):
    y = x * 1.0
    z = y * y
    y[...] = 3.0
    y[1] = x[0]
    return weighted(z + y)


def written_into(x):
    y = qn.zeros((3, 4))
    y[1:] = x[:2] * x[1:]
    qn.multiply(y, x, out=y)
    qn.sin(x[0], out=y[0])
    return weighted(y)


def written_in_other_types(x):
    y = qn.zeros((3, 4), dtype="complex128")
    y[:2] = x[1:]
    y *= 1 + 2j
    z = qn.zeros((3, 4), dtype="float64")
    z[...] = x
    return weighted(y * y) + weighted(z * z)


def written_by_masks(x):
    y = x * 2
    y[x > 0] = 0.5
    y[0][x[0] < 0.3] *= 4
    return weighted(y * y + x)


def written_by_itself(x):
    y = x * 1.0
    y[1:] = y[:-1]
    y[:, ::-1] += y
    return weighted(y * y)


WRITES = [written_rows, written_views, written_over, written_into, written_in_other_types, written_by_masks, written_by_itself]


@pytest.mark.parametrize("function", WRITES)
def test_writes(device, tier, function):
    agrees(function, reals(3, 4))


def test_a_part_of_other_memory_is_a_leaf(device):
    memory = qn.zeros((4, 3))
    part = memory[1:3]
    _engine.want_gradient(part, True)
    backward((part * part + part * 3).sum())
    np.testing.assert_array_equal(gradient(part), np.full((2, 3), 3.0))
    assert not _engine.wants_gradient(memory)


# ---- picking and putting


PICKS = {
    "rows": lambda x: x[[0, 2, 0]],
    "elements": lambda x: x[[0, 2, 0, 1], [1, 1, 1, 3]],
    "beside a slice": lambda x: x[1:, [0, 0, 3]],
    "apart": lambda x: x.reshape(3, 2, 2)[[0, 1], :, [1, 1]],
    "between": lambda x: x.reshape(2, 3, 2)[:, [2, 2, 0]],
    "by a mask": lambda x: x[x > 0],
    "by a mask of rows": lambda x: x[qn.asarray([True, False, True])],
    "a plane of places": lambda x: qn.take(x, qn.asarray([[0, 2], [1, 1]]), axis=1),
    "of all": lambda x: qn.take(x, qn.asarray([3, 3, 0, 11])),
    "along": lambda x: qn.take_along_axis(x, qn.asarray([[0, 2, 2, 1], [1, 1, 0, 1]]), axis=0),
    "turned": lambda x: x.T[[3, 0, 3]],
    "backwards": lambda x: x[::-1, ::-1][[0, 0], 1:],
    "negative": lambda x: x[[-1, 0, -1]],
    "none": lambda x: x[qn.asarray(np.zeros(0, int))],
}


@pytest.mark.parametrize("name", PICKS)
@KINDS
def test_picks(device, tier, name, kind):
    if "mask" in name and kind == "complex":
        pytest.skip("they are not ordered")
    agrees(lambda a: weighted(PICKS[name](a) * PICKS[name](a * 2)), numbers(kind, 3, 4))


def put_rows(x, y):
    z = x * 1.5
    z[[0, 2]] = y[:2]
    return weighted(z * z)


def put_elements(x, y):
    z = x * 1.5
    z[[0, 2, 1], [1, 1, 3]] = y[0, :3]
    z[1:, [0, 2]] = y[2, :2]
    return weighted(z * z)


def put_one_in_several(x, y):
    z = x * 1.5
    z[[0, 1, 0]] = y[0]
    z[:, [3, 3, 1]] = y[1, 2]
    return weighted(z * z)


def put_by_a_mask(x, y):
    z = x * 1.5
    z[qn.asarray([True, False, True])] = y[1:]
    z[x > 0.2] = y[0, 0]
    return weighted(z * z)


def put_into_a_view(x, y):
    z = x * 1.5
    z.T[[0, 1]] = y[:2, :3]
    z[::-1][[0]] = y[2]
    return weighted(z * z)


@pytest.mark.parametrize("function", [put_rows, put_elements, put_one_in_several, put_by_a_mask, put_into_a_view])
def test_puts(device, tier, function):
    agrees(function, reals(3, 4), reals(3, 4, seed=1))


# ---- products


@KINDS
def test_matrix_products(device, tier, kind):
    a = lambda *shape: numbers(kind, *shape, seed=len(shape))  # noqa: E731
    agrees(lambda x, y: weighted(x @ y), a(3, 4), a(4, 2))
    agrees(lambda x, y: weighted(x @ y), a(4), a(4, 2))
    agrees(lambda x, y: weighted(x @ y), a(3, 4), a(4))
    agrees(lambda x, y: weighted(x @ y), a(4), a(4))
    agrees(lambda x, y: weighted(x @ y), a(2, 1, 3, 2), a(3, 2, 2))
    agrees(lambda x: weighted(x @ x.T[:, ::-1]), a(3, 4))
    agrees(lambda x, y: weighted(qn.einsum("ij,kj->ik", x, y)), a(3, 4), a(2, 4))
    agrees(lambda x, y: weighted(qn.tensordot(x, y, 1)), a(2, 3, 2), a(2, 2))
    agrees(lambda x, y: weighted(qn.vdot(x, y)) + weighted(qn.dot(x, y)), a(3), a(3))


def test_products_of_nothing(device):
    agrees(lambda x, y: weighted(x @ y), np.zeros((2, 0)), np.zeros((0, 3)))
    agrees(lambda x, y: weighted(x @ y), np.zeros((0, 2)), reals(2, 3))


# ---- types, and edges of shapes


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "complex64"])
def test_gradients_have_the_type_of_what_they_are_of(device, dtype):
    x = qn.asarray(reals(3, 4)).astype(dtype)
    _engine.want_gradient(x, True)
    y = x.astype("float64") if dtype != "complex64" else x.astype("complex128")
    backward(weighted(y * y) + weighted(x * 2))
    g = _engine.gradient(x)
    assert str(g.dtype) == dtype
    assert g.shape == (3, 4)
    real = np.random.default_rng(7).normal(size=(3, 4))
    if dtype != "complex64":
        wide = np.asarray(qn.asnumpy(x.astype("float64")))
        np.testing.assert_allclose(qn.asnumpy(g.astype("float64")), 2 * wide * real + 2 * real, rtol=0.02, atol=0.02)


def test_real_numbers_that_become_complex(device):
    agrees(lambda a: weighted(qn.exp(a * 1j)) + weighted(qn.sqrt(a.astype("complex128"))), reals(3, 4))
    agrees(lambda a, b: weighted(a * b + b / a), reals(3, 4), numbers("complex", 4))


def test_integers_and_bools_pass_nothing(device):
    (x,) = leaves([reals(3, 4)])
    for y in (x.astype(int), x > 0, qn.argsort(x), qn.argmax(x), qn.floor(x).astype("int8")):
        assert not _engine.wants_gradient(y)
    with pytest.raises(RuntimeError, match="only Tensors of floating point and complex dtype can require gradients"):
        _engine.want_gradient(qn.asarray([1, 2]), True)
    y = x.astype(int) * x
    backward(y.sum())
    np.testing.assert_array_equal(gradient(x), reals(3, 4).astype(int))


def test_numbers_and_nothing(device):
    agrees(lambda a: a * a + qn.sin(a), np.array(0.7))
    agrees(lambda a: a.reshape(1, 1)[0] @ a.reshape(1), np.array(0.7))
    (x,) = leaves([np.zeros((0, 3))])
    backward((qn.exp(x) + x[::-1]).sum() + x.T.reshape(-1).sum() + qn.concatenate([x, x]).sum())
    assert gradient(x).shape == (0, 3)
    for function in (lambda a: qn.sort(a, axis=0), lambda a: qn.cumsum(a, axis=0), lambda a: qn.cumprod(a, axis=1), lambda a: a[[]]):
        agrees(lambda a: function(a).sum(), np.zeros((0, 3)))  # noqa: B023


# ---- what is recorded, and what is refused


def test_nothing_is_recorded_that_nobody_wants(device):
    x = qn.asarray(reals(3, 4))
    y = qn.sin(x[0]) * x
    y[1] = qn.sort(x[2])
    for a in (x, y, y[0], y.sum(), qn.concatenate([x, y])):
        assert not _engine.wants_gradient(a)
        assert _engine.gradient_name(a) is None
    (leaf,) = leaves([reals(3, 4)])  # somebody else's
    assert not _engine.wants_gradient(x * y)
    assert _engine.wants_gradient(x * leaf)


def test_without_a_record(device):
    (x,) = leaves([reals(3)])
    before = _engine.set_gradient_mode(False)
    try:
        y = x * 2
        assert not _engine.wants_gradient(y)
        x -= 1  # also the leaf itself
    finally:
        _engine.set_gradient_mode(before)
    backward((x * x).sum())
    np.testing.assert_allclose(gradient(x), 2 * (reals(3) - 1))


def test_leaves_are_not_written(device):
    (x,) = leaves([reals(3)])
    view = x[1:]
    with pytest.raises(RuntimeError, match="^a leaf Variable that requires grad is being used in an in-place operation"):
        x += 1
    with pytest.raises(RuntimeError, match="^a view of a leaf Variable that requires grad is being used in an in-place operation"):
        view[0] = 1
    with pytest.raises(RuntimeError, match="^a leaf Variable"):
        x[[0, 1]] = 1


def test_detached(device):
    (x,) = leaves([reals(3)])
    y = x * 2
    d = _engine.detached(y)
    assert not _engine.wants_gradient(d)
    assert not _engine.wants_gradient(d[1:] * 2)
    backward((d * y).sum(), retain_graph=True)
    np.testing.assert_allclose(gradient(x), 4 * reals(3))
    d[1:] = 5  # the same memory
    np.testing.assert_array_equal(qn.asnumpy(y)[1:], [5, 5])
    _engine.want_gradient(d, True)  # a leaf of its own
    (g,) = gradients((d * y).sum(), [d])
    np.testing.assert_array_equal(qn.asnumpy(g), qn.asnumpy(y))


def test_gradients_add_up(device):
    (x,) = leaves([reals(3)])
    for i in range(3):
        backward((x * x).sum())
        np.testing.assert_allclose(gradient(x), 2 * (i + 1) * reals(3))
    _engine.set_gradient(x, None)
    assert gradient(x) is None


def test_a_second_backward(device):
    (x,) = leaves([reals(3)])
    y = qn.exp(x).sum()
    backward(y, retain_graph=True)
    backward(y)
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        backward(y)


def test_given_gradients(device):
    (x,) = leaves([reals(3, 4)])
    w = reals(3, 4, seed=1)
    backward(x * x, qn.asarray(w))
    np.testing.assert_allclose(gradient(x), 2 * reals(3, 4) * w)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        backward(x * x)
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        backward(x * x, qn.asarray(w[0]))
    with pytest.raises(RuntimeError, match="does not require grad"):
        backward(qn.asarray(1.0))


def test_inputs_that_are_not_used(device):
    x, y = leaves([reals(3), reals(3)])
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        gradients(x.sum(), [x, y])
    assert gradients(x.sum(), [x, y], allow_unused=True)[1] is None
    z = x * y
    (g,) = gradients((z * z).sum(), [z])  # of what was computed, too
    np.testing.assert_allclose(qn.asnumpy(g), 2 * reals(3) ** 2)
    assert gradient(x) is None


def test_values_that_were_written_after_they_were_used(device):
    (x,) = leaves([reals(4)])
    y = x * 1
    z = qn.exp(y)
    square = z * z
    z[...] = 0
    y[1:] = 7
    backward(square.sum() + (y * y).sum())
    want = 2 * np.exp(2 * reals(4))
    want[0] += 2 * reals(4)[0]
    np.testing.assert_allclose(gradient(x), want)


def test_values_that_others_may_write(device):
    """Memory that NumPy shares: what was kept of it is no more."""
    if device.name != "cpu":
        pytest.skip("shared with the host alone")
    (x,) = leaves([reals(4)])
    y = qn.exp(x)
    shared = np.from_dlpack(_engine.detached(y))
    z = y * y
    y += 1
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        backward(z.sum())
    assert shared.shape == (4,)


def test_long_chains(device):
    (x,) = leaves([np.float64(1.0)])
    y = x
    for _ in range(20000):
        y = y * 1.0001
    backward(y)
    np.testing.assert_allclose(gradient(x), 1.0001**20000)
