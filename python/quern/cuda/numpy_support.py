"""Types of kernels and NumPy's dtypes: ``numba.np.numpy_support``."""

from __future__ import annotations

import numpy

from quern.cuda.errors import NumbaNotImplementedError
from quern.kernel import types
from quern.kernel.intrinsics import carray, farray


def from_dtype(dtype):
    """The type that values of NumPy's ``dtype`` have in kernels. Raises NumbaNotImplementedError for one that kernels do not have."""
    try:
        return types.of_dtype(dtype)
    except TypeError as e:
        raise NumbaNotImplementedError(f"[from_dtype] {e}") from None


def as_dtype(nbtype):
    """NumPy's dtype of a type of kernels; of an array's, that of its elements. Raises NumbaNotImplementedError where there is none."""
    given = nbtype.dtype if isinstance(nbtype, types.Array) else nbtype
    dtype = getattr(given, "dtype", None)
    if not isinstance(dtype, numpy.dtype):
        raise NumbaNotImplementedError(f"[as_dtype] NumPy has no dtype for {nbtype}")
    return dtype


def is_array(val):
    """Is it a NumPy array?"""
    return isinstance(val, numpy.ndarray)


def as_struct_dtype(rec):
    """NumPy's dtype of a type of records."""
    if not isinstance(rec, types.Record):
        raise TypeError(f"[as_struct_dtype] expected a Record type, not {rec!r}")
    return rec.dtype


from_struct_dtype = from_dtype
numpy_version = tuple(map(int, numpy.__version__.split(".")[:2]))


def map_arrayscalar_type(val):
    """The type of one of NumPy's numbers."""
    return from_dtype(numpy.asarray(val).dtype if not isinstance(val, numpy.generic) else val.dtype)


def map_layout(val):
    """How an array's elements lie: "C", "F" or "A"."""
    return "C" if val.flags["C_CONTIGUOUS"] else "F" if val.flags["F_CONTIGUOUS"] else "A"


def type_can_asarray(arr):
    """Can a value of that type be made an array?"""
    return isinstance(arr, (types.Array, types.Tuple, types.Number))


__all__ = [
    "as_dtype",
    "as_struct_dtype",
    "carray",
    "farray",
    "from_dtype",
    "from_struct_dtype",
    "is_array",
    "map_arrayscalar_type",
    "map_layout",
    "numpy_version",
    "type_can_asarray",
]
