"""What faces give at the limits of their arguments: infinities, bounds of types, tolerances; NumPy and PyTorch's documentation are the oracle."""

import numpy as np
import pytest
import quern as qn
import quern.cupy as cp
import quern.torch as torch

INF, NAN = np.inf, np.nan


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_sums_of_products_with_infinities(device, name, mode):
    rng = np.random.default_rng(1)
    for n, m in ((1, 1), (3, 2), (2, 5), (30, 7), (300, 250)):
        for special in (NAN, INF, -INF):
            a, v = rng.normal(size=n), rng.normal(size=m)
            v[rng.integers(m)] = special
            with np.errstate(invalid="ignore"):
                wanted = getattr(np, name)(a, v, mode)
            np.testing.assert_allclose(qn.asnumpy(getattr(qn, name)(a, v, mode)), wanted, rtol=1e-10, atol=1e-12)
    a, v = rng.normal(size=4000), rng.normal(size=3000)
    a[3] = 1e18  # far away it changes nothing
    np.testing.assert_allclose(qn.asnumpy(qn.convolve(a, v))[4000:], np.convolve(a, v)[4000:], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_draws_stay_inside(device, dtype):
    with torch.device(device.name):
        x = torch.zeros(200_000, dtype=dtype)
    torch.manual_seed(4)
    for made in (torch.rand(200_000, dtype=dtype, device=x.device), torch.rand_like(x)):
        assert float(made.max()) < 1 and abs(float(made.float().mean()) - 0.5) < 0.01
    assert float(x.uniform_(1, 2).max()) < 2 and float(x.min()) >= 1
    drawn = x.exponential_()
    assert float(drawn.min()) > 0 and np.isfinite(float(drawn.max())) and abs(float(drawn.float().mean()) - 1) < 0.02
    assert np.isfinite(float(x.geometric_(0.3).max()))


def test_integers_that_a_type_has_not():
    for call in (
        lambda: torch.randint(-3, 9, (5,), dtype=torch.uint8),
        lambda: torch.zeros(3, dtype=torch.uint8).random_(300),
        lambda: torch.zeros(3, dtype=torch.int32).random_(2**40),
        lambda: torch.zeros(3, dtype=torch.bool).random_(5),
        lambda: torch.randperm(200, dtype=torch.int8),
        lambda: torch.zeros(4).random_(0),
        lambda: torch.zeros(4).uniform_(0, INF),
    ):
        with pytest.raises(RuntimeError):
            call()
    assert sorted(torch.randperm(128, dtype=torch.int8).tolist()) == list(range(128))


def test_tolerances_of_pinv(device):
    with torch.device(device.name):
        x = torch.diag(torch.tensor([5.0, 0.5]))
        np.testing.assert_allclose(torch.linalg.pinv(x, atol=1.0).cpu().numpy(), [[0.2, 0], [0, 0]], atol=1e-6)
        np.testing.assert_allclose(torch.linalg.pinv(x, atol=0.1).cpu().numpy(), [[0.2, 0], [0, 2]], atol=1e-6)
        np.testing.assert_allclose(torch.linalg.pinv(x, atol=0.1, rtol=0.2).cpu().numpy(), [[0.2, 0], [0, 0]], atol=1e-6)
        np.testing.assert_allclose(torch.linalg.pinv(x, atol=1.0, hermitian=True).cpu().numpy(), [[0.2, 0], [0, 0]], atol=1e-6)


def test_shapes_and_types_that_do_not_fit():
    with pytest.raises(RuntimeError, match="one `x` value for each sample point"):
        torch.trapezoid(torch.tensor([1.0, 2.0]), torch.tensor([0.0, 1, 5]))
    with pytest.raises(RuntimeError, match="one `x` value"):
        torch.cumulative_trapezoid(torch.ones(2, 3), torch.ones(2, 2))
    with pytest.raises(TypeError, match="complex"):
        qn.interp(1j, [0, 1], [1, 2])
    a = qn.full((2, 2), 0.7)
    with pytest.raises(TypeError, match="safe"):
        qn.einsum("ij,jk->ik", a, a, out=qn.zeros((2, 2), int))
    with pytest.raises(ValueError, match="shape"):
        qn.einsum("ij->i", a, out=qn.zeros((3, 2)))


def test_types_of_kronecker_products():
    for a, b in (("int32", "float32"), ("int64", "float32"), ("float16", "int64"), ("bool", "uint8")):
        x, y = torch.ones(2, dtype=getattr(torch, a)), torch.ones(3, dtype=getattr(torch, b))
        assert torch.kron(x, y).dtype == (x[:, None] * y).dtype and torch.kron(x, y).shape == (6,)
    with pytest.raises(TypeError, match="generator"):
        torch.poisson(torch.ones(1), 5)


def test_orders_and_quantiles():
    keys = np.random.default_rng(2).integers(0, 3, (2, 3, 4))
    assert np.array_equal(cp.lexsort(cp.asarray(keys)).get(), np.lexsort(keys))
    for q in (0, 1, [0, 1], [0, 0.5]):
        for values in ([3.0, 1, 2], [3, 1, 2]):
            got, wanted = (m.quantile(m.asarray(values), q, method="averaged_inverted_cdf") for m in (qn, np))
            assert np.array_equal(qn.asnumpy(got), wanted)
