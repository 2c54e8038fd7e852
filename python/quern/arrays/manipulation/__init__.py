"""Views and arrangements of the same elements, and arrays put together."""

import builtins
import math

import numpy

from quern.arrays.core import _axes, _axis, _check_cast, _dtype_name, _is_out, _shape, asarray, asnumpy
from quern.arrays.functions import functions
from quern.lib import _engine

swapaxes, moveaxis, expand_dims = (functions[name] for name in ("swapaxes", "moveaxis", "expand_dims"))
flip, roll = functions["flip"], functions["roll"]


def reshape(a, /, shape, order="C", *, copy=None):
    """The same elements in another shape; one dimension may be -1. A view where that is possible.

    ``order``: in which order they are read and put down again, "C", "F", or "A" for "F" where ``a`` has it; ``copy``: True for new memory
    in any case, False for a view or ValueError.
    """
    a = asarray(a)
    shape = _known(a, _shape(shape))
    if isinstance(copy, str):
        raise ValueError("strings are not allowed for 'copy' keyword. Use True/False/None instead.")
    if copy:
        return a.copy("C" if order is None or order in "Cc" else order)._reshaped(shape, order)
    out = a._reshaped(shape, order)
    if copy is not None and not copy and not out._shares_cell(a):
        raise ValueError("Unable to avoid creating a copy while reshaping.")
    return out


def _known(a, shape):
    if shape.count(-1) > 1:
        raise ValueError("can only specify one unknown dimension")
    if -1 in shape:
        rest = math.prod(n for n in shape if n != -1)
        if rest == 0 or a.size % rest:
            raise ValueError(f"cannot reshape array of size {a.size} into shape {tuple(shape)}")
        shape = [a.size // rest if n == -1 else n for n in shape]
    return shape


def ravel(a, order="C"):
    """One dimension; a view where the elements lie in that order without gaps, else a copy.

    ``order``: "C" for rows, "F" for columns, "A" for "F" where ``a`` has it, "K" for the order in memory.
    """
    return asarray(a)._raveled(order)


def transpose(a, axes=None):
    """A view with the axes in another order, by default reversed."""
    a = asarray(a)
    if axes is None:
        axes = range(a.ndim)[::-1]
    elif not hasattr(axes, "__len__"):
        axes = (axes,)
    if len(axes) != a.ndim:
        raise ValueError("axes don't match array")
    return a._transposed(_axes(list(axes), a.ndim))


permute_dims = transpose


def matrix_transpose(a):
    """A view with the last two axes swapped. Raises ValueError for fewer than two dimensions."""
    a = asarray(a)
    if a.ndim < 2:
        raise ValueError(f"matrix transpose with ndim < 2 is undefined; Input array must be at least 2-dimensional, but it is {a.ndim}")
    return swapaxes(a, -1, -2)


def broadcast_to(a, shape, subok=False):
    """A read-only view of ``shape`` in which ``a`` repeats. ``subok`` is NumPy's."""
    return asarray(a)._broadcast_to(_shape(shape))


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
