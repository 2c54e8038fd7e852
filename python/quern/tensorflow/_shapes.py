"""tf.TensorShape: the sizes of a tensor's axes, of which some, or even their number, may be unknown."""

import math
import operator

import numpy as np

from quern.tensorflow import errors as _errors


class Dimension:
    """The size of one axis, or None, as ``TensorShape.dims`` lists them."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"Dimension({self.value})"

    def __str__(self):
        return "?" if self.value is None else str(self.value)

    def __eq__(self, other):
        other = getattr(other, "value", other)
        return None if self.value is None or other is None else self.value == other

    __hash__ = None

    def __int__(self):
        return self.value

    __index__ = __int__


def _size(value):
    value = getattr(value, "value", value)  # a Dimension
    if value is None:
        return None
    try:
        n = operator.index(value)
    except TypeError:
        raise TypeError(
            f"Dimension value must be integer or None or have an __index__ method, got value '{value!r}' with type '{type(value)!r}'"
        ) from None
    if n < 0:
        raise ValueError(f"Dimension {n} must be >= 0")
    return n


class TensorShape(tuple):
    """The sizes of a tensor's axes; None for an unknown one, ``TensorShape(None)`` where the rank is unknown.

    A tuple, so that it goes wherever a shape goes; equal to lists of the same sizes, too.

    Examples
    --------
    >>> tf.TensorShape([None, 3]).is_compatible_with((2, 3))          # doctest: +SKIP
    True
    """

    _is_unknown = False

    def __new__(cls, dims):
        if type(dims) is cls:
            return dims
        if dims is None:
            shape = super().__new__(cls)
            shape._is_unknown = True
            return shape
        if hasattr(dims, "numpy"):
            dims = dims.numpy()
        if isinstance(dims, np.ndarray):
            dims = dims.tolist()
        if isinstance(dims, (str, bytes)) or not hasattr(dims, "__iter__"):
            dims = (dims,)
        return super().__new__(cls, map(_size, dims))

    @classmethod
    def _of(cls, sizes):
        """The shape of sizes that are known to be valid."""
        return tuple.__new__(cls, sizes)

    def __reduce__(self):
        return TensorShape, (None if self._is_unknown else list(self),)

    def __repr__(self):
        return f"TensorShape({None if self._is_unknown else list(self)})"

    def __str__(self):
        return "<unknown>" if self._is_unknown else tuple.__repr__(self)

    def __format__(self, spec):
        return format(str(self), spec)

    def __len__(self):
        if self._is_unknown:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return tuple.__len__(self)

    def __iter__(self):
        if self._is_unknown:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return tuple.__iter__(self)

    def __bool__(self):
        return not self._is_unknown

    def __getitem__(self, key):
        if self._is_unknown:
            return TensorShape(None) if isinstance(key, slice) else None
        found = tuple.__getitem__(self, key)
        return TensorShape._of(found) if type(key) is slice else found

    def __eq__(self, other):
        if type(other) is not TensorShape:
            if other is None or not isinstance(other, (tuple, list)):
                try:
                    other = TensorShape(other)
                except (TypeError, ValueError):
                    return NotImplemented
            else:
                return not self._is_unknown and tuple.__eq__(self, tuple(other))
        return self._is_unknown == other._is_unknown and tuple.__eq__(self, other)

    def __ne__(self, other):
        found = self.__eq__(other)
        return found if found is NotImplemented else not found

    __hash__ = tuple.__hash__

    def __add__(self, other):
        return self._joined(self, other)

    def __radd__(self, other):
        return self._joined(other, self)

    def _joined(self, first, second):
        if first is None or second is None or getattr(first, "_is_unknown", False) or getattr(second, "_is_unknown", False):
            return TensorShape(None)
        sizes = tuple(first) + tuple(second)
        if any(type(n) is int and n < 0 for n in sizes):  # "the size that is left", for reshape()
            return sizes
        return TensorShape(sizes)

    @property
    def rank(self):
        """The number of axes, or None."""
        return None if self._is_unknown else tuple.__len__(self)

    ndims = rank

    @property
    def dims(self):
        """The sizes as Dimensions, or None."""
        return None if self._is_unknown else [Dimension(n) for n in self]

    def as_list(self):
        """Return the sizes as a list."""
        if self._is_unknown:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self)

    def num_elements(self):
        """Return the number of elements, or None where a size is unknown."""
        return math.prod(self) if self.is_fully_defined() else None

    def is_fully_defined(self):
        """Return whether all sizes are known."""
        return not self._is_unknown and None not in tuple(self)

    def is_compatible_with(self, other):
        """Return whether a tensor can have both shapes."""
        other = TensorShape(other)
        if self._is_unknown or other._is_unknown:
            return True
        return len(self) == len(other) and all(None in (n, m) or n == m for n, m in zip(self, other, strict=True))

    def assert_is_compatible_with(self, other):
        """Raise ValueError unless a tensor can have both shapes."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def is_subtype_of(self, other):
        """Return whether each tensor of this shape has the other one, too."""
        other = TensorShape(other)
        if other._is_unknown:
            return True
        return self.rank == other.rank and all(m is None or n == m for n, m in zip(self, other, strict=True))

    def most_specific_compatible_shape(self, other):
        """Return the shape with None at each axis where the two differ."""
        other = TensorShape(other)
        if self._is_unknown or other._is_unknown or len(self) != len(other):
            return TensorShape(None)
        return TensorShape(n if n == m else None for n, m in zip(self, other, strict=True))

    def merge_with(self, other):
        """Return the shape with what is known of both."""
        other = TensorShape(other)
        if self._is_unknown or other._is_unknown:
            return other if self._is_unknown else self
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        return TensorShape(m if n is None else n for n, m in zip(self, other, strict=True))

    def concatenate(self, other):
        """Return the shape with the other one's axes after its own."""
        return TensorShape(self._joined(self, TensorShape(other)))

    def assert_same_rank(self, other):
        """Raise ValueError unless the ranks can be equal."""
        other = TensorShape(other)
        if None not in (self.rank, other.rank) and self.rank != other.rank:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def assert_has_rank(self, rank):
        """Raise ValueError unless the rank can be this one."""
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_is_fully_defined(self):
        """Raise ValueError where a size is unknown."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def with_rank(self, rank):
        """Return the shape, whose rank must be this one where it is known."""
        self.assert_has_rank(rank)
        return TensorShape([None] * rank) if self._is_unknown else self

    def with_rank_at_least(self, rank):
        """Return the shape, whose rank must not be lower."""
        if self.rank is not None and self.rank < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank):
        """Return the shape, whose rank must not be higher."""
        if self.rank is not None and self.rank > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self


@_errors.checked
def broadcast_static_shape(shape_x, shape_y):
    """Return the shape to which both broadcast."""
    x, y = TensorShape(shape_x), TensorShape(shape_y)
    if x._is_unknown or y._is_unknown:
        return TensorShape(None)
    sizes = []
    for i in range(1, max(len(x), len(y)) + 1):
        n, m = x[-i] if i <= len(x) else 1, y[-i] if i <= len(y) else 1
        if n is not None and m is not None and n != m and 1 not in (n, m):
            raise ValueError(f"Incompatible shapes for broadcasting: {x} and {y}")
        sizes.append(m if n == 1 else n if m in (1, None) else m)
    return TensorShape(sizes[::-1])
