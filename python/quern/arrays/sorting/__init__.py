"""Sorting, places in sorted arrays, and where the extremes are.

NaN comes after every number; equal elements keep their order wherever that can be seen, so ``kind`` and ``stable`` change nothing.
"""

import operator

import numpy

from quern.arrays.core import Array, _axis, _no_bool, asarray, asnumpy, looked_at
from quern.arrays.data_types import _kind
from quern.arrays.fallback import Unserved
from quern.arrays.manipulation import flip
from quern.arrays.mathematics import isnan, where
from quern.arrays.mathematics.reductions import all as _all
from quern.arrays.mathematics.reductions import any as _any
from quern.arrays.mathematics.reductions import functions as _functions
from quern.lib import _engine

_NONE = numpy._NoValue
_KINDS = {"q": "quick", "m": "merge", "h": "heap", "s": "stable"}


def _along(axis, ndim):
    """The axis, or None for the flattened array, which a number is whatever axis it is given."""
    return None if axis is None or (ndim == 0 and _no_bool(axis) in (0, -1)) else _axis(_no_bool(axis), ndim)


# ---- extremes


def _without_nan(function, a, axis, out, keepdims, value):
    a = asarray(a)
    if _kind(a) in "fc" and a.size:
        mask = isnan(a)
        if bool(_any(_all(mask, axis))):
            raise ValueError("All-NaN slice encountered")
        a = where(mask, value, a).astype(a._dtype_name, copy=False)
    return function(a, axis, out, keepdims=keepdims)


def nanargmax(a, axis=None, out=None, *, keepdims=_NONE):
    """:func:`argmax` of what is not NaN. Raises ValueError where there is nothing else (the values are looked at for that).

    >>> nanargmax([1.0, nan, 3.0])
    array(2)
    """
    return _without_nan(_functions["argmax"], a, axis, out, keepdims, -numpy.inf)


def nanargmin(a, axis=None, out=None, *, keepdims=_NONE):
    """:func:`argmin` of what is not NaN. Raises ValueError where there is nothing else (the values are looked at for that).

    >>> nanargmin([1.0, nan, 3.0])
    array(0)
    """
    return _without_nan(_functions["argmin"], a, axis, out, keepdims, numpy.inf)


# ---- sorting


def _check_kind(kind, stable):
    if kind is not None and stable is not None:
        raise ValueError("`kind` and `stable` parameters can't be provided at the same time. Use only one of them.")
    if kind is None:
        return
    if not isinstance(kind, str):
        raise TypeError(f"sort kind must be str, not {type(kind).__name__}")
    if kind[:1].lower() not in _KINDS:
        raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})")


def _by_fields(a, order):
    """The array with the fields that ``order`` names (one, or several) before its others: records compare by one after the other."""
    if order is None:
        return a
    if a.dtype.names is None:
        raise ValueError("Cannot specify order when the array has no fields.")
    first = [order] if isinstance(order, str) else list(order)
    for n, name in enumerate(first):
        if name not in a.dtype.names:
            raise ValueError(f"unknown field name: {name}")
        if name in first[:n]:
            raise ValueError(f"duplicate field name: {name}")
    return a[[*first, *(name for name in a.dtype.names if name not in first)]]


def _same_fields(ordered, a):
    return ordered if ordered._dtype_name == a._dtype_name else ordered.view(a.dtype)


def sort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """A sorted copy along ``axis`` (None: flattened). Records are compared by their fields, one after the other.

    Parameters: ``descending``: the largest first; ``order``: a field of records, or several, that are compared before the others;
    ``kind`` and ``stable`` are checked and change nothing.
    Raises ValueError for an unknown ``kind`` and an ``order`` that is not there, AxisError for an axis that is not there.

    >>> sort([3, 1, 2])
    array([1, 2, 3])
    """
    _check_kind(kind, stable)
    a = asarray(a)
    axis = None if axis is None else _axis(axis, a.ndim)
    return _same_fields(_engine.array_sort(_by_fields(a, order), bool(descending), axis), a)


def argsort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """The places, int64, that sort ``a`` along ``axis`` (None: flattened). Equal elements keep their order.

    Parameters and errors are those of :func:`sort`.

    >>> argsort([3, 1, 2])
    array([1, 2, 0])
    """
    _check_kind(kind, stable)
    a = _by_fields(asarray(a), order)
    return _engine.array_argsort(a, bool(descending), _along(axis, a.ndim))


def _places(kth, kind):
    """The places as a list, once what NumPy takes beside them is found to be right."""
    places = asnumpy(kth) if isinstance(kth, Array) else numpy.asarray(kth)
    if places.dtype.kind not in "iub":
        raise TypeError("Partition index must be integer")
    if places.ndim > 1:
        raise ValueError(f"kth array must have dimension <= 1, not {places.ndim}")
    if kind != "introselect":
        raise ValueError(f"select kind must be 'introselect' (got {kind!r})")
    return places.reshape(-1).astype("int64").tolist()


def partition(a, kth, axis=-1, kind="introselect", order=None):
    """A copy in which element ``kth`` (an int or several) of ``axis`` is where sorting puts it: all of them are.

    Raises ValueError for places that are not there, TypeError for places that are no integers.

    >>> partition([3, 1, 2], 1)
    array([1, 2, 3])
    """
    a = asarray(a)
    axis = None if axis is None else _axis(axis, a.ndim)
    return _same_fields(_engine.array_partition(_by_fields(a, order), axis, _places(kth, kind)), a)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """The places, int64, that :func:`partition` ``a`` along ``axis``.

    Raises ValueError for places that are not there, TypeError for places that are no integers.

    >>> argpartition([3, 1, 2], 1)
    array([1, 2, 0])
    """
    a = asarray(a)
    return _engine.array_argpartition(_by_fields(a, order), _along(axis, a.ndim), _places(kth, kind))


def lexsort(keys, axis=-1):
    """The places that sort by several keys: by the last of ``keys``, where that is equal by the one before, and so on.

    Parameters: ``keys``: arrays of one shape, or an array of them. Raises TypeError for none, ValueError for different shapes.

    >>> lexsort(([1, 0, 1], [5, 5, 4]))
    array([2, 1, 0])
    """
    keys = [asarray(key) for key in keys]
    ndim = keys[0].ndim if keys else 0
    return _engine.array_argsort_by(keys, _axis(axis, ndim) if ndim else 0)


def sort_complex(a):
    """A sorted copy along the last axis as complex numbers, which order by the real part, then by the imaginary one.

    >>> sort_complex([2, 1])
    array([1.+0.j, 2.+0.j])
    """
    out = sort(a)
    if out.dtype.kind == "c":
        return out
    return out.astype("complex64" if out._dtype_name in ("int8", "uint8", "int16", "uint16") else "complex128")


def _in_place(function):
    def method(self, *args, **kwargs):
        self[...] = function(self, *args, **kwargs)

    method.__name__ = method.__qualname__ = function.__name__
    method.__doc__ = f"Works in place: see :func:`{function.__name__}`."
    return method


def attach(array_type):
    """The methods that are not functions with the array in front."""
    array_type.sort, array_type.partition = _in_place(_sort_method), _in_place(_partition_method)


def _sort_method(a, axis=-1, kind=None, order=None, *, stable=None):
    return sort(a, operator.index(axis), kind, order, stable=stable)


def _partition_method(a, kth, axis=-1, kind="introselect", order=None):
    return partition(a, kth, operator.index(axis), kind, order)


_sort_method.__name__, _partition_method.__name__ = "sort", "partition"
