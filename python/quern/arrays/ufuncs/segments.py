"""Reductions of parts of an axis (``ufunc.reduceat``), and running results of what the engine has no scan for.

Parts are gathered by their length, so that a few reductions do for all: those of 5 to 8 elements become rows of 8, filled up with what
changes nothing, and so on.
"""

import math

import numpy

from quern.arrays.core import Array, _device_of, asarray, asnumpy
from quern.arrays.creation import empty
from quern.arrays.manipulation import concatenate, moveaxis
from quern.arrays.mathematics import where
from quern.lib import _engine

# Commutative and associative, so that elements may be joined in any order.
HALVED = {"fmax", "fmin", "bitwise_and", "bitwise_or", "bitwise_xor", "logical_xor", "gcd", "lcm", "hypot", "logaddexp", "logaddexp2"}
JOINED = HALVED | {"add", "multiply", "maximum", "minimum", "logical_or", "logical_and"}
# What fills up a part. Others take an element twice without a change.
_FILL = {"add": 0, "multiply": 1, "bitwise_xor": 0, "logical_xor": False, "hypot": 0, "logaddexp": -math.inf, "logaddexp2": -math.inf}
_FILL |= {"subtract": 0, "divide": 1}


def one_axis(axis, ndim, what):
    """The axis of accumulate and reduceat: an int, or a tuple of one; None where there is one."""
    if axis is None:
        axis = tuple(range(ndim))
    if isinstance(axis, tuple):
        if len(axis) != 1:
            raise ValueError(f"{what} does not allow multiple axes")
        (axis,) = axis
    return axis


def starts_of(indices, n, name):
    """The places where parts begin, on the host, checked as NumPy does it."""
    if isinstance(indices, (Array, numpy.ndarray, numpy.generic)):
        starts = asnumpy(indices) if isinstance(indices, Array) else numpy.asarray(indices)
        if not numpy.can_cast(starts.dtype, numpy.int64):
            raise TypeError(f"Cannot cast array data from {starts.dtype!r} to dtype('int64') according to the rule 'safe'")
        starts = starts.astype(numpy.int64, copy=False)
    else:
        starts = numpy.asarray(indices, numpy.int64)
    if starts.ndim != 1:
        raise ValueError(f"object {'too deep' if starts.ndim else 'of too small depth'} for desired array")
    wrong = (starts < 0) | (starts >= n)
    if wrong.any():
        raise IndexError(f"index {starts[wrong][0]} out-of-bounds in {name}.reduceat [0, {n})")
    return starts


def _beside(a, host):
    """Places on the host as an array on the device of ``a``."""
    return asarray(host, device=_device_of(a))


def _picked(lines, places):
    """Elements of the last axis; ``places``: NumPy's, of any shape, which takes the axis' place."""
    picked = _engine.array_take(lines, [lines.ndim - 1], _beside(lines, places))
    if lines.ndim == 1:
        return picked
    front = tuple(range(places.ndim))
    return moveaxis(picked, front, tuple(n + lines.ndim - 1 for n in front))


def reduced_parts(ufunc, lines, starts, dtype):
    """The reductions of the parts of the last axis that begin at ``starts`` (where the next is no later: the element alone).

    ``lines`` have the type that is computed in, ``dtype`` is the results'. None where the parts overlap too much for this.
    """
    n, count, name = lines.shape[-1], len(starts), ufunc.__name__
    if count == 0:
        return empty([*lines.shape[:-1], 0], dtype)
    stops = numpy.append(starts[1:], n)
    lengths = numpy.where(starts < stops, stops - starts, 1)

    def reduced(rows):
        if rows.shape[-1] == 1:
            return rows[..., 0].astype(dtype, copy=False)
        named = {"dtype": dtype} if name in ("add", "multiply") else {}
        return ufunc.reduce(rows, -1, **named).astype(dtype, copy=False)

    first, length = int(starts[0]), int(lengths[0])
    if (lengths == length).all() and (numpy.diff(starts) == length).all():
        return reduced(lines[..., first : first + count * length]._reshaped([*lines.shape[:-1], count, length]))
    widths = 1 << numpy.ceil(numpy.log2(lengths)).astype(numpy.int64)
    if int(widths.sum()) * math.prod(lines.shape[:-1]) > 4 * lines.size + (1 << 24):
        return None
    results, order = [], []
    for width in numpy.unique(widths).tolist():
        here = numpy.flatnonzero(widths == width)
        steps, ends = numpy.arange(width), lengths[here, None]
        rows = _picked(lines, starts[here, None] + numpy.minimum(steps, ends - 1))
        if name in _FILL and (ends < width).any():
            rows = where(_beside(lines, steps < ends), rows, numpy.asarray(_FILL[name]).astype(lines.dtype)[()])
        results.append(reduced(rows))
        order.append(here)
    if len(results) == 1:
        return results[0]
    return _picked(concatenate(results, -1), numpy.argsort(numpy.concatenate(order)))


def doubled(ufunc, lines):
    """Running results along the last axis where the order does not matter: each step joins runs of twice the length."""
    step = 1
    while step < lines.shape[-1]:
        lines = concatenate((lines[..., :step], ufunc(lines[..., :-step], lines[..., step:])), -1)
        step *= 2
    return lines
