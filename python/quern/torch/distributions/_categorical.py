"""Distributions over classes: an index, a one-hot vector, counts of many draws, and relaxed ones that have gradients."""

import math

from quern.torch import _namespace as torch
from quern.torch.distributions import constraints
from quern.torch.distributions._composed import TransformedDistribution
from quern.torch.distributions._probabilities import Binomial, OfProbability, check_one_of
from quern.torch.distributions.distribution import Distribution, by_value, expand_parameters
from quern.torch.distributions.transforms import ExpTransform, SigmoidTransform
from quern.torch.distributions.utils import broadcast_all, lazy_property, logits_to_probs, open_unit, probs_to_logits
from quern.torch.nn.functional import softplus


class Categorical(Distribution):
    """Categorical distribution: the index of one of K classes.

    Parameters
    ----------
    probs : Tensor, optional
        Probabilities of the classes, of shape (..., K); they are divided by their sum.
    logits : Tensor, optional
        Logarithms of the probabilities up to a constant, in place of `probs`.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Raises
    ------
    ValueError
        For both or neither of `probs` and `logits`, for one without dimensions, or for negative probabilities.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.Categorical(torch.tensor([1.0, 3.0])).log_prob(torch.tensor(1)).exp()
    tensor(0.7500)
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    expand = expand_parameters

    def __init__(self, probs=None, logits=None, validate_args=None):
        check_one_of(probs, logits)
        self._given = "logits" if probs is None else "probs"
        given = logits if probs is None else probs
        if given.dim() < 1:
            raise ValueError(f"`{self._given}` parameter must be at least one-dimensional.")
        if probs is None:
            self.logits = logits - logits.logsumexp(dim=-1, keepdim=True)
        else:
            self.probs = probs / probs.sum(-1, keepdim=True)
        self._num_events = given.size()[-1]
        super().__init__(given.size()[:-1], validate_args=validate_args)

    @property
    def _param(self):
        return getattr(self, self._given)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        """Constraint of the values."""
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self):
        """Logarithms of the probabilities."""
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self):
        """Probabilities."""
        return logits_to_probs(self.logits)

    @property
    def param_shape(self):
        """Shape of the parameter."""
        return self._param.size()

    @property
    def mean(self):
        """NaN: classes have no mean."""
        return torch.full(self._extended_shape(), math.nan, dtype=self.probs.dtype, device=self.probs.device)

    variance = mean

    @property
    def mode(self):
        """Likeliest class."""
        return self.probs.argmax(dim=-1)

    def sample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples, int64."""
        count = torch.Size(sample_shape).numel()
        shape = self._extended_shape(sample_shape)
        if count == 0 or shape.numel() == 0:
            return torch.empty(shape, dtype=torch.int64, device=self._param.device)
        drawn = torch.multinomial(self.probs.detach().reshape(-1, self._num_events), count, True)
        return drawn.T.reshape(shape)

    def log_prob(self, value):
        """Return the logarithm of the probability of a class."""
        self._check(value)
        value, logits = torch.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self):
        """Return the entropy in nats."""
        return -(torch.clamp(self.logits, min=torch.finfo(self.logits.dtype).min) * self.probs).sum(-1)

    def enumerate_support(self, expand=True):
        """Return all classes along a first dimension."""
        return by_value(torch.arange(self._num_events, dtype=torch.int64, device=self._param.device), self._batch_shape, expand)


class _OfCategorical(Distribution):
    """A distribution over vectors of K numbers with the parameters of a categorical one."""

    arg_constraints = Categorical.arg_constraints

    @property
    def logits(self):
        """Logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def probs(self):
        """Probabilities of the classes."""
        return self._categorical.probs

    @property
    def _param(self):
        return self._categorical._param

    @property
    def param_shape(self):
        """Shape of the parameter."""
        return self._categorical.param_shape

    def _expanded(self, home, batch_shape, instance):
        new = self._get_checked_instance(home, instance)
        new._categorical = self._categorical.expand(torch.Size(batch_shape))
        Distribution.__init__(new, torch.Size(batch_shape), self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new


class OneHotCategorical(_OfCategorical):
    """One-hot categorical distribution: a vector with 1 at one of K classes and else 0.

    Parameters
    ----------
    probs : Tensor, optional
        Probabilities of the classes, of shape (..., K); they are divided by their sum.
    logits : Tensor, optional
        Logarithms of the probabilities up to a constant, in place of `probs`.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Raises
    ------
    ValueError
        For both or neither of `probs` and `logits`, for one without dimensions, or for negative probabilities.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.OneHotCategorical(torch.tensor([0.0, 1.0])).sample()
    tensor([0., 1.])
    """

    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._categorical = Categorical(probs, logits)
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """Return the distribution expanded to a batch shape."""
        return self._expanded(OneHotCategorical, batch_shape, _instance)

    @property
    def mean(self):
        """Probabilities."""
        return self._categorical.probs

    @property
    def mode(self):
        """Vector of the likeliest class."""
        probs = self._categorical.probs
        return self._one_hot(probs.argmax(axis=-1)).to(probs)

    @property
    def variance(self):
        """Variance of each element."""
        return self._categorical.probs * (1 - self._categorical.probs)

    def _one_hot(self, places):
        return torch.arange(self._event_shape[0], device=places.device) == places.unsqueeze(-1)

    def sample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples, in the dtype of the parameter."""
        return self._one_hot(self._categorical.sample(torch.Size(sample_shape))).to(self.probs.dtype)

    def log_prob(self, value):
        """Return the logarithm of the probability of a one-hot vector."""
        self._check(value)
        value, _ = broadcast_all(value, self._categorical.logits)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self):
        """Return the entropy in nats."""
        return self._categorical.entropy()

    def enumerate_support(self, expand=True):
        """Return all one-hot vectors along a first dimension."""
        n = self._event_shape[0]
        values = torch.eye(n, dtype=self._param.dtype, device=self._param.device)
        values = values.view((n,) + (1,) * len(self._batch_shape) + (n,))
        return values.expand((n, *self._batch_shape, n)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """One-hot categorical distribution whose samples have the gradients of the probabilities (Bengio et al., 2013).

    Parameters
    ----------
    probs : Tensor, optional
        Probabilities of the classes, of shape (..., K); they are divided by their sum.
    logits : Tensor, optional
        Logarithms of the probabilities up to a constant, in place of `probs`.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.OneHotCategoricalStraightThrough(torch.tensor([0.0, 1.0])).rsample()
    tensor([0., 1.])
    """

    has_rsample = True

    def rsample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples with the gradients of the probabilities."""
        probs = self._categorical.probs
        return self.sample(sample_shape) + (probs - probs.detach())


class Multinomial(_OfCategorical):
    """Multinomial distribution: how often each of K classes is drawn.

    Parameters
    ----------
    total_count : int, optional
        Number of draws.
    probs : Tensor, optional
        Probabilities of the classes, of shape (..., K); they are divided by their sum.
    logits : Tensor, optional
        Logarithms of the probabilities up to a constant, in place of `probs`.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Raises
    ------
    NotImplementedError
        For a `total_count` that is no int.
    ValueError
        For both or neither of `probs` and `logits`, or for negative probabilities.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.Multinomial(4, torch.tensor([1.0, 3.0])).mean
    tensor([1., 3.])
    """

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    @property
    def mean(self):
        """Mean counts."""
        return self.probs * self.total_count

    @property
    def variance(self):
        """Variances of the counts."""
        return self.total_count * self.probs * (1 - self.probs)

    @lazy_property
    def _binomial(self):
        return Binomial(total_count=self.total_count, probs=self.probs)

    def expand(self, batch_shape, _instance=None):
        """Return the distribution expanded to a batch shape."""
        new = self._expanded(Multinomial, batch_shape, _instance)
        new.total_count = self.total_count
        return new

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self):
        """Constraint of the values."""
        return constraints.multinomial(self.total_count)

    def sample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples, in the dtype of the parameter."""
        drawn = self._categorical.sample(torch.Size((self.total_count, *sample_shape)))
        counts = torch.zeros(self._extended_shape(sample_shape), dtype=self._param.dtype, device=self._param.device)
        if not self.total_count:
            return counts
        places = drawn.movedim(0, -1)
        return counts.scatter_add(-1, places, torch.ones(places.shape, dtype=counts.dtype, device=counts.device))

    def entropy(self):
        """Return the entropy in nats."""
        n = torch.tensor(self.total_count)
        first = n * self._categorical.entropy() - torch.lgamma(n + 1)
        support = self._binomial.enumerate_support(expand=False)[1:]
        weights = torch.exp(self._binomial.log_prob(support)) * torch.lgamma(support + 1)
        return first + weights.sum([0, -1])

    def log_prob(self, value):
        """Return the logarithm of the probability of counts."""
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        logits = torch.where((value == 0) & (logits == -math.inf), 0.0, logits)
        return torch.lgamma(value.sum(-1) + 1) - torch.lgamma(value + 1).sum(-1) + (logits * value).sum(-1)


class LogitRelaxedBernoulli(OfProbability):
    """Logits of a relaxed Bernoulli distribution (Maddison et al., 2017).

    Parameters
    ----------
    temperature : Tensor
        Temperature; close to 0 the samples are close to 0 and 1 (after a sigmoid).
    probs : Tensor or float, optional
        Probability of 1.
    logits : Tensor or float, optional
        Log-odds of 1, in place of `probs`.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.relaxed_bernoulli.LogitRelaxedBernoulli(torch.tensor(1.0), 0.5).batch_shape
    torch.Size([])
    """

    support = constraints.real
    expand = expand_parameters
    has_rsample = True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self.temperature = temperature
        self._take(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    def rsample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples through which gradients reach the parameters."""
        shape, eps = self._extended_shape(sample_shape), torch.finfo(self.probs.dtype).eps
        logits = probs_to_logits(self.probs.expand(shape), is_binary=True)
        unit = open_unit(shape, self.probs, eps, 1 - eps)
        return (unit.log() - (-unit).log1p() + logits) / self.temperature

    def log_prob(self, value):
        """Return the logarithm of the density at a value."""
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        difference = logits - value.mul(self.temperature)
        return self.temperature.log() + difference - 2 * softplus(difference)


class RelaxedBernoulli(TransformedDistribution):
    """Relaxed Bernoulli distribution on (0, 1), whose samples have gradients (Maddison et al., 2017; Jang et al., 2017).

    Parameters
    ----------
    temperature : Tensor
        Temperature; close to 0 the samples are close to 0 and 1.
    probs : Tensor or float, optional
        Probability of 1.
    logits : Tensor or float, optional
        Log-odds of 1, in place of `probs`.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.RelaxedBernoulli(torch.tensor(0.5), 0.5).rsample((3,)).shape
    torch.Size([3])
    """

    arg_constraints = OfProbability.arg_constraints
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        super().__init__(LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """Return the distribution expanded to a batch shape."""
        return super().expand(batch_shape, _instance=self._get_checked_instance(RelaxedBernoulli, _instance))

    @property
    def temperature(self):
        """Temperature."""
        return self.base_dist.temperature

    @property
    def logits(self):
        """Log-odds of 1."""
        return self.base_dist.logits

    @property
    def probs(self):
        """Probability of 1."""
        return self.base_dist.probs


class ExpRelaxedCategorical(_OfCategorical):
    """Logarithms of a relaxed one-hot categorical distribution (Maddison et al., 2017).

    Parameters
    ----------
    temperature : Tensor
        Temperature; close to 0 the samples are close to one-hot vectors (after exp).
    probs : Tensor, optional
        Probabilities of the classes, of shape (..., K).
    logits : Tensor, optional
        Logarithms of the probabilities up to a constant, in place of `probs`.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.relaxed_categorical.ExpRelaxedCategorical(torch.tensor(1.0), torch.ones(3)).event_shape
    torch.Size([3])
    """

    support = constraints.real_vector  # the elements sum to 1 after exp
    has_rsample = True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """Return the distribution expanded to a batch shape."""
        new = self._expanded(ExpRelaxedCategorical, batch_shape, _instance)
        new.temperature = self.temperature
        return new

    def rsample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples through which gradients reach the parameters."""
        eps = torch.finfo(self.logits.dtype).eps
        unit = open_unit(self._extended_shape(sample_shape), self.logits, eps, 1 - eps)
        scores = (self.logits - (-unit.log()).log()) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value):
        """Return the logarithm of the density at a value."""
        count = self._categorical._num_events
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        scale = torch.full_like(self.temperature, float(count)).lgamma() - self.temperature.log().mul(-(count - 1))
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + scale


class RelaxedOneHotCategorical(TransformedDistribution):
    """Relaxed one-hot categorical distribution on the simplex, whose samples have gradients (Maddison et al., 2017; Jang et al., 2017).

    Parameters
    ----------
    temperature : Tensor
        Temperature; close to 0 the samples are close to one-hot vectors.
    probs : Tensor, optional
        Probabilities of the classes, of shape (..., K).
    logits : Tensor, optional
        Logarithms of the probabilities up to a constant, in place of `probs`.
    validate_args : bool, optional
        Whether parameters and values are checked.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.RelaxedOneHotCategorical(torch.tensor(0.5), torch.ones(3)).rsample().shape
    torch.Size([3])
    """

    arg_constraints = Categorical.arg_constraints
    support = constraints.simplex
    has_rsample = True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """Return the distribution expanded to a batch shape."""
        return super().expand(batch_shape, _instance=self._get_checked_instance(RelaxedOneHotCategorical, _instance))

    @property
    def temperature(self):
        """Temperature."""
        return self.base_dist.temperature

    @property
    def logits(self):
        """Logarithms of the probabilities."""
        return self.base_dist.logits

    @property
    def probs(self):
        """Probabilities of the classes."""
        return self.base_dist.probs
