"""torch.distributions: probability distributions with densities, samples whose gradients reach the parameters, and divergences.

Start reading at distribution.py. Distributions are in files by subject; PyTorch's module names lead to these files.
"""

# ruff: noqa: F401  (names of __all__)
import sys as _sys

from quern.torch.distributions import (
    _categorical,
    _composed,
    _location_scale,
    _matrices,
    _mixture,
    _of_uniform,
    _positive,
    _probabilities,
    constraint_registry,
    constraints,
    distribution,
    kl,
    transforms,
    utils,
)
from quern.torch.distributions._categorical import (
    Categorical,
    Multinomial,
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
    RelaxedBernoulli,
    RelaxedOneHotCategorical,
)
from quern.torch.distributions._composed import Independent, TransformedDistribution
from quern.torch.distributions._location_scale import (
    Cauchy,
    Gumbel,
    HalfCauchy,
    HalfNormal,
    Laplace,
    LogNormal,
    Normal,
    StudentT,
    Uniform,
    VonMises,
)
from quern.torch.distributions._matrices import LKJCholesky, LowRankMultivariateNormal, MultivariateNormal, Wishart
from quern.torch.distributions._mixture import MixtureSameFamily
from quern.torch.distributions._of_uniform import GeneralizedPareto, Kumaraswamy, LogisticNormal
from quern.torch.distributions._positive import Beta, Chi2, Dirichlet, Exponential, FisherSnedecor, Gamma, InverseGamma, Pareto, Weibull
from quern.torch.distributions._probabilities import Bernoulli, Binomial, ContinuousBernoulli, Geometric, NegativeBinomial, Poisson
from quern.torch.distributions.constraint_registry import biject_to, transform_to
from quern.torch.distributions.distribution import Distribution, ExponentialFamily
from quern.torch.distributions.kl import kl_divergence, register_kl
from quern.torch.distributions.transforms import *  # noqa: F403
from quern.torch.distributions.transforms import __all__ as _transforms

# PyTorch's modules of one distribution each, by the file that has it here.
_FILES = {
    _categorical: "categorical multinomial one_hot_categorical relaxed_bernoulli relaxed_categorical",
    _composed: "independent transformed_distribution",
    _location_scale: "cauchy gumbel half_cauchy half_normal laplace log_normal normal studentT uniform von_mises",
    _matrices: "lkj_cholesky lowrank_multivariate_normal multivariate_normal wishart",
    _mixture: "mixture_same_family",
    _of_uniform: "generalized_pareto kumaraswamy logistic_normal",
    _positive: "beta chi2 dirichlet exponential fishersnedecor gamma inverse_gamma pareto weibull",
    _probabilities: "bernoulli binomial continuous_bernoulli geometric negative_binomial poisson",
    distribution: "exp_family",
}
_MODULES = {name: module for module, names in _FILES.items() for name in names.split()}
_sys.modules.update({f"{__name__}.{name}": module for name, module in _MODULES.items()})


def __getattr__(name):
    if name in _MODULES:
        return _MODULES[name]
    raise AttributeError(f"module 'torch.distributions' has no attribute '{name}'", name=name, obj=_sys.modules[__name__])


def __dir__():
    return [*globals(), *_MODULES]


__all__ = [
    *_transforms,
    *"""Bernoulli Beta Binomial Categorical Cauchy Chi2 ContinuousBernoulli Dirichlet Distribution Exponential ExponentialFamily
    FisherSnedecor Gamma GeneralizedPareto Geometric Gumbel HalfCauchy HalfNormal Independent InverseGamma Kumaraswamy LKJCholesky Laplace
    LogNormal LogisticNormal LowRankMultivariateNormal MixtureSameFamily Multinomial MultivariateNormal NegativeBinomial Normal
    OneHotCategorical OneHotCategoricalStraightThrough Pareto Poisson RelaxedBernoulli RelaxedOneHotCategorical StudentT
    TransformedDistribution Uniform VonMises Weibull Wishart biject_to kl_divergence register_kl transform_to""".split(),
]
