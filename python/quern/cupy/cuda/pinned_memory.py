"""cupy.cuda.pinned_memory: memory of the host that copies can be asynchronous with."""

import threading

from quern.arrays.records import host_array
from quern.device import current_device
from quern.lib import _engine

_PAGE = 512


class PinnedMemory:
    """New pinned memory of the host, at the address ``ptr``.

    Parameters
    ----------
    size : int
        Number of bytes.
    flags : int, optional
        Flags of ``runtime.hostAlloc``.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.cuda.PinnedMemory(16).size
    16
    """

    def __init__(self, size, flags=0):
        self.size, flags = int(size), int(flags)
        self._memory = _engine.pinned(current_device(), max(self.size, 1), bool(flags & 1), bool(flags & 2), bool(flags & 4))
        self.ptr = self._memory.address

    def __int__(self):
        return self.ptr


class _PooledPinnedMemory(PinnedMemory):
    """Memory that goes back to its pool."""

    def __init__(self, size, pool, memory):
        self.size, self._pool, self._memory, self.ptr = size, pool, memory, memory.address

    def free(self):
        """Gives it back; it must not be used afterwards."""
        memory, self._memory = self._memory, None
        if memory is not None:
            self._pool._take_back(memory)

    def __del__(self):
        try:
            self.free()
        except Exception:  # at exit
            pass


class PinnedMemoryPointer(_engine.HostMemory):
    """Address in pinned memory, with a buffer for ``numpy.frombuffer(pointer, dtype, count)``.

    Parameters
    ----------
    mem : PinnedMemory
        Memory.
    offset : int
        Bytes from its start.

    Examples
    --------
    >>> import numpy as np
    >>> from quern import cupy as cp
    >>> pointer = cp.cuda.PinnedMemoryPointer(cp.cuda.PinnedMemory(16), 8)
    >>> np.frombuffer(pointer, np.float64).shape
    (1,)
    """

    def __init__(self, mem, offset):
        offset = int(offset)
        super().__init__(mem._memory, offset, mem.size - offset)
        self.mem, self.ptr = mem, mem.ptr + offset

    def __int__(self):
        return self.ptr

    def __add__(self, offset):
        return PinnedMemoryPointer(self.mem, self.ptr - self.mem.ptr + int(offset))

    __radd__ = __add__

    def __iadd__(self, offset):
        return self + offset

    def __sub__(self, offset):
        return self + -int(offset)

    def __isub__(self, offset):
        return self + -int(offset)

    def size(self):
        """Return the bytes from the address to the end of the memory.

        Returns
        -------
        int
            Number of bytes.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.cuda.PinnedMemoryPointer(cp.cuda.PinnedMemory(16), 4).size()
        12
        """
        return self.nbytes

    def __repr__(self):
        return f"<PinnedMemoryPointer {self.ptr:#x} size={self.nbytes}>"


class PinnedMemoryPool:
    """Pool of pinned memory, whose blocks are reused.

    Parameters
    ----------
    allocator : callable, optional
        ``allocator(size)`` returns a PinnedMemoryPointer; None allocates by CUDA.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> pool = cp.cuda.PinnedMemoryPool()
    >>> pool.malloc(16).size()
    512
    """

    def __init__(self, allocator=None):
        self._allocator = allocator
        self._free = {}  # bytes -> [(memory, an event: nobody uses it any more)]
        self._lock = threading.RLock()

    def malloc(self, size):
        """Allocate pinned memory.

        Parameters
        ----------
        size : int
            Least number of bytes; blocks are multiples of 512.

        Returns
        -------
        PinnedMemoryPointer
            Memory; it returns to the pool with its last pointer.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.cuda.PinnedMemoryPool().malloc(600).size()
        1024
        """
        rounded = max((int(size) + _PAGE - 1) // _PAGE * _PAGE, _PAGE)
        with self._lock:
            waiting = self._free.get(rounded, [])
            memory = next((m for m, event in reversed(waiting) if event.query()), None)
            if memory is not None:
                self._free[rounded] = [entry for entry in waiting if entry[0] is not memory]
        if memory is None:
            if self._allocator is None:
                memory = _engine.pinned(current_device(), rounded, False, False, False)
            else:
                memory = self._allocator(rounded)
        return PinnedMemoryPointer(_PooledPinnedMemory(rounded, self, memory), 0)

    def _take_back(self, memory):
        event = _engine.Event(current_device(), False, False)
        event.record(None)
        with self._lock:
            self._free.setdefault(memory.nbytes, []).append((memory, event))

    def n_free_blocks(self):
        """Return how many blocks the pool keeps for later allocations.

        Returns
        -------
        int
            Number of blocks.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> pool = cp.cuda.PinnedMemoryPool()
        >>> pointer = pool.malloc(16)
        >>> del pointer
        >>> pool.n_free_blocks()
        1
        """
        with self._lock:
            return sum(len(waiting) for waiting in self._free.values())

    def free_all_blocks(self):
        """Return unused blocks to the system.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> pool = cp.cuda.PinnedMemoryPool()
        >>> pool.free_all_blocks()
        >>> pool.n_free_blocks()
        0
        """
        with self._lock:
            self._free.clear()
        current_device().trim_pinned()

    def __reduce__(self):
        raise TypeError("a PinnedMemoryPool cannot be pickled")


_default_pool = PinnedMemoryPool()
_allocator = _default_pool.malloc


def get_default_pinned_memory_pool():
    """Return the pool that `alloc_pinned_memory` uses by default.

    Returns
    -------
    PinnedMemoryPool
        Pool.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.get_default_pinned_memory_pool().n_free_blocks() >= 0
    True
    """
    return _default_pool


def set_pinned_memory_allocator(allocator=None):
    """Set the function that `alloc_pinned_memory` calls.

    Parameters
    ----------
    allocator : callable, optional
        ``allocator(size)`` returns a PinnedMemoryPointer; None allocates new memory each time.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.cuda.set_pinned_memory_allocator(cp.get_default_pinned_memory_pool().malloc)
    """
    global _allocator
    _allocator = _malloc if allocator is None else allocator


def _malloc(size):
    return PinnedMemoryPointer(PinnedMemory(size), 0)


def alloc_pinned_memory(size):
    """Allocate pinned memory of the host.

    Parameters
    ----------
    size : int
        Least number of bytes.

    Returns
    -------
    PinnedMemoryPointer
        Memory, with a buffer for NumPy.

    Examples
    --------
    >>> import numpy as np
    >>> from quern import cupy as cp
    >>> memory = cp.cuda.alloc_pinned_memory(64)
    >>> np.frombuffer(memory, np.float64, 8).shape
    (8,)
    """
    return _allocator(size)


def _array(shape, dtype, order):
    import numpy

    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    dtype = numpy.dtype(dtype)
    count = 1
    for n in shape:
        count *= n
    memory = alloc_pinned_memory(count * dtype.itemsize)
    return host_array(memory, shape, dtype, order)


for _class in (PinnedMemory, PinnedMemoryPointer, PinnedMemoryPool):
    _class.__module__ = "cupy.cuda.pinned_memory"
