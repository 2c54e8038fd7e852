"""Views and arrangements of the same elements, and arrays put together."""

import builtins

import numpy

from quern.arrays.core import _axis, _check_cast, _dtype_name, _is_out, asarray, asnumpy
from quern.arrays.functions import functions
from quern.lib import _engine

swapaxes, moveaxis, expand_dims = (functions[name] for name in ("swapaxes", "moveaxis", "expand_dims"))
flip, roll = functions["flip"], functions["roll"]
reshape, ravel, transpose, broadcast_to = (functions[name] for name in ("reshape", "ravel", "transpose", "broadcast_to"))


def concatenate(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays one after the other along ``axis``; None: flattened.

    Parameters: ``out``: an array that takes the result, or ``dtype``: of the result; ``casting``: which conversions to that are allowed.
    Raises ValueError for shapes that do not match, TypeError for other conversions and for ``out`` together with ``dtype``.

    >>> concatenate(([1, 2], [3]))
    array([1, 2, 3])
    """
    if _is_out(out) and dtype is not None:
        raise TypeError("concatenate() only takes `out` or `dtype` as an argument, but both were provided.")
    # Where all is flattened, numbers have no type of their own.
    weak = [a if axis is None and type(a) in (int, float, complex) else None for a in arrays]
    arrays = [asarray(a) for a in arrays]
    if not arrays:
        raise ValueError("need at least one array to concatenate")
    if axis is None:
        arrays, axis = [a.ravel() for a in arrays], 0
    if arrays[0].ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = _axis(axis, arrays[0].ndim)
    if out is not None or dtype is not None:
        for a in arrays:
            _check_cast(a.dtype, numpy.dtype(dtype) if out is None else out.dtype, casting)
    if isinstance(out, numpy.ndarray):
        out[...] = asnumpy(_engine.array_joined(arrays, axis, None))
    elif out is not None:
        _engine.array_join_into(out, arrays, axis)
    if out is not None:
        return out
    if dtype is None and any(number is not None for number in weak):
        dtype = numpy.result_type(*(a.dtype if number is None else number for a, number in zip(arrays, weak, strict=True)))
    return _engine.array_joined(arrays, axis, None if dtype is None else _dtype_name(dtype))


concat = concatenate


def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays of one shape, joined along a new axis; see :func:`concatenate`."""
    arrays = [asarray(a) for a in arrays]
    if not arrays:
        raise ValueError("need at least one array to stack")
    if builtins.any(a.shape != arrays[0].shape for a in arrays):
        raise ValueError("all input arrays must have the same shape")
    axis = _axis(axis, arrays[0].ndim + 1)
    if out is None and dtype is None:
        return _engine.array_stacked(arrays, axis, None)
    return concatenate([expand_dims(a, axis) for a in arrays], axis, out, dtype=dtype, casting=casting)
