"""torch.multiprocessing: Python's multiprocessing. Tensors travel as copies, and no process shares another's memory."""

import multiprocessing as _multiprocessing
from multiprocessing import *  # noqa: F403

from quern.torch._refusals import refused

__all__ = [*_multiprocessing.__all__, "get_all_sharing_strategies", "get_sharing_strategy", "set_sharing_strategy"]
__all__ += ["spawn", "start_processes"]

_INSTEAD = "start processes with multiprocessing.Process; tensors are copied to them"

spawn = refused("torch.multiprocessing.spawn", _INSTEAD)
start_processes = refused("torch.multiprocessing.start_processes", _INSTEAD)


def get_all_sharing_strategies():
    """Return PyTorch's ways to share memory."""
    return {"file_descriptor", "file_system"}


def get_sharing_strategy():
    """Return PyTorch's usual way to share memory; here tensors are copied."""
    return "file_descriptor"


def set_sharing_strategy(new_strategy):
    """Do nothing: tensors are copied.

    Parameters
    ----------
    new_strategy : {"file_descriptor", "file_system"}
        One of PyTorch's ways to share memory.

    Raises
    ------
    AssertionError
        For another name.
    """
    if new_strategy not in get_all_sharing_strategies():
        raise AssertionError(f"unknown sharing strategy {new_strategy!r}")
