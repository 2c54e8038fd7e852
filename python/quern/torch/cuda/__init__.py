"""torch.cuda: GPUs, streams, events and memory figures, on those of quern.cupy.cuda.

Without a GPU, and with QUERN_DEVICE=cpu, is_available() is False, counts and figures are 0, and the rest raises RuntimeError.

_gpus.py        which GPUs there are, the current one, their properties
_memory.py      figures of the memory pool
_streams.py     streams and events
random.py       random numbers
_docstrings.py  what docstrings of these say of parameters and results
"""

from quern import errors as _errors
from quern.torch.cuda._gpus import (  # noqa: F401
    _CudaDeviceProperties,
    _gpu,
    _number,
    _on,
    can_device_access_peer,
    current_device,
    device,
    device_count,
    device_of,
    get_arch_list,
    get_device_capability,
    get_device_name,
    get_device_properties,
    get_gencode_flags,
    init,
    is_available,
    is_bf16_supported,
    is_current_stream_capturing,
    is_initialized,
    is_tf32_supported,
    set_device,
    synchronize,
)
from quern.torch.cuda._memory import (  # noqa: F401
    empty_cache,
    get_allocator_backend,
    ipc_collect,
    max_memory_allocated,
    max_memory_cached,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_cached,
    memory_reserved,
    memory_stats,
    memory_summary,
    reset_accumulated_memory_stats,
    reset_max_memory_allocated,
    reset_max_memory_cached,
    reset_peak_memory_stats,
    set_per_process_memory_fraction,
)
from quern.torch.cuda._streams import (  # noqa: F401
    Event,
    ExternalStream,
    Stream,
    StreamContext,
    current_stream,
    default_stream,
    get_stream_from_external,
    set_stream,
    stream,
)
from quern.torch.cuda.random import (  # noqa: F401
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)

OutOfMemoryError = _errors.OutOfMemoryError
has_half, has_magma = True, False


def __getattr__(name):
    raise AttributeError(f"module 'torch.cuda' has no attribute '{name}': quern does not support it")
