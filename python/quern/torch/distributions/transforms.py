"""Transforms of random variables: those of numbers, vectors and matrices, and those made of other transforms or of a distribution."""

from quern.torch import _namespace as torch
from quern.torch.distributions import constraints
from quern.torch.distributions._plain_transforms import *  # noqa: F403
from quern.torch.distributions._plain_transforms import Transform
from quern.torch.distributions._plain_transforms import __all__ as _plain
from quern.torch.distributions.utils import lazy_property, sum_rightmost

__all__ = sorted((*_plain, *"CatTransform CumulativeDistributionTransform IndependentTransform ReshapeTransform StackTransform".split()))


class IndependentTransform(Transform):
    """Transform whose last dimensions are one value: the logarithm of its derivative is summed over them.

    Parameters
    ----------
    base_transform : Transform
        Transform of the elements.
    reinterpreted_batch_ndims : int
        How many dimensions become dimensions of one value.
    cache_size : int, optional
        1 keeps the last argument and its value.

    Examples
    --------
    >>> from quern import torch
    >>> d = torch.distributions
    >>> x = torch.ones(2)
    >>> d.IndependentTransform(d.ExpTransform(), 1).log_abs_det_jacobian(x, x.exp())
    tensor(2.)
    """

    def __init__(self, base_transform, reinterpreted_batch_ndims, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def with_cache(self, cache_size=1):
        """Return the transform with a cache of that size."""
        if self._cache_size == cache_size:
            return self
        return IndependentTransform(self.base_transform, self.reinterpreted_batch_ndims, cache_size=cache_size)

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        """Constraint of the arguments."""
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        """Constraint of the values."""
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self):
        """Whether the base is bijective."""
        return self.base_transform.bijective

    @property
    def sign(self):
        """Sign of the base."""
        return self.base_transform.sign

    def _call(self, x):
        return self._applied(self.base_transform, x, self.domain)

    def _inverse(self, y):
        return self._applied(self.base_transform.inv, y, self.codomain)

    def _applied(self, transform, value, constraint):
        if value.dim() < constraint.event_dim:
            raise ValueError("Too few dimensions on input")
        return transform(value)

    def log_abs_det_jacobian(self, x, y):
        """Return the sum of the base's logarithms."""
        return sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def __repr__(self):
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"

    def forward_shape(self, shape):
        """Return the shape of the value of an argument of a shape."""
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape):
        """Return the shape of the argument of a value of a shape."""
        return self.base_transform.inverse_shape(shape)


class ReshapeTransform(Transform):
    """Transform that changes the shape of one value.

    Parameters
    ----------
    in_shape : Size
        Shape of one argument.
    out_shape : Size
        Shape of its value.
    cache_size : int, optional
        1 keeps the last argument and its value.

    Raises
    ------
    ValueError
        For shapes with different numbers of elements.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.ReshapeTransform((4,), (2, 2))(torch.zeros(3, 4)).shape
    torch.Size([3, 2, 2])
    """

    bijective = True

    def __init__(self, in_shape, out_shape, cache_size=0):
        self.in_shape, self.out_shape = torch.Size(in_shape), torch.Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    @constraints.dependent_property
    def domain(self):
        """Constraint of the arguments."""
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self):
        """Constraint of the values."""
        return constraints.independent(constraints.real, len(self.out_shape))

    def with_cache(self, cache_size=1):
        """Return the transform with a cache of that size."""
        return self if self._cache_size == cache_size else ReshapeTransform(self.in_shape, self.out_shape, cache_size=cache_size)

    def _call(self, x):
        return x.reshape(x.shape[: x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y):
        return y.reshape(y.shape[: y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x, y):
        """Return zeros."""
        return x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])

    def _changed(self, shape, before, after):
        if len(shape) < len(before):
            raise ValueError("Too few dimensions on input")
        cut = len(shape) - len(before)
        if shape[cut:] != before:
            raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {before}")
        return shape[:cut] + after

    def forward_shape(self, shape):
        """Return the shape of the value of an argument of a shape."""
        return self._changed(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape):
        """Return the shape of the argument of a value of a shape."""
        return self._changed(shape, self.out_shape, self.in_shape)


class _OfParts(Transform):
    """Transforms of the parts of a tensor along a dimension."""

    def __init__(self, tseq, dim, cache_size):
        tseq = list(tseq)
        if not all(isinstance(t, Transform) for t in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms = [t.with_cache(cache_size) for t in tseq] if cache_size else tseq
        self.dim = dim

    @property
    def bijective(self):
        """Whether all parts are bijective."""
        return all(t.bijective for t in self.transforms)

    def _check(self, count, said, **values):
        for name, value in values.items():
            if not -value.dim() <= self.dim < value.dim():
                raise AssertionError(f"dim {self.dim} out of range for {name} with {value.dim()} dimensions")
            if value.size(self.dim) != count:
                raise AssertionError(f"{name}.size({self.dim}) = {value.size(self.dim)} must equal {said} {count}")


class CatTransform(_OfParts):
    """Transforms of consecutive parts along a dimension.

    Parameters
    ----------
    tseq : list of Transform
        Transforms, one for each part.
    dim : int, optional
        Dimension of the parts.
    lengths : list of int, optional
        Length of each part, by default 1.
    cache_size : int, optional
        1 keeps the last argument and its value.

    Examples
    --------
    >>> from quern import torch
    >>> d = torch.distributions
    >>> d.CatTransform([d.ExpTransform(), d.identity_transform], lengths=[1, 2])(torch.zeros(3))
    tensor([1., 0., 0.])
    """

    def __init__(self, tseq, dim=0, lengths=None, cache_size=0):
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")

    @lazy_property
    def event_dim(self):
        """Dimensions of one value."""
        return max(t.event_dim for t in self.transforms)

    @lazy_property
    def length(self):
        """Sum of the lengths."""
        return sum(self.lengths)

    def with_cache(self, cache_size=1):
        """Return the transform with a cache of that size."""
        return self if self._cache_size == cache_size else CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _call(self, x):
        self._check(self.length, "length", x=x)
        return torch.cat([t(part) for t, part in zip(self.transforms, x.split(self.lengths, self.dim), strict=False)], dim=self.dim)

    def _inverse(self, y):
        self._check(self.length, "length", y=y)
        return torch.cat([t.inv(part) for t, part in zip(self.transforms, y.split(self.lengths, self.dim), strict=False)], dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        """Return the parts' logarithms, or their sum where the dimension belongs to one value."""
        self._check(self.length, "length", x=x, y=y)
        terms = []
        for t, before, after in zip(self.transforms, x.split(self.lengths, self.dim), y.split(self.lengths, self.dim), strict=False):
            terms.append(sum_rightmost(t.log_abs_det_jacobian(before, after), max(self.event_dim - t.event_dim, 0)))
        dim = (self.dim - x.dim() if self.dim >= 0 else self.dim) + self.event_dim
        return torch.cat(terms, dim=dim) if dim < 0 else sum(terms)

    @constraints.dependent_property
    def domain(self):
        """Constraint of the arguments."""
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self):
        """Constraint of the values."""
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(_OfParts):
    """Transforms of the slices along a dimension, one for each.

    Parameters
    ----------
    tseq : list of Transform
        Transforms, one for each slice.
    dim : int, optional
        Dimension of the slices.
    cache_size : int, optional
        1 keeps the last argument and its value.

    Examples
    --------
    >>> from quern import torch
    >>> d = torch.distributions
    >>> d.StackTransform([d.ExpTransform(), d.identity_transform])(torch.zeros(2))
    tensor([1., 0.])
    """

    def __init__(self, tseq, dim=0, cache_size=0):
        super().__init__(tseq, dim, cache_size)

    def with_cache(self, cache_size=1):
        """Return the transform with a cache of that size."""
        return self if self._cache_size == cache_size else StackTransform(self.transforms, self.dim, cache_size)

    def _call(self, x):
        self._check(len(self.transforms), "len(transforms)", x=x)
        return torch.stack([t(part) for t, part in zip(self.transforms, x.unbind(self.dim), strict=False)], dim=self.dim)

    def _inverse(self, y):
        self._check(len(self.transforms), "len(transforms)", y=y)
        return torch.stack([t.inv(part) for t, part in zip(self.transforms, y.unbind(self.dim), strict=False)], dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        """Return the slices' logarithms, stacked."""
        self._check(len(self.transforms), "len(transforms)", x=x, y=y)
        slices = zip(self.transforms, x.unbind(self.dim), y.unbind(self.dim), strict=False)
        return torch.stack([t.log_abs_det_jacobian(before, after) for t, before, after in slices], dim=self.dim)

    @constraints.dependent_property
    def domain(self):
        """Constraint of the arguments."""
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self):
        """Constraint of the values."""
        return constraints.stack([t.codomain for t in self.transforms], self.dim)


class CumulativeDistributionTransform(Transform):
    """Transform of values of a distribution into their probabilities: its ``cdf``.

    Parameters
    ----------
    distribution : Distribution
        Distribution with ``cdf``, ``icdf`` and ``log_prob``.
    cache_size : int, optional
        1 keeps the last argument and its value.

    Examples
    --------
    >>> from quern import torch
    >>> d = torch.distributions
    >>> d.CumulativeDistributionTransform(d.Normal(0.0, 1.0))(torch.tensor(0.0))
    tensor(0.5000)
    """

    bijective = True
    codomain = constraints.unit_interval
    sign = +1

    def __init__(self, distribution, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self):
        """Support of the distribution."""
        return self.distribution.support

    def _call(self, x):
        return self.distribution.cdf(x)

    def _inverse(self, y):
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x, y):
        """Return the logarithm of the density."""
        return self.distribution.log_prob(x)

    def with_cache(self, cache_size=1):
        """Return the transform with a cache of that size."""
        return self if self._cache_size == cache_size else CumulativeDistributionTransform(self.distribution, cache_size=cache_size)
