"""Types of kernels and NumPy's dtypes: ``numba.np.numpy_support``."""

from __future__ import annotations

import numpy

from quern.cuda.errors import NumbaNotImplementedError
from quern.kernel import types


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


__all__ = ["as_dtype", "from_dtype", "is_array"]
