"""Arrays on the device, in Numba's way: to_device, device_array, DeviceNDArray."""

from __future__ import annotations

import ctypes

import numpy

from quern.arrays import core as _core
from quern.arrays.creation import empty as _empty
from quern.arrays.shapes import _known
from quern.device import current_device
from quern.lib import _engine


class DeviceNDArray(_core.Array):
    """An array on the device: the same memory as ``quern.Array``, under Numba's names.

    Parts of it (``a[1:]``, ``a.reshape(...)``, ``a.T``) share its memory; a single element is a NumPy scalar.
    """

    __slots__ = ()

    def __getitem__(self, key):
        places = key if type(key) is tuple else (key,)
        if len(places) == self.ndim and all(type(k) is int for k in places):
            # A view, which is read where it lies: the value is looked at now.
            return _core.asnumpy(super().__getitem__((*places, ...)))[()]
        part = super().__getitem__(key)
        return part if part.ndim else _core.asnumpy(part)[()]

    def getitem(self, item, stream=0):
        """``array[item]``; its work is in order on any stream."""
        return self[item]

    def setitem(self, key, value, stream=0):
        """``array[key] = value``; its work is in order on any stream."""
        self[key] = value

    def copy_to_host(self, ary=None, stream=0):
        """The values as a NumPy array, or in the NumPy array ``ary``, which is returned; this waits for them.

        Raises TypeError or ValueError where ``ary`` has another type, shape or number of elements.
        """
        host = _core.asnumpy(self)
        if ary is None:
            return host
        _check_like(self, ary)
        ary[...] = host.reshape(ary.shape)
        return ary

    def copy_to_device(self, ary, stream=0):
        """Takes the values of ``ary``, an array of the host or the device with the same type and number of elements."""
        if ary is self:
            return
        if not isinstance(ary, _core.Array):
            ary = numpy.asarray(ary) if not hasattr(ary, "__cuda_array_interface__") else _core.asarray(ary)
        _check_like(self, ary)
        _core.Array.__setitem__(self, ..., ary.reshape(self.shape) if self.shape != ary.shape else ary)

    def split(self, section, stream=0):
        """Parts of ``section`` elements each, one after the other, of an array of one dimension."""
        if self.ndim != 1:
            raise ValueError("only support 1d array")
        if section == self.size:
            yield self
            return
        for start in range(0, self.size, section):
            yield self[start : start + section]

    def ravel(self, order="C", stream=0):
        """One dimension, over the same memory. Raises NotImplementedError where that needs a copy."""
        if not (self.is_c_contiguous() if order == "C" else self.is_f_contiguous()):
            raise NotImplementedError("the operation requires an array without gaps in that order; copy it first")
        return (self if order == "C" else self.transpose()).reshape(-1)

    def reshape(self, *newshape, order="C"):
        """Another shape over the same memory, in ``order``. Raises NotImplementedError where that needs a copy."""
        shape = newshape[0] if len(newshape) == 1 and isinstance(newshape[0], (tuple, list)) else newshape
        in_order = self._contiguous[0 if order == "C" else 1]
        if in_order and order == "C":
            return self._reshaped(_known(self, _core._shape(shape)))
        made = super().reshape(tuple(shape), order=order)
        if not in_order:
            # NumPy knows which strides need a copy; it does not look at the values.
            like = numpy.lib.stride_tricks.as_strided(numpy.empty(1, self.dtype), self.shape, self.strides)
            try:
                numpy.reshape(like, made.shape, order=order, copy=False)
            except ValueError:
                raise NotImplementedError("[reshape] this shape needs a copy of the elements; copy the array first") from None
        return made

    def squeeze(self, axis=None, stream=0):
        """Without axes of length 1, or without the axes ``axis``; over the same memory."""
        return super().squeeze(axis)

    def transpose(self, axes=None):
        """The axes in another order, or in reverse; over the same memory."""
        return super().transpose(axes)

    def view(self, dtype):
        """The same bytes as another type; the last axis changes its length where sizes differ. Of a structured type: DeviceRecords."""
        if getattr(dtype, "names", None):
            return _records().records_over(self, dtype)
        return super().view(dtype)

    def __reduce__(self):
        return (to_device, (self.copy_to_host(),))

    def __reduce_ex__(self, protocol):
        return self.__reduce__()

    @property
    def device_ctypes_pointer(self):
        """The address of the first element, as ctypes has it."""
        return ctypes.c_void_p(_engine.device_address(self) if self.size else 0)

    def as_cuda_arg(self):
        """What kernels are given: the array itself."""
        return self

    def is_c_contiguous(self):
        """Do the elements lie in C order, without gaps?"""
        return self._contiguous[0]

    def is_f_contiguous(self):
        """Do the elements lie in Fortran's order, without gaps?"""
        return self._contiguous[1]

    @property
    def alloc_size(self):
        """Bytes of the elements."""
        return self.nbytes

    def bind(self, stream=0):
        """The array itself: its work is in order on any stream."""
        return self

    def get_ipc_handle(self):
        raise NotImplementedError("[DeviceNDArray.get_ipc_handle] memory of several processes is not served")


def _check_like(device_array, other):
    if device_array.dtype != other.dtype:
        raise TypeError(f"[copy] the types differ: {device_array.dtype} on the device, {other.dtype}; convert with astype()")
    if device_array.size != other.size or (device_array.shape != other.shape and other.ndim == device_array.ndim):
        raise ValueError(f"[copy] the shapes differ: {device_array.shape} on the device, {other.shape}")


def prepare_shape_strides_dtype(shape, strides, dtype, order):
    """(shape, strides, dtype) as tuples and NumPy's type; strides of ``order`` "C" or "F" where none are given."""
    dtype = numpy.dtype(dtype)
    if dtype.hasobject:
        raise TypeError(f"[array] {dtype} has Python objects in it; a device has numbers only")
    shape = (int(shape),) if isinstance(shape, (int, numpy.integer)) else tuple(int(n) for n in shape)
    if strides is None:
        sizes = shape[1:] if order == "C" else shape[:-1]
        steps = [dtype.itemsize]
        for n in reversed(sizes) if order == "C" else sizes:
            steps.append(steps[-1] * n)
        strides = tuple(reversed(steps) if order == "C" else steps)[: len(shape)]
    return shape, (strides,) if isinstance(strides, int) else tuple(strides), dtype


def to_device(obj, stream=0, copy=True, to=None):
    """The array ``obj`` on the device.

    Parameters: ``obj``: an array of NumPy's or of the device, or nested sequences; ``stream``: taken, the copy is done when this
    returns; ``copy``: False for ``obj`` itself where it is on the device; ``to``: a DeviceNDArray that takes the values.

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
    if getattr(getattr(obj, "dtype", None), "names", None):
        records = _records().DeviceRecords
        return obj if type(obj) is records and not copy else records.of(obj)
    if not copy and (isinstance(obj, _core.Array) or hasattr(obj, "__cuda_array_interface__")):
        return as_cuda_array(obj)
    host = obj if isinstance(obj, (_core.Array, numpy.ndarray)) or hasattr(obj, "__cuda_array_interface__") else numpy.asarray(obj)
    order = "F" if isinstance(host, numpy.ndarray) and host.flags.f_contiguous and not host.flags.c_contiguous else None
    return _core.asarray(host, order=order, copy=True)._as(DeviceNDArray)


def device_array(shape, dtype=numpy.float64, strides=None, order="C", stream=0):
    """A new array on the device, whose values may be anything.

    Parameters: ``shape``: an int or ints; ``dtype``; ``strides``: in bytes, those of a C or Fortran order; ``order``: "C" or "F".
    """
    shape = _core._shape(shape)
    states = _random_states(dtype, shape)
    if states is not None:
        return states
    if strides is not None:
        wanted = tuple(strides) if not isinstance(strides, int) else (strides,)
        for order in ("C", "F"):
            if numpy.empty(shape, dtype, order=order).strides == wanted:
                break
        else:
            raise NotImplementedError(f"[device_array] strides {wanted} leave gaps; make the array whole and take a part of it")
    if getattr(dtype, "names", None):
        records = _records().DeviceRecords
        return records(shape, dtype) if order == "C" else records(shape[::-1], dtype).T
    return _empty(shape, dtype, order)._as(DeviceNDArray)


def _records():
    from quern.cuda import records  # which is made with DeviceNDArray

    return records


def _random_states(dtype, shape):
    """Memory for the states of random.py, where that is the type; else None."""
    if getattr(dtype, "names", None) != ("s0", "s1"):
        return None
    from quern.cuda import random

    return random._empty_states(*shape) if dtype == random.xoroshiro128p_dtype and len(shape) == 1 else None


def device_array_like(ary, stream=0):
    """A new array of the shape, type and order of ``ary``."""
    order = "F" if ary.ndim > 1 and getattr(ary.flags, "f_contiguous", False) and not ary.flags.c_contiguous else "C"
    return device_array(ary.shape, ary.dtype, order=order)


def is_cuda_array(obj):
    """Has it the CUDA array interface? Arrays of the device have it, also without a GPU."""
    return isinstance(obj, _core.Array) or hasattr(obj, "__cuda_array_interface__")


def as_cuda_array(obj, sync=True):
    """A DeviceNDArray over the memory of an object with ``__cuda_array_interface__``. Raises TypeError for others."""
    if isinstance(obj, DeviceNDArray):
        return obj
    if isinstance(obj, _core.Array):
        return obj._as(DeviceNDArray)
    if not hasattr(obj, "__cuda_array_interface__"):
        raise TypeError("*obj* doesn't implement the cuda array interface.")
    return from_cuda_array_interface(obj.__cuda_array_interface__, owner=obj)


def from_cuda_array_interface(desc, owner=None, sync=True):
    """A DeviceNDArray over the memory that the interface's dict describes; ``owner`` is kept as long as it lives."""
    strides = desc.get("strides")
    address, read_only = desc["data"]
    dtype = numpy.dtype(desc["typestr"])
    if dtype.kind == "V" and len(desc.get("descr") or ()) > 1:
        size = dtype.itemsize
        of_bytes = {**desc, "shape": (*desc["shape"], size), "typestr": "|u1", "strides": None if strides is None else (*strides, 1)}
        memory = from_cuda_array_interface({**of_bytes, "descr": None}, owner)
        return _records().DeviceRecords((), numpy.lib.format.descr_to_dtype(desc["descr"]), memory)
    name = _core._dtype_name(dtype)
    made = _engine.array_alias(
        current_device(), int(address), list(desc["shape"]), None if strides is None else list(strides), name, bool(read_only), owner
    )
    return made._as(DeviceNDArray)
