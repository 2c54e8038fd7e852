"""Tests: near, equal, contained, complex, infinite."""

import numpy

from quern.arrays.core import asarray
from quern.arrays.mathematics import equal, isnan
from quern.arrays.mathematics.reductions import all as _all


def array_equal(a1, a2, equal_nan=False):
    """Return whether both arrays have one shape and equal elements (``equal_nan``: NaN equals NaN), as a bool.

    Parameters
    ----------
    a1 : array_like
        First input array.
    a2 : array_like
        Second input array.
    equal_nan : bool, optional
        Whether NaN equals NaN.

    Returns
    -------
    bool
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.array_equal([1, 2], [1, 2])
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
    """Return whether both arrays broadcast to one shape, with equal elements, as a bool.

    Parameters
    ----------
    a1 : array_like
        First input array.
    a2 : array_like
        Second input array.

    Returns
    -------
    bool
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.array_equiv([1, 1], 1)
    True
    """
    try:
        a1, a2 = asarray(a1), asarray(a2)
        numpy.broadcast_shapes(a1.shape, a2.shape)
    except (TypeError, ValueError):
        return False
    return bool(_all(equal(a1, a2)))


