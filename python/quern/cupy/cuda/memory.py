"""cupy.cuda.memory: memory of the device, by address.

There is one allocator, the engine's pool of each device, which every array and every front end shares. MemoryPool is a view of it: what one
reports and limits is what all of them do.
"""

import contextlib
import ctypes
import os
import threading
import weakref

from quern import errors as _errors
from quern.cupy.cuda._errors import _call
from quern.cupy.cuda.device import Device, _current_id, _engine_of, _id_of_memory
from quern.cupy.cuda.stream import ExternalStream, Stream, get_current_stream
from quern.device import current_device
from quern.lib import _engine
from quern.user_files import warn_user

OutOfMemoryError = _errors.OutOfMemoryError  # a MemoryError


# ---- memory


class BaseMemory:
    """Memory at ``ptr``, of ``size`` bytes, on the device ``device_id``."""

    ptr = 0
    size = 0
    device_id = -1

    def __int__(self):
        return self.ptr

    @property
    def device(self):
        """The device it is on."""
        return Device(self.device_id)


class Memory(BaseMemory):
    """New memory of the current device; it goes back when the object goes. Raises OutOfMemoryError when there is no room."""

    def __init__(self, size):
        self.size, self.device_id = int(size), _current_id()
        if self.size < 0:
            raise ValueError(f"[cupy.cuda.Memory] {size} bytes cannot be allocated")
        if self.size:
            self._allocation = _engine.Allocation(current_device(), self.size)
            self.ptr = int(self._allocation)


class PooledMemory(Memory):
    """Memory of a pool's."""

    def free(self):
        """Gives it back to the pool; it must not be used afterwards."""
        allocation = self.__dict__.pop("_allocation", None)
        if allocation is not None:
            allocation.free()
        self.ptr = self.size = 0


class MemoryAsync(Memory):
    """New memory; the engine orders its reuse by what the streams do with it, so that ``stream`` need not say."""

    def __init__(self, size, stream=None):
        super().__init__(size)
        self.stream = stream


class UnownedMemory(BaseMemory):
    """Memory at an address; ``owner`` keeps it. ``device_id``: by default that of the GPU whose memory it is."""

    def __init__(self, ptr, size, owner, device_id=-1):
        self.ptr, self.size, self._owner = int(ptr), int(size), owner
        self.device_id = _id_of_memory(self.ptr) if device_id < 0 else device_id


class ManagedMemory(BaseMemory):
    """Memory that the host and the device both reach."""

    def __init__(self, size):
        self.size, self.device_id = int(size), _current_id()
        if self.size:
            self._memory = _engine.managed(current_device(), self.size, 1)
            self.ptr = self._memory.address

    def prefetch(self, stream):
        """Do nothing; accepted for compatibility: memory moves when it is used."""

    def advise(self, advise, dev):
        """Do nothing; accepted for compatibility."""


class _CallbackMemory(BaseMemory):
    """Memory that a function gave, and another takes back."""

    def __init__(self, size, ptr, free, owner):
        self.size, self.device_id, self.ptr = int(size), _current_id(), int(ptr or 0)
        self._owner = owner
        if self.ptr:
            weakref.finalize(self, free, self.ptr, self.device_id)


class PythonFunctionAllocator:
    """``malloc(size)`` with memory of ``malloc_func(size, device_id)``, an address, freed by ``free_func(address, device_id)``."""

    def __init__(self, malloc_func, free_func):
        self._malloc, self._free = malloc_func, free_func

    def malloc(self, size):
        """A MemoryPointer to new memory."""
        return MemoryPointer(_CallbackMemory(size, self._malloc(size, _current_id()), self._free, self), 0)


class CFunctionAllocator:
    """``malloc(size)`` with memory of two C functions, by address: ``void* malloc(void* param, size_t size, int device)`` and
    ``void free(void* param, void* ptr, int device)``. ``param``: their first argument; ``owner`` keeps what they need."""

    def __init__(self, param, malloc_func, free_func, owner):
        self._owner = owner
        malloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)(malloc_func)
        free = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(free_func)
        self._malloc = lambda size: malloc(param, size, _current_id())
        self._free = lambda ptr, device: free(param, ptr, device)

    def malloc(self, size):
        """A MemoryPointer to new memory."""
        return MemoryPointer(_CallbackMemory(size, self._malloc(size), self._free, self), 0)


# ---- pointers


def _host(mem, size):
    """The host's memory at an address (an int, or a pointer of ctypes'), as an object with a buffer."""
    address = mem if isinstance(mem, int) else getattr(mem, "value", None)
    if address is None and hasattr(mem, "ptr"):
        address = mem.ptr
    if not isinstance(address, int):
        raise TypeError(f"[cupy.cuda.MemoryPointer] host memory must be an address or a ctypes.c_void_p, not {type(mem).__name__}")
    _engine.require_host_memory(address, int(size), "memcpy")
    return (ctypes.c_char * int(size)).from_address(address)


class MemoryPointer:
    """A place in memory: ``ptr`` is its address, ``mem`` the memory, ``device_id`` where that is. Whole numbers move it.

    Parameters: ``mem``: the memory; ``offset``: bytes from its start.
    """

    mem, ptr, device_id = None, 0, -1

    def __init__(self, mem, offset):
        self.mem, self.ptr, self.device_id = mem, mem.ptr + int(offset), mem.device_id

    device = property(lambda self: self.mem.device, doc="The device it is on.")

    def __int__(self):
        return self.ptr

    __index__ = __int__

    def __add__(self, offset):
        return MemoryPointer(self.mem, self.ptr - self.mem.ptr + offset)

    __radd__ = __add__

    def __iadd__(self, offset):
        self.ptr += int(offset)
        return self

    def __sub__(self, offset):
        return self + -offset

    def __isub__(self, offset):
        self.ptr -= int(offset)
        return self

    def __rsub__(self, other):
        return NotImplemented

    def __reduce__(self):
        raise TypeError("a MemoryPointer cannot be pickled")

    def __repr__(self):
        return f"<MemoryPointer {self.ptr:#x} device={self.device_id} mem={self.mem!r}>"

    def _engine(self):
        return _engine_of(self.device_id)

    @_call
    def copy_from_device(self, src, size):
        """Copy from device memory.

        Parameters
        ----------
        src : MemoryPointer
            Source.
        size : int
            Number of bytes.
        """
        if size:
            _engine.dtod(self._engine(), self.ptr, src.ptr, int(size), _on(None))

    @_call
    def copy_from_device_async(self, src, size, stream=None):
        """Copy from device memory in a stream.

        Parameters
        ----------
        src : MemoryPointer
            Source.
        size : int
            Number of bytes.
        stream : Stream, optional
            Stream; None is the current one.
        """
        if size:
            _engine.dtod(self._engine(), self.ptr, src.ptr, int(size), _on(stream))

    @_call
    def copy_from_host(self, mem, size):
        """Copy from memory of the host.

        Parameters
        ----------
        mem : address
            Address on the host, an int or a ctypes pointer.
        size : int
            Number of bytes.
        """
        if size:
            _engine.htod(self._engine(), self.ptr, _host(mem, size), _on(None))

    @_call
    def copy_from_host_async(self, mem, size, stream=None):
        """Copy from memory of the host in a stream.

        Pinned memory must stay unchanged until the copy is done.

        Parameters
        ----------
        mem : address
            Address on the host, an int or a ctypes pointer.
        size : int
            Number of bytes.
        stream : Stream, optional
            Stream; None is the current one.
        """
        if size:
            _engine.htod(self._engine(), self.ptr, _host(mem, size), _on(stream), blocking=False)

    def copy_from(self, mem, size):
        """Copy from device memory or from memory of the host.

        Parameters
        ----------
        mem : MemoryPointer or address
            Source: a MemoryPointer, or an address of the host.
        size : int
            Number of bytes.
        """
        (self.copy_from_device if isinstance(mem, MemoryPointer) else self.copy_from_host)(mem, size)

    def copy_from_async(self, mem, size, stream=None):
        """Copy as :meth:`copy_from` in a stream.

        Parameters
        ----------
        mem : MemoryPointer or address
            Source: a MemoryPointer, or an address of the host.
        size : int
            Number of bytes.
        stream : Stream, optional
            Stream; None is the current one.
        """
        (self.copy_from_device_async if isinstance(mem, MemoryPointer) else self.copy_from_host_async)(mem, size, stream)

    @_call
    def copy_to_host(self, mem, size):
        """Copy to memory of the host, and wait for the copy.

        Parameters
        ----------
        mem : address
            Address on the host, an int or a ctypes pointer.
        size : int
            Number of bytes.
        """
        if size:
            _engine.dtoh(self._engine(), _host(mem, size), self.ptr, _on(None))

    @_call
    def copy_to_host_async(self, mem, size, stream=None):
        """Copy to memory of the host in a stream; with pinned memory, without waiting.

        Parameters
        ----------
        mem : address
            Address on the host, an int or a ctypes pointer.
        size : int
            Number of bytes.
        stream : Stream, optional
            Stream; None is the current one.
        """
        if size:
            _engine.dtoh(self._engine(), _host(mem, size), self.ptr, _on(stream), blocking=False)

    @_call
    def memset(self, value, size):
        """Set bytes to a value.

        Parameters
        ----------
        value : int
            Value of each byte.
        size : int
            Number of bytes.
        """
        if size:
            _engine.fill(self._engine(), self.ptr, 0, int(value) & 255, 1, int(size), 1, _on(None))

    @_call
    def memset_async(self, value, size, stream=None):
        """Set bytes to a value in a stream.

        Parameters
        ----------
        value : int
            Value of each byte.
        size : int
            Number of bytes.
        stream : Stream, optional
            Stream; None is the current one.
        """
        if size:
            _engine.fill(self._engine(), self.ptr, 0, int(value) & 255, 1, int(size), 1, _on(stream))


def _on(stream):
    """The stream for a copy."""
    if stream is None:
        return get_current_stream()
    if isinstance(stream, int):
        return ExternalStream(stream)
    return stream if isinstance(stream, Stream) else Stream.from_external(stream)


# ---- pools


class MemoryPool:
    """Memory pool of the current device; every MemoryPool is the pool of the engine.

    Parameters
    ----------
    allocator : callable, optional
        None or ``malloc_managed``; others raise NotImplementedError.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.cuda.MemoryPool().used_bytes() >= 0
    True
    """

    def __init__(self, allocator=None):
        if not _is_pools(allocator, "MemoryPool"):
            raise NotImplementedError(
                "[cupy.cuda.MemoryPool] pools with an allocator are not supported; pass None, or the function itself to set_allocator()"
            )

    def malloc(self, size):
        """Allocate memory of the pool.

        Parameters
        ----------
        size : int
            Number of bytes.

        Returns
        -------
        MemoryPointer
            Memory.

        Raises
        ------
        OutOfMemoryError
            Where there is no memory left, or the limit would be exceeded.
        """
        return MemoryPointer(PooledMemory(size), 0)

    @staticmethod
    def _info():
        return current_device().pool_info()

    def used_bytes(self):
        """Bytes in use, as the pool took them from the device: sizes are rounded up."""
        return self._info()["held"]

    def free_bytes(self):
        """Bytes that were given back and wait to be used again."""
        return self._info()["kept"]

    def total_bytes(self):
        """Bytes that the pool took from the device: those in use, and those that wait to be used again."""
        info = self._info()
        return info["held"] + info["kept"]

    def n_free_blocks(self):
        """How many blocks wait to be used again."""
        return self._info()["waiting"]

    def free_all_blocks(self, stream=None):
        """Return unused memory to the device.

        Parameters
        ----------
        stream : Stream, optional
            Accepted for compatibility; has no effect.
        """
        current_device().trim()

    free_all_free = free_all_blocks

    def set_limit(self, size=None, fraction=None):
        """Limit the memory that the pool takes from the current device.

        Parameters
        ----------
        size : int, optional
            Number of bytes; 0 for no limit.
        fraction : float, optional
            Fraction of the device's memory, instead of `size`.

        Raises
        ------
        ValueError
            For both, for negative values, and for a fraction above 1.
        """
        if size is None:
            if fraction is None:
                size = 0
            elif not 0 <= fraction <= 1:
                raise ValueError(f"memory limit fraction out of range: {fraction}")
            else:
                size = int(fraction * current_device().memory()[1])
        elif fraction is not None:
            raise ValueError("size and fraction cannot be specified at one time")
        if size < 0:
            raise ValueError(f"memory limit size out of range: {size}")
        current_device().set_pool_limit(int(size))

    def get_limit(self):
        """The limit of the current device's pool in bytes; 0: there is none."""
        return current_device().pool_info()["limit"]

    def __reduce__(self):
        raise TypeError("a MemoryPool cannot be pickled")


class MemoryAsyncPool(MemoryPool):
    """The same pool: it orders reuse by streams in any case. ``pool_handles``: "current" or "default"; handles of CUDA's pools are not
    supported."""

    def __init__(self, pool_handles="current"):
        handles = [pool_handles] if isinstance(pool_handles, str) else list(pool_handles)
        if any(h not in ("current", "default", "create") for h in handles):
            raise NotImplementedError("[cupy.cuda.MemoryAsyncPool] CUDA's pools are not supported; arrays share quern's pool")


def _is_pools(allocator, what):
    """Is it an allocator that the engine's pool stands for? Managed memory has the same values, so that it is one with a warning."""
    if allocator is malloc_managed and current_device().kind != "cpu":
        warn_user(f"[cupy.cuda.{what}] arrays are not in managed memory here: they share the engine's pool")
    if allocator is None or allocator in (malloc, malloc_async, malloc_managed, _malloc):
        return True
    return isinstance(getattr(allocator, "__self__", None), MemoryPool) and getattr(allocator, "__name__", "") == "malloc"


def malloc(size):
    """Allocate memory of the pool.

    Parameters
    ----------
    size : int
        Number of bytes.

    Returns
    -------
    MemoryPointer
        Memory.
    """
    return MemoryPointer(PooledMemory(size), 0)


_malloc = malloc


def malloc_managed(size):
    """Allocate memory that the host and the device both reach.

    Parameters
    ----------
    size : int
        Number of bytes.

    Returns
    -------
    MemoryPointer
        Memory.
    """
    return MemoryPointer(ManagedMemory(size), 0)


def malloc_async(size):
    """Allocate memory of the current device.

    Parameters
    ----------
    size : int
        Number of bytes.

    Returns
    -------
    MemoryPointer
        Memory.
    """
    return MemoryPointer(MemoryAsync(size), 0)


_default_pool = MemoryPool()
_allocator = _default_pool.malloc
_thread = threading.local()


def get_default_memory_pool():
    """The pool that arrays take their memory from; its numbers are those of the current device."""
    return _default_pool


def get_allocator():
    """The function that alloc() calls: MemoryPool.malloc, or what set_allocator() was given."""
    return getattr(_thread, "allocator", _allocator)


def set_allocator(allocator=None):
    """Set the function that allocates memory of arrays.

    Parameters
    ----------
    allocator : callable, optional
        ``allocator(bytes)`` returns a MemoryPointer; None is the pool of the engine.
    """
    global _allocator
    if hasattr(_thread, "allocator"):
        raise ValueError("Can't change the global allocator inside `using_allocator` context manager")
    _note(allocator, "set_allocator")
    _allocator = malloc if allocator is None else allocator


_own = set()  # the functions given that are not the pool's: nobody has to ask while there are none
_of_own = []  # what wants to know that one is given


def _note(allocator, what):
    if not _is_pools(allocator, what):
        if not callable(allocator):
            raise TypeError(f"[cupy.cuda.{what}] the allocator must be a function, not {type(allocator).__name__}")
        for wants in _of_own:
            wants()
        _own.add(allocator)


def when_own_allocator(wants):
    """``wants()`` is called when a function that is not the pool's is given, before it is asked for memory."""
    _of_own.append(wants)


def has_own_allocator():
    """Is memory of this thread's to come from a function that is not the pool's?"""
    return bool(_own) and get_allocator() in _own


@contextlib.contextmanager
def using_allocator(allocator=None):
    """Set the function that allocates memory in this thread, as a context manager.

    Parameters
    ----------
    allocator : callable, optional
        As in :func:`set_allocator`.
    """
    _note(allocator, "using_allocator")
    before = getattr(_thread, "allocator", None)
    _thread.allocator = malloc if allocator is None else allocator
    try:
        yield
    finally:
        if before is None:
            del _thread.allocator
        else:
            _thread.allocator = before


def alloc(size):
    """Allocate memory of the current device.

    Parameters
    ----------
    size : int
        Number of bytes.

    Returns
    -------
    MemoryPointer
        Memory.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.cuda.alloc(16).mem.size
    16
    """
    memory = get_allocator()(size)
    if not isinstance(memory, MemoryPointer):
        raise TypeError(f"[cupy.cuda.alloc] the allocator must return a MemoryPointer, not {type(memory).__name__}")
    return memory


def _limit_of_environment():
    wish = os.environ.get("CUPY_GPU_MEMORY_LIMIT", "").strip()
    if wish:
        pool = get_default_memory_pool()
        if wish.endswith("%"):
            pool.set_limit(fraction=float(wish[:-1]) / 100)
        else:
            pool.set_limit(size=int(wish))


_limit_of_environment()
for _class in list(globals().values()):
    if isinstance(_class, type) and _class.__module__ == __name__:
        _class.__module__ = "cupy.cuda.memory"
