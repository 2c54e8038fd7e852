"""CuPy's functions without a NumPy equivalent: what `import cupyx` leads to under `quern run`."""

from quern.cupy._errstate import errstate, geterr, seterr  # noqa: F401
from quern.cupy._kernels import ElementwiseKernel as _ElementwiseKernel
from quern.cupy._runtime_info import get_runtime_info  # noqa: F401
from quern.cupy._scatter import scatter as _scatter
from quern.cupy.cuda import pinned_memory as _pinned
from quern.cupy.cuda._waiting import DeviceSynchronized, allow_synchronize  # noqa: F401
from quern.cupyx import jit, linalg, optimizing, profiler, time  # noqa: F401
from quern.cupyx._generalized import GeneralizedUFunc  # noqa: F401

_INSTEAD = {"scipy": "use SciPy on `x.get()`"}  # for imports of parts
_rsqrt = _ElementwiseKernel("T x", "T y", "y = rsqrt(x)", "cupyx_rsqrt")


def rsqrt(x, out=None):
    """Return the reciprocal of the square root of each element.

    Parameters
    ----------
    x : array_like
        Input array; dtypes other than float32 and float64 are converted to float64.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape of `x`.

    Examples
    --------
    >>> from quern import cupy as cp, cupyx
    >>> cupyx.rsqrt(cp.asarray([1.0, 4.0]))
    array([1. , 0.5])
    """
    from quern import cupy

    x = cupy.asarray(x)
    if x.dtype.kind == "c":
        raise TypeError(f"[cupyx.rsqrt] is not defined for {x.dtype}; pass real numbers")
    if x.dtype.name not in ("float32", "float64"):
        x = x.astype("float64")
    return _rsqrt(x) if out is None else _rsqrt(x, out)


def scatter_add(a, slices, value):
    """Add values to the elements that indices select, in place; an index that occurs several times receives each of its values.

    Parameters
    ----------
    a : ndarray
        Array that is changed.
    slices : index
        Index of `a`: ints, slices, arrays, or a tuple of them.
    value : array_like
        Values that broadcast to the selection.

    Examples
    --------
    >>> from quern import cupy as cp, cupyx
    >>> a = cp.zeros(3)
    >>> cupyx.scatter_add(a, cp.asarray([0, 0, 2]), cp.asarray([1.0, 2.0, 3.0]))
    >>> a
    array([3., 0., 3.])
    """
    _scatter("add", a, slices, value)


def scatter_max(a, slices, value):
    """Write the larger one of values and the elements that indices select, in place; the parameters are those of :func:`scatter_add`.

    Examples
    --------
    >>> from quern import cupy as cp, cupyx
    >>> a = cp.ones(2)
    >>> cupyx.scatter_max(a, cp.asarray([0, 1]), cp.asarray([5.0, 0.0]))
    >>> a
    array([5., 1.])
    """
    _scatter("maximum", a, slices, value)


def scatter_min(a, slices, value):
    """Write the smaller one of values and the elements that indices select, in place; the parameters are those of :func:`scatter_add`.

    Examples
    --------
    >>> from quern import cupy as cp, cupyx
    >>> a = cp.ones(2)
    >>> cupyx.scatter_min(a, cp.asarray([0, 1]), cp.asarray([5.0, 0.0]))
    >>> a
    array([1., 0.])
    """
    _scatter("minimum", a, slices, value)


def empty_pinned(shape, dtype=float, order="C"):
    """Return a NumPy array in pinned memory, without setting its values.

    Copies between pinned memory and a GPU can be asynchronous.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape of the result.
    dtype : dtype, optional
        Dtype of the result.
    order : {'C', 'F'}, optional
        Memory layout.

    Returns
    -------
    numpy.ndarray
        Array.

    Examples
    --------
    >>> from quern import cupyx
    >>> cupyx.empty_pinned((2, 3)).shape
    (2, 3)
    """
    return _pinned._array(shape, dtype, order)


def zeros_pinned(shape, dtype=float, order="C"):
    """Return a NumPy array of zeros in pinned memory; the parameters are those of :func:`empty_pinned`.

    Examples
    --------
    >>> from quern import cupyx
    >>> cupyx.zeros_pinned(2)
    array([0., 0.])
    """
    out = _pinned._array(shape, dtype, order)
    out.fill(0)
    return out


def empty_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    """Return a NumPy array like another one in pinned memory, without setting its values.

    Parameters
    ----------
    a : array_like
        Array whose shape and dtype the result has.
    dtype : dtype, optional
        Dtype of the result; None is that of `a`.
    order : {'C', 'F', 'A', 'K'}, optional
        Memory layout.
    subok : None, optional
        Accepted for compatibility.
    shape : int or tuple of ints, optional
        Shape of the result; None is that of `a`.

    Returns
    -------
    numpy.ndarray
        Array.

    Examples
    --------
    >>> import numpy
    >>> from quern import cupyx
    >>> cupyx.empty_like_pinned(numpy.ones((2, 3))).shape
    (2, 3)
    """
    if subok is not None:
        raise TypeError("subok is not supported yet")
    if order in ("K", "A", None):
        order = "F" if a.flags.f_contiguous and not a.flags.c_contiguous else "C"
    return _pinned._array(a.shape if shape is None else shape, a.dtype if dtype is None else dtype, order)


def zeros_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    """Return a NumPy array of zeros like another one in pinned memory; the parameters are those of :func:`empty_like_pinned`.

    Examples
    --------
    >>> import numpy
    >>> from quern import cupyx
    >>> cupyx.zeros_like_pinned(numpy.ones(2))
    array([0., 0.])
    """
    out = empty_like_pinned(a, dtype, order, subok, shape)
    out.fill(0)
    return out


def __getattr__(name):
    raise AttributeError(f"module 'cupyx' has no attribute {name!r}: quern does not support it")
