"""lib.stride_tricks: views of an array's memory with other shapes and strides."""

import operator

from quern.arrays import core as _core
from quern.lib import _engine

__all__ = ["as_strided", "sliding_window_view"]


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """A view of the memory of ``x`` from its first element on.

    Parameters: ``shape``, ``strides`` (in bytes): those of the view, by default those of ``x``; ``writeable``: whether elements of the
    view can be assigned, if those of ``x`` can; ``subok`` is accepted. Elements outside of the memory that ``x`` is a part of raise
    ValueError.

    Examples
    --------
    >>> import quern as qn
    >>> qn.lib.stride_tricks.as_strided(qn.arange(4), (3, 2), (8, 8))
    array([[0, 1],
           [1, 2],
           [2, 3]])
    """
    x = _core.asarray(x)
    shape = list(x.shape) if shape is None else _core._shape(shape)
    strides = list(x.strides) if strides is None else _core._shape(strides)
    if len(shape) != len(strides):
        raise ValueError(f"{len(strides)} strides do not fit {len(shape)} dimensions")
    reach = [(n - 1) * step for n, step in zip(shape, strides, strict=True)]
    whole = _engine.array_whole(x)
    first = x._offset - whole._offset + sum(min(r, 0) for r in reach)
    last = x._offset - whole._offset + sum(max(r, 0) for r in reach) + x.itemsize
    if 0 not in shape and (first < 0 or last > whole.nbytes):
        raise ValueError(f"the view reaches from byte {first} to {last} of memory of {whole.nbytes} bytes")
    view = _engine.array_viewed_as(x, shape, strides, x._offset, x._dtype_name)
    if not writeable:
        view._writeable = False
    return view


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """A view of all windows of a size: window axes come last.

    Parameters: ``window_shape``: an int or a tuple, the size along each of ``axis``; ``axis``: an int or a tuple, by default all axes, in
    order; an axis may come more than once; ``writeable``: whether elements of the view, which windows share, can be assigned; ``subok`` is
    accepted. Raises ValueError where a window is larger than its axis, is below 0, or sizes and axes do not fit each other.

    Examples
    --------
    >>> import quern as qn
    >>> qn.lib.stride_tricks.sliding_window_view(qn.arange(4), 3)
    array([[0, 1, 2],
           [1, 2, 3]])
    """
    x = _core.asarray(x)
    sizes = tuple(map(operator.index, window_shape)) if isinstance(window_shape, (tuple, list)) else (operator.index(window_shape),)
    if any(n < 0 for n in sizes):
        raise ValueError("`window_shape` cannot contain negative values")
    if axis is None:
        axes = tuple(range(x.ndim))
        if len(sizes) != x.ndim:
            raise ValueError(
                "Since axis is `None`, must provide window_shape for all dimensions of `x`; got "
                f"{len(sizes)} window_shape elements and `x.ndim` is {x.ndim}."
            )
    else:
        axes = tuple(_core._axis(a, x.ndim) for a in (axis if isinstance(axis, (tuple, list)) else (axis,)))
        if len(sizes) != len(axes):
            raise ValueError(
                f"Must provide matching length window_shape and axis; got {len(sizes)} window_shape elements and {len(axes)} axes elements."
            )
    shape = list(x.shape)
    for a, n in zip(axes, sizes, strict=True):
        if shape[a] < n:
            raise ValueError("window shape cannot be larger than input array shape")
        shape[a] -= n - 1
    strides = list(x.strides)
    return as_strided(x, (*shape, *sizes), (*strides, *(strides[a] for a in axes)), writeable=writeable)
