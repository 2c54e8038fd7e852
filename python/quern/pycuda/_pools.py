"""Memory pools, as PyCUDA counts them, over the engine's own.

The engine keeps all memory that comes back for whoever asks next, so these pools hold none themselves: they count what their blocks were
given and have returned, in PyCUDA's sizes, and free_held() has the engine give back what it keeps.
"""

from __future__ import annotations

import threading

from quern.arrays.records import host_array
from quern.errors import Error, LogicError
from quern.lib import _engine
from quern.pycuda._hostmemory import PooledHostAllocation, byte_count
from quern.pycuda._memory import PooledDeviceAllocation


def bitlog2(number):
    """Return the position of the highest bit that is set.

    Parameters
    ----------
    number : int
        Number from 0.

    Returns
    -------
    int
        0 for 0 and 1, 10 for 1024.

    Examples
    --------
    >>> from quern.pycuda import driver
    >>> driver.bitlog2(1024)
    10
    """
    return max(int(number).bit_length() - 1, 0)


class _Pool:
    """Counts blocks by the sizes that a pool hands out: numbers with three significant bits."""

    def __init__(self):
        self._lock = threading.RLock()  # what is collected meanwhile gives back too
        self._held = {}  # blocks that came back, by bin
        self._holds = True
        self._active_blocks = self._active_bytes = self._held_bytes = 0

    __init__.__qualname__ = "MemoryPool.__init__"  # in Python's errors of wrong calls

    @staticmethod
    def bin_number(size):
        """The bin of blocks that serve `size` bytes."""
        log = bitlog2(size)
        return log << 2 | (int(size) >> log - 2 if log >= 2 else int(size) << 2 - log) & 3

    @staticmethod
    def alloc_size(bin_number):
        """The bytes of a block of that bin: the most that the bin serves."""
        log, rest = bin_number >> 2, bin_number & 3
        if log < 2:
            return (4 | rest) >> 2 - log
        return ((4 | rest) + 1 << log - 2) - 1

    def _size(self, bytes):
        if bytes < 0:
            raise LogicError(f"[pool] {bytes} bytes cannot be allocated")
        return max(1, self.alloc_size(self.bin_number(bytes)))

    def _taken(self, bytes):
        with self._lock:
            number = self.bin_number(bytes)
            if self._held.get(number):
                self._held[number] -= 1
                self._held_bytes -= bytes
            self._active_blocks += 1
            self._active_bytes += bytes

    def _returned(self, bytes):
        with self._lock:
            self._active_blocks -= 1
            self._active_bytes -= bytes
            if self._holds:
                number = self.bin_number(bytes)
                self._held[number] = self._held.get(number, 0) + 1
                self._held_bytes += bytes

    def free_held(self):
        """Return memory that is not in use to the device."""
        with self._lock:
            self._held.clear()
            self._held_bytes = 0
        self._trim()

    def stop_holding(self):
        """Return memory that is not in use to the device, now and in future."""
        self._holds = False
        self.free_held()

    @property
    def held_blocks(self):
        """Blocks that came back and wait to be used again."""
        with self._lock:
            return sum(self._held.values())

    @property
    def active_blocks(self):
        """Blocks that are in use."""
        return self._active_blocks

    @property
    def managed_bytes(self):
        """Bytes of all blocks, those that are held and those in use."""
        with self._lock:
            return self._active_bytes + self._held_bytes

    @property
    def active_bytes(self):
        """Bytes of the blocks that are in use."""
        return self._active_bytes


class DeviceMemoryPool(_Pool):
    """Device memory that is used again after it is freed.

    ``pool.allocate`` is also an allocator for functions of ``gpuarray``.

    Examples
    --------
    >>> from quern.pycuda import driver, gpuarray
    >>> pool = driver.DeviceMemoryPool()
    >>> a = gpuarray.zeros(1000, allocator=pool.allocate)
    >>> pool.active_blocks
    1
    """

    def allocate(self, size):
        """Allocate device memory.

        Parameters
        ----------
        size : int
            Smallest number of bytes.

        Returns
        -------
        PooledDeviceAllocation
            The memory, whose bytes are not set.

        Examples
        --------
        >>> import quern.pycuda.autoinit
        >>> from quern.pycuda.tools import DeviceMemoryPool
        >>> pool = DeviceMemoryPool()
        >>> memory = pool.allocate(1000)
        >>> pool.active_blocks
        1
        """
        return PooledDeviceAllocation(self, self._size(int(size)))

    def _trim(self):
        _engine.current_device().trim()


class PageLockedAllocator:
    """An allocator of page-locked memory for :class:`PageLockedMemoryPool`.

    Parameters
    ----------
    flags : host_alloc_flags, optional
        ``PORTABLE``, ``DEVICEMAP`` or ``WRITECOMBINED``.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> pool = driver.PageLockedMemoryPool(driver.PageLockedAllocator(driver.host_alloc_flags.PORTABLE))
    >>> pool.allocate((2, 3), numpy.float32).shape
    (2, 3)
    """

    def __init__(self, flags=0):
        self.flags = int(flags)


class PageLockedMemoryPool(_Pool):
    """Page-locked host memory that is used again after it is freed.

    Parameters
    ----------
    allocator : PageLockedAllocator, optional
        Allocator with the flags of the memory.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> pool = driver.PageLockedMemoryPool()
    >>> pool.allocate((2, 3), numpy.float32).shape
    (2, 3)
    """

    def __init__(self, allocator=None):
        super().__init__()
        if allocator is not None and not isinstance(allocator, PageLockedAllocator):
            raise Error("[PageLockedMemoryPool] a PageLockedAllocator is needed")
        self._flags = allocator.flags if allocator else 0

    def allocate(self, shape, dtype, order="C"):
        """Return a NumPy array in page-locked memory of the pool.

        Parameters
        ----------
        shape : int or tuple of ints
            Shape of the array.
        dtype : dtype
            Dtype of the array.
        order : {'C', 'F'}, optional
            Memory order.

        Returns
        -------
        numpy.ndarray
            Its values are not set; ``array.base.free()`` frees the memory before the array is collected.

        Examples
        --------
        >>> import numpy as np
        >>> import quern.pycuda.autoinit
        >>> from quern.pycuda.tools import PageLockedMemoryPool
        >>> pool = PageLockedMemoryPool()
        >>> host = pool.allocate(4, np.float32)
        >>> host.shape
        (4,)
        """
        memory = PooledHostAllocation(self, self._size(byte_count(shape, dtype)), self._flags)
        return host_array(memory, shape, dtype, order)

    def _trim(self):
        _engine.current_device().trim_pinned()
