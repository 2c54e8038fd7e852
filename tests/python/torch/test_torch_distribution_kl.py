"""torch.distributions: divergences, transforms, constraints and their registries are PyTorch's."""

import itertools

import numpy as np
import pytest
from torch_oracle import compare_all

A = "a = torch.tensor([0.3, 0.7, 1.5], dtype=torch.float64, requires_grad=True)\n"
B = "b = torch.tensor([0.6, 1.2, 2.5], dtype=torch.float64, requires_grad=True)\n"
SECOND = "c = a * 0.7 + 0.2\ne = b * 0.4 + 0.5\nd = torch.distributions\n"
# Each with parameters x and y: positive numbers.
KINDS = {
    "Bernoulli": "d.Bernoulli(x / 4)",
    "Beta": "d.Beta(x, y)",
    "Binomial": "d.Binomial(3, x / 4)",
    "Categorical": "d.Categorical(x)",
    "Cauchy": "d.Cauchy(x, y)",
    "Chi2": "d.Chi2(x)",
    "ContinuousBernoulli": "d.ContinuousBernoulli(x / 4)",
    "Dirichlet": "d.Dirichlet(x)",
    "Exponential": "d.Exponential(x)",
    "Gamma": "d.Gamma(x, y)",
    "Geometric": "d.Geometric(x / 4)",
    "Gumbel": "d.Gumbel(x, y)",
    "HalfNormal": "d.HalfNormal(x)",
    "Independent": "d.Independent(d.Normal(x, y), 1)",
    "Laplace": "d.Laplace(x, y)",
    "LogNormal": "d.LogNormal(x, y)",
    "Normal": "d.Normal(x, y)",
    "OneHotCategorical": "d.OneHotCategorical(x)",
    "Pareto": "d.Pareto(x, y + 1)",
    "Poisson": "d.Poisson(x)",
    "StudentT": "d.StudentT(x)",
    "Uniform": "d.Uniform(x / 8, y / 3 + x / 8)",
}
VECTORS = {
    "MultivariateNormal": "d.MultivariateNormal(x, torch.outer(x, x) + torch.diag(y))",
    "LowRankMultivariateNormal": "d.LowRankMultivariateNormal(x, x.unsqueeze(-1), y)",
}


def divergence(first, second):
    p, q = first, second.replace("x", "c").replace("y", "e").replace("Ecponential", "Exponential")
    p = p.replace("x", "a").replace("y", "b").replace("Eaponential", "Exponential")
    body = f"made = d.kl_divergence({fixed(p)}, {fixed(q)})\n"
    return A + B + SECOND + body + "[made, *torch.autograd.grad(made[made.isfinite()].sum(), [a, b], allow_unused=True)]"


def fixed(text):
    """Names of functions that have an x or y."""
    for wrong, right in (("Categoricab", "Categorical"), ("Cauchb", "Cauchy"), ("Cauche", "Cauchy")):
        text = text.replace(wrong, right)
    return text


@pytest.mark.parametrize("first", KINDS)
def test_divergences_of_all_pairs(first):
    compare_all([divergence(KINDS[first], second) for second in KINDS.values()], rtol=1e-6, atol=1e-7)


def test_divergences_of_multivariate_normal_distributions():
    texts = [divergence(*pair) for pair in itertools.product(VECTORS.values(), repeat=2)]
    compare_all(texts, rtol=1e-6, atol=1e-7)


def test_divergences_at_the_limits():
    make = "d = torch.distributions\np = torch.tensor([0.0, 0.5, 1.0])\n"
    compare_all(
        [
            make + "d.kl_divergence(d.Bernoulli(p), d.Bernoulli(p.flip(0)))",
            make + "d.kl_divergence(d.Bernoulli(p), d.Bernoulli(p))",
            make + "d.kl_divergence(d.Categorical(p), d.Categorical(p.flip(0)))",
            make + "d.kl_divergence(d.Uniform(0.0, 1.0), d.ContinuousBernoulli(0.3))",
            make + "d.kl_divergence(d.ContinuousBernoulli(0.3), d.Uniform(0.0, 1.0))",
            make + "d.kl_divergence(d.Uniform(-1.0, 1.0), d.Exponential(1.0))",
            make + "d.kl_divergence(d.Pareto(1.0, 0.5), d.Exponential(1.0))",
            make + "raises(lambda: d.kl_divergence(d.Binomial(2, p), d.Binomial(3, p)))",
            make + "d.kl_divergence(d.Binomial(3, p[1:2]), d.Binomial(2, p[1:2]))",
            make + "class Own(d.Normal):\n    pass\nd.kl_divergence(Own(0.0, 1.0), Own(1.0, 1.0))",
        ]
    )


def test_registered_classes_are_distributions():
    from quern.torch import distributions

    with pytest.raises(TypeError, match="type_q to be a Distribution subclass"):
        distributions.register_kl(distributions.Normal, int)


TRANSFORMS = {
    "ExpTransform()": (-2, 2),
    "SigmoidTransform()": (-3, 3),
    "TanhTransform()": (-2, 2),
    "SoftplusTransform()": (-3, 3),
    "AbsTransform()": (0.1, 2),
    "PowerTransform(torch.tensor(1.7, dtype=torch.float64))": (0.1, 3),
    "AffineTransform(1.5, -2.0)": (-2, 2),
    "AffineTransform(torch.tensor([0.5, 1.0, 2.0]).double(), torch.tensor([0.5, -1.0, 2.0]).double(), event_dim=1)": (-2, 2),
    "SoftmaxTransform()": (-2, 2),
    "StickBreakingTransform()": (-2, 2),
    "CorrCholeskyTransform()": (-1, 1),
    "ReshapeTransform((3,), (3, 1))": (-1, 1),
    "IndependentTransform(d.ExpTransform(), 1)": (-1, 1),
    "ComposeTransform([d.AffineTransform(0.5, 2.0), d.ExpTransform(), d.AffineTransform(1.0, -1.0)])": (-1, 1),
    "ComposeTransform([d.AffineTransform(0.5, 2.0), d.StickBreakingTransform()])": (-1, 1),
    "CatTransform([d.ExpTransform(), d.AffineTransform(1.0, 2.0)], dim=-1, lengths=[1, 2])": (-1, 1),
    "StackTransform([d.ExpTransform(), d.SigmoidTransform(), d.TanhTransform()], dim=-1)": (-1, 1),
    "CumulativeDistributionTransform(d.Normal(0.0, 1.0))": (-1, 1),
    "identity_transform": (-1, 1),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_transforms_are_pytorchs(transform):
    x = np.random.default_rng(5).uniform(*TRANSFORMS[transform], (2, 3)).round(3).tolist()
    make = f"d = torch.distributions\nx = torch.tensor({x}, dtype=torch.float64, requires_grad=True)\nt = d.{transform}\ny = t(x)\n"
    texts = [
        make + "[y, t.inv(y), torch.autograd.grad((y * y).sum(), x)]",
        make + "[t.bijective, repr(t), repr(t.inv), repr(t.domain), repr(t.codomain), t.forward_shape(x.shape), t.inverse_shape(y.shape)]",
        make + "[t.inv.inv is t, t == t, t == t.inv, t.inv == t.inv, t == d.ExpTransform()]",
    ]
    if "Softmax" not in transform and "Abs" not in transform:
        texts.append(make + "made = t.log_abs_det_jacobian(x, y)\n[made, t.inv.log_abs_det_jacobian(y, x)]")
    if not any(one in transform for one in "Softmax Abs Stick Corr Reshape Cat Stack Independent event".split()):
        texts.append(make + "t.sign")
    compare_all([text.replace("repr(t.domain), repr(t.codomain), ", "") if "CatT" in text or "StackT" in text else text for text in texts])


def test_transforms_of_matrices_and_caches():
    make = "d = torch.distributions\nx = torch.tensor([[0.5, 2.0], [-1.0, 0.3]], dtype=torch.float64)\n"
    compare_all(
        [
            make + "t = d.LowerCholeskyTransform()\n[t(x), t.inv(t(x)), repr(t.domain), repr(t.codomain)]",
            make + "t = d.PositiveDefiniteTransform()\n[t(x), t.inv(t(x)), repr(t.codomain)]",
            make + "t = d.ExpTransform(cache_size=1)\ny = t(x)\n[t.inv(y) is x, t(x) is y, t.with_cache(1) is t, t.with_cache(0) is t]",
            make + "t = d.ComposeTransform([d.ExpTransform(), d.TanhTransform()], cache_size=1)\ny = t(x)\nt.inv(y) is x",
            make + "raises(lambda: d.StickBreakingTransform().forward_shape(()))",
            make + "raises(lambda: d.ReshapeTransform((2,), (3,)))",
            make + "raises(lambda: d.CatTransform([d.ExpTransform()], lengths=[3])(x))",
            make + "raises(lambda: d.AbsTransform().sign)",
        ]
    )


def test_constraints_check_and_are_named():
    make = "c = torch.distributions.constraints\nx = torch.tensor([[-1.0, 0.0], [0.5, 1.0], [math.nan, 2.0], [0.25, 0.75]])\n"
    names = """real positive nonnegative unit_interval boolean nonnegative_integer positive_integer simplex real_vector one_hot
        greater_than(0.5) greater_than_eq(0.5) less_than(0.5) interval(-1.0,0.5) half_open_interval(0.0,1.0) integer_interval(0,2)
        multinomial(2) independent(c.positive,1) cat([c.real,c.positive],-1) stack([c.real,c.positive],-1)"""
    texts = [make + f"k = c.{name}\n[k.check(x), k.is_discrete, k.event_dim]" for name in names.split()]
    texts += [make + f"repr(c.{name})" for name in names.split() if not name.startswith(("cat", "stack"))]
    square = "c = torch.distributions.constraints\nm = torch.tensor([[[1.0, 0.0], [0.5, 1.0]], [[1.0, 0.5], [0.5, 1.0]], [[1.0, 2.0], [2.0, 1.0]]])\n"
    kinds = "lower_triangular lower_cholesky square symmetric positive_semidefinite positive_definite".split()
    texts += [square + f"[c.{name}.check(m[1:]), c.{name}.check(m), repr(c.{name}), c.{name}.event_dim]" for name in kinds]
    texts += [square + "[c.corr_cholesky.check(torch.linalg.cholesky(m[1])), c.corr_cholesky.check(m)]"]
    texts += ["c = torch.distributions.constraints\n[c.is_dependent(c.dependent), c.is_dependent(c.real), raises(lambda: c.dependent.event_dim)]"]
    compare_all(texts)


def test_registries_give_pytorchs_transforms():
    kinds = """real positive greater_than(2.0) less_than(2.0) interval(-1.0,3.0) unit_interval simplex independent(c.positive,1)
        corr_cholesky lower_cholesky positive_definite cat([c.real,c.positive],-1) stack([c.real,c.positive],-1) boolean""".split()
    make = "d = torch.distributions\nc = d.constraints\nx = torch.tensor([[0.3, -0.2], [0.4, 0.1]]).double()\n"
    texts = [make + f"t = d.{to}(c.{kind})\n[t(x[0] if '{kind}' != 'corr_cholesky' else x[0, :1]), repr(t)]" for to in ("biject_to", "transform_to") for kind in kinds]
    compare_all([text.replace("x[0] if", "x if") if "lower_chol" in text or "definite" in text else text for text in texts])
