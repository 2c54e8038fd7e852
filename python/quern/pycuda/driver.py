"""PyCUDA's driver module: its names. Where they are:

_contexts.py    devices, contexts                         _memory.py      device memory
_streams.py     streams, events
_copies.py      copies and fills                          _hostmemory.py  page-locked, managed, aligned and registered memory
_launch.py      modules, functions, arguments, linker     _pools.py       memory pools
_textures.py    arrays, textures, surfaces                _texture_copies.py  copies of these arrays' bytes
enums.py        enumerations
"""

from __future__ import annotations

from quern import errors as _errors
from quern.pycuda._contexts import (  # noqa: F401
    Context,
    Device,
    get_curand_version,
    get_driver_version,
    get_version,
    init,
)
from quern.pycuda._copies import (  # noqa: F401
    Memcpy2D,
    Memcpy3D,
    Memcpy3DPeer,
    from_device,
    from_device_like,
    memcpy_dtod,
    memcpy_dtod_async,
    memcpy_dtoh,
    memcpy_dtoh_async,
    memcpy_htod,
    memcpy_htod_async,
    memcpy_peer,
    memcpy_peer_async,
    memset_d2d8,
    memset_d2d8_async,
    memset_d2d16,
    memset_d2d16_async,
    memset_d2d32,
    memset_d2d32_async,
    memset_d8,
    memset_d8_async,
    memset_d16,
    memset_d16_async,
    memset_d32,
    memset_d32_async,
    to_device,
)
from quern.pycuda._hostmemory import (  # noqa: F401
    AlignedHostAllocation,
    HostAllocation,
    HostPointer,
    ManagedAllocation,
    ManagedAllocationOrStub,
    PagelockedHostAllocation,
    PooledHostAllocation,
    RegisteredHostMemory,
    aligned_empty,
    aligned_empty_like,
    aligned_zeros,
    aligned_zeros_like,
    managed_empty,
    managed_empty_like,
    managed_zeros,
    managed_zeros_like,
    pagelocked_empty,
    pagelocked_empty_like,
    pagelocked_zeros,
    pagelocked_zeros_like,
    register_host_memory,
)
from quern.pycuda._launch import (  # noqa: F401
    ArgumentHandler,
    Function,
    In,
    InOut,
    Linker,
    Module,
    Out,
    module_from_buffer,
    module_from_file,
)
from quern.pycuda._memory import (  # noqa: F401
    DeviceAllocation,
    IPCMemoryHandle,
    PointerHolderBase,
    PooledDeviceAllocation,
    mem_alloc,
    mem_alloc_like,
    mem_alloc_pitch,
    mem_get_address_range,
    mem_get_info,
    mem_get_ipc_handle,
)
from quern.pycuda._pools import (  # noqa: F401
    DeviceMemoryPool,
    PageLockedAllocator,
    PageLockedMemoryPool,
    bitlog2,
)
from quern.pycuda._streams import Event, Stream  # noqa: F401
from quern.pycuda._texture_copies import (  # noqa: F401
    memcpy_atoa,
    memcpy_atod,
    memcpy_atoh,
    memcpy_dtoa,
    memcpy_htoa,
    py_memcpy_atoh,
    py_memcpy_htoa,
)
from quern.pycuda._textures import (  # noqa: F401
    Array,
    ArrayDescriptor,
    ArrayDescriptor3D,
    SurfaceReference,
    TextureReference,
    bind_array_to_texref,
    dtype_to_array_format,
    gpuarray_to_array,
    make_multichannel_2d_array,
    matrix_to_array,
    matrix_to_texref,
    np_to_array,
)
from quern.pycuda.enums import (  # noqa: F401
    TR_DEFAULT,
    TRSA_OVERRIDE_FORMAT,
    TRSF_NORMALIZED_COORDINATES,
    TRSF_READ_AS_INTEGER,
    address_mode,
    array3d_flags,
    array_cubemap_face,
    array_format,
    compute_mode,
    ctx_flags,
    device_attribute,
    direction_vector_set,
    event_flags,
    filter_mode,
    func_cache,
    function_attribute,
    graphics_register_flags,
    host_alloc_flags,
    ipc_mem_flags,
    jit_fallback,
    jit_input_type,
    jit_option,
    jit_target,
    limit,
    mem_attach_flags,
    mem_host_register_flags,
    memory_type,
    pointer_attribute,
    profiler_output_mode,
    shared_config,
)

Error = _errors.Error
CompileError = _errors.CompileError
LogicError = _errors.LogicError
LaunchError = _errors.LaunchError
MemoryError = _errors.OutOfMemoryError  # noqa: A001
RuntimeError = _errors.RuntimeError  # noqa: A001

CUDA_DEBUGGING = False


def set_debugging(flag=True):
    """Accepted: errors name the kernel and the line that launched it in any case.

    Examples
    --------
    >>> from quern.pycuda import driver
    >>> driver.set_debugging()
    """
    global CUDA_DEBUGGING
    CUDA_DEBUGGING = bool(flag)


def have_gl_ext():
    """False: OpenGL is not supported.

    Examples
    --------
    >>> from quern.pycuda import driver
    >>> driver.have_gl_ext()
    False
    """
    return False


def initialize_profiler(config_file, output_file, output_mode):
    """Accepted; quern.trace() is what measures here.

    Examples
    --------
    >>> from quern.pycuda import driver
    >>> driver.initialize_profiler("config", "output", 0)
    """


def start_profiler():
    """Accepted; quern.trace() is what measures here.

    Examples
    --------
    >>> from quern.pycuda import driver
    >>> driver.start_profiler()
    """


def stop_profiler():
    """Accepted; quern.trace() is what measures here.

    Examples
    --------
    >>> from quern.pycuda import driver
    >>> driver.stop_profiler()
    """
