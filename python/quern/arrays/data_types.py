"""Questions about data types: NumPy's own answers, for the types of arrays."""

import builtins

import ml_dtypes
import numpy

from quern.arrays.core import Array


def _plain(value):
    """What NumPy's functions of types may see: an array's type instead of the array."""
    return value.dtype if isinstance(value, Array) else value


def _kind(a):
    """The kind of an array's type as NumPy names it; bfloat16 is a float."""
    return "f" if a._dtype_name == "bfloat16" else a.dtype.kind


def result_type(*arrays_and_dtypes):
    """Return the dtype of an operation's result on these arrays, dtypes and Python numbers (which are weak).

    Parameters
    ----------
    *arrays_and_dtypes : array, scalar or dtype, optional
        Operands whose common dtype is returned.

    Returns
    -------
    dtype
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.result_type(qn.zeros(3, "float32"), 2.0)
    dtype('float32')
    """
    return numpy.result_type(*(_plain(a) for a in arrays_and_dtypes))


def can_cast(from_, to, casting="safe"):
    """Return whether the rule ``casting`` allows to convert a dtype (or an array's) to ``to``.

    Parameters
    ----------
    from_ : dtype, scalar or array_like
        Dtype or array to cast from.
    to : dtype
        Dtype to cast to.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
        Which conversions of dtypes are allowed.

    Returns
    -------
    bool
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.can_cast("int32", "float64")
    True
    """
    return numpy.can_cast(_plain(from_), _plain(to), casting)


def promote_types(type1, type2):
    """Return the smallest dtype to which both dtypes convert safely.

    Parameters
    ----------
    type1 : dtype
        First dtype.
    type2 : dtype
        Second dtype.

    Returns
    -------
    dtype
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.promote_types("int32", "float32")
    dtype('float64')
    """
    return numpy.promote_types(_plain(type1), _plain(type2))


def min_scalar_type(a):
    """Return the smallest dtype that holds a number; of an array with dimensions its dtype.

    An array without dimensions is read.

    Parameters
    ----------
    a : array_like
        Input array.

    Returns
    -------
    dtype
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.min_scalar_type(300)
    dtype('uint16')
    """
    if isinstance(a, Array):
        return numpy.min_scalar_type(numpy.asarray(a)) if a.ndim == 0 else a.dtype
    return numpy.min_scalar_type(a)


def common_type(*arrays):
    """Return the common inexact dtype of arrays, as a scalar type.

    Parameters
    ----------
    *arrays : sequence of array_like, optional
        Input arrays.

    Returns
    -------
    dtype
        The result, as described above.

    Raises
    ------
    TypeError
        For bools.

    Examples
    --------
    >>> import quern as qn
    >>> qn.common_type(qn.zeros(2, "float32"), qn.zeros(2, int)) is qn.float64
    True
    """
    return numpy.common_type(*(numpy.empty(0, _plain(a)) if isinstance(a, Array) else numpy.asarray(a) for a in arrays))


def finfo(dtype):
    """Return the limits of a floating-point dtype, as NumPy's finfo: ``eps``, ``max``, ``bits`` and others.

    Parameters
    ----------
    dtype : dtype, str or array_like
        Floating-point or complex dtype, its name, or an array of it.

    Returns
    -------
    numpy.finfo
        The limits.

    Raises
    ------
    ValueError
        For a dtype without fractions.

    Examples
    --------
    >>> import quern as qn
    >>> qn.finfo("bfloat16").bits
    16
    """
    dtype = _plain(dtype)
    return ml_dtypes.finfo(dtype) if numpy.dtype(dtype) == ml_dtypes.bfloat16 else numpy.finfo(dtype)


def isscalar(element):
    """Return whether this is a number (or str) rather than an array; 0-d arrays are arrays.

    Parameters
    ----------
    element : object
        Value that is tested.

    Returns
    -------
    bool
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.isscalar(3.0), qn.isscalar(qn.asarray(3.0))
    (True, False)
    """
    return numpy.isscalar(element)


def iscomplexobj(x):
    """Return whether ``x`` has a complex dtype, whatever the values.

    Parameters
    ----------
    x : array_like
        Input array.

    Returns
    -------
    bool
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.iscomplexobj(qn.zeros(2, complex))
    True
    """
    return builtins.bool(numpy.iscomplexobj(numpy.empty(0, x.dtype) if isinstance(x, Array) else x))


def isrealobj(x):
    """Return whether ``x`` has a dtype that is not complex, whatever the values.

    Parameters
    ----------
    x : array_like
        Input array.

    Returns
    -------
    bool
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.isrealobj(qn.zeros(2, complex))
    False
    """
    return not iscomplexobj(x)
