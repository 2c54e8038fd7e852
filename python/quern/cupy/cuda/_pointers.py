"""Memory of the device and pointers into it: what cupy.cuda.memory shows beside pools and allocators."""

import ctypes
import weakref

from quern.cupy.cuda._errors import _call
from quern.cupy.cuda.device import Device, _current_id, _engine_of, _id_of_memory
from quern.cupy.cuda.stream import ExternalStream, Stream, get_current_stream
from quern.device import current_device
from quern.lib import _engine

# ---- memory


class BaseMemory:
    """Memory at the address ``ptr``, of ``size`` bytes, on the device ``device_id``.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> isinstance(cp.cuda.alloc(16).mem, cp.cuda.BaseMemory)
    True
    """

    ptr = 0
    size = 0
    device_id = -1

    def __int__(self):
        return self.ptr

    @property
    def device(self):
        """The device of the memory.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.cuda.Memory(16).device == cp.cuda.Device(0)
        True
        """
        return Device(self.device_id)


class Memory(BaseMemory):
    """New memory of the current device, freed with the object.

    Parameters
    ----------
    size : int
        Number of bytes.

    Raises
    ------
    OutOfMemoryError
        Where the device has not enough memory left.
    ValueError
        For a negative size.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.cuda.Memory(16).size
    16
    """

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
    """New memory of the current device; the engine knows which streams use it, and orders its reuse by them.

    Parameters
    ----------
    size : int
        Number of bytes.
    stream : Stream, optional
        Accepted for compatibility.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.cuda.MemoryAsync(16).size
    16
    """

    def __init__(self, size, stream=None):
        super().__init__(size)
        self.stream = stream


class UnownedMemory(BaseMemory):
    """Memory of another owner, by its address.

    Parameters
    ----------
    ptr : int
        Address.
    size : int
        Number of bytes.
    owner : object
        Object that keeps the memory alive.
    device_id : int, optional
        Number of the device; -1 finds it by the address.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> a = cp.arange(4.0)
    >>> memory = cp.cuda.UnownedMemory(a.data.ptr, a.nbytes, a)
    >>> cp.ndarray(4, memptr=cp.cuda.MemoryPointer(memory, 0))
    array([0., 1., 2., 3.])
    """

    def __init__(self, ptr, size, owner, device_id=-1):
        self.ptr, self.size, self._owner = int(ptr), int(size), owner
        self.device_id = _id_of_memory(self.ptr) if device_id < 0 else device_id


class ManagedMemory(BaseMemory):
    """Memory that the host and the device can both access.

    Parameters
    ----------
    size : int
        Number of bytes.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.cuda.ManagedMemory(16).size
    16
    """

    def __init__(self, size):
        self.size, self.device_id = int(size), _current_id()
        if self.size:
            self._memory = _engine.managed(current_device(), self.size, 1)
            self.ptr = self._memory.address

    def prefetch(self, stream):
        """Do nothing; accepted for compatibility: memory moves when it is used.

        Parameters
        ----------
        stream : Stream
            Ignored.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.cuda.ManagedMemory(16).prefetch(cp.cuda.Stream.null)
        """

    def advise(self, advise, dev):
        """Do nothing; accepted for compatibility.

        Parameters
        ----------
        advise : int
            Ignored.
        dev : Device
            Ignored.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.cuda.ManagedMemory(16).advise(3, cp.cuda.Device(0))
        """


class _CallbackMemory(BaseMemory):
    """Memory that a function gave, and another takes back."""

    def __init__(self, size, ptr, free, owner):
        self.size, self.device_id, self.ptr = int(size), _current_id(), int(ptr or 0)
        self._owner = owner
        if self.ptr:
            weakref.finalize(self, free, self.ptr, self.device_id)


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
    """Address in device memory; adding an integer moves it by bytes.

    Parameters
    ----------
    mem : BaseMemory
        Memory.
    offset : int
        Bytes from its start.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> pointer = cp.cuda.alloc(16)
    >>> (pointer + 8).ptr - pointer.ptr
    8
    """

    mem, ptr, device_id = None, 0, -1

    def __init__(self, mem, offset):
        self.mem, self.ptr, self.device_id = mem, mem.ptr + int(offset), mem.device_id

    @property
    def device(self):
        """The device of the memory.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.cuda.alloc(16).device == cp.cuda.Device(0)
        True
        """
        return self.mem.device

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

        Examples
        --------
        >>> from quern import cupy as cp
        >>> a, b = cp.arange(3), cp.zeros(3, int)
        >>> b.data.copy_from_device(a.data, a.nbytes)
        >>> b
        array([0, 1, 2])
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

        Examples
        --------
        >>> from quern import cupy as cp
        >>> a, b = cp.arange(3), cp.zeros(3, int)
        >>> b.data.copy_from_device_async(a.data, a.nbytes)
        >>> b
        array([0, 1, 2])
        """
        if size:
            _engine.dtod(self._engine(), self.ptr, src.ptr, int(size), _on(stream))

    @_call
    def copy_from_host(self, mem, size):
        """Copy from memory of the host.

        Parameters
        ----------
        mem : int or ctypes.c_void_p
            Address on the host.
        size : int
            Number of bytes.

        Raises
        ------
        TypeError
            For another object than an address.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cupy as cp
        >>> host, a = np.arange(3), cp.zeros(3, int)
        >>> a.data.copy_from_host(host.ctypes.data, host.nbytes)
        >>> a
        array([0, 1, 2])
        """
        if size:
            _engine.htod(self._engine(), self.ptr, _host(mem, size), _on(None))

    @_call
    def copy_from_host_async(self, mem, size, stream=None):
        """Copy from memory of the host in a stream.

        Pinned memory must stay unchanged until the copy is done.

        Parameters
        ----------
        mem : int or ctypes.c_void_p
            Address on the host.
        size : int
            Number of bytes.
        stream : Stream, optional
            Stream; None is the current one.

        Raises
        ------
        TypeError
            For another object than an address.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cupy as cp
        >>> host, a = np.arange(3), cp.zeros(3, int)
        >>> a.data.copy_from_host_async(host.ctypes.data, host.nbytes)
        >>> a
        array([0, 1, 2])
        """
        if size:
            _engine.htod(self._engine(), self.ptr, _host(mem, size), _on(stream), blocking=False)

    def copy_from(self, mem, size):
        """Copy from device memory or from memory of the host.

        Parameters
        ----------
        mem : MemoryPointer, int or ctypes.c_void_p
            Source: device memory, or an address on the host.
        size : int
            Number of bytes.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> a, b = cp.arange(3), cp.zeros(3, int)
        >>> b.data.copy_from(a.data, a.nbytes)
        >>> b
        array([0, 1, 2])
        """
        (self.copy_from_device if isinstance(mem, MemoryPointer) else self.copy_from_host)(mem, size)

    def copy_from_async(self, mem, size, stream=None):
        """Copy as :meth:`copy_from` in a stream.

        Parameters
        ----------
        mem : MemoryPointer, int or ctypes.c_void_p
            Source: device memory, or an address on the host.
        size : int
            Number of bytes.
        stream : Stream, optional
            Stream; None is the current one.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> a, b = cp.arange(3), cp.zeros(3, int)
        >>> b.data.copy_from_async(a.data, a.nbytes)
        >>> b
        array([0, 1, 2])
        """
        (self.copy_from_device_async if isinstance(mem, MemoryPointer) else self.copy_from_host_async)(mem, size, stream)

    @_call
    def copy_to_host(self, mem, size):
        """Copy to memory of the host, and wait for the copy.

        Parameters
        ----------
        mem : int or ctypes.c_void_p
            Address on the host.
        size : int
            Number of bytes.

        Raises
        ------
        TypeError
            For another object than an address.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cupy as cp
        >>> a, host = cp.arange(3), np.zeros(3, int)
        >>> a.data.copy_to_host(host.ctypes.data, host.nbytes)
        >>> host
        array([0, 1, 2])
        """
        if size:
            _engine.dtoh(self._engine(), _host(mem, size), self.ptr, _on(None))

    @_call
    def copy_to_host_async(self, mem, size, stream=None):
        """Copy to memory of the host in a stream; with pinned memory, without waiting.

        Parameters
        ----------
        mem : int or ctypes.c_void_p
            Address on the host.
        size : int
            Number of bytes.
        stream : Stream, optional
            Stream; None is the current one.

        Raises
        ------
        TypeError
            For another object than an address.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cupy as cp
        >>> a, host = cp.arange(3), np.zeros(3, int)
        >>> a.data.copy_to_host_async(host.ctypes.data, host.nbytes)
        >>> cp.cuda.Stream.null.synchronize()
        >>> host
        array([0, 1, 2])
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

        Examples
        --------
        >>> from quern import cupy as cp
        >>> a = cp.zeros(3, "uint8")
        >>> a.data.memset(7, 2)
        >>> a
        array([7, 7, 0], dtype=uint8)
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

        Examples
        --------
        >>> from quern import cupy as cp
        >>> a = cp.zeros(3, "uint8")
        >>> a.data.memset_async(7, 2)
        >>> a
        array([7, 7, 0], dtype=uint8)
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


for _class in list(globals().values()):
    if isinstance(_class, type) and _class.__module__ == __name__:
        _class.__module__ = "cupy.cuda.memory"
