"""cupy.polynomial.polynomial: values of series in powers of x, and matrices of them."""

import operator as _operator

import numpy

from quern import arrays as _qn
from quern.arrays import fallback as _fallback
from quern.cupy._array import as_ndarray as _as_ndarray
from quern.cupy._array import ndarray as _ndarray
from quern.cupy.polynomial import polyutils as _polyutils


def _inexact(x):
    x = _as_ndarray(_qn.asarray(x))
    return x.astype(float) if x.dtype.kind in "biu" else x


def polyval(x, c, tensor=True):
    """Return values of power series: the sum of ``c[n] * x**n`` over the first axis of `c`, by Horner's rule.

    Parameters
    ----------
    x : array_like
        Where the series are evaluated.
    c : array_like
        Coefficients from the lowest power on; each column is a series.
    tensor : bool, optional
        Whether each series is evaluated at every point; otherwise `x` broadcasts with ``c.shape[1:]``.

    Returns
    -------
    ndarray
        Shape ``c.shape[1:] + x.shape``, or the broadcast shape.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.polynomial.polynomial.polyval(cp.array([0.0, 2.0]), cp.array([1.0, 0.0, 3.0]))
    array([ 1., 13.])
    """
    c, x = _inexact(_qn.array(c, ndmin=1, copy=None)), _as_ndarray(_qn.asarray(x))
    if tensor:
        c = c.reshape(c.shape + (1,) * x.ndim)
    out = c[-1] + x * 0
    for n in range(2, len(c) + 1):
        out = c[-n] + out * x
    return out


def polyvalfromroots(x, r, tensor=True):
    """Return values of polynomials with given roots: the product of ``x - r[n]`` over the first axis of `r`.

    Parameters
    ----------
    x : array_like
        Where the polynomials are evaluated.
    r : array_like
        Roots; each column is a polynomial.
    tensor : bool, optional
        Whether each polynomial is evaluated at every point.

    Returns
    -------
    ndarray
        Shape ``r.shape[1:] + x.shape``, or the broadcast shape.

    Raises
    ------
    ValueError
        For an `x` that has not fewer axes than `r`, without `tensor`.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.polynomial.polynomial.polyvalfromroots(cp.array([0.0, 3.0]), cp.array([1.0, 2.0]))
    array([2., 2.])
    """
    r, x = _inexact(_qn.array(r, ndmin=1, copy=None)), _as_ndarray(_qn.asarray(x))
    if tensor:
        r = r.reshape(r.shape + (1,) * x.ndim)
    elif x.ndim >= r.ndim:
        raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return _as_ndarray(_qn.prod(x - r, axis=0))


def polyvander(x, deg):
    """The matrix of ``x**0 .. x**deg``, along a new last axis.

    Raises TypeError for a degree that is no integer, ValueError for a negative one.
    """
    deg = _operator.index(deg)
    if deg < 0:
        raise ValueError("deg must be non-negative")
    x = _inexact(_qn.array(x, ndmin=1, copy=None))
    powers = [_qn.ones_like(x)]
    for _ in range(deg):
        powers.append(powers[-1] * x)
    return _as_ndarray(_qn.moveaxis(_qn.stack(powers), 0, -1))


def polycompanion(c):
    """The companion matrix of a series, whose eigenvalues are its roots.

    Raises ValueError for fewer than two coefficients.
    """
    (c,) = _polyutils.as_series([c])
    n = len(c) - 1
    if n < 1:
        raise ValueError("Series must have maximum degree of at least 1.")
    out = _as_ndarray(_qn.eye(n, k=-1, dtype=c.dtype))
    out[:, -1] -= c[:-1] / c[-1]
    return out


def __getattr__(name):
    return _fallback.stand_in(numpy.polynomial.polynomial, name, "cupy.polynomial.polynomial", "polynomial.polynomial.", _ndarray)


__name__ = "cupy.polynomial.polynomial"
