"""numba.np: types of kernels and NumPy's dtypes, in quern/cuda/numpy_support.py."""

from quern.cuda import numpy_support

__all__ = ["numpy_support"]
