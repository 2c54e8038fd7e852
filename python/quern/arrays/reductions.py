"""Sums, means, extremes: what takes axes away."""

import builtins
import math

from quern.arrays.core import _axis, _dtype_name, asarray
from quern.arrays.elementwise import sqrt
from quern.lib import _engine


def _reduce(name, a, axis, keepdims, dtype, out):
    a = asarray(a)
    if axis is None:
        axes = [True] * a.ndim
    else:
        axes = [False] * a.ndim
        for n in axis if isinstance(axis, tuple) else (axis,):
            n = _axis(n, a.ndim)
            if axes[n]:
                raise ValueError("duplicate value in 'axis'")
            axes[n] = True
    result = _engine.array_reduce(name, a, axes, bool(keepdims), "" if dtype is None else _dtype_name(dtype))
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f"output parameter for reduction operation {name} has the wrong shape {out.shape}, not {result.shape}")
    out[...] = result
    return out


def _sum_type(a, dtype):
    if dtype is not None:
        return dtype
    kind = a.dtype.kind
    return {"b": "int64", "i": "int64", "u": "uint64"}.get(kind, a._dtype_name)


def sum(a, axis=None, dtype=None, out=None, keepdims=False):
    """The sum over ``axis`` (an int, a tuple, or None for all). Integers are summed in 64 bits.

    The order of the additions depends on the shape and type alone, so a sum is the same bit for bit however it is computed.
    """
    a = asarray(a)
    return _reduce("sum", a, axis, keepdims, _sum_type(a, dtype), out)


def prod(a, axis=None, dtype=None, out=None, keepdims=False):
    """The product over ``axis``."""
    a = asarray(a)
    return _reduce("product", a, axis, keepdims, _sum_type(a, dtype), out)


def max(a, axis=None, out=None, keepdims=False):
    """The largest element over ``axis``; NaN if there is one."""
    return _reduce("maximum", a, axis, keepdims, None, out)


def min(a, axis=None, out=None, keepdims=False):
    """The smallest element over ``axis``; NaN if there is one."""
    return _reduce("minimum", a, axis, keepdims, None, out)


amax, amin = max, min


def any(a, axis=None, out=None, keepdims=False):
    """Is any element over ``axis`` true?"""
    return _reduce("any", a, axis, keepdims, None, out)


def all(a, axis=None, out=None, keepdims=False):
    """Are all elements over ``axis`` true?"""
    return _reduce("all", a, axis, keepdims, None, out)


def _count(a, axis):
    if axis is None:
        return a.size
    return math.prod(a.shape[_axis(n, a.ndim)] for n in (axis if isinstance(axis, tuple) else (axis,)))


def mean(a, axis=None, dtype=None, out=None, keepdims=False):
    """The arithmetic mean over ``axis``; of integers in float64."""
    a = asarray(a)
    kind = a.dtype.kind
    work = dtype if dtype is not None else "float64" if kind in "biu" else "float32" if a._dtype_name == "float16" else a._dtype_name
    result = sum(a, axis, work, None, keepdims) / _count(a, axis)
    if dtype is None and a._dtype_name == "float16":
        result = result.astype("float16")
    if out is not None:
        out[...] = result
        return out
    return result


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The variance over ``axis``: the mean of the squared distances from the mean, over ``N - ddof``."""
    a = asarray(a)
    far = a - mean(a, axis, dtype, None, True)
    squares = (far * far.conj()).real if far.dtype.kind == "c" else far * far
    work = dtype if dtype is not None else None
    result = sum(squares, axis, work, None, keepdims) / builtins.max(_count(a, axis) - ddof, 0)
    if out is not None:
        out[...] = result
        return out
    return result


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The standard deviation over ``axis``: the root of :func:`var`."""
    result = sqrt(var(a, axis, dtype, None, ddof, keepdims))
    if out is not None:
        out[...] = result
        return out
    return result


def count_nonzero(a, axis=None, *, keepdims=False):
    """How many elements are not zero."""
    return sum(asarray(a).astype(bool), axis, "int64", None, keepdims)
