"""``array.flat``: the elements in C order, however they lie in memory."""

import operator

import numpy

from quern.arrays.core import Array, asarray
from quern.arrays.manipulation.arranging import resize
from quern.arrays.objects import described


class flatiter:  # noqa: N801
    """The elements of an array in C order: ``array.flat``. It can be iterated, indexed and assigned to.

    An index is an integer, a slice, an array of integers or of bools. What is assigned is repeated or cut to the elements that are picked.

    Examples
    --------
    >>> import quern as qn
    >>> x = qn.zeros((2, 2)).T
    >>> x.flat[1:3] = [1, 2]
    >>> x
    array([[0., 1.],
           [2., 0.]])
    """

    def __init__(self, a):
        self._array, self._next = a, 0

    base = property(lambda self: self._array, doc="The array.")
    index = property(lambda self: self._next, doc="The number of the element that comes next.")

    @property
    def coords(self):
        """The index of the element that comes next."""
        return tuple(int(n) for n in numpy.unravel_index(self._next, self._array.shape)) if self._next < self._array.size else ()

    def _key(self, key):
        if isinstance(key, tuple) and len(key) == 1:
            key = key[0]
        if key is Ellipsis:
            return slice(None)
        if isinstance(key, (slice, list)) or getattr(key, "ndim", 0):
            return key
        if isinstance(key, (bool, numpy.bool_)) or not hasattr(type(key), "__index__"):
            raise IndexError(f"unsupported iterator index: {type(key).__name__}; an integer, a slice, or an array of integers or bools")
        return operator.index(key)

    def copy(self):
        """The elements as a new array of one dimension."""
        return self._array.flatten()

    def __array__(self, dtype=None, copy=None):
        return numpy.asarray(self._array.flatten().get(), dtype)

    def __getitem__(self, key):
        return self._array.reshape(-1)[self._key(key)].copy()

    def __setitem__(self, key, value):
        array, key = self._array, self._key(key)
        if not isinstance(key, int):
            value = asarray(value)
            if value.ndim:
                is_slice = isinstance(key, slice)
                shape = (len(range(*key.indices(array.size))),) if is_slice else numpy.arange(array.size)[_host(key)].shape
                if 0 in shape or not value.size:
                    return
                value = resize(value, shape) if value.shape != shape else value
        if array._contiguous[0]:
            array.reshape(-1)[key] = value
            return
        elements = array.flatten()
        elements[key] = value
        array[...] = elements.reshape(array.shape)

    def __len__(self):
        return self._array.size

    def __iter__(self):
        return self

    def __next__(self):
        if self._next >= self._array.size:
            raise StopIteration
        self._next += 1
        return self[self._next - 1]

    def __eq__(self, other):
        return self.copy() == _elements(other)

    def __ne__(self, other):
        return self.copy() != _elements(other)

    def __lt__(self, other):
        return self.copy() < _elements(other)

    def __le__(self, other):
        return self.copy() <= _elements(other)

    def __gt__(self, other):
        return self.copy() > _elements(other)

    def __ge__(self, other):
        return self.copy() >= _elements(other)

    __hash__ = None


flatiter.__module__ = "quern"


def _elements(other):
    return other.copy() if isinstance(other, flatiter) else other


def _host(key):
    return key.get() if isinstance(key, Array) else key


def _assign(self, value):
    flatiter(self)[:] = value


def attach():
    """Gives the array type ``flat``."""
    Array.flat = property(flatiter, _assign, doc=described.FLAT)
