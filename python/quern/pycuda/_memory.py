"""Device memory: allocations, what stands for them, and what the device says of its memory."""

from __future__ import annotations

import ctypes
import operator

from quern.errors import LogicError
from quern.lib import _engine
from quern.pycuda.enums import ipc_mem_flags


class DeviceAllocation(_engine.Allocation):
    """Memory on the device, from mem_alloc(). ``int(a)`` is its address; it lives until free() or the last reference goes.

    ``a + bytes`` is an address inside it, as a plain number, which does not keep it.

    Examples
    --------
    >>> from quern.pycuda import driver
    >>> a = driver.mem_alloc(16)
    >>> type(a).__name__, int(a) > 0
    ('DeviceAllocation', True)
    >>> a.free()
    """

    def as_buffer(self, size, offset=0):
        """The CPU device's memory as a buffer of the host's, which keeps it; raises LogicError for a GPU's.

        Wait for the work on it before you look.
        """
        if self.device.kind != "cpu":
            raise LogicError("[as_buffer] a GPU's memory is not readable from the host; use memcpy_dtoh, or managed memory")
        size, offset = int(size), int(offset)
        if size < 0 or offset < 0 or offset + size > self.nbytes:
            raise LogicError(f"[as_buffer] {size} bytes from {offset} on are not inside {self.nbytes} bytes")
        memory = (ctypes.c_ubyte * size).from_address(int(self) + offset)
        memory.owner = self
        return memoryview(memory).cast("B")

    def __add__(self, offset):
        return int(self) + int(offset)

    __radd__ = __add__

    def __sub__(self, other):
        return int(self) - int(other)

    def __rsub__(self, other):
        return int(other) - int(self)


class PooledDeviceAllocation(DeviceAllocation):
    """Memory on the device, from a DeviceMemoryPool. free() and the last reference give it back to that."""

    def __init__(self, pool, bytes):
        super().__init__(_engine.current_device(), bytes)
        self._pool = pool
        pool._taken(bytes)

    def free(self):
        super().free()
        self._pool._returned(self.nbytes)

    def __len__(self):
        return self.nbytes

    def __bool__(self):
        return True

    def __del__(self):
        pool = getattr(self, "_pool", None)
        if pool is not None and self.alive:
            pool._returned(self.nbytes)


class PointerHolderBase:
    """Derive from this, and give get_pointer(), to pass an object of yours as a device pointer."""

    def get_pointer(self):
        """The address."""
        raise NotImplementedError

    def __int__(self):
        return int(self.get_pointer())

    __index__ = __int__

    @property
    def gpudata(self):
        """The same, as arrays have it."""
        return self.get_pointer()


def mem_alloc(bytes):
    """Allocate device memory.

    Parameters
    ----------
    bytes : int
        Number of bytes, at least 1.

    Returns
    -------
    DeviceAllocation
        The memory, whose bytes are not set. ``int()`` of it is the address.

    Raises
    ------
    MemoryError
        ``pycuda.driver.MemoryError``, where the device is out of memory. The message names the largest live allocations
        and their source lines.
    LogicError
        For less than 1 byte.
    TypeError
        For a number that is not an integer.

    Examples
    --------
    >>> from quern.pycuda import driver
    >>> memory = driver.mem_alloc(1000)
    >>> driver.memset_d8(memory, 0, 1000)
    >>> memory.free()
    """
    bytes = operator.index(bytes)
    if bytes <= 0:
        raise LogicError(f"[mem_alloc] {bytes} bytes cannot be allocated; at least 1")
    return DeviceAllocation(_engine.current_device(), bytes)


def mem_alloc_like(ary):
    """Allocate device memory for as many bytes as an array has.

    Parameters
    ----------
    ary : array
        Array with `nbytes`, of NumPy or of the device.

    Returns
    -------
    DeviceAllocation
        The memory, whose bytes are not set.

    Examples
    --------
    >>> import numpy as np
    >>> import quern.pycuda.autoinit
    >>> from quern.pycuda import driver
    >>> memory = driver.mem_alloc_like(np.arange(3.0))
    >>> memory.free()
    """
    made = mem_alloc(ary.nbytes)
    _engine.note_dtype(made, ary)
    return made


def mem_alloc_pitch(width, height, access_size):
    """Allocate device memory for rows of bytes, each of which starts at an aligned address.

    Parameters
    ----------
    width : int
        Number of bytes in a row.
    height : int
        Number of rows.
    access_size : {4, 8, 16}
        Number of bytes that kernels read at a time.

    Returns
    -------
    tuple
        Pair (DeviceAllocation, pitch); the pitch is the distance of two rows in bytes.

    Raises
    ------
    LogicError
        For a width or height below 1, or another `access_size`.

    Examples
    --------
    >>> from quern.pycuda import driver
    >>> memory, pitch = driver.mem_alloc_pitch(100, 3, 4)
    >>> pitch >= 100
    True
    """
    width, height = int(width), int(height)
    if width <= 0 or height <= 0:
        raise LogicError(f"[mem_alloc_pitch] {height} rows of {width} bytes cannot be allocated; at least 1 of 1")
    if access_size not in (4, 8, 16):
        raise LogicError(f"[mem_alloc_pitch] access_size is {access_size}; it must be 4, 8 or 16")
    pitch = (width + 511) // 512 * 512
    return mem_alloc(pitch * height), pitch


def mem_get_info():
    """Return the free and the total memory of the current device.

    Returns
    -------
    tuple of ints
        Bytes: free, total.

    Examples
    --------
    >>> import quern.pycuda.autoinit
    >>> from quern.pycuda import driver
    >>> free, total = driver.mem_get_info()
    >>> free <= total
    True
    """
    return _engine.current_device().memory()


def mem_get_address_range(ptr):
    """Return the address and the size of an allocation.

    Parameters
    ----------
    ptr : DeviceAllocation
        Memory from :func:`mem_alloc`.

    Returns
    -------
    tuple
        Pair (address, number of bytes).

    Raises
    ------
    LogicError
        For anything else, such as an address.

    Examples
    --------
    >>> import quern.pycuda.autoinit
    >>> from quern.pycuda import driver
    >>> driver.mem_get_address_range(driver.mem_alloc(64))[1]
    64
    """
    if not isinstance(ptr, _engine.Allocation):
        raise LogicError("[mem_get_address_range] only allocations know their range")
    return int(ptr), ptr.nbytes


class IPCMemoryHandle(PointerHolderBase):
    """A GPU's memory of another process, by the handle that mem_get_ipc_handle() gave there. ``int(h)`` is its address.

    The other process keeps the memory for as long as this is used, and each sees to its own order: it waits for its work before it notifies
    the other one. Raises LogicError on the CPU, and for what is no such handle.
    """

    _address = 0

    def __init__(self, handle, flags=ipc_mem_flags.LAZY_ENABLE_PEER_ACCESS):
        self._device = _engine.current_device()
        self._address = _engine.open_shared(self._device, bytes(handle), int(flags))

    def get_pointer(self):
        """The address."""
        if not self._address:
            raise LogicError("[IPCMemoryHandle] this memory was closed")
        return self._address

    def close(self):
        """Waits for the work on it and lets the memory go."""
        address, self._address = self._address, 0
        if not address:
            raise LogicError("[IPCMemoryHandle] this memory was closed already")
        _engine.close_shared(self._device, address)

    def __del__(self):
        if self._address:
            self.close()


def mem_get_ipc_handle(devptr):
    """Return a handle by which another process opens an allocation of a GPU.

    Parameters
    ----------
    devptr : DeviceAllocation
        Memory of a GPU.

    Returns
    -------
    bytes
        Handle for :class:`IPCMemoryHandle`.

    Raises
    ------
    LogicError
        On the CPU.
    """
    return _engine.share_memory(_engine.current_device(), devptr)
