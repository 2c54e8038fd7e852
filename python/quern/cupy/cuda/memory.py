"""cupy.cuda.memory: memory of the device, by address.

There is one allocator, the engine's pool of each device, which every array and every front end shares. MemoryPool is a view of it: what one
reports and limits is what all of them do.
"""

import contextlib
import ctypes
import os
import threading

from quern import errors as _errors
from quern.cupy.cuda._pointers import (  # noqa: F401
    BaseMemory,
    ManagedMemory,
    Memory,
    MemoryAsync,
    MemoryPointer,
    PooledMemory,
    UnownedMemory,
    _CallbackMemory,
)
from quern.cupy.cuda.device import _current_id
from quern.device import current_device
from quern.user_files import warn_user

OutOfMemoryError = _errors.OutOfMemoryError  # a MemoryError


# ---- allocators


class PythonFunctionAllocator:
    """Allocator of two Python functions.

    Parameters
    ----------
    malloc_func : callable
        ``malloc_func(size, device_id)`` returns the address of new memory.
    free_func : callable
        ``free_func(address, device_id)`` frees it.

    Examples
    --------
    >>> import ctypes
    >>> from quern import cupy as cp
    >>> blocks = {}
    >>> def malloc(size, device):
    ...     block = ctypes.create_string_buffer(size)
    ...     blocks[ctypes.addressof(block)] = block
    ...     return ctypes.addressof(block)
    >>> allocator = cp.cuda.PythonFunctionAllocator(malloc, lambda address, device: blocks.pop(address))
    >>> allocator.malloc(16).mem.size
    16
    """

    def __init__(self, malloc_func, free_func):
        self._malloc, self._free = malloc_func, free_func

    def malloc(self, size):
        """Allocate memory by the function.

        Parameters
        ----------
        size : int
            Number of bytes.

        Returns
        -------
        MemoryPointer
            Memory, freed with its last pointer.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.cuda.PythonFunctionAllocator(lambda size, device: 4096, lambda address, device: None).malloc(16).ptr
        4096
        """
        return MemoryPointer(_CallbackMemory(size, self._malloc(size, _current_id()), self._free, self), 0)


class CFunctionAllocator:
    """Allocator of two C functions, by address.

    Parameters
    ----------
    param : int
        First argument of both functions.
    malloc_func : int
        Address of ``void* malloc(void* param, size_t size, int device)``.
    free_func : int
        Address of ``void free(void* param, void* ptr, int device)``.
    owner : object
        Object that keeps the functions alive.

    Examples
    --------
    >>> import ctypes
    >>> from quern import cupy as cp
    >>> malloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)(lambda param, size, device: 4096)
    >>> free = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(lambda param, ptr, device: None)
    >>> addresses = [ctypes.cast(f, ctypes.c_void_p).value for f in (malloc, free)]
    >>> allocator = cp.cuda.CFunctionAllocator(0, *addresses, owner=(malloc, free))
    >>> allocator.malloc(16).ptr
    4096
    """

    def __init__(self, param, malloc_func, free_func, owner):
        self._owner = owner
        malloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)(malloc_func)
        free = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(free_func)
        self._malloc = lambda size: malloc(param, size, _current_id())
        self._free = lambda ptr, device: free(param, ptr, device)

    def malloc(self, size):
        """Allocate memory by the function.

        Parameters
        ----------
        size : int
            Number of bytes.

        Returns
        -------
        MemoryPointer
            Memory, freed with its last pointer.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> hasattr(cp.cuda.CFunctionAllocator, "malloc")
        True
        """
        return MemoryPointer(_CallbackMemory(size, self._malloc(size), self._free, self), 0)


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
            Memory; it returns to the pool with its last pointer.

        Raises
        ------
        OutOfMemoryError
            Where there is no memory left, or the limit would be exceeded.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> pool = cp.get_default_memory_pool()
        >>> pointer = pool.malloc(1024)
        >>> pointer.mem.size
        1024
        """
        return MemoryPointer(PooledMemory(size), 0)

    @staticmethod
    def _info():
        return current_device().pool_info()

    def used_bytes(self):
        """Return how many bytes are in use.

        Returns
        -------
        int
            Bytes of the blocks in use; sizes of blocks are rounded up.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> pool = cp.get_default_memory_pool()
        >>> a = cp.zeros(1000)
        >>> b = a + 1
        >>> b.sum().item()
        1000.0
        >>> pool.used_bytes() >= b.nbytes
        True
        """
        return self._info()["held"]

    def free_bytes(self):
        """Return how many bytes the pool keeps for later allocations.

        Returns
        -------
        int
            Bytes of the blocks that are not in use.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> pool = cp.get_default_memory_pool()
        >>> pool.free_all_blocks()
        >>> pool.free_bytes()
        0
        """
        return self._info()["kept"]

    def total_bytes(self):
        """Return how many bytes the pool has taken from the device.

        Returns
        -------
        int
            The sum of `used_bytes` and `free_bytes`.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> pool = cp.get_default_memory_pool()
        >>> pool.total_bytes() == pool.used_bytes() + pool.free_bytes()
        True
        """
        info = self._info()
        return info["held"] + info["kept"]

    def n_free_blocks(self):
        """Return how many blocks the pool keeps for later allocations.

        Returns
        -------
        int
            Number of blocks.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> pool = cp.get_default_memory_pool()
        >>> pool.free_all_blocks()
        >>> pool.n_free_blocks()
        0
        """
        return self._info()["waiting"]

    def free_all_blocks(self, stream=None):
        """Return unused memory to the device.

        Parameters
        ----------
        stream : Stream, optional
            Accepted for compatibility; has no effect.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> a = cp.zeros(1000) + 1
        >>> del a
        >>> pool = cp.get_default_memory_pool()
        >>> pool.free_all_blocks()
        >>> pool.free_bytes()
        0
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

        Examples
        --------
        >>> from quern import cupy as cp
        >>> pool = cp.get_default_memory_pool()
        >>> pool.set_limit(size=1 << 30)
        >>> pool.get_limit()
        1073741824
        >>> pool.set_limit(size=0)
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
        """Return the limit of the current device's pool.

        Returns
        -------
        int
            Number of bytes; 0 for no limit.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.get_default_memory_pool().get_limit()
        0
        """
        return current_device().pool_info()["limit"]

    def __reduce__(self):
        raise TypeError("a MemoryPool cannot be pickled")


class MemoryAsyncPool(MemoryPool):
    """Memory pool of the current device, the same as `MemoryPool`: reuse of memory is always ordered by streams.

    Parameters
    ----------
    pool_handles : str or sequence of str, optional
        "current" or "default"; handles of CUDA's pools raise NotImplementedError.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.cuda.MemoryAsyncPool().used_bytes() == cp.get_default_memory_pool().used_bytes()
    True
    """

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
    """Allocate memory that the host and the device can both access.

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
    >>> cp.cuda.malloc_managed(16).mem.size
    16
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

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.cuda.malloc_async(16).mem.size
    16
    """
    return MemoryPointer(MemoryAsync(size), 0)


_default_pool = MemoryPool()
_allocator = _default_pool.malloc
_thread = threading.local()


def get_default_memory_pool():
    """Return the pool that arrays take their memory from.

    Returns
    -------
    MemoryPool
        Pool; its numbers are those of the current device.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.get_default_memory_pool().used_bytes() >= 0
    True
    """
    return _default_pool


def get_allocator():
    """Return the function that `alloc` calls.

    Returns
    -------
    callable
        ``MemoryPool.malloc``, or the function that `set_allocator` or `using_allocator` set.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.cuda.get_allocator()(16).mem.size
    16
    """
    return getattr(_thread, "allocator", _allocator)


def set_allocator(allocator=None):
    """Set the function that allocates memory of arrays.

    Parameters
    ----------
    allocator : callable, optional
        ``allocator(bytes)`` returns a MemoryPointer; None is the pool of the engine.

    Raises
    ------
    TypeError
        For an object that cannot be called.
    ValueError
        Within a block of `using_allocator`.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> pool = cp.cuda.MemoryPool()
    >>> cp.cuda.set_allocator(pool.malloc)
    >>> cp.cuda.set_allocator()
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

    Yields
    ------
    None
        Nothing.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> sizes = []
    >>> def allocator(size):
    ...     sizes.append(size)
    ...     return cp.cuda.MemoryPool().malloc(size)
    >>> with cp.cuda.using_allocator(allocator):
    ...     a = cp.zeros(1000)
    >>> sizes
    [8000]
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
