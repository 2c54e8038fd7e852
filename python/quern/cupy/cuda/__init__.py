"""cupy.cuda: devices, streams, events and memory, on the engine's.

Start reading at stream.py and memory.py. Unsupported functions of NVIDIA libraries raise NotImplementedError and name the library.
"""

import contextlib
import os

from quern.cupy.cuda import (  # noqa: F401
    common,
    compiler,
    cub,
    cufft,
    curand,
    device,
    driver,
    function,
    graph,
    memory,
    memory_hook,
    memory_hooks,
    nccl,
    nvrtc,
    nvtx,
    pinned_memory,
    profiler,
    runtime,
    stream,
    texture,
    thrust,
)
from quern.cupy.cuda.compiler import compile_with_cache  # noqa: F401
from quern.cupy.cuda.device import Device, get_cublas_handle, get_device_id  # noqa: F401
from quern.cupy.cuda.function import Function, Module  # noqa: F401
from quern.cupy.cuda.graph import Graph  # noqa: F401
from quern.cupy.cuda.memory import (  # noqa: F401
    BaseMemory,
    CFunctionAllocator,
    ManagedMemory,
    Memory,
    MemoryAsync,
    MemoryAsyncPool,
    MemoryPointer,
    MemoryPool,
    PythonFunctionAllocator,
    UnownedMemory,
    alloc,
    get_allocator,
    malloc_async,
    malloc_managed,
    set_allocator,
    using_allocator,
)
from quern.cupy.cuda.memory_hook import MemoryHook  # noqa: F401
from quern.cupy.cuda.pinned_memory import (  # noqa: F401
    PinnedMemory,
    PinnedMemoryPointer,
    PinnedMemoryPool,
    alloc_pinned_memory,
    set_pinned_memory_allocator,
)
from quern.cupy.cuda.stream import Event, ExternalStream, Stream, get_current_stream, get_elapsed_time  # noqa: F401


def is_available():
    """Is there a device? Always: the CPU where there is no GPU."""
    return True


def get_local_runtime_version():
    """CUDA's version, 12090 for 12.9, whose language kernels are written in."""
    return runtime.runtimeGetVersion()


def get_cuda_path():
    """The folder of a CUDA toolkit that the environment names, or None: none is needed."""
    return next((os.environ[name] for name in ("CUDA_PATH", "CUDA_HOME") if os.environ.get(name)), None)


def get_nvcc_path():
    """Where nvcc is, or None: it is not needed."""
    import shutil

    return os.environ.get("NVCC") or shutil.which("nvcc")


def get_rocm_path():
    """None: AMD's GPUs are not supported."""


def get_hipcc_path():
    """None: AMD's GPUs are not supported."""


@contextlib.contextmanager
def profile():
    """Marks the piece of the program that NVIDIA's profilers look at; here it does nothing."""
    profiler.start()
    try:
        yield
    finally:
        profiler.stop()


def __getattr__(name):
    raise AttributeError(f"module 'cupy.cuda' has no attribute {name!r}: quern does not support it")
