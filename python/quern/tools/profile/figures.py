"""The figures of a profile for programs: plain dicts and lists, in seconds and bytes."""

from __future__ import annotations

import dataclasses

from quern.tools.profile.kernels import summary
from quern.tools.profile.reasons import reasons

FORMAT = 1


def figures(profile) -> dict:
    """All figures of a profile; ``format`` is raised when a name changes its meaning."""
    work, calls = summary(profile.recording)
    machine = profile.machine
    return {
        "format": FORMAT,
        "program": profile.title,
        "seconds": profile.seconds,
        "devices": profile.device_names,
        "timing": profile.recording.timing_in_words,
        "peak_memory": profile.peak,
        "total": _cost(profile.total),
        "lines": [
            {
                "file": line.file,
                "line": line.line,
                "function": line.function,
                "source": line.source,
                **_cost(line),
                "waits_for": {what: {"count": count, "seconds": ns * 1e-9} for what, (count, ns) in line.waited.items()},
                "gradients_of": [{"file": file, "line": number, "seconds": ns * 1e-9} for (file, number), ns in line.gradients.items()],
                "why": reasons(line),
            }
            for line in profile.lines
        ],
        "machine": None if machine is None else dataclasses.asdict(machine),
        "work": [_group(g) | _rates(g) for g in work],
        "calls": [_group(g) for g in calls],
        "advice": [{"file": a.file, "line": a.line, "rule": a.rule, "text": a.text} for a in profile.advice],
    }


def _cost(cost):
    return {
        "device_seconds": cost.device * 1e-9,
        "gradient_seconds": cost.gradient * 1e-9,
        "asked_gradient_seconds": cost.asked * 1e-9,
        "host_seconds": max(cost.host, cost.python) * 1e-9,
        "engine_seconds": cost.host * 1e-9,
        "waiting_seconds": cost.waiting * 1e-9,
        "compile_seconds": cost.compiling * 1e-9,
        "launches": round(cost.launches),
        "waits": cost.waits,
        "compiles": cost.compiles,
        "allocations": cost.allocations,
        "allocated_bytes": cost.allocated,
        "peak_bytes": cost.peak,
        "copies": {kind: cost.copies[kind] for kind in cost.copies},
        "copied_bytes": {kind: cost.copied[kind] for kind in cost.copied},
    }


def _rates(group):
    """What array work moved and computed in a second, and how many of the CPU's threads were at work; 0 where it is not known."""
    return {
        "bytes_per_second": group.rate(group.bytes) * 1e9,
        "operations_per_second": group.rate(group.operations) * 1e9,
        "threads": group.rate(group.thread_time),
    }


def _group(group):
    return {"name": group.name, "seconds": group.total * 1e-9, "calls": group.calls, "least": group.least * 1e-9, "most": group.most * 1e-9}
