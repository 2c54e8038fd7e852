"""Memory as such: MemoryPointer and related classes. Plug-ins that manage memory, and memory of several processes, are refused."""

from __future__ import annotations

import collections
import ctypes
import weakref

import numpy

from quern.arrays import core as _core
from quern.device import current_device
from quern.lib import _engine

MemoryInfo = collections.namedtuple("MemoryInfo", "free total")
MemoryInfo.__doc__ = "Bytes of a device: ``free`` and ``total``."


class MemoryPointer:
    """Memory of a device, from an address on.

    Parameters
    ----------
    context : Context
        Context of the device.
    pointer : int or ctypes.c_void_p
        Address.
    size : int
        Number of bytes.
    owner : object, optional
        Object that is kept alive as long as the memory.
    finalizer : callable, optional
        Function that is called once: by `free`, or when the object is deleted.

    Examples
    --------
    >>> from quern import cuda
    >>> cuda.current_context().memalloc(64).size
    64
    """

    __cuda_memory__ = True

    def __init__(self, context, pointer, size, owner=None, finalizer=None):
        self.context, self.device_pointer, self.size, self._owner = context, pointer, size, owner
        self.is_managed = finalizer is not None
        self.is_alive = True
        self.refct = 0
        self._finalizer = weakref.finalize(self, finalizer) if finalizer is not None else None

    @property
    def owner(self):
        """The object that the memory belongs to; by default the memory itself.

        Examples
        --------
        >>> from quern import cuda
        >>> memory = cuda.current_context().memalloc(64)
        >>> memory.owner is memory
        True
        """
        return self if self._owner is None else self._owner

    def own(self):
        """Return the memory as an object that frees it when it is deleted.

        Returns
        -------
        MemoryPointer
            The memory itself.

        Examples
        --------
        >>> from quern import cuda
        >>> memory = cuda.current_context().memalloc(64)
        >>> memory.own() is memory
        True
        """
        return self

    def free(self):
        """Free the memory.

        Raises
        ------
        RuntimeError
            Where it was freed before.

        Examples
        --------
        >>> from quern import cuda
        >>> memory = cuda.current_context().memalloc(64)
        >>> memory.free()
        """
        if not self.is_managed:
            return
        if not self.is_alive:
            raise RuntimeError("[free] this memory was freed already")
        self.is_alive = False
        self._finalizer()

    def memset(self, byte, count=None, stream=0):
        """Set bytes to a value.

        Parameters
        ----------
        byte : int
            Value of each byte.
        count : int, optional
            Number of bytes; None is all of them.
        stream : Stream, optional
            Stream of the work.

        Examples
        --------
        >>> from quern import cuda
        >>> cuda.current_context().memalloc(64).memset(0)
        """
        device_memset(self, byte, self.size if count is None else count, stream)

    def view(self, start, stop=None):
        """Return a part of the memory.

        Parameters
        ----------
        start : int
            First byte.
        stop : int, optional
            End, excluded; None is the end of the memory.

        Returns
        -------
        MemoryPointer
            Part.

        Raises
        ------
        RuntimeError
            For a part that is not inside the memory.

        Examples
        --------
        >>> from quern import cuda
        >>> cuda.current_context().memalloc(64).view(16).size
        48
        """
        stop = self.size if stop is None else stop
        if not 0 <= start <= stop <= self.size:
            raise RuntimeError(f"[view] bytes {start} to {stop} are not inside {self.size} bytes")
        return MemoryPointer(self.context, int(self) + start, stop - start, owner=self.owner)

    @property
    def device_ctypes_pointer(self):
        """The address as a `ctypes.c_void_p`.

        Examples
        --------
        >>> from quern import cuda
        >>> type(cuda.current_context().memalloc(64).device_ctypes_pointer).__name__
        'c_void_p'
        """
        return ctypes.c_void_p(int(self))

    device_pointer_value = property(lambda self: int(self), doc="The address, a number.")

    def __int__(self):
        pointer = self.device_pointer
        return int(getattr(pointer, "value", pointer) or 0)

    def __repr__(self):
        return f"<{type(self).__name__} {int(self):#x} size={self.size}>"


class MappedMemory(MemoryPointer):
    """Memory of the host that kernels see, too: ``host_pointer`` is its address for the host."""

    def __init__(self, context, pointer, size, owner=None, finalizer=None):
        super().__init__(context, pointer, size, owner, finalizer)
        self.host_pointer = pointer
        self._bufptr_ = int(self)
        self._buflen_ = size


class PinnedMemory:
    """Memory of the host that stays in its place, so that it is copied fast."""

    def __init__(self, context, pointer, size, owner=None, finalizer=None):
        self.context, self.host_pointer, self.size, self.owner = context, pointer, size, owner
        self.is_managed = finalizer is not None
        self._finalizer = weakref.finalize(self, finalizer) if finalizer is not None else None
        self._bufptr_, self._buflen_ = int(getattr(pointer, "value", pointer)), size

    def own(self):
        """The memory itself."""
        return self

    def __repr__(self):
        return f"<PinnedMemory {self._bufptr_:#x} size={self.size}>"


# ---- what counts as memory of the device


def is_device_memory(obj):
    """Is it memory of the device: an array there, a MemoryPointer?"""
    return isinstance(obj, (_core.Array, _engine.Allocation)) or getattr(obj, "__cuda_memory__", False)


def require_device_memory(obj):
    """Raises TypeError where it is no memory of the device."""
    if not is_device_memory(obj):
        raise TypeError(f"[memory] memory of the device is needed, not {type(obj).__name__}")


def device_pointer(obj):
    """The address of memory of the device."""
    require_device_memory(obj)
    if isinstance(obj, numpy.ndarray):  # mapped: GPUs have one address for it with the host
        return obj.ctypes.data
    return obj._address() if isinstance(obj, _core.Array) else int(obj)


def stream_given(stream):
    """The stream to work in; None, the default one, where a number stands for it."""
    return stream if isinstance(stream, _engine.Stream) else None


def device_memset(dst, val, size, stream=0):
    """Sets ``size`` bytes on the device to ``val``."""
    if size:
        _engine.fill(current_device(), device_pointer(dst), size, int(val) & 0xFF, 1, size, 1, stream_given(stream))


# ---- unsupported functions


_REFUSED = """{}.

Parameters
----------
*args, **kwargs : object
    Ignored.

Raises
------
NotImplementedError
    Always.
"""


def _refused(name, message):
    def refuse(cls, *args, **kwargs):
        raise NotImplementedError(f"[{name}] {message}")

    doc = _REFUSED.format(message[:1].upper() + message[1:])
    return type(name, (), {"__module__": __name__, "__doc__": doc, "__new__": refuse, "__init_subclass__": classmethod(refuse)})


_PLUGINS = "memory-manager plug-ins are not supported: quern keeps its own pool of device memory"
_PROCESSES = "sharing memory between processes is not supported; copy it through the host"
BaseCUDAMemoryManager = _refused("BaseCUDAMemoryManager", _PLUGINS)
HostOnlyCUDAMemoryManager = _refused("HostOnlyCUDAMemoryManager", _PLUGINS)
GetIpcHandleMixin = _refused("GetIpcHandleMixin", _PROCESSES)
IpcHandle = _refused("IpcHandle", _PROCESSES)


def set_memory_manager(mm_plugin):
    """Raise NotImplementedError: memory-manager plug-ins are not supported.

    Raises
    ------
    NotImplementedError
        Always.
    """
    raise NotImplementedError(f"[set_memory_manager] {_PLUGINS}")


def open_ipc_array(handle, shape, dtype, strides=None, offset=0):
    """Raise NotImplementedError: sharing memory between processes is not supported.

    Raises
    ------
    NotImplementedError
        Always.
    """
    raise NotImplementedError(f"[open_ipc_array] {_PROCESSES}")
