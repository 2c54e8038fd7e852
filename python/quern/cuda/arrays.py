"""Arrays on the device, in Numba's way: to_device, device_array and what else makes a DeviceNDArray (ndarray.py)."""

from __future__ import annotations

import numpy

from quern.arrays import core as _core
from quern.arrays.creation import empty as _empty
from quern.cuda import config
from quern.cuda.devices import external_stream
from quern.cuda.ndarray import DeviceNDArray, DeviceRecord, sent, strides_like, times_over, with_stream
from quern.cuda.random import _empty_states, xoroshiro128p_dtype
from quern.lib import _engine


def prepare_shape_strides_dtype(shape, strides, dtype, order):
    """Return (shape, strides, dtype) as tuples and a NumPy dtype; without strides, those of `order` "C" or "F"."""
    dtype = numpy.dtype(dtype)
    if dtype.hasobject:
        raise TypeError(f"[array] {dtype} contains Python objects, which device memory cannot hold")
    shape = (int(shape),) if isinstance(shape, (int, numpy.integer)) else tuple(int(n) for n in shape)
    if strides is None:
        sizes = shape[1:] if order == "C" else shape[:-1]
        steps = [dtype.itemsize]
        for n in reversed(sizes) if order == "C" else sizes:
            steps.append(steps[-1] * n)
        strides = tuple(reversed(steps) if order == "C" else steps)[: len(shape)]
    return shape, (strides,) if isinstance(strides, int) else tuple(strides), dtype


def to_device(obj, stream=0, copy=True, to=None):
    """Copy an array to the device.

    Parameters
    ----------
    obj : array_like
        Array of NumPy or of the device, or nested sequences.
    stream : Stream, optional
        Accepted for compatibility: the copy has ended when the function returns.
    copy : bool, optional
        False returns an array over the memory of `obj` where that is on the device.
    to : DeviceNDArray, optional
        Array on the device that receives the values, instead of a new one.

    Returns
    -------
    DeviceNDArray
        Shape and dtype of `obj`.

    Raises
    ------
    TypeError
        For a dtype that device arrays cannot have, such as strings.
    ValueError
        For a `to` of another shape.

    Examples
    --------
    >>> from quern import cuda
    >>> import numpy as np
    >>> cuda.to_device(np.arange(3)).copy_to_host()
    array([0, 1, 2])
    """
    if to is not None:
        to.copy_to_device(obj)
        return to
    states = _random_states(getattr(obj, "dtype", None), getattr(obj, "shape", ()))
    if states is not None:
        states.copy_to_device(obj)
        return states
    if not copy and (isinstance(obj, _core.Array) or hasattr(obj, "__cuda_array_interface__")):
        return as_cuda_array(obj)
    host = obj if isinstance(obj, (_core.Array, numpy.ndarray)) else as_cuda_array(obj) if is_cuda_array(obj) else numpy.asarray(obj)
    is_record = isinstance(obj, DeviceRecord) or (isinstance(obj, numpy.void) and host.dtype.names is not None)
    return with_stream(sent(host)._as(DeviceRecord) if is_record else sent(host), stream)


def device_array(shape, dtype=numpy.float64, strides=None, order="C", stream=0):
    """Return a new array on the device, whose values are not set.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape of the array.
    dtype : dtype, optional
        Dtype of the array.
    strides : tuple of ints, optional
        Distance of the elements along each axis in bytes, without gaps; None follows `order`.
    order : {'C', 'F'}, optional
        Memory order.
    stream : Stream, optional
        Default stream of later work with the array.

    Returns
    -------
    DeviceNDArray
        Shape `shape`, in `dtype`.

    Raises
    ------
    NotImplementedError
        For strides with gaps.

    Examples
    --------
    >>> from quern import cuda
    >>> cuda.device_array((2, 3), "float32").shape
    (2, 3)
    """
    shape = _core._shape(shape)
    states = _random_states(dtype, shape)
    if states is not None:
        return states
    if not isinstance(dtype, str) or dtype[:1] in "<mM":
        dtype = numpy.dtype(dtype)
        if dtype.kind in "mM":
            return with_stream(times_over(device_array(shape, numpy.int64, strides, order), dtype), stream)
    if strides is not None:
        wanted = tuple(strides) if not isinstance(strides, int) else (strides,)
        axes = range(len(shape))
        if len(wanted) == len(shape):  # of equal strides an axis of one element is the inner one
            axes = sorted(axes, key=lambda i: (-wanted[i], shape[i] == 1))
        made = _empty(tuple(shape[i] for i in axes), dtype).transpose(tuple(map(int, numpy.argsort(axes))))
        if made.strides != wanted:
            raise NotImplementedError(f"[device_array] strides {wanted} leave gaps; create the whole array and slice it")
        return with_stream(made._as(DeviceNDArray), stream)
    return with_stream(_empty(shape, dtype, order)._as(DeviceNDArray), stream)


def _random_states(dtype, shape):
    """Memory for the states of random.py, where that is the type; else None."""
    if getattr(dtype, "names", None) != ("s0", "s1"):
        return None
    return _empty_states(*shape) if dtype == xoroshiro128p_dtype and len(shape) == 1 else None


def device_array_like(ary, stream=0):
    """Return a new array on the device like another, whose values are not set.

    Parameters
    ----------
    ary : array
        Array whose shape, dtype and memory order the result has.
    stream : Stream, optional
        Default stream of later work with the array.

    Returns
    -------
    DeviceNDArray
        Shape and dtype of `ary`; for a record, a record.

    Examples
    --------
    >>> import numpy as np
    >>> from quern import cuda
    >>> cuda.device_array_like(np.ones((2, 3))).shape
    (2, 3)
    """
    if isinstance(ary, (DeviceRecord, numpy.void)):
        return device_array((), ary.dtype)._as(DeviceRecord)
    if ary.flags.c_contiguous or ary.flags.f_contiguous:
        order = "F" if ary.ndim > 1 and not ary.flags.c_contiguous else "C"
        return device_array(ary.shape, ary.dtype, order=order, stream=stream)
    return device_array(ary.shape, ary.dtype, strides=strides_like(ary), stream=stream)


def is_cuda_array(obj):
    """Return whether an object has the CUDA array interface.

    Parameters
    ----------
    obj : object
        Any object.

    Returns
    -------
    bool
        True for arrays of the device, also without a GPU.

    Examples
    --------
    >>> import numpy as np
    >>> from quern import cuda
    >>> cuda.is_cuda_array(np.ones(2))
    False
    """
    return isinstance(obj, _core.Array) or hasattr(obj, "__cuda_array_interface__")


def as_cuda_array(obj, sync=True):
    """Return an array over the memory of an object that has the CUDA array interface.

    Parameters
    ----------
    obj : object
        Object with ``__cuda_array_interface__``, such as an array of another library.
    sync : bool, optional
        Whether the work of the object's stream comes first.

    Returns
    -------
    DeviceNDArray
        View of the memory of `obj`.

    Raises
    ------
    TypeError
        For an object without the interface.

    Examples
    --------
    >>> import quern as qn
    >>> from quern import cuda
    >>> cuda.as_cuda_array(qn.arange(3)).copy_to_host()
    array([0, 1, 2])
    """
    if isinstance(obj, DeviceNDArray):
        return obj
    if isinstance(obj, _core.Array):
        return obj._as(DeviceNDArray)
    if not hasattr(obj, "__cuda_array_interface__"):
        raise TypeError("*obj* doesn't implement the cuda array interface.")
    return from_cuda_array_interface(obj.__cuda_array_interface__, owner=obj, sync=sync)


def _constructed(cls, shape, strides, dtype, stream=0, gpu_data=None):
    """An array of that shape, strides in bytes and dtype: of new memory, or over ``gpu_data``, memory of the device."""
    if gpu_data is None:
        return device_array(shape, dtype, strides, stream=stream)._as(cls)
    return over_memory(gpu_data, shape, strides, dtype, stream)._as(cls)


def _constructed_record(cls, dtype, stream=0, gpu_data=None):
    """A record of that dtype: of new memory, or over ``gpu_data``, memory of the device."""
    return _constructed(cls, (), (), dtype, stream, gpu_data)


# The names in Python's errors of wrong calls.
_constructed.__qualname__, _constructed_record.__qualname__ = "DeviceNDArray.__new__", "DeviceRecord.__new__"
DeviceNDArray.__new__, DeviceRecord.__new__ = _constructed, _constructed_record


def over_memory(memory, shape, strides, dtype, stream=0):
    """A DeviceNDArray over memory of the device, which is kept as long as it."""
    dtype = numpy.dtype(dtype)
    shape, strides = (tuple(n) if isinstance(n, (tuple, list)) else (n,) for n in (shape, strides))
    needed = dtype.itemsize + sum((n - 1) * step for n, step in zip(shape, strides, strict=True)) if 0 not in shape else 0
    if needed > memory.size:
        raise ValueError(f"[DeviceNDArray] {needed} bytes are needed, and gpu_data has {memory.size}")
    desc = {"shape": shape, "strides": strides, "typestr": dtype.str, "descr": dtype.descr, "data": (int(memory), False)}
    return with_stream(from_cuda_array_interface(desc, owner=memory, sync=False), stream)


def from_cuda_array_interface(desc, owner=None, sync=True):
    """Return an array over the memory that a dict of the CUDA array interface describes.

    Parameters
    ----------
    desc : dict
        Value of ``__cuda_array_interface__``.
    owner : object, optional
        Object that is kept alive as long as the array.
    sync : bool, optional
        Whether the work of the stream in `desc` comes first; ``NUMBA_CUDA_ARRAY_INTERFACE_SYNC=0`` disables that.

    Returns
    -------
    DeviceNDArray
        View of the memory.

    Raises
    ------
    NotImplementedError
        For a masked array.
    """
    if not isinstance(desc, dict):
        raise TypeError(f"desc must be a dict, the value of __cuda_array_interface__, not {type(desc).__name__}; use as_cuda_array()")
    if desc.get("mask") is not None:
        raise NotImplementedError("Masked arrays are not supported")
    name = "from_cuda_array_interface"
    device = _core.device_of_interface(desc, "desc" if owner is None else type(owner).__name__, name)
    stream = desc.get("stream")
    if stream and sync and config.CUDA_ARRAY_INTERFACE_SYNC:
        _engine.wait_for_stream(device, int(stream))
    made = _core.alias_of_interface(desc, device, owner, name)
    return with_stream(made._as(DeviceNDArray), external_stream(stream) if stream else 0)
