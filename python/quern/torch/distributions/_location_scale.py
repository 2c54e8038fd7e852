"""Distributions of real numbers with a location and a scale, their halves, and the uniform distribution."""

import math

from quern.torch import _namespace as torch
from quern.torch import special
from quern.torch.distributions import constraints
from quern.torch.distributions._composed import TransformedDistribution
from quern.torch.distributions._positive import Chi2
from quern.torch.distributions.distribution import Distribution, ExponentialFamily, expand_parameters
from quern.torch.distributions.transforms import AbsTransform, AffineTransform, ExpTransform
from quern.torch.distributions.utils import broadcast_all, euler_constant, lazy_property, standard_normal

_LOG_2_PI = math.log(2 * math.pi)


class Normal(ExponentialFamily):
    """Normal distribution.

    Parameters
    ----------
    loc : Tensor or float
        Mean.
    scale : Tensor or float
        Standard deviation, above 0.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Raises
    ------
    ValueError
        For a NaN, or a scale that is not positive.

    Examples
    --------
    >>> from quern import torch
    >>> normal = torch.distributions.Normal(torch.tensor([0.0, 1.0]), 1.0)
    >>> normal.log_prob(torch.tensor(1.0))
    tensor([-1.4189, -0.9189])
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _mean_carrier_measure = 0
    expand = expand_parameters

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    @property
    def mean(self):
        """Mean."""
        return self.loc

    mode = mean

    @property
    def stddev(self):
        """Standard deviation."""
        return self.scale

    @property
    def variance(self):
        """Variance."""
        return self.stddev.pow(2)

    def rsample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples through which gradients reach the parameters."""
        return self.loc + standard_normal(self._extended_shape(sample_shape), self.loc) * self.scale

    def log_prob(self, value):
        """Return the logarithm of the density at a value."""
        self._check(value)
        return -((value - self.loc) ** 2) / (2 * self.scale**2) - self.scale.log() - _LOG_2_PI / 2

    def cdf(self, value):
        """Return the probability of values up to this one."""
        self._check(value)
        return 0.5 * (1 + torch.erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def icdf(self, value):
        """Return the quantile of a probability."""
        return self.loc + self.scale * torch.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self):
        """Return the entropy in nats."""
        return 0.5 + 0.5 * _LOG_2_PI + torch.log(self.scale)

    @property
    def _natural_params(self):
        return self.loc / self.scale.pow(2), -0.5 * self.scale.pow(2).reciprocal()

    def _log_normalizer(self, x, y):
        return -0.25 * x.pow(2) / y + 0.5 * torch.log(-math.pi / y)


class LogNormal(TransformedDistribution):
    """Log-normal distribution: the exponential of a normal number.

    Parameters
    ----------
    loc : Tensor or float
        Mean of the logarithm.
    scale : Tensor or float
        Standard deviation of the logarithm, above 0.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.LogNormal(0.0, 1.0).mean
    tensor(1.6487)
    """

    arg_constraints = Normal.arg_constraints
    support = constraints.positive
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """Return the distribution expanded to a batch shape."""
        return super().expand(batch_shape, _instance=self._get_checked_instance(LogNormal, _instance))

    @property
    def loc(self):
        """Mean of the logarithm."""
        return self.base_dist.loc

    @property
    def scale(self):
        """Standard deviation of the logarithm."""
        return self.base_dist.scale

    @property
    def mean(self):
        """Mean."""
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self):
        """Mode."""
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self):
        """Variance."""
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self):
        """Return the entropy in nats."""
        return self.base_dist.entropy() + self.loc


class Uniform(Distribution):
    """Uniform distribution on [low, high).

    Parameters
    ----------
    low : Tensor or float
        Lower limit.
    high : Tensor or float
        Upper limit.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Raises
    ------
    ValueError
        For a `low` that is not below `high`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.Uniform(0.0, 4.0).cdf(torch.tensor(1.0))
    tensor(0.2500)
    """

    has_rsample = True
    expand = expand_parameters
    @property
    def arg_constraints(self):
        """Constraints of the parameters."""
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    def __init__(self, low, high, validate_args=None):
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.size(), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        """Constraint of the values."""
        return constraints.interval(self.low, self.high)

    @property
    def mean(self):
        """Mean."""
        return (self.high + self.low) / 2

    @property
    def mode(self):
        """NaN: all values are as likely."""
        return math.nan * self.high

    @property
    def stddev(self):
        """Standard deviation."""
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self):
        """Variance."""
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples through which gradients reach the parameters."""
        unit = torch.rand(self._extended_shape(sample_shape), dtype=self.low.dtype, device=self.low.device)
        return self.low + unit * (self.high - self.low)

    def log_prob(self, value):
        """Return the logarithm of the density at a value."""
        self._check(value)
        inside = self.low.le(value).type_as(self.low) * self.high.gt(value).type_as(self.low)
        return torch.log(inside) - torch.log(self.high - self.low)

    def cdf(self, value):
        """Return the probability of values up to this one."""
        self._check(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value):
        """Return the quantile of a probability."""
        return value * (self.high - self.low) + self.low

    def entropy(self):
        """Return the entropy in nats."""
        return torch.log(self.high - self.low)


class Laplace(Distribution):
    """Laplace distribution.

    Parameters
    ----------
    loc : Tensor or float
        Mean.
    scale : Tensor or float
        Mean distance to it, above 0.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.Laplace(0.0, 1.0).cdf(torch.tensor(0.0))
    tensor(0.5000)
    """

    arg_constraints = Normal.arg_constraints
    support = constraints.real
    has_rsample = True
    expand = expand_parameters

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    @property
    def mean(self):
        """Mean."""
        return self.loc

    mode = mean

    @property
    def variance(self):
        """Variance."""
        return 2 * self.scale.pow(2)

    @property
    def stddev(self):
        """Standard deviation."""
        return 2**0.5 * self.scale

    def rsample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples through which gradients reach the parameters."""
        eps = torch.finfo(self.loc.dtype).eps
        unit = 2 * torch.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device) - 1
        return self.loc - self.scale * unit.sign() * torch.log1p(-unit.abs().clamp(max=1 - eps / 2))

    def log_prob(self, value):
        """Return the logarithm of the density at a value."""
        self._check(value)
        return -torch.log(2 * self.scale) - torch.abs(value - self.loc) / self.scale

    def cdf(self, value):
        """Return the probability of values up to this one."""
        self._check(value)
        distance = value - self.loc
        return 0.5 - 0.5 * distance.sign() * torch.expm1(-distance.abs() / self.scale)

    def icdf(self, value):
        """Return the quantile of a probability."""
        centred = value - 0.5
        return self.loc - self.scale * centred.sign() * torch.log1p(-2 * centred.abs())

    def entropy(self):
        """Return the entropy in nats."""
        return 1 + torch.log(2 * self.scale)


class Cauchy(Distribution):
    """Cauchy distribution, which has no mean and no variance.

    Parameters
    ----------
    loc : Tensor or float
        Median and mode.
    scale : Tensor or float
        Half of the width at half of the largest density, above 0.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.Cauchy(0.0, 1.0).cdf(torch.tensor(1.0))
    tensor(0.7500)
    """

    arg_constraints = Normal.arg_constraints
    support = constraints.real
    has_rsample = True
    expand = expand_parameters

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    @property
    def mean(self):
        """NaN."""
        return torch.full(self._extended_shape(), math.nan, dtype=self.loc.dtype, device=self.loc.device)

    @property
    def mode(self):
        """Mode."""
        return self.loc

    @property
    def variance(self):
        """Infinity."""
        return torch.full(self._extended_shape(), math.inf, dtype=self.loc.dtype, device=self.loc.device)

    def rsample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples through which gradients reach the parameters."""
        made = torch.empty(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device).cauchy_()
        return self.loc + made * self.scale

    def log_prob(self, value):
        """Return the logarithm of the density at a value."""
        self._check(value)
        return -math.log(math.pi) - self.scale.log() - ((value - self.loc) / self.scale).square().log1p()

    def cdf(self, value):
        """Return the probability of values up to this one."""
        self._check(value)
        return torch.atan((value - self.loc) / self.scale) / math.pi + 0.5

    def icdf(self, value):
        """Return the quantile of a probability."""
        return torch.tan(math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self):
        """Return the entropy in nats."""
        return math.log(4 * math.pi) + self.scale.log()


class _Half(TransformedDistribution):
    """The absolute values of a symmetric distribution around 0."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def _of(self, base, scale, validate_args):
        TransformedDistribution.__init__(self, base(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def scale(self):
        """Scale."""
        return self.base_dist.scale

    @property
    def mode(self):
        """Mode, 0."""
        return torch.zeros_like(self.scale)

    def log_prob(self, value):
        """Return the logarithm of the density at a value."""
        self._check(value)
        return torch.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value):
        """Return the probability of values up to this one."""
        self._check(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value):
        """Return the quantile of a probability."""
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self):
        """Return the entropy in nats."""
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(_Half):
    """Half-normal distribution: the absolute value of a normal number of mean 0.

    Parameters
    ----------
    scale : Tensor or float
        Standard deviation of the normal distribution, above 0.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.HalfNormal(1.0).mean
    tensor(0.7979)
    """

    def __init__(self, scale, validate_args=None):
        self._of(Normal, scale, validate_args)

    def expand(self, batch_shape, _instance=None):
        """Return the distribution expanded to a batch shape."""
        return super().expand(batch_shape, _instance=self._get_checked_instance(HalfNormal, _instance))

    @property
    def mean(self):
        """Mean."""
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self):
        """Variance."""
        return self.scale.pow(2) * (1 - 2 / math.pi)


class HalfCauchy(_Half):
    """Half-Cauchy distribution: the absolute value of a Cauchy number around 0.

    Parameters
    ----------
    scale : Tensor or float
        Scale of the Cauchy distribution, above 0.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.HalfCauchy(1.0).cdf(torch.tensor(1.0))
    tensor(0.5000)
    """

    def __init__(self, scale, validate_args=None):
        self._of(Cauchy, scale, validate_args)

    def expand(self, batch_shape, _instance=None):
        """Return the distribution expanded to a batch shape."""
        return super().expand(batch_shape, _instance=self._get_checked_instance(HalfCauchy, _instance))

    @property
    def mean(self):
        """Infinity."""
        return torch.full(self._extended_shape(), math.inf, dtype=self.scale.dtype, device=self.scale.device)

    @property
    def variance(self):
        """Infinity."""
        return self.base_dist.variance

    def log_prob(self, value):
        """Return the logarithm of the density at a value."""
        self._check(value)
        value = torch.as_tensor(value, dtype=self.base_dist.scale.dtype, device=self.base_dist.scale.device)
        return super().log_prob(value)


class Gumbel(TransformedDistribution):
    """Gumbel distribution of largest values.

    Parameters
    ----------
    loc : Tensor or float
        Mode.
    scale : Tensor or float
        Scale, above 0.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.Gumbel(0.0, 1.0).mean
    tensor(0.5772)
    """

    arg_constraints = Normal.arg_constraints
    support = constraints.real

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        info = torch.finfo(self.loc.dtype)
        base = Uniform(torch.full_like(self.loc, info.tiny), torch.full_like(self.loc, 1 - info.eps), validate_args=validate_args)
        super().__init__(base, self._transforms_of_parameters(), validate_args=validate_args)

    def _transforms_of_parameters(self):
        one = torch.ones_like(self.scale)
        return [ExpTransform().inv, AffineTransform(loc=0, scale=-one), ExpTransform().inv, AffineTransform(self.loc, -self.scale)]

    def expand(self, batch_shape, _instance=None):
        """Return the distribution expanded to a batch shape."""
        new = self._get_checked_instance(Gumbel, _instance)
        new.loc, new.scale = self.loc.expand(batch_shape), self.scale.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    def log_prob(self, value):
        """Return the logarithm of the density at a value."""
        self._check(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    @property
    def mean(self):
        """Mean."""
        return self.loc + self.scale * euler_constant

    @property
    def mode(self):
        """Mode."""
        return self.loc

    @property
    def stddev(self):
        """Standard deviation."""
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self):
        """Variance."""
        return self.stddev.pow(2)

    def entropy(self):
        """Return the entropy in nats."""
        return self.scale.log() + (1 + euler_constant)


class StudentT(Distribution):
    """Student's t distribution.

    Parameters
    ----------
    df : Tensor or float
        Degrees of freedom, above 0.
    loc : Tensor or float, optional
        Mode.
    scale : Tensor or float, optional
        Scale, above 0.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.StudentT(3.0).variance
    tensor(3.)
    """

    arg_constraints = {"df": constraints.positive, **Normal.arg_constraints}
    support = constraints.real
    has_rsample = True
    expand = expand_parameters

    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        super().__init__(self.df.size(), validate_args=validate_args)

    @lazy_property
    def _chi2(self):
        return Chi2(self.df)

    @property
    def mean(self):
        """Mean; NaN for ``df <= 1``."""
        return torch.where(self.df <= 1, math.nan, self.loc)

    @property
    def mode(self):
        """Mode."""
        return self.loc

    @property
    def variance(self):
        """Variance; infinite for ``1 < df <= 2``, NaN below."""
        is_finite = self.df > 2
        finite = self.scale.pow(2) * self.df / torch.where(is_finite, self.df - 2, 1.0)
        return torch.where(is_finite, finite, torch.where(self.df > 1, math.inf, math.nan).to(self.df))

    def rsample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples through which gradients reach the parameters."""
        normal = standard_normal(self._extended_shape(sample_shape), self.df)
        return self.loc + self.scale * normal * torch.rsqrt(self._chi2.rsample(sample_shape) / self.df)

    def log_prob(self, value):
        """Return the logarithm of the density at a value."""
        self._check(value)
        y, df = (value - self.loc) / self.scale, self.df
        norm = self.scale.log() + 0.5 * df.log() + 0.5 * math.log(math.pi) + torch.lgamma(0.5 * df) - torch.lgamma(0.5 * (df + 1.0))
        return -0.5 * (df + 1.0) * torch.log1p(y**2.0 / df) - norm

    def entropy(self):
        """Return the entropy in nats."""
        half, more = 0.5 * self.df, 0.5 * (self.df + 1)
        beta = torch.lgamma(half) + math.lgamma(0.5) - torch.lgamma(more)
        return self.scale.log() + more * (torch.digamma(more) - torch.digamma(half)) + 0.5 * self.df.log() + beta


class VonMises(Distribution):
    """Von Mises distribution of angles: the circular normal distribution.

    Parameters
    ----------
    loc : Tensor
        Mean angle, in radians.
    concentration : Tensor
        Concentration, above 0.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.VonMises(torch.tensor(0.0), torch.tensor(4.0)).sample().abs() <= torch.pi
    tensor(True)
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False
    expand = expand_parameters

    def __init__(self, loc, concentration, validate_args=None):
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, torch.Size(), validate_args)

    def _log_bessel(self, scaled):
        """The logarithm of a modified Bessel function, which is scaled by exp(-concentration)."""
        return torch.log(scaled(self.concentration)) + self.concentration

    def log_prob(self, value):
        """Return the logarithm of the density at an angle."""
        self._check(value)
        return self.concentration * torch.cos(value - self.loc) - _LOG_2_PI - self._log_bessel(special.i0e)

    def sample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples, in [-pi, pi)."""
        with torch.no_grad():
            shape = self._extended_shape(sample_shape)
            angle = _angles(self.concentration.double(), shape)
            return ((angle + math.pi + self.loc.double()) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    @property
    def mean(self):
        """Mean angle."""
        return self.loc

    mode = mean

    @lazy_property
    def variance(self):
        """Circular variance."""
        return 1 - special.i1e(self.concentration) / special.i0e(self.concentration)


def _angles(concentration, shape):
    """Angles around 0 by rejection (Best and Fisher, 1979)."""
    tau = 1 + (1 + 4 * concentration**2).sqrt()
    rho = (tau - (2 * tau).sqrt()) / (2 * concentration)
    r = torch.where(concentration < 1e-5, 1 / concentration + concentration, (1 + rho**2) / (2 * rho))
    angle = torch.zeros(shape, dtype=torch.float64, device=concentration.device)
    is_done = torch.zeros(shape, dtype=torch.bool, device=concentration.device)
    while not is_done.all():
        u, v, w = torch.rand((3, *shape), dtype=torch.float64, device=concentration.device).unbind()
        z = torch.cos(math.pi * u)
        f = (1 + r * z) / (r + z)
        c = concentration * (r - f)
        is_taken = (c * (2 - c) - v > 0) | ((c / v).log() + 1 - c >= 0)
        angle = torch.where(is_taken & ~is_done, (w - 0.5).sign() * f.clamp(-1, 1).acos(), angle)
        is_done = is_done | is_taken
    return angle
