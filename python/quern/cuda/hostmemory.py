"""Memory of the host that the device reaches: pinned, mapped and managed arrays.

All are NumPy arrays. On the CPU a kernel that is given one works on it in place. On a GPU it does so on mapped and managed arrays:
nothing is copied, and the launch waits for nothing, so that the program synchronises before it looks. Pinned arrays are copied there and,
where they are written, back, faster than other memory.
"""

from __future__ import annotations

import contextlib

import numpy

from quern.arrays import core as _core
from quern.cuda.arrays import prepare_shape_strides_dtype
from quern.cuda.ndarray import strides_like
from quern.device import current_device
from quern.lib import _engine


class MappedNDArray(numpy.ndarray):
    """A NumPy array over memory that the device reaches, with the names of a DeviceNDArray besides its own."""

    __cuda_memory__ = True  # a launch that is given it does not wait

    def copy_to_host(self, ary=None, stream=0):
        """Its values in another NumPy array, or in ``ary``, which is returned; all work of the device is done before."""
        _wait()
        if ary is None:
            return numpy.array(self, order="K", subok=False)
        ary[...] = self.reshape(ary.shape)
        return ary

    def copy_to_device(self, ary, stream=0):
        """Takes the values of ``ary``, an array of the host or the device."""
        _wait()
        self[...] = _core.asnumpy(ary) if isinstance(ary, _core.Array) else ary

    def is_c_contiguous(self):
        return self.flags.c_contiguous

    def is_f_contiguous(self):
        return self.flags.f_contiguous

    alloc_size = property(lambda self: self.nbytes, doc="Bytes of the elements.")

    @property
    def __cuda_array_interface__(self):
        """Of the memory, for other libraries on a GPU, which reaches it at the host's address; AttributeError on the CPU."""
        if current_device().kind == "cpu":
            raise AttributeError("__cuda_array_interface__ is of memory that a GPU reaches; on the CPU this is a NumPy array")
        made = dict(self.__array_interface__, stream=None, version=3)
        made.pop("offset", None)
        return made


class ManagedNDArray(MappedNDArray):
    """A NumPy array over memory that moves between host and device by itself."""


def _wait():
    current_device().synchronize()


def _over(memory, shape, dtype, strides, order, kind):
    shape, strides, dtype = prepare_shape_strides_dtype(shape, strides, dtype, order)
    return numpy.ndarray.__new__(kind, shape, dtype, buffer=memory, strides=strides)


def _bytes(shape, strides, dtype, order):
    shape, strides, dtype = prepare_shape_strides_dtype(shape, strides, dtype, order)
    if any(s < 0 for s in strides):
        raise ValueError(f"[array] strides of new memory must be non-negative, not {strides}")
    return 0 if 0 in shape else sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + dtype.itemsize


def pinned_array(shape, dtype=numpy.float64, strides=None, order="C"):
    """Return a NumPy array in page-locked memory, from which copies to and from the device are fast.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape of the array.
    dtype : dtype, optional
        Dtype of the array.
    strides : tuple of ints, optional
        Distance of the elements along each axis in bytes; None follows `order`.
    order : {'C', 'F'}, optional
        Memory order.

    Returns
    -------
    numpy.ndarray
        Shape `shape`, in `dtype`; its values are not set.

    Examples
    --------
    >>> from quern import cuda
    >>> cuda.pinned_array(3).shape
    (3,)
    """
    memory = _engine.pinned(current_device(), max(1, _bytes(shape, strides, dtype, order)), False, False, False)
    return _over(memory, shape, dtype, strides, order, numpy.ndarray)


def pinned_array_like(ary):
    """Return a NumPy array like another in page-locked memory.

    Parameters
    ----------
    ary : numpy.ndarray
        Array whose shape, dtype and memory order the result has.

    Returns
    -------
    numpy.ndarray
        Shape and dtype of `ary`; its values are not set.

    Examples
    --------
    >>> import numpy as np
    >>> from quern import cuda
    >>> cuda.pinned_array_like(np.ones((2, 3))).shape
    (2, 3)
    """
    return pinned_array(ary.shape, ary.dtype, strides_like(ary))


def mapped_array(shape, dtype=numpy.float64, strides=None, order="C", stream=0, portable=False, wc=False):
    """Return a NumPy array in page-locked memory that kernels use in place.

    Synchronize before you read values that a kernel wrote.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape of the array.
    dtype : dtype, optional
        Dtype of the array.
    strides : tuple of ints, optional
        Distance of the elements along each axis in bytes; None follows `order`.
    order : {'C', 'F'}, optional
        Memory order.
    stream : Stream, optional
        Accepted for compatibility.
    portable : bool, optional
        Whether all devices reach the memory.
    wc : bool, optional
        Whether the memory is write-combined: fast to write, slow to read on the host.

    Returns
    -------
    numpy.ndarray
        Shape `shape`, in `dtype`; its values are not set.

    Examples
    --------
    >>> from quern import cuda
    >>> @cuda.jit
    ... def double(x):
    ...     x[cuda.grid(1)] *= 2
    >>> x = cuda.mapped_array(4)
    >>> x[:] = 1
    >>> double[1, 4](x)
    >>> cuda.synchronize()
    >>> float(x.sum())
    8.0
    """
    memory = _engine.pinned(current_device(), max(1, _bytes(shape, strides, dtype, order)), bool(portable), True, bool(wc))
    return _over(memory, shape, dtype, strides, order, MappedNDArray)


def mapped_array_like(ary, stream=0, portable=False, wc=False):
    """Return a NumPy array like another in page-locked memory that kernels use in place.

    Parameters
    ----------
    ary : numpy.ndarray
        Array whose shape, dtype and memory order the result has.
    stream : Stream, optional
        Accepted for compatibility.
    portable : bool, optional
        Whether all devices reach the memory.
    wc : bool, optional
        Whether the memory is write-combined: fast to write, slow to read on the host.

    Returns
    -------
    numpy.ndarray
        Shape and dtype of `ary`; its values are not set.

    Examples
    --------
    >>> import numpy as np
    >>> from quern import cuda
    >>> cuda.mapped_array_like(np.ones((2, 3))).shape
    (2, 3)
    """
    return mapped_array(ary.shape, ary.dtype, strides_like(ary), portable=portable, wc=wc)


def managed_array(shape, dtype=numpy.float64, strides=None, order="C", stream=0, attach_global=True):
    """Return a NumPy array in memory that moves between host and device as needed.

    Synchronize before you read values that a kernel wrote.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape of the array.
    dtype : dtype, optional
        Dtype of the array.
    strides : tuple of ints, optional
        Distance of the elements along each axis in bytes; None follows `order`.
    order : {'C', 'F'}, optional
        Memory order.
    stream : Stream, optional
        Accepted for compatibility.
    attach_global : bool, optional
        Whether all streams use the memory; a hint.

    Returns
    -------
    numpy.ndarray
        Shape `shape`, in `dtype`; its values are not set.

    Examples
    --------
    >>> from quern import cuda
    >>> a = cuda.managed_array(3)
    >>> a[:] = 1
    >>> float(a.sum())
    3.0
    """
    flags = 1 if attach_global else 2
    memory = _engine.managed(current_device(), max(1, _bytes(shape, strides, dtype, order)), flags)
    return _over(memory, shape, dtype, strides, order, ManagedNDArray)


@contextlib.contextmanager
def _registered(arrays, flags):
    held, device = [], current_device()
    try:
        for a in arrays:
            held.append(_engine.register_host(device, a, flags))
        yield
    finally:
        _wait()
        device.synchronize()  # another one may be current now
        for memory in held:
            memory.free()


@contextlib.contextmanager
def pinned(*arylist):
    """Page-lock the memory of NumPy arrays in a ``with`` block, so that copies to and from the device are fast.

    Parameters
    ----------
    *arylist : numpy.ndarray
        Contiguous arrays.

    Yields
    ------
    None
        Nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from quern import cuda
    >>> host = np.arange(3.0)
    >>> with cuda.pinned(host):
    ...     a = cuda.to_device(host)
    """
    with _registered(arylist, 0):
        yield


@contextlib.contextmanager
def mapped(*arylist, **kws):
    """Map NumPy arrays in a ``with`` block, so that kernels use them in place; all work of the device has ended at its end.

    Parameters
    ----------
    *arylist : numpy.ndarray
        Contiguous arrays.
    **kws : dict
        ``stream``, which is accepted for compatibility.

    Yields
    ------
    MappedNDArray or list
        Arrays over the same memory: one, or a list.

    Raises
    ------
    TypeError
        For another keyword.

    Examples
    --------
    >>> import numpy as np
    >>> from quern import cuda
    >>> host = np.arange(3.0)
    >>> with cuda.mapped(host) as a:
    ...     pass
    """
    unknown = set(kws) - {"stream"}
    if unknown:
        raise TypeError(f"[mapped] unrecognized option {', '.join(sorted(unknown))}")
    with _registered(arylist, 2):
        made = [a.view(MappedNDArray) for a in arylist]
        yield made[0] if len(made) == 1 else made
