"""Arrays put together, taken apart, repeated and turned: slices, views and copies of slices, no indices.

Joining and splitting come first, then repeating and moving. editing.py takes elements out and puts them in.
"""

import builtins
import math
import operator

import numpy

from quern.arrays.core import Array, _axes, _axis, _check_cast, _shape, asarray, asnumpy
from quern.arrays.creation import zeros
from quern.arrays.manipulation import concatenate, moveaxis, ravel, tile
from quern.arrays.mathematics import where as _where
from quern.lib import _engine

# ---- asking


def _sized(a):
    """What can be asked for its sizes: an array of ours, or NumPy's of what could be no array here (text, None, any object)."""
    if isinstance(a, Array) or _engine.holds_arrays(a) or hasattr(a, "__cuda_array_interface__"):
        return asarray(a)
    return numpy.asarray(a)


def ndim(a):
    """Return the number of dimensions of ``a``, an array or what can become one.

    Parameters
    ----------
    a : array_like
        Input array.

    Returns
    -------
    int
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.ndim([[1, 2], [3, 4]])
    2
    """
    return _sized(a).ndim


def shape(a):
    """Return the sizes of the dimensions of ``a``, a tuple.

    Parameters
    ----------
    a : array_like
        Input array.

    Returns
    -------
    tuple of int
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.shape([[1, 2, 3]])
    (1, 3)
    """
    return _sized(a).shape


def size(a, axis=None):
    """Return the number of elements of ``a``, in all or along ``axis`` (an int or a tuple).

    Parameters
    ----------
    a : array_like
        Input array.
    axis : int or tuple of ints, optional
        Axis or axes of the operation; negative ones count from the end.

    Returns
    -------
    int
        The result, as described above.

    Raises
    ------
    AxisError
        For an axis out of range.

    Examples
    --------
    >>> import quern as qn
    >>> qn.size([[1, 2, 3], [4, 5, 6]], 1)
    3
    """
    a = _sized(a)
    return a.size if axis is None else math.prod(a.shape[n] for n in _axes(axis, a.ndim))


def _along(axis, part):
    """The index that takes ``part`` along an axis and everything along those before it."""
    return (slice(None),) * axis + (part,)


# ---- dimensions


def broadcast_shapes(*args):
    """Return the shape to which shapes (tuples or ints) broadcast.

    Parameters
    ----------
    *args : sequence of array_like, optional
        Input arrays.

    Returns
    -------
    tuple of int
        The result, as described above.

    Raises
    ------
    ValueError
        Where they do not.

    Examples
    --------
    >>> import quern as qn
    >>> qn.broadcast_shapes((3, 1), 4)
    (3, 4)
    """
    return numpy.broadcast_shapes(*args)


# ---- joining


def append(arr, values, axis=None):
    """Return ``arr`` and ``values`` one after the other along ``axis``; None: both flattened.

    A new array; see :func:`concatenate`.

    Parameters
    ----------
    arr : array_like
        Input array.
    values : array_like
        Values to write or to append.
    axis : int, optional
        Axis of the operation; a negative one counts from the end.

    Returns
    -------
    Array
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.append([1, 2], [[3], [4]])
    array([1, 2, 3, 4])
    """
    arr, values = asarray(arr), asarray(values)
    return concatenate((ravel(arr), ravel(values))) if axis is None else concatenate((arr, values), axis)


# ---- taking apart


# ---- repeating


def repeat(a, repeats, axis=None):
    """Return a new array in which each element is repeated ``repeats`` times along ``axis``; None: of the flattened array.

    Parameters
    ----------
    a : array_like
        Input array.
    repeats : int or array_like of ints
        An int, or one for each element along the axis.
    axis : int, optional
        Axis of the operation; a negative one counts from the end.

    Returns
    -------
    Array
        The result, as described above.

    Raises
    ------
    ValueError
        For a negative number.
    TypeError
        For an array of numbers that are not integers.

    Examples
    --------
    >>> import quern as qn
    >>> qn.repeat([1, 2], 2)
    array([1, 1, 2, 2])
    """
    a = asarray(a)
    counts = asnumpy(repeats) if isinstance(repeats, Array) else numpy.asarray(repeats)
    if isinstance(repeats, (Array, numpy.ndarray)) and counts.dtype != numpy.uint64:
        _check_cast(counts.dtype, numpy.dtype(numpy.int64), "safe")
    counts = counts.astype(numpy.int64)
    if axis is None or a.ndim == 0 and axis in (0, -1):
        a, axis = ravel(a), 0
    axis = _axis(axis, a.ndim)
    if counts.ndim > 1:
        raise ValueError("object too deep for desired array")
    return _engine.array_repeated(a, counts.reshape(-1).tolist(), axis)


def resize(a, new_shape):
    """Return a new array of ``new_shape``, filled with the elements of ``a`` over and over.

    Parameters
    ----------
    a : array_like
        Input array.
    new_shape : int or tuple of ints
        Shape of the result.

    Returns
    -------
    Array
        The result, as described above.

    Raises
    ------
    ValueError
        For negative dimensions.

    Examples
    --------
    >>> import quern as qn
    >>> qn.resize([1, 2, 3], (2, 4))
    array([[1, 2, 3, 1],
           [2, 3, 1, 2]])
    """
    a = asarray(a)
    new_shape = _shape(new_shape)
    if builtins.any(n < 0 for n in new_shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    wanted = math.prod(new_shape)
    if a.size == 0:
        return zeros(new_shape, a._dtype_name)
    times = -(-wanted // a.size)
    out = tile(ravel(a), times)
    return out._reshaped(new_shape) if out.size == wanted else out[:wanted]._reshaped(new_shape).copy()


# ---- moving


def copyto(dst, src, casting="same_kind", where=True):
    """Write ``src`` into the array ``dst``, where ``where`` holds; both broadcast to it.

    Parameters
    ----------
    dst : Array
        Array that is written.
    src : array_like
        Values to copy, which broadcast to `dst`.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
        Which conversions are allowed.
    where : array_like of bool, optional
        Elements that take part; the mask broadcasts to the input.

    Raises
    ------
    TypeError
        For conversions that `casting` does not allow.
    ValueError
        For shapes that do not fit.

    Examples
    --------
    >>> import quern as qn
    >>> a = qn.zeros(3)
    >>> qn.copyto(a, [1, 2, 3], where=[True, False, True])
    >>> a
    array([1., 0., 3.])
    """
    if not isinstance(dst, Array):
        raise TypeError(f"copyto() argument 1 must be a quern array, not {type(dst).__name__}")
    if type(src) in (bool, int, float, complex):
        kind = numpy.result_type(dst.dtype, src)
        if not numpy.can_cast(kind, dst.dtype, casting):
            raise TypeError(f"Cannot cast scalar from {numpy.asarray(src).dtype!r} to {dst.dtype!r} according to the rule '{casting}'")
        if type(src) is int and dst.dtype.kind in "iu":
            numpy.asarray(src, dst.dtype)  # it must fit
        elif not numpy.can_cast(kind, dst.dtype, "same_kind"):
            src = asarray(src).astype(dst.dtype)
    else:
        src = asarray(src)
        _check_cast(src.dtype, dst.dtype, casting)
        src = src.astype(dst.dtype, copy=False)
        while src.ndim > dst.ndim and src.shape[0] == 1:
            src = src[0, ...]
        if src.ndim > dst.ndim or numpy.broadcast_shapes(src.shape, dst.shape) != dst.shape:
            raise ValueError(f"could not broadcast input array from shape {src.shape} into shape {dst.shape}")
    if where is True:
        dst[...] = src
        return
    if not isinstance(where, (Array, numpy.ndarray)):
        where = asarray(where, bool)
    where = asarray(where)
    _check_cast(where.dtype, numpy.dtype(bool), "safe")
    if numpy.broadcast_shapes(where.shape, dst.shape) != dst.shape:
        raise ValueError(f"could not broadcast where mask from shape {where.shape} into shape {dst.shape}")
    dst[...] = _where(where, src, dst)


def rollaxis(a, axis, start=0):
    """Return a view in which ``axis`` lies before what was axis ``start``.

    :func:`moveaxis` is easier to read.

    Parameters
    ----------
    a : array_like
        Input array.
    axis : int
        Axis to move; a negative one counts from the end.
    start : int, optional
        Axis before which `axis` goes.

    Returns
    -------
    Array
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.rollaxis(qn.zeros((3, 4, 5)), 2).shape
    (5, 3, 4)
    """
    a = asarray(a)
    axis = _axis(axis, a.ndim)
    start = operator.index(start)
    if not -a.ndim <= start <= a.ndim:
        raise numpy.exceptions.AxisError(f"'start' arg requires {-a.ndim} <= start < {a.ndim + 1}, but {start} was passed in")
    start += a.ndim if start < 0 else 0
    return moveaxis(a, axis, start - 1 if axis < start else start)


def block(arrays):
    """Return an array made of nested lists of blocks: the innermost are joined along the last axis, outer ones before it.

    Parameters
    ----------
    arrays : sequence of array_like
        Input arrays.

    Returns
    -------
    Array
        The result, as described above.

    Raises
    ------
    ValueError
        For empty lists and lists of different depths.
    TypeError
        For tuples.

    Examples
    --------
    >>> import quern as qn
    >>> qn.block([[qn.eye(2), qn.zeros((2, 1))], [qn.ones((1, 3))]]).shape
    (3, 3)
    """
    depth = _depth(arrays)
    rank = builtins.max(depth, _most_dimensions(arrays))
    return _block(arrays, depth, rank, rank - depth)


def _depth(arrays):
    if isinstance(arrays, tuple):
        raise TypeError("[block] blocks are arranged by lists; pass a list in place of the tuple")
    if not isinstance(arrays, list):
        return 0
    if not arrays:
        raise ValueError("List at arrays cannot be empty")
    depths = {_depth(a) for a in arrays}
    if len(depths) > 1:
        raise ValueError("List depths are mismatched.")
    return depths.pop() + 1


def _most_dimensions(arrays):
    return builtins.max(_most_dimensions(a) for a in arrays) if isinstance(arrays, list) else asarray(arrays).ndim


def _block(arrays, depth, rank, axis):
    if not isinstance(arrays, list):
        a = asarray(arrays)
        a = a[(None,) * (rank - a.ndim)] if a.ndim < rank else a
        return a.copy() if depth == 0 else a
    return concatenate([_block(a, depth, rank, axis + 1) for a in arrays], axis)
