"""Memory of torch.cuda: figures of the pool, and its limits. Start reading at _figures()."""

from quern.torch.cuda._docstrings import complete
from quern.torch.cuda._gpus import _gpu, _number, is_available


def mem_get_info(device=None):
    """Return the free and the total memory of a GPU."""
    return tuple(_gpu(device).memory())


_peaks = {}


def _figures(device):
    """(bytes in use, bytes taken from the GPU); the largest that were seen are kept."""
    if not is_available():
        return 0, 0
    info = _gpu(device).pool_info()
    held, taken = info["held"], info["held"] + info["kept"]
    peak = _peaks.get(_number(device), (0, 0))
    _peaks[_number(device)] = max(peak[0], held), max(peak[1], taken)
    return held, taken


def memory_allocated(device=None):
    """Return the number of bytes that tensors use, as the memory pool rounds them; 0 without a GPU."""
    return _figures(device)[0]


def memory_reserved(device=None):
    """Return the number of bytes that the memory pool took from the GPU; 0 without a GPU."""
    return _figures(device)[1]


def max_memory_allocated(device=None):
    """Return the largest result of :func:`memory_allocated` and related functions so far.

    Allocations between these calls are not tracked.
    """
    _figures(device)
    return _peaks.get(_number(device), (0, 0))[0] if is_available() else 0


def max_memory_reserved(device=None):
    """Return the largest result of :func:`memory_reserved` and related functions so far.

    Allocations between these calls are not tracked.
    """
    _figures(device)
    return _peaks.get(_number(device), (0, 0))[1] if is_available() else 0


def reset_peak_memory_stats(device=None):
    """Reset the results of :func:`max_memory_allocated` and :func:`max_memory_reserved`."""
    if is_available():
        _peaks.pop(_number(device), None)


memory_cached, max_memory_cached = memory_reserved, max_memory_reserved
reset_max_memory_allocated = reset_max_memory_cached = reset_accumulated_memory_stats = reset_peak_memory_stats


def memory_stats(device=None):
    """Return statistics of the memory pool by PyTorch's names; empty without a GPU."""
    if not is_available():
        return {}
    held, taken = _figures(device)
    return {
        "allocated_bytes.all.current": held,
        "allocated_bytes.all.peak": max_memory_allocated(device),
        "reserved_bytes.all.current": taken,
        "reserved_bytes.all.peak": max_memory_reserved(device),
    }


def memory_summary(device=None, abbreviated=False):
    """Return statistics of the memory pool as text."""
    return "\n".join(f"{name}: {value}" for name, value in memory_stats(device).items())


def empty_cache():
    """Give unused memory back to the GPU."""
    if is_available():
        _gpu().trim()


def set_per_process_memory_fraction(fraction, device=None):
    """Limit the memory that the pool takes to a fraction of the GPU's."""
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    found = _gpu(device)
    found.set_pool_limit(int(fraction * found.memory()[1]) if fraction < 1 else 0)


def get_allocator_backend():
    """Return the name of what gives out memory."""
    return "native"


def ipc_collect():
    """Do nothing: tensors are not shared between processes."""


complete(__name__)
