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
    """One over the square root of each element, of float32 and float64 arrays; others are converted to float64.

    Parameters: ``x``: an array; ``out``: an array that takes the result. Returns the result.
    """
    from quern import cupy

    x = cupy.asarray(x)
    if x.dtype.kind == "c":
        raise TypeError(f"[cupyx.rsqrt] is not defined for {x.dtype}; pass real numbers")
    if x.dtype.name not in ("float32", "float64"):
        x = x.astype("float64")
    return _rsqrt(x) if out is None else _rsqrt(x, out)


def scatter_add(a, slices, value):
    """Adds ``value`` to ``a`` at the places that ``slices`` picks; places that occur more than once get it as often.

    >>> from quern import cupy as cp
    >>> from quern import cupyx
    >>> x = cp.zeros(3)
    >>> cupyx.scatter_add(x, [0, 0, 2], 1)
    >>> x
    array([2., 0., 1.])
    """
    _scatter("add", a, slices, value)


def scatter_max(a, slices, value):
    """Takes the larger of the element and ``value`` at the places that ``slices`` picks."""
    _scatter("maximum", a, slices, value)


def scatter_min(a, slices, value):
    """Takes the smaller of the element and ``value`` at the places that ``slices`` picks."""
    _scatter("minimum", a, slices, value)


def empty_pinned(shape, dtype=float, order="C"):
    """A new NumPy array in pinned memory, which copies can be asynchronous with; its values are anything."""
    return _pinned._array(shape, dtype, order)


def zeros_pinned(shape, dtype=float, order="C"):
    """A new NumPy array of zeros in pinned memory."""
    out = _pinned._array(shape, dtype, order)
    out.fill(0)
    return out


def empty_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    """A new NumPy array like ``a`` in pinned memory; its values are anything. ``order``: "K" and "A" as ``a`` has it."""
    if subok is not None:
        raise TypeError("subok is not supported yet")
    if order in ("K", "A", None):
        order = "F" if a.flags.f_contiguous and not a.flags.c_contiguous else "C"
    return _pinned._array(a.shape if shape is None else shape, a.dtype if dtype is None else dtype, order)


def zeros_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    """A new NumPy array of zeros like ``a`` in pinned memory."""
    out = empty_like_pinned(a, dtype, order, subok, shape)
    out.fill(0)
    return out


def __getattr__(name):
    raise AttributeError(f"module 'cupyx' has no attribute {name!r}: quern does not support it")
