"""Host memory that the device reaches: page-locked, registered, managed; and memory that is only aligned.

Arrays over it are NumPy's own. Their ``base`` is one of the classes below, which has the address for kernels and frees the memory.
"""

from __future__ import annotations

import numpy as np

from quern.arrays.records import host_array
from quern.errors import LogicError
from quern.lib import _engine
from quern.pycuda.enums import host_alloc_flags, mem_attach_flags


class HostPointer:
    """Host memory that kernels may have an address of."""

    def get_device_pointer(self):
        """The address for kernels: of memory that was allocated or registered with DEVICEMAP, or is managed."""
        return self.device_pointer()


class HostAllocation(HostPointer):
    """Host memory that the driver allocated. Whoever uses an array over it after free() reads memory of somebody else's."""


class PagelockedHostAllocation(_engine.HostMemory, HostAllocation):
    """Page-locked memory, the ``base`` of pagelocked_empty()'s arrays."""

    def __init__(self, size, flags=0):
        flags = int(flags)
        options = [bool(flags & int(f)) for f in (host_alloc_flags.PORTABLE, host_alloc_flags.DEVICEMAP, host_alloc_flags.WRITECOMBINED)]
        super().__init__(_engine.pinned(_engine.current_device(), size, *options), 0, size)
        self._flags = flags

    def get_flags(self):
        """The host_alloc_flags it was asked for with."""
        return self._flags


class PooledHostAllocation(PagelockedHostAllocation):
    """Page-locked memory, from a PageLockedMemoryPool. free() and the last reference give it back to that."""

    def __init__(self, pool, size, flags=0):
        super().__init__(size, flags)
        self._pool = pool
        self._is_taken = True
        pool._taken(size)

    def free(self):
        super().free()
        self._is_taken = False
        self._pool._returned(self.nbytes)

    def __len__(self):
        return self.nbytes

    def __bool__(self):
        return True

    def __del__(self):
        if getattr(self, "_is_taken", False):
            self._pool._returned(self.nbytes)


class ManagedAllocationOrStub:
    """Base of managed memory."""


class ManagedAllocation(_engine.HostMemory, ManagedAllocationOrStub):
    """Memory that host and device share, the ``base`` of managed_empty()'s arrays."""

    def __init__(self, size, flags=0):
        super().__init__(_engine.managed(_engine.current_device(), size, int(flags) or int(mem_attach_flags.GLOBAL)), 0, size)

    def get_device_pointer(self):
        """The address for kernels; the same as the host's."""
        return self.device_pointer()

    def attach(self, mem_flags, stream=None):
        """Says who will use the memory: all streams, the host, or `stream` alone. A hint; every stream may go on using it."""
        if int(mem_flags) not in mem_attach_flags.values:
            raise LogicError(f"[ManagedAllocation.attach] {mem_flags!r} is not one of mem_attach_flags")
        if stream is not None and not isinstance(stream, _engine.Stream):
            raise TypeError(f"[ManagedAllocation.attach] stream must be a Stream or None, not {type(stream).__name__}")
        if stream is None and int(mem_flags) == int(mem_attach_flags.SINGLE):
            raise LogicError("[ManagedAllocation.attach] SINGLE requires a stream")


class RegisteredHostMemory(_engine.HostMemory, HostPointer):
    """Memory of an array that is page-locked, the ``base`` of register_host_memory()'s array."""

    def __init__(self, ary, flags=0):
        super().__init__(_engine.register_host(_engine.current_device(), ary, int(flags)), 0, ary.nbytes)
        self.base = ary

    def unregister(self):
        """Ends that; the array stays as it is."""
        self.free()


class AlignedHostAllocation(np.ndarray):
    """Bytes that start at a multiple of a power of two, the ``base`` of aligned_empty()'s arrays."""

    def __new__(cls, size, alignment=4096):
        alignment = int(alignment)
        if alignment <= 0 or alignment & (alignment - 1):
            raise LogicError(f"[AlignedHostAllocation] an alignment must be a power of two, not {alignment}")
        room = bytearray(size + alignment)
        start = -np.frombuffer(room, np.uint8).ctypes.data % alignment
        return super().__new__(cls, (size,), np.uint8, room, start)

    def free(self):
        """Nothing to do: the memory goes with the last array over it."""


def byte_count(shape, dtype):
    """Bytes of such an array; at least 1."""
    return max(1, int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize)


def _order_of(array):
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


def _zeros(result):
    result.fill(0)
    return result


def pagelocked_empty(shape, dtype, order="C", mem_flags=0):
    """Return a NumPy array in page-locked memory of the host; its values are not set.

    Asynchronous copies from and to such memory overlap with other work.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape of the array.
    dtype : dtype
        Dtype of the array.
    order : {'C', 'F'}, optional
        Memory order.
    mem_flags : host_alloc_flags, optional
        ``PORTABLE``, ``DEVICEMAP`` or ``WRITECOMBINED``, combined with ``|``.

    Returns
    -------
    numpy.ndarray
        Shape `shape`, in `dtype`.

    Examples
    --------
    >>> import numpy as np
    >>> import quern.pycuda.autoinit
    >>> from quern.pycuda import driver
    >>> driver.pagelocked_empty(3, np.float32).shape
    (3,)
    """
    return host_array(PagelockedHostAllocation(byte_count(shape, dtype), mem_flags), shape, dtype, order)


def pagelocked_zeros(shape, dtype, order="C", mem_flags=0):
    """Return a NumPy array of zeros in page-locked memory of the host.

    Asynchronous copies from and to such memory overlap with other work.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape of the array.
    dtype : dtype
        Dtype of the array.
    order : {'C', 'F'}, optional
        Memory order.
    mem_flags : host_alloc_flags, optional
        ``PORTABLE``, ``DEVICEMAP`` or ``WRITECOMBINED``, combined with ``|``.

    Returns
    -------
    numpy.ndarray
        Shape `shape`, in `dtype`.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> driver.pagelocked_zeros(3, numpy.float32)
    array([0., 0., 0.], dtype=float32)
    """
    return _zeros(pagelocked_empty(shape, dtype, order, mem_flags))


def pagelocked_empty_like(array, mem_flags=0):
    """Return a NumPy array like another in page-locked memory of the host; its values are not set.

    Parameters
    ----------
    array : numpy.ndarray
        Array whose shape, dtype and memory order the result has.
    mem_flags : host_alloc_flags, optional
        ``PORTABLE``, ``DEVICEMAP`` or ``WRITECOMBINED``, combined with ``|``.

    Returns
    -------
    numpy.ndarray
        Shape and dtype of `array`.

    Examples
    --------
    >>> import numpy as np
    >>> import quern.pycuda.autoinit
    >>> from quern.pycuda import driver
    >>> driver.pagelocked_empty_like(np.ones((2, 3))).shape
    (2, 3)
    """
    return pagelocked_empty(array.shape, array.dtype, _order_of(array), mem_flags)


def pagelocked_zeros_like(array, mem_flags=0):
    """Return a NumPy array of zeros like another in page-locked memory of the host.

    Parameters
    ----------
    array : numpy.ndarray
        Array whose shape, dtype and memory order the result has.
    mem_flags : host_alloc_flags, optional
        ``PORTABLE``, ``DEVICEMAP`` or ``WRITECOMBINED``, combined with ``|``.

    Returns
    -------
    numpy.ndarray
        Shape and dtype of `array`.

    Examples
    --------
    >>> import numpy as np
    >>> import quern.pycuda.autoinit
    >>> from quern.pycuda import driver
    >>> driver.pagelocked_zeros_like(np.ones(3))
    array([0., 0., 0.])
    """
    return _zeros(pagelocked_empty_like(array, mem_flags))


def aligned_empty(shape, dtype, order="C", alignment=4096):
    """Return a NumPy array in memory of the host that starts at an aligned address; its values are not set.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape of the array.
    dtype : dtype
        Dtype of the array.
    order : {'C', 'F'}, optional
        Memory order.
    alignment : int, optional
        Power of two, in bytes.

    Returns
    -------
    numpy.ndarray
        Shape `shape`, in `dtype`.

    Raises
    ------
    LogicError
        For an `alignment` that is not a power of two.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> a = driver.aligned_empty((2, 3), numpy.float32)
    >>> a.shape, a.ctypes.data % 4096
    ((2, 3), 0)
    """
    return host_array(AlignedHostAllocation(byte_count(shape, dtype), alignment), shape, dtype, order)


def aligned_zeros(shape, dtype, order="C", alignment=4096):
    """Return a NumPy array of zeros in memory of the host that starts at an aligned address.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape of the array.
    dtype : dtype
        Dtype of the array.
    order : {'C', 'F'}, optional
        Memory order.
    alignment : int, optional
        Power of two, in bytes.

    Returns
    -------
    numpy.ndarray
        Shape `shape`, in `dtype`.

    Raises
    ------
    LogicError
        For an `alignment` that is not a power of two.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> driver.aligned_zeros(3, numpy.float32).ctypes.data % 4096
    0
    """
    return _zeros(aligned_empty(shape, dtype, order, alignment))


def aligned_empty_like(array, alignment=4096):
    """Return a NumPy array like another in memory of the host that starts at an aligned address; its values are not set.

    Parameters
    ----------
    array : numpy.ndarray
        Array whose shape, dtype and memory order the result has.
    alignment : int, optional
        Power of two, in bytes.

    Returns
    -------
    numpy.ndarray
        Shape and dtype of `array`.

    Raises
    ------
    LogicError
        For an `alignment` that is not a power of two.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> driver.aligned_empty_like(numpy.ones((2, 3))).shape
    (2, 3)
    """
    return aligned_empty(array.shape, array.dtype, _order_of(array), alignment)


def aligned_zeros_like(array, alignment=4096):
    """Return a NumPy array of zeros like another in memory of the host that starts at an aligned address.

    Parameters
    ----------
    array : numpy.ndarray
        Array whose shape, dtype and memory order the result has.
    alignment : int, optional
        Power of two, in bytes.

    Returns
    -------
    numpy.ndarray
        Shape and dtype of `array`.

    Raises
    ------
    LogicError
        For an `alignment` that is not a power of two.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> driver.aligned_zeros_like(numpy.ones(2))
    array([0., 0.])
    """
    return _zeros(aligned_empty_like(array, alignment))


def managed_empty(shape, dtype, order="C", mem_flags=0):
    """Return a NumPy array in memory that host and device share; its values are not set.

    Kernels accept the array as it is. Synchronize before you read it on the host.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape of the array.
    dtype : dtype
        Dtype of the array.
    order : {'C', 'F'}, optional
        Memory order.
    mem_flags : mem_attach_flags, optional
        Who uses the memory first; a hint.

    Returns
    -------
    numpy.ndarray
        Shape `shape`, in `dtype`.

    Examples
    --------
    >>> import numpy as np
    >>> import quern.pycuda.autoinit
    >>> from quern.pycuda import driver
    >>> driver.managed_empty(3, np.float32).shape
    (3,)
    """
    return host_array(ManagedAllocation(byte_count(shape, dtype), mem_flags), shape, dtype, order)


def managed_zeros(shape, dtype, order="C", mem_flags=0):
    """Return a NumPy array of zeros in memory that host and device share.

    Kernels accept the array as it is. Synchronize before you read it on the host.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape of the array.
    dtype : dtype
        Dtype of the array.
    order : {'C', 'F'}, optional
        Memory order.
    mem_flags : mem_attach_flags, optional
        Who uses the memory first; a hint.

    Returns
    -------
    numpy.ndarray
        Shape `shape`, in `dtype`.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> driver.managed_zeros(3, numpy.float32)
    array([0., 0., 0.], dtype=float32)
    """
    return _zeros(managed_empty(shape, dtype, order, mem_flags))


def managed_empty_like(array, mem_flags=0):
    """Return a NumPy array like another in memory that host and device share; its values are not set.

    Parameters
    ----------
    array : numpy.ndarray
        Array whose shape, dtype and memory order the result has.
    mem_flags : mem_attach_flags, optional
        Who uses the memory first; a hint.

    Returns
    -------
    numpy.ndarray
        Shape and dtype of `array`.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> driver.managed_empty_like(numpy.ones((2, 3))).shape
    (2, 3)
    """
    return managed_empty(array.shape, array.dtype, _order_of(array), mem_flags)


def managed_zeros_like(array, mem_flags=0):
    """Return a NumPy array of zeros like another in memory that host and device share.

    Parameters
    ----------
    array : numpy.ndarray
        Array whose shape, dtype and memory order the result has.
    mem_flags : mem_attach_flags, optional
        Who uses the memory first; a hint.

    Returns
    -------
    numpy.ndarray
        Shape and dtype of `array`.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> driver.managed_zeros_like(numpy.ones(2))
    array([0., 0.])
    """
    return _zeros(managed_empty_like(array, mem_flags))


def register_host_memory(ary, flags=0):
    """Page-lock the memory of an array.

    The memory stays page-locked as long as the returned array lives.

    Parameters
    ----------
    ary : numpy.ndarray
        Contiguous array.
    flags : int, optional
        ``mem_host_register_flags``.

    Returns
    -------
    numpy.ndarray
        Array over the same memory.

    Examples
    --------
    >>> import numpy as np
    >>> import quern.pycuda.autoinit
    >>> from quern.pycuda import driver
    >>> locked = driver.register_host_memory(np.zeros(1024))
    >>> locked.base.unregister()
    """
    memory = RegisteredHostMemory(ary, flags)
    result = np.ndarray(ary.shape, ary.dtype, memory, 0, ary.strides)
    result.flags.writeable = ary.flags.writeable
    return result
