"""numba.np: types of kernels and NumPy's dtypes, in quern/cuda/numpy_support.py; ufunc.py: vectorize and guvectorize."""

from quern.cuda import numpy_support
from quern.numba.np import ufunc

__all__ = ["numpy_support", "ufunc"]
