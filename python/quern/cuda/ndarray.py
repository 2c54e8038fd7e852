"""DeviceNDArray: an array on the device under Numba's names; DeviceRecord: one record of it.

arrays.py makes them, random.py has related classes of its own.
"""

from __future__ import annotations

import ctypes

import numpy

from quern.arrays import core as _core
from quern.arrays.objects import exchange
from quern.kernel.signatures import typeof
from quern.kernel.times import as_times
from quern.lib import _engine


class DeviceNDArray(_core.Array):
    """Array on the device, under Numba's names; created by `to_device` and `device_array`.

    Views (``a[1:]``, ``a.reshape(...)``, ``a.T``) and single records share the memory; an indexed number is a NumPy scalar.

    Parameters
    ----------
    shape : tuple of ints
        Shape.
    strides : tuple of ints
        Bytes between neighbours along each dimension.
    dtype : dtype
        Dtype of the elements.
    stream : Stream, optional
        Stream that the array is made with.
    gpu_data : MemoryPointer, optional
        Memory of the elements; None is new memory, whose values are not set.

    Examples
    --------
    >>> import numpy as np
    >>> from quern import cuda
    >>> a = cuda.to_device(np.arange(4.0))
    >>> a[1:].copy_to_host()
    array([1., 2., 3.])
    """

    __slots__ = ("_made_with",)

    def __init__(self, *args, **kwargs):
        """Does nothing: the array is made by ``__new__``, see arrays.py."""

    @property
    def gpu_data(self):
        """The memory of the elements, from the first one on, which keeps the array alive: a `MemoryPointer`.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cuda
        >>> cuda.to_device(np.arange(4.0)).gpu_data.size
        32
        """
        from quern.cuda.memory import MemoryPointer

        return MemoryPointer(None, self.device_ctypes_pointer, self.nbytes, owner=self)

    @property
    def stream(self):
        """The stream that the array was made with; 0 for none. Work is in order on any stream.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cuda
        >>> cuda.to_device(np.arange(4.0)).stream
        0
        """
        return getattr(self, "_made_with", 0)

    @stream.setter
    def stream(self, stream):
        self._made_with = stream

    @property
    def __cuda_array_interface__(self):
        """Of the memory, whose values are there; ``stream`` is the handle of the one that it was made with, else None."""
        if self.device.kind == "cpu":
            raise AttributeError(
                "__cuda_array_interface__ is of memory of a GPU, and this array is on the CPU; its address is device_ctypes_pointer.value, "
                "and libraries take it by NumPy or DLPack"
            )
        return interface_of(self)

    @property
    def to_host(self):
        """Raise AttributeError: older versions of Numba had this name of `copy_to_host`.

        Raises
        ------
        AttributeError
            Always.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cuda
        >>> hasattr(cuda.to_device(np.arange(4.0)), "to_host")
        False
        """
        raise AttributeError(f"'{type(self).__name__}' object has no attribute 'to_host'; write copy_to_host()")

    def __getitem__(self, key):
        places = key if type(key) is tuple else (key,)
        if len(places) == self.ndim and all(isinstance(k, (int, numpy.integer)) and not isinstance(k, bool) for k in places):
            # A view, which is read where it lies: the value is read now.
            part = super().__getitem__((*map(int, places), ...))
        else:
            part = super().__getitem__(key)
        if part.ndim:
            return part if type(part) is DeviceNDArray or not isinstance(self, DeviceRecord) else part._as(DeviceNDArray)
        return part._as(DeviceRecord) if part.dtype.names else _core.asnumpy(part)[()]

    def getitem(self, item, stream=0):
        """Return ``array[item]``.

        Parameters
        ----------
        item : index
            Index.
        stream : Stream, optional
            Accepted for compatibility: work is in order on any stream.

        Returns
        -------
        DeviceNDArray or scalar
            View of the elements; a NumPy scalar for one element.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cuda
        >>> float(cuda.to_device(np.arange(4.0)).getitem(2))
        2.0
        """
        return self[item]

    def setitem(self, key, value, stream=0):
        """Assign ``array[key] = value``.

        Parameters
        ----------
        key : index
            Index.
        value : array_like
            Values; they broadcast to the elements.
        stream : Stream, optional
            Accepted for compatibility: work is in order on any stream.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cuda
        >>> a = cuda.to_device(np.arange(4.0))
        >>> a.setitem(slice(2), 7)
        >>> a.copy_to_host()
        array([7., 7., 2., 3.])
        """
        self[key] = value

    def copy_to_host(self, ary=None, stream=0):
        """Return the values as a NumPy array; the function waits for them.

        Parameters
        ----------
        ary : numpy.ndarray, optional
            Array that receives the values.
        stream : Stream, optional
            Stream of the copy.

        Returns
        -------
        numpy.ndarray
            Values, or `ary`.

        Raises
        ------
        TypeError
            For an `ary` of another dtype.
        ValueError
            For an `ary` of another shape or size.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cuda
        >>> cuda.to_device(np.arange(3.0)).copy_to_host()
        array([0., 1., 2.])
        """
        host = _core.asnumpy(self)
        if ary is None:
            return host
        _check_like(self, ary)
        if isinstance(ary, numpy.void):
            for name in ary.dtype.names:
                ary[name] = host.reshape(())[name]
        else:
            ary[...] = host.reshape(ary.shape)
        return ary

    def copy_to_device(self, ary, stream=0):
        """Copy the values of another array into this one.

        Parameters
        ----------
        ary : array_like
            Array of the host or the device, with the same dtype and number of elements.
        stream : Stream, optional
            Stream of the copy.

        Raises
        ------
        TypeError
            For another dtype.
        ValueError
            For another number of elements, or an array of the device in another order.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cuda
        >>> a = cuda.device_array(3)
        >>> a.copy_to_device(np.arange(3.0))
        >>> a.copy_to_host()
        array([0., 1., 2.])
        """
        if ary is self:
            return
        if not isinstance(ary, _core.Array):
            ary = numpy.asarray(ary) if not hasattr(ary, "__cuda_array_interface__") else _core.asarray(ary)
        _check_like(self, ary)
        if isinstance(ary, _core.Array) and self.size and self.shape == ary.shape and any(self._contiguous) and any(ary._contiguous):
            if not any(mine and its for mine, its in zip(self._contiguous, ary._contiguous, strict=True)):
                raise ValueError(f"incompatible strides: {self.strides} vs. {ary.strides}")
        if isinstance(ary, _core.Array) and ary._device_number != self._device_number:
            ary = _engine.array_move(ary, self.device)
        _core.Array.__setitem__(self, ..., ary.reshape(self.shape) if self.shape != ary.shape else ary)

    def split(self, section, stream=0):
        """Yield parts of a one-dimensional array.

        Parameters
        ----------
        section : int
            Number of elements of a part; the last one may be shorter.
        stream : Stream, optional
            Stream that the parts are of.

        Yields
        ------
        DeviceNDArray
            View of a part.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cuda
        >>> [part.size for part in cuda.to_device(np.arange(5.0)).split(2)]
        [2, 2, 1]
        """
        if self.ndim != 1:
            raise ValueError("only support 1d array")
        if section == self.size:
            yield self
            return
        for start in range(0, self.size, section):
            yield self[start : start + section]

    def ravel(self, order="C", stream=0):
        """Return a view with one dimension.

        Parameters
        ----------
        order : {'C', 'F', 'A'}, optional
            Order of the elements; "A" is that of the memory.
        stream : Stream, optional
            Accepted for compatibility.

        Returns
        -------
        DeviceNDArray
            View; an order that needs a copy raises NotImplementedError.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cuda
        >>> cuda.to_device(np.ones((2, 3))).ravel().shape
        (6,)
        """
        if order not in ("C", "F", "A"):
            raise ValueError(f"order not C|F|A: {order!r}")
        if order in ("C", "A") and self.is_c_contiguous():
            return self.reshape(-1)
        if order in ("F", "A") and self.is_f_contiguous():
            return self.transpose().reshape(-1)
        raise NotImplementedError("the operation requires an array without gaps in that order; copy it first")

    def reshape(self, *newshape, order="C"):
        """Return a view in another shape.

        Parameters
        ----------
        *newshape : int or sequence of ints
            New shape.
        order : {'C', 'F', 'A'}, optional
            Order of the elements.

        Returns
        -------
        DeviceNDArray
            View; a shape that needs a copy raises NotImplementedError.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cuda
        >>> cuda.to_device(np.arange(6.0)).reshape(2, 3).shape
        (2, 3)
        """
        shape = newshape[0] if len(newshape) == 1 and isinstance(newshape[0], (tuple, list)) else newshape
        in_order = self._contiguous[0 if order == "C" else 1]
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
        """Return a view without axes of length 1.

        Parameters
        ----------
        axis : int or tuple of ints, optional
            Axes; None is all of length 1.
        stream : Stream, optional
            Accepted for compatibility.

        Returns
        -------
        DeviceNDArray
            View.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cuda
        >>> cuda.to_device(np.ones((1, 3))).squeeze().shape
        (3,)
        """
        return super().squeeze(axis)

    def transpose(self, axes=None):
        """Return a view with the axes in another order.

        Parameters
        ----------
        axes : sequence of ints, optional
            Order of the axes; None reverses them.

        Returns
        -------
        DeviceNDArray
            View.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cuda
        >>> cuda.to_device(np.ones((2, 3))).transpose().shape
        (3, 2)
        """
        return super().transpose(axes)

    def __reduce__(self):
        return (sent, (self.copy_to_host(),))

    def __reduce_ex__(self, protocol):
        return self.__reduce__()

    @property
    def device_ctypes_pointer(self):
        """The address of the first element, a `ctypes.c_void_p`.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cuda
        >>> type(cuda.to_device(np.arange(4.0)).device_ctypes_pointer).__name__
        'c_void_p'
        """
        return ctypes.c_void_p(self._address() if self.size else 0)

    def as_cuda_arg(self):
        """Return the argument that kernels receive: the array itself.

        Returns
        -------
        DeviceNDArray
            The array.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cuda
        >>> a = cuda.to_device(np.arange(4.0))
        >>> a.as_cuda_arg() is a
        True
        """
        return self

    def is_c_contiguous(self):
        """Return whether the elements lie in C order, without gaps.

        Returns
        -------
        bool
            Whether they do.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cuda
        >>> cuda.to_device(np.ones((2, 3))).is_c_contiguous()
        True
        """
        return self._contiguous[0]

    def is_f_contiguous(self):
        """Return whether the elements lie in Fortran order, without gaps.

        Returns
        -------
        bool
            Whether they do.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cuda
        >>> cuda.to_device(np.ones((2, 3))).is_f_contiguous()
        False
        """
        return self._contiguous[1]

    @property
    def alloc_size(self):
        """The bytes of the elements.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cuda
        >>> cuda.to_device(np.arange(4.0)).alloc_size
        32
        """
        return self.nbytes

    @property
    def _numba_type_(self):
        """The type that it has as a kernel's argument."""
        return typeof(self)

    def bind(self, stream=0):
        """Return the same memory as an array of a stream; the array itself for no stream.

        Parameters
        ----------
        stream : Stream, optional
            Stream.

        Returns
        -------
        DeviceNDArray
            Array.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cuda
        >>> stream = cuda.stream()
        >>> cuda.to_device(np.arange(4.0)).bind(stream).stream is stream
        True
        """
        return self if stream == self.stream else with_stream(self._as(type(self)), stream)

    def get_ipc_handle(self):
        raise NotImplementedError(
            "[DeviceNDArray.get_ipc_handle] sharing memory between processes is not supported; copy it through the host"
        )


class DeviceRecord(DeviceNDArray):
    """One record on the device: ``r["x"]`` is a field's value, ``r["x"] = 1`` writes it there; what is in it shares its memory."""

    __slots__ = ()

    def __setitem__(self, key, value):
        of = self.dtype.fields[key][0].base if isinstance(key, str) and key in self.dtype.names else None
        if of is None or of.kind not in "SUmM":
            super().__setitem__(key, value)
            return
        host = _core.asnumpy(self).copy()  # the engine has no values of such types
        host[key] = value
        super().__setitem__(..., host)


class DeviceTimes(DeviceNDArray):
    """Of datetime64 or timedelta64, which the engine moves about and kernels work on."""

    __slots__ = ()

    def __setitem__(self, key, value):
        if self.dtype.kind not in "mM":
            return super().__setitem__(key, value)
        if not isinstance(value, _core.Array):
            value = numpy.asarray(value, self.dtype)
        elif value.dtype != self.dtype:
            raise TypeError(f"incompatible dtype: {self.dtype} vs. {value.dtype}")
        _core.Array.__setitem__(self.view(numpy.int64), key, value.view(numpy.int64))

    def copy_to_device(self, ary, stream=0):
        ary = ary if isinstance(ary, _core.Array) else numpy.asarray(ary)
        _check_like(self, ary)
        super(DeviceTimes, self.view(numpy.int64)).copy_to_device(ary.view(numpy.int64))


def times_over(array, dtype):
    """The same memory, integers of 64 bits, as datetime64 or timedelta64."""
    return as_times(array, dtype)._as(DeviceTimes)


def interface_of(array):
    """What an array's ``__cuda_array_interface__`` says once its values are there."""
    made = exchange.interface_of(array)
    array.device.synchronize()
    made["stream"] = int(getattr(array, "stream", 0)) or None
    return made


def with_stream(array, stream):
    """The array, which was made with that stream."""
    if stream:
        array.stream = stream
    return array


def _check_like(device_array, other):
    if device_array.dtype != other.dtype:
        raise TypeError(f"incompatible dtype: {device_array.dtype} vs. {other.dtype}; convert with astype()")
    if device_array.size != other.size or (device_array.shape != other.shape and other.ndim == device_array.ndim):
        raise ValueError(f"incompatible shape: {device_array.shape} vs. {other.shape}")


def strides_like(ary):
    """The strides of a new array like ``ary``, as Numba chooses them: those of its order, else without gaps and the axes as they lie."""
    if ary.flags["C_CONTIGUOUS"] or ary.flags["F_CONTIGUOUS"]:
        axes = range(ary.ndim) if not ary.flags["C_CONTIGUOUS"] else reversed(range(ary.ndim))
        if 0 in ary.shape:
            return (0,) * ary.ndim
    else:
        axes = sorted(range(ary.ndim), key=lambda i: ary.strides[i])
    strides, step = [0] * ary.ndim, ary.dtype.itemsize
    for axis in axes:
        strides[axis], step = step, step * ary.shape[axis]
    return tuple(strides)


def sent(host):
    """A new DeviceNDArray with the values of an array of the host or the device, which lie as they do there."""
    if host.dtype.kind in "mM" and host.dtype.isnative:
        return times_over(sent(host.view(numpy.int64)), host.dtype)
    order = "F" if isinstance(host, numpy.ndarray) and host.flags.f_contiguous and not host.flags.c_contiguous else None
    return _core.asarray(host, order=order, copy=True)._as(DeviceNDArray)
