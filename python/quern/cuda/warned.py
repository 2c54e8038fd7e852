"""Warnings, as ``numba.config`` asks for them. Of launches: host arrays, which are copied, and grids too small for a GPU. Of functions:
names that are read where not every path has set them.

The engine reports them (bindings/dispatcher.cpp), so that other launches cost nothing: small grids where a kernel
is configured, host arrays where it is launched. What is asked for may change at any time: watch() is config's to call.
"""

from __future__ import annotations

import sys
import warnings

import numpy

from quern.cuda import config
from quern.cuda.errors import NumbaPerformanceWarning, NumbaWarning
from quern.device import current_device
from quern.kernel import program
from quern.kernel.unset import unset_reads
from quern.lib import _engine
from quern.user_files import warn_user

FEW_BLOCKS = 128  # as Numba counts
_may_concern = True  # until it is known that there is no GPU


def watch():
    """Set which launches are checked, as the configuration says."""
    asked = not config.DISABLE_PERFORMANCE_WARNINGS
    grids, copies = (
        asked and getattr(config, name) and (_may_concern or name in config.chosen)
        for name in ("CUDA_LOW_OCCUPANCY_WARNINGS", "CUDA_WARN_ON_IMPLICIT_COPY")
    )
    _engine.watch_launches(_small_grid if grids else None, FEW_BLOCKS, _host_arguments if copies else None)


def _concerns(name):
    """On the CPU, where no array is copied and a small grid is no waste, only programs that set the variable get the warning."""
    global _may_concern
    if name in config.chosen or current_device().kind != "cpu":
        return True
    if _may_concern and _engine.cuda_count() == 0:  # asked at a launch, not before: no driver is loaded for this alone
        _may_concern = False
        watch()
    return False


def _small_grid(dispatcher, blocks):
    if not getattr(dispatcher, "warns", False):
        return
    frame = sys._getframe(1)
    filters = warnings.filters
    place, heard = (blocks, id(frame.f_code), frame.f_lineno), (id(filters), len(filters))
    if dispatcher.told.get(place) == heard:
        return
    if _concerns("CUDA_LOW_OCCUPANCY_WARNINGS"):
        if not any(action in ("always", "all", "error") and issubclass(NumbaPerformanceWarning, of) for action, _, of, *_ in filters):
            dispatcher.told[place] = heard  # Python would show it once, too, but takes the time of a launch to find that out
        _warn(
            f"Grid size {blocks} will likely result in GPU under-utilization due to low occupancy ('{dispatcher.__name__}'); "
            "launch more blocks, if smaller ones"
        )


def _host_arguments(dispatcher, args):
    if not getattr(dispatcher, "warns", False) or not hasattr(dispatcher, "py_func") or not _concerns("CUDA_WARN_ON_IMPLICIT_COPY"):
        return
    names = dispatcher.py_func.__code__.co_varnames
    for name, value in zip(names, args):  # noqa: B905  (too many arguments are the launch's to refuse)
        if _is_copied(value):
            _warn(
                f"Host array used in CUDA kernel will incur copy overhead to/from device: '{name}' of '{dispatcher.__name__}'; keep it in "
                "an array of the device (cuda.to_device) or in mapped memory"
            )


def _is_copied(value):
    if isinstance(value, tuple):
        return any(map(_is_copied, value))
    return isinstance(value, (numpy.ndarray, numpy.void)) and not hasattr(value, "__cuda_memory__")


def _unset_names(source):
    if config.ALWAYS_WARN_UNINIT_VAR and not source.is_own:
        for name, node in unset_reads(source.tree):
            place = f"{source.file}:{source.line(node)}"
            _warn(f"Detected uninitialized variable {name}: {place} [{source.name}] not every path sets it before", NumbaWarning)


def _warn(text, category=NumbaPerformanceWarning):
    warn_user(text, category)


program.watchers.append(_unset_names)
config.listeners.append(watch)
watch()
