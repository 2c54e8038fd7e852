"""numba.cuda.cudadrv.driver: streams, events, memory and copies of bytes."""

from __future__ import annotations

import ctypes

from quern.cuda.devices import Context, Device, Event, Stream, event_elapsed_time, gpus, profile_start, profile_stop, profiling
from quern.cuda.errors import CudaAPIError, CudaDriverError, CudaSupportError, LinkerError
from quern.cuda.memory import (
    BaseCUDAMemoryManager,
    GetIpcHandleMixin,
    HostOnlyCUDAMemoryManager,
    IpcHandle,
    MappedMemory,
    MemoryInfo,
    MemoryPointer,
    PinnedMemory,
    device_memset,
    device_pointer,
    is_device_memory,
    require_device_memory,
    set_memory_manager,
    stream_given,
)
from quern.device import current_device, door_devices
from quern.lib import _engine


class Driver:
    """``driver``: the devices and the version of the NVIDIA driver."""

    is_initialized = True
    initialization_error = None

    def get_device_count(self):
        """How many devices there are; without a GPU the CPU is one."""
        return len(door_devices())

    def get_device(self, devnum=0):
        return Device(devnum)

    def get_version(self):
        """(major, minor) of the CUDA that the driver supports; (0, 0) where there is none."""
        version = _engine.cuda_driver_version()
        return version // 1000, version % 1000 // 10

    def get_active_context(self):
        return Context()

    devices = property(lambda self: {d.id: d for d in gpus}, doc="The devices by number.")


driver = Driver()


def device_ctypes_pointer(obj):
    """The address of memory of the device, as ctypes has it; of None, 0."""
    return ctypes.c_void_p(0 if obj is None else device_pointer(obj))


def device_memory_size(devmem):
    """Bytes of memory of the device."""
    require_device_memory(devmem)
    return devmem.nbytes if hasattr(devmem, "nbytes") else devmem.size


def host_pointer(obj, readonly=False):
    """The address of an object with a buffer, such as a NumPy array; a number is an address already."""
    if isinstance(obj, int):
        return obj
    return obj.ctypes.data if hasattr(obj, "ctypes") else ctypes.addressof(ctypes.c_char.from_buffer(obj))


def host_memory_size(obj):
    """Bytes of an object with a buffer."""
    return memoryview(obj).nbytes


def host_memory_extents(obj):
    """(where an object's buffer begins, where it ends), as addresses."""
    begin = host_pointer(obj)
    return begin, begin + host_memory_size(obj)


def device_extents(devmem):
    """(where memory of the device begins, where it ends), as addresses."""
    begin = device_pointer(devmem)
    return begin, begin + device_memory_size(devmem)


def memory_size_from_info(shape, strides, itemsize):
    """Bytes from the first element of such an array to the end of the last one."""
    if len(shape) != len(strides):
        raise ValueError(f"[driver] a shape of {len(shape)} dimensions has no strides of {len(strides)}")
    return itemsize + sum((n - 1) * abs(step) for n, step in zip(shape, strides, strict=True)) if all(shape) else 0


def get_version():
    """(major, minor) of the CUDA that the driver supports; (0, 0) where there is none."""
    return driver.get_version()


def _bytes_at(address, size):
    return (ctypes.c_char * size).from_address(address)


def host_to_device(dst, src, size, stream=0):
    """Copies ``size`` bytes of the host's into memory of the device."""
    if size:
        _engine.htod(current_device(), device_pointer(dst), _bytes_at(host_pointer(src), size), stream_given(stream))


def device_to_host(dst, src, size, stream=0):
    """Copies ``size`` bytes of the device's into memory of the host."""
    if size:
        _engine.dtoh(current_device(), _bytes_at(host_pointer(dst), size), device_pointer(src), stream_given(stream))


def device_to_device(dst, src, size, stream=0):
    """Copies ``size`` bytes on the device."""
    if size:
        _engine.dtod(current_device(), device_pointer(dst), device_pointer(src), size, stream_given(stream))


__all__ = [
    "BaseCUDAMemoryManager",
    "Context",
    "CudaAPIError",
    "CudaDriverError",
    "CudaSupportError",
    "Device",
    "Driver",
    "Event",
    "GetIpcHandleMixin",
    "HostOnlyCUDAMemoryManager",
    "IpcHandle",
    "LinkerError",
    "MappedMemory",
    "MemoryInfo",
    "MemoryPointer",
    "PinnedMemory",
    "Stream",
    "device_ctypes_pointer",
    "device_extents",
    "device_memory_size",
    "device_memset",
    "device_pointer",
    "device_to_device",
    "device_to_host",
    "driver",
    "event_elapsed_time",
    "get_version",
    "host_memory_extents",
    "host_memory_size",
    "host_pointer",
    "host_to_device",
    "is_device_memory",
    "memory_size_from_info",
    "profile_start",
    "profile_stop",
    "profiling",
    "require_device_memory",
    "set_memory_manager",
]
