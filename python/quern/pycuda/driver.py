"""PyCUDA's driver: devices, contexts, memory, streams, events, modules and functions.

Start reading at Function, which is what a program calls; the classes above it are what it is called with.
"""

from __future__ import annotations

import functools
import struct
import threading
import time

import numpy as np

from quern import errors as _errors
from quern.device import door_devices as _door_devices
from quern.device import set_current_device as _set_current_device
from quern.lib import _engine
from quern.pycuda.enums import (  # noqa: F401  (the door's names)
    compute_mode,
    ctx_flags,
    device_attribute,
    event_flags,
    func_cache,
    function_attribute,
    host_alloc_flags,
    limit,
    mem_attach_flags,
    mem_host_register_flags,
    memory_type,
    shared_config,
)

Error = _errors.Error
CompileError = _errors.CompileError
LogicError = _errors.LogicError
LaunchError = _errors.LaunchError
MemoryError = _errors.OutOfMemoryError  # noqa: A001
RuntimeError = _errors.RuntimeError  # noqa: A001

# ---- devices and contexts


def init(flags=0):
    """Nothing to do: devices are found at the first use. Kept for programs that call it."""


def get_version():
    """The version of CUDA whose language kernels are written in, as a tuple."""
    return (12, 9, 0)


def get_driver_version():
    """The version of CUDA that the driver serves, as PyCUDA gives it (12090 for 12.9)."""
    return 12090


class Device:
    """A device: ``Device(0)``, or by PCI bus id. Attributes read as in PyCUDA: ``Device(0).max_threads_per_block``.

    Without a GPU there is one device, the CPU.
    """

    def __init__(self, number):
        devices = _door_devices()
        if isinstance(number, str):
            found = [i for i, d in enumerate(devices) if d.info()["pci_bus_id"].lower() == number.lower()]
            if not found:
                raise LogicError(f"[Device] there is no device at {number}")
            number = found[0]
        if not 0 <= number < len(devices):
            raise LogicError(f"[Device] there is no device {number}; this machine has {len(devices)}")
        self._number = number
        self._device = devices[number]

    @staticmethod
    def count():
        return len(_door_devices())

    def name(self):
        return self._device.info()["name"]

    def pci_bus_id(self):
        return self._device.info()["pci_bus_id"]

    def compute_capability(self):
        return self._device.info()["compute_capability"]

    def total_memory(self):
        return self._device.info()["total_memory"]

    def get_attribute(self, attribute):
        return self._device.attribute(int(attribute))

    def get_attributes(self):
        out = {}
        for value in device_attribute.values.values():
            try:
                out[value] = self.get_attribute(value)
            except (ValueError, LogicError):
                continue
        return out

    def can_access_peer(self, other):
        """Whether this GPU can read and write the other's memory."""
        return self._device.can_reach(other._device)

    def make_context(self, flags=0):
        """The device's primary context, made current in this thread."""
        context = Context._of(self)
        context.push()
        return context

    def retain_primary_context(self):
        return Context._of(self)

    def __getattr__(self, name):
        value = device_attribute.names.get(name.upper())
        if value is None or name.startswith("_"):
            raise AttributeError(f"'Device' object has no attribute '{name}'")
        return self.get_attribute(value)

    def __eq__(self, other):
        return isinstance(other, Device) and other._device == self._device

    def __hash__(self):
        return hash(self._device)


class _ContextStack(threading.local):
    def __init__(self):
        self.entries = []


_stack = _ContextStack()
_limits = {int(limit.STACK_SIZE): 1024, int(limit.PRINTF_FIFO_SIZE): 1 << 20, int(limit.MALLOC_HEAP_SIZE): 8 << 20}


class Context:
    """A device's primary context. Every thread has a stack of them; the uppermost is current."""

    def __init__(self):
        raise Error("[Context] a context comes from Device.make_context() or Device.retain_primary_context()")

    @classmethod
    def _of(cls, device):
        self = cls.__new__(cls)
        self._owner = device
        self._cache = func_cache.PREFER_NONE
        self._banks = shared_config.DEFAULT_BANK_SIZE
        return self

    def push(self):
        _stack.entries.append(self)
        _set_current_device(self._owner._device)

    @staticmethod
    def pop():
        if not _stack.entries:
            raise LogicError("[Context.pop] no context is current in this thread")
        _stack.entries.pop()
        _set_current_device(_stack.entries[-1]._owner._device if _stack.entries else None)

    def detach(self):
        if self in _stack.entries:
            _stack.entries.remove(self)
            _set_current_device(_stack.entries[-1]._owner._device if _stack.entries else None)

    @staticmethod
    def get_current():
        return _stack.entries[-1] if _stack.entries else None

    @staticmethod
    def get_device():
        if not _stack.entries:
            raise LogicError("[Context.get_device] no context is current in this thread; import pycuda.autoinit, or make one")
        return _stack.entries[-1]._owner

    @staticmethod
    def synchronize():
        """Waits for all work of the current device; raises what failed in it."""
        _engine.current_device().synchronize()

    @staticmethod
    def get_limit(which):
        return _limits.get(int(which), 0)

    @staticmethod
    def set_limit(which, value):
        _limits[int(which)] = int(value)

    @staticmethod
    def get_cache_config():
        return _stack.entries[-1]._cache if _stack.entries else func_cache.PREFER_NONE

    @staticmethod
    def set_cache_config(config):
        if _stack.entries:
            _stack.entries[-1]._cache = config

    @staticmethod
    def get_shared_config():
        return _stack.entries[-1]._banks if _stack.entries else shared_config.DEFAULT_BANK_SIZE

    @staticmethod
    def set_shared_config(config):
        if _stack.entries:
            _stack.entries[-1]._banks = config

    @staticmethod
    def enable_peer_access(peer, flags=0):
        """Lets kernels of the current device work on memory of the other's. Copies between the two need no such call.

        Raises LogicError where the devices cannot do that.
        """
        device, other = _engine.current_device(), peer._owner._device
        if not device.can_reach(other):
            raise LogicError(f"[Context.enable_peer_access] {device.name} cannot see the memory of {other.name}; copy what it needs")
        device.reach(other)

    @staticmethod
    def disable_peer_access(peer):
        """Does nothing: what was enabled is also how copies go from one device to the other."""

    @property
    def handle(self):
        return id(self)

    def get_api_version(self):
        return 3020


# ---- streams and events


class Stream(_engine.Stream):
    """A queue of work that runs in order; work of different streams may overlap.

    Parameters
    ----------
    flags : int
        0 takes part in the legacy default stream's order, 1 does not.
    """

    def __init__(self, flags=0):
        super().__init__(_engine.current_device(), bool(int(flags) & 1))


class Event(_engine.Event):
    """A mark in a stream, with a time.

    >>> from quern.pycuda import driver
    >>> start, end = driver.Event(), driver.Event()
    >>> _ = start.record(); _ = end.record(); _ = end.synchronize()
    >>> start.time_till(end) >= 0
    True
    """

    def __init__(self, flags=0):
        super().__init__(_engine.current_device(), not int(flags) & 2, bool(int(flags) & 1))

    def record(self, stream=None):
        super().record(stream)
        return self

    def synchronize(self):
        super().synchronize()
        return self

    def time_since(self, start):
        """Milliseconds from `start` to this event."""
        return self.elapsed_since(start)

    def time_till(self, end):
        """Milliseconds from this event to `end`."""
        return end.elapsed_since(self)

    def ipc_handle(self):
        raise LogicError("[Event.ipc_handle] sharing between processes is not served")


# ---- device memory


class DeviceAllocation(_engine.Allocation):
    """Memory on the device, from mem_alloc(). ``int(a)`` is its address; it lives until free() or the last reference goes."""

    def as_buffer(self, size, offset=0):
        raise LogicError("[as_buffer] device memory is not readable from the host; use memcpy_dtoh, or managed memory")

    def __add__(self, offset):
        return int(self) + int(offset)

    __radd__ = __add__


class PointerHolderBase:
    """Derive from this, and give get_pointer(), to pass an object of yours as a device pointer."""

    def get_pointer(self):
        raise NotImplementedError

    def __int__(self):
        return int(self.get_pointer())

    __index__ = __int__

    @property
    def gpudata(self):
        return self.get_pointer()


def mem_alloc(bytes):
    """Allocates device memory.

    Parameters
    ----------
    bytes : int
        How many; at least 1.

    Returns
    -------
    DeviceAllocation

    Raises
    ------
    MemoryError
        pycuda.driver.MemoryError, naming the largest live allocations and the lines that made them.
    """
    bytes = int(bytes)
    if bytes <= 0:
        raise LogicError(f"[mem_alloc] {bytes} bytes cannot be allocated; at least 1")
    return DeviceAllocation(_engine.current_device(), bytes)


def mem_alloc_like(ary):
    return mem_alloc(ary.nbytes)


def mem_alloc_pitch(width, height, access_size):
    """Memory for `height` rows of `width` bytes. Returns (DeviceAllocation, bytes from row to row)."""
    pitch = (int(width) + 511) // 512 * 512
    return mem_alloc(max(1, pitch * int(height))), pitch


def mem_get_info():
    """(free, total) bytes of the current device's memory."""
    return _engine.current_device().memory()


def mem_get_address_range(ptr):
    if not isinstance(ptr, _engine.Allocation):
        raise LogicError("[mem_get_address_range] only allocations know their range")
    return int(ptr), ptr.nbytes


def memcpy_htod(dest, src):
    """Copies the host array `src` (contiguous) to device memory `dest`."""
    _engine.htod(_engine.current_device(), dest, src)


def memcpy_htod_async(dest, src, stream=None):
    """The same in a stream. `src` may be changed when the stream has passed the copy; memory that is not page-locked at once."""
    _engine.htod(_engine.current_device(), dest, src, stream, blocking=False)


def memcpy_dtoh(dest, src):
    """Copies device memory `src` into the host array `dest` (contiguous, writable); raises what failed in work before it."""
    _engine.dtoh(_engine.current_device(), dest, src)


def memcpy_dtoh_async(dest, src, stream=None):
    """The same in a stream; `dest` may be read when the stream is synchronised."""
    _engine.dtoh(_engine.current_device(), dest, src, stream, blocking=False)


def memcpy_dtod(dest, src, size):
    """Copies `size` bytes from device memory to device memory."""
    _engine.dtod(_engine.current_device(), dest, src, size)


def memcpy_dtod_async(dest, src, size, stream=None):
    _engine.dtod(_engine.current_device(), dest, src, size, stream)


def memcpy_peer(dest, src, size, dest_context=None, src_context=None):
    """Copies `size` bytes from memory of one device to memory of another; the contexts need not be named."""
    memcpy_peer_async(dest, src, size, dest_context, src_context)


def memcpy_peer_async(dest, src, size, dest_context=None, src_context=None, stream=None):
    """The same in a stream of either device."""
    _engine.dtod(_engine.current_device(), dest, src, size, stream)


def _memset(value_bytes):
    def memset(dest, data, count, stream=None):
        _engine.fill(_engine.current_device(), dest, 0, int(data) & 0xFFFFFFFF, value_bytes, count, 1, stream)

    return memset


def _memset_2d(value_bytes):
    def memset_2d(dest, pitch, data, width, height, stream=None):
        _engine.fill(_engine.current_device(), dest, pitch, int(data) & 0xFFFFFFFF, value_bytes, width, height, stream)

    return memset_2d


def _named(function, name, doc):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


for _bits in (8, 16, 32):
    _doc = f"Sets `count` values of {_bits} bits in device memory to `data`."
    _doc_2d = f"Sets `height` rows of `width` values of {_bits} bits, `pitch` bytes apart, to `data`."
    for _suffix in ("", "_async"):
        globals()[f"memset_d{_bits}{_suffix}"] = _named(_memset(_bits // 8), f"memset_d{_bits}{_suffix}", _doc)
        globals()[f"memset_d2d{_bits}{_suffix}"] = _named(_memset_2d(_bits // 8), f"memset_d2d{_bits}{_suffix}", _doc_2d)
del _bits, _suffix, _doc, _doc_2d


def to_device(bf_obj):
    """Copies a host array to new device memory and returns that."""
    with memoryview(bf_obj) as view:
        result = mem_alloc(max(1, view.nbytes))
    memcpy_htod(result, bf_obj)
    return result


def from_device(devptr, shape, dtype, order="C"):
    """Copies device memory into a new NumPy array of that shape and dtype, and returns it."""
    result = np.empty(shape, dtype, order)
    memcpy_dtoh(result, devptr)
    return result


def from_device_like(devptr, other_ary):
    result = np.empty_like(other_ary)
    memcpy_dtoh(result, devptr)
    return result


# ---- host memory that the device reaches


def _array_over(memory, shape, dtype, order):
    dtype = np.dtype(dtype)
    count = int(np.prod(shape, dtype=np.int64))
    flat = np.frombuffer(memory, dtype, count)
    return flat.reshape(shape, order=order)


def _byte_count(shape, dtype):
    return max(1, int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize)


def pagelocked_empty(shape, dtype, order="C", mem_flags=0):
    """A NumPy array in page-locked memory: asynchronous copies from and to it really are asynchronous."""
    flags = int(mem_flags)
    memory = _engine.pinned(_engine.current_device(), _byte_count(shape, dtype), bool(flags & 1), bool(flags & 2), bool(flags & 4))
    return _array_over(memory, shape, dtype, order)


def pagelocked_zeros(shape, dtype, order="C", mem_flags=0):
    result = pagelocked_empty(shape, dtype, order, mem_flags)
    result.fill(0)
    return result


def _order_of(array):
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


def pagelocked_empty_like(array, mem_flags=0):
    return pagelocked_empty(array.shape, array.dtype, _order_of(array), mem_flags)


def pagelocked_zeros_like(array, mem_flags=0):
    return pagelocked_zeros(array.shape, array.dtype, _order_of(array), mem_flags)


def aligned_empty(shape, dtype, order="C", alignment=4096):
    """A NumPy array whose memory starts at a multiple of `alignment` bytes."""
    bytes = _byte_count(shape, dtype)
    raw = np.empty(bytes + alignment, np.uint8)
    start = -raw.ctypes.data % alignment
    return _array_over(raw[start : start + bytes], shape, dtype, order)


def aligned_zeros(shape, dtype, order="C", alignment=4096):
    result = aligned_empty(shape, dtype, order, alignment)
    result.fill(0)
    return result


def aligned_empty_like(array, alignment=4096):
    return aligned_empty(array.shape, array.dtype, _order_of(array), alignment)


def aligned_zeros_like(array, alignment=4096):
    return aligned_zeros(array.shape, array.dtype, _order_of(array), alignment)


def managed_empty(shape, dtype, order="C", mem_flags=0):
    """A NumPy array in memory that host and device share. Pass it to kernels as it is; synchronise before reading it."""
    memory = _engine.managed(_engine.current_device(), _byte_count(shape, dtype), int(mem_flags) or 1)
    return _array_over(memory, shape, dtype, order)


def managed_zeros(shape, dtype, order="C", mem_flags=0):
    result = managed_empty(shape, dtype, order, mem_flags)
    result.fill(0)
    return result


def managed_empty_like(array, mem_flags=0):
    return managed_empty(array.shape, array.dtype, _order_of(array), mem_flags)


def managed_zeros_like(array, mem_flags=0):
    return managed_zeros(array.shape, array.dtype, _order_of(array), mem_flags)


class _RegisteredArray(np.ndarray):
    """An array whose memory is registered for as long as it lives."""

    _memory = None

    def __array_finalize__(self, other):
        self._memory = getattr(other, "_memory", None)

    @property
    def base(self):
        return self._memory if self._memory is not None else super().base


def register_host_memory(ary, flags=0):
    """Page-locks the memory of `ary`; returns an array over the same memory, registered while it lives."""
    memory = _engine.register_host(_engine.current_device(), ary, int(flags))
    result = ary.view(_RegisteredArray)
    result._memory = memory
    return result


# ---- modules and functions


class ArgumentHandler:
    """An argument that copies for itself around a launch."""

    def __init__(self, ary):
        self.array = ary
        self.dev_alloc = None

    def get_device_alloc(self):
        if self.dev_alloc is None:
            self.dev_alloc = mem_alloc_like(self.array)
        return self.dev_alloc

    def pre_call(self, stream):
        pass

    def post_call(self, stream):
        pass


class In(ArgumentHandler):
    """Copies a host array to the device before the launch."""

    def pre_call(self, stream):
        memcpy_htod_async(self.get_device_alloc(), self.array, stream)


class Out(ArgumentHandler):
    """Copies the device's array back to the host after the launch."""

    def post_call(self, stream):
        memcpy_dtoh_async(self.array, self.get_device_alloc(), stream)


class InOut(In, Out):
    """Both: in before the launch, out after it."""


class Function(_engine.Function):
    """A kernel of a module.

    Call it with its arguments and the keywords ``block=(x, y, z)``, ``grid=(x, y, z)``, ``stream=None``, ``shared=0`` (bytes of dynamic
    shared memory), ``time_kernel=False`` (wait, and return seconds). Arguments: device memory, NumPy scalars, Python numbers (which take
    the parameter's type), In/Out/InOut, managed arrays, objects with ``gpudata`` or ``__cuda_array_interface__``.

    Raises
    ------
    TypeError
        An argument does not fit its parameter, or there are too many or too few.
    LogicError
        Block, grid or shared memory are over the limits, or memory was freed.
    """

    def _call_slowly(self, *args, block=None, grid=(1,), stream=None, shared=0, texrefs=(), time_kernel=False):
        if block is None:
            raise ValueError("must specify block size")
        if texrefs:
            raise LogicError("[launch] texture references are not served; pass the array as a pointer")
        if stream is not None and not isinstance(stream, _engine.Stream):
            raise TypeError(f"[launch] stream must be a Stream or None, not {type(stream).__name__}")
        handlers = [a for a in args if isinstance(a, ArgumentHandler)]
        plain = [a.get_device_alloc() if isinstance(a, ArgumentHandler) else a for a in args]
        for handler in handlers:
            handler.pre_call(stream)
        start = None
        if time_kernel:
            Context.synchronize()
            start = time.perf_counter()
        _engine.Function.__call__(self, *plain, block=block, grid=grid, stream=stream, shared=shared)
        seconds = None
        if time_kernel:
            Context.synchronize()
            seconds = time.perf_counter() - start
        for handler in handlers:
            handler.post_call(stream)
        if handlers and stream is None:
            Context.synchronize()
        return seconds

    # prepared calls

    def prepare(self, arg_types, texrefs=()):
        """Fixes the argument types: a string of struct format characters, or a sequence of them and of dtypes ("P" for pointers)."""
        if texrefs:
            raise LogicError("[prepare] texture references are not served")
        self._converters = [_converter(t) for t in arg_types]
        return self

    def _prepared(self, args):
        converters = getattr(self, "_converters", None)
        if converters is None:
            raise LogicError("[prepared_call] prepare() was not called")
        if len(args) != len(converters):
            raise struct.error(f"pack expected {len(converters)} items for packing (got {len(args)})")
        return [value if convert is None else convert(value) for convert, value in zip(converters, args, strict=True)]

    def prepared_call(self, grid, block, *args, shared_size=0):
        """Launches with the types fixed by prepare()."""
        self(*self._prepared(args), block=block, grid=grid, shared=shared_size)

    def prepared_async_call(self, grid, block, stream, *args, shared_size=0):
        self(*self._prepared(args), block=block, grid=grid, stream=stream, shared=shared_size)

    def prepared_timed_call(self, grid, block, *args, shared_size=0):
        """Launches; returns a function that waits and gives the seconds it took."""
        start, end = Event(), Event()
        start.record()
        self.prepared_call(grid, block, *args, shared_size=shared_size)
        end.record()

        def get_call_time():
            end.synchronize()
            return end.time_since(start) * 1e-3

        return get_call_time

    # resources

    def get_attribute(self, attribute):
        info = self.info()
        number = int(attribute)
        keys = {0: "max_threads", 1: "static_shared", 2: "const_bytes", 3: "local_bytes", 4: "registers"}
        if number in keys:
            return info[keys[number]]
        if number in (5, 6):
            return 90
        raise LogicError(f"[get_attribute] {attribute} is not known of a function")

    def set_attribute(self, attribute, value):
        """Nothing needs setting: dynamic shared memory above 48 KiB is granted at the launch."""

    def set_cache_config(self, config):
        """Accepted; the device decides."""

    def set_shared_config(self, config):
        """Accepted; the device decides."""

    local_size_bytes = property(lambda self: self.info()["local_bytes"])
    shared_size_bytes = property(lambda self: self.info()["static_shared"])
    const_size_bytes = property(lambda self: self.info()["const_bytes"])
    num_regs = property(lambda self: self.info()["registers"])
    max_threads_per_block = property(lambda self: self.info()["max_threads"])


def _converter(kind):
    """What turns a value into what a prepared type holds, with the errors of struct; None for records, which go as they are."""
    if not (isinstance(kind, str) and len(kind) == 1 and kind in "PnN?"):
        dtype = np.dtype(kind)
        if dtype.kind == "V":
            return None
        kind = dtype.char
    return functools.partial(_packed, kind)


def _packed(kind, value):
    if kind == "P":
        if isinstance(value, (float, complex, str, bytes, np.floating, np.complexfloating)):
            raise struct.error("required argument is not an integer")
        return value
    if kind in "FD":
        try:
            return np.dtype(kind).type(complex(value))
        except TypeError:
            raise struct.error("required argument is not a complex number") from None
    (plain,) = struct.unpack(kind, struct.pack(kind, value))
    return {"n": np.intp, "N": np.uintp, "?": np.bool_}.get(kind, np.dtype(kind).type if kind not in "nN" else None)(plain)


class Module:
    """Compiled code on the current device."""

    def __init__(self, program):
        self._program = program

    def get_function(self, name):
        """The kernel of that name. Raises LogicError, naming the kernels there are, when there is none."""
        return Function(self._program, name)

    def get_global(self, name):
        """(address, size in bytes) of a ``__device__`` or ``__constant__`` variable."""
        return self._program.global_variable(name)

    def get_texref(self, name):
        raise LogicError("[get_texref] texture references are not served; pass the array as a pointer")

    def get_surfref(self, name):
        raise LogicError("[get_surfref] surface references are not served; pass the array as a pointer")


def module_from_buffer(buffer, options=(), message_handler=None):
    """A module from compiled code: a cubin or PTX on a GPU, what compiler.compile() returned on the CPU."""
    return Module(_engine.load_code(_engine.current_device(), bytes(buffer)))


def module_from_file(filename):
    with open(filename, "rb") as f:
        return module_from_buffer(f.read())


def initialize_profiler(config_file, output_file, output_mode):
    """Accepted; quern.trace() is what measures here."""


def start_profiler():
    """Accepted; quern.trace() is what measures here."""


def stop_profiler():
    """Accepted; quern.trace() is what measures here."""
