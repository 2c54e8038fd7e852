"""numpy.pad: an array with a border around it."""

import builtins
import operator

import numpy

from quern.arrays.core import _shape, asarray
from quern.arrays.creation import full
from quern.arrays.elementwise import rint
from quern.arrays.fallback import Unserved
from quern.arrays.reductions import _first_value
from quern.arrays.reductions import max as _max
from quern.arrays.reductions import mean as _mean
from quern.arrays.reductions import min as _min

_OPTIONS = {
    "constant": {"constant_values"},
    "edge": set(),
    "empty": set(),
    "maximum": {"stat_length"},
    "mean": {"stat_length"},
    "minimum": {"stat_length"},
    "reflect": {"reflect_type"},
    "symmetric": {"reflect_type"},
    "wrap": set(),
}


def _pairs(value, ndim, integral=False):
    """``value`` as a (before, after) for each axis; it may be one for all, one pair for all, or one number for each axis."""
    if value is None:
        return [(None, None)] * ndim
    host = numpy.asarray(value)
    if integral:
        host = numpy.round(host).astype(numpy.intp, copy=False)
        if (host < 0).any():
            raise ValueError("index can't contain negative values")
    if host.ndim == 1 and host.size == 2 and ndim == 1:
        return [tuple(host.tolist())]
    return [tuple(pair) for pair in numpy.broadcast_to(host, (ndim, 2)).tolist()]


def _widths(pad_width, ndim):
    if isinstance(pad_width, dict):
        widths = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            widths[operator.index(axis)] = (width, width) if isinstance(width, int) else tuple(width)
        pad_width = widths
    host = numpy.asarray(pad_width)
    if host.dtype.kind != "i":
        raise TypeError("`pad_width` must be of integral type.")
    return _pairs(host, ndim, integral=True)


def _constants(values, a):
    """The (before, after) of each axis as numbers of the array's type, converted as NumPy assigns them."""
    values = numpy.asarray(values)
    name = a._dtype_name
    if values.size == 1 and values.ndim < 3:
        pairs = [(values.reshape(-1)[0],) * 2] * a.ndim
    elif values.size == 2 and values.shape != (2, 1) and values.ndim < 3:
        pairs = [tuple(values.reshape(-1))] * a.ndim
    else:
        pairs = numpy.broadcast_to(values, (a.ndim, 2)).tolist()
    if name == "bfloat16":
        return [tuple(float(number) for number in pair) for pair in pairs]
    with numpy.errstate(all="ignore"):
        return [tuple(_first_value(number, a.dtype) for number in pair) for pair in pairs]


def _bits(constants):
    return [numpy.asarray(number).tobytes() for pair in constants for number in pair]


def _border(constants, mode):
    """What all is filled with at first: the border itself where it is the same everywhere."""
    return constants[0][0] if mode == "constant" and constants and len(set(_bits(constants))) == 1 else 0


def _along(axis, part):
    return (slice(None),) * axis + (part,)


def _typed(number, a):
    """A number of the type of ``a``; it wraps where it does not fit."""
    return numpy.asarray(number).astype(a.dtype)[()]


def _mirrored(a, axis, start, stop, period, skip, odd):
    """Pieces (from, to, elements) that continue ``a`` over [start, stop), mirrored at its ends.

    ``skip``: elements at an end that are not repeated (reflect: 1, symmetric: 0); one there and back is ``period`` long.
    ``odd``: turned at the end element, 2 * end - element, instead of mirrored.
    """
    size = a.shape[axis]
    if odd and a._dtype_name == "bool":
        a = a.astype("int64")
    first, last = (a[_along(axis, slice(n, n + 1))] for n in (0, size - 1)) if odd else (None, None)
    at = start
    while at < stop:
        times, inside = divmod(at, period)
        if inside < size:  # on the way there
            count = builtins.min(size - inside, stop - at)
            piece = a[_along(axis, slice(inside, inside + count))]
            if odd and times:
                piece = piece + _typed(2 * times, a) * (last - first)
        else:  # on the way back
            count = builtins.min(period - inside, stop - at)
            top = size - 1 - skip - (inside - size)
            piece = a[_along(axis, slice(top, top - count if top >= count else None, -1))]
            if odd:
                piece = 2 * last - piece
                if times:
                    piece = piece + _typed(2 * times, a) * (last - first)
        yield at, at + count, piece
        at += count


def pad(array, pad_width, mode="constant", **kwargs):
    """A new array: ``array`` with a border.

    Parameters: ``pad_width``: how many elements before and after: an int, a pair, a pair for each axis, or a dict from axis to
    either; ``mode``: "constant" (``constant_values``, default 0), "edge", "reflect" and "symmetric" (``reflect_type`` "even" or
    "odd"), "wrap", "maximum", "minimum", "mean" (``stat_length``), "empty".
    Raises ValueError for a mode or option that does not exist, negative widths, and an empty axis that there is nothing to
    continue from; TypeError for widths that are no integers; "linear_ramp", "median" and functions run on the host.

    >>> pad([1, 2, 3], 2, mode="reflect")
    array([3, 2, 1, 2, 3, 2, 1])
    """
    a = asarray(array)
    widths = _widths(pad_width, a.ndim)
    if callable(mode) or mode in ("linear_ramp", "median"):
        raise Unserved("native modes are " + ", ".join(_OPTIONS))
    if mode not in _OPTIONS:
        raise ValueError(f"mode '{mode}' is not supported")
    wrong = set(kwargs) - _OPTIONS[mode]
    if wrong:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {wrong}")
    shape = [n + before + after for n, (before, after) in zip(a.shape, widths, strict=True)]
    constants = _constants(kwargs.get("constant_values", 0), a)
    out = full(_shape(shape), _border(constants, mode), a._dtype_name)
    out[tuple(slice(before, before + n) for n, (before, _) in zip(a.shape, widths, strict=True))] = a
    if a.size == 0 and mode not in ("constant", "empty"):
        for axis, (n, width) in enumerate(zip(a.shape, widths, strict=True)):
            if n == 0 and builtins.any(width):
                raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
    if mode == "empty" or (a.size == 0 and mode != "constant") or (mode == "constant" and len(set(_bits(constants))) <= 1):
        return out
    lengths = _pairs(kwargs.get("stat_length"), a.ndim, integral=kwargs.get("stat_length") is not None)
    for axis, (before, after) in enumerate(widths):
        # What lies along this axis: earlier axes with their border, later ones without.
        rest = tuple(slice(b, b + n) for n, (b, _) in zip(a.shape[axis + 1 :], widths[axis + 1 :], strict=True))
        roi = out[(slice(None),) * (axis + 1) + rest]
        size = a.shape[axis]
        known = roi[_along(axis, slice(before, before + size))]
        if mode == "constant":
            pieces = [(-before, 0, constants[axis][0]), (size, size + after, constants[axis][1])]
        else:
            pieces = _pieces(known, axis, before, after, mode, lengths[axis], kwargs.get("reflect_type", "even"))
        for start, stop, value in pieces:
            if stop > start:
                roi[_along(axis, slice(before + start, before + stop))] = value
    return out


def _pieces(known, axis, before, after, mode, lengths, reflect_type):
    size = known.shape[axis]
    sides = ((-before, 0), (size, size + after))
    if mode in ("reflect", "symmetric", "wrap"):
        odd = reflect_type == "odd" and mode != "wrap"
        if mode == "reflect" and size == 1:
            mode = "edge"  # nothing to reflect
        else:
            period, skip = {"reflect": (2 * size - 2, 1), "symmetric": (2 * size, 0), "wrap": (size, 0)}[mode]
            return [p for start, stop in sides for p in _mirrored(known, axis, start, stop, period, skip, odd)]
    if mode == "edge":
        ends = (known[_along(axis, slice(0, 1))], known[_along(axis, slice(size - 1, size))])
        return [(*side, end) for side, end in zip(sides, ends, strict=True)]
    pieces = []
    function = {"maximum": _max, "minimum": _min, "mean": _mean}[mode]
    for side, length, which in zip(sides, lengths, (0, 1), strict=True):
        length = size if length is None else builtins.min(length, size)
        if length == 0 and mode in ("maximum", "minimum"):
            raise ValueError("stat_length of 0 yields no value for padding")
        part = known[_along(axis, slice(0, length) if which == 0 else slice(size - length, size))]
        value = function(part, axis=axis, keepdims=True)
        if mode == "mean" and known.dtype.kind in "iu":
            value = rint(value)
        pieces.append((*side, value))
    return pieces
