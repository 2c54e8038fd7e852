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
    """Return whether there is a device: always, as the CPU is one where there is no GPU.

    Returns
    -------
    bool
        True.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.cuda.is_available()
    True
    """
    return True


def get_local_runtime_version():
    """Return the version of CUDA whose language kernels are written in.

    Returns
    -------
    int
        Version, such as 12090 for 12.9.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.cuda.get_local_runtime_version() >= 12000
    True
    """
    return runtime.runtimeGetVersion()


def get_cuda_path():
    """Return the folder of a CUDA toolkit that the environment names; quern does not need one.

    Returns
    -------
    str or None
        Value of CUDA_PATH or CUDA_HOME.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> path = cp.cuda.get_cuda_path()
    """
    return next((os.environ[name] for name in ("CUDA_PATH", "CUDA_HOME") if os.environ.get(name)), None)


def get_nvcc_path():
    """Return the path of nvcc; quern does not need it.

    Returns
    -------
    str or None
        Path, or None where there is no nvcc.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> path = cp.cuda.get_nvcc_path()
    """
    import shutil

    return os.environ.get("NVCC") or shutil.which("nvcc")


def get_rocm_path():
    """Return None: AMD's GPUs are not supported.

    Returns
    -------
    None
        Always.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.cuda.get_rocm_path()
    """


def get_hipcc_path():
    """Return None: AMD's GPUs are not supported.

    Returns
    -------
    None
        Always.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.cuda.get_hipcc_path()
    """


@contextlib.contextmanager
def profile():
    """Limit NVIDIA's profilers to a ``with`` block; in quern it has no effect.

    Yields
    ------
    None
        Nothing.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> with cp.cuda.profile():
    ...     a = cp.zeros(3)
    """
    profiler.start()
    try:
        yield
    finally:
        profiler.stop()


def __getattr__(name):
    raise AttributeError(f"module 'cupy.cuda' has no attribute {name!r}: quern does not support it")
