"""Gradients of functions of whole arrays: sorts, running sums, Fourier transforms, factorisations; and those of the second order."""

import numpy as np
import pytest
import quern as qn
from differences import KINDS, agrees, backward, differences, each, gradient, gradients, leaves, numbers, reals, weighted
from quern.lib import _engine


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_sorts(device, tier, axis):
    agrees(lambda a: weighted(qn.sort(a, axis=axis)), reals(3, 4, 2))
    agrees(lambda a: weighted(qn.take_along_axis(a, qn.argsort(a, axis=axis), axis=axis) * a), reals(3, 4, 2))


def test_what_stands_on_sorts(device):
    agrees(lambda a: weighted(qn.median(a, axis=1)) + weighted(qn.quantile(a, [0.1, 0.77], axis=0)), reals(4, 5))
    agrees(lambda a: weighted(qn.partition(a, 2)) + weighted(qn.unique(a)), reals(7))
    agrees(lambda a: weighted(qn.sort(a)), numbers("complex", 6))
    agrees(lambda a: weighted(qn.sort(a.T[::-1], axis=0)), reals(3, 4))


def test_sorts_of_equal_values(device):
    (x,) = leaves([[2.0, 1.0, 2.0, np.nan, 1.0]])
    (g,) = gradients((qn.sort(x)[:4] * qn.asarray([1.0, 2.0, 3.0, 4.0])).sum(), [x])
    np.testing.assert_array_equal(qn.asnumpy(g), [3, 1, 4, 0, 2])


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "fmax", "fmin"])
def test_running(device, tier, name, axis):
    agrees(lambda a: weighted(getattr(qn, name).accumulate(a, axis=axis)), reals(3, 4, 2))


@KINDS
def test_running_products_with_zeros(device, kind):
    x = numbers(kind, 4, 5)
    agrees(lambda a: weighted(qn.cumprod(a, axis=1)), x)
    x[0, 1] = x[1, 1] = x[1, 3] = x[2, 0] = x[3, 4] = 0
    agrees(lambda a: weighted(qn.cumprod(a, axis=1)), x)
    agrees(lambda a: weighted(qn.cumsum(a)), x)


def test_running_extremes_go_to_the_last_of_equal_ones(device):
    (x,) = leaves([[1.0, 3.0, 2.0, 3.0, 0.0]])
    (g,) = gradients(qn.maximum.accumulate(x).sum(), [x])
    np.testing.assert_array_equal(qn.asnumpy(g), [1, 2, 0, 2, 0])


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8])
def test_fourier(device, norm, n):
    fft = qn.fft
    for axis, shape in ((1, (2, n)), (0, (n, 2))):
        half = (2, n // 2 + 1) if axis else (n // 2 + 1, 2)
        agrees(lambda a: weighted(fft.fft(a, norm=norm, axis=axis)), numbers("complex", *shape))  # noqa: B023
        agrees(lambda a: weighted(fft.ifft(a, norm=norm, axis=axis)), numbers("complex", *shape))  # noqa: B023
        agrees(lambda a: weighted(fft.fft(a, norm=norm, axis=axis)), reals(*shape))  # noqa: B023
        agrees(lambda a: weighted(fft.rfft(a, norm=norm, axis=axis)), reals(*shape))  # noqa: B023
        agrees(lambda a: weighted(fft.irfft(a, n, norm=norm, axis=axis)), numbers("complex", *half))  # noqa: B023
        agrees(lambda a: weighted(fft.hfft(a, n, norm=norm, axis=axis)), numbers("complex", *half))  # noqa: B023
        agrees(lambda a: weighted(fft.ihfft(a, norm=norm, axis=axis)), reals(*shape))  # noqa: B023


def test_fourier_along_axes(device):
    agrees(lambda a: weighted(qn.fft.fft(a, 7)) + weighted(qn.fft.fft(a, 3)), reals(2, 5))
    agrees(lambda a: weighted(qn.fft.rfft2(a)), reals(2, 3, 4))
    agrees(lambda a: weighted(qn.fft.irfft2(a)), numbers("complex", 2, 3, 3))
    agrees(lambda a: weighted(qn.fft.fftn(a.T[::-1])), numbers("complex", 3, 4))


def hermitian(a):
    return (a + qn.conj(qn.swapaxes(a, -1, -2))) / 2


def positive(a):
    return qn.matmul(a, qn.conj(qn.swapaxes(a, -1, -2))) + qn.asarray(np.eye(a.shape[-2]))


@KINDS
def test_equations(device, kind):
    solve = qn.linalg.solve
    a = numbers(kind, 2, 3, 3)
    agrees(lambda x, y: weighted(solve(x, y)), a, numbers(kind, 2, 3, 2))
    agrees(lambda x, y: weighted(solve(x, y)), a, numbers(kind, 3, 2))
    agrees(lambda x, y: weighted(solve(x, y)), a[0], numbers(kind, 3))
    agrees(lambda x, y: weighted(solve(x, y)), a[0], reals(3))
    agrees(lambda x: weighted(qn.linalg.inv(x)), a)
    agrees(lambda x: weighted(qn.linalg.det(x)), a)
    agrees(lambda x: each(qn.linalg.slogdet(x)), a)
    agrees(lambda x: weighted(qn.linalg.slogdet(x)[0]), a)
    agrees(lambda x: weighted(qn.linalg.pinv(x)), numbers(kind, 3, 2), error=1e-4)


@KINDS
@pytest.mark.parametrize("rank", [0, 1, 2, 3])
def test_determinants_of_singular_matrices(device, kind, rank):
    a = numbers(kind, 2, 3, rank) @ numbers(kind, 2, rank, 3, seed=1)
    agrees(lambda x: weighted(qn.linalg.det(x)), a)
    agrees(lambda x: weighted(qn.linalg.det(x)), a[:, :1, :1])


@KINDS
def test_cholesky(device, kind):
    a = numbers(kind, 2, 3, 3)
    agrees(lambda x: weighted(qn.linalg.cholesky(positive(x))), a)
    agrees(lambda x: weighted(qn.linalg.cholesky(positive(x), upper=True)), a)


MATRICES = pytest.mark.parametrize("shape", [(2, 3, 3), (4, 3), (3, 4), (2, 5, 2)])


@KINDS
@MATRICES
def test_qr(device, kind, shape):
    a = numbers(kind, *shape)
    agrees(lambda x: each(qn.linalg.qr(x)), a)
    agrees(lambda x: weighted(qn.linalg.qr(x)[0]), a)
    agrees(lambda x: weighted(qn.linalg.qr(x)[1]), a)
    agrees(lambda x: weighted(qn.linalg.qr(x, "r")), a)


@KINDS
@MATRICES
def test_svd(device, kind, shape):
    a = numbers(kind, *shape)
    svd = lambda x: qn.linalg.svd(x, full_matrices=False)  # noqa: E731

    def all_of_it(x):  # what does not depend on the vectors' phases
        u, s, vh = svd(x)
        return weighted(qn.matmul(u * qn.asarray(np.linspace(0.5, 1, min(shape[-2:]))), vh)) + weighted(s)

    agrees(all_of_it, a, error=1e-4)
    agrees(lambda x: weighted(qn.linalg.svd(x, compute_uv=False)), a)
    agrees(lambda x: weighted(qn.abs(svd(x)[0])), a, error=1e-4)
    agrees(lambda x: weighted(qn.abs(svd(x)[2])), a, error=1e-4)


@KINDS
def test_eigenvalues(device, kind):
    a = numbers(kind, 2, 3, 3)
    linalg = qn.linalg
    agrees(lambda x: weighted(linalg.eigvalsh(hermitian(x))), a)
    agrees(lambda x: each(map(qn.abs, linalg.eigh(hermitian(x)))), a, error=1e-4)
    agrees(lambda x: weighted(qn.abs(linalg.eigh(hermitian(x))[1])), a, error=1e-4)
    agrees(lambda x: (linalg.eigvals(x) ** 3).sum().real + (qn.abs(linalg.eigvals(x)) ** 2).sum(), a)

    def vectors(x):
        values, columns = linalg.eig(x)
        return (qn.abs(columns) ** 4 * qn.abs(values)[..., None, :]).sum()

    agrees(vectors, a, error=1e-4)


def test_factorisations_without_a_formula(device):
    (a,) = leaves([reals(4, 3)])
    if device.name == "cpu":
        with pytest.raises(NotImplementedError, match=rf"derivative for lstsq is not implemented; .*\(recorded at .*{__name__}.py:\d+\)"):
            backward(qn.linalg.lstsq(a, qn.asarray(reals(4)), rcond=None)[0].sum())
    with pytest.raises(NotImplementedError, match=rf"derivative for qr in mode .*\(recorded at .*{__name__}.py:\d+\)"):
        backward(qn.linalg.qr(a, "complete")[0].sum())


def test_joined(device, tier):
    x, y = reals(2, 3), reals(2, 4, seed=1)
    agrees(lambda a, b: weighted(qn.concatenate([a, b, a * 2], axis=1)), x, y)
    agrees(lambda a, b: weighted(qn.concatenate([a, b], axis=1)), x, numbers("complex", 2, 4))
    agrees(lambda a: weighted(qn.stack([a, a[::-1], a * 2], axis=1)), x)
    agrees(lambda a: weighted(qn.roll(a, (1, -2), axis=(0, 1))) + weighted(qn.roll(a, 4)), x)
    agrees(lambda a: weighted(qn.tile(a, (2, 3))) + weighted(qn.repeat(a, [2, 0], axis=0)), x)
    agrees(lambda a: weighted(qn.pad(a, 2, mode="wrap")) + weighted(qn.pad(a, 1)), x)


def test_joined_is_one_autograd_node(device):
    x, y = leaves([reals(3), reals(4)])
    z = qn.concatenate([x, qn.asarray([1, 2]), y])
    assert _engine.gradient_name(z) == "Cat"
    assert [node.name() for node, _ in filter(None, _engine.gradient_node(z)[0].inputs())] == ["AccumulateGrad"] * 2


def test_other_functions(device):
    agrees(lambda a: weighted(qn.cov(a)) + qn.linalg.norm(a) + qn.trace(a), reals(3, 5))
    agrees(lambda a, w: weighted(qn.average(a, axis=1, weights=w)), reals(3, 4), np.abs(reals(4)))
    agrees(lambda a, b: weighted(qn.cross(a, b)) + weighted(qn.kron(a, b)), reals(2, 3), reals(2, 3, seed=1))
    agrees(lambda a: weighted(qn.diag(a)) + weighted(qn.vander(a, 4)) + weighted(qn.diff(a, n=2)), reals(4))
    agrees(lambda a: weighted(qn.tril(a)) + weighted(qn.clip(a, -0.5, 0.5)) + weighted(qn.ptp(a, axis=0)), reals(4, 4))
    agrees(lambda w: weighted(qn.bincount(qn.asarray([0, 2, 2, 1]), weights=w)), reals(4))


def test_to_another_device(device):
    x = qn.asarray(reals(3, 4))
    _engine.want_gradient(x, True)
    there = (x * 2)[1:].to_device("cpu")
    assert _engine.wants_gradient(there)
    backward(weighted((there * there).to_device(device.name)))
    want = differences(lambda a: weighted((a * 2)[1:] ** 2), [qn.asnumpy(x)])[0]
    np.testing.assert_allclose(gradient(x), want, rtol=1e-5, atol=1e-5)


# ---- the second order


def second(function, x, error=1e-5):
    """d weighted(gradient) / d x, where the gradient is recorded."""

    def slope(a):
        if not _engine.wants_gradient(a):
            _engine.want_gradient(a, True)
        (g,) = gradients(function(a), [a], create_graph=True, retain_graph=True, allow_unused=True)
        return weighted(g, 11)

    def value(a):
        return qn.asarray(qn.asnumpy(slope(a)))

    x = np.asarray(x)
    (leaf,) = leaves([x])
    (got,) = gradients(slope(leaf), [leaf])
    (want,) = differences(value, [x])
    np.testing.assert_allclose(qn.asnumpy(got), want, rtol=error, atol=error)


def views_and_writes(x):
    y = qn.exp(x)
    y[1:] -= x[:-1]
    line = y.T[0]
    line[...] = line * line
    y[::-1, 1:] *= 1.5
    return weighted(y * y) + weighted(y[1:], 9)


def puts(x):
    y = x**2
    y[[0, 2, 1], [1, 1, 3]] = (x * x)[0, :3]
    y[1:, [0, 2]] = x[2, :2] ** 3
    return weighted(y * y)


SECONDS = {
    "sin": lambda a: weighted(qn.sin(a) * qn.exp(a)),
    "product": lambda a: weighted(a[0] * a[1] / a[2]),
    "matmul": lambda a: weighted(qn.tanh(a @ a.T)),
    "views and writes": views_and_writes,
    "sum of squares": lambda a: (a.sum(axis=0) ** 3).sum(),
    "max": lambda a: (a.max(axis=0) ** 3).sum(),
    "picks": lambda a: weighted(a[[0, 2, 0], 1:] ** 3),
    "puts": puts,
    "sort": lambda a: weighted(qn.sort(a, axis=1) ** 3),
    "cumsum": lambda a: weighted(qn.cumsum(a, axis=1) ** 3),
    "cumprod": lambda a: weighted(qn.cumprod(a, axis=1)),
    "prod": lambda a: weighted(a.prod(axis=1)),
    "fft": lambda a: (qn.abs(qn.fft.rfft(a)) ** 4).sum(),
    "solve": lambda a: weighted(qn.linalg.solve(positive(a), a)),
    "det": lambda a: qn.linalg.det(positive(a)),
    "slogdet": lambda a: qn.linalg.slogdet(positive(a))[1],
    "cholesky": lambda a: weighted(qn.linalg.cholesky(positive(a))),
    "qr": lambda a: each(qn.linalg.qr(a.T)),
    "eigh": lambda a: weighted(qn.linalg.eigvalsh(positive(a))) + weighted(qn.abs(qn.linalg.eigh(positive(a))[1])),
    "svd": lambda a: weighted(qn.linalg.svd(a, compute_uv=False) ** 3) + weighted(qn.abs(qn.linalg.svd(a, full_matrices=False)[0])),
    "joined": lambda a: weighted(qn.concatenate([a**2, a**3])),
    "pow": lambda a: weighted(qn.abs(a) ** (a * 0.5)),
}


@pytest.mark.parametrize("name", SECONDS)
def test_second_order(device, name):
    second(SECONDS[name], reals(3, 4), error=1e-4)


def test_second_order_of_complex_numbers(device):
    second(lambda a: weighted(qn.sin(a) * a * qn.conj(a)), numbers("complex", 3, 4))
    second(lambda a: weighted(qn.linalg.inv(a)), numbers("complex", 3, 3), error=1e-4)


def test_third_order(device):
    (x,) = leaves([[0.5, 2.0]])
    y = (x**4).sum()
    for want in (4 * np.array([0.5, 2]) ** 3, 12 * np.array([0.5, 2]) ** 2, 24 * np.array([0.5, 2])):
        (g,) = gradients(y, [x], create_graph=True, retain_graph=True)
        np.testing.assert_allclose(qn.asnumpy(g), want)
        y = g.sum()
