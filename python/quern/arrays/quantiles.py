"""Medians, percentiles and quantiles: elements of sorted arrays, and what lies between them."""

import numpy

from quern.arrays.core import Array, _axis, _is_out, asarray, asnumpy
from quern.arrays.creation import full
from quern.arrays.data_types import _kind
from quern.arrays.elementwise import floor, isnan, logical_not, maximum, minimum, where
from quern.arrays.fallback import Unserved
from quern.arrays.picking import take
from quern.arrays.reductions import _given
from quern.arrays.reductions import mean as _mean
from quern.arrays.reductions import sum as _sum
from quern.arrays.shapes import moveaxis, stack
from quern.arrays.sorting import _picked, _sorted_lines

_NONE = numpy._NoValue
# Methods that interpolate: alpha and beta of Hyndman and Fan. "linear" is (1, 1).
_CONTINUOUS = {
    "interpolated_inverted_cdf": (0, 1), "hazen": (0.5, 0.5), "weibull": (0, 0), "median_unbiased": (1 / 3.0, 1 / 3.0),
    "normal_unbiased": (3 / 8.0, 3 / 8.0),
}  # fmt: skip
_OTHERS = ("linear", "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "lower", "higher", "midpoint", "nearest")


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
    n = lines.shape[-1]
    if n == 0:
        return _finished(_mean(lines, -1), [], shape, keepdims, out)
    lines = _sorted_lines(lines)
    result = _mean(lines[..., (n - 1) // 2 : n // 2 + 1], -1)
    if _kind(lines) in "fc":
        last = lines[..., -1]
        result = where(isnan(last), last, result)
    return _finished(result, [], shape, keepdims, out)


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


def _virtual(method, n, q):
    """Where between sorted elements the quantile lies, or its whole place; ``n`` and ``q`` of NumPy's or ours."""
    if method in _CONTINUOUS:
        alpha, beta = _CONTINUOUS[method]
        return n * q + (alpha + q * (1 - alpha - beta)) - 1
    if method == "averaged_inverted_cdf":
        return n * q - 1
    if method in ("inverted_cdf", "closest_observation"):
        index = n * q - 1 if method == "inverted_cdf" else n * q - 1 - 0.5
        below = numpy.floor(index)
        exact = index == below
        if method == "closest_observation":
            exact = exact & (below % 2 == 1)
        return numpy.maximum(numpy.where(exact, below, below + 1).astype(numpy.int64), 0)
    index = (n - 1) * q
    if method == "lower":
        return numpy.floor(index).astype(numpy.int64)
    if method == "higher":
        return numpy.ceil(index).astype(numpy.int64)
    if method == "nearest":
        return numpy.around(index).astype(numpy.int64)
    return 0.5 * (numpy.floor(index) + numpy.ceil(index)) if method == "midpoint" else index


def _weight(method, index, below):
    gamma = index - below
    if method == "averaged_inverted_cdf":
        gamma = numpy.where(gamma == 0, 0.5, 1.0)
    elif method == "midpoint":
        gamma = numpy.where(index % 1 == 0, 0.0, 0.5)
    return numpy.asarray(gamma, dtype=index.dtype)


def _between(low, high, gamma):
    far = high - low
    return where(gamma >= 0.5, high - far * (1 - gamma), low + far * gamma)


def _checked_q(a, q, scale, method, weights):
    if _kind(a) == "c":
        raise TypeError("a must be an array of real numbers")
    if weights is not None:
        raise Unserved("quantiles with weights are not native")
    is_weak = type(q) in (int, float)
    q = asnumpy(q) if isinstance(q, Array) else numpy.asarray(q)
    q = numpy.asarray(numpy.true_divide(q, 100)) if scale == 100 else q
    if not ((q >= 0) & (q <= 1)).all():
        raise ValueError("Percentiles must be in the range [0, 100]" if scale == 100 else "Quantiles must be in the range [0, 1]")
    if method not in _OTHERS and method not in _CONTINUOUS:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {[*_OTHERS, *_CONTINUOUS]}")
    return q, is_weak


def _quantile(a, q, axis, out, method, keepdims, weights, scale):
    a = asarray(a)
    q, is_weak = _checked_q(a, q, scale, method, weights)
    lines, shape = _reduced_lines(a, axis)
    n = lines.shape[-1]
    if n == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    lines = _sorted_lines(lines)
    flat_q = q.reshape(-1)
    index = _virtual(method, n, flat_q)
    if _kind(a) == "b" and index.dtype.kind not in "iu":
        raise TypeError("the quantiles of bools are not defined; convert them to integers first")

    def at(places):
        return moveaxis(take(lines, places, -1), -1, 0)

    if index.dtype.kind in "iu":
        result = at(asarray(index))
    else:
        below = numpy.floor(index)
        above = below + 1
        below, above = (numpy.where(index >= n - 1, -1, numpy.where(index < 0, 0, side)) for side in (below, above))
        gamma = _weight(method, index, below)
        low, high = at(asarray(below.astype(numpy.int64))), at(asarray(above.astype(numpy.int64)))
        if is_weak:
            result = _between_weak(low, high, float(gamma[0]))
        else:
            result = _between(low, high, asarray(gamma)._reshaped([flat_q.size] + [1] * (lines.ndim - 1)))
    if _kind(lines) == "f":
        last = lines[..., -1]
        result = where(isnan(last), last.astype(result._dtype_name), result)
    result = result._reshaped([*q.shape, *result.shape[1:]])
    return _finished(result, q.shape, shape, keepdims, out, "same_kind")


def _between_weak(low, high, gamma):
    """With a weight that is a number, the result keeps the type of the elements where they are inexact."""
    far = high - low
    return high - far * (1 - gamma) if gamma >= 0.5 else low + far * gamma


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
    if _kind(a) != "f":
        return _quantile(a, q, axis, out, method, keepdims, weights, scale)
    q, is_weak = _checked_q(a, q, scale, method, weights)
    if method != "linear" and method not in _CONTINUOUS:
        raise Unserved(f"the method {method!r} without NaN is not native")
    lines, shape = _reduced_lines(a, axis)
    if lines.shape[-1] == 0 or q.size == 0:
        result = full([*q.shape, *lines.shape[:-1]], numpy.nan, a._dtype_name)
        return _finished(result, q.shape, shape, keepdims, out, "same_kind")
    lines, count = _without_nan(lines)
    results = []
    for one in q.reshape(-1).tolist():
        index = _virtual(method, count.astype("float64"), one)
        last = maximum(count - 1, 0)
        below = floor(index).astype("int64")
        low, high = maximum(minimum(below, last), 0), maximum(minimum(below + 1, last), 0)
        gamma = where((index < 0) | (index >= last), 0.0, index - floor(index))
        if is_weak:
            gamma = gamma.astype(a._dtype_name)
        low, high = _picked(lines, low), _picked(lines, high)
        results.append(_between(low, high, gamma)[..., 0])
    result = stack(results)._reshaped([*q.shape, *lines.shape[:-1]])
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
