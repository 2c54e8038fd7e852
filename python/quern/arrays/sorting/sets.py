"""Distinct elements, and arrays as sets. How many there are decides a shape, so these wait for the values."""

import numpy

from quern.arrays.core import _axis, asarray
from quern.arrays.creation import full
from quern.arrays.fallback import Unserved
from quern.arrays.functions import functions as _functions
from quern.arrays.indexing import take
from quern.arrays.manipulation import concatenate, ravel
from quern.arrays.mathematics import equal, logical_and, not_equal
from quern.arrays.sorting import sort as _sort
from quern.lib import _engine

flatnonzero, isin = _functions["flatnonzero"], _functions["isin"]
_UniqueAllResult = type(numpy.unique_all([0]))
_UniqueCountsResult = type(numpy.unique_counts([0]))
_UniqueInverseResult = type(numpy.unique_inverse([0]))


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    """The distinct elements, sorted; with ``axis`` the distinct parts of it.

    Parameters: ``return_index``: where each stands first; ``return_inverse``: the number that each element has among them;
    ``return_counts``: how often each occurs; ``equal_nan``: is NaN one element, or each for itself. ``sorted`` changes nothing.
    Returns an array, or a tuple of it and what was asked for, of int64. Raises AxisError for an axis that is not there.

    >>> unique([3, 1, 3], return_counts=True)
    (array([1, 3]), array([1, 2]))
    """
    ar = asarray(ar)
    if axis is not None:
        axis = _axis(axis, ar.ndim)
        columns = ar.size // (ar.shape[axis] or 1)
        if ar.ndim > 1 and (columns > 64 or ar.size == 0):
            raise Unserved("parts of nothing, or of more than 64 elements, are not compared natively")
    results = _engine.array_distinct(ar, axis, bool(return_index), bool(return_inverse), bool(return_counts), bool(equal_nan))
    return tuple(results) if len(results) > 1 else results[0]


def unique_all(x):
    """The distinct elements (each NaN for itself), where each stands first, the number of each element among them, and how often
    each occurs: a named tuple.

    >>> unique_all([3, 1, 3]).counts
    array([1, 2])
    """
    return _UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x):
    """The distinct elements (each NaN for itself), and how often each occurs: a named tuple.

    >>> unique_counts([3, 1, 3]).counts
    array([1, 2])
    """
    return _UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x):
    """The distinct elements (each NaN for itself), and the number of each element among them: a named tuple.

    >>> unique_inverse([3, 1, 3]).inverse_indices
    array([1, 0, 1])
    """
    return _UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


def unique_values(x):
    """The distinct elements (each NaN for itself), sorted.

    >>> unique_values([3, 1, 3])
    array([1, 3])
    """
    return unique(x, equal_nan=False)


def union1d(ar1, ar2):
    """The distinct elements of both arrays together, sorted.

    >>> union1d([1, 2], [2, 3])
    array([1, 2, 3])
    """
    return unique(concatenate((ar1, ar2), None))


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The distinct elements that both arrays have, sorted.

    Parameters: ``assume_unique``: no array has an element twice; ``return_indices``: also where they stand first in each.

    >>> intersect1d([1, 2, 3], [3, 2, 5])
    array([2, 3])
    """
    ar1, ar2 = ravel(asarray(ar1)), ravel(asarray(ar2))
    if not assume_unique:
        ar1, *index1 = unique(ar1, True) if return_indices else (unique(ar1),)
        ar2, *index2 = unique(ar2, True) if return_indices else (unique(ar2),)
    both = concatenate((ar1, ar2))
    places = _engine.array_argsort(both, False, 0)
    aux = _engine.array_take(both, [0], places)
    twice = flatnonzero(equal(aux[1:], aux[:-1]))
    values = _engine.array_take(aux, [0], twice)
    if not return_indices:
        return values
    first = _engine.array_take(places, [0], twice)
    second = _engine.array_take(places, [0], twice + 1) - ar1.size
    if not assume_unique:
        first, second = _engine.array_take(index1[0], [0], first), _engine.array_take(index2[0], [0], second)
    return values, first, second


def setdiff1d(ar1, ar2, assume_unique=False):
    """The distinct elements of ``ar1`` that ``ar2`` has not, sorted; with ``assume_unique`` as they stand.

    >>> setdiff1d([1, 2, 3], [2])
    array([1, 3])
    """
    ar1 = ravel(asarray(ar1)) if assume_unique else unique(ar1)
    return take(ar1, flatnonzero(isin(ar1, asarray(ar2), invert=True)))


def setxor1d(ar1, ar2, assume_unique=False):
    """The distinct elements that only one of the arrays has, sorted.

    >>> setxor1d([1, 2, 3], [2, 5])
    array([1, 3, 5])
    """
    parts = [ravel(asarray(ar)) if assume_unique else unique(ar) for ar in (ar1, ar2)]
    aux = _sort(concatenate(parts))
    if aux.size < 2:
        return aux
    one = full((1,), True, "bool")
    flag = concatenate((one, not_equal(aux[1:], aux[:-1]), one))
    return take(aux, flatnonzero(logical_and(flag[1:], flag[:-1])))
