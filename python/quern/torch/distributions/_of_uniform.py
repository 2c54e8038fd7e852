"""Distributions on the unit interval and the simplex made of uniform or normal numbers, and the generalized Pareto distribution."""

import math

from quern.torch import _namespace as torch
from quern.torch.distributions import constraints
from quern.torch.distributions._composed import TransformedDistribution
from quern.torch.distributions._location_scale import Normal, Uniform
from quern.torch.distributions.distribution import Distribution, expand_parameters
from quern.torch.distributions.transforms import AffineTransform, PowerTransform, StickBreakingTransform
from quern.torch.distributions.utils import broadcast_all, euler_constant


class Kumaraswamy(TransformedDistribution):
    """Kumaraswamy distribution on (0, 1), which resembles a beta distribution.

    Parameters
    ----------
    concentration1 : Tensor or float
        First concentration, above 0.
    concentration0 : Tensor or float
        Second concentration, above 0.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.Kumaraswamy(1.0, 1.0).mean
    tensor(0.5000)
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1, concentration0, validate_args=None):
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        zero = torch.zeros_like(self.concentration0)
        steps = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(Uniform(zero, zero + 1, validate_args=validate_args), steps, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """Return the distribution expanded to a batch shape."""
        new = self._get_checked_instance(Kumaraswamy, _instance)
        new.concentration1, new.concentration0 = self.concentration1.expand(batch_shape), self.concentration0.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    def _moment(self, n):
        b, more = self.concentration0, 1 + n / self.concentration1
        return b * torch.exp(torch.lgamma(more) + torch.lgamma(b) - torch.lgamma(more + b))

    @property
    def mean(self):
        """Mean."""
        return self._moment(1)

    @property
    def mode(self):
        """Mode; NaN where a concentration is below 1."""
        a, b = self.concentration1, self.concentration0
        log_mode = b.reciprocal() * (-b).log1p() - (-b * a).log1p()
        return torch.where((b < 1) | (a < 1), math.nan, log_mode).exp()

    @property
    def variance(self):
        """Variance."""
        return self._moment(2) - self.mean.pow(2)

    def entropy(self):
        """Return the entropy in nats."""
        a, b = self.concentration1, self.concentration0
        harmonic = torch.digamma(b + 1) + euler_constant
        return 1 - b.reciprocal() + (1 - a.reciprocal()) * harmonic - torch.log(a) - torch.log(b)


class LogisticNormal(TransformedDistribution):
    """Logistic-normal distribution on the simplex: normal numbers through StickBreakingTransform.

    Parameters
    ----------
    loc : Tensor
        Means, of shape (..., K - 1).
    scale : Tensor or float
        Standard deviations, above 0.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.LogisticNormal(torch.zeros(2), torch.ones(2)).sample().shape
    torch.Size([3])
    """

    arg_constraints = Normal.arg_constraints
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """Return the distribution expanded to a batch shape."""
        return super().expand(batch_shape, _instance=self._get_checked_instance(LogisticNormal, _instance))

    @property
    def loc(self):
        """Means of the normal numbers."""
        return self.base_dist.base_dist.loc

    @property
    def scale(self):
        """Standard deviations of the normal numbers."""
        return self.base_dist.base_dist.scale


class GeneralizedPareto(Distribution):
    """Generalized Pareto distribution.

    Parameters
    ----------
    loc : Tensor or float
        Least value.
    scale : Tensor or float
        Scale, above 0.
    concentration : Tensor or float
        Shape: 0 is an exponential distribution; below 0 the values have an upper limit.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.GeneralizedPareto(0.0, 1.0, 0.5).mean
    tensor(2.)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True
    expand = expand_parameters

    def __init__(self, loc, scale, concentration, validate_args=None):
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.size(), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        """Constraint of the values."""
        high = torch.where(self.concentration < 0, self.loc - self.scale / self._shape(), math.inf)
        return constraints.interval(self.loc, high)

    def _is_exponential(self):
        return torch.isclose(self.concentration, torch.zeros_like(self.concentration))

    def _shape(self):
        """The shape, with 1 in place of those that are close to 0."""
        return torch.where(self._is_exponential(), 1.0, self.concentration)

    @property
    def mean(self):
        """Mean; infinite for a shape of 1 and more."""
        k = self.concentration
        return torch.where(k < 1, self.loc + self.scale / torch.where(k < 1, 1 - k, 1.0), math.inf)

    @property
    def variance(self):
        """Variance; infinite for a shape of 1/2 and more."""
        k, is_finite = self.concentration, self.concentration < 0.5
        finite = self.scale**2 / ((1 - k) ** 2 * (1 - 2 * k))
        return torch.where(is_finite, finite, math.inf)

    @property
    def mode(self):
        """Least value."""
        return self.loc

    def rsample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples through which gradients reach the parameters."""
        return self.icdf(torch.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device))

    def log_prob(self, value):
        """Return the logarithm of the density at a value."""
        self._check(value)
        z, k = (value - self.loc) / self.scale, self._shape()
        heavy = -(1 / k + 1) * torch.log1p(k * z)
        return torch.where(self._is_exponential(), -z, heavy) - torch.log(self.scale)

    def cdf(self, value):
        """Return the probability of values up to this one."""
        self._check(value)
        z, k = (value - self.loc) / self.scale, self._shape()
        return 1 - torch.exp(torch.where(self._is_exponential(), -z, -torch.log1p(k * z) / k))

    def icdf(self, value):
        """Return the quantile of a probability."""
        k, rest = self._shape(), torch.log1p(-value)
        return self.loc + self.scale * torch.where(self._is_exponential(), -rest, torch.expm1(-k * rest) / k)

    def entropy(self):
        """Return the entropy in nats."""
        return torch.log(self.scale) + self.concentration + 1
