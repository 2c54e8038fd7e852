"""Kernels written in Python, on an NVIDIA GPU where there is one, compiled for the CPU where there is none.

decorators.py  jit, vectorize, reduce        (quern/kernel/ compiles)
arrays.py      to_device, device_array; ndarray.py, records.py: what they return; hostmemory.py: pinned, mapped and managed arrays
devices.py     devices, streams, events, contexts; memory.py: memory as such
linkable.py    CUDA C++ that kernels call: declare_device, CUSource; compiler.py: compile, compile_ptx
random.py      random numbers in kernels
types.py, errors.py, config.py: numba.types, numba.core.errors, numba.config
libdevice.py, fp16.py, bf16.py, vectors.py, cg.py: what kernels find under these names
extending.py: functions that programs add to kernels
cudadrv/, dispatcher.py, args.py, kernels.py, sigutils.py, typing.py, testing.py: the same things by the modules that Numba has them in
"""

import sys as _sys

from quern.cuda import config, errors  # the environment comes first
from quern.cuda import types as types
from quern.cuda import vectors as _vectors
from quern.cuda.args import In, InOut, Out
from quern.cuda.arrays import (
    DeviceNDArray,
    as_cuda_array,
    device_array,
    device_array_like,
    from_cuda_array_interface,
    is_cuda_array,
    prepare_shape_strides_dtype,
    to_device,
)
from quern.cuda.compiler import compile, compile_all, compile_for_current_device, compile_ptx, compile_ptx_for_current_device
from quern.cuda.decorators import Reduce, guvectorize, jit, jit_module, reduce, vectorize
from quern.cuda.devices import (
    Stream,
    close,
    cuda_error,
    current_context,
    default_stream,
    defer_cleanup,
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
    is_supported_version,
    legacy_default_stream,
    list_devices,
    per_thread_default_stream,
    profile_start,
    profile_stop,
    profiling,
    require_context,
    select_device,
    stream,
    synchronize,
)
from quern.cuda.errors import CudaSupportError, KernelRuntimeError
from quern.cuda.hostmemory import (
    managed_array,
    mapped,
    mapped_array,
    mapped_array_like,
    pinned,
    pinned_array,
    pinned_array_like,
)
from quern.cuda.linkable import LTOIR, Archive, Cubin, CUSource, Fatbin, LinkableCode, Object, PTXSource, declare_device
from quern.cuda.memory import (
    BaseCUDAMemoryManager,
    GetIpcHandleMixin,
    HostOnlyCUDAMemoryManager,
    IpcHandle,
    MappedMemory,
    MemoryInfo,
    MemoryPointer,
    PinnedMemory,
    open_ipc_array,
    set_memory_manager,
)
from quern.cuda.types import *  # noqa: F403
from quern.cuda.types import Dim3, GridGroup, dim3, grid_group, none, void
from quern.cuda.vectors import *  # noqa: F403
from quern.kernel import intrinsics as _intrinsics
from quern.kernel.intrinsics import *  # noqa: F403
from quern.kernel.number_names import __all__ as _numbers

from quern.cuda import bf16, cg, compiler, cudadrv, dispatcher, fp16, launchconfig, libdevice, random  # isort: skip
from quern.cuda import extending as extending  # isort: skip
from quern.cuda.cudadrv import devicearray, devices, driver, nvvm  # isort: skip
from quern.cuda.cudadrv.runtime import runtime  # isort: skip

implementation = "quern"
simulator = _sys.modules[__name__]  # by the simulator's names programs find the same things
HAS_NUMBA = True  # its names are here, whoever serves them
config_default_cc = config.CUDA_DEFAULT_PTX_CC
numba_cuda_default_ptx_cc = (7, 5)

__all__ = [
    *_intrinsics.__all__,
    *_vectors.__all__,
    *(name for name in _numbers if name != "bool"),
    "Archive",
    "BaseCUDAMemoryManager",
    "CUSource",
    "Cubin",
    "CudaSupportError",
    "DeviceNDArray",
    "Dim3",
    "Fatbin",
    "GetIpcHandleMixin",
    "GridGroup",
    "HAS_NUMBA",
    "HostOnlyCUDAMemoryManager",
    "In",
    "InOut",
    "IpcHandle",
    "KernelRuntimeError",
    "LTOIR",
    "LinkableCode",
    "MappedMemory",
    "MemoryInfo",
    "MemoryPointer",
    "Object",
    "Out",
    "PTXSource",
    "PinnedMemory",
    "Reduce",
    "Stream",
    "as_cuda_array",
    "bf16",
    "cg",
    "close",
    "compile",
    "compile_all",
    "compile_for_current_device",
    "compile_ptx",
    "compile_ptx_for_current_device",
    "compiler",
    "config",
    "cuda_error",
    "cudadrv",
    "current_context",
    "declare_device",
    "default_stream",
    "defer_cleanup",
    "detect",
    "device_array",
    "device_array_like",
    "devicearray",
    "devices",
    "dim3",
    "dispatcher",
    "driver",
    "errors",
    "event",
    "event_elapsed_time",
    "external_stream",
    "fp16",
    "from_cuda_array_interface",
    "get_current_device",
    "gpus",
    "grid_group",
    "guvectorize",
    "is_available",
    "is_bfloat16_supported",
    "is_cuda_array",
    "is_float16_supported",
    "is_fp8_supported",
    "is_supported_version",
    "jit",
    "jit_module",
    "launchconfig",
    "legacy_default_stream",
    "libdevice",
    "list_devices",
    "managed_array",
    "mapped",
    "mapped_array",
    "mapped_array_like",
    "none",
    "nvvm",
    "open_ipc_array",
    "per_thread_default_stream",
    "pinned",
    "pinned_array",
    "pinned_array_like",
    "prepare_shape_strides_dtype",
    "profile_start",
    "profile_stop",
    "profiling",
    "random",
    "reduce",
    "require_context",
    "runtime",
    "select_device",
    "set_memory_manager",
    "stream",
    "synchronize",
    "to_device",
    "types",
    "vectorize",
    "void",
]


def __getattr__(name):
    if name == "fp8":
        raise AttributeError("[cuda.fp8] 8-bit floating-point dtypes are not supported; use float16, bfloat16 or float32")
    import difflib  # not every Python suggests names of a module; of `obj=None` none does

    close = difflib.get_close_matches(name, __all__, 1)
    text = f"module 'numba.cuda' has no attribute '{name}'" + (f". Did you mean: '{close[0]}'?" if close else "")
    raise AttributeError(text, name=name, obj=None)
