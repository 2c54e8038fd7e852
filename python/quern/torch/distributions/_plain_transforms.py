"""Transforms of random variables: a function, its inverse where it has one, and the logarithm of its derivative's size.

Start reading at Transform. ``transforms.py`` adds those made of other transforms or of a distribution.
"""

import functools
import math
import operator
import weakref

from quern.torch import _namespace as torch
from quern.torch import linalg
from quern.torch.distributions import constraints
from quern.torch.distributions.utils import broadcast_all, is_number, lazy_property, sum_rightmost, tril_matrix_to_vec, vec_to_tril_matrix
from quern.torch.nn.functional import logsigmoid, pad, softplus

__all__ = """AbsTransform AffineTransform ComposeTransform CorrCholeskyTransform ExpTransform LowerCholeskyTransform
    PositiveDefiniteTransform PowerTransform SigmoidTransform SoftmaxTransform SoftplusTransform StickBreakingTransform TanhTransform
    Transform identity_transform""".split()


class Transform:
    """Base class of transforms: a function of tensors with the logarithm of its derivative's size.

    Parameters
    ----------
    cache_size : int, optional
        1 keeps the last argument and its value, so that the inverse of that value is the argument itself; 0 keeps nothing.

    Raises
    ------
    ValueError
        For another `cache_size`.

    Examples
    --------
    >>> from quern import torch
    >>> transform = torch.distributions.ExpTransform()
    >>> transform.inv(transform(torch.tensor([0.0])))
    tensor([0.])
    """

    bijective = False

    def __init__(self, cache_size=0):
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size, self._inv = cache_size, None
        if cache_size:
            self._cached_x_y = None, None

    def __getstate__(self):
        return {**self.__dict__, "_inv": None}

    @property
    def event_dim(self):
        """Dimensions of one value, where the argument and the result have as many."""
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self):
        """Inverse of the transform."""
        inverse = self._inv() if isinstance(self._inv, weakref.ref) else self._inv
        if inverse is None:
            inverse = _InverseTransform(self)
            self._inv = weakref.ref(inverse)
        return inverse

    @property
    def sign(self):
        """Sign of the derivative of a transform of numbers."""
        raise NotImplementedError

    def with_cache(self, cache_size=1):
        """Return the transform with a cache of that size."""
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__

    def __call__(self, x):
        if self._cache_size and x is self._cached_x_y[0]:
            return self._cached_x_y[1]
        y = self._call(x)
        if self._cache_size:
            self._cached_x_y = x, y
        return y

    def _inv_call(self, y):
        if self._cache_size and y is self._cached_x_y[1]:
            return self._cached_x_y[0]
        x = self._inverse(y)
        if self._cache_size:
            self._cached_x_y = x, y
        return x

    def _call(self, x):
        raise NotImplementedError

    def _inverse(self, y):
        raise NotImplementedError

    def log_abs_det_jacobian(self, x, y):
        """Return the logarithm of the size of the derivative's determinant at the argument `x` with the value `y`."""
        raise NotImplementedError

    def __repr__(self):
        return f"{type(self).__name__}()"

    def forward_shape(self, shape):
        """Return the shape of the value of an argument of a shape."""
        return shape

    def inverse_shape(self, shape):
        """Return the shape of the argument of a value of a shape."""
        return shape


class _InverseTransform(Transform):
    """The inverse of a transform."""

    def __init__(self, transform):
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    def __getstate__(self):
        return self.__dict__

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return self._inv.codomain

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        return self._inv.domain

    @property
    def bijective(self):
        return self._inv.bijective

    @property
    def sign(self):
        return self._inv.sign

    @property
    def inv(self):
        return self._inv

    def with_cache(self, cache_size=1):
        return self._inv.with_cache(cache_size).inv

    def __eq__(self, other):
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    __hash__ = object.__hash__

    def __repr__(self):
        return f"{type(self).__name__}({self._inv!r})"

    def __call__(self, x):
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x, y):
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape):
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape):
        return self._inv.forward_shape(shape)


class ComposeTransform(Transform):
    """Transforms that are applied one after another.

    Parameters
    ----------
    parts : list of Transform
        Transforms, the first one applied first.
    cache_size : int, optional
        Size of the caches of the parts, 0 or 1.

    Examples
    --------
    >>> from quern import torch
    >>> d = torch.distributions
    >>> d.ComposeTransform([d.AffineTransform(1.0, 2.0), d.ExpTransform()])(torch.tensor([-0.5]))
    tensor([1.])
    """

    def __init__(self, parts, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts

    def __eq__(self, other):
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__ = object.__hash__

    def _event_dim(self, parts, first, last):
        """How many dimensions one value must have at the end of parts where that ``first`` names begins, all parts considered."""
        dims = getattr(parts[0], first).event_dim
        for part in parts:
            dims += getattr(part, last).event_dim - getattr(part, first).event_dim
            dims = max(dims, getattr(part, last).event_dim)
        return dims

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        """Constraint of the arguments."""
        if not self.parts:
            return constraints.real
        domain = self.parts[0].domain
        more = self._event_dim(self.parts[::-1], "codomain", "domain") - domain.event_dim
        return constraints.independent(domain, more) if more else domain

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        """Constraint of the values."""
        if not self.parts:
            return constraints.real
        codomain = self.parts[-1].codomain
        more = self._event_dim(self.parts, "domain", "codomain") - codomain.event_dim
        return constraints.independent(codomain, more) if more else codomain

    @lazy_property
    def bijective(self):
        """Whether all parts are bijective."""
        return all(part.bijective for part in self.parts)

    @lazy_property
    def sign(self):
        """Product of the parts' signs."""
        return functools.reduce(operator.mul, (part.sign for part in self.parts), 1)

    @property
    def inv(self):
        """Inverse of the transform."""
        inverse = self._inv() if isinstance(self._inv, weakref.ref) else self._inv
        if inverse is None:
            inverse = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv, inverse._inv = weakref.ref(inverse), self
        return inverse

    def with_cache(self, cache_size=1):
        """Return the transform with caches of that size."""
        return self if self._cache_size == cache_size else ComposeTransform(self.parts, cache_size=cache_size)

    def __call__(self, x):
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x, y):
        """Return the sum of the parts' logarithms."""
        if not self.parts:
            return torch.zeros_like(x)
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        values.append(y)
        terms, event_dim = [], self.domain.event_dim
        for part, before, after in zip(self.parts, values[:-1], values[1:], strict=False):
            terms.append(sum_rightmost(part.log_abs_det_jacobian(before, after), event_dim - part.domain.event_dim))
            event_dim += part.codomain.event_dim - part.domain.event_dim
        return functools.reduce(operator.add, terms)

    def forward_shape(self, shape):
        """Return the shape of the value of an argument of a shape."""
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape):
        """Return the shape of the argument of a value of a shape."""
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self):
        return f"{type(self).__name__}(\n    " + ",\n    ".join(repr(part) for part in self.parts) + "\n)"


identity_transform = ComposeTransform([])


class _Elementwise(Transform):
    """A bijection of numbers without parameters: two of a class are equal."""

    domain = constraints.real
    bijective = True
    sign = +1

    def __eq__(self, other):
        return isinstance(other, type(self))

    __hash__ = object.__hash__


class ExpTransform(_Elementwise):
    """Transform y = exp(x).

    Parameters
    ----------
    cache_size : int, optional
        1 keeps the last argument and its value.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.ExpTransform()(torch.tensor([0.0]))
    tensor([1.])
    """

    codomain = constraints.positive

    def _call(self, x):
        return x.exp()

    def _inverse(self, y):
        return y.log()

    def log_abs_det_jacobian(self, x, y):
        """Return `x`."""
        return x


class SigmoidTransform(_Elementwise):
    """Transform y = 1 / (1 + exp(-x)).

    Parameters
    ----------
    cache_size : int, optional
        1 keeps the last argument and its value.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.SigmoidTransform()(torch.tensor([0.0]))
    tensor([0.5000])
    """

    codomain = constraints.unit_interval

    def _call(self, x):
        return _clipped_sigmoid(x)

    def _inverse(self, y):
        info = torch.finfo(y.dtype)
        y = y.clamp(min=info.tiny, max=1.0 - info.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x, y):
        """Return the logarithm of the derivative."""
        return -softplus(-x) - softplus(x)


def _clipped_sigmoid(x):
    info = torch.finfo(x.dtype)
    return torch.clamp(torch.sigmoid(x), min=info.tiny, max=1.0 - info.eps)


class SoftplusTransform(_Elementwise):
    """Transform y = log(1 + exp(x)).

    Parameters
    ----------
    cache_size : int, optional
        1 keeps the last argument and its value.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.SoftplusTransform()(torch.tensor([0.0]))
    tensor([0.6931])
    """

    codomain = constraints.positive

    def _call(self, x):
        return softplus(x)

    def _inverse(self, y):
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x, y):
        """Return the logarithm of the derivative."""
        return -softplus(-x)


class TanhTransform(_Elementwise):
    """Transform y = tanh(x).

    Parameters
    ----------
    cache_size : int, optional
        1 keeps the last argument and its value.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.TanhTransform()(torch.tensor([0.0]))
    tensor([0.])
    """

    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x):
        return x.tanh()

    def _inverse(self, y):
        return torch.atanh(y)

    def log_abs_det_jacobian(self, x, y):
        """Return the logarithm of the derivative, without cancellation."""
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AbsTransform(_Elementwise):
    """Transform y = abs(x), which has no inverse; that of `y` is `y`.

    Parameters
    ----------
    cache_size : int, optional
        1 keeps the last argument and its value.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.AbsTransform()(torch.tensor([-2.0]))
    tensor([2.])
    """

    codomain = constraints.positive
    bijective = False
    sign = Transform.sign

    def _call(self, x):
        return x.abs()

    def _inverse(self, y):
        return y


class _Broadcasting(Transform):
    """A transform with parameters that broadcast with its argument."""

    def _parameters(self):
        raise NotImplementedError

    def forward_shape(self, shape):
        return torch.broadcast_shapes(shape, *(getattr(one, "shape", ()) for one in self._parameters()))

    inverse_shape = forward_shape


class PowerTransform(_Broadcasting):
    """Transform y = x ** exponent.

    Parameters
    ----------
    exponent : Tensor or float
        Exponent.
    cache_size : int, optional
        1 keeps the last argument and its value.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.PowerTransform(2.0)(torch.tensor([3.0]))
    tensor([9.])
    """

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent, cache_size=0):
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    def _parameters(self):
        return (self.exponent,)

    def with_cache(self, cache_size=1):
        """Return the transform with a cache of that size."""
        return self if self._cache_size == cache_size else PowerTransform(self.exponent, cache_size=cache_size)

    @lazy_property
    def sign(self):
        """Sign of the exponent."""
        return self.exponent.sign()

    def __eq__(self, other):
        return isinstance(other, PowerTransform) and self.exponent.eq(other.exponent).all().item()

    __hash__ = object.__hash__

    def _call(self, x):
        return x.pow(self.exponent)

    def _inverse(self, y):
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x, y):
        """Return the logarithm of the derivative's size."""
        return (self.exponent * y / x).abs().log()


class AffineTransform(_Broadcasting):
    """Transform y = loc + scale * x.

    Parameters
    ----------
    loc : Tensor or float
        Summand.
    scale : Tensor or float
        Factor.
    event_dim : int, optional
        Dimensions of one value; 0 for numbers, 1 for vectors.
    cache_size : int, optional
        1 keeps the last argument and its value.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.AffineTransform(1.0, 2.0)(torch.tensor([3.0]))
    tensor([7.])
    """

    bijective = True

    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    def _parameters(self):
        return self.loc, self.scale

    @property
    def event_dim(self):
        """Dimensions of one value."""
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        """Constraint of the arguments."""
        return constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real

    codomain = domain

    def with_cache(self, cache_size=1):
        """Return the transform with a cache of that size."""
        return self if self._cache_size == cache_size else AffineTransform(self.loc, self.scale, self.event_dim, cache_size=cache_size)

    def __eq__(self, other):
        if not isinstance(other, AffineTransform):
            return False
        pairs = zip(self._parameters(), other._parameters(), strict=False)
        return all(a == b if is_number(a) and is_number(b) else (a == b).all().item() for a, b in pairs)

    __hash__ = object.__hash__

    @property
    def sign(self):
        """Sign of the factor."""
        return (self.scale > 0) - (self.scale < 0) if is_number(self.scale) else self.scale.sign()

    def _call(self, x):
        return self.loc + self.scale * x

    def _inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x, y):
        """Return the logarithm of the factor's size."""
        shape, scale = x.shape, self.scale
        result = torch.full_like(x, math.log(abs(scale))) if is_number(scale) else torch.abs(scale).log()
        if self.event_dim:
            result, shape = sum_rightmost(result, self.event_dim), shape[: -self.event_dim]
        return result.expand(shape)


class _OfVectors(Transform):
    """A transform of vectors without parameters: two of a class are equal."""

    domain = constraints.real_vector
    _least = 1

    def __eq__(self, other):
        return isinstance(other, type(self))

    __hash__ = object.__hash__

    def _check_dimensions(self, shape):
        if len(shape) < self._least:
            raise ValueError("Too few dimensions on input")

    def forward_shape(self, shape):
        self._check_dimensions(shape)
        return shape

    inverse_shape = forward_shape


class SoftmaxTransform(_OfVectors):
    """Transform y = softmax(x) along the last dimension, which has no unique inverse: log(y) is one argument.

    Parameters
    ----------
    cache_size : int, optional
        1 keeps the last argument and its value.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.SoftmaxTransform()(torch.zeros(2))
    tensor([0.5000, 0.5000])
    """

    codomain = constraints.simplex

    def _call(self, x):
        return torch.softmax(x, -1)

    def _inverse(self, y):
        return y.log()


class StickBreakingTransform(_OfVectors):
    """Transform of N numbers into N + 1 positive ones of sum 1: each number says how much of the rest of a stick is broken off.

    Parameters
    ----------
    cache_size : int, optional
        1 keeps the last argument and its value.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.StickBreakingTransform()(torch.zeros(1))
    tensor([0.5000, 0.5000])
    """

    codomain = constraints.simplex
    bijective = True

    def _offset(self, like, count):
        """The logarithms of how many pieces are left: with 0, all pieces are equal."""
        return torch.arange(count, 0, -1, dtype=like.dtype, device=like.device).log()

    def _call(self, x):
        taken = _clipped_sigmoid(x - self._offset(x, x.shape[-1]))
        rest = (1 - taken).cumprod(-1)
        return pad(taken, [0, 1], value=1) * pad(rest, [1, 0], value=1)

    def _inverse(self, y):
        pieces = y[..., :-1]
        rest = torch.clamp(1 - pieces.cumsum(-1), min=torch.finfo(y.dtype).tiny)
        return pieces.log() - rest.log() + self._offset(y, pieces.shape[-1])

    def log_abs_det_jacobian(self, x, y):
        """Return the logarithm of the determinant."""
        x = x - self._offset(x, x.shape[-1])
        return (-x + logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape):
        """Return the shape with one more number."""
        self._check_dimensions(shape)
        return shape[:-1] + (shape[-1] + 1,)

    def inverse_shape(self, shape):
        """Return the shape with one number less."""
        self._check_dimensions(shape)
        return shape[:-1] + (shape[-1] - 1,)


class LowerCholeskyTransform(_OfVectors):
    """Transform of square matrices into lower triangular ones with a positive diagonal.

    Parameters
    ----------
    cache_size : int, optional
        1 keeps the last argument and its value.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.LowerCholeskyTransform()(torch.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky
    _least = 0

    def _call(self, x):
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y):
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(_OfVectors):
    """Transform of square matrices into positive definite ones: the products of Cholesky factors.

    Parameters
    ----------
    cache_size : int, optional
        1 keeps the last argument and its value.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.PositiveDefiniteTransform()(torch.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite
    _least = 0

    def _call(self, x):
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y):
        return LowerCholeskyTransform().inv(linalg.cholesky(y))


class CorrCholeskyTransform(Transform):
    """Transform of D (D - 1) / 2 numbers into the Cholesky factor of a D x D correlation matrix.

    Parameters
    ----------
    cache_size : int, optional
        1 keeps the last argument and its value.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.CorrCholeskyTransform()(torch.zeros(1))
    tensor([[1., 0.],
            [0., 1.]])
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x):
        x = torch.tanh(x)
        eps = torch.finfo(x.dtype).eps
        lower = vec_to_tril_matrix(x.clamp(min=-1 + eps, max=1 - eps), diag=-1)
        rest = (1 - lower**2).sqrt().cumprod(-1)  # of each row's length, behind each element
        lower = lower + torch.eye(lower.shape[-1], dtype=lower.dtype, device=lower.device)
        return lower * pad(rest[..., :-1], [1, 0], value=1)

    def _inverse(self, y):
        rest = pad(1 - torch.cumsum(y * y, dim=-1)[..., :-1], [1, 0], value=1)
        t = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(rest, diag=-1).sqrt()
        return (t.log1p() - t.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x, y, intermediates=None):
        """Return the logarithm of the determinant."""
        rest = tril_matrix_to_vec(1 - (y * y).cumsum(dim=-1), diag=-2)
        return 0.5 * rest.log().sum(-1) - 2 * (x + softplus(-2 * x) - math.log(2.0)).sum(dim=-1)

    def forward_shape(self, shape):
        """Return the shape of the matrices."""
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        side = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if side * (side - 1) // 2 != shape[-1]:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return shape[:-1] + (side, side)

    def inverse_shape(self, shape):
        """Return the shape of the vectors."""
        if len(shape) < 2:
            raise ValueError("Too few dimensions on input")
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return shape[:-2] + (shape[-1] * (shape[-1] - 1) // 2,)
