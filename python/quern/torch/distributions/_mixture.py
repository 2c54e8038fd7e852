"""Mixtures of distributions of one family."""

from quern.torch import _namespace as torch
from quern.torch.distributions import constraints
from quern.torch.distributions._categorical import Categorical
from quern.torch.distributions.distribution import Distribution


class MixtureSameFamily(Distribution):
    """Mixture of K distributions of one family, which are the last batch dimension of one instance.

    Parameters
    ----------
    mixture_distribution : Categorical
        Distribution of the component.
    component_distribution : Distribution
        Components, of batch shape (..., K).
    validate_args : bool, optional
        Whether values are checked.

    Raises
    ------
    ValueError
        For another mixture distribution, or batch shapes that do not fit.

    Examples
    --------
    >>> from quern import torch
    >>> d = torch.distributions
    >>> mixture = d.MixtureSameFamily(d.Categorical(torch.ones(2)), d.Normal(torch.tensor([-1.0, 1.0]), 1.0))
    >>> mixture.mean, mixture.variance
    (tensor(0.), tensor(2.))
    """

    arg_constraints = {}
    has_rsample = False

    def __init__(self, mixture_distribution, component_distribution, validate_args=None):
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution need to be an instance of torch.distributions.Distribution")
        batch, components = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        for n, m in zip(reversed(batch), reversed(components), strict=False):
            if n != 1 and m != 1 and n != m:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({batch}) is not compatible with "
                    f"`component_distribution.batch_shape`({components})"
                )
        count, others = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if count != others:
            raise ValueError(
                f"`mixture_distribution component` ({count}) does not equal `component_distribution.batch_shape[-1]` ({others})"
            )
        self._mixture_distribution, self._component_distribution, self._num_component = (
            mixture_distribution,
            component_distribution,
            others,
        )
        super().__init__(components, component_distribution.event_shape, validate_args)

    def expand(self, batch_shape, _instance=None):
        """Return the distribution expanded to a batch shape."""
        new = self._get_checked_instance(MixtureSameFamily, _instance)
        batch_shape = torch.Size(batch_shape)
        new._component_distribution = self._component_distribution.expand(batch_shape + (self._num_component,))
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        new._num_component = self._num_component
        event_shape = new._component_distribution.event_shape
        Distribution.__init__(new, batch_shape, event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @constraints.dependent_property
    def support(self):
        """Constraint of the values."""
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self):
        """Distribution of the component."""
        return self._mixture_distribution

    @property
    def component_distribution(self):
        """Components."""
        return self._component_distribution

    def _beside_events(self, x):
        return x.reshape(x.shape + (1,) * len(self._event_shape))

    def _averaged(self, values):
        """The mean over the components, by their probabilities."""
        return (self._beside_events(self.mixture_distribution.probs) * values).sum(dim=-1 - len(self._event_shape))

    @property
    def mean(self):
        """Mean."""
        return self._averaged(self.component_distribution.mean)

    @property
    def variance(self):
        """Variance: within the components and between their means."""
        apart = self.component_distribution.mean - self.mean.unsqueeze(-1 - len(self._event_shape))
        return self._averaged(self.component_distribution.variance) + self._averaged(apart.pow(2.0))

    def cdf(self, x):
        """Return the probability of values up to this one."""
        return torch.sum(self.component_distribution.cdf(x.unsqueeze(-1 - len(self._event_shape))) * self.mixture_distribution.probs, -1)

    def log_prob(self, x):
        """Return the logarithm of the density or probability at a value."""
        self._check(x)
        own = self.component_distribution.log_prob(x.unsqueeze(-1 - len(self._event_shape)))
        return torch.logsumexp(own + torch.log_softmax(self.mixture_distribution.logits, dim=-1), dim=-1)

    def sample(self, sample_shape=torch.Size()):  # noqa: B008
        """Return samples."""
        with torch.no_grad():
            axis = len(sample_shape) + len(self._batch_shape)
            places = self.mixture_distribution.sample(sample_shape)
            drawn = self.component_distribution.sample(sample_shape)
            places = places.expand(drawn.shape[:axis]).reshape(drawn.shape[:axis] + (1,) * (1 + len(self._event_shape)))
            places = places.expand(drawn.shape[:axis] + (1,) + self._event_shape)
            return torch.gather(drawn, axis, places).squeeze(axis)

    def __repr__(self):
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
