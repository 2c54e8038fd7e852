"""Kernels written in Python, on an NVIDIA GPU where there is one, compiled for the CPU where there is none.

decorators.py  jit, vectorize, reduce        (quern/kernel/ compiles)
arrays.py      to_device, device_array and what they return
devices.py     devices, streams, events
"""

from quern.cuda.arrays import (
    DeviceNDArray,
    as_cuda_array,
    device_array,
    device_array_like,
    from_cuda_array_interface,
    is_cuda_array,
    to_device,
)
from quern.cuda.decorators import In, InOut, Out, Reduce, guvectorize, jit, reduce, vectorize
from quern.cuda.devices import (
    Stream,
    close,
    current_context,
    default_stream,
    detect,
    event,
    event_elapsed_time,
    external_stream,
    get_current_device,
    gpus,
    is_available,
    legacy_default_stream,
    list_devices,
    per_thread_default_stream,
    select_device,
    stream,
    synchronize,
)
from quern.kernel import intrinsics as _intrinsics
from quern.kernel.intrinsics import *  # noqa: F403

__all__ = [
    *_intrinsics.__all__,
    "DeviceNDArray",
    "In",
    "InOut",
    "Out",
    "Reduce",
    "Stream",
    "as_cuda_array",
    "close",
    "current_context",
    "default_stream",
    "detect",
    "device_array",
    "device_array_like",
    "event",
    "event_elapsed_time",
    "external_stream",
    "from_cuda_array_interface",
    "get_current_device",
    "guvectorize",
    "gpus",
    "is_available",
    "is_cuda_array",
    "jit",
    "legacy_default_stream",
    "list_devices",
    "per_thread_default_stream",
    "reduce",
    "select_device",
    "stream",
    "synchronize",
    "to_device",
    "vectorize",
]
