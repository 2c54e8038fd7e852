"""What `quern run` opens for a program, and for the processes that the program starts by multiprocessing: those are new interpreters
(spawn) or children of one (forkserver), which would know nothing of the front ends.

multiprocessing sends each new process a dict of what to set up before it reads anything else; one more entry sets up the front ends
when it is unpickled there. Start reading at open_all().
"""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import sys

from quern.tools.clocks import wait_before_clocks
from quern.tools.imports import lead_imports
from quern.tools.kept_sources import keep_sources

SPAWN = "multiprocessing.spawn"
_also: list = []  # (function, arguments): what is called in those processes, too


def open_all(raw_clock):
    """Set up the front ends in this process and in those that multiprocessing starts from it.

    Parameters: ``raw_clock``: whether the program's clocks do not wait for the device.
    """
    importer = lead_imports()
    keep_sources()
    if not raw_clock:
        wait_before_clocks(importer.is_user_file)
    if SPAWN in sys.modules:
        _tell_children(sys.modules[SPAWN], raw_clock)
    elif not any(isinstance(finder, _Waiting) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Waiting(raw_clock))


def also_in_children(function, *arguments):
    """Call a function in new processes of multiprocessing, once the front ends are set up there. Forks inherit from this process."""
    _also.append((function, arguments))


def _open(raw_clock, also):
    open_all(raw_clock)
    for function, arguments in also:
        function(*arguments)


class _Opened:
    """Becomes a call of open_all(), and of what else is to be called, where it is unpickled."""

    def __init__(self, raw_clock):
        self._raw_clock = raw_clock

    def __reduce__(self):
        return _open, (self._raw_clock, tuple(_also))


def _tell_children(spawn, raw_clock):
    theirs = spawn.get_preparation_data
    if hasattr(theirs, "of_quern"):
        return

    @functools.wraps(theirs)
    def get_preparation_data(name):
        return {"quern": _Opened(raw_clock), **theirs(name)}  # the first: sys.path may become another one behind it

    get_preparation_data.of_quern = True
    spawn.get_preparation_data = get_preparation_data


class _Waiting(importlib.abc.MetaPathFinder):
    """Sees to multiprocessing.spawn when it is imported, which few programs do."""

    def __init__(self, raw_clock):
        self._raw_clock = raw_clock

    def find_spec(self, name, path=None, target=None):
        if name != SPAWN:
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is importlib.machinery.SourceFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
            spec.loader.raw_clock = self._raw_clock
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    raw_clock = False

    def exec_module(self, module):
        super().exec_module(module)
        _tell_children(module, self.raw_clock)
