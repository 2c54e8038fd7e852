"""New arrays: filled with a value, ranges, grids."""

import builtins
import math

import numpy

from quern.arrays.core import Array, _device, _dtype_name, _shape, asarray, asnumpy
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
    """Evenly spaced values in [start, stop): ``arange(stop)``, ``arange(start, stop[, step])``.

    >>> arange(2, 10, 3)
    array([2, 5, 8])
    """
    start, stop, step = (0, *args, 1) if len(args) == 1 else (*args, 1) if len(args) == 2 else args if len(args) == 3 else (None,) * 3
    plain = builtins.all(isinstance(x, (int, float, numpy.integer, numpy.floating)) and x == x for x in (start, stop, step))
    name = "" if not plain else _dtype_name(numpy.result_type(start, stop, step) if dtype is None else dtype)
    if name not in _range_types or step == 0:
        return asarray(numpy.arange(*args, dtype=dtype))  # says what is wrong; other types are made on the host
    count = builtins.max(math.ceil((stop - start) / step), 0)
    if name.startswith("float"):
        first, second = numpy.dtype(name).type(start), numpy.dtype(name).type(start + step)
        return _engine.array_range(first.item(), (second - first).item(), count, name, _device())
    return _engine.array_range(int(start), int(start + step) - int(start), count, name, _device())


_range_types = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "float32", "float64"}


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """``num`` evenly spaced values from ``start`` to ``stop``."""
    if builtins.all(isinstance(x, (int, float)) for x in (start, stop)) and dtype in (None, float) and isinstance(num, int) and num > 1:
        parts = num - 1 if endpoint else num
        delta = float(stop) - float(start)
        step = delta / parts
        out = arange(num, dtype=float)
        out = (out * step if step != 0 else out / parts * delta) + float(start)
        if endpoint:
            out[-1] = stop
        return (out, step) if retstep else out
    start, stop = (asnumpy(v) if isinstance(v, Array) else v for v in (start, stop))
    out = numpy.linspace(start, stop, num, endpoint, retstep, dtype, axis)
    return (asarray(out[0]), out[1]) if retstep else asarray(out)


def eye(N, M=None, k=0, dtype=float):
    """Ones on the ``k``-th diagonal of an N x M matrix, zeros elsewhere."""
    if numpy.dtype(dtype).kind not in "biufc" or not isinstance(k, int):
        return asarray(numpy.eye(N, M, k, dtype))  # says what is wrong
    return (arange(N)[:, None] + k == arange(N if M is None else M)).astype(dtype)
