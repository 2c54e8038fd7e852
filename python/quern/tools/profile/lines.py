"""Cost by line: what each line of the user's files asked for, and what it cost the device and the host."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter, defaultdict

from quern.tools.profile.call_sites import source_line
from quern.tools.profile.collect import COPIES, KINDS

NAMES = {"host_to_device": "to the device", "device_to_host": "to the host", "device_to_device": "on the device"}


@dataclasses.dataclass(eq=False)
class Cost:
    """What a line, a function or the whole program cost; times in nanoseconds, sizes in bytes."""

    device: float = 0  # work on the device; of a kernel that computes several lines, this line's share
    gradient: float = 0  # of that: for the gradient of what the line computes, which another line asked for
    asked: float = 0  # work for other lines' gradients: it is theirs, this one called backward()
    host: float = 0  # the thread was inside the engine
    waiting: float = 0  # of that: for the device
    compiling: float = 0  # of that: compilers
    python: float = 0  # by the sampler: the line was the innermost one of the user's
    copies: Counter = dataclasses.field(default_factory=Counter)  # direction -> calls
    copied: Counter = dataclasses.field(default_factory=Counter)  # direction -> bytes
    waits: int = 0
    compiles: int = 0
    launches: float = 0
    allocations: int = 0
    allocated: int = 0
    peak: int = 0  # of the memory that is in use at the program's peak, what this asked for

    def add(self, other: Cost):
        """Adds another cost to this one."""
        for field in dataclasses.fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    @property
    def weight(self):
        """What lines are ordered by: the time that they took, of either side."""
        return max(self.device, 0) + max(self.host, self.python)


@dataclasses.dataclass(eq=False)
class Line(Cost):
    """The cost of one line, and the expressions in it that caused it."""

    file: str = ""
    line: int = 0
    function: str = ""
    places: dict = dataclasses.field(default_factory=lambda: defaultdict(Counter))  # place -> kind -> calls
    waited: dict = dataclasses.field(default_factory=lambda: defaultdict(lambda: [0, 0.0]))  # what for -> waits, ns
    gradients: Counter = dataclasses.field(default_factory=Counter)  # lines whose gradients this one asked for -> ns
    asked_by: Counter = dataclasses.field(default_factory=Counter)  # lines that requested this one's gradient -> ns
    fallbacks: Counter = dataclasses.field(default_factory=Counter)  # functions that NumPy computed -> calls
    singles: int = 0  # launches of single operations, while the kernel of all was not compiled yet
    compiled: list = dataclasses.field(default_factory=list)  # kernels that were compiled here: (name, ops, form, reason)

    @property
    def source(self):
        """The line's text."""
        return source_line(self.file, self.line)


IN_ALLOCATION = "room in memory"  # a wait inside of the call that allocates, which has its time already
HELD_UP = "work before it to end"  # the program is far ahead of the device: its time counts as waiting, and nothing asked for a wait
OF_SINGLE = "operation by operation"  # a launch of one operation, whose fused kernel is not compiled yet
_COUNTED = {"compile": "compiles", "wait": "waits", "launch": "launches", "allocate": "allocations"}


def cost_by_line(recording) -> list[Line]:
    """The lines that cost something, the dearest first. Work without a line of the user's is at ("", 0)."""
    lines: dict[tuple, Line] = {}
    places = recording.places

    def at(place):
        line = lines.get(place.key)
        if line is None:
            line = lines[place.key] = Line(file=place.file, line=place.line, function=place.function)
        return line

    for group in recording.groups:
        kind, row = group.kind, group.row
        if kind == "release":
            continue
        place = places[int(row["site"])]
        line = at(place)
        line.places[place][kind] += group.count
        if kind == "fallback":
            line.fallbacks[recording.texts[row["detail"]]] += group.count
            continue  # its copies count by themselves, the rest of its time is Python's
        line.host += group.host_ns
        if kind in COPIES:
            line.copies[kind] += group.count
            line.copied[kind] += int(group.bytes)
            if kind == "device_to_host":
                line.waiting += group.host_ns
        elif kind == "wait":
            line.waiting += group.host_ns
            what_for = recording.texts[row["detail"]]
            if what_for == IN_ALLOCATION:
                line.host -= group.host_ns
            waited = line.waited[what_for]
            waited[0] += group.count
            waited[1] += group.host_ns
        elif kind == "compile":
            if recording.texts[row["detail"]] != "compiled":
                continue  # found in memory or on the disk
            line.compiling += group.host_ns
            _, ops, form, _, reason = recording.kernels[row["kernel"]]
            line.compiled += [(recording.texts[row["name"]], ops, form, reason)] * group.count
        elif kind == "launch":
            line.singles += group.count * (recording.texts[row["detail"]] == OF_SINGLE)
        elif kind == "allocate":
            line.allocated += int(group.bytes)
        if kind in _COUNTED and not (kind == "wait" and recording.texts[row["detail"]] == HELD_UP):
            setattr(line, _COUNTED[kind], getattr(line, _COUNTED[kind]) + group.count)
        if group.device_ns > 0:
            _share(recording, group, at, line)
    for stack, seconds in recording.stacks.items():
        file, number, function = stack[-1]
        line = lines.get((file, number))
        if line is None:
            line = lines[file, number] = Line(file=file, line=number, function=function)
        line.python += seconds * 1e9
    for (file, number), size in peak_memory(recording)[1].items():
        if (file, number) in lines:
            lines[file, number].peak += size
    return sorted(lines.values(), key=lambda line: -line.weight)


def _share(recording, group, at, line):
    """Shares a kernel's time out to the lines that recorded what it computes, equally for each operation. What is for a gradient is its
    forward line's, and noted at the line that called backward().
    """
    sites = recording.lines[group.row["lines"]] or [int(group.row["site"])]
    for site, count in Counter(sites).items():
        place, share = recording.places[site], group.device_ns * count / len(sites)
        asked = at(place) if place.file else line
        if place.of is None:
            asked.device += share
            continue
        of = at(place.of)
        of.device += share
        of.gradient += share
        of.asked_by[asked.file, asked.line] += share
        asked.asked += share
        asked.gradients[of.file, of.line] += share


def held_memory(recording):
    """Each time that memory was taken or given back: (when, the line that it is of, bytes). Memory from before is none of its own."""
    kinds = recording.rows["kind"]
    allocate, release = KINDS.index("allocate"), KINDS.index("release")
    rows = recording.rows[(kinds == allocate) | (kinds == release)]
    held: Counter = Counter()
    columns = ((rows["kind"] == allocate).tolist(), *(rows[name].tolist() for name in ("start_ns", "site", "bytes")))
    for is_new, time, site, size in zip(*columns, strict=True):
        if not is_new and held[site] < size:
            continue
        change = size if is_new else -size
        held[site] += change
        yield time, recording.places[site].key, change


def peak_memory(recording):
    """The peak of the memory in use, in bytes, what each line had of it, and when: (bytes, {(file, line): bytes}, ns)."""
    now = peak = 0
    place_of_peak, time_of_peak = -1, recording.began
    for number, (time, _, change) in enumerate(held_memory(recording)):
        now += change
        if now > peak:
            peak, place_of_peak, time_of_peak = now, number, time
    by_line: Counter = Counter()
    for _, key, change in itertools.islice(held_memory(recording), place_of_peak + 1):
        by_line[key] += change
    return peak, {key: size for key, size in by_line.items() if size}, time_of_peak


def cost_by_function(lines: list[Line]):
    """The lines' costs by file and function: {(file, function): Cost}, the dearest first."""
    out: dict[tuple, Cost] = {}
    for line in lines:
        out.setdefault((line.file, line.function), Cost()).add(_plain(line))
    return dict(sorted(out.items(), key=lambda item: -item[1].weight))


def total(lines: list[Line]) -> Cost:
    """The cost of all lines together."""
    out = Cost()
    for line in lines:
        out.add(_plain(line))
    return out


def _plain(line):
    return Cost(**{field.name: getattr(line, field.name) for field in dataclasses.fields(Cost)})
