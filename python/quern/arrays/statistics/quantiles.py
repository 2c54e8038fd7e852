"""Medians, percentiles and quantiles: elements of sorted arrays, and what lies between them."""

import numpy

from quern.arrays.core import _axes, asarray, looked_at
from quern.arrays.data_types import _kind
from quern.arrays.fallback import Unserved
from quern.arrays.mathematics.reductions import _fitted
from quern.lib import _engine

_NONE = numpy._NoValue


def _over(a, axis, keepdims):
    """What a function of the engine goes over, as :func:`reductions._over` has it."""
    named = range(a.ndim) if axis is None else _axes(axis, a.ndim)
    return [n in named for n in range(a.ndim)], keepdims is not _NONE and bool(keepdims), None, None


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The middle of the sorted elements over ``axis``, or the mean of the two in the middle; NaN where there is one.

    Parameters: ``axis``: an int, a tuple, or None for all; ``overwrite_input`` changes nothing.

    >>> median([3, 1, 2, 10])
    array(2.5)
    """
    a = asarray(a)
    return _fitted(_engine.array_median(a, _over(a, axis, keepdims), False), out)


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=_NONE):
    """:func:`median` of what is not NaN; NaN where there is nothing.

    >>> nanmedian([1.0, nan, 3.0])
    array(2.)
    """
    a = asarray(a)
    return _fitted(_engine.array_median(a, _over(a, axis, keepdims), True), out)


def _quantile(a, q, axis, out, method, keepdims, weights, scale, skips_nan=False):
    a = asarray(a)
    if weights is not None:
        raise Unserved("quantiles with weights are not native")
    if skips_nan and a.size and _kind(a) == "f" and not _engine.quantile_interpolates(method):
        raise Unserved(f"the method {method!r} without NaN is not native")
    is_weak = type(q) in (int, float)
    q = numpy.asarray(looked_at("quantile", q)[0])
    if q.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    q = numpy.asarray(numpy.true_divide(q, 100)) if scale == 100 else q
    is_whole = q.dtype.kind in "iub"
    weights = None if is_weak else "float64" if is_whole else q.dtype.name  # what these are computed in
    over = _over(a, axis, keepdims)
    result = _engine.array_quantiles(a, over, q.reshape(-1).tolist(), q.shape, method, is_whole, weights, skips_nan)
    return _fitted(result, out, "same_kind")


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """The percentiles ``q`` (0 to 100) of the elements over ``axis``; see :func:`quantile`.

    >>> percentile([1, 2, 3, 4], 50)
    array(2.5)
    """
    return _quantile(a, q, axis, out, method, keepdims, weights, 100)


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """The quantiles ``q`` (0 to 1) of the elements over ``axis``; NaN where there is one.

    Parameters: ``axis``: an int, a tuple, or None for all; ``method``: how a place between two elements is taken, NumPy's names;
    ``overwrite_input`` changes nothing. Returns an array whose first axes are those of ``q``. Raises ValueError for ``q`` out of
    range and an unknown ``method``, TypeError for complex numbers and bools.

    >>> quantile([1, 2, 3, 4], [0, 0.5])
    array([1. , 2.5])
    """
    return _quantile(a, q, axis, out, method, keepdims, weights, 1)


def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=_NONE, *, weights=None):
    """:func:`percentile` of what is not NaN; NaN where there is nothing.

    >>> nanpercentile([1.0, nan, 3.0], 50)
    array(2.)
    """
    return _quantile(a, q, axis, out, method, keepdims, weights, 100, True)


def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=_NONE, *, weights=None):
    """:func:`quantile` of what is not NaN; NaN where there is nothing.

    >>> nanquantile([1.0, nan, 3.0], 0.5)
    array(2.)
    """
    return _quantile(a, q, axis, out, method, keepdims, weights, 1, True)
