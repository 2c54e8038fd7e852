"""New arrays: filled with a value, ranges, grids. ``device`` (an object or a name of quern.device) says where, else the current one."""

import builtins
import math
import operator

import numpy

from quern.arrays.core import Array, _device, _device_of, _dtype_name, _shape, asarray, looked_at
from quern.device import device_given as _device_given
from quern.device import set_current_device as _set_current_device
from quern.lib import _engine


def _target(device):
    return _device() if device is None else _device_given(device)


_engine.set_front_end("numpy", device=_target)


def _sent(host, device):
    """An array of NumPy's, on the device."""
    if device is None:
        return asarray(host)
    before = _device()
    _set_current_device(_target(device))
    try:
        return asarray(host)
    finally:
        _set_current_device(before)


def _checked(shape):
    shape = _shape(shape)
    if builtins.any(n < 0 for n in shape):
        raise ValueError("negative dimensions are not allowed")
    return shape


def _is_number(value):
    return numpy.isscalar(value) and not isinstance(value, numpy.void) and not isinstance(value, Array)


def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    """An array of ``shape`` in which every element is ``fill_value``.

    Parameters: ``dtype``: by default that of ``fill_value``; ``order``: "C" for rows, "F" for columns without gaps; ``like``
    changes nothing here. Raises ValueError for negative dimensions.

    >>> full(2, 7)
    array([7, 7])
    """
    if not _is_number(fill_value):
        value = asarray(fill_value)
        out = empty(shape, value.dtype if dtype is None else dtype, order, device=device)
        out[...] = value
        return out
    name = _dtype_name(numpy.asarray(fill_value).dtype if dtype is None else dtype)
    return _engine.array_full(_checked(shape), fill_value, name, _target(device), order)


def zeros(shape, dtype=float, order="C", *, device=None, like=None):
    """An array of zeros; see :func:`full`."""
    return full(shape, 0, float if dtype is None else dtype, order, device=device)


def ones(shape, dtype=float, order="C", *, device=None, like=None):
    """An array of ones; see :func:`full`."""
    return full(shape, 1, float if dtype is None else dtype, order, device=device)


def empty(shape, dtype=float, order="C", *, device=None, like=None):
    """An array whose values do not matter (they are zero); see :func:`full`."""
    return full(shape, 0, float if dtype is None else dtype, order, device=device)


def _lies_as(a):
    """An array of the type of ``a``, a NumPy array, whose axes lie as in a copy of it; its values are nobody's."""
    axes = sorted(range(a.ndim), key=lambda axis: -builtins.abs(numpy.empty_like(a, subok=False).strides[axis]))
    turned = empty([a.shape[axis] for axis in axes], a.dtype)
    return turned._transposed([axes.index(axis) for axis in range(a.ndim)])


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of the shape, type and device of ``a`` in which every element is ``fill_value``.

    Parameters: ``dtype``, ``shape``, ``device``: in place of those of ``a``; ``order``: "K" for axes that lie in memory as those of
    ``a``, "C" for rows, "F" for columns, "A" for columns if ``a`` has them.

    >>> full_like([1, 2], 9)
    array([9, 9])
    """
    if device is None and isinstance(a, Array):
        device = _device_of(a)
    if isinstance(a, numpy.ndarray) and a.dtype.isnative:
        if order in ("A", "a"):
            order = "F" if a.flags.fnc else "C"
        a = _lies_as(a)
    a = asarray(a)
    name = a._dtype_name if dtype is None else _dtype_name(dtype)
    sizes = list(a.shape) if shape is None else _checked(shape)
    if not _is_number(fill_value):
        out = _engine.array_full(sizes, 0, name, _target(device), order, a)
        out[...] = asarray(fill_value)
        return out
    return _engine.array_full(sizes, fill_value, name, _target(device), order, a)


def zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Zeros of the shape and type of ``a``; see :func:`full_like`."""
    return full_like(a, 0, dtype, order, subok, shape, device=device)


def ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Ones of the shape and type of ``a``; see :func:`full_like`."""
    return full_like(a, 1, dtype, order, subok, shape, device=device)


def empty_like(prototype, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array like ``prototype`` whose values do not matter; see :func:`full_like`."""
    return full_like(prototype, 0, dtype, order, subok, shape, device=device)


def arange(*args, dtype=None, device=None, like=None, **kwargs):
    """Evenly spaced values in [start, stop): ``arange(stop)``, ``arange(start, stop[, step])``.

    >>> arange(2, 10, 3)
    array([2, 5, 8])
    """
    args = looked_at("arange", *args)
    start, stop, step = (0, *args, 1) if len(args) == 1 else (*args, 1) if len(args) == 2 else args if len(args) == 3 else (None,) * 3
    plain = not kwargs and builtins.all(isinstance(x, (int, float, numpy.integer, numpy.floating)) and x == x for x in (start, stop, step))
    name = "" if not plain else _dtype_name(numpy.result_type(numpy.int64, start, stop, step) if dtype is None else dtype)
    if name not in _range_types or step == 0:
        return _sent(numpy.arange(*args, dtype=dtype, **kwargs), device)  # says what is wrong; other types are made on the host
    count = builtins.max(math.ceil((stop - start) / step), 0)
    if count >= 1 << 63:
        raise ValueError("Maximum allowed size exceeded")
    if name.startswith("float"):
        first, second = numpy.dtype(name).type(start), numpy.dtype(name).type(start + step)
        return _engine.array_range(first.item(), (second - first).item(), count, name, _target(device))
    return _engine.array_range(int(start), int(start + step) - int(start), count, name, _target(device))


_range_types = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "float32", "float64"}


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """``num`` evenly spaced values from ``start`` to ``stop``.

    Parameters: ``endpoint``: is ``stop`` the last one? ``retstep``: the distance as well. Limits in arrays are looked at.

    >>> linspace(0, 1, 3)
    array([0. , 0.5, 1. ])
    """
    is_plain = builtins.all(isinstance(x, (int, float)) for x in (start, stop)) and dtype in (None, float)
    if is_plain and isinstance(num, int) and 1 < num < 1 << 63:
        out = _engine.array_linspace(float(start), float(stop), num, bool(endpoint), _target(device))
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


def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):
    """Ones on the ``k``-th diagonal of an N x M matrix, zeros elsewhere.

    >>> eye(2)
    array([[1., 0.],
           [0., 1.]])
    """
    N, M = _shape(N)[0], None if M is None else _shape(M)[0]
    if isinstance(k, int) and not -(1 << 62) < k < 1 << 62:  # beside every matrix
        return zeros((N, N if M is None else M), dtype, order, device=device)
    if N < 0 or (M or 0) < 0 or numpy.dtype(dtype).kind not in "biufc" or not isinstance(k, int) or order not in ("C", "c"):
        made = _sent(numpy.eye(N, M, k, dtype), device)  # says what is wrong
        out = zeros(made.shape, made.dtype, order, device=device)
        out[...] = made
        return out
    return (arange(N, device=device)[:, None] + k == arange(N if M is None else M, device=device)).astype(dtype)
