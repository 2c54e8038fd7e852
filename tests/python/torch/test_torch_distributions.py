"""torch.distributions: densities, entropies, quantiles, moments, shapes, checks and texts are PyTorch's, with their gradients.

Samples are tested in test_torch_distribution_samples.py, transforms and divergences in test_torch_distribution_kl.py.
"""

import numpy as np
import pytest
from torch_oracle import compare_all

# Distributions with parameters ({} is a generated one in the range after the bar) and the values of their log_prob.
FAMILIES = {
    "Normal": (("loc -2 2", "scale .2 3"), (-3, 3)),
    "LogNormal": (("loc -1 1", "scale .2 2"), (0.1, 4)),
    "Uniform": (("low -2 -1", "high 1 3"), (-0.9, 0.9)),
    "Laplace": (("loc -2 2", "scale .2 3"), (-3, 3)),
    "Cauchy": (("loc -2 2", "scale .2 3"), (-3, 3)),
    "HalfNormal": (("scale .2 3",), (0.1, 4)),
    "HalfCauchy": (("scale .2 3",), (0.1, 4)),
    "Gumbel": (("loc -2 2", "scale .2 3"), (-3, 3)),
    "StudentT": (("df .5 6", "loc -2 2", "scale .2 3"), (-3, 3)),
    "Exponential": (("rate .2 3",), (0.1, 4)),
    "Gamma": (("concentration .3 6", "rate .2 3"), (0.1, 4)),
    "InverseGamma": (("concentration .3 6", "rate .2 3"), (0.1, 4)),
    "Chi2": (("df .5 6",), (0.1, 4)),
    "FisherSnedecor": (("df1 .5 8", "df2 .5 8"), (0.1, 4)),
    "Weibull": (("scale .2 3", "concentration .5 3"), (0.1, 4)),
    "Pareto": (("scale .1 .9", "alpha .5 4"), (1, 4)),
    "Beta": (("concentration1 .3 5", "concentration0 .3 5"), (0.05, 0.95)),
    "Kumaraswamy": (("concentration1 .3 5", "concentration0 .3 5"), (0.05, 0.95)),
    "ContinuousBernoulli": (("probs .05 .95",), (0.05, 0.95)),
    "GeneralizedPareto": (("loc -1 0", "scale .5 2", "concentration .1 .4"), (0.1, 3)),
}
DISCRETE = {
    "Bernoulli": ("probs .05 .95",),
    "Binomial": ("4, probs .05 .95",),
    "Geometric": ("probs .05 .95",),
    "NegativeBinomial": ("total_count .5 4", "probs .05 .95"),
    "Poisson": ("rate .2 4",),
}
NO_CDF = set("StudentT FisherSnedecor Beta InverseGamma".split())
NO_ICDF = NO_CDF | {"Gamma", "Chi2"}
NO_MODE = set()
NO_ENTROPY = {"FisherSnedecor", "GeneralizedPareto"}


def tensors(generator, parameters, shape, dtype):
    """Assignments of parameters of those ranges, and their names."""
    lines, names = [], []
    for parameter in parameters:
        head, _, parameter = parameter.rpartition(", ")
        name, low, high = parameter.split()
        value = generator.uniform(float(low), float(high), shape).round(3).tolist()
        lines.append(f"{name} = torch.tensor({value}, dtype=torch.{dtype}, requires_grad=True)")
        names.append((head, name))
    arguments = ", ".join(f"{head + ', ' if head else ''}{name}={name}" if head == "" else f"{head}, {name}" for head, name in names)
    return lines, [name for _, name in names], arguments


def program(kind, parameters, body, generator, shape=(3,)):
    dtype = "float32" if kind == "GeneralizedPareto" else "float64"  # PyTorch's has no others
    lines, names, arguments = tensors(generator, parameters, shape, dtype)
    arguments = arguments.replace("4, probs", "4, probs=probs")
    text = "\n".join([*lines, f"p = torch.distributions.{kind}({arguments})"])
    return text + "\n" + body.replace("PARAMETERS", f"[{', '.join(names)}]").replace("float64", dtype)


GRADIENTS = "*torch.autograd.grad((made * torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64)).sum(), PARAMETERS + [x], allow_unused=True)"


@pytest.mark.parametrize("kind", FAMILIES)
def test_densities_and_moments_equal_pytorchs(kind):
    generator = np.random.default_rng(3)
    parameters, (low, high) = FAMILIES[kind]
    texts = []
    for _ in range(3):
        x = generator.uniform(low, high, 3).round(3).tolist()
        given = f"x = torch.tensor({x}, dtype=torch.float64, requires_grad=True)\n"
        texts.append(program(kind, parameters, given + f"made = p.log_prob(x)\n[made, {GRADIENTS}]", generator))
        if kind not in NO_CDF:
            of = "PARAMETERS[1:] + [x]" if kind == "Gamma" else "[x]" if kind == "Chi2" else None
            gradients = GRADIENTS.replace("PARAMETERS + [x]", of) if of else GRADIENTS
            texts.append(program(kind, parameters, given + f"made = p.cdf(x)\n[made, {gradients}]", generator))
        if kind not in NO_ICDF:
            unit = "x = torch.tensor([0.1, 0.5, 0.8], dtype=torch.float64, requires_grad=True)\n"
            texts.append(program(kind, parameters, unit + f"made = p.icdf(x)\n[made, {GRADIENTS}]", generator))
        if kind not in NO_ENTROPY:
            entropy = GRADIENTS.replace(" + [x]", "")
            texts.append(program(kind, parameters, f"made = p.entropy()\n[made, {entropy}]", generator))
        texts.append(program(kind, parameters, "[p.mean, p.variance, p.stddev, p.mode]", generator))
        about = "[repr(p), repr(p.support), p.batch_shape, p.event_shape, p.has_rsample, p.rsample((2,)).shape, p.expand((2, 3)).mean]"
        texts.append(program(kind, parameters, about, generator).replace(", requires_grad=True", ""))
        texts.append(program(kind, parameters, "[repr(p.expand((4, 3))), p.expand((4, 3)).sample((2,)).shape]", generator))
    if kind == "GeneralizedPareto":  # entropies of a batch are PyTorch's
        texts.append(program(kind, parameters, "p.entropy()", generator))
    compare_all(texts)


@pytest.mark.parametrize("kind", DISCRETE)
def test_probabilities_equal_pytorchs(kind):
    generator = np.random.default_rng(4)
    top = 2 if kind == "Bernoulli" else 5
    texts = []
    for _ in range(3):
        given = f"x = torch.tensor({generator.integers(0, top, 3).tolist()}, dtype=torch.float64)\nmade = p.log_prob(x)\n"
        gradients = GRADIENTS.replace(" + [x]", "")
        texts.append(program(kind, DISCRETE[kind], given + f"[made, {gradients}]", generator))
        about = "[p.mean, p.variance, p.mode, p.logits if hasattr(p, 'logits') else 0, repr(p), repr(p.support), p.sample((2,)).shape]"
        texts.append(program(kind, DISCRETE[kind], about, generator))
        texts.append(program(kind, DISCRETE[kind], "[repr(p.expand((2, 3))), p.expand((2, 3)).mean]", generator))
        if kind not in ("NegativeBinomial", "Poisson"):
            texts.append(program(kind, DISCRETE[kind], f"made = p.entropy()\n[made, {gradients}]", generator))
        if kind in ("Bernoulli", "Binomial"):
            texts.append(program(kind, DISCRETE[kind], "[p.enumerate_support(), p.enumerate_support(False)]", generator))
    compare_all(texts)


LOGITS = "l = torch.tensor([[-1.0, 0.5, 2.0], [0.0, -3.0, 1.0]], dtype=torch.float64, requires_grad=True)\n"


@pytest.mark.parametrize("kind", ["Bernoulli", "Binomial", "Geometric", "NegativeBinomial", "ContinuousBernoulli"])
def test_logits_in_place_of_probabilities(kind):
    count = "3, " if "inomial" in kind else ""
    make = f"{LOGITS}p = torch.distributions.{kind}({count}logits=l)\nx = torch.ones(2, 3, dtype=torch.float64)\n"
    compare_all(
        [
            make + "made = p.log_prob(x)\n[made, torch.autograd.grad(made.sum(), l)]",
            make + "[p.mean, p.variance, p.probs, p.logits, repr(p)]",
            make + "made = p.mean\ntorch.autograd.grad(made.sum(), l)",
        ]
    )


@pytest.mark.parametrize("kind", ["Categorical", "OneHotCategorical", "OneHotCategoricalStraightThrough", "Multinomial"])
@pytest.mark.parametrize("given", ["logits=l", "probs=l.exp()"])
def test_distributions_of_classes(kind, given):
    count = "3, " if kind == "Multinomial" else ""
    make = f"{LOGITS}p = torch.distributions.{kind}({count}{given})\n"
    x = "torch.tensor([2, 0])" if kind == "Categorical" else "torch.tensor([[0.0, 0, 1], [1, 0, 0]], dtype=torch.float64)"
    compare_all(
        [
            f"{make}made = p.log_prob({x})\n[made, torch.autograd.grad(made.sum(), l)]",
            f"{make}made = p.entropy()\n[made, torch.autograd.grad(made.sum(), l)]",
            f"{make}[p.mean, p.variance, p.probs, p.logits, p.param_shape, repr(p), repr(p.support), p.batch_shape, p.event_shape]",
            f"{make}[p.mode if {kind != 'Multinomial'} else 0, p.sample((4,)).shape, p.sample((4,)).dtype, p.sample().shape]",
            f"{make}[p.expand((5, 2)).probs, repr(p.expand((5, 2)))]",
            *([f"{make}[p.enumerate_support(), p.enumerate_support(False)]"] if kind != "Multinomial" else ()),
            f"{make}p.log_prob(p.sample((3,))).shape",
        ]
    )


MATRIX = "m = torch.tensor([[2.0, 0.5, 0.1], [0.5, 1.0, -0.2], [0.1, -0.2, 1.5]], dtype=torch.float64, requires_grad=True)\n"
LOC = "loc = torch.tensor([[0.1, -1.0, 2.0], [1.0, 0.0, 0.5]], dtype=torch.float64, requires_grad=True)\n"


@pytest.mark.parametrize("given", ["covariance_matrix=m", "precision_matrix=m", "scale_tril=m.tril()"])
def test_multivariate_normal(given):
    make = f"{MATRIX}{LOC}p = torch.distributions.MultivariateNormal(loc, {given})\nx = torch.linspace(-1, 1, 24, dtype=torch.float64).reshape(4, 2, 3)\n"
    compare_all(
        [
            make + "made = p.log_prob(x)\n[made, *torch.autograd.grad((made * made).sum(), [loc, m])]",
            make + "made = p.entropy()\n[made, *torch.autograd.grad(made.sum(), [m])]",
            make + "[p.mean, p.mode, p.variance, p.covariance_matrix, p.precision_matrix, p.scale_tril, repr(p), p.batch_shape, p.event_shape]",
            make + "[p.expand((5, 2)).log_prob(x[:1]), p.rsample((4,)).shape, repr(p.expand((5, 2)))]",
            make.replace("loc, ", "loc[0], ") + "[p.log_prob(x), p.batch_shape, p.entropy(), p.sample().shape, p.log_prob(x[0, 0])]",
        ],
        rtol=1e-6,
    )


def test_low_rank_multivariate_normal():
    make = f"{LOC}w = torch.tensor([[1.0, 0.2], [-0.5, 0.3], [0.1, 2.0]], dtype=torch.float64, requires_grad=True)\n"
    make += "v = torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64, requires_grad=True)\n"
    make += "p = torch.distributions.LowRankMultivariateNormal(loc, w, v)\nx = torch.linspace(-1, 1, 24, dtype=torch.float64).reshape(4, 2, 3)\n"
    compare_all(
        [
            make + "made = p.log_prob(x)\n[made, *torch.autograd.grad((made * made).sum(), [loc, w, v])]",
            make + "made = p.entropy()\n[made, *torch.autograd.grad(made.sum(), [w, v])]",
            make + "[p.mean, p.mode, p.variance, p.covariance_matrix, p.precision_matrix, p.scale_tril, repr(p), p.batch_shape]",
            make + "[p.expand((5, 2)).log_prob(x[:1]), p.rsample((4,)).shape, repr(p.expand((5, 2)))]",
        ],
        rtol=1e-6,
    )


def test_distributions_of_matrices():
    wishart = MATRIX + "df = torch.tensor([4.0, 5.5], dtype=torch.float64, requires_grad=True)\n"
    wishart += "p = torch.distributions.Wishart(df, covariance_matrix=m)\nx = torch.eye(3, dtype=torch.float64) * 2 + 0.1\n"
    lkj = "c = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)\np = torch.distributions.LKJCholesky(3, c)\n"
    lkj += "x = torch.linalg.cholesky(torch.eye(3, dtype=torch.float64) * 0.9 + 0.1)\n"
    compare_all(
        [
            wishart + "made = p.log_prob(x)\n[made, *torch.autograd.grad(made.sum(), [m, df])]",
            wishart + "made = p.entropy()\n[made, *torch.autograd.grad(made.sum(), [m, df])]",
            wishart + "[p.mean, p.mode, p.variance, p.batch_shape, p.event_shape, p.rsample((2,)).shape]",
            lkj + "made = p.log_prob(x)\n[made, *torch.autograd.grad(made.sum(), [c])]",
            lkj + "[p.sample((5,)).shape, repr(p), repr(p.support), p.expand((3, 2)).sample().shape]",
        ],
        rtol=1e-6,
    )


def test_dirichlet():
    make = "c = torch.tensor([[0.5, 2.0, 3.0], [0.2, 0.3, 0.4]], dtype=torch.float64, requires_grad=True)\np = torch.distributions.Dirichlet(c)\n"
    make += "x = torch.tensor([0.2, 0.3, 0.5], dtype=torch.float64)\n"
    compare_all(
        [
            make + "made = p.log_prob(x)\n[made, *torch.autograd.grad(made.sum(), [c])]",
            make + "made = p.entropy()\n[made, *torch.autograd.grad(made.sum(), [c])]",
            make + "[p.mean, p.mode, p.variance, repr(p), repr(p.support), p.rsample((4,)).shape, p.expand((3, 2)).mean]",
        ]
    )


def test_relaxed_distributions():
    bernoulli = LOGITS + "t = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)\n"
    made = "made = p.log_prob(x)\n[made, *torch.autograd.grad(made.sum(), [t, l]), p.rsample((2,)).shape, repr(p), p.expand((4, 2, 3)).batch_shape]"
    classes = made.replace("(4, 2, 3)", "(4, 2)")
    compare_all(
        [
            bernoulli + "x = torch.tensor([0.2, 0.5, 0.7]).double()\np = torch.distributions.RelaxedBernoulli(t, logits=l)\n" + made,
            bernoulli + "x = torch.tensor([0.2, 0.3, 0.5]).double()\np = torch.distributions.RelaxedOneHotCategorical(t, logits=l)\n" + classes,
        ]
    )


def test_angles():
    """PyTorch's log_prob takes a polynomial of 1e-7 for the Bessel functions."""
    make = "loc = torch.tensor([0.1, -1.0, 2.0])\nk = torch.tensor([0.3, 2.0, 9.0], requires_grad=True)\np = torch.distributions.VonMises(loc, k)\n"
    make += "x = torch.tensor([0.0, 1.0, 3.0])\n"
    compare_all(
        [
            make + "made = p.log_prob(x)\n[made, *torch.autograd.grad(made.sum(), [k])]",
            make + "[p.mean, p.mode, p.variance, repr(p), p.sample((4,)).shape, p.expand((2, 3)).batch_shape]",
        ],
        rtol=2e-5,
        atol=2e-6,
    )


def test_composed_distributions():
    d = "d = torch.distributions\n"
    mixture = d + "w = torch.tensor([0.2, 0.5, 0.3], requires_grad=True)\nloc = torch.tensor([[-1.0, 0.0, 2.0]], requires_grad=True)\n"
    mixture += "p = d.MixtureSameFamily(d.Categorical(w), d.Normal(loc.expand(2, 3), 1.0))\nx = torch.tensor([[0.5, 1.0]])\n"
    vectors = d + "p = d.MixtureSameFamily(d.Categorical(torch.ones(2, 3)), d.Independent(d.Normal(torch.arange(12.0).reshape(2, 3, 2), 1.0), 1))\n"
    own = d + "p = d.TransformedDistribution(d.Normal(torch.zeros(3), 1.0), [d.AffineTransform(1.0, 2.0), d.SigmoidTransform()])\n"
    compare_all(
        [
            mixture + "made = p.log_prob(x)\n[made, *torch.autograd.grad(made.sum(), [w, loc])]",
            mixture + "[p.mean, p.variance, p.cdf(x), p.batch_shape, p.event_shape, repr(p), repr(p.support), p.expand((4, 2)).sample((3,)).shape]",
            vectors + "[p.mean, p.variance, p.log_prob(torch.ones(2)), p.batch_shape, p.event_shape, p.sample((5,)).shape, repr(p.support)]",
            own + "x = torch.tensor([0.2, 0.5, 0.9])\n[p.log_prob(x), p.cdf(x), p.icdf(x), repr(p), repr(p.support), p.expand((2, 3)).rsample().shape]",
            d + "p = d.Independent(d.Normal(torch.zeros(2, 3), 1.0), 1)\n[p.log_prob(torch.ones(3)), p.entropy(), p.mean, repr(p), repr(p.support)]",
            d + "p = d.Independent(d.Normal(torch.zeros(2, 3), 1.0), 1)\n[p.expand((4, 2)).batch_shape, p.event_shape, p.has_rsample]",
            d + "p = d.LogisticNormal(torch.zeros(2, 3), 1.0)\n[p.log_prob(torch.tensor([0.1, 0.2, 0.3, 0.4])), p.loc, p.scale, repr(p), p.rsample((2,)).shape]",
            d + "p = d.TransformedDistribution(d.Normal(0.0, 1.0), d.ReshapeTransform((4,), (2, 2)))\np",
        ]
    )


REFUSED = """
    Normal(0.0, -1.0)|Normal(torch.tensor([0.0, math.nan]), 1.0)|Uniform(1.0, 0.0)|Bernoulli(2.0)|Bernoulli()|Bernoulli(0.5, logits=0.0)
    Categorical(torch.tensor(1.0))|Categorical(torch.tensor([-1.0, 2.0]))|Gamma(0.0, 1.0)|Dirichlet(torch.tensor(1.0))
    Binomial(-1, torch.tensor(0.5))|Geometric(0.0)|MultivariateNormal(torch.zeros(2))|MultivariateNormal(torch.zeros(2), -torch.eye(2))
    MultivariateNormal(torch.tensor(0.0), torch.eye(2))|MultivariateNormal(torch.zeros(2), torch.ones(2))
    Normal(0.0, 1.0).log_prob(1.0)|Normal(0.0, 1.0).log_prob(torch.tensor(math.nan))|Normal(torch.zeros(3), 1.0).log_prob(torch.zeros(2))
    Dirichlet(torch.ones(3)).log_prob(torch.ones(2) / 2)|Dirichlet(torch.ones(3)).log_prob(torch.ones(3))|Exponential(1.0).log_prob(-torch.ones(2))
    Bernoulli(0.5).log_prob(torch.tensor(0.5))|Categorical(torch.ones(3)).log_prob(torch.tensor(3))|Poisson(1.0).log_prob(torch.tensor(0.5))
    Independent(Normal(0.0, 1.0), 1)|TransformedDistribution(Normal(0.0, 1.0), 3)|MixtureSameFamily(Normal(0.0, 1.0), Normal(0.0, 1.0))
    LKJCholesky(1)|Wishart(torch.tensor(1.0), torch.eye(3))|Multinomial(torch.tensor(2), torch.ones(2))|Normal("a", 1.0)
    Poisson(1.0).rsample()|Beta(1.0, 1.0).cdf(torch.tensor(0.5))|Uniform(0.0, 1.0).log_prob(torch.tensor(2.0))
    Binomial(torch.tensor([1.0, 2.0]), torch.tensor(0.5)).enumerate_support()|ExpTransform(cache_size=2)|Normal(0.0, 1.0).enumerate_support()
    LowRankMultivariateNormal(torch.zeros(2), torch.ones(3, 1), torch.ones(2))|Pareto(1.0, 2.0).log_prob(torch.tensor(0.5))
"""


def test_errors_are_pytorchs():
    compare_all([f"from math import nan\nd = torch.distributions\nraises(lambda: d.{call})" for call in compared(REFUSED)])


def compared(calls):
    import re

    names = r"(?<![\w.])(Normal|Uniform)\("
    return [re.sub(names, r"d.\1(", call).removeprefix("d.") for line in calls.split("\n") for call in line.strip().split("|") if call]


def test_checks_are_switched_off():
    compare_all(
        [
            "torch.distributions.Normal(0.0, 1.0, validate_args=False).log_prob(torch.tensor(math.nan))",
            "torch.distributions.Exponential(1.0, validate_args=False).log_prob(torch.tensor(-1.0))",
            "d = torch.distributions.Distribution\nd.set_default_validate_args(False)\nmade = torch.distributions.Normal(0.0, -1.0).scale\n"
            "d.set_default_validate_args(True)\nmade",
            "torch.distributions.Exponential(1.0, validate_args=False).expand((2,)).log_prob(torch.tensor(-1.0))",
        ]
    )


def test_modules_and_subclasses():
    compare_all(
        [
            "class Own(torch.distributions.Normal):\n    def __init__(self):\n        super().__init__(0.0, 1.0)\nraises(lambda: Own().expand((2,)))",
            "class Own(torch.distributions.Normal):\n    pass\np = Own(0.0, 1.0).expand((2,))\n[type(p).__name__, repr(p)]",
            "class Own(torch.distributions.Distribution):\n    arg_constraints = {}\n"
            "raises(lambda: Own().expand((2,)))",
        ]
    )


def test_pytorchs_module_names_lead_to_the_classes():
    import quern.torch.distributions.multivariate_normal
    import quern.torch.distributions.normal
    from quern.torch import distributions
    from quern.torch.distributions.kl import kl_divergence

    assert quern.torch.distributions.normal.Normal is distributions.Normal
    assert distributions.multivariate_normal.MultivariateNormal is distributions.MultivariateNormal
    assert kl_divergence is distributions.kl_divergence
