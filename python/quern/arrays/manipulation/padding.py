"""numpy.pad: an array with a border around it."""

import operator

import numpy

from quern.arrays.core import asarray
from quern.arrays.fallback import Unserved
from quern.arrays.mathematics.reductions import _first_value
from quern.lib import _engine

_OPTIONS = {
    "constant": {"constant_values"},
    "edge": set(),
    "empty": set(),
    "linear_ramp": {"end_values"},
    "maximum": {"stat_length"},
    "mean": {"stat_length"},
    "median": {"stat_length"},
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


def pad(array, pad_width, mode="constant", **kwargs):
    """Return a new array: ``array`` with a border.

    Parameters
    ----------
    array : array_like
        Input array.
    pad_width : int or sequence of pairs
        How many elements before and after: an int, a pair, a pair for each axis, or a dict from axis to either.
    mode : str, optional
        "constant" (``constant_values``, default 0), "edge", "reflect" and "symmetric" (``reflect_type`` "even" or
        "odd"), "wrap", "maximum", "minimum", "mean", "median" (``stat_length``), "linear_ramp" (``end_values``),
        "empty"; or a function, which runs on the host.
    **kwargs : dict, optional
        Options of the mode, named above.

    Returns
    -------
    Array
        The result, as described above.

    Raises
    ------
    ValueError
        For a mode or option that does not exist, negative widths, and an empty axis that there is nothing to
        continue from.
    TypeError
        For widths that are not integers.

    Examples
    --------
    >>> import quern as qn
    >>> qn.pad([1, 2, 3], 2, mode="reflect")
    array([3, 2, 1, 2, 3, 2, 1])
    """
    a = asarray(array)
    widths = _widths(pad_width, a.ndim)
    if callable(mode):
        raise Unserved("native modes are " + ", ".join(_OPTIONS))
    if mode not in _OPTIONS:
        raise ValueError(f"mode '{mode}' is not supported")
    wrong = set(kwargs) - _OPTIONS[mode]
    if wrong:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {wrong}")
    lengths = kwargs.get("stat_length")
    lengths = [] if lengths is None else _pairs(lengths, a.ndim, integral=True)
    if mode == "linear_ramp":
        constants = _pairs(kwargs.get("end_values", 0), a.ndim)
    else:
        constants = _constants(kwargs.get("constant_values", 0), a)
    return _engine.array_border(a, widths, mode, constants, lengths, kwargs.get("reflect_type", "even") == "odd")
