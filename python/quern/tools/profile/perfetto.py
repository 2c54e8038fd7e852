"""The timeline in the trace-event format that Perfetto and Chrome read: the host's calls and each stream's work, in microseconds."""

from __future__ import annotations

import json

from quern.tools.profile.collect import COPIES, KINDS
from quern.tools.profile.kernels import kernel_name

_WORK = frozenset(("launch", "fill", *COPIES))
_AT_ONCE = 10_000  # rows that are Python's objects at the same time


def write_timeline(recording, file):
    """Writes the events to a file object one by one: of a million of them little is in memory."""
    file.write('{"displayTimeUnit": "ns", "traceEvents": [\n')
    for number, event in enumerate(timeline(recording)):
        file.write(",\n" if number else "")
        file.write(json.dumps(event))
    file.write("\n]}\n")


def timeline(recording):
    """The events, as dicts; a launch's work hangs on its call by an arrow."""
    yield _named(0, 0, "process_name", "host")
    yield _named(0, 0, "thread_name", "calls")
    streams: dict = {}
    names: dict = {}
    for row in _rows(recording):
        kind = KINDS[row["kind"]]
        if kind == "release":
            continue
        place = recording.places[row["site"]]
        name = kind
        if kind == "launch":
            key = row["kernel"], row["lines"], row["name"]
            name = names.get(key)
            if name is None:
                name = names[key] = kernel_name(recording, row)
        detail = {"line": place.short if place.file else "", "expression": place.text, "bytes": row["bytes"]}
        called = (row["start_ns"] - recording.began) / 1e3
        yield {
            "name": f"{kind} {name}" if kind == "launch" else kind,
            "cat": "host",
            "ph": "X",
            "pid": 0,
            "tid": 0,
            "ts": called,
            "dur": row["host_ns"] / 1e3,
            "args": detail,
        }
        if row["device_ns"] < 0 or not row["device_start_ns"] or kind not in _WORK:
            continue
        device = row["device"] + 2  # the CPU's is 1
        stream = streams.get((device, row["stream"]))
        if stream is None:
            stream = streams[device, row["stream"]] = len(streams) + 1
            yield _named(device, 0, "process_name", "cpu" if device == 1 else f"cuda:{device - 2}")
            yield _named(device, stream, "thread_name", f"stream {stream}")
        start = (row["device_start_ns"] - recording.began) / 1e3
        where = {"pid": device, "tid": stream, "ts": start}
        yield {"name": name, "cat": kind, "ph": "X", **where, "dur": row["device_ns"] / 1e3, "args": detail}
        if row["id"]:  # another library's call has none
            yield {"name": "submitted", "cat": "flow", "ph": "s", "id": row["id"], "pid": 0, "tid": 0, "ts": called}
            yield {"name": "submitted", "cat": "flow", "ph": "f", "bp": "e", "id": row["id"], **where}


def _rows(recording):
    """The rows as dicts of Python's numbers."""
    names = recording.rows.dtype.names
    for first in range(0, len(recording.rows), _AT_ONCE):
        for row in recording.rows[first : first + _AT_ONCE].tolist():
            yield dict(zip(names, row, strict=True))


def _named(pid, tid, what, name):
    return {"name": what, "ph": "M", "pid": pid, "tid": tid, "args": {"name": name}}
