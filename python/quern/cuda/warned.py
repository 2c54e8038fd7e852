"""Warnings of launches, where ``numba.config`` asks for them: of host arrays, which are copied, and of grids too small for the device.

Whether a kernel's launches are looked at is decided when it is decorated; with nothing asked for there is nothing of this in them.
"""

from __future__ import annotations

import functools
import math
import sys
import warnings

import numpy

from quern.cuda import config
from quern.cuda.errors import NumbaPerformanceWarning
from quern.device import current_device

_MULTIPROCESSORS = 16  # the driver's number


def dispatcher_class(kind):
    """``kind``, a class of dispatchers, or one below it whose launches warn as the configuration says now."""
    copies, grids = bool(config.CUDA_WARN_ON_IMPLICIT_COPY), bool(config.CUDA_LOW_OCCUPANCY_WARNINGS)
    return _warning(kind, copies, grids) if copies or grids else kind


@functools.cache
def _warning(kind, copies, grids):
    def __getitem__(self, key):
        return WarningLaunch(self, kind.__getitem__(self, key), key[0], copies, grids)

    return type(kind.__name__, (kind,), {"__module__": kind.__module__, "__doc__": kind.__doc__, "__getitem__": __getitem__})


class WarningLaunch:
    """What ``kernel[grid, block]`` gives: a launch that warns first."""

    def __init__(self, dispatcher, launch, grid, copies, grids):
        self._dispatcher, self._launch, self._copies, self._grids = dispatcher, launch, copies, grids
        self._blocks = math.prod(grid) if isinstance(grid, (tuple, list)) else int(grid)

    def __getattr__(self, name):
        return getattr(self._launch, name)

    def __call__(self, *args):
        if self._grids:
            self._look_at_grid()
        if self._copies:
            names = self._dispatcher.py_func.__code__.co_varnames
            for name, value in zip(names, args):  # noqa: B905  (too many arguments are the launch's to refuse)
                if _is_copied(value):
                    _warn(
                        f"[{self._dispatcher.__name__}] Host array used in a CUDA kernel: argument '{name}' is NumPy's, which every launch "
                        "on a GPU copies there and back; keep it in an array of the device (cuda.to_device) or of mapped memory"
                    )
        self._launch(*args)

    def _look_at_grid(self):
        there = current_device().attribute(_MULTIPROCESSORS)
        if self._blocks < there:
            _warn(
                f"[{self._dispatcher.__name__}] Grid size {self._blocks} leaves a part of the device idle: {current_device().name} has "
                f"{there} multiprocessors, each of which runs one block or more; launch more blocks, if smaller ones"
            )


def _is_copied(value):
    if isinstance(value, tuple):
        return any(map(_is_copied, value))
    return isinstance(value, (numpy.ndarray, numpy.void)) and not hasattr(value, "__cuda_memory__")


def _warn(text):
    """At the line that launched: the first outside of quern."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "quern":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, NumbaPerformanceWarning, stacklevel=level)
