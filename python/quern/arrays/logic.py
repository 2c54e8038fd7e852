"""Tests: near, equal, contained, complex, infinite."""

import numpy

from quern.arrays.core import asarray
from quern.arrays.creation import ones, zeros
from quern.arrays.data_types import _kind
from quern.arrays.mathematics import equal, imag, isinf, isnan, logical_and, logical_not, signbit
from quern.arrays.mathematics.reductions import all as _all


def array_equal(a1, a2, equal_nan=False):
    """Have both arrays one shape and equal elements (``equal_nan``: NaN equals NaN)? A bool of Python's.

    >>> array_equal([1, 2], [1, 2])
    True
    """
    try:
        a1, a2 = asarray(a1), asarray(a2)
    except (TypeError, ValueError):
        return False
    if a1.shape != a2.shape:
        return False
    same = equal(a1, a2)
    if equal_nan:
        same = same | (isnan(a1) & isnan(a2))
    return bool(_all(same))


def array_equiv(a1, a2):
    """Do both arrays broadcast to one shape, with equal elements? A bool of Python's.

    >>> array_equiv([1, 1], 1)
    True
    """
    try:
        a1, a2 = asarray(a1), asarray(a2)
        numpy.broadcast_shapes(a1.shape, a2.shape)
    except (TypeError, ValueError):
        return False
    return bool(_all(equal(a1, a2)))


def iscomplex(x):
    """Where the imaginary part is not zero.

    >>> iscomplex([1 + 1j, 2])
    array([ True, False])
    """
    x = asarray(x)
    return imag(x) != 0 if _kind(x) == "c" else zeros(x.shape, bool)


def isreal(x):
    """Where the imaginary part is zero.

    >>> isreal([1 + 1j, 2])
    array([False,  True])
    """
    x = asarray(x)
    return imag(x) == 0 if _kind(x) == "c" else ones(x.shape, bool)


def _infinite(x, negative, out):
    x = asarray(x)
    if _kind(x) == "c":
        raise TypeError(f"This operation is not supported for {x.dtype} values because it would be ambiguous.")
    sign = signbit(x) if x._dtype_name != "bool" else zeros(x.shape, bool)
    return logical_and(isinf(x), sign if negative else logical_not(sign), out=out)


def isposinf(x, out=None):
    """Where an element is positive infinity. Raises TypeError for complex numbers.

    >>> isposinf([inf, -inf, 1.0])
    array([ True, False, False])
    """
    return _infinite(x, False, out)


def isneginf(x, out=None):
    """Where an element is negative infinity. Raises TypeError for complex numbers.

    >>> isneginf([inf, -inf, 1.0])
    array([False,  True, False])
    """
    return _infinite(x, True, out)
