"""Distributions whose parameter is a probability or its logit: of one trial, of many, and of how many trials one waits for."""

import math

from quern.torch import _namespace as torch
from quern.torch.distributions import constraints
from quern.torch.distributions._positive import Gamma
from quern.torch.distributions.distribution import Distribution, ExponentialFamily, by_value, expand_parameters
from quern.torch.distributions.utils import broadcast_all, clamp_probs, lazy_property, logits_to_probs, open_unit, probs_to_logits
from quern.torch.nn.functional import binary_cross_entropy_with_logits, logsigmoid


def check_one_of(probs, logits):
    """Raises ValueError unless there is one of them."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


class OfProbability(Distribution):
    """A distribution of `probs` or `logits`: the other one is computed at its first use."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}

    def _take(self, probs, logits, *others):
        """Keeps the parameter that there is. Returns the others in its shape."""
        check_one_of(probs, logits)
        self._given = "logits" if probs is None else "probs"
        *others, given = broadcast_all(*others, logits if probs is None else probs)
        setattr(self, self._given, given)
        return others

    @property
    def _param(self):
        return getattr(self, self._given)

    @lazy_property
    def logits(self):
        """Log-odds."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self):
        """Probabilities."""
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self):
        """Shape of the parameter."""
        return self._param.size()


class Bernoulli(OfProbability, ExponentialFamily):
    """Bernoulli distribution: 1 with a probability, else 0.

    Parameters
    ----------
    probs : Tensor or float, optional
        Probability of 1.
    logits : Tensor or float, optional
        Log-odds of 1, in place of `probs`.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Raises
    ------
    ValueError
        For both or neither of `probs` and `logits`, or probabilities outside of [0, 1].

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.Bernoulli(0.25).log_prob(torch.tensor(1.0)).exp()
    tensor(0.2500)
    """

    support = constraints.boolean
    expand = expand_parameters
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._take(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    @property
    def mean(self):
        """Mean."""
        return self.probs

    @property
    def mode(self):
        """Likelier value; NaN where both are as likely."""
        return torch.where(self.probs == 0.5, math.nan, (self.probs >= 0.5).to(self.probs))

    @property
    def variance(self):
        """Variance."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples."""
        with torch.no_grad():
            return torch.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        """Return the logarithm of the probability of a value."""
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self):
        """Return the entropy in nats."""
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand=True):
        """Return 0 and 1 along a first dimension."""
        return by_value(torch.arange(2, dtype=self._param.dtype, device=self._param.device), self._batch_shape, expand)

    @property
    def _natural_params(self):
        return (torch.logit(self.probs),)

    def _log_normalizer(self, x):
        return torch.log(1 + torch.exp(x))


class ContinuousBernoulli(OfProbability, ExponentialFamily):
    """Continuous Bernoulli distribution on [0, 1] (Loaiza-Ganem and Cunningham, 2019): its density is that of a Bernoulli, normalized.

    Parameters
    ----------
    probs : Tensor or float, optional
        Parameter in (0, 1), which is not the mean.
    logits : Tensor or float, optional
        Log-odds, in place of `probs`.
    lims : tuple of float, optional
        Between these values of `probs` a Taylor series is used, as the formula cancels at 1/2.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Raises
    ------
    ValueError
        For both or neither of `probs` and `logits`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.ContinuousBernoulli(0.5).mean
    tensor(0.5000)
    """

    support = constraints.unit_interval
    expand = expand_parameters
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, probs=None, logits=None, lims=(0.499, 0.501), validate_args=None):
        self._take(probs, logits)
        if probs is not None:
            if validate_args is not None and not constraints.unit_interval.check(self.probs).all():
                raise ValueError("The parameter probs has invalid values")
            self.probs = clamp_probs(self.probs)
        self._lims = lims
        super().__init__(self._param.size(), validate_args=validate_args)

    @lazy_property
    def probs(self):
        """Parameter in (0, 1)."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _is_apart(self):
        """Where the formulas do not cancel."""
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut(self):
        """Probabilities away from 1/2, which stand for those close to it where the series is taken."""
        return torch.where(self._is_apart(), self.probs, self._lims[0])

    def _log_norm(self):
        cut = self._cut()
        is_low = cut <= 0.5
        below, above = torch.where(is_low, cut, 0.0), torch.where(cut >= 0.5, cut, 1.0)
        width = torch.where(is_low, torch.log1p(-2.0 * below), torch.log(2.0 * above - 1.0))
        exact = torch.log(torch.abs(torch.log1p(-cut) - torch.log(cut))) - width
        x = (self.probs - 0.5) ** 2
        return torch.where(self._is_apart(), exact, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self):
        """Mean."""
        cut, x = self._cut(), self.probs - 0.5
        exact = cut / (2.0 * cut - 1.0) + 1.0 / (torch.log1p(-cut) - torch.log(cut))
        return torch.where(self._is_apart(), exact, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x**2) * x)

    @property
    def variance(self):
        """Variance."""
        cut, x = self._cut(), (self.probs - 0.5) ** 2
        exact = cut * (cut - 1.0) / (1.0 - 2.0 * cut) ** 2 + 1.0 / (torch.log1p(-cut) - torch.log(cut)) ** 2
        return torch.where(self._is_apart(), exact, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def rsample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples through which gradients reach the parameters."""
        return self.icdf(torch.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype, device=self.probs.device))

    def log_prob(self, value):
        """Return the logarithm of the density at a value."""
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none") + self._log_norm()

    def cdf(self, value):
        """Return the probability of values up to this one."""
        self._check(value)
        cut = self._cut()
        exact = (cut**value * (1.0 - cut) ** (1.0 - value) + cut - 1.0) / (2.0 * cut - 1.0)
        inside = torch.where(self._is_apart(), exact, value)
        return torch.where(value <= 0.0, 0.0, torch.where(value >= 1.0, 1.0, inside))

    def icdf(self, value):
        """Return the quantile of a probability."""
        cut = self._cut()
        exact = (torch.log1p(-cut + value * (2.0 * cut - 1.0)) - torch.log1p(-cut)) / (torch.log(cut) - torch.log1p(-cut))
        return torch.where(self._is_apart(), exact, value)

    def entropy(self):
        """Return the entropy in nats."""
        failure, success = torch.log1p(-self.probs), torch.log(self.probs)
        return self.mean * (failure - success) - self._log_norm() - failure

    @property
    def _natural_params(self):
        return (self.logits,)

    def _log_normalizer(self, x):
        is_apart = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        cut = torch.where(is_apart, x, self._lims[0] - 0.5)
        exact = torch.log(torch.abs(torch.expm1(cut))) - torch.log(torch.abs(cut))
        return torch.where(is_apart, exact, 0.5 * x + x**2 / 24.0 - x**4 / 2880.0)


class Binomial(OfProbability):
    """Binomial distribution: how many of some trials succeed.

    Parameters
    ----------
    total_count : Tensor or int, optional
        Number of trials.
    probs : Tensor, optional
        Probability of a success.
    logits : Tensor, optional
        Log-odds of a success, in place of `probs`.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Raises
    ------
    ValueError
        For both or neither of `probs` and `logits`, probabilities outside of [0, 1] or negative counts.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.Binomial(2, torch.tensor(0.5)).log_prob(torch.tensor(1.0)).exp()
    tensor(0.5000)
    """

    arg_constraints = {"total_count": constraints.nonnegative_integer, **OfProbability.arg_constraints}
    expand = expand_parameters
    has_enumerate_support = True

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        (total_count,) = self._take(probs, logits, total_count)
        self.total_count = total_count.type_as(self._param)
        super().__init__(self._param.size(), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        """Constraint of the values."""
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self):
        """Mean."""
        return self.total_count * self.probs

    @property
    def mode(self):
        """Likeliest value."""
        return torch.minimum(((self.total_count + 1) * self.probs).floor(), self.total_count)

    @property
    def variance(self):
        """Variance."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples."""
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value):
        """Return the logarithm of the probability of a value."""
        self._check(value)
        n, logits = self.total_count, self.logits
        above = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2  # max(logits, 0) with a gradient of 1/2 at 0
        norm = n * above + n * torch.log1p(torch.exp(-torch.abs(logits))) - torch.lgamma(n + 1)
        return value * logits - torch.lgamma(value + 1) - torch.lgamma(n - value + 1) - norm

    def _count(self, caller):
        count = int(self.total_count.max())
        if not self.total_count.min() == count:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{caller}`.")
        return count

    def entropy(self):
        """Return the entropy in nats; all counts must be equal."""
        self._count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(torch.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand=True):
        """Return 0, 1, ... up to the count along a first dimension; all counts must be equal."""
        count = self._count("enumerate_support")
        return by_value(torch.arange(1 + count, dtype=self._param.dtype, device=self._param.device), self._batch_shape, expand)


class Geometric(OfProbability):
    """Geometric distribution: how many trials fail before the first success.

    Parameters
    ----------
    probs : Tensor or float, optional
        Probability of a success, in (0, 1].
    logits : Tensor or float, optional
        Log-odds of a success, in place of `probs`.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Raises
    ------
    ValueError
        For both or neither of `probs` and `logits`, or probabilities outside of (0, 1].

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.Geometric(0.25).mean
    tensor(3.)
    """

    support = constraints.nonnegative_integer
    expand = expand_parameters

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._take(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)
        if self._validate_args and probs is not None:
            value = self.probs
            if not (value > 0).all():
                invalid = value.data[~(value > 0)]
                raise ValueError(
                    f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) of distribution {self!r} to be"
                    f" positive but found invalid values:\n{invalid}"
                )

    @property
    def mean(self):
        """Mean."""
        return 1.0 / self.probs - 1.0

    @property
    def mode(self):
        """Likeliest value, 0."""
        return torch.zeros_like(self.probs)

    @property
    def variance(self):
        """Variance."""
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples."""
        with torch.no_grad():
            unit = open_unit(self._extended_shape(sample_shape), self.probs)
            return (unit.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value):
        """Return the logarithm of the probability of a value."""
        self._check(value)
        value, probs = broadcast_all(value, self.probs)
        failure = torch.where((probs == 1) & (value == 0), 0.0, probs)
        return value * (-failure).log1p() + self.probs.log()

    def entropy(self):
        """Return the entropy in nats."""
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs


class NegativeBinomial(OfProbability):
    """Negative binomial distribution: how many trials succeed before a number of failures.

    Parameters
    ----------
    total_count : Tensor or float
        Number of failures, not negative; it need not be an integer.
    probs : Tensor, optional
        Probability of a success, in [0, 1).
    logits : Tensor, optional
        Log-odds of a success, in place of `probs`.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Raises
    ------
    ValueError
        For both or neither of `probs` and `logits`, or parameters that violate a constraint.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.NegativeBinomial(3.0, torch.tensor(0.5)).mean
    tensor(3.)
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer
    expand = expand_parameters

    def __init__(self, total_count, probs=None, logits=None, validate_args=None):
        (total_count,) = self._take(probs, logits, total_count)
        self.total_count = total_count.type_as(self._param)
        super().__init__(self._param.size(), validate_args=validate_args)

    @property
    def mean(self):
        """Mean."""
        return self.total_count * torch.exp(self.logits)

    @property
    def mode(self):
        """Likeliest value."""
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self):
        """Variance."""
        return self.mean / torch.sigmoid(-self.logits)

    @lazy_property
    def _gamma(self):
        return Gamma(concentration=self.total_count, rate=torch.exp(-self.logits), validate_args=False)

    def sample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples: Poisson numbers whose means are gamma numbers."""
        with torch.no_grad():
            return torch.poisson(self._gamma.sample(sample_shape=sample_shape))

    def log_prob(self, value):
        """Return the logarithm of the probability of a value."""
        self._check(value)
        likelihood = self.total_count * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        norm = -torch.lgamma(self.total_count + value) + torch.lgamma(1.0 + value) + torch.lgamma(self.total_count)
        return likelihood - torch.where(self.total_count + value == 0.0, 0.0, norm)


class Poisson(ExponentialFamily):
    """Poisson distribution: how many independent events happen, by their mean number.

    Parameters
    ----------
    rate : Tensor or float
        Mean, not negative.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Raises
    ------
    ValueError
        For a negative rate.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.Poisson(2.0).log_prob(torch.tensor(0.0))
    tensor(-2.)
    """

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer
    expand = expand_parameters

    def __init__(self, rate, validate_args=None):
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.size(), validate_args=validate_args)

    @property
    def mean(self):
        """Mean."""
        return self.rate

    @property
    def mode(self):
        """Likeliest value."""
        return self.rate.floor()

    @property
    def variance(self):
        """Variance."""
        return self.rate

    def sample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples."""
        with torch.no_grad():
            return torch.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        """Return the logarithm of the probability of a value."""
        self._check(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self):
        return (torch.log(self.rate),)

    def _log_normalizer(self, x):
        return torch.exp(x)
