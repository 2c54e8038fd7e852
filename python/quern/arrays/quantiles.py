"""Medians, percentiles and quantiles: elements of sorted arrays, and what lies between them."""

import numpy

from quern.arrays.core import Array, _axis, _is_out, asarray, asnumpy
from quern.arrays.creation import full
from quern.arrays.data_types import _kind
from quern.arrays.elementwise import isnan, logical_not, maximum, minimum, where
from quern.arrays.fallback import Unserved
from quern.arrays.reductions import _given
from quern.arrays.reductions import mean as _mean
from quern.arrays.reductions import sum as _sum
from quern.arrays.sorting import _picked, _sorted_lines
from quern.arrays.statistics import nanmean
from quern.lib import _engine

_NONE = numpy._NoValue


def _reduced_lines(a, axis):
    """``a`` with all axes that go as its last one, and the shape of the result with ones for them."""
    if axis is None:
        return a._reshaped([a.size]), [1] * a.ndim
    axes = sorted(_axis(n, a.ndim) for n in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    if len(set(axes)) != len(axes):
        raise ValueError("repeated axis")
    kept = [n for n in range(a.ndim) if n not in axes]
    shape = [1 if n in axes else size for n, size in enumerate(a.shape)]
    count = 1
    for n in axes:
        count *= a.shape[n]
    return a._transposed(kept + axes)._reshaped([*(a.shape[n] for n in kept), count]), shape


def _finished(result, first, shape, keepdims, out, casting="unsafe"):
    """``first``: the axes in front that came with q."""
    if keepdims is not _NONE and keepdims:
        result = result._reshaped([*first, *shape])
    if _is_out(out) and not numpy.can_cast(result.dtype, out.dtype, casting):
        raise TypeError(f"Cannot cast output from {result.dtype!r} to {out.dtype!r} with casting rule '{casting}'")
    if out is not None and out.shape != result.shape:
        raise ValueError(f"output parameter has the wrong shape {out.shape}, not {result.shape}")
    return _given(result, out)


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The middle of the sorted elements over ``axis``, or the mean of the two in the middle; NaN where there is one.

    Parameters: ``axis``: an int, a tuple, or None for all; ``overwrite_input`` changes nothing.

    >>> median([3, 1, 2, 10])
    array(2.5)
    """
    lines, shape = _reduced_lines(asarray(a), axis)
    return _finished(_engine.array_median(lines), [], shape, keepdims, out)


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=_NONE):
    """:func:`median` of what is not NaN; NaN where there is nothing.

    >>> nanmedian([1.0, nan, 3.0])
    array(2.)
    """
    a = asarray(a)
    if _kind(a) not in "fc":
        return median(a, axis, out, keepdims=keepdims is not _NONE and keepdims)
    lines, shape = _reduced_lines(a, axis)
    if lines.shape[-1] == 0:
        return _finished(_mean(lines, -1), [], shape, keepdims, out)
    lines, count = _without_nan(lines)
    low, high = maximum((count - 1) // 2, 0), count // 2
    high = minimum(high, lines.shape[-1] - 1)
    pair = [_picked(lines, place) for place in (low, high)]
    wide = [p.astype("float32") for p in pair] if a._dtype_name == "float16" else pair
    result = where(low == high, wide[0], (wide[0] + wide[1]) / 2).astype(a._dtype_name, copy=False)
    return _finished(result[..., 0], [], shape, keepdims, out)


def _without_nan(lines):
    """Sorted lines, and how many of each are numbers, with a last axis of one."""
    return _sorted_lines(lines), _sum(logical_not(isnan(lines)), -1, "int64", keepdims=True)


def _checked_q(a, q, scale, method, weights):
    if _kind(a) == "c":
        raise TypeError("a must be an array of real numbers")
    if weights is not None:
        raise Unserved("quantiles with weights are not native")
    is_weak = type(q) in (int, float)
    q = asnumpy(q) if isinstance(q, Array) else numpy.asarray(q)
    if q.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    q = numpy.asarray(numpy.true_divide(q, 100)) if scale == 100 else q
    if not ((q >= 0) & (q <= 1)).all():
        raise ValueError("Percentiles must be in the range [0, 100]" if scale == 100 else "Quantiles must be in the range [0, 1]")
    return q, is_weak


def _quantile(a, q, axis, out, method, keepdims, weights, scale):
    a = asarray(a)
    q, is_weak = _checked_q(a, q, scale, method, weights)
    lines, shape = _reduced_lines(a, axis)
    result = _engine.array_quantiles(lines, *_given_q(q, is_weak, method), False)
    result = result._in_order("C")._reshaped([*q.shape, *result.shape[1:]])
    return _finished(result, q.shape, shape, keepdims, out, "same_kind")


def _given_q(q, is_weak, method):
    """The engine's arguments of quantiles: as many numbers, the method, are they integers, and what the weights are computed in."""
    is_whole = q.dtype.kind in "iub"
    return q.reshape(-1).tolist(), method, is_whole, None if is_weak else "float64" if is_whole else q.dtype.name


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """The percentiles ``q`` (0 to 100) of the elements over ``axis``; see :func:`quantile`.

    >>> percentile([1, 2, 3, 4], 50)
    array(2.5)
    """
    return _quantile(a, q, axis, out, method, keepdims, weights, 100)


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """The quantiles ``q`` (0 to 1) of the elements over ``axis``; NaN where there is one.

    Parameters: ``axis``: an int, a tuple, or None for all; ``method``: how a place between two elements is taken, NumPy's names;
    ``overwrite_input`` changes nothing. Returns an array whose first axes are those of ``q``. Raises ValueError for ``q`` out of
    range and an unknown ``method``, TypeError for complex numbers and bools.

    >>> quantile([1, 2, 3, 4], [0, 0.5])
    array([1. , 2.5])
    """
    return _quantile(a, q, axis, out, method, keepdims, weights, 1)


def _nanquantile(a, q, axis, out, method, keepdims, weights, scale):
    a = asarray(a)
    if a.size == 0:
        _checked_q(a, q, scale, method, weights)
        return nanmean(a, axis, out=out, keepdims=keepdims is not _NONE and keepdims)  # as NumPy: whatever q is
    if _kind(a) != "f":
        return _quantile(a, q, axis, out, method, keepdims, weights, scale)
    q, is_weak = _checked_q(a, q, scale, method, weights)
    if not _engine.quantile_interpolates(method):
        raise Unserved(f"the method {method!r} without NaN is not native")
    lines, shape = _reduced_lines(a, axis)
    if lines.shape[-1] == 0 or q.size == 0:
        result = full([*q.shape, *lines.shape[:-1]], numpy.nan, a._dtype_name)
        return _finished(result, q.shape, shape, keepdims, out, "same_kind")
    result = _engine.array_quantiles(lines, *_given_q(q, is_weak, method), True)._reshaped([*q.shape, *lines.shape[:-1]])
    return _finished(result, q.shape, shape, keepdims, out, "same_kind")


def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=_NONE, *, weights=None):
    """:func:`percentile` of what is not NaN; NaN where there is nothing.

    >>> nanpercentile([1.0, nan, 3.0], 50)
    array(2.)
    """
    return _nanquantile(a, q, axis, out, method, keepdims, weights, 100)


def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=_NONE, *, weights=None):
    """:func:`quantile` of what is not NaN; NaN where there is nothing.

    >>> nanquantile([1.0, nan, 3.0], 0.5)
    array(2.)
    """
    return _nanquantile(a, q, axis, out, method, keepdims, weights, 1)
