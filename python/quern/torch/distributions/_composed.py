"""Distributions made of another one: transformed values, and batch dimensions as dimensions of one value."""

from quern.torch import _namespace as torch
from quern.torch.distributions import constraints
from quern.torch.distributions.distribution import Distribution
from quern.torch.distributions.transforms import ComposeTransform, Transform
from quern.torch.distributions.utils import sum_rightmost


class Independent(Distribution):
    """Distribution of several independent values as one value: log-probabilities are summed.

    Parameters
    ----------
    base_distribution : Distribution
        Distribution of the elements.
    reinterpreted_batch_ndims : int
        How many batch dimensions become dimensions of one value.
    validate_args : bool, optional
        Whether values are checked.

    Raises
    ------
    ValueError
        For more dimensions than the batch has.

    Examples
    --------
    >>> from quern import torch
    >>> d = torch.distributions
    >>> d.Independent(d.Normal(torch.zeros(3), 1.0), 1).log_prob(torch.zeros(3)).shape
    torch.Size([])
    """

    arg_constraints = {}

    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        batch = len(base_distribution.batch_shape)
        if reinterpreted_batch_ndims > batch:
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {reinterpreted_batch_ndims} vs {batch}"
            )
        shape = base_distribution.batch_shape + base_distribution.event_shape
        cut = batch - reinterpreted_batch_ndims
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, reinterpreted_batch_ndims
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """Return the distribution expanded to a batch shape."""
        new = self._get_checked_instance(Independent, _instance)
        batch_shape = torch.Size(batch_shape)
        new.base_dist = self.base_dist.expand(batch_shape + self.event_shape[: self.reinterpreted_batch_ndims])
        new.reinterpreted_batch_ndims = self.reinterpreted_batch_ndims
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def has_rsample(self):
        """Whether samples have gradients."""
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self):
        """Whether all values can be listed."""
        return False if self.reinterpreted_batch_ndims > 0 else self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self):
        """Constraint of the values."""
        support = self.base_dist.support
        return constraints.independent(support, self.reinterpreted_batch_ndims) if self.reinterpreted_batch_ndims else support

    @property
    def mean(self):
        """Mean."""
        return self.base_dist.mean

    @property
    def mode(self):
        """Mode."""
        return self.base_dist.mode

    @property
    def variance(self):
        """Variance."""
        return self.base_dist.variance

    def sample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples."""
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples through which gradients reach the parameters."""
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value):
        """Return the sum of the elements' log-probabilities."""
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self):
        """Return the sum of the elements' entropies."""
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand=True):
        """Return all values; only without reinterpreted dimensions."""
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self):
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"


class TransformedDistribution(Distribution):
    """Distribution of the transformed values of another one.

    Parameters
    ----------
    base_distribution : Distribution
        Distribution of the values before the transforms.
    transforms : Transform or list of Transform
        Transforms, the first one applied first.
    validate_args : bool, optional
        Whether values are checked.

    Raises
    ------
    ValueError
        For other `transforms`, or a base with too few dimensions.

    Examples
    --------
    >>> from quern import torch
    >>> d = torch.distributions
    >>> d.TransformedDistribution(d.Normal(0.0, 1.0), d.ExpTransform()).log_prob(torch.tensor(1.0))
    tensor(-0.9189)
    """

    arg_constraints = {}

    def __init__(self, base_distribution, transforms, validate_args=None):
        self.transforms = self._list_of(transforms)
        transform = ComposeTransform(self.transforms)
        domain, codomain = transform.domain.event_dim, transform.codomain.event_dim
        shape, base_event_dim = base_distribution.batch_shape + base_distribution.event_shape, len(base_distribution.event_shape)
        if len(shape) < domain:
            raise ValueError(f"base_distribution needs to have shape with size at least {domain}, but got {shape}.")
        forward_shape = transform.forward_shape(shape)
        expanded = transform.inverse_shape(forward_shape)
        if shape != expanded:
            base_distribution = base_distribution.expand(expanded[: len(expanded) - base_event_dim])
        if domain > base_event_dim:
            base_distribution = Independent(base_distribution, domain - base_event_dim)
        self.base_dist = base_distribution
        cut = len(forward_shape) - max(codomain, base_event_dim + codomain - domain)
        super().__init__(forward_shape[:cut], forward_shape[cut:], validate_args=validate_args)

    @staticmethod
    def _list_of(transforms):
        if isinstance(transforms, Transform):
            return [transforms]
        if not isinstance(transforms, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        if not all(isinstance(t, Transform) for t in transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        return transforms

    def expand(self, batch_shape, _instance=None):
        """Return the distribution expanded to a batch shape."""
        new = self._get_checked_instance(TransformedDistribution, _instance)
        batch_shape = torch.Size(batch_shape)
        shape = batch_shape + self.event_shape
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        new.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        new.transforms = self.transforms
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @constraints.dependent_property(is_discrete=False)
    def support(self):
        """Constraint of the values."""
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        more = len(self.event_shape) - support.event_dim
        return constraints.independent(support, more) if more > 0 else support

    @property
    def has_rsample(self):
        """Whether samples have gradients."""
        return self.base_dist.has_rsample

    def _transformed(self, x):
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples."""
        with torch.no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples through which gradients reach the parameters."""
        return self._transformed(self.base_dist.rsample(sample_shape))

    def log_prob(self, value):
        """Return the logarithm of the density at a value."""
        self._check(value)
        event_dim, result = len(self.event_shape), 0.0
        for transform in reversed(self.transforms):
            x = transform.inv(value)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            result = result - sum_rightmost(transform.log_abs_det_jacobian(x, value), event_dim - transform.domain.event_dim)
            value = x
        return result + sum_rightmost(self.base_dist.log_prob(value), event_dim - len(self.base_dist.event_shape))

    def _rising(self, value):
        """The probability p, or 1 - p where the transforms fall."""
        sign = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value):
        """Return the probability of values up to this one."""
        for transform in self.transforms[::-1]:
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._rising(self.base_dist.cdf(value))

    def icdf(self, value):
        """Return the quantile of a probability."""
        return self._transformed(self.base_dist.icdf(self._rising(value)))
