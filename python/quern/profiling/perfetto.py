"""The timeline in the trace-event format that Perfetto and Chrome read: the host's calls and each stream's work, in microseconds."""

from __future__ import annotations

from quern.profiling.collect import COPIES, KINDS
from quern.profiling.kernels import kernel_name


def timeline(recording) -> dict:
    """The events as a dict for json.dump; a launch's work hangs on its call by an arrow."""
    events = [_named(0, 0, "process_name", "host"), _named(0, 0, "thread_name", "calls")]
    streams: dict = {}
    for row in recording.rows:
        kind = KINDS[row["kind"]]
        if kind == "release":
            continue
        place = recording.places[int(row["site"])]
        name = kernel_name(recording, row) if kind == "launch" else kind
        detail = {"line": place.short if place.file else "", "expression": place.text, "bytes": int(row["bytes"])}
        events.append(
            {
                "name": f"{kind} {name}" if kind == "launch" else kind,
                "cat": "host",
                "ph": "X",
                "pid": 0,
                "tid": 0,
                "ts": (row["start_ns"] - recording.began) / 1e3,
                "dur": row["host_ns"] / 1e3,
                "args": detail,
            }
        )
        if row["device_ns"] < 0 or not row["device_start_ns"] or kind not in ("launch", "fill", *COPIES):
            continue
        device = int(row["device"]) + 2  # the CPU's is 1
        stream = streams.get((device, int(row["stream"])))
        if stream is None:
            stream = streams[device, int(row["stream"])] = len(streams) + 1
            name_of = "cpu" if device == 1 else f"cuda:{device - 2}"
            events.append(_named(device, 0, "process_name", name_of))
            events.append(_named(device, stream, "thread_name", f"stream {stream}"))
        start = (row["device_start_ns"] - recording.began) / 1e3
        events.append(
            {"name": name, "cat": kind, "ph": "X", "pid": device, "tid": stream, "ts": start, "dur": row["device_ns"] / 1e3, "args": detail}
        )
        events.append(
            {
                "name": "submitted",
                "cat": "flow",
                "ph": "s",
                "id": int(row["id"]),
                "pid": 0,
                "tid": 0,
                "ts": (row["start_ns"] - recording.began) / 1e3,
            }
        )
        events.append(
            {"name": "submitted", "cat": "flow", "ph": "f", "bp": "e", "id": int(row["id"]), "pid": device, "tid": stream, "ts": start}
        )
    return {"traceEvents": [_plain(event) for event in events], "displayTimeUnit": "ns"}


def _named(pid, tid, what, name):
    return {"name": what, "ph": "M", "pid": pid, "tid": tid, "args": {"name": name}}


def _plain(event):
    """NumPy's numbers as Python's."""
    return {key: value.item() if hasattr(value, "item") else value for key, value in event.items()}
