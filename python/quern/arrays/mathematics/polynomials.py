"""Polynomials given by their coefficients, the highest power first."""

import operator

import numpy

from quern.arrays.core import asarray
from quern.arrays.creation import arange, zeros
from quern.arrays.fallback import Unserved
from quern.arrays.manipulation import concatenate
from quern.arrays.mathematics import add, subtract


def polyval(p, x):
    """Evaluate the polynomial with coefficients ``p`` at ``x``, by Horner's rule.

    Parameters
    ----------
    p : float or array_like of floats
        Probability.
    x : array_like
        Input array.

    Returns
    -------
    Array
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.polyval([3, 0, 1], 5)
    array(76)
    """
    if isinstance(p, numpy.poly1d) or isinstance(x, numpy.poly1d):
        raise Unserved("polynomials as objects")
    p, x = asarray(p), asarray(x)
    if p.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    if p.ndim > 1:
        raise Unserved("stacks of coefficients")
    if p.size == 0:
        return zeros(x.shape, x.dtype)
    out = zeros(x.shape, x.dtype)
    for n in range(p.shape[0]):
        out = out * x + p[n]
    return out


def _aligned(a1, a2, op):
    if isinstance(a1, numpy.poly1d) or isinstance(a2, numpy.poly1d):
        raise Unserved("polynomials as objects")
    a1, a2 = (a if a.ndim else a._reshaped([1]) for a in (asarray(a1), asarray(a2)))
    longer = a1.size - a2.size
    if longer > 0:
        a2 = concatenate((zeros(longer, a2.dtype), a2))
    elif longer < 0:
        a1 = concatenate((zeros(-longer, a1.dtype), a1))
    return op(a1, a2)


def polyadd(a1, a2):
    """Return the sum of two polynomials.

    Parameters
    ----------
    a1 : array_like
        First input array.
    a2 : array_like
        Second input array.

    Returns
    -------
    Array
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.polyadd([1, 2], [9, 5, 4])
    array([9, 6, 6])
    """
    return _aligned(a1, a2, add)


def polysub(a1, a2):
    """Return the difference of two polynomials.

    Parameters
    ----------
    a1 : array_like
        First input array.
    a2 : array_like
        Second input array.

    Returns
    -------
    Array
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.polysub([2, 10, -2], [3, 10, -4])
    array([-1,  0,  2])
    """
    return _aligned(a1, a2, subtract)


def polyder(p, m=1):
    """Return the ``m``-th derivative of a polynomial.

    Parameters
    ----------
    p : float or array_like of floats
        Probability.
    m : array_like, optional
        Input array.

    Returns
    -------
    Array
        The result, as described above.

    Raises
    ------
    ValueError
        For a negative ``m``.

    Examples
    --------
    >>> import quern as qn
    >>> qn.polyder([1, 1, 1, 1])
    array([3, 2, 1])
    """
    m = operator.index(m)
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    if isinstance(p, numpy.poly1d):
        raise Unserved("polynomials as objects")
    p = asarray(p)
    for _ in range(m):
        p = p[:-1] * arange(p.size - 1, 0, -1)
    return p
