"""Ranges, averages, what leaves NaN out, and covariances."""


import numpy

from quern.arrays.core import _axes, _check_cast, _dtype_name, _numpy_dtype, asarray
from quern.arrays.creation import full
from quern.arrays.data_types import _kind
from quern.arrays.manipulation import broadcast_to
from quern.arrays.mathematics import conjugate, isnan, logical_not, sqrt, where
from quern.arrays.mathematics.reductions import _fitted
from quern.arrays.mathematics.reductions import all as _all
from quern.arrays.mathematics.reductions import max as _max
from quern.arrays.mathematics.reductions import mean as _mean
from quern.arrays.mathematics.reductions import min as _min
from quern.arrays.mathematics.reductions import prod as _prod
from quern.arrays.mathematics.reductions import sum as _sum
from quern.arrays.mathematics.reductions import var as _var
from quern.lib import _engine
from quern.user_files import warn_user


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """The average over ``axis``, in which elements count as much as their ``weights`` say.

    Parameters: ``weights``: of the shape of ``a``, or of the axes that go; ``returned``: the sum of the weights as well.
    Returns an array, or two. Raises ZeroDivisionError where the weights' sum is zero (they are looked at for that), ValueError
    and TypeError for weights whose shape does not fit.

    >>> average([1.0, 2.0], weights=[3, 1])
    array(1.25)
    """
    a = asarray(a)
    if axis is not None:
        axis = tuple(_axes(axis, a.ndim))
    if weights is None:
        result = _mean(a, axis, keepdims=keepdims)
        total = full((), a.size / result.size if result.size else numpy.nan, result.dtype) if returned else None
    else:
        result, total = _engine.array_average(a, asarray(weights), axis, bool(keepdims))
    if not returned:
        return result
    return result, total if total.shape == result.shape else broadcast_to(total, result.shape).copy()


# ---- without NaN


def _replaced(a, value):
    """``a`` with ``value`` for NaN, and where those are; None where the type has no NaN."""
    a = asarray(a)
    if _kind(a) not in "fc":
        return a, None
    mask = isnan(a)
    return where(mask, value, a), mask


def nansum(a, axis=None, dtype=None, out=None, keepdims=False):
    """The sum over ``axis`` with zero in place of NaN.

    >>> nansum([1.0, nan])
    array(1.)
    """
    return _sum(_replaced(a, 0)[0], axis, dtype, out, keepdims)


def nanprod(a, axis=None, dtype=None, out=None, keepdims=False):
    """The product over ``axis`` with one in place of NaN.

    >>> nanprod([2.0, nan])
    array(2.)
    """
    return _prod(_replaced(a, 1)[0], axis, dtype, out, keepdims)


def _extreme(function, a, axis, out, keepdims, least):
    a, mask = _replaced(a, least)
    result = function(a, axis, None, keepdims)
    if mask is not None:
        result = where(_all(mask, axis, None, keepdims), numpy.nan, result)
    return _fitted(result, out)


def nanmax(a, axis=None, out=None, keepdims=False):
    """The largest element over ``axis`` that is not NaN; NaN where there is none. Raises ValueError for nothing to choose from.

    >>> nanmax([1.0, nan])
    array(1.)
    """
    least = complex(-numpy.inf, -numpy.inf) if asarray(a).dtype.kind == "c" else -numpy.inf
    return _extreme(_max, a, axis, out, keepdims, least)


def nanmin(a, axis=None, out=None, keepdims=False):
    """The smallest element over ``axis`` that is not NaN; NaN where there is none. Raises ValueError for nothing to choose from.

    >>> nanmin([1.0, nan])
    array(1.)
    """
    most = complex(numpy.inf, numpy.inf) if asarray(a).dtype.kind == "c" else numpy.inf
    return _extreme(_min, a, axis, out, keepdims, most)


def _check_inexact(dtype, out):
    if dtype is not None and numpy.dtype(dtype).kind not in "fc":
        raise TypeError("If a is inexact, then dtype must be inexact")
    if out is not None and out.dtype.kind not in "fc":
        raise TypeError("If a is inexact, then out must be inexact")


def _divided(total, count):
    return (total / count).astype(total._dtype_name, copy=False)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False):
    """The mean over ``axis`` of what is not NaN; NaN where there is nothing.

    Raises TypeError for a ``dtype`` or ``out`` of integers where ``a`` is inexact.

    >>> nanmean([1.0, nan, 3.0])
    array(2.)
    """
    a, mask = _replaced(a, 0)
    if mask is None:
        return _mean(a, axis, dtype, out, keepdims)
    _check_inexact(dtype, out)
    count = _sum(logical_not(mask), axis, "int64", keepdims=keepdims)
    return _fitted(_divided(_sum(a, axis, dtype, None, keepdims), count), out)


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The variance over ``axis`` of what is not NaN, over their number less ``ddof``; NaN where that is not positive.

    Raises TypeError for a ``dtype`` or ``out`` of integers where ``a`` is inexact.

    >>> nanvar([1.0, nan, 3.0])
    array(1.)
    """
    a, mask = _replaced(a, 0)
    if mask is None:
        return _var(a, axis, dtype, out, ddof, keepdims)
    _check_inexact(dtype, out)
    count = _sum(logical_not(mask), axis, "int64", keepdims=True)
    mean = _divided(_sum(a, axis, dtype, None, True), count)
    far = where(mask, 0, (a - mean).astype(a._dtype_name, copy=False))
    squares = (far * conjugate(far)).real if _kind(far) == "c" else far * far
    total = _sum(squares, axis, dtype, None, keepdims)
    left = (count if keepdims else count.reshape(total.shape)) - ddof
    return _fitted(where(left <= 0, numpy.nan, _divided(total, left)), out)


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The standard deviation over ``axis`` of what is not NaN: the root of :func:`nanvar`.

    >>> nanstd([1.0, nan, 3.0])
    array(1.)
    """
    return _fitted(sqrt(nanvar(a, axis, dtype, None, ddof, keepdims)), out)


# ---- covariances


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """The covariances of variables, which are the rows of ``m`` (and ``y``), or the columns unless ``rowvar``.

    Parameters: ``ddof``: the sum is divided by the number of observations less this (default 1, with ``bias`` 0); ``fweights``:
    how often each observation was made, ``aweights``: how much it counts (both are looked at); ``dtype``: at least float64 by
    default. Raises ValueError, TypeError and RuntimeError for arguments that do not fit.

    >>> cov([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    if ddof is None:
        ddof = 0 if bias else 1
    weights = [None if w is None else asarray(w, float) for w in (fweights, aweights)]
    m, y, name = asarray(m), None if y is None else asarray(y), None if dtype is None else _dtype_name(dtype)
    if name is not None and _numpy_dtype(name).kind in "biu":  # what the means, which have fractions, are subtracted in
        _check_cast(numpy.dtype(float), _numpy_dtype(name), "same_kind")
    result, is_degenerate = _engine.array_covariance(m, y, bool(rowvar), ddof, *weights, name)
    if is_degenerate:
        warn_user("Degrees of freedom <= 0 for slice", RuntimeWarning)
    return result


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """The correlation coefficients of variables: :func:`cov` divided by the standard deviations, limited to [-1, 1].

    >>> corrcoef([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    return _engine.array_correlation(cov(x, y, rowvar, dtype=dtype))
