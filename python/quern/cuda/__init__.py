"""Kernels written in Python, on an NVIDIA GPU where there is one, compiled for the CPU where there is none.

decorators.py  jit, vectorize, reduce        (quern/kernel/ compiles)
arrays.py      to_device, device_array and what they return
devices.py     devices, streams, events
random.py      random numbers in kernels
libdevice.py, fp16.py, vectors.py, cg.py: what kernels find under these names
"""

from quern.cuda import cg, fp16, libdevice, random
from quern.cuda import vectors as _vectors
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
    is_bfloat16_supported,
    is_float16_supported,
    is_fp8_supported,
    legacy_default_stream,
    list_devices,
    per_thread_default_stream,
    select_device,
    stream,
    synchronize,
)
from quern.cuda.vectors import *  # noqa: F403
from quern.kernel import intrinsics as _intrinsics
from quern.kernel.intrinsics import *  # noqa: F403

__all__ = [
    *_intrinsics.__all__,
    *_vectors.__all__,
    "DeviceNDArray",
    "In",
    "InOut",
    "Out",
    "Reduce",
    "Stream",
    "as_cuda_array",
    "cg",
    "close",
    "current_context",
    "default_stream",
    "detect",
    "device_array",
    "device_array_like",
    "event",
    "event_elapsed_time",
    "external_stream",
    "fp16",
    "from_cuda_array_interface",
    "get_current_device",
    "guvectorize",
    "gpus",
    "is_available",
    "is_bfloat16_supported",
    "is_cuda_array",
    "is_float16_supported",
    "is_fp8_supported",
    "jit",
    "legacy_default_stream",
    "libdevice",
    "list_devices",
    "per_thread_default_stream",
    "random",
    "reduce",
    "select_device",
    "stream",
    "synchronize",
    "to_device",
    "vectorize",
]


def __getattr__(name):
    if name in ("bf16", "bfloat16", "fp8"):
        raise AttributeError(f"[cuda.{name}] kernels have no bfloat16 and no numbers of eight bits yet; use float16 or float32")
    raise AttributeError(f"module 'quern.cuda' has no attribute '{name}'")
