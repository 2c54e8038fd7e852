"""Kullback-Leibler divergences of pairs of distributions: a table of functions by the classes of both.

Those of two families are the entropy of the first and the mean of the second's log density over it, which needs a few moments of the first
(_Moments). Start reading at kl_divergence().
"""

import math

from quern.torch import _namespace as torch
from quern.torch import autograd, linalg
from quern.torch.distributions._categorical import Categorical, OneHotCategorical
from quern.torch.distributions._composed import Independent, TransformedDistribution
from quern.torch.distributions._location_scale import Cauchy, Gumbel, HalfNormal, Laplace, Normal, Uniform
from quern.torch.distributions._matrices import LowRankMultivariateNormal, MultivariateNormal, _lengths, _log_of_diagonal, low_rank_lengths
from quern.torch.distributions._positive import Beta, Dirichlet, Exponential, Gamma, Pareto
from quern.torch.distributions._probabilities import Bernoulli, Binomial, ContinuousBernoulli, Geometric, Poisson
from quern.torch.distributions.distribution import Distribution, ExponentialFamily
from quern.torch.distributions.utils import euler_constant, sum_rightmost
from quern.torch.nn.functional import softplus
from quern.user_files import warn_user

__all__ = ["kl_divergence", "register_kl"]

_KL_REGISTRY = {}
_found = {}  # by the classes of a call


def register_kl(type_p, type_q):
    """Return a decorator that registers a function of two distributions as their divergence.

    Parameters
    ----------
    type_p : type
        Class of the first distribution.
    type_q : type
        Class of the second distribution.

    Returns
    -------
    callable
        Decorator.

    Raises
    ------
    TypeError
        For a class that is no distribution's.

    Examples
    --------
    >>> from quern import torch
    >>> class Own(torch.distributions.Normal):
    ...     pass
    >>> @torch.distributions.register_kl(Own, Own)
    ... def divergence(p, q):
    ...     return torch.tensor(0.0)
    >>> torch.distributions.kl_divergence(Own(0.0, 1.0), Own(1.0, 1.0))
    tensor(0.)
    """
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not (isinstance(kind, type) and issubclass(kind, Distribution)):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def decorator(function):
        _KL_REGISTRY[type_p, type_q] = function
        _found.clear()
        return function

    return decorator


def _closest(pairs, first):
    """The pair of classes that is closest to those of a call, by the order of one class's bases and then the other's."""
    best = pairs[0]
    for pair in pairs[1:]:
        a, b = (pair, best) if first == 0 else (pair[::-1], best[::-1])
        if a[0] is b[0]:
            better = issubclass(a[1], b[1])
        else:
            better = issubclass(a[0], b[0])
        best = pair if better else best
    return best


def _function_of(type_p, type_q):
    pairs = [(p, q) for p, q in _KL_REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not pairs:
        return None
    left, right = _closest(pairs, 0), _closest(pairs, 1)
    if _KL_REGISTRY[left] is not _KL_REGISTRY[right]:
        warn_user(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please register_kl({left[0].__name__}, {right[1].__name__})",
            RuntimeWarning,
        )
    return _KL_REGISTRY[left]


def kl_divergence(p, q):
    """Return the Kullback-Leibler divergence of `q` from `p`.

    Parameters
    ----------
    p : Distribution
        First distribution, over which the mean is taken.
    q : Distribution
        Second distribution.

    Returns
    -------
    Tensor
        Divergences in nats, of the batch shape.

    Raises
    ------
    NotImplementedError
        For a pair of classes that has no function.

    Examples
    --------
    >>> from quern import torch
    >>> d = torch.distributions
    >>> d.kl_divergence(d.Normal(0.0, 1.0), d.Normal(1.0, 1.0))
    tensor(0.5000)
    """
    kinds = type(p), type(q)
    if kinds not in _found:
        _found[kinds] = _function_of(*kinds)
    if _found[kinds] is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {p.__class__.__name__} and q type {q.__class__.__name__}"
        )
    return _found[kinds](p, q)


def _infinite_where(condition, value):
    return torch.where(condition, math.inf, value)


# ---- of one family


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p, q):
    one = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    zero = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    one = torch.where(p.probs == 0, 0.0, _infinite_where(q.probs == 0, one))
    return one + torch.where(p.probs == 1, 0.0, _infinite_where(q.probs == 1, zero))


@register_kl(Beta, Beta)
def _beta(p, q):
    return _dirichlet(p._dirichlet, q._dirichlet)


@register_kl(Binomial, Binomial)
def _binomial(p, q):
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    result = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    return _infinite_where(p.total_count > q.total_count, result)


@register_kl(Categorical, Categorical)
def _categorical(p, q):
    terms = _infinite_where(q.probs == 0, p.probs * (p.logits - q.logits))
    return torch.where(p.probs == 0, 0.0, terms).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p, q):
    return _categorical(p._categorical, q._categorical)


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p, q):
    a, b = p.concentration, q.concentration
    norms = a.sum(-1).lgamma() - b.sum(-1).lgamma() - (a.lgamma() - b.lgamma()).sum(-1)
    return norms + ((a - b) * (a.digamma() - a.sum(-1, keepdim=True).digamma())).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential(p, q):
    ratio = q.rate / p.rate
    return ratio - 1 - ratio.log()


@register_kl(ExponentialFamily, ExponentialFamily)
def _of_family(p, q):
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot be computed using Bregman divergences"
        )
    ours, theirs = [x.detach().requires_grad_() for x in p._natural_params], q._natural_params
    norm = p._log_normalizer(*ours)
    slopes = autograd.grad(norm.sum(), ours, create_graph=True)
    result = q._log_normalizer(*theirs) - norm
    for a, b, slope in zip(ours, theirs, slopes, strict=False):
        result = result - sum_rightmost((b - a) * slope, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _gamma(p, q):
    a, b = p.concentration, q.concentration
    norms = b * (p.rate / q.rate).log() + torch.lgamma(b) - torch.lgamma(a)
    return norms + (a - b) * torch.digamma(a) + (q.rate - p.rate) * (a / p.rate)


@register_kl(Geometric, Geometric)
def _geometric(p, q):
    return -p.entropy() - torch.log1p(-q.probs) / p.probs - q.logits


@register_kl(Gumbel, Gumbel)
def _gumbel(p, q):
    ratio, shift = p.scale / q.scale, (p.loc - q.loc) / q.scale
    return -ratio.log() + shift + ratio * euler_constant + torch.exp(torch.lgamma(1 + ratio) - shift) - (1 + euler_constant)


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p, q):
    return _normal(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def _laplace(p, q):
    ratio, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * torch.exp(-distance / p.scale) - 1


@register_kl(Normal, Normal)
def _normal(p, q):
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(Pareto, Pareto)
def _pareto(p, q):
    ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return _infinite_where(p.scale < q.scale, result)


@register_kl(Poisson, Poisson)
def _poisson(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Uniform, Uniform)
def _uniform(p, q):
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return _infinite_where((q.low > p.low) | (q.high < p.high), result)


@register_kl(Cauchy, Cauchy)
def _cauchy(p, q):
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p, q):
    own = p._log_norm() + torch.log1p(-p.probs)
    return p.mean * (p.logits - q.logits) + own - q._log_norm() - torch.log1p(-q.probs)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p, q):
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError("KL of transformed distributions is implemented for equal transforms and event shapes")
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def _independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("KL of Independent distributions is implemented for equal reinterpreted_batch_ndims")
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


# ---- of multivariate normal distributions


def _square_sum(matrices):
    return matrices.square().sum((-2, -1))


def _log_determinant(normal):
    is_low_rank = isinstance(normal, LowRankMultivariateNormal)
    return normal.log_determinant() if is_low_rank else 2 * _log_of_diagonal(normal._unbroadcasted_scale_tril)


def _factors(normal):
    """Matrices whose products with their transposes sum to the covariance."""
    if isinstance(normal, LowRankMultivariateNormal):
        return normal._unbroadcasted_cov_factor, torch.diag_embed(normal._unbroadcasted_cov_diag.sqrt())
    return (normal._unbroadcasted_scale_tril,)


def _trace(p, q):
    """The trace of q's precision times p's covariance."""
    if not isinstance(q, LowRankMultivariateNormal):
        lower, result = q._unbroadcasted_scale_tril, 0.0
        for factor in _factors(p):
            shape = torch.broadcast_shapes(lower.shape[:-2], factor.shape[:-2])
            factor = factor.expand(shape + factor.shape[-2:])
            result = result + _square_sum(linalg.solve_triangular(lower.expand(shape + lower.shape[-2:]), factor, upper=False))
        return result
    w, d = q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag
    part = linalg.solve_triangular(q._capacitance_tril, w.mT / d.unsqueeze(-2), upper=False)
    return sum(_square_sum(factor * d.rsqrt().unsqueeze(-1)) - _square_sum(part @ factor) for factor in _factors(p))


@register_kl(MultivariateNormal, MultivariateNormal)
@register_kl(MultivariateNormal, LowRankMultivariateNormal)
@register_kl(LowRankMultivariateNormal, MultivariateNormal)
@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _multivariate(p, q):
    if p.event_shape != q.event_shape:
        raise ValueError("KL-divergence between two Multivariate Normals with different event shapes cannot be computed")
    shift = q.loc - p.loc
    is_low_rank = isinstance(q, LowRankMultivariateNormal)
    lengths = low_rank_lengths(q, shift) if is_low_rank else _lengths(q._unbroadcasted_scale_tril, shift)
    return 0.5 * (_log_determinant(q) - _log_determinant(p) + _trace(p, q) + lengths - p.event_shape[0])


# ---- of two families


def _of_logarithm(x):
    """The antiderivative of the logarithm."""
    return torch.xlogy(x, x) - x


class _Moments:
    """Means of functions of a value x of a distribution."""

    @staticmethod
    def log(p):
        """Of log(x)."""
        if isinstance(p, Exponential):
            return -euler_constant - p.rate.log()
        if isinstance(p, Gamma):
            return p.concentration.digamma() - p.rate.log()
        if isinstance(p, Beta):
            return p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
        if isinstance(p, Pareto):
            return p.scale.log() + p.alpha.reciprocal()
        return (_of_logarithm(p.high) - _of_logarithm(p.low)) / (p.high - p.low)  # Uniform

    @staticmethod
    def log_of_rest(p):
        """Of log(1 - x), of a uniform distribution."""
        return (_of_logarithm(1 - p.low) - _of_logarithm(1 - p.high)) / (p.high - p.low)

    @staticmethod
    def falling(p, q):
        """Of exp(-(x - q.loc) / q.scale)."""
        if isinstance(p, Exponential):
            return torch.exp(q.loc / q.scale) * p.rate * q.scale / (p.rate * q.scale + 1)
        if isinstance(p, Gamma):
            return torch.exp(q.loc / q.scale) * (1 + (p.rate * q.scale).reciprocal()).pow(-p.concentration)
        if isinstance(p, Normal):
            return torch.exp((q.loc - p.loc) / q.scale + 0.5 * (p.scale / q.scale).pow(2))
        ends = torch.exp((q.loc - p.low) / q.scale) - torch.exp((q.loc - p.high) / q.scale)
        return ends * q.scale / (p.high - p.low)  # Uniform


@register_kl(Beta, Exponential)
@register_kl(ContinuousBernoulli, Exponential)
@register_kl(Gamma, Exponential)
@register_kl(Pareto, Exponential)
@register_kl(Uniform, Exponential)
def _to_exponential(p, q):
    given, p = p, _with_moment(p, 1)
    return _within(given, -p.entropy() - q.rate.log() + q.rate * p.mean, 1)


@register_kl(Beta, Gamma)
@register_kl(Exponential, Gamma)
@register_kl(Pareto, Gamma)
@register_kl(Uniform, Gamma)
def _to_gamma(p, q):
    given, p = p, _with_moment(p, 1)
    norm = q.concentration.lgamma() - q.concentration * q.rate.log()
    return _within(given, -p.entropy() + norm - (q.concentration - 1) * _Moments.log(p) + q.rate * p.mean, 1)


@register_kl(Beta, Normal)
@register_kl(ContinuousBernoulli, Normal)
@register_kl(Exponential, Normal)
@register_kl(Gamma, Normal)
@register_kl(Gumbel, Normal)
@register_kl(Laplace, Normal)
@register_kl(Pareto, Normal)
@register_kl(Uniform, Normal)
def _to_normal(p, q):
    given, p = p, _with_moment(p, 2)
    spread = (p.variance + (p.mean - q.loc).pow(2)) / (2 * q.scale.pow(2))
    result = -p.entropy() + q.scale.log() + 0.5 * math.log(2 * math.pi) + spread
    return _infinite_where(given.alpha <= 2, result) if isinstance(given, Pareto) else result


@register_kl(Exponential, Gumbel)
@register_kl(Gamma, Gumbel)
@register_kl(Normal, Gumbel)
@register_kl(Uniform, Gumbel)
def _to_gumbel(p, q):
    return -p.entropy() + q.scale.log() + (p.mean - q.loc) / q.scale + _Moments.falling(p, q)


@register_kl(Normal, Laplace)
def _normal_to_laplace(p, q):
    shift = p.loc - q.loc
    ratio = shift / p.scale
    distance = math.sqrt(2 / math.pi) * p.scale * torch.exp(-0.5 * ratio.pow(2)) + shift * torch.erf(math.sqrt(0.5) * ratio)
    return -p.entropy() + torch.log(2 * q.scale) + distance / q.scale


@register_kl(Bernoulli, Poisson)
def _bernoulli_to_poisson(p, q):
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, ContinuousBernoulli)
@register_kl(Uniform, ContinuousBernoulli)
def _to_continuous_bernoulli(p, q):
    result = -p.entropy() - p.mean * q.logits - torch.log1p(-q.probs) - q._log_norm()
    return _infinite_where((p.high >= 1) | (p.low <= 0), result) if isinstance(p, Uniform) else result  # 0 and 1 too, as in PyTorch


@register_kl(Beta, Uniform)
def _beta_to_uniform(p, q):
    return _infinite_where((q.low > 0) | (q.high < 1), -p.entropy() + (q.high - q.low).log())


@register_kl(ContinuousBernoulli, Uniform)
def _continuous_bernoulli_to_uniform(p, q):
    return _infinite_where((q.low >= 0) | (q.high <= 1), -p.entropy() + (q.high - q.low).log())  # 0 and 1 too, as in PyTorch


@register_kl(Uniform, Beta)
def _uniform_to_beta(p, q):
    norm = q.concentration1.lgamma() + q.concentration0.lgamma() - (q.concentration1 + q.concentration0).lgamma()
    means = (q.concentration1 - 1) * _Moments.log(p) + (q.concentration0 - 1) * _Moments.log_of_rest(p)
    return _infinite_where((p.high > 1) | (p.low < 0), -p.entropy() + norm - means)


@register_kl(Uniform, Pareto)
def _uniform_to_pareto(p, q):
    result = -p.entropy() - q.alpha.log() - q.alpha * q.scale.log() + (q.alpha + 1) * _Moments.log(p)
    return _infinite_where(p.low < q.scale, result)


def _with_moment(p, order):
    """The distribution; a Pareto one with other exponents where that moment is infinite, so that no gradient is NaN."""
    return Pareto(p.scale, torch.where(p.alpha <= order, order + 1.0, p.alpha), validate_args=False) if isinstance(p, Pareto) else p


def _within(p, result, order):
    """Infinity where the first distribution has negative values, or not that moment."""
    if isinstance(p, Uniform):
        return _infinite_where(p.low < 0, result)
    return _infinite_where(p.alpha <= order, result) if isinstance(p, Pareto) else result


# Pairs whose first distribution has values that the second one has not.
_APART = {
    Beta: (Pareto,),
    ContinuousBernoulli: (Pareto,),
    Exponential: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gamma: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gumbel: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Laplace: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Normal: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Pareto: (Beta, ContinuousBernoulli, Uniform),
    Poisson: (Bernoulli, Binomial),
}


def _infinity(p, q):
    return torch.full_like(p.mean, math.inf)


for _first, _others in _APART.items():
    for _second in _others:
        register_kl(_first, _second)(_infinity)
