"""Arrays of a certain layout, and questions about the memory of arrays."""

import numpy

from quern.arrays.core import Array, asarray
from quern.arrays.mathematics import isfinite
from quern.arrays.mathematics.reductions import all as _all


def asarray_chkfinite(a, dtype=None, order=None):
    """:func:`asarray`, once the values are found to be finite: this waits for them. Raises ValueError for NaN and infinities.

    >>> asarray_chkfinite([1, 2])
    array([1, 2])
    """
    a = asarray(a, dtype)
    if a.dtype.kind in "fc" and not bool(_all(isfinite(a))):
        raise ValueError("array must not contain infs or NaNs")
    return asarray(a, order=order)


def isfortran(a):
    """Has the array columns without gaps, and not rows?

    >>> isfortran(asfortranarray([[1, 2], [3, 4]]))
    True
    """
    c, fortran = asarray(a)._contiguous
    return bool(fortran and not c)


def shares_memory(a, b, /, max_work=-1):
    """Is there a byte that both arrays show? Exact; nothing is copied.

    Raises numpy.exceptions.TooHardError when ``max_work`` steps do not tell; -1: as many as it takes; 0: as may_share_memory().

    >>> x = zeros(4)
    >>> shares_memory(x[::2], x[1::2]), shares_memory(x, x[1:])
    (False, True)
    """
    if not (isinstance(a, Array) and isinstance(b, Array)):
        return False
    if max_work is None:
        max_work = -1
    if not hasattr(max_work, "__index__"):
        raise ValueError("max_work must be an integer")
    if max_work == 0:
        return a._ranges_meet(b)
    found = a._overlaps(b, max_work)
    if found is None:
        raise numpy.exceptions.TooHardError("[shares_memory] Exceeded max_work")
    return found


def may_share_memory(a, b, /, max_work=0):
    """Do the memory ranges of the arrays overlap? Cheaper than :func:`shares_memory`, and true more often."""
    return isinstance(a, Array) and isinstance(b, Array) and a._ranges_meet(b)


_NEEDS = {"C": "C", "CONTIGUOUS": "C", "C_CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F"}
_HOLDS = ("A", "ALIGNED", "W", "WRITEABLE", "O", "OWNDATA", "E", "ENSUREARRAY")


def require(a, dtype=None, requirements=None, *, like=None):
    """The array with a type and layout: ``requirements`` are of "C", "F", and those of NumPy's that hold anyhow.

    Raises ValueError for both "C" and "F", KeyError for what is no requirement.
    """
    if isinstance(requirements, str):
        requirements = [requirements]
    wanted = {name.upper() for name in requirements or ()}
    for name in wanted:
        if name not in _NEEDS and name not in _HOLDS:
            raise KeyError(name)
    orders = {_NEEDS[name] for name in wanted if name in _NEEDS}
    if len(orders) > 1:
        raise ValueError('Cannot specify both "C" and "F" order')
    out = asarray(a, dtype, orders.pop() if orders else "K")
    return out.copy("K") if wanted & {"O", "OWNDATA"} and out is a else out
