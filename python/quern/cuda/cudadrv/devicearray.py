"""numba.cuda.cudadrv.devicearray: arrays on the device, and functions that recognize them."""

from quern.arrays import core as _core
from quern.cuda.arrays import DeviceNDArray, DeviceRecord, as_cuda_array, device_array_like, to_device
from quern.cuda.hostmemory import ManagedNDArray, MappedNDArray

DeviceNDArrayBase = FakeCUDAArray = DeviceNDArray  # the last one is the simulator's name
errmsg_contiguous_buffer = "the array's elements lie with gaps; numpy.ascontiguousarray() makes a copy without"


def is_cuda_ndarray(obj):
    """Is it an array on the device?"""
    return isinstance(obj, (_core.Array, MappedNDArray))


def require_cuda_ndarray(obj):
    """Raises ValueError where it is no array on the device."""
    if not is_cuda_ndarray(obj):
        raise ValueError(f"[devicearray] an array on the device is needed, not {type(obj).__name__}; to_device() makes one")


def verify_cuda_ndarray_interface(obj):
    """Raises TypeError or AttributeError where it is no array on the device."""
    require_cuda_ndarray(obj)


def is_contiguous(ary):
    """Do the elements lie in C or Fortran's order, without gaps?"""
    return bool(ary.flags["C_CONTIGUOUS"] or ary.flags["F_CONTIGUOUS"])


def sentry_contiguous(ary):
    """Raises ValueError where the elements lie with gaps."""
    if not is_contiguous(ary):
        raise ValueError(errmsg_contiguous_buffer)


def array_core(ary):
    """The part of a broadcast array that has memory of its own: axes along which it repeats have length 1."""
    if not ary.strides or not ary.size:
        return ary
    return ary[tuple(slice(None, 1) if step == 0 else slice(None) for step in ary.strides)]


def check_array_compatibility(ary1, ary2):
    """Raises ValueError where shape or order differ, TypeError where the types do."""
    first, second = ary1.squeeze(), ary2.squeeze()
    if ary1.dtype != ary2.dtype:
        raise TypeError(f"[copy] the types differ: {ary1.dtype} and {ary2.dtype}")
    if first.shape != second.shape:
        raise ValueError(f"[copy] the shapes differ: {ary1.shape} and {ary2.shape}")
    if ary1.size and first.strides != second.strides:
        raise ValueError(f"[copy] the strides differ: {ary1.strides} and {ary2.strides}")


def from_array_like(ary, stream=0, gpu_data=None):
    """An array on the device like ``ary``, of new memory, whose values may be anything, or over ``gpu_data``."""
    return DeviceNDArray(ary.shape, ary.strides, ary.dtype, stream=stream, gpu_data=gpu_data) if gpu_data else device_array_like(ary)


def from_record_like(rec, stream=0, gpu_data=None):
    """A record on the device like ``rec``, of new memory, whose values may be anything, or over ``gpu_data``."""
    return DeviceRecord(rec.dtype, stream=stream, gpu_data=gpu_data)


def auto_device(obj, stream=0, copy=True, user_explicit=False):
    """(the array on the device, whether it was made now): values are copied where ``copy`` says so."""
    if is_cuda_ndarray(obj) or hasattr(obj, "__cuda_array_interface__"):
        return as_cuda_array(obj) if not isinstance(obj, MappedNDArray) else obj, False
    if copy:
        return to_device(obj), True
    sentry_contiguous(obj)
    return device_array_like(obj), True


__all__ = [
    "DeviceNDArray",
    "DeviceNDArrayBase",
    "DeviceRecord",
    "ManagedNDArray",
    "MappedNDArray",
    "array_core",
    "auto_device",
    "check_array_compatibility",
    "errmsg_contiguous_buffer",
    "from_array_like",
    "from_record_like",
    "is_contiguous",
    "is_cuda_ndarray",
    "require_cuda_ndarray",
    "sentry_contiguous",
    "verify_cuda_ndarray_interface",
]
