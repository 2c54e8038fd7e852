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
    """The type that an operation on these arrays, types and Python numbers (which are weak) gives.

    >>> result_type(zeros(3, "float32"), 2.0)
    dtype('float32')
    """
    return numpy.result_type(*(_plain(a) for a in arrays_and_dtypes))


def can_cast(from_, to, casting="safe"):
    """Is the conversion of a type (or an array's) to ``to`` allowed by the rule ``casting``?

    >>> can_cast("int32", "float64")
    True
    """
    return numpy.can_cast(_plain(from_), _plain(to), casting)


def promote_types(type1, type2):
    """The smallest type that both types convert to safely.

    >>> promote_types("int32", "float32")
    dtype('float64')
    """
    return numpy.promote_types(_plain(type1), _plain(type2))


def min_scalar_type(a):
    """The smallest type that holds a number; of an array with dimensions its type. An array without dimensions is read.

    >>> min_scalar_type(300)
    dtype('uint16')
    """
    if isinstance(a, Array):
        return numpy.min_scalar_type(numpy.asarray(a)) if a.ndim == 0 else a.dtype
    return numpy.min_scalar_type(a)


def common_type(*arrays):
    """The inexact type that arrays of numbers have in common, as a scalar type. Raises TypeError for bools.

    >>> common_type(zeros(2, "float32"), zeros(2, int)) is float64
    True
    """
    return numpy.common_type(*(numpy.empty(0, _plain(a)) if isinstance(a, Array) else numpy.asarray(a) for a in arrays))


def finfo(dtype):
    """Limits of a floating-point type (of a type, its name, or an array's): ``eps``, ``max``, ``bits`` ... as NumPy gives them.

    Raises ValueError for a type without fractions.

    >>> finfo("bfloat16").bits
    16
    """
    dtype = _plain(dtype)
    return ml_dtypes.finfo(dtype) if numpy.dtype(dtype) == ml_dtypes.bfloat16 else numpy.finfo(dtype)


def isscalar(element):
    """Is this a number (or text) rather than an array? Arrays without dimensions are not.

    >>> isscalar(3.0), isscalar(asarray(3.0))
    (True, False)
    """
    return numpy.isscalar(element)


def iscomplexobj(x):
    """Has ``x`` a complex type, whatever the values?

    >>> iscomplexobj(zeros(2, complex))
    True
    """
    return builtins.bool(numpy.iscomplexobj(numpy.empty(0, x.dtype) if isinstance(x, Array) else x))


def isrealobj(x):
    """Has ``x`` a type that is not complex, whatever the values?

    >>> isrealobj(zeros(2, complex))
    False
    """
    return not iscomplexobj(x)
