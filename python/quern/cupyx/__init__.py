"""What CuPy keeps beside NumPy's names: what `import cupyx` leads to under `quern run`."""

from quern.cupy._kernels import ElementwiseKernel as _ElementwiseKernel
from quern.cupyx import profiler  # noqa: F401

_rsqrt = _ElementwiseKernel("T x", "T y", "y = rsqrt(x)", "cupyx_rsqrt")


def rsqrt(x, out=None):
    """One over the square root of each element, of float32 and float64 arrays; others are converted to float64.

    Parameters: ``x``: an array; ``out``: an array that takes the result. Returns the result.
    """
    from quern import cupy

    x = cupy.asarray(x)
    if x.dtype.kind == "c":
        raise TypeError(f"[cupyx.rsqrt] is not defined for {x.dtype}; take real numbers")
    if x.dtype.name not in ("float32", "float64"):
        x = x.astype("float64")
    return _rsqrt(x) if out is None else _rsqrt(x, out)


def __getattr__(name):
    raise AttributeError(f"module 'cupyx' has no attribute {name!r} here yet: quern does not serve it")
