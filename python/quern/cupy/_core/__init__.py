"""cupy._core, which older programs call cupy.core: what programs take from CuPy's insides."""

from quern.arrays.ufuncs import ufunc  # noqa: F401
from quern.cupy._array import ndarray  # noqa: F401
from quern.cupy._core import core, dlpack  # noqa: F401
from quern.cupy._core._typed import create_reduction_func, create_ufunc  # noqa: F401
from quern.cupy._core.core import array, ascontiguousarray  # noqa: F401
from quern.cupy._kernels import ElementwiseKernel, ReductionKernel  # noqa: F401
