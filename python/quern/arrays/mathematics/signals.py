"""Sampled signals: convolve, correlate and interp, made of operations, so that they run where the arrays are and have gradients."""

import numpy

from quern.arrays import fft
from quern.arrays.core import asarray
from quern.arrays.creation import arange, zeros
from quern.arrays.functions import functions
from quern.arrays.indexing import take
from quern.arrays.manipulation import concatenate
from quern.arrays.mathematics import conjugate, isnan, remainder
from quern.lib import _engine

_MODES = ("valid", "same", "full")  # NumPy also takes their numbers
# More products than these are slower than transforms of both.
_MOST_PRODUCTS = 1 << 22


def _mode_of(mode):
    if mode in _MODES:
        return mode
    if isinstance(mode, int) and 0 <= mode < 3:
        return _MODES[mode]
    raise ValueError(f"Use one of 'valid', 'same', or 'full' for convolve/correlate mode, not {mode!r}")


def _pair(a, v, empty):
    a, v = (x if x.ndim else x._reshaped([1]) for x in (asarray(a), asarray(v)))
    if a.ndim > 1 or v.ndim > 1:
        raise ValueError("object too deep for desired array")
    for x, name in ((a, empty[0]), (v, empty[1])):
        if x.size == 0:
            raise ValueError(f"{name} cannot be empty")
    return a, v


def _sums(a, v, mode):
    """sum(a[k + i] * v[i]) for all k where the two meet; a is the longer one."""
    n, m = a.size, v.size
    left, right = {"full": (m - 1, m - 1), "same": (m // 2, (m - 1) // 2), "valid": (0, 0)}[mode]
    dtype = numpy.result_type(a.dtype, v.dtype)
    a, v = a.astype(dtype), v.astype(dtype)
    if n * m > _MOST_PRODUCTS and dtype.kind in "fc":
        return _by_transforms(a, v, left, n + left + right - m + 1)
    pieces = [zeros(left, dtype), a, zeros(right, dtype)]
    padded = concatenate([p for p in pieces if p.size]) if left or right else a
    count, total = padded.size - m + 1, None
    each = max(_MOST_PRODUCTS // count, 1)  # so many of v at a time
    for j in range(0, m, each):
        part = v[j : j + each]
        places = arange(j, j + count)._reshaped([count, 1]) + arange(part.size)
        found = take(padded, places) @ part
        total = found if total is None else total + found
    return total


def _by_transforms(a, v, left, count):
    size = 1 << (a.size + v.size - 1).bit_length()
    forward, backward = (fft.fft, fft.ifft) if a.dtype.kind == "c" else (fft.rfft, fft.irfft)
    whole = backward(forward(a, size) * forward(v[::-1], size), size)
    first = v.size - 1 - left
    return whole[first : first + count].astype(a.dtype)


def convolve(a, v, mode="full"):
    """The convolution of two lines: the sums of a[i] * v[k - i].

    Parameters: ``mode``: "full": wherever the two meet; "same": as many as the longer one has; "valid": where both meet wholly.
    Returns an array of the operands' common type. Raises ValueError for what is empty or has more dimensions.

    >>> convolve([1, 2, 3], [0, 1, 2])
    array([0, 1, 4, 7, 6])
    """
    a, v = _pair(a, v, ("a", "v"))
    if v.size > a.size:
        a, v = v, a
    return _sums(a, v[::-1], _mode_of(mode))


def correlate(a, v, mode="valid"):
    """The cross-correlation of two lines: the sums of a[k + i] * conj(v[i]). The parameters are those of :func:`convolve`.

    >>> correlate([1, 2, 3], [0, 1, 2])
    array([8])
    """
    a, v = _pair(a, v, ("first array argument", "second array argument"))
    mode, v = _mode_of(mode), conjugate(v) if v.dtype.kind == "c" else v
    if v.size > a.size:  # the same sums, from the other end
        return _sums(v, a, mode)[::-1].copy()
    return _sums(a, v, mode)


def interp(x, xp, fp, left=None, right=None, period=None):
    """The values at ``x`` of the line through the points (xp, fp).

    Parameters: ``xp``: where the points are, rising; ``fp``: their values, real or complex; ``left``, ``right``: what stands beyond the
    first and the last point, by default their values; ``period``: of x and xp, which then need not rise.
    Returns an array of float64 or complex128 of the shape of ``x``. Raises ValueError for points that are none, and for a period of 0.

    >>> interp([2.5, 9], [1, 2, 3], [3, 2, 0])
    array([1., 0.])
    """
    x, xp, fp = asarray(x), asarray(xp), asarray(fp)
    x, xp, fp = x.astype("float64"), xp.astype("float64"), fp.astype("complex128" if fp.dtype.kind == "c" else "float64")
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        if xp.ndim != 1 or fp.ndim != 1:
            raise ValueError("Data points must be 1-D sequences")
        if xp.shape[0] != fp.shape[0]:
            raise ValueError("fp and xp are not of the same length")
        period, left, right = abs(period), None, None
        x, xp = remainder(x, period), remainder(xp, period)
        order = functions["argsort"](xp)
        xp, fp = take(xp, order), take(fp, order)
        xp = concatenate((xp[-1:] - period, xp, xp[:1] + period))
        fp = concatenate((fp[-1:], fp, fp[:1]))
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("object too deep for desired array")
    n = xp.size
    if n == 0:
        raise ValueError("array of sample points is empty")
    if fp.size != n:
        raise ValueError("fp and xp are not of the same length.")
    left, right = fp[0] if left is None else left, fp[n - 1] if right is None else right
    op = _engine.array_op
    if n == 1:
        return op("where", x > xp[0], right, op("where", x < xp[0], left, fp[0]))
    at = op("minimum", op("maximum", functions["searchsorted"](xp, x, side="right") - 1, 0), n - 2)
    x0, x1, f0, f1 = take(xp, at), take(xp, at + 1), take(fp, at), take(fp, at + 1)
    slope = (f1 - f0) / (x1 - x0)
    made = slope * (x - x0) + f0
    # Where an end is infinite the other one may tell, and equal ends tell in any case.
    other = op("where", isnan(made), slope * (x - x1) + f1, made)
    made = op("where", isnan(other) & ((f0 == f1) | (x == x0)), f0, other)
    made = op("where", x == xp[n - 1], fp[n - 1], made)
    made = op("where", x > xp[n - 1], right, op("where", x < xp[0], left, made))
    return op("where", isnan(x), x, made)
