"""The base of all distributions: shapes, checks of parameters and values, and how an instance is expanded to a larger batch."""

from quern.torch import _namespace as torch
from quern.torch import autograd
from quern.torch.distributions import constraints
from quern.torch.distributions.utils import lazy_property
from quern.user_files import warn_user

__all__ = ["Distribution"]


class Distribution:
    """Base class of probability distributions.

    Parameters
    ----------
    batch_shape : Size, optional
        Shape of independent distributions with parameters of their own.
    event_shape : Size, optional
        Shape of one value.
    validate_args : bool, optional
        Whether parameters and values are checked; by default they are.

    Raises
    ------
    ValueError
        For parameters that violate a constraint.

    Examples
    --------
    >>> from quern import torch
    >>> normal = torch.distributions.Normal(torch.zeros(2), 1.0)
    >>> normal.batch_shape, normal.event_shape
    (torch.Size([2]), torch.Size([]))
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value):
        """Set whether distributions check their parameters and values by default.

        Parameters
        ----------
        value : bool
            Whether they do.

        Raises
        ------
        ValueError
            For another value than a bool.

        Examples
        --------
        >>> from quern import torch
        >>> torch.distributions.Distribution.set_default_validate_args(True)
        """
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape=torch.Size(), event_shape=torch.Size(), validate_args=None):  # noqa: B008
        self._batch_shape, self._event_shape = batch_shape, event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()

    def _check_parameters(self):
        try:
            arg_constraints = self.arg_constraints
        except NotImplementedError:
            warn_user(
                f"{type(self)} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize the distribution"
                " with `validate_args=False` to turn off validation."
            )
            return
        for name, constraint in arg_constraints.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(getattr(type(self), name), lazy_property):
                continue
            value = getattr(self, name)
            if not constraint.check(value).all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution {self!r} to satisfy"
                    f" the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    def expand(self, batch_shape, _instance=None):
        """Return the distribution with its parameters expanded to a batch shape.

        Parameters
        ----------
        batch_shape : Size
            Shape to which the current one broadcasts.
        _instance : Distribution, optional
            New instance of a subclass, which receives the parameters.

        Returns
        -------
        Distribution
            Distribution of that batch shape; parameters are views.

        Examples
        --------
        >>> from quern import torch
        >>> torch.distributions.Normal(0.0, 1.0).expand((2, 3)).batch_shape
        torch.Size([2, 3])
        """
        raise NotImplementedError

    @property
    def batch_shape(self):
        """Shape of independent distributions."""
        return self._batch_shape

    @property
    def event_shape(self):
        """Shape of one value."""
        return self._event_shape

    @property
    def arg_constraints(self):
        """Constraints of the parameters, by name."""
        raise NotImplementedError

    @property
    def support(self):
        """Constraint of the values."""
        raise NotImplementedError

    @property
    def mean(self):
        """Mean."""
        raise NotImplementedError

    @property
    def mode(self):
        """Value with the largest density or probability."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self):
        """Variance."""
        raise NotImplementedError

    @property
    def stddev(self):
        """Standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples, without gradients: shape `sample_shape`, then the batch shape and the event shape."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples through which gradients reach the parameters."""
        raise NotImplementedError

    def sample_n(self, n):
        """Return `n` samples; deprecated, as in PyTorch."""
        warn_user("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning)
        return self.sample(torch.Size((n,)))

    def log_prob(self, value):
        """Return the logarithm of the density or probability at a value."""
        raise NotImplementedError

    def cdf(self, value):
        """Return the probability of values up to this one."""
        raise NotImplementedError

    def icdf(self, value):
        """Return the quantile of a probability."""
        raise NotImplementedError

    def enumerate_support(self, expand=True):
        """Return all values of a discrete distribution along a first dimension."""
        raise NotImplementedError

    def entropy(self):
        """Return the entropy in nats."""
        raise NotImplementedError

    def perplexity(self):
        """Return the exponential of the entropy."""
        return torch.exp(self.entropy())

    def _extended_shape(self, sample_shape=torch.Size()):  # noqa: B008
        return torch.Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _check(self, value):
        """Raises ValueError for a value that the distribution does not have, where it is checked."""
        if self._validate_args:
            self._validate_sample(value)

    def _validate_sample(self, value):
        if not isinstance(value, torch.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape, expected = value.size(), self._batch_shape + self._event_shape
        start = len(shape) - len(self._event_shape)
        if shape[start:] != self._event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {shape} vs {self._event_shape}.")
        for i, j in zip(reversed(shape), reversed(expected), strict=False):
            if i != 1 and j != 1 and i != j:
                raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}.")
        try:
            support = self.support
        except NotImplementedError:
            warn_user(
                f"{type(self)} does not define `support` to enable sample validation. Please initialize the distribution with"
                " `validate_args=False` to turn off validation."
            )
            return
        if not support.check(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(shape)}) to be within the support ({support!r}) of the"
                f" distribution {self!r}, but found invalid values:\n{value}"
            )

    def _get_checked_instance(self, cls, _instance=None):
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also define a custom"
                " .expand() method."
            )
        return self.__new__(type(self)) if _instance is None else _instance

    def __repr__(self):
        kept = [(name, self.__dict__[name]) for name in self.arg_constraints if name in self.__dict__]
        return f"{type(self).__name__}({', '.join(f'{name}: {v if v.numel() == 1 else v.size()}' for name, v in kept)})"


def expand_parameters(self, batch_shape, _instance=None):
    """``expand`` of distributions whose parameters are tensors of the batch shape, perhaps with the dimensions of one value behind it.

    Other attributes are shared, but for lazy ones, which are computed anew.
    """
    home = next(kind for kind in type(self).__mro__ if "expand" in vars(kind))
    new = self._get_checked_instance(home, _instance)
    batch_shape, dropped = torch.Size(batch_shape), len(self._batch_shape)
    for name, value in self.__dict__.items():
        if name in self.arg_constraints:
            value = value.expand(batch_shape + value.shape[dropped:])
        elif isinstance(getattr(type(self), name, None), lazy_property):
            continue
        setattr(new, name, value)
    Distribution.__init__(new, batch_shape, self._event_shape, validate_args=False)
    new._validate_args = self._validate_args
    return new


def by_value(values, batch_shape, expand):
    """All values of a discrete distribution, along a first dimension in front of those of a batch."""
    values = values.view((-1,) + (1,) * len(batch_shape))
    return values.expand((-1, *batch_shape)) if expand else values


class ExponentialFamily(Distribution):
    """Base class of exponential families, whose entropy follows from their natural parameters and log normalizer.

    Parameters
    ----------
    batch_shape : Size, optional
        Shape of independent distributions with parameters of their own.
    event_shape : Size, optional
        Shape of one value.
    validate_args : bool, optional
        Whether parameters and values are checked; by default they are.

    Examples
    --------
    >>> from quern import torch
    >>> isinstance(torch.distributions.Gamma(1.0, 1.0), torch.distributions.ExponentialFamily)
    True
    """

    @property
    def _natural_params(self):
        raise NotImplementedError

    def _log_normalizer(self, *natural_params):
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self):
        raise NotImplementedError

    def entropy(self):
        """Return the entropy in nats, by the gradient of the log normalizer."""
        parameters = [p.detach().requires_grad_() for p in self._natural_params]
        normalizer = self._log_normalizer(*parameters)
        slopes = autograd.grad(normalizer.sum(), parameters, create_graph=True)
        result = normalizer - self._mean_carrier_measure
        for parameter, slope in zip(parameters, slopes, strict=False):
            result = result - (parameter * slope).reshape(self._batch_shape + (-1,)).sum(-1)
        return result
