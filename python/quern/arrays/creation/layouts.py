"""Arrays of a certain layout, and questions about the memory of arrays."""

import numpy

from quern.arrays.core import Array, asarray
from quern.arrays.mathematics import isfinite
from quern.arrays.mathematics.reductions import all as _all


def asarray_chkfinite(a, dtype=None, order=None):
    """Return ``a`` as an array, see :func:`asarray`, after a check that the values are finite: this synchronizes.

    Parameters
    ----------
    a : array_like
        Input array.
    dtype : dtype, optional
        Dtype of the result; None infers it from the inputs.
    order : {'C', 'F', 'A', 'K'}, optional
        Memory layout of the result.

    Returns
    -------
    Array
        The result, as described above.

    Raises
    ------
    ValueError
        For NaN and infinities.

    Examples
    --------
    >>> import quern as qn
    >>> qn.asarray_chkfinite([1, 2])
    array([1, 2])
    """
    a = asarray(a, dtype)
    if a.dtype.kind in "fc" and not bool(_all(isfinite(a))):
        raise ValueError("array must not contain infs or NaNs")
    return asarray(a, order=order)


def isfortran(a):
    """Return whether the array is Fortran-contiguous and not C-contiguous.

    Parameters
    ----------
    a : array_like
        Input array.

    Returns
    -------
    bool
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.isfortran(qn.asfortranarray([[1, 2], [3, 4]]))
    True
    """
    c, fortran = asarray(a)._contiguous
    return bool(fortran and not c)


def shares_memory(a, b, /, max_work=-1):
    """Return whether both arrays share a byte of memory: exact; nothing is copied.

    Raises numpy.exceptions.TooHardError when ``max_work`` steps do not tell; -1: as many as it takes; 0: as
    may_share_memory().

    Parameters
    ----------
    a : array_like
        Input array.
    b : array_like
        Second input array.
    max_work : int, optional
        Accepted for compatibility: the answer is exact without it.

    Returns
    -------
    bool
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> x = qn.zeros(4)
    >>> qn.shares_memory(x[::2], x[1::2]), qn.shares_memory(x, x[1:])
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
    """Return whether the memory ranges of the arrays overlap: cheaper than :func:`shares_memory`, and true more often.

    Parameters
    ----------
    a : array_like
        Input array.
    b : array_like
        Second input array.
    max_work : int, optional
        Accepted for compatibility.

    Returns
    -------
    bool
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> x = qn.ones(4)
    >>> qn.may_share_memory(x[:2], x[1:])
    True
    """
    return isinstance(a, Array) and isinstance(b, Array) and a._ranges_meet(b)


_NEEDS = {"C": "C", "CONTIGUOUS": "C", "C_CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F"}
_HOLDS = ("A", "ALIGNED", "W", "WRITEABLE", "O", "OWNDATA", "E", "ENSUREARRAY")


def require(a, dtype=None, requirements=None, *, like=None):
    """Return the array with a dtype and layout: ``requirements`` are "C", "F", and those of NumPy's that always hold.

    Parameters
    ----------
    a : array_like
        Input array.
    dtype : dtype, optional
        Dtype of the result; None infers it from the inputs.
    requirements : str or list of str, optional
        Flags such as 'C', 'F', 'O', 'W' and 'A'.
    like : object, optional
        Accepted for compatibility; must be None.

    Returns
    -------
    Array
        The result, as described above.

    Raises
    ------
    ValueError
        For both "C" and "F".
    KeyError
        For an unknown requirement.

    Examples
    --------
    >>> import quern as qn
    >>> qn.require([[1, 2], [3, 4]], requirements='F').flags.f_contiguous
    True
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
