"""PyCUDA's functions that make arrays: copies of host arrays, filled arrays, ranges. Users import them from gpuarray.py."""

from __future__ import annotations

import numpy as np

from quern import arrays as _arrays
from quern.arrays import core as _core
from quern.device import current_device
from quern.lib import _engine
from quern.pycuda import driver as drv
from quern.pycuda._array import GPUArray, as_gpu, on_stream, placed


def to_gpu(ary, allocator=None):
    """Return a GPUArray with the values of a NumPy array.

    Parameters
    ----------
    ary : array_like
        Values; their shape, dtype and memory order are kept.
    allocator : callable, optional
        Function that returns device memory for a number of bytes, such as ``DeviceMemoryPool().allocate``; None uses
        quern's own pool.

    Returns
    -------
    GPUArray
        Shape and dtype of `ary`.

    Raises
    ------
    TypeError
        For a dtype that device arrays cannot have, such as strings.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> gpuarray.to_gpu(numpy.arange(3)) + 1
    array([1, 2, 3])
    """
    return _sent(ary, allocator, None)


def to_gpu_async(ary, allocator=None, stream=None):
    """Return a GPUArray with the values of a NumPy array, copied in a stream.

    Parameters
    ----------
    ary : array_like
        Values; their shape, dtype and memory order are kept.
    allocator : callable, optional
        Function that returns device memory for a number of bytes, such as ``DeviceMemoryPool().allocate``; None uses
        quern's own pool.
    stream : Stream, optional
        Stream in which the work runs; None is the default stream.

    Returns
    -------
    GPUArray
        Shape and dtype of `ary`.

    Raises
    ------
    TypeError
        For a dtype that device arrays cannot have, such as strings.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> gpuarray.to_gpu_async(numpy.array([1, 2]))
    array([1, 2])
    """
    return _sent(ary, allocator, stream)


def _sent(ary, allocator, stream):
    if hasattr(ary, "__cuda_array_interface__"):
        ary = _core.asnumpy(_core.asarray(ary))
    ary = np.asarray(ary)
    with on_stream(stream):
        if allocator in (None, drv.mem_alloc):
            return as_gpu(_core.asarray(ary))
        out = GPUArray(ary.shape, ary.dtype, allocator, order=_order_of(ary))
        out.set(ary)
        return out


def _order_of(ary):
    return "F" if ary.flags.f_contiguous and not ary.flags.c_contiguous else "C"


def _filled(shape, value, dtype, allocator, order):
    if allocator in (None, drv.mem_alloc):
        if order not in ("C", "F"):
            raise ValueError(f"order must be 'C' or 'F', not {order!r}")
        name, sizes = _core._dtype_name(dtype), _core._shape(shape)
        if any(n < 0 for n in sizes):
            raise ValueError("negative dimensions are not allowed")
        return as_gpu(_engine.array_full(sizes, value, name, current_device(), order, None))
    return GPUArray(shape, dtype, allocator, order=order).fill(value)


def zeros(shape, dtype=np.float64, allocator=None, order="C"):
    """Return a new GPUArray of zeros.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape of the array.
    dtype : dtype, optional
        Dtype of the array.
    allocator : callable, optional
        Function that returns device memory for a number of bytes, such as ``DeviceMemoryPool().allocate``; None uses
        quern's own pool.
    order : {'C', 'F'}, optional
        Memory order.

    Returns
    -------
    GPUArray
        Shape `shape`, in `dtype`.

    Raises
    ------
    ValueError
        For another `order`, or a negative size.

    Examples
    --------
    >>> from quern.pycuda import gpuarray
    >>> gpuarray.zeros(3, "float32")
    array([0., 0., 0.], dtype=float32)
    """
    return _filled(shape, 0, dtype, allocator, order)


def ones(shape, dtype=np.float64, allocator=None, order="C"):
    """Return a new GPUArray of ones.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape of the array.
    dtype : dtype, optional
        Dtype of the array.
    allocator : callable, optional
        Function that returns device memory for a number of bytes, such as ``DeviceMemoryPool().allocate``; None uses
        quern's own pool.
    order : {'C', 'F'}, optional
        Memory order.

    Returns
    -------
    GPUArray
        Shape `shape`, in `dtype`.

    Raises
    ------
    ValueError
        For another `order`, or a negative size.

    Examples
    --------
    >>> from quern.pycuda import gpuarray
    >>> gpuarray.ones(3, "float32")
    array([1., 1., 1.], dtype=float32)
    """
    return _filled(shape, 1, dtype, allocator, order)


def _filled_like(other, value, dtype, order):
    if isinstance(other, np.ndarray):
        order = _order_of(other) if order in "AK" else order
        return _filled(other.shape, value, other.dtype if dtype is None else dtype, None, order)
    name = _core._dtype_name(other.dtype if dtype is None else dtype)
    return placed(_engine.array_full(list(other.shape), value, name, current_device(), order, other), None, other)


def empty_like(other_ary, dtype=None, order="K"):
    """Return a new GPUArray whose values are not set, of the shape of another array.

    Parameters
    ----------
    other_ary : GPUArray or ndarray
        Array whose shape the result has.
    dtype : dtype, optional
        Dtype of the result; None is that of `other_ary`.
    order : {'C', 'F', 'A', 'K'}, optional
        Memory order of the result; "K" keeps that of `other_ary`.

    Returns
    -------
    GPUArray
        Shape of `other_ary`.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> gpuarray.empty_like(numpy.ones((2, 3))).shape
    (2, 3)
    """
    return _filled_like(other_ary, 0, dtype, order)


def zeros_like(other_ary, dtype=None, order="K"):
    """Return a new GPUArray of zeros, of the shape of another array.

    Parameters
    ----------
    other_ary : GPUArray or ndarray
        Array whose shape the result has.
    dtype : dtype, optional
        Dtype of the result; None is that of `other_ary`.
    order : {'C', 'F', 'A', 'K'}, optional
        Memory order of the result; "K" keeps that of `other_ary`.

    Returns
    -------
    GPUArray
        Shape of `other_ary`.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> gpuarray.zeros_like(numpy.ones(2))
    array([0., 0.])
    """
    return _filled_like(other_ary, 0, dtype, order)


def ones_like(other_ary, dtype=None, order="K"):
    """Return a new GPUArray of ones, of the shape of another array.

    Parameters
    ----------
    other_ary : GPUArray or ndarray
        Array whose shape the result has.
    dtype : dtype, optional
        Dtype of the result; None is that of `other_ary`.
    order : {'C', 'F', 'A', 'K'}, optional
        Memory order of the result; "K" keeps that of `other_ary`.

    Returns
    -------
    GPUArray
        Shape of `other_ary`.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> gpuarray.ones_like(numpy.zeros(2))
    array([1., 1.])
    """
    return _filled_like(other_ary, 1, dtype, order)


def arange(*args, **kwargs):
    """Return evenly spaced values in the half-open range [start, stop).

    Called as ``arange([start,] stop[, step], dtype=None, allocator=None, stream=None)``. The dtype may also be the last
    positional argument.

    Parameters
    ----------
    *args, **kwargs
        `start` (by default 0), `stop` and `step` (by default 1) are converted to `dtype` first. `dtype` is that of the
        three numbers unless it is passed; `allocator` is ignored; `stream` is the stream in which the work runs.

    Returns
    -------
    GPUArray
        One-dimensional, in `dtype`.

    Raises
    ------
    ValueError
        Without `stop`, for too many arguments or an unknown keyword.

    Examples
    --------
    >>> from quern.pycuda import gpuarray
    >>> gpuarray.arange(1, 7, 2)
    array([1, 3, 5])
    """
    dtype, stream = kwargs.pop("dtype", None), kwargs.pop("stream", None)
    kwargs.pop("allocator", None)
    names = ("start", "stop", "step")
    if args and (len(args) == 4 or isinstance(args[-1], np.dtype)):
        *args, dtype = args
    if len(args) > 3:
        raise ValueError("arange: too many arguments")
    given = dict(zip(("stop",) if len(args) == 1 else names, args, strict=False))
    for name in names:
        if name in kwargs:
            if name in given:
                raise ValueError(f"arange: got multiple values for argument '{name}'")
            given[name] = kwargs.pop(name)
    if kwargs:
        raise ValueError(f"arange: unexpected keyword argument: {', '.join(kwargs)}")
    if given.get("stop") is None:
        raise ValueError("arange: stop is needed")
    start, stop, step = given.get("start") or 0, given["stop"], 1 if given.get("step") is None else given["step"]
    dtype = np.array([start, stop, step]).dtype if dtype is None else np.dtype(dtype)
    start, stop, step = (dtype.type(n) for n in (start, stop, step))
    with on_stream(stream):
        return as_gpu(_arrays.arange(start, stop, step, dtype=dtype))
