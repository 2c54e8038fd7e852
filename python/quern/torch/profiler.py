"""torch.profiler: names that programs import. quern profiles with `quern profile FILE` and quern.profile()."""

import contextlib
import enum

from quern.torch._refusals import refused

__all__ = ["ProfilerAction", "ProfilerActivity", "profile", "record_function", "schedule", "supported_activities"]
__all__ += ["tensorboard_trace_handler"]

_INSTEAD = "run `quern profile FILE`, or use quern.profile(), which reports time by source line"

profile = refused("torch.profiler.profile", _INSTEAD)
schedule = refused("torch.profiler.schedule", _INSTEAD)
tensorboard_trace_handler = refused("torch.profiler.tensorboard_trace_handler", _INSTEAD)


class ProfilerActivity(enum.Enum):
    """What PyTorch's profiler observes."""

    CPU = 0
    XPU = 1
    CUDA = 2


class ProfilerAction(enum.Enum):
    """What PyTorch's profiler does in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


class record_function(contextlib.ContextDecorator):
    """Do nothing: profiles of quern name the source line.

    Parameters
    ----------
    name, args : str, optional
        Name of the part of the program, and what goes with it.
    """

    def __init__(self, name, args=None):
        self.name, self.args = name, args

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


def supported_activities():
    """Return the activities that :func:`profile` observes: none."""
    return set()
