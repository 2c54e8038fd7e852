"""Elements taken out of an array and put into one: both cover the rest with few slices."""

import builtins

import numpy

from quern.arrays.core import Array, _axis, asarray, asnumpy
from quern.arrays.creation import empty
from quern.arrays.creation.layouts import isfortran
from quern.arrays.manipulation import broadcast_to, moveaxis, ravel
from quern.arrays.manipulation.arranging import _along


def _positions(obj, size):
    """The places that an int, a slice or a sequence on the host names, as NumPy's array of int64."""
    if isinstance(obj, slice):
        return numpy.arange(*obj.indices(size))
    places = asnumpy(obj) if isinstance(obj, Array) else numpy.asarray(obj)
    if places.size == 0 and places.dtype.kind == "f" and not isinstance(obj, (Array, numpy.ndarray)):
        places = places.astype(numpy.int64)
    if places.dtype.kind not in "biu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return places


def _pieces(total, gone):
    """Pairs of slices (of an axis of ``total``, of the axis without the sorted places ``gone``) that show the same elements."""
    if not len(gone):
        return [(slice(0, total), slice(0, total))]
    steps = numpy.diff(gone)
    first, last, count = int(gone[0]), int(gone[-1]), len(gone)
    pieces = [(slice(0, first), slice(0, first))]
    if count > 2 and (steps == steps[0]).all() and steps[0] - 1 < count - 1:
        step = int(steps[0])
        for n in range(1, step):
            start = first + n - 1
            pieces.append((slice(first + n, last, step), slice(start, start + (count - 2) * (step - 1) + 1, step - 1)))
    else:
        for n, (before, after) in enumerate(zip(gone[:-1].tolist(), gone[1:].tolist(), strict=True), 1):
            if after - before > 1:
                pieces.append((slice(before + 1, after), slice(before + 1 - n, after - n)))
    pieces.append((slice(last + 1, total), slice(last + 1 - count, total - count)))
    return [(a, b) for a, b in pieces if a.start < a.stop]


def _flat_or_axis(arr, axis):
    arr = asarray(arr)
    if axis is not None:
        return arr, _axis(axis, arr.ndim)
    return (arr if arr.ndim == 1 else ravel(arr)), 0


def delete(arr, obj, axis=None):
    """Return a new array without what ``obj`` names along ``axis``; None: of the flattened array.

    The shape of the result depends on it, so an array is read.

    Parameters
    ----------
    arr : array_like
        Input array.
    obj : array_like
        An int, a slice, or a sequence of ints or bools.
    axis : int, optional
        Axis of the operation; a negative one counts from the end.

    Returns
    -------
    Array
        The result, as described above.

    Raises
    ------
    IndexError
        For indices out of range.
    ValueError
        For a mask of another length.

    Examples
    --------
    >>> import quern as qn
    >>> qn.delete([1, 2, 3, 4], [0, 2])
    array([2, 4])
    """
    arr, axis = _flat_or_axis(arr, axis)
    total = arr.shape[axis]
    places = _positions(obj, total)
    if places.dtype == bool:
        if places.shape != (total,):
            raise ValueError(f"boolean array argument obj to delete must be one dimensional and match the axis length of {total}")
        places = numpy.flatnonzero(places)
    wrong = (places < -total) | (places >= total)
    if wrong.any():
        raise IndexError(f"index {places[wrong].flat[0]} is out of bounds for axis {axis} with size {total}")
    gone = numpy.unique(numpy.where(places < 0, places + total, places))
    sizes = list(arr.shape)
    sizes[axis] -= len(gone)
    out = empty(sizes, arr._dtype_name, "F" if isfortran(arr) else "C")
    for origin, target in _pieces(total, gone):
        out[_along(axis, target)] = arr[_along(axis, origin)]
    return out


def insert(arr, obj, values, axis=None):
    """Return a new array with ``values`` inserted before the indices that ``obj`` names along ``axis``; None: of the flattened array.

    Parameters
    ----------
    arr : array_like
        Input array.
    obj : array_like
        An int, a slice, or a sequence of ints (an array is read).
    values : array_like
        Converted to the type of ``arr``.
    axis : int, optional
        Axis of the operation; a negative one counts from the end.

    Returns
    -------
    Array
        The result, as described above.

    Raises
    ------
    IndexError
        For indices out of range.
    ValueError
        For values that do not fit.

    Examples
    --------
    >>> import quern as qn
    >>> qn.insert([1, 2, 3], 1, 9)
    array([1, 9, 2, 3])
    """
    arr, axis = _flat_or_axis(arr, axis)
    total = arr.shape[axis]
    if isinstance(obj, float):
        raise TypeError("slice indices must be integers or None or have an __index__ method")
    places = _positions(obj, total)
    if places.dtype == bool:
        if places.ndim != 1:
            raise ValueError("boolean array argument obj to insert must be one dimensional")
        places = numpy.flatnonzero(places)
    elif places.ndim > 1:
        raise ValueError("index array argument obj to insert must be one dimensional or scalar")
    wrong = (places < -total) | (places > total)
    if wrong.any():
        raise IndexError(f"index {places[wrong].flat[0]} is out of bounds for axis {axis} with size {total}")
    places = numpy.where(places < 0, places + total, places)
    values = asarray(values, arr._dtype_name)
    if places.size == 1:
        values = values[(None,) * builtins.max(arr.ndim - values.ndim, 0)]
        if places.ndim == 0:
            values = moveaxis(values, 0, axis)
        start = int(places.flat[0])
        new = numpy.arange(start, start + values.shape[axis])
    else:
        order = places.argsort(kind="stable")
        new = places.astype(numpy.int64)
        new[order] += numpy.arange(len(new))
    sizes = list(arr.shape)
    sizes[axis] += len(new)
    out = empty(sizes, arr._dtype_name, "F" if isfortran(arr) else "C")
    for origin, target in _pieces(sizes[axis], numpy.sort(new)):
        out[_along(axis, origin)] = arr[_along(axis, target)]
    wide = sizes[:axis] + [len(new)] + sizes[axis + 1 :]
    _put(out, axis, new, _fitted(values, wide))
    return out


def _fitted(values, sizes):
    while values.ndim > len(sizes) and values.shape[0] == 1:
        values = values[0, ...]
    if values.ndim > len(sizes) or builtins.any(n not in (1, m) for n, m in zip(values.shape[::-1], sizes[::-1], strict=False)):
        raise ValueError(f"could not broadcast input array from shape {values.shape} into shape {tuple(sizes)}")
    return broadcast_to(values, sizes)


def _put(out, axis, places, values):
    """Writes ``values`` along ``axis`` at places that lie evenly in one go, else one after the other."""
    if len(places) > 1 and places[1] > places[0] and (numpy.diff(places) == places[1] - places[0]).all():
        step = int(places[1] - places[0])
        out[_along(axis, slice(int(places[0]), int(places[-1]) + 1, step))] = values
        return
    for n, place in enumerate(places.tolist()):
        out[_along(axis, slice(place, place + 1))] = values[_along(axis, slice(n, n + 1))]


def trim_zeros(filt, trim="fb", axis=None):
    """Return a view without the zeros at the ends, in front ("f" in ``trim``), behind ("b") or both, along ``axis`` (None: along all).

    The values are read.

    Parameters
    ----------
    filt : array_like
        Line whose zeros are trimmed.
    trim : str, optional
        Sides to trim: 'f' front, 'b' back.
    axis : int or tuple of ints, optional
        Axis or axes of the operation; negative ones count from the end.

    Returns
    -------
    Array
        The result, as described above.

    Raises
    ------
    ValueError
        For another ``trim``.
    AxisError
        For an axis out of range.

    Examples
    --------
    >>> import quern as qn
    >>> qn.trim_zeros([0, 0, 1, 2, 0])
    [1, 2]
    """
    a, trim = asarray(filt), trim.lower()
    if trim not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    axes = range(a.ndim) if axis is None else [_axis(n, a.ndim) for n in (axis if isinstance(axis, tuple) else (axis,))]
    if not axes:
        return filt
    places = numpy.nonzero(asnumpy(a != 0))
    some = places[0].size > 0
    starts = [int(p.min()) if "f" in trim else None for p in places] if some else [0] * a.ndim
    stops = [int(p.max()) + 1 if "b" in trim else None for p in places] if some else [0] * a.ndim
    parts = tuple(slice(starts[n], stops[n]) if n in axes else slice(None) for n in range(a.ndim))
    return filt[parts[0]] if len(parts) == 1 else a[parts]
