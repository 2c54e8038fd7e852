"""Arrays of records on the device: bytes of quern's, and NumPy's structured type that says what they mean. Kernels take them."""

from __future__ import annotations

import math

import numpy

from quern.arrays import core as _core
from quern.arrays.creation import empty as _empty


class DeviceRecords:
    """What ``cuda.to_device`` and ``cuda.device_array`` make for a structured type: records in C order, without gaps.

    ``a[i]`` is a copy of one record, ``a[1:5]`` of one dimension sees the same memory.

    >>> import numpy as np
    >>> from quern.kernel.records import DeviceRecords
    >>> a = DeviceRecords.of(np.array([(1, 2.5), (3, 4.5)], [("n", np.int32), ("x", np.float64)]))
    >>> a[1].item()
    (3, 4.5)
    """

    def __init__(self, shape, dtype, memory=None):
        self.shape, self.dtype = tuple(shape), numpy.dtype(dtype)
        if self.dtype.hasobject:
            raise TypeError(f"[records] {self.dtype} has Python objects in it; a device has numbers only")
        self._bytes = _empty((self.nbytes,), numpy.uint8) if memory is None else memory

    @classmethod
    def of(cls, host):
        """The values of a NumPy array, or of one record."""
        made = cls(numpy.shape(host), host.dtype)
        made.copy_to_device(host)
        return made

    size = property(lambda self: math.prod(self.shape))
    ndim = property(lambda self: len(self.shape))
    nbytes = alloc_size = property(lambda self: self.size * self.dtype.itemsize)
    flags = property(lambda self: numpy.empty(self.shape, numpy.bool_).flags)

    def is_c_contiguous(self):
        return True

    def is_f_contiguous(self):
        return self.flags.f_contiguous

    @property
    def strides(self):
        out, step = [], self.dtype.itemsize
        for n in reversed(self.shape):
            out.insert(0, step)
            step *= n
        return tuple(out)

    @property
    def __quern_records__(self):
        return self._bytes, self.dtype, self.shape  # bindings/dispatcher.cpp

    @property
    def __cuda_array_interface__(self):
        of_bytes = self._bytes.__cuda_array_interface__
        return {**of_bytes, "shape": self.shape, "strides": None, "typestr": self.dtype.str, "descr": self.dtype.descr}

    def copy_to_host(self, ary=None, stream=0):
        """The values as a NumPy array, or in the NumPy array ``ary``, which is returned.

        Raises TypeError or ValueError where ``ary`` has another type or shape.
        """
        host = _core.asnumpy(self._bytes).view(self.dtype).reshape(self.shape)
        if ary is None:
            return host
        self._check(ary)
        ary[...] = host
        return ary

    def copy_to_device(self, ary, stream=0):
        """Takes the values of ``ary``, of the host or the device, with the same type and shape."""
        self._check(ary)
        if isinstance(ary, DeviceRecords):
            _core.Array.__setitem__(self._bytes, ..., ary._bytes)
        elif self.size:
            host = numpy.ascontiguousarray(ary).reshape(-1)
            _core.Array.__setitem__(self._bytes, ..., host.view(numpy.dtype((numpy.void, self.dtype.itemsize))).view(numpy.uint8))

    def _check(self, other):
        if other.dtype != self.dtype:
            raise TypeError(f"[copy] the types differ: {self.dtype} on the device, {other.dtype}; convert with astype()")
        if numpy.shape(other) != self.shape:
            raise ValueError(f"[copy] the shapes differ: {self.shape} on the device, {numpy.shape(other)}")

    def reshape(self, *shape):
        """The same memory with another shape of as many records."""
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        return DeviceRecords(numpy.empty(self.shape, numpy.void(1).dtype).reshape(shape).shape, self.dtype, self._bytes)

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __getitem__(self, key):
        if isinstance(key, slice) and self.ndim == 1:
            start, stop, step = key.indices(len(self))
            if step == 1:
                size = self.dtype.itemsize
                part = _core.Array.__getitem__(self._bytes, slice(start * size, max(start, stop) * size))
                return DeviceRecords((max(0, stop - start),), self.dtype, part)
        part = self.copy_to_host()[key]
        if isinstance(part, numpy.void):
            return part
        raise NotImplementedError(f"[records] a[{key!r}] would leave gaps; take it in a kernel, or of copy_to_host()")

    def __setitem__(self, key, value):
        host = self.copy_to_host()
        host[key] = value.copy_to_host() if isinstance(value, DeviceRecords) else value
        self.copy_to_device(host)

    def __repr__(self):
        return f"<DeviceRecords of shape {self.shape}, {self.dtype}>"
