"""torch.distributions: samples have the moments and cumulative probabilities of their distribution, and gradients of its means."""

import numpy as np
import pytest
from quern import torch

d = torch.distributions
COUNT = 40_000
CASES = {
    "Normal": lambda: d.Normal(torch.tensor([-1.0, 2.0]), torch.tensor([0.5, 2.0])),
    "LogNormal": lambda: d.LogNormal(torch.tensor([-1.0, 0.5]), torch.tensor([0.5, 0.3])),
    "Uniform": lambda: d.Uniform(torch.tensor([-1.0, 2.0]), torch.tensor([0.5, 5.0])),
    "Laplace": lambda: d.Laplace(torch.tensor([-1.0, 2.0]), torch.tensor([0.5, 2.0])),
    "HalfNormal": lambda: d.HalfNormal(torch.tensor([0.5, 2.0])),
    "Gumbel": lambda: d.Gumbel(torch.tensor([-1.0, 2.0]), torch.tensor([0.5, 2.0])),
    "StudentT": lambda: d.StudentT(torch.tensor([9.0, 12.0]), torch.tensor([-1.0, 2.0])),
    "Exponential": lambda: d.Exponential(torch.tensor([0.5, 2.0])),
    "Gamma": lambda: d.Gamma(torch.tensor([0.3, 4.0]), torch.tensor([0.5, 2.0])),
    "InverseGamma": lambda: d.InverseGamma(torch.tensor([9.0, 12.0]), torch.tensor([0.5, 2.0])),
    "Chi2": lambda: d.Chi2(torch.tensor([0.8, 5.0])),
    "FisherSnedecor": lambda: d.FisherSnedecor(torch.tensor([3.0, 5.0]), torch.tensor([20.0, 30.0])),
    "Weibull": lambda: d.Weibull(torch.tensor([0.8, 5.0]), torch.tensor([1.5, 3.0])),
    "Pareto": lambda: d.Pareto(torch.tensor([0.8, 5.0]), torch.tensor([9.0, 12.0])),
    "Beta": lambda: d.Beta(torch.tensor([0.3, 4.0]), torch.tensor([0.5, 2.0])),
    "Dirichlet": lambda: d.Dirichlet(torch.tensor([0.05, 0.5, 3.0])),
    "Kumaraswamy": lambda: d.Kumaraswamy(torch.tensor([0.8, 4.0]), torch.tensor([1.5, 2.0])),
    "ContinuousBernoulli": lambda: d.ContinuousBernoulli(torch.tensor([0.2, 0.5])),
    "GeneralizedPareto": lambda: d.GeneralizedPareto(torch.tensor([0.2, 0.5]), 1.0, torch.tensor([0.1, -0.3])),
    "Bernoulli": lambda: d.Bernoulli(torch.tensor([0.2, 0.9])),
    "Binomial": lambda: d.Binomial(torch.tensor([3.0, 40.0]), torch.tensor([0.2, 0.9])),
    "Geometric": lambda: d.Geometric(torch.tensor([0.2, 0.9])),
    "NegativeBinomial": lambda: d.NegativeBinomial(torch.tensor([0.7, 4.0]), torch.tensor([0.2, 0.7])),
    "Poisson": lambda: d.Poisson(torch.tensor([0.2, 30.0])),
    "OneHotCategorical": lambda: d.OneHotCategorical(torch.tensor([[0.2, 0.7, 0.1], [0.0, 0.5, 0.5]])),
    "Multinomial": lambda: d.Multinomial(7, torch.tensor([[0.2, 0.7, 0.1], [0.0, 0.5, 0.5]])),
    "MultivariateNormal": lambda: d.MultivariateNormal(torch.tensor([1.0, 2.0]), torch.tensor([[2.0, 0.5], [0.5, 1.0]])),
    "LowRankMultivariateNormal": lambda: d.LowRankMultivariateNormal(torch.zeros(2), torch.tensor([[1.0], [0.5]]), torch.ones(2)),
    "Wishart": lambda: d.Wishart(torch.tensor(5.0), torch.tensor([[2.0, 0.5], [0.5, 1.0]])),
    "MixtureSameFamily": lambda: d.MixtureSameFamily(d.Categorical(torch.tensor([1.0, 3.0])), d.Normal(torch.tensor([-2.0, 1.0]), 0.5)),
    "Independent": lambda: d.Independent(d.Normal(torch.tensor([-2.0, 1.0]), 0.5), 1),
}


@pytest.mark.parametrize("kind", CASES)
def test_samples_have_the_moments(kind):
    torch.manual_seed(11)
    p = CASES[kind]()
    drawn = p.sample((COUNT,)).double()
    assert p.support.check(drawn.float()).all() or kind == "Dirichlet"  # sums of float32 numbers of 1e-7
    deviation = p.variance.double().sqrt()
    assert ((drawn.mean(0) - p.mean).abs() <= 6 * deviation / COUNT**0.5 + 1e-6).all()
    spread = ((drawn - p.mean) ** 2).mean(0)
    error = ((drawn - p.mean) ** 4).mean(0).sqrt() / COUNT**0.5  # at least the deviation of the variance
    assert ((spread - p.variance).abs() <= 8 * error + 1e-6).all()


@pytest.mark.parametrize("kind", ["Normal", "Cauchy", "HalfCauchy", "Laplace", "Gamma", "Weibull", "Kumaraswamy", "Gumbel", "Exponential"])
def test_samples_have_the_cumulative_probabilities(kind):
    torch.manual_seed(5)
    more = {"Cauchy": lambda: d.Cauchy(1.0, 2.0), "HalfCauchy": lambda: d.HalfCauchy(2.0)}
    p = {**CASES, **more}[kind]()
    uniform = np.sort(p.cdf(p.sample((COUNT,))).numpy().reshape(COUNT, -1), axis=0)
    distance = np.abs(uniform - (np.arange(COUNT)[:, None] + 0.5) / COUNT).max()
    assert distance < 2.2 / COUNT**0.5  # Kolmogorov's: 1e-4


def test_angles_and_classes():
    torch.manual_seed(6)
    angles = d.VonMises(torch.tensor([1.0, -3.0]), torch.tensor([4.0, 0.5])).sample((COUNT,)).double()
    assert (angles.abs() <= np.pi + 1e-6).all()
    mean = torch.atan2(angles.sin().mean(0), angles.cos().mean(0))
    assert np.allclose(mean, [1.0, -3.0], atol=0.05)
    classes = d.Categorical(torch.tensor([[0.2, 0.0, 0.8], [1.0, 1.0, 2.0]])).sample((COUNT,))
    for column, wanted in zip(classes.T, ([0.2, 0, 0.8], [0.25, 0.25, 0.5]), strict=False):
        assert np.allclose(torch.bincount(column, minlength=3) / COUNT, wanted, atol=0.015)
        assert column.dtype == torch.int64
    lower = d.LKJCholesky(3, 2.0).sample((COUNT,))
    assert torch.distributions.constraints.corr_cholesky.check(lower).all()
    correlation = (lower @ lower.mT)[:, [1, 2, 2], [0, 0, 1]]  # (r + 1) / 2 is of Beta(2.5, 2.5)
    assert np.allclose(correlation.mean(0), 0, atol=0.02) and np.allclose((correlation**2).mean(0), 1 / 6, atol=0.01)


# A mean over a distribution that is known as a function of the parameters: of f(x), at parameters a and b.
SLOPES = {
    "Gamma by its shape": (lambda a, b: d.Gamma(a, b), lambda x: x.square(), lambda a, b: a * (a + 1) / b**2, (0.4, 2.0)),
    "Gamma, large": (lambda a, b: d.Gamma(a, b), lambda x: x.square(), lambda a, b: a * (a + 1) / b**2, (7.0, 2.0)),
    "Beta": (lambda a, b: d.Beta(a, b), lambda x: x, lambda a, b: a / (a + b), (0.4, 2.0)),
    "Beta, large": (lambda a, b: d.Beta(a, b), lambda x: x.square(), lambda a, b: a * (a + 1) / (a + b) / (a + b + 1), (5.0, 3.0)),
    "Dirichlet": (
        lambda a, b: d.Dirichlet(torch.stack([a, b, b.new_ones(())])),
        lambda x: x[..., 0] * x[..., 1],
        lambda a, b: a * b / (a + b + 1) / (a + b + 2),
        (0.6, 1.5),
    ),
    "Chi2": (lambda a, b: d.Chi2(a * b), lambda x: x.square(), lambda a, b: a * b * (a * b + 2), (1.5, 2.0)),
    "StudentT": (lambda a, b: d.StudentT(a, 0.0, b), lambda x: x.abs() ** 0.5 * 0 + x.square(), lambda a, b: b**2 * a / (a - 2), (30.0, 2.0)),
    "Normal": (lambda a, b: d.Normal(a, b), lambda x: x.square(), lambda a, b: a**2 + b**2, (0.4, 2.0)),
    "Weibull": (lambda a, b: d.Weibull(a, b), lambda x: x, lambda a, b: a * torch.lgamma(1 + 1 / b).exp(), (0.8, 1.5)),
}


@pytest.mark.parametrize("case", SLOPES)
def test_samples_have_the_gradients_of_means(case):
    make, function, mean, values = SLOPES[case]
    torch.manual_seed(8)
    a, b = (torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in values)
    slopes = []
    for _ in range(16):  # an estimate of the error, too
        got = torch.autograd.grad(function(make(a, b).rsample((10_000,))).mean(), [a, b])
        slopes.append([float(one) for one in got])
    wanted = [float(one) for one in torch.autograd.grad(mean(a, b), [a, b])]
    error = np.std(slopes, axis=0) / 4
    assert (np.abs(np.mean(slopes, axis=0) - wanted) <= 6 * error + 1e-3 * np.abs(wanted)).all()


def test_sampled_one_hot_vectors_have_the_gradients_of_probabilities():
    probs = torch.tensor([0.2, 0.3, 0.5], requires_grad=True)
    drawn = d.OneHotCategoricalStraightThrough(probs).rsample((5,))
    assert ((drawn == 0) | (drawn == 1)).all() and (drawn.sum(-1) == 1).all()
    (got,) = torch.autograd.grad((drawn * torch.tensor([1.0, 2.0, 3.0])).sum(), probs)
    (wanted,) = torch.autograd.grad((probs / probs.sum() * torch.tensor([1.0, 2.0, 3.0])).sum() * 5, probs)
    assert np.allclose(got, wanted)


def test_relaxed_samples_are_sharp_at_low_temperatures():
    torch.manual_seed(2)
    sharp = d.RelaxedOneHotCategorical(torch.tensor(0.01), torch.tensor([0.2, 0.8])).rsample((COUNT,))
    assert np.allclose(sharp.round().mean(0), [0.2, 0.8], atol=0.02)
    assert torch.allclose(sharp.sum(-1), torch.ones(COUNT), atol=1e-5)
    bits = d.RelaxedBernoulli(torch.tensor(0.01), torch.tensor(0.3)).rsample((COUNT,))
    assert abs(float(bits.round().mean()) - 0.3) < 0.02


def test_samples_without_gradients_and_of_no_elements():
    loc = torch.tensor([0.0], requires_grad=True)
    p = d.Normal(loc, 1.0)
    assert not p.sample().requires_grad and p.rsample().requires_grad
    assert p.sample((0,)).shape == (0, 1)
    assert d.Categorical(torch.ones(2)).sample((0,)).shape == (0,)
    assert d.Gamma(torch.full((1000,), 1e-3), 1.0).sample().min() > 0
    assert not torch.isnan(d.Dirichlet(torch.full((1000, 3), 1e-3)).sample()).any()
    half = d.Normal(torch.zeros(2, dtype=torch.float16), 1.0).sample()
    assert half.dtype == torch.float16
    torch.manual_seed(3)
    first = d.Beta(0.5, 0.5).sample((3,))
    torch.manual_seed(3)
    assert torch.equal(first, d.Beta(0.5, 0.5).sample((3,)))


def test_second_derivatives_of_densities():
    a = torch.tensor([0.7, 2.5], dtype=torch.float64, requires_grad=True)
    x = torch.tensor([0.4, 0.8], dtype=torch.float64)
    for make in (lambda a: d.Gamma(a, a).log_prob(x), lambda a: d.StudentT(a).log_prob(x), lambda a: d.Beta(a, a).entropy()):
        assert torch.autograd.gradgradcheck(make, (a,))


def test_a_density_is_fitted():
    """Maximum likelihood by gradients: the parameters come back."""
    torch.manual_seed(1)
    data = d.Gamma(3.0, 2.0).sample((4000,))
    raw = torch.zeros(2, requires_grad=True)
    optimizer = torch.optim.Adam([raw], lr=0.1)
    for _ in range(150):
        loss = -d.Gamma(*raw.exp()).log_prob(data).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert np.allclose(raw.detach().exp(), [3.0, 2.0], rtol=0.1)
