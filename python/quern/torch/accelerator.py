"""torch.accelerator: the GPU, if there is one, by functions that name no type of devices."""

import contextlib

from quern.torch import _types, cuda

__all__ = [
    "current_accelerator", "current_device_idx", "current_device_index", "current_stream", "device_count", "device_index", "empty_cache",
    "get_memory_info", "is_available", "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved", "memory_stats",
    "reset_peak_memory_stats", "set_device_idx", "set_device_index", "set_stream", "synchronize",
]  # fmt: skip

memory_allocated, max_memory_allocated = cuda.memory_allocated, cuda.max_memory_allocated
memory_reserved, max_memory_reserved = cuda.memory_reserved, cuda.max_memory_reserved
memory_stats, reset_peak_memory_stats = cuda.memory_stats, cuda.reset_peak_memory_stats
empty_cache, get_memory_info, set_stream = cuda.empty_cache, cuda.mem_get_info, cuda.set_stream


def is_available():
    """Return whether there is a GPU."""
    return cuda.is_available()


def device_count():
    """Return the number of GPUs."""
    return cuda.device_count()


def current_accelerator(check_available=False):
    """Return the type of the accelerator, ``device("cuda")``, or None.

    Parameters
    ----------
    check_available : bool, optional
        Whether None is returned where there is no GPU.
    """
    return _types.device("cuda") if is_available() or not check_available else None


def current_device_index():
    """Return the number of the current GPU."""
    return cuda.current_device()


def set_device_index(device):
    """Set the current GPU."""
    cuda.set_device(device)


current_device_idx, set_device_idx = current_device_index, set_device_index


def synchronize(device=None):
    """Wait for the work of a GPU; None is the current one."""
    cuda.synchronize(device)


def current_stream(device=None):
    """Return the current stream of a GPU; None is the current one."""
    return cuda.current_stream(device)


@contextlib.contextmanager
def device_index(device):
    """Set the current GPU within a ``with`` statement; None changes nothing."""
    with cuda.device(-1 if device is None else device):
        yield
