"""Distributions of positive numbers and of numbers in [0, 1]: gamma, its relatives, and those made of powers of uniform numbers."""

import math

from quern.torch import _namespace as torch
from quern.torch import special
from quern.torch.distributions import constraints
from quern.torch.distributions._composed import TransformedDistribution
from quern.torch.distributions.distribution import Distribution, ExponentialFamily, expand_parameters
from quern.torch.distributions.transforms import AffineTransform, ExpTransform, PowerTransform
from quern.torch.distributions.utils import broadcast_all, euler_constant


class Exponential(ExponentialFamily):
    """Exponential distribution.

    Parameters
    ----------
    rate : Tensor or float
        Inverse of the mean, above 0.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Raises
    ------
    ValueError
        For a rate that is not positive.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.Exponential(4.0).mean
    tensor(0.2500)
    """

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    expand = expand_parameters

    def __init__(self, rate, validate_args=None):
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.size(), validate_args=validate_args)

    @property
    def mean(self):
        """Mean."""
        return self.rate.reciprocal()

    stddev = mean

    @property
    def mode(self):
        """Mode, 0."""
        return torch.zeros_like(self.rate)

    @property
    def variance(self):
        """Variance."""
        return self.rate.pow(-2)

    def rsample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples through which gradients reach the parameters."""
        made = torch.empty(self._extended_shape(sample_shape), dtype=self.rate.dtype, device=self.rate.device)
        return made.exponential_() / self.rate

    def log_prob(self, value):
        """Return the logarithm of the density at a value."""
        self._check(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value):
        """Return the probability of values up to this one."""
        self._check(value)
        return 1 - torch.exp(-self.rate * value)

    def icdf(self, value):
        """Return the quantile of a probability."""
        return -torch.log1p(-value) / self.rate

    def entropy(self):
        """Return the entropy in nats."""
        return 1.0 - torch.log(self.rate)

    @property
    def _natural_params(self):
        return (-self.rate,)

    def _log_normalizer(self, x):
        return -torch.log(-x)


class Gamma(ExponentialFamily):
    """Gamma distribution. Samples have the implicit gradients of the concentration.

    Parameters
    ----------
    concentration : Tensor or float
        Shape, above 0.
    rate : Tensor or float
        Inverse of the scale, above 0.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Raises
    ------
    ValueError
        For parameters that are not positive.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.Gamma(4.0, 2.0).mean
    tensor(2.)
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    expand = expand_parameters

    def __init__(self, concentration, rate, validate_args=None):
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.size(), validate_args=validate_args)

    @property
    def mean(self):
        """Mean."""
        return self.concentration / self.rate

    @property
    def mode(self):
        """Mode; 0 for a concentration below 1."""
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self):
        """Variance."""
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples through which gradients reach the parameters."""
        shape = self._extended_shape(sample_shape)
        value = torch._standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        least = torch.finfo(value.dtype).tiny
        return value + (value.detach().clamp(min=least) - value.detach())  # not 0, and gradients pass

    def log_prob(self, value):
        """Return the logarithm of the density at a value."""
        value = torch.as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        self._check(value)
        shape, rate = self.concentration, self.rate
        return torch.xlogy(shape, rate) + torch.xlogy(shape - 1, value) - rate * value - torch.lgamma(shape)

    def entropy(self):
        """Return the entropy in nats."""
        shape = self.concentration
        return shape - torch.log(self.rate) + torch.lgamma(shape) + (1.0 - shape) * torch.digamma(shape)

    @property
    def _natural_params(self):
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x, y):
        return torch.lgamma(x + 1) + (x + 1) * torch.log(-y.reciprocal())

    def cdf(self, value):
        """Return the probability of values up to this one; it has no gradient by the concentration."""
        self._check(value)
        return special.gammainc(self.concentration, self.rate * value)


class Chi2(Gamma):
    """Chi-squared distribution.

    Parameters
    ----------
    df : Tensor or float
        Degrees of freedom, above 0.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.Chi2(3.0).mean
    tensor(3.)
    """

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df, validate_args=None):
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """Return the distribution expanded to a batch shape."""
        new = self._get_checked_instance(Chi2, _instance)
        batch_shape = torch.Size(batch_shape)
        new.concentration, new.rate = self.concentration.expand(batch_shape), self.rate.expand(batch_shape)
        Distribution.__init__(new, batch_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def df(self):
        """Degrees of freedom."""
        return self.concentration * 2


class InverseGamma(TransformedDistribution):
    """Inverse gamma distribution: the reciprocal of a gamma number.

    Parameters
    ----------
    concentration : Tensor or float
        Shape, above 0.
    rate : Tensor or float
        Inverse of the gamma distribution's scale, above 0.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.InverseGamma(3.0, 2.0).mean
    tensor(1.)
    """

    arg_constraints = Gamma.arg_constraints
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration, rate, validate_args=None):
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(exponent=-base.rate.new_ones(())), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """Return the distribution expanded to a batch shape."""
        return super().expand(batch_shape, _instance=self._get_checked_instance(InverseGamma, _instance))

    @property
    def concentration(self):
        """Shape."""
        return self.base_dist.concentration

    @property
    def rate(self):
        """Rate."""
        return self.base_dist.rate

    @property
    def mean(self):
        """Mean; infinite for a concentration up to 1."""
        shape = self.concentration
        return torch.where(shape > 1, self.rate / (shape - 1), math.inf)

    @property
    def mode(self):
        """Mode."""
        return self.rate / (self.concentration + 1)

    @property
    def variance(self):
        """Variance; infinite for a concentration up to 2."""
        shape = self.concentration
        return torch.where(shape > 2, self.rate.square() / ((shape - 1).square() * (shape - 2)), math.inf)

    def entropy(self):
        """Return the entropy in nats."""
        shape = self.concentration
        return shape + self.rate.log() + shape.lgamma() - (1 + shape) * shape.digamma()


class FisherSnedecor(Distribution):
    """F distribution: the quotient of two chi-squared numbers over their degrees of freedom.

    Parameters
    ----------
    df1 : Tensor or float
        Degrees of freedom of the numerator, above 0.
    df2 : Tensor or float
        Degrees of freedom of the denominator, above 0.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.FisherSnedecor(1.0, 4.0).mean
    tensor(2.)
    """

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True
    expand = expand_parameters

    def __init__(self, df1, df2, validate_args=None):
        self.df1, self.df2 = broadcast_all(df1, df2)
        super().__init__(self.df1.size(), validate_args=validate_args)

    @property
    def mean(self):
        """Mean; NaN for ``df2 <= 2``."""
        df2 = torch.where(self.df2 <= 2, math.nan, self.df2)
        return df2 / (df2 - 2)

    @property
    def mode(self):
        """Mode; NaN for ``df1 <= 2``."""
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return torch.where(self.df1 <= 2, math.nan, mode)

    @property
    def variance(self):
        """Variance; NaN for ``df2 <= 4``."""
        df2 = torch.where(self.df2 <= 4, math.nan, self.df2)
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples through which gradients reach the parameters."""
        first = Gamma(self.df1 * 0.5, self.df1, validate_args=False).rsample(sample_shape)
        second = Gamma(self.df2 * 0.5, self.df2, validate_args=False).rsample(sample_shape)
        return first / second.clamp(min=torch.finfo(second.dtype).tiny)

    def log_prob(self, value):
        """Return the logarithm of the density at a value."""
        self._check(value)
        first, second, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        beta = (first + second).lgamma() - first.lgamma() - second.lgamma()
        power = first * ratio.log() + (first - 1) * torch.log(value)
        return beta + power - (first + second) * torch.log1p(ratio * value)


class Weibull(TransformedDistribution):
    """Weibull distribution.

    Parameters
    ----------
    scale : Tensor or float
        Scale, above 0.
    concentration : Tensor or float
        Exponent, above 0.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.Weibull(2.0, 1.0).mean
    tensor(2.)
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(self, scale, concentration, validate_args=None):
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(torch.ones_like(self.scale), validate_args=validate_args)
        super().__init__(base, self._transforms_of_parameters(), validate_args=validate_args)

    def _transforms_of_parameters(self):
        return [PowerTransform(exponent=self.concentration_reciprocal), AffineTransform(loc=0, scale=self.scale)]

    def expand(self, batch_shape, _instance=None):
        """Return the distribution expanded to a batch shape."""
        new = self._get_checked_instance(Weibull, _instance)
        new.scale, new.concentration = self.scale.expand(batch_shape), self.concentration.expand(batch_shape)
        new.concentration_reciprocal = new.concentration.reciprocal()
        return super().expand(batch_shape, _instance=new)

    @property
    def mean(self):
        """Mean."""
        return self.scale * torch.exp(torch.lgamma(1 + self.concentration_reciprocal))

    @property
    def mode(self):
        """Mode."""
        k = self.concentration
        return self.scale * ((k - 1) / k) ** k.reciprocal()

    @property
    def variance(self):
        """Variance."""
        first, second = torch.lgamma(1 + self.concentration_reciprocal), torch.lgamma(1 + 2 * self.concentration_reciprocal)
        return self.scale.pow(2) * (torch.exp(second) - torch.exp(2 * first))

    def entropy(self):
        """Return the entropy in nats."""
        return euler_constant * (1 - self.concentration_reciprocal) + torch.log(self.scale * self.concentration_reciprocal) + 1


class Pareto(TransformedDistribution):
    """Pareto distribution.

    Parameters
    ----------
    scale : Tensor or float
        Least value, above 0.
    alpha : Tensor or float
        Exponent, above 0.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.Pareto(1.0, 2.0).mean
    tensor(2.)
    """

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(self, scale, alpha, validate_args=None):
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        super().__init__(base, [ExpTransform(), AffineTransform(loc=0, scale=self.scale)], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """Return the distribution expanded to a batch shape."""
        new = self._get_checked_instance(Pareto, _instance)
        new.scale, new.alpha = self.scale.expand(batch_shape), self.alpha.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        """Constraint of the values."""
        return constraints.greater_than_eq(self.scale)

    @property
    def mean(self):
        """Mean; infinite for ``alpha <= 1``."""
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def mode(self):
        """Mode."""
        return self.scale

    @property
    def variance(self):
        """Variance; infinite for ``alpha <= 2``."""
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    def entropy(self):
        """Return the entropy in nats."""
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class Dirichlet(ExponentialFamily):
    """Dirichlet distribution of positive numbers of sum 1. Samples have gradients of the concentrations.

    Parameters
    ----------
    concentration : Tensor
        Concentrations, above 0, of shape (..., K).
    validate_args : bool, optional
        Whether parameters and values are checked.

    Raises
    ------
    ValueError
        For a tensor without dimensions, or concentrations that are not positive.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.Dirichlet(torch.tensor([1.0, 3.0])).mean
    tensor([0.2500, 0.7500])
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True
    expand = expand_parameters

    def __init__(self, concentration, validate_args=None):
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape=()):
        """Return samples through which gradients reach the parameters."""
        return torch._sample_dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        """Return the logarithm of the density at a value."""
        self._check(value)
        powers = torch.xlogy(self.concentration - 1.0, value).sum(-1)
        return powers + torch.lgamma(self.concentration.sum(-1)) - torch.lgamma(self.concentration).sum(-1)

    @property
    def mean(self):
        """Mean."""
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self):
        """Mode; the corner of the largest concentration where all are below 1."""
        less = (self.concentration - 1).clamp(min=0.0)
        mode = less / less.sum(-1, True)
        is_corner = (self.concentration < 1).all(dim=-1, keepdim=True)
        places = torch.arange(self._event_shape[0], device=mode.device)
        corner = places == mode.argmax(dim=-1, keepdim=True)
        return torch.where(is_corner, corner.to(mode), mode)

    @property
    def variance(self):
        """Variance."""
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self):
        """Return the entropy in nats."""
        k, total = self.concentration.size(-1), self.concentration.sum(-1)
        own = torch.lgamma(self.concentration).sum(-1) - torch.lgamma(total) - (k - total) * torch.digamma(total)
        return own - ((self.concentration - 1.0) * torch.digamma(self.concentration)).sum(-1)

    @property
    def _natural_params(self):
        return (self.concentration,)

    def _log_normalizer(self, x):
        return x.lgamma().sum(-1) - torch.lgamma(x.sum(-1))


class Beta(ExponentialFamily):
    """Beta distribution. Samples have gradients of the concentrations.

    Parameters
    ----------
    concentration1 : Tensor or float
        First concentration (alpha), above 0.
    concentration0 : Tensor or float
        Second concentration (beta), above 0.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.Beta(1.0, 3.0).mean
    tensor(0.2500)
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1, concentration0, validate_args=None):
        both = torch.stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """Return the distribution expanded to a batch shape."""
        new = self._get_checked_instance(Beta, _instance)
        batch_shape = torch.Size(batch_shape)
        new._dirichlet = self._dirichlet.expand(batch_shape)
        Distribution.__init__(new, batch_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def concentration1(self):
        """First concentration."""
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self):
        """Second concentration."""
        return self._dirichlet.concentration[..., 1]

    @property
    def mean(self):
        """Mean."""
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self):
        """Mode."""
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self):
        """Variance."""
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape=()):
        """Return samples through which gradients reach the parameters."""
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value):
        """Return the logarithm of the density at a value."""
        self._check(value)
        return self._dirichlet.log_prob(torch.stack([value, 1.0 - value], -1))

    def entropy(self):
        """Return the entropy in nats."""
        return self._dirichlet.entropy()

    @property
    def _natural_params(self):
        return self.concentration1, self.concentration0

    def _log_normalizer(self, x, y):
        return torch.lgamma(x) + torch.lgamma(y) - torch.lgamma(x + y)
