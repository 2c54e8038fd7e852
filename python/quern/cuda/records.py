"""Arrays of records on the device: bytes of quern's, and NumPy's structured type that says what they mean. Kernels take them.

The bytes are an array of one dimension more, a record's bytes along the last axis: parts, other shapes and orders are its views.
"""

from __future__ import annotations

import math

import numpy

from quern.arrays import core as _core
from quern.arrays.creation import empty as _empty
from quern.arrays.manipulation import _known
from quern.cuda.ndarray import DeviceNDArray


class DeviceRecords:
    """What ``cuda.to_device`` and ``cuda.device_array`` make for a structured type; ``isinstance`` says DeviceNDArray, whose names it has.

    ``a[i]`` is a copy of one record; ``a[1:5]``, ``a["field"]``, ``a.T`` see the same memory. On the host nothing is computed with it.

    >>> import numpy as np
    >>> from quern import cuda
    >>> a = cuda.to_device(np.array([(1, 2.5), (3, 4.5)], [("n", np.int32), ("x", np.float64)]))
    >>> a[1].item()
    (3, 4.5)
    >>> a["x"].copy_to_host()
    array([2.5, 4.5])
    """

    # The engine's arrays are of numbers, so it is none of them; Python asks here what it is.
    __class__ = property(lambda self: DeviceNDArray)

    def __init__(self, shape, dtype, memory=None):
        self.dtype = numpy.dtype(dtype)
        if self.dtype.hasobject:
            raise TypeError(f"[records] {self.dtype} has Python objects in it; a device has numbers only")
        self._bytes = _empty((*shape, self.dtype.itemsize), numpy.uint8) if memory is None else memory

    @classmethod
    def of(cls, host):
        """The values of a NumPy array, or of one record."""
        made = cls(numpy.shape(host), host.dtype)
        made.copy_to_device(host)
        return made

    shape = property(lambda self: self._bytes.shape[:-1])
    strides = property(lambda self: self._bytes.strides[:-1])
    size = property(lambda self: math.prod(self.shape))
    ndim = property(lambda self: len(self.shape))
    nbytes = property(lambda self: self.size * self.dtype.itemsize)
    flags = property(lambda self: self._like.flags)
    T = property(lambda self: self.transpose())

    getitem, setitem = DeviceNDArray.getitem, DeviceNDArray.setitem
    split, ravel = DeviceNDArray.split, DeviceNDArray.ravel
    as_cuda_arg, bind, get_ipc_handle = DeviceNDArray.as_cuda_arg, DeviceNDArray.bind, DeviceNDArray.get_ipc_handle
    alloc_size = property(DeviceNDArray.alloc_size.fget)
    __reduce_ex__ = DeviceNDArray.__reduce_ex__

    def __reduce__(self):
        return (DeviceRecords.of, (self.copy_to_host(),))

    @property
    def _like(self):
        """An array of NumPy's of that shape and those strides, whose values must not be looked at."""
        return numpy.lib.stride_tricks.as_strided(numpy.empty(1, (numpy.void, self.dtype.itemsize)), self.shape, self.strides)

    def __getattr__(self, name):
        if name.startswith("_") and not name.startswith("__") and hasattr(_core.Array, name):  # somebody takes it for numbers
            raise TypeError(f"[records] {self.dtype} is no type of numbers; a field, such as a['x'], is an array of them")
        raise AttributeError(f"DeviceRecords has no attribute {name!r}")

    def is_c_contiguous(self):
        """Do the records lie in C order, without gaps?"""
        return self._bytes._contiguous[0]

    def is_f_contiguous(self):
        """Do the records lie in Fortran's order, without gaps?"""
        return self.flags.f_contiguous

    @property
    def device_ctypes_pointer(self):
        """The address of the first record, as ctypes has it."""
        return self._bytes._as(DeviceNDArray).device_ctypes_pointer

    @property
    def __quern_records__(self):
        return self._bytes, self.dtype  # bindings/dispatcher.cpp

    @property
    def __cuda_array_interface__(self):
        strides = None if self.is_c_contiguous() else self.strides
        described = {"shape": self.shape, "strides": strides, "typestr": self.dtype.str, "descr": self.dtype.descr}
        return {**self._bytes.__cuda_array_interface__, **described}

    # ---- values

    def copy_to_host(self, ary=None, stream=0):
        """The values as a NumPy array, or in the NumPy array ``ary``, which is returned.

        Raises TypeError or ValueError where ``ary`` has another type or shape.
        """
        host = numpy.ascontiguousarray(_core.asnumpy(self._bytes)).reshape(-1)
        # By way of void: fields may overlap.
        host = host.view((numpy.void, self.dtype.itemsize)).view(self.dtype).reshape(self.shape)
        if ary is None:
            return host
        self._check(ary)
        ary[...] = host
        return ary

    def copy_to_device(self, ary, stream=0):
        """Takes the values of ``ary``, of the host or the device, with the same type and shape."""
        self._check(ary)
        _core.Array.__setitem__(self._bytes, ..., ary._bytes if _are_records(ary) else self._bytes_of(ary))

    def _bytes_of(self, host):
        """The bytes of a NumPy array of this type."""
        whole = numpy.ascontiguousarray(host).reshape(-1).view((numpy.void, self.dtype.itemsize))
        return whole.view(numpy.uint8).reshape(*numpy.shape(host), self.dtype.itemsize)

    def _check(self, other):
        if other.dtype != self.dtype:
            raise TypeError(f"[copy] the types differ: {self.dtype} on the device, {other.dtype}; convert with astype()")
        if numpy.shape(other) != self.shape:
            raise ValueError(f"[copy] the shapes differ: {self.shape} on the device, {numpy.shape(other)}")

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("[records] what is on the device is copied to become an array of NumPy's")
        host = self.copy_to_host()
        return host if dtype is None else host.astype(dtype)

    # ---- parts, other shapes, other types: the same memory

    def _part(self, key):
        """The bytes of a part."""
        places = key if isinstance(key, tuple) else (key,)
        if not all(k is None or k is Ellipsis or isinstance(k, slice) or hasattr(k, "__index__") for k in places):
            raise NotImplementedError(f"[records] a[{key!r}] needs a copy; take it in a kernel, or of copy_to_host()")
        count = sum(k is not None and k is not Ellipsis for k in places)
        if count > self.ndim:
            raise IndexError(f"[records] {count} indices are too many for {self.ndim} dimensions")
        places = (*places, slice(None)) if any(k is Ellipsis for k in places) else (*places, ...)
        return _core.Array.__getitem__(self._bytes, places)

    def __getitem__(self, key):
        if isinstance(key, str):
            return self._field(key)
        part = DeviceRecords((), self.dtype, self._part(key))
        return part if part.ndim else part.copy_to_host()[()]

    def _field(self, name):
        if name not in (self.dtype.names or ()):
            raise KeyError(f"no field of name {name}")
        of, start = self.dtype.fields[name][:2]
        part = _core.Array.__getitem__(self._bytes, (..., slice(start, start + of.itemsize)))
        return _as_type(part, *of.subdtype) if of.subdtype else _as_type(part, of, ())

    def __setitem__(self, key, value):
        if isinstance(key, str):
            self._field(key)[...] = value
            return
        part = DeviceRecords((), self.dtype, self._part(key))
        if not _are_records(value):
            host = part.copy_to_host()  # what lies between the fields stays
            host[...] = value
            value = host
        elif value.dtype != self.dtype:
            raise TypeError(f"[records] the types differ: {self.dtype} and {value.dtype}")
        _core.Array.__setitem__(part._bytes, ..., value._bytes if _are_records(value) else self._bytes_of(value))

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def reshape(self, *newshape, order="C"):
        """The same memory with another shape of as many records, in ``order``. Raises NotImplementedError where that needs a copy."""
        shape = newshape[0] if len(newshape) == 1 and isinstance(newshape[0], (tuple, list)) else newshape
        if order == "F":
            return self.T.reshape(shape[::-1]).T
        shape = tuple(_known(self, _core._shape(shape)))
        if not self.is_c_contiguous() and shape != self.shape:
            raise NotImplementedError("[reshape] this shape needs a copy of the records; copy the array first")
        return DeviceRecords((), self.dtype, self._bytes.reshape((*shape, self.dtype.itemsize)))

    def transpose(self, axes=None):
        """The axes in another order, or in reverse; over the same memory."""
        axes = range(self.ndim)[::-1] if axes is None else [range(self.ndim)[a] for a in axes]
        return DeviceRecords((), self.dtype, self._bytes.transpose((*axes, self.ndim)))

    def squeeze(self, axis=None, stream=0):
        """Without axes of length 1, or without the axes ``axis``; over the same memory."""
        if axis is None:
            axis = tuple(k for k, n in enumerate(self.shape) if n == 1)
        axes = tuple(range(self.ndim)[a] for a in (axis if isinstance(axis, tuple) else (axis,)))
        return DeviceRecords((), self.dtype, self._bytes.squeeze(axes)) if axes else self

    def view(self, dtype):
        """The same bytes as another type; the last axis changes its length where sizes differ."""
        dtype = numpy.dtype(dtype)
        old, new = self.dtype.itemsize, dtype.itemsize
        if new == old:
            return _as_type(self._bytes, dtype, ())
        if not self.ndim or new == 0 or self.shape[-1] * old % new:
            raise ValueError(f"[view] records of {old} bytes, {self.shape} of them, are not so many bytes as elements of {new}")
        if not self.is_c_contiguous():
            raise NotImplementedError("[view] a type of another size needs records without gaps; copy the array first")
        return _as_type(self._bytes.reshape((*self.shape[:-1], self.shape[-1] * old // new, new)), dtype, ())

    def __repr__(self):
        return f"<DeviceRecords of shape {self.shape}, {self.dtype}>"

    __str__ = __repr__


def _are_records(obj):
    return type(obj) is DeviceRecords


def _as_type(part, dtype, shape):
    """Bytes, those of an element along the last axis, as elements of ``dtype``, each of which has ``shape``."""
    if shape:
        part = part.reshape((*part.shape[:-1], *shape, dtype.itemsize))
    if dtype.names:
        return DeviceRecords((), dtype, part)
    return _core.Array.squeeze(part._as(DeviceNDArray).view(dtype), -1)


def records_over(memory, dtype):
    """DeviceRecords over the memory of an array of numbers, whose last axis has no gaps."""
    return DeviceRecords((), dtype, memory.view(numpy.uint8).reshape((*memory.shape[:-1], -1, dtype.itemsize)))


def _view(self, dtype):
    """The same bytes as another type; the last axis changes its length where sizes differ. Of a structured type: DeviceRecords."""
    return records_over(self, dtype) if getattr(dtype, "names", None) else _core.Array.view(self, dtype)


DeviceNDArray.view = _view
