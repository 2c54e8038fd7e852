"""cupy._core.core: the array's type, and what makes arrays and code."""

from quern import arrays as _arrays
from quern.cupy._array import as_ndarray, ndarray  # noqa: F401
from quern.cupy._core._typed import create_reduction_func, create_ufunc  # noqa: F401
from quern.cupy._kernels import ElementwiseKernel, ReductionKernel  # noqa: F401
from quern.cupy.cuda.compiler import compile_with_cache  # noqa: F401


def array(obj, dtype=None, copy=True, order="K", subok=False, ndmin=0):
    """See :func:`cupy.array`."""
    return as_ndarray(_arrays.array(obj, dtype, copy=copy, order=order, ndmin=ndmin))


def ascontiguousarray(a, dtype=None):
    """See :func:`cupy.ascontiguousarray`."""
    return as_ndarray(_arrays.ascontiguousarray(a, dtype))
