"""The array type, data types, and the way in and out of arrays."""

import builtins
import operator

import numpy

from quern.device import current_device as _device
from quern.lib import _engine

Array = _engine.Array
Array.__module__ = "quern"
Array.__array_priority__ = 1000

try:
    import ml_dtypes

    bfloat16 = numpy.dtype(ml_dtypes.bfloat16)
except ImportError:
    bfloat16 = None

_names = set(_engine.dtype_names())


def _dtype_name(dtype):
    """The engine's name of a data type, given as NumPy takes it."""
    if isinstance(dtype, str) and dtype in _names:
        return dtype
    name = numpy.dtype(dtype).name
    if name not in _names:
        raise TypeError(f"data type '{name}' is not served; convert to one of: {', '.join(sorted(_names))}")
    return name


def _numpy_dtype(name):
    if name == "bfloat16":
        if bfloat16 is None:
            raise TypeError("bfloat16 has no type in NumPy; install ml_dtypes, or convert with astype('float32') first")
        return bfloat16
    return numpy.dtype(name)


def _axis(axis, ndim):
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise numpy.exceptions.AxisError(axis, ndim)
    return axis % ndim


def _shape(shape):
    try:
        return [operator.index(shape)]
    except TypeError:
        return [operator.index(n) for n in shape]


# ---- in and out


def asarray(obj, dtype=None, *, copy=None):
    """An array of ``obj``: an array, a NumPy array, a number, or nested sequences of them.

    Parameters: ``dtype``: the data type, by default that of ``obj``; ``copy``: True for a new array in any case.
    Returns an array on the current device. Memory of NumPy's is always copied.
    Raises TypeError for what has no data type here (strings, objects).

    >>> import quern as qn
    >>> qn.asarray([1, 2, 3]) * 2
    array([2, 4, 6])
    """
    if isinstance(obj, Array):
        if dtype is None or _dtype_name(dtype) == obj._dtype_name:
            return obj.copy() if copy else obj
        return obj.astype(dtype)
    if isinstance(obj, (list, tuple)) and _holds_arrays(obj):
        out = _stack(obj)
        return out if dtype is None else out.astype(dtype)
    host = numpy.asarray(obj) if dtype is None or isinstance(dtype, str) and dtype == "bfloat16" else numpy.asarray(obj, dtype=dtype)
    name = _dtype_name(host.dtype)
    out = _engine.array_from_host(numpy.ascontiguousarray(host).reshape(-1).view(numpy.uint8), list(host.shape), name, _device())
    return out.astype(dtype) if dtype is not None and _dtype_name(dtype) != name else out


def array(obj, dtype=None, *, copy=True, ndmin=0):
    """A new array of ``obj``; see :func:`asarray`. ``ndmin``: at least so many dimensions, ones are put in front."""
    out = asarray(obj, dtype, copy=copy)
    return out._reshaped([1] * (ndmin - out.ndim) + list(out.shape)) if out.ndim < ndmin else out


def _stack(obj):
    from quern.arrays.shapes import stack

    return stack([asarray(x) for x in obj])


def _holds_arrays(obj):
    return builtins.any(isinstance(x, Array) or (isinstance(x, (list, tuple)) and _holds_arrays(x)) for x in obj)


def asnumpy(a):
    """A NumPy array with the values of ``a``; this waits for them."""
    a = asarray(a)
    out = numpy.empty(a.shape, _numpy_dtype(a._dtype_name))
    _engine.array_read(a, out.reshape(-1).view(numpy.uint8))
    return out


_engine.set_array_maker(asarray)


def copy(a):
    """A new array with the same values."""
    a = asarray(a)
    return a._astype(a._dtype_name)


def astype(a, dtype):
    """A new array with the values of ``a`` converted to ``dtype``."""
    return asarray(a)._astype(_dtype_name(dtype))
