"""cupy.cuda.nvtx: marks for NVIDIA's profilers. There is no such profiler behind the engine, so that they do nothing but count."""

import threading

available = False
_depth = threading.local()


def Mark(message, id_color=-1):
    """Marks a moment."""


MarkC = Mark


def RangePush(message, id_color=-1):
    """Starts a range; returns how many are open already."""
    depth = getattr(_depth, "value", 0)
    _depth.value = depth + 1
    return depth


RangePushC = RangePush


def RangePop():
    """Ends the range that started last; returns how many are open then, -1 when there was none."""
    _depth.value = getattr(_depth, "value", 0) - 1
    if _depth.value < 0:
        _depth.value = 0
        return -1
    return _depth.value


class Handle:
    """A range that RangeStart() began."""


def RangeStart(message, id_color=-1):
    """Starts a range that any thread may end."""
    return Handle()


def RangeEnd(handle):
    """Ends it."""
