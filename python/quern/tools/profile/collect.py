"""Collecting: while a :class:`Collector` runs, the engine notes each event and the sampler where the host is. What it leaves is a
:class:`Recording`: rows of events in a structured NumPy array, and the tables that their numbers point into.
"""

from __future__ import annotations

import dataclasses
import functools
from time import perf_counter_ns

import numpy as np

from quern.lib import _engine
from quern.tools.profile.call_sites import Place, Places, source_line
from quern.tools.profile.sampling import Sampler
from quern.user_files import is_user_file, library_folders

KINDS = tuple(_engine.trace_kinds())
_names, _formats, _offsets = zip(*_engine.trace_row(), strict=True)
ROW = np.dtype({"names": _names, "formats": _formats, "offsets": _offsets, "itemsize": _engine.trace_row_size()})
OTHERS = "another library's"  # the detail of work that others submit (run/trace.cpp)
COPIES = ("host_to_device", "device_to_host", "device_to_device")


@dataclasses.dataclass
class Recording:
    """What was collected; times in nanoseconds of the host's steady clock."""

    rows: np.ndarray
    texts: list[str]
    # Key, ops, what they were compiled for, which of them were widened, why they were compiled.
    kernels: list[tuple[int, list[str], str, list[int], str]]
    lines: list[list[int]]  # sites
    stacks: dict[tuple, float]
    places: Places
    began: int
    ended: int
    devices: dict[str, dict] = dataclasses.field(default_factory=dict)
    timing: str = ""  # of GPUs: "CUPTI", or why by events

    def of_kind(self, *kinds):
        """The rows of some kinds of events."""
        return self.rows[np.isin(self.rows["kind"], [KINDS.index(k) for k in kinds])]

    @property
    def timing_in_words(self):
        """How the times of GPUs were taken; "" where none worked."""
        if not (self.rows["device"] >= 0).any():
            return ""
        if self.timing == "CUPTI":
            return "GPU times by CUPTI, work of other libraries with them"
        return f"GPU times by events, without work of other libraries: {self.timing}"

    @functools.cached_property
    def groups(self) -> list[Group]:
        """The rows that differ in their figures alone, together; in the order in which they first come."""
        rows = self.rows
        if not len(rows):
            return []
        group = np.zeros(len(rows), np.int64)
        for name in ("kind", "device", "site", "lines", "kernel", "name", "detail"):
            _, number = np.unique(rows[name], return_inverse=True)
            _, group = np.unique(group * (int(number.max()) + 1) + number, return_inverse=True)
        count = np.bincount(group)
        first = np.full(len(count), len(rows))
        np.minimum.at(first, group, np.arange(len(rows)))
        timed = rows["device_ns"] >= 0
        sums = ("host_ns", "bytes", "fetched", "operations", "thread_ns")
        figures = {name: np.bincount(group, rows[name].astype(float)) for name in sums}
        figures["device_ns"] = np.bincount(group, np.where(timed, rows["device_ns"], 0).astype(float))
        figures["timed"] = np.bincount(group, timed)
        for name, chosen in (("host_ns", slice(None)), ("device_ns", timed)):
            least, most = np.full(len(count), np.inf), np.zeros(len(count))
            np.minimum.at(least, group[chosen], rows[name][chosen])
            np.maximum.at(most, group[chosen], rows[name][chosen])
            figures["least_" + name], figures["most_" + name] = least, most
        columns = {name: values.tolist() for name, values in figures.items()}
        return [
            Group(row=rows[first[i]], count=int(count[i]), **{name: values[i] for name, values in columns.items()})
            for i in np.argsort(first).tolist()
        ]


@dataclasses.dataclass
class Group:
    """Rows of one kind, place and work: one of them, how many, and their sums; times in nanoseconds."""

    row: np.void
    count: int
    host_ns: float
    bytes: float
    fetched: float
    operations: float
    thread_ns: float
    device_ns: float  # of the `timed` ones
    timed: float
    least_host_ns: float
    most_host_ns: float
    least_device_ns: float
    most_device_ns: float

    @property
    def kind(self):
        """The name of the kind."""
        return KINDS[self.row["kind"]]


class _Busy:
    active = None  # the collector that runs in this process


class Collector:
    """Collects from start() to stop(). What files in ``leave_out`` do counts as a library's. Raises RuntimeError when another one runs."""

    def __init__(self, leave_out=()):
        self._known: dict[str, bool] = dict.fromkeys(leave_out, False)
        self._leave_out = list(leave_out)
        self._sampler = None
        self._began = 0

    def _is_user_file(self, file):
        known = self._known.get(file)
        if known is None:
            known = self._known[file] = is_user_file(file)
        return known

    def start(self):
        """Begins to collect."""
        if _Busy.active is not None:
            raise RuntimeError("[profile] a profile is already active; end it first: only one can be active in a process")
        _Busy.active = self
        self._sampler = Sampler(self._is_user_file)
        _engine.set_library_folders([*library_folders(), *self._leave_out])
        self._began = perf_counter_ns()
        _engine.start_trace(True)
        self._sampler.start()

    def stop(self) -> Recording:
        """Ends it, and waits for the work that was submitted."""
        rows, texts, kernels, lines = _engine.stop_trace_rows()
        ended = perf_counter_ns()
        _engine.set_library_folders([])
        self._sampler.stop()
        _Busy.active = None
        places = Places()
        rows = _with_others_places(np.frombuffer(rows, ROW), texts, self._sampler.trail, places)
        stacks = dict(self._sampler.stacks)
        return Recording(rows, texts, kernels, lines, stacks, places, self._began, ended, _devices(), _engine.trace_timing())


def _with_others_places(rows, texts, trail, places):
    """The rows, those of other libraries' work at the line where the program was then, as far as a sample a millisecond can say."""
    if OTHERS not in texts or not trail:
        return rows
    unknown = (rows["detail"] == texts.index(OTHERS)) & (rows["site"] == 0)
    times, where = zip(*trail, strict=True)
    at = np.searchsorted(np.array(times), rows["start_ns"][unknown], "right") - 1
    sites = np.array([places.add(Place(file, line, function, source_line(file, line))) for file, line, function in where], np.uint32)
    rows = rows.copy()
    rows["site"][unknown] = sites[at.clip(0)]
    return rows


def _devices():
    out = {"cpu": _engine.cpu().info()}
    for i in range(_engine.cuda_count()):
        out[f"cuda:{i}"] = _engine.cuda(i).info()
    return out
