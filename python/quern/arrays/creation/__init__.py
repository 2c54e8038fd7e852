"""New arrays: filled with a value, ranges, grids. ``device`` (an object or a name of quern.device) says where, else the current one."""

import builtins
import operator

import numpy

from quern.arrays.core import _device, asarray, looked_at
from quern.arrays.functions import functions
from quern.device import device_given as _device_given
from quern.device import set_current_device as _set_current_device
from quern.lib import _engine

_engine.set_front_end("numpy", device=_device_given)


def _sent(host, device):
    """An array of NumPy's, on the device."""
    if device is None:
        return asarray(host)
    before = _device()
    _set_current_device(_device_given(device))
    try:
        return asarray(host)
    finally:
        _set_current_device(before)


zeros, ones, empty, full = (functions[name] for name in ("zeros", "ones", "empty", "full"))
zeros_like, ones_like, empty_like, full_like = (functions[name] for name in ("zeros_like", "ones_like", "empty_like", "full_like"))
arange, eye = functions["arange"], functions["eye"]


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """``num`` evenly spaced values from ``start`` to ``stop``.

    Parameters: ``endpoint``: is ``stop`` the last one? ``retstep``: the distance as well. Limits in arrays are looked at.

    >>> linspace(0, 1, 3)
    array([0. , 0.5, 1. ])
    """
    is_plain = builtins.all(isinstance(x, (int, float)) for x in (start, stop)) and dtype in (None, float)
    if is_plain and isinstance(num, int) and 1 < num < 1 << 63:
        out = _engine.array_linspace(float(start), float(stop), num, bool(endpoint), _device_given(device))
        return (out, (float(stop) - float(start)) / (num - 1 if endpoint else num)) if retstep else out
    if _engine.records((start, stop)):
        return _line_between(asarray(start), asarray(stop), operator.index(num), endpoint, retstep, dtype, axis)
    start, stop = looked_at("linspace", start, stop)
    out = numpy.linspace(start, stop, num, endpoint, retstep, dtype, axis)
    return (_sent(out[0], device), out[1]) if retstep else _sent(out, device)


def _line_between(start, stop, num, endpoint, retstep, dtype, axis):
    """linspace() of limits that want a gradient, made of operations."""
    whole = stop - start
    parts = builtins.max(num - 1 if endpoint else num, 1)
    steps = arange(num, dtype="float64")._reshaped([num] + [1] * whole.ndim)
    out = start + whole * (steps / parts)
    if axis not in (0, -out.ndim):
        out = out._transposed([*builtins.range(1, out.ndim)][: axis % out.ndim] + [0] + [*builtins.range(1, out.ndim)][axis % out.ndim :])
    out = out if dtype is None else out.astype(dtype)
    return (out, whole / parts) if retstep else out
