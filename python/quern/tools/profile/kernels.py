"""nvprof's tables: the trace of the device's work event by event, and the summary by name."""

from __future__ import annotations

import dataclasses
import sys
from collections import defaultdict

from quern.tools.profile.collect import COPIES, KINDS
from quern.tools.profile.units import duration, size

_COPY_NAMES = {"host_to_device": "[CUDA memcpy HtoD]", "device_to_host": "[CUDA memcpy DtoH]", "device_to_device": "[CUDA memcpy DtoD]"}
_CALLS = {
    "compile": "compile",
    "load": "load module",
    "launch": "launch",
    "host_to_device": "memcpy HtoD",
    "device_to_host": "memcpy DtoH",
    "device_to_device": "memcpy DtoD",
    "fill": "memset",
    "wait": "synchronize",
    "allocate": "allocate",
    "fallback": "NumPy on the host",
}
MOST_LINES = 4  # of a fused kernel's name


def kernel_name(recording, row):
    """What a launch computes, and where: "multiply, add, sqrt -> sum (heat.py:12)"; a user's kernel has its own name."""
    ops = recording.kernels[row["kernel"]][1]
    name = computed(ops) or recording.texts[row["name"]]
    if not row["lines"]:
        return name
    numbers: dict = defaultdict(list)
    for site in recording.lines[row["lines"]]:
        place = recording.places[site]
        if place.file and place.line not in numbers[place.file]:
            numbers[place.file].append(place.line)
    where = "; ".join(
        f"{file.rpartition('/')[2]}:{','.join(map(str, sorted(lines)[:MOST_LINES]))}{',...' if len(lines) > MOST_LINES else ''}"
        for file, lines in numbers.items()
    )
    return f"{name} ({where})" if where else name


def computed(ops):
    """The operations of a kernel in words: reductions stand behind an arrow."""
    before, after = [], []
    for op in ops:
        (after if op in _ENDS else before).append(op)
    text = ", ".join(before)
    return f"{text} -> {', '.join(after)}" if before and after else text or ", ".join(after)


_ENDS = frozenset(("sum", "prod", "max", "min", "any", "all"))  # reductions


@dataclasses.dataclass
class GpuEvent:
    """A line of the trace; None where a figure does not apply."""

    start: float | None  # ns since the program began
    duration: float | None
    grid: tuple | None
    block: tuple | None
    registers: int | None
    static_shared: int | None
    dynamic_shared: int | None
    size: int | None
    device: str
    context: int
    stream: int
    name: str

    @property
    def throughput(self):
        """Bytes a second, or None."""
        return self.size / (self.duration * 1e-9) if self.size is not None and self.duration else None


def gpu_trace(recording) -> list[GpuEvent]:
    """The work of the devices, in the order of its beginning."""
    out = []
    streams: dict = {}
    for row in recording.of_kind("launch", "fill", *COPIES):
        kind = KINDS[row["kind"]]
        is_launch = kind == "launch"
        has_shape = is_launch and row["grid"][0] > 0
        start = row["device_start_ns"] or row["start_ns"]
        stream = streams.setdefault((int(row["device"]), int(row["stream"])), 7 + len(streams))  # nvprof's default stream is 7
        out.append(
            GpuEvent(
                start=float(start - recording.began),
                duration=float(row["device_ns"]) if row["device_ns"] >= 0 else None,
                grid=tuple(map(int, row["grid"])) if has_shape else None,
                block=tuple(map(int, row["block"])) if has_shape else None,
                registers=int(row["registers"]) if has_shape else None,
                static_shared=int(row["static_shared"]) if has_shape else None,
                dynamic_shared=int(row["dynamic_shared"]) if has_shape else None,
                size=None if is_launch else int(row["bytes"]),
                device=_device(recording, row),
                context=1,
                stream=stream,
                name=kernel_name(recording, row) if is_launch else _COPY_NAMES.get(kind, "[CUDA memset]"),
            )
        )
    return sorted(out, key=lambda event: event.start)


def _device(recording, row):
    name = "cpu" if row["device"] < 0 else f"cuda:{row['device']}"
    return f"{recording.devices.get(name, {}).get('name', name)} ({max(int(row['device']), 0)})"


def trace_lines(recording):
    """nvprof's table of the trace: its heads and its rows, as texts."""
    heads = "Start|Duration|Grid Size|Block Size|Regs*|SSMem*|DSMem*|Size|Throughput|Device|Context|Stream|Name".split("|")
    rows = []
    for e in gpu_trace(recording):
        shape = lambda dims: "-" if dims is None else f"({dims[0]} {dims[1]} {dims[2]})"  # noqa: E731
        word = lambda value, unit=str: "-" if value is None else unit(value)  # noqa: E731
        rows.append(
            [
                duration(e.start),
                word(e.duration, duration),
                shape(e.grid),
                shape(e.block),
                word(e.registers),
                word(e.static_shared, size),
                word(e.dynamic_shared, size),
                word(e.size, size),
                word(e.throughput, lambda v: size(v) + "/s"),
                e.device,
                str(e.context),
                str(e.stream),
                e.name,
            ]
        )
    return heads, rows


@dataclasses.dataclass
class Group:
    """Equal work together; times in nanoseconds."""

    name: str
    total: float = 0
    calls: int = 0
    least: float = float("inf")
    most: float = 0
    bytes: float = 0  # of array work: read and written
    operations: float = 0  # likewise: of floating-point numbers
    thread_time: float = 0  # on the CPU: of all threads together

    def add(self, total, calls, least, most):
        """Counts some more."""
        self.total += total
        self.calls += int(calls)
        self.least, self.most = min(self.least, least), max(self.most, most)

    def rate(self, figure):
        """A figure for each nanosecond: GB/s of bytes, GFLOP/s of operations, threads of thread_time."""
        return figure / self.total if self.total else 0.0


def summary(recording):
    """(work of the devices, calls of the host): lists of :class:`Group`, the longest first."""
    work: dict[str, Group] = {}
    calls: dict[str, Group] = {}
    for rows in recording.groups:
        kind = rows.kind
        if kind == "release":
            continue
        name = _CALLS[kind]
        calls.setdefault(name, Group(name)).add(rows.host_ns, rows.count, rows.least_host_ns, rows.most_host_ns)
        if (kind in _COPY_NAMES or kind in ("launch", "fill")) and rows.timed:
            name = kernel_name(recording, rows.row) if kind == "launch" else _COPY_NAMES.get(kind, "[CUDA memset]")
            group = work.setdefault(name, Group(name))
            group.add(rows.device_ns, rows.timed, rows.least_device_ns, rows.most_device_ns)
            group.bytes += rows.bytes
            group.operations += rows.operations
            group.thread_time += rows.thread_ns
    by_time = lambda groups: sorted(groups.values(), key=lambda g: -g.total)  # noqa: E731
    return by_time(work), by_time(calls)


def summary_lines(recording):
    """nvprof's summary: its heads and its rows, as texts."""
    heads = ["Type", "Time(%)", "Time", "Calls", "Avg", "Min", "Max", "Name"]
    rows = []
    for kind, groups in zip(("GPU activities", "API calls"), summary(recording), strict=True):
        whole = sum(g.total for g in groups) or 1
        for number, g in enumerate(groups):
            rows.append(
                [
                    "" if number else kind + ":",
                    f"{100 * g.total / whole:.2f}%",
                    duration(g.total),
                    str(g.calls),
                    duration(g.total / g.calls),
                    duration(g.least),
                    duration(g.most),
                    g.name,
                ]
            )
    return heads, rows


def print_columns(file, heads, rows):
    """Prints a table of texts as nvprof does: columns to the right, the last one to the left; nothing is cut."""
    file = file or sys.stdout
    widths = [max(len(row[i]) for row in (heads, *rows)) for i in range(len(heads) - 1)]
    for row in (heads, *rows):
        cells = [cell.rjust(width) for cell, width in zip(row[:-1], widths, strict=True)]
        file.write("  ".join([*cells, row[-1]]).rstrip() + "\n")
