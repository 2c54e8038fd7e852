"""New arrays: filled with a value, ranges, grids."""

import builtins

import numpy

from quern.arrays.core import Array, _device, _dtype_name, _shape, asarray
from quern.lib import _engine


def full(shape, fill_value, dtype=None):
    """An array of ``shape`` in which every element is ``fill_value``."""
    if isinstance(fill_value, Array) or not numpy.isscalar(fill_value):
        value = asarray(fill_value)
        out = empty(shape, value.dtype if dtype is None else dtype)
        out[...] = value
        return out
    name = _dtype_name(numpy.asarray(fill_value).dtype if dtype is None else dtype)
    return _engine.array_full(_checked(shape), fill_value, name, _device())


def _checked(shape):
    shape = _shape(shape)
    if builtins.any(n < 0 for n in shape):
        raise ValueError("negative dimensions are not allowed")
    return shape


def zeros(shape, dtype=float):
    """An array of zeros."""
    return full(shape, 0, dtype)


def ones(shape, dtype=float):
    """An array of ones."""
    return full(shape, 1, dtype)


def empty(shape, dtype=float):
    """An array whose values do not matter (they are zero)."""
    return full(shape, 0, dtype)


def full_like(a, fill_value, dtype=None, *, shape=None):
    """An array of the shape and type of ``a`` in which every element is ``fill_value``."""
    a = asarray(a)
    return full(a.shape if shape is None else shape, fill_value, a.dtype if dtype is None else dtype)


def zeros_like(a, dtype=None, *, shape=None):
    """Zeros of the shape and type of ``a``."""
    return full_like(a, 0, dtype, shape=shape)


def ones_like(a, dtype=None, *, shape=None):
    """Ones of the shape and type of ``a``."""
    return full_like(a, 1, dtype, shape=shape)


def empty_like(a, dtype=None, *, shape=None):
    """An array like ``a`` whose values do not matter."""
    return full_like(a, 0, dtype, shape=shape)


def arange(*args, dtype=None):
    """Evenly spaced values in [start, stop): ``arange(stop)``, ``arange(start, stop[, step])``."""
    return asarray(numpy.arange(*args, dtype=dtype))


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """``num`` evenly spaced values from ``start`` to ``stop``."""
    out = numpy.linspace(start, stop, num, endpoint, retstep, dtype, axis)
    return (asarray(out[0]), out[1]) if retstep else asarray(out)


def eye(N, M=None, k=0, dtype=float):
    """Ones on the ``k``-th diagonal of an N x M matrix, zeros elsewhere."""
    return asarray(numpy.eye(N, M, k, dtype))
