"""torch.cpu: the CPU as a device, with the functions that torch.cuda has for GPUs."""

import contextlib

from quern.torch.cpu import amp  # noqa: F401

__all__ = ["current_device", "device_count", "is_available", "set_device", "stream", "synchronize"]


def is_available():
    """Return whether there is a CPU: always True."""
    return True


def device_count():
    """Return the number of CPU devices: always 1."""
    return 1


def current_device():
    """Return the name of the current device: always "cpu"."""
    return "cpu"


def set_device(device):
    """Do nothing; accepted for compatibility."""


def synchronize(device=None):
    """Do nothing: results are computed when they are read."""


def stream(stream):
    """Return a context that does nothing."""
    return contextlib.nullcontext(stream)
