"""Elements picked by places and by masks, and written there."""

import operator

import numpy

from quern.arrays.core import NUMPY_2_5, Array, _axis, _check_cast, _is_out, asarray
from quern.arrays.creation import arange
from quern.arrays.data_types import _kind
from quern.arrays.functions import functions
from quern.arrays.manipulation import broadcast_to, ravel
from quern.arrays.mathematics import where
from quern.arrays.mathematics.reductions import _fitted, _given
from quern.arrays.mathematics.reductions import any as _any
from quern.lib import _engine

# ---- where elements are true


# ---- by places


def _places(indices):
    if not isinstance(indices, (Array, numpy.ndarray)) and not _engine.holds_arrays([indices]):
        indices = numpy.asarray(indices, numpy.int64)  # numbers of any type, as NumPy has it
    indices = asarray(indices)
    if _kind(indices) not in "iub":
        raise TypeError(f"Cannot cast array data from {indices.dtype!r} to dtype('int64') according to the rule 'safe'")
    return indices.astype("int64", copy=False)


def _clipmode(mode):
    """Return "raise", "wrap" or "clip" for NumPy's ``mode``, also for its numbers; raise what NumPy raises for others."""
    if mode is None:
        return "raise"
    if isinstance(mode, str):
        return mode
    if not hasattr(mode, "__index__"):
        raise TypeError("clipmode not understood; use one of 'clip', 'raise', or 'wrap'")
    if not 0 <= operator.index(mode) <= 2:
        raise ValueError(f"integer clipmode must be 0 (clip), 1 (wrap) or 2 (raise), not {mode}; better use the names")
    return ("clip", "wrap", "raise")[mode]


def take(a, indices, axis=None, out=None, mode="raise"):
    """Return the elements at ``indices`` along ``axis`` (None: of the flattened array).

    Parameters
    ----------
    a : array_like
        Input array.
    indices : array_like of ints
        Indices of the elements.
    axis : int, optional
        Axis of the operation; a negative one counts from the end.
    out : Array, optional
        Array that receives the result; it must have the result's shape.
    mode : str, optional
        What is done with a place that is not there: "raise" (IndexError when the result is read), "wrap", "clip".

    Returns
    -------
    Array
        An array in which the shape of ``indices`` stands for the axis.

    Raises
    ------
    TypeError
        For indices that are not integers.

    Examples
    --------
    >>> import quern as qn
    >>> qn.take([4, 5, 6], [2, 0])
    array([6, 4])
    """
    a = asarray(a)
    axis = None if axis is None else _axis(axis, a.ndim or 1)
    return _checked(_engine.array_take_at(a, _places(indices), axis, _clipmode(mode)), out)


def _checked(result, out):
    if _is_out(out) and not NUMPY_2_5:
        _check_cast(out.dtype, result.dtype, "safe")
    return _fitted(result, out)


def take_along_axis(arr, indices, axis=-1):
    """Return elements of ``arr`` by indices along ``axis``: in other dimensions both go together, and broadcast.

    Parameters
    ----------
    arr : array_like
        Input array.
    indices : array_like of ints
        Indices of the elements.
    axis : int, optional
        Axis of the operation; a negative one counts from the end.

    Returns
    -------
    Array
        The result, as described above.

    Raises
    ------
    ValueError
        For different numbers of dimensions.
    IndexError
        For indices that are not integers, and, when the result is read, for indices out of range.

    Examples
    --------
    >>> import quern as qn
    >>> qn.take_along_axis([[3, 1], [2, 4]], [[1], [0]], axis=1)
    array([[1],
           [2]])
    """
    arr, indices = asarray(arr), asarray(indices)
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        arr, axis = ravel(arr), 0
    return _engine.array_take_along(arr, indices, _axis(axis, arr.ndim))


def put_along_axis(arr, indices, values, axis):
    """Write ``values`` to the indices along ``axis`` that :func:`take_along_axis` reads.

    Parameters
    ----------
    arr : array_like
        Input array.
    indices : array_like of ints
        Indices of the elements.
    values : array_like
        Values to write or to append.
    axis : int
        Axis of the operation; a negative one counts from the end.

    Returns
    -------
    Array
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> a = qn.asarray([[3, 1], [2, 4]])
    >>> qn.put_along_axis(a, qn.asarray([[1], [0]]), 9, axis=1)
    >>> a
    array([[3, 9],
           [9, 4]])
    """
    _check_written("put_along_axis", arr)
    indices = asarray(indices)
    if axis is not None:
        picks = _engine.array_indices_along(arr, indices, _axis(axis, arr.ndim))
    elif indices.ndim != 1:
        raise ValueError("when axis=None, `indices` must have a single dimension.")
    else:
        picks = _engine.array_coordinates(arr, _places(indices))
    arr[tuple(picks)] = values


def _check_written(name, a):
    if not isinstance(a, Array):
        raise TypeError(f"argument 1 of {name} must be a quern array, not {type(a).__name__}")
    if not a.flags.writeable:  # also where nothing is written
        raise ValueError(f"{name}: output array is read-only")


def put(a, ind, v, mode="raise"):
    """Write ``v``, repeated as often as needed, to the elements ``ind`` of the flattened array.

    Parameters
    ----------
    a : array_like
        Input array.
    ind : array_like of ints
        Indices in the flattened array.
    v : array_like
        Values to write.
    mode : str, optional
        What happens with indices out of range, as in :func:`take`.

    Returns
    -------
    Array
        The result, as described above.

    Raises
    ------
    TypeError
        If `a` is not an array of quern's.
    IndexError
        For indices out of range, when the result is read.

    Examples
    --------
    >>> import quern as qn
    >>> a = qn.zeros(3)
    >>> qn.put(a, [0, 2], [1, 2])
    >>> a
    array([1., 0., 2.])
    """
    _check_written("put", a)
    ind = _places(ind)
    v = asarray(v, None if ind.size > a.size == 0 else a._dtype_name)  # no place at all is said before a value that does not fit
    _engine.array_put_in_line(a, ind, v, _clipmode(mode))


def choose(a, choices, out=None, mode="raise"):
    """Return elements of the arrays ``choices``: of the one whose number is in ``a``; all broadcast.

    Parameters
    ----------
    a : array_like
        Input array.
    choices : sequence of array_like
        Arrays to choose from.
    out : Array, optional
        Array that receives the result; it must have the result's shape.
    mode : str, optional
        What is done with a number that is not there: "raise" (ValueError; the values are read), "wrap", "clip".

    Returns
    -------
    Array
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.choose([0, 1, 0], [[1, 2, 3], [10, 20, 30]])
    array([ 1, 20,  3])
    """
    a = _places(a)
    kinds = [c if isinstance(c, (int, float, complex)) and not isinstance(c, bool) else None for c in choices]  # weak numbers
    choices = [asarray(c) for c in choices]
    if not choices:
        raise ValueError("choices must not be empty")
    n, mode = len(choices), _clipmode(mode)
    if mode == "raise" and bool(_any((a < 0) | (a >= n))):
        raise ValueError("invalid entry in choice array")
    a = _engine.array_fitted_places(a, n, mode)
    name = choices[0]._dtype_name
    if any(c._dtype_name != name for c in choices):
        name = numpy.result_type(*(c.dtype if weak is None else weak for c, weak in zip(choices, kinds, strict=True))).name
    shape = numpy.broadcast_shapes(a.shape, *(c.shape for c in choices))
    result = broadcast_to(choices[-1].astype(name, copy=False), shape)
    for k in range(n - 1):
        result = where(a == k, choices[k].astype(name, copy=False), result)
    if _is_out(out) and out.shape != result.shape:
        raise TypeError(f"choose: invalid shape for output array: {out.shape}, not {result.shape}")
    return _given(result._in_order("C") if n > 1 else result.copy("C"), out)


# ---- by masks


def compress(condition, a, axis=None, out=None):
    """Return the slices of ``axis`` (None: of the flattened array) at which ``condition``, of one dimension, is true.

    This waits for the condition.

    Parameters
    ----------
    condition : array_like of bool
        Where it is true, an element is chosen.
    a : array_like
        Input array.
    axis : int, optional
        Axis of the operation; a negative one counts from the end.
    out : Array, optional
        Array that receives the result; it must have the result's shape.

    Returns
    -------
    Array
        The result, as described above.

    Raises
    ------
    ValueError
        For a condition of several dimensions.
    IndexError
        If a condition is true behind the end, when the result is read.

    Examples
    --------
    >>> import quern as qn
    >>> qn.compress([True, False, True], [1, 2, 3])
    array([1, 3])
    """
    a = asarray(a)
    return _checked(_engine.array_compress(asarray(condition), a, None if axis is None else _axis(axis, a.ndim or 1)), out)


def extract(condition, arr):
    """Return the elements of the flattened array at which the flattened ``condition`` is true.

    This waits for the condition.

    Parameters
    ----------
    condition : array_like of bool
        Where it is true, an element is chosen.
    arr : array_like
        Input array.

    Returns
    -------
    Array
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.extract([True, False, True], [1, 2, 3])
    array([1, 3])
    """
    return _engine.array_extract(asarray(condition), asarray(arr))


def _fitting(values, a):
    """Values for elements of ``a``: those of arrays must fit its type without loss, others are converted."""
    if isinstance(values, numpy.ndarray) or (isinstance(values, Array) and not values._is_value):
        _check_cast(values.dtype, a.dtype, "safe")
    return asarray(values, a._dtype_name)


def place(arr, mask, vals):
    """Write ``vals``, one after the other and again from the first, to the elements at which ``mask`` is true.

    This waits for the mask.

    Parameters
    ----------
    arr : array_like
        Input array.
    mask : array_like of bool
        Where it is true, elements are written.
    vals : array_like
        Values to write, repeated as needed.

    Returns
    -------
    Array
        The result, as described above.

    Raises
    ------
    ValueError
        For a mask of another size, and for no values where some are needed.
    TypeError
        For an array of values that the type of ``arr`` does not hold.

    Examples
    --------
    >>> import quern as qn
    >>> a = qn.zeros(3)
    >>> qn.place(a, [True, False, True], [1, 2])
    >>> a
    array([1., 0., 2.])
    """
    _check_written("place", arr)
    mask, vals = asarray(mask), ravel(_fitting(vals, arr))
    if mask.size != arr.size:
        raise ValueError("place: mask and data must be the same size")
    places = functions["flatnonzero"](mask)
    if places.size and not vals.size:
        raise ValueError("Cannot insert from an empty array!")
    put(arr, places, vals)


def putmask(a, /, mask, values):
    """Write ``values``, repeated to the size of ``a``, where ``mask`` is true.

    Parameters
    ----------
    a : array_like
        Input array.
    mask : array_like of bool
        Where it is true, elements are written.
    values : array_like
        Values to write or to append.

    Returns
    -------
    Array
        The result, as described above.

    Raises
    ------
    ValueError
        For a mask of another size.
    TypeError
        Where the values cannot be converted.

    Examples
    --------
    >>> import quern as qn
    >>> a = qn.asarray([1, 2, 3])
    >>> qn.putmask(a, a > 1, [7, 8, 9])
    >>> a
    array([1, 8, 9])
    """
    _check_written("putmask", a)
    mask = asarray(mask)
    if mask.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    values = _fitting(values, a)
    if values.size == 0 or a.size == 0:
        return
    mask = mask.astype("bool", copy=False)._reshaped(list(a.shape))
    values = ravel(values).astype(a._dtype_name, copy=False)
    if values.size not in (1, a.size):
        values = _engine.array_take(values, [0], arange(a.size) % values.size)
    a[...] = where(mask, values[0] if values.size == 1 else values._reshaped(list(a.shape)), a)
