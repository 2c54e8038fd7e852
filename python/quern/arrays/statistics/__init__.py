"""Averages and covariances."""


import numpy

from quern.arrays.core import _axes, _check_cast, _dtype_name, _numpy_dtype, asarray
from quern.arrays.creation import full
from quern.arrays.manipulation import broadcast_to
from quern.arrays.mathematics.reductions import mean as _mean
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
