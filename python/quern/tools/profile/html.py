"""`--html`: the report as one page that needs no network. The page, its style and what it does are in report/, beside d3, which draws.

Start reading at :func:`page`; report.js says what it does with :func:`page_data`.
"""

from __future__ import annotations

import dataclasses
import json
import linecache
import os
from collections import Counter

import numpy as np

from quern.tools.profile.collect import COPIES, KINDS
from quern.tools.profile.kernels import kernel_name, summary
from quern.tools.profile.lines import held_memory, peak_memory
from quern.tools.profile.reasons import reasons
from quern.tools.profile.tables import copies_in_words, head_in_words

MOST_EVENTS = 60_000  # of a lane; of more, those that begin at nearly the same time are drawn as one
MOST_ROWS = 12  # of a lane: calls at the same time, one under the other
MOST_MOMENTS = 1_500  # of the memory
MOST_WORK = 200  # kernels in the table of work
MOST_OWNERS = 8  # lines whose memory has a colour of its own

_folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "report")


def page(profile) -> str:
    """The whole page."""
    # No text of the program's may end the element that it stands in.
    data = json.dumps(page_data(profile), separators=(",", ":")).replace("<", "\\u003c")
    parts = {"STYLE": _part("report.css"), "D3": _part("d3.v7.min.js"), "SCRIPT": _part("report.js"), "DATA": data}
    first, *rest = _part("page.html").split("@")
    return first + "".join(parts.get(text, text) for text in rest)


def _part(name):
    with open(os.path.join(_folder, name), encoding="utf-8") as f:
        return f.read()


def page_data(profile) -> dict:
    """What the page shows; lines are numbers in ``lines``, names in ``names``, times nanoseconds since the beginning."""
    recording = profile.recording
    numbers = {(line.file, line.line): number for number, line in enumerate(profile.lines)}
    files = list(dict.fromkeys(line.file for line in profile.lines if line.file))
    names = _Names()
    return {
        "title": profile.title,
        "devices": profile.device_names or "no device",
        "span": recording.ended - recording.began,
        "head": "; ".join(filter(None, (head_in_words(profile), recording.timing_in_words))),
        "files": [{"name": file, "short": os.path.basename(file), "lines": _text(file)} for file in files],
        "lines": _lines(profile, files),
        "lanes": _lanes(recording, numbers, names),
        "names": names.texts,
        "flame": {"host": _host_flame(recording, numbers), "device": _device_flame(profile, numbers)},
        "memory": _memory(recording, numbers),
        "work": _work(profile),
        "machine": None if profile.machine is None else dataclasses.asdict(profile.machine),
    }


class _Names:
    def __init__(self):
        self.texts: list[str] = []
        self._known: dict[str, int] = {}

    def __call__(self, text):
        number = self._known.get(text)
        if number is None:
            number = self._known[text] = len(self.texts)
            self.texts.append(text)
        return number


def _text(file):
    return [line.rstrip("\n") for line in linecache.getlines(file)]


def _lines(profile, files):
    index = {file: number for number, file in enumerate(files)}
    advice: dict = {}
    for one in profile.advice:
        advice.setdefault((one.file, one.line), []).append(one.text)
    return [
        {
            "file": index.get(line.file, -1),
            "line": line.line,
            "function": line.function,
            "source": line.source,
            "device": round(line.device),
            "asked": round(line.asked),
            "host": round(max(line.host, line.python)),
            "waiting": round(line.waiting),
            "compiling": round(line.compiling),
            "launches": round(line.launches),
            "copies": copies_in_words(line),
            "copied": sum(line.copied.values()),
            "peak": line.peak,
            "why": reasons(line),
            "advice": advice.get((line.file, line.line), []),
        }
        for line in profile.lines
    ]


def _work(profile):
    """The device's work by name, the longest first: times in nanoseconds, rates in bytes, operations and threads a nanosecond."""
    return [
        {
            "name": group.name,
            "total": group.total,
            "calls": group.calls,
            "bytes": group.rate(group.bytes) if not group.name.startswith("[CUDA") else 0,
            "operations": group.rate(group.operations),
            "threads": group.rate(group.thread_time),
        }
        for group in summary(profile.recording)[0][:MOST_WORK]
    ]


# ---- the timeline


def _lanes(recording, numbers, names):
    rows = recording.rows
    kinds = rows["kind"]
    line_of = _by_number(rows["site"], lambda site: numbers.get(recording.places[site].key, -1))
    lanes = []

    def add(label, kind, chosen, start, duration, name_of):
        if chosen.any():
            lanes.append(_lane(label, kind, start[chosen] - recording.began, duration[chosen], name_of[chosen], line_of[chosen], names))

    of_kernels = _kernel_names(recording, names)
    of_kinds = np.array([names(kind) for kind in KINDS])[kinds] if len(rows) else np.zeros(0, int)
    launch = kinds == KINDS.index("launch")
    add("host", "host", kinds != KINDS.index("release"), rows["start_ns"], rows["host_ns"],
        np.where(launch, _prefixed("launch ", of_kernels, names), of_kinds))  # fmt: skip
    work = np.isin(kinds, [KINDS.index(kind) for kind in ("launch", "fill", *COPIES)])
    timed = work & (rows["device_ns"] >= 0) & (rows["device_start_ns"] > 0)
    of_work = np.where(launch, of_kernels, of_kinds)
    seen: Counter = Counter()
    for device, stream in np.unique(rows[timed][["device", "stream"]]).tolist():
        where = "cpu" if device < 0 else f"cuda:{device}"
        seen[where] += 1
        chosen = timed & (rows["device"] == device) & (rows["stream"] == stream)
        add(f"{where}, stream {seen[where]}", "device", chosen, rows["device_start_ns"], rows["device_ns"], of_work)
    return lanes


def _by_number(column, of):
    """of(number) for each of a column, asked once for equal ones."""
    found, inverse = np.unique(column, return_inverse=True)
    return np.array([of(int(number)) for number in found], int)[inverse] if len(found) else np.zeros(0, int)


def _kernel_names(recording, names):
    """The number of each launch's name; of other rows 0."""
    rows = recording.rows
    out = np.zeros(len(rows), int)
    at = np.flatnonzero(rows["kind"] == KINDS.index("launch"))
    if len(at):
        _, first, inverse = np.unique(rows[at][["kernel", "lines", "name"]], return_index=True, return_inverse=True)
        out[at] = np.array([names(kernel_name(recording, rows[at[number]])) for number in first])[inverse]
    return out


def _prefixed(prefix, numbers, names):
    return _by_number(numbers, lambda number: names(prefix + names.texts[number]) if names.texts else 0)


def _lane(label, kind, start, duration, name, line, names):
    order = np.argsort(start, kind="stable")
    start, stop, name, line = start[order], (start + duration)[order], name[order], line[order]
    start, stop, name, line, count = _together(start, stop, name, line, names)
    row = _rows(start.tolist(), stop.tolist())
    return {
        "label": label,
        "kind": kind,
        "rows": max(row) + 1,
        "start": start.tolist(),
        "duration": (stop - start).tolist(),
        "name": name.tolist(),
        "line": line.tolist(),
        "row": row,
        "count": count.tolist(),
    }


def _together(start, stop, name, line, names):
    """What is more than MOST_EVENTS becomes fewer: those that begin in the same piece of time are one."""
    count = np.ones(len(start), int)
    if len(start) <= MOST_EVENTS:
        return start, stop, name, line, count
    piece = (start - start[0]) // ((int(start[-1]) - int(start[0])) // MOST_EVENTS + 1)
    first = np.flatnonzero(np.diff(piece, prepend=-1))
    mixed = np.maximum.reduceat(name, first) != np.minimum.reduceat(name, first)
    name = np.where(mixed, names("several calls"), name[first])
    return start[first], np.maximum.reduceat(stop, first), name, line[first], np.add.reduceat(count, first)


def _rows(starts, stops):
    """A row for each event in which nothing else lies at its time; the last one takes what is left over."""
    ends: list = []
    out = []
    for start, stop in zip(starts, stops, strict=True):
        row = next((row for row, end in enumerate(ends) if end <= start), len(ends))
        if row == len(ends) and row < MOST_ROWS:
            ends.append(0)
        row = min(row, MOST_ROWS - 1)
        ends[row] = max(ends[row], stop)
        out.append(row)
    return out


# ---- flames


def _node(name, line=-1):
    return {"name": name, "line": line, "own": 0, "children": []}


def _host_flame(recording, numbers):
    """Of the stacks that the sampler saw."""
    root = _node("host")
    known: dict[tuple, dict] = {(): root}
    for stack, seconds in recording.stacks.items():
        for depth in range(1, len(stack) + 1):
            if stack[:depth] not in known:
                file, line, function = stack[depth - 1]
                node = _node(f"{function} ({os.path.basename(file)}:{line})", numbers.get((file, line), -1))
                known[stack[:depth]] = node
                known[stack[: depth - 1]]["children"].append(node)
        known[stack]["own"] += round(seconds * 1e9)
    return root


def _device_flame(profile, numbers):
    """Of the lines' shares of kernels and copies: functions, and their lines."""
    root = _node("device")
    functions: dict = {}
    for line in profile.lines:
        if line.device <= 0:
            continue
        key = (line.file, line.function)
        if key not in functions:
            functions[key] = _node(f"{line.function} ({os.path.basename(line.file)})" if line.file else "(no line of the program)")
            root["children"].append(functions[key])
        if line.file:
            leaf = _node(f"line {line.line}", numbers[line.file, line.line])
            functions[key]["children"].append(leaf)
        else:
            leaf = functions[key]
        leaf["own"] += round(line.device)
    return root


# ---- memory


def _memory(recording, numbers):
    """What the lines that own the peak had, over time."""
    peak, by_line, peak_time = peak_memory(recording)
    named = sorted(by_line, key=lambda key: -by_line[key])
    index = {key: number for number, key in enumerate(named[:MOST_OWNERS])}
    others = len(index)
    span = max(recording.ended - recording.began, 1)
    now = [0] * (others + 1)
    moments: list = []  # of each piece of time its fullest moment
    piece, total = -1, 0
    for time, key, change in held_memory(recording):
        now[index.get(key, others)] += change
        total += change
        at = time - recording.began
        if (number := at * MOST_MOMENTS // span) != piece:
            moments.append((at, total, list(now)))
            piece = number
        elif total >= moments[-1][1]:
            moments[-1] = (at, total, list(now))
    if moments:
        moments = [(0, 0, [0] * len(now)), *moments, (span, total, list(now))]
    lines = [numbers.get(key, -1) for key in index] + [-1]
    return {
        "times": [moment[0] for moment in moments],
        "owners": [{"line": line, "bytes": [moment[2][i] for moment in moments]} for i, line in enumerate(lines)],
        "peak": {
            "bytes": peak,
            "time": max(peak_time - recording.began, 0),
            "owners": [{"line": numbers.get(key, -1), "bytes": by_line[key]} for key in named[:20]],
        },
    }
