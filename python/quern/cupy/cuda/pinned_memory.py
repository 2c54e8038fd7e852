"""cupy.cuda.pinned_memory: memory of the host that copies can be asynchronous with."""

import threading

from quern.arrays.records import host_array
from quern.device import current_device
from quern.lib import _engine

_PAGE = 512


class PinnedMemory:
    """New pinned memory: ``ptr`` is its address on the host, ``size`` its bytes. ``flags``: those of runtime.hostAlloc."""

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
    """A place in pinned memory; NumPy reads and writes it: ``numpy.frombuffer(pointer, dtype, count)``."""

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
        """Bytes from here to the end of the memory."""
        return self.nbytes

    def __repr__(self):
        return f"<PinnedMemoryPointer {self.ptr:#x} size={self.nbytes}>"


class PinnedMemoryPool:
    """Pinned memory that is kept and used again. ``allocator``: a function of a size that gives a PinnedMemoryPointer."""

    def __init__(self, allocator=None):
        self._allocator = allocator
        self._free = {}  # bytes -> [(memory, an event: nobody uses it any more)]
        self._lock = threading.RLock()

    def malloc(self, size):
        """A PinnedMemoryPointer to ``size`` bytes at least."""
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
        """How many blocks wait to be used again."""
        with self._lock:
            return sum(len(waiting) for waiting in self._free.values())

    def free_all_blocks(self):
        """Gives the blocks that wait back to the system."""
        with self._lock:
            self._free.clear()
        current_device().trim_pinned()

    def __reduce__(self):
        raise TypeError("a PinnedMemoryPool cannot be pickled")


_default_pool = PinnedMemoryPool()
_allocator = _default_pool.malloc


def get_default_pinned_memory_pool():
    """The pool that alloc_pinned_memory() uses unless set_pinned_memory_allocator() said otherwise."""
    return _default_pool


def set_pinned_memory_allocator(allocator=None):
    """What alloc_pinned_memory() calls from now on: a function of a size; None: new memory each time."""
    global _allocator
    _allocator = _malloc if allocator is None else allocator


def _malloc(size):
    return PinnedMemoryPointer(PinnedMemory(size), 0)


def alloc_pinned_memory(size):
    """A PinnedMemoryPointer to ``size`` bytes at least.

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
