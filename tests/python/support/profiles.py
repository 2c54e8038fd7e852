"""Profiles of small programs, for the tests of `quern profile`."""

import dataclasses
import json

import quern as qn
from programs import quern
from quern.lib import _engine
from quern.tools.profile import Profile
from quern.tools.profile.collect import KINDS


def figures(path, *options, device="cpu", program_options=(), code=0, **named):
    """The figures of a program's profile."""
    done = quern("profile", "--json", str(path) + ".json", *options, path, *program_options, QUERN_DEVICE=device, **named)
    assert done.returncode == code, done.stderr
    with open(str(path) + ".json") as f:
        return json.load(f)


def line(found, number):
    """The figures of a line."""
    return next(one for one in found["lines"] if one["line"] == number)


# What each event takes in steady(), in nanoseconds: the host's time and the device's.
TIMES = {"compile": (50_000_000, -1), "load": (1_000_000, -1), "launch": (10_000, 1_000_000), "fill": (10_000, 100_000),
         "host_to_device": (200_000, 150_000), "device_to_host": (200_000, 150_000), "device_to_device": (10_000, 100_000),
         "wait": (200_000, -1), "allocate": (1_000, -1), "release": (1_000, -1), "fallback": (0, -1)}  # fmt: skip


def steady(path, **times):
    """The profile of a program that runs in this process, on the CPU, as if equal events took equal times (``launch=2_000``: another one for
    kernels): what the rules make of it is the same on any machine, however busy that is. It runs twice; the first time it compiles.
    """
    code = compile(path.read_text(), str(path), "exec")
    before = _engine.current_device()
    _engine.set_current_device(_engine.cpu())
    try:
        if "compile" not in times:
            exec(code, {"__name__": "__main__"})  # noqa: S102
        with qn.profile() as profile:
            exec(code, {"__name__": "__main__"})  # noqa: S102
    finally:
        _engine.set_current_device(before)
    recording = profile.recording
    rows = recording.rows.copy()
    for number, kind in enumerate(KINDS):
        host, device = TIMES[kind]
        of_kind = rows["kind"] == number
        rows["host_ns"][of_kind], rows["device_ns"][of_kind] = host, times.get(kind, device)
    took = max(int(rows["host_ns"].sum()), int(rows["device_ns"].clip(0).sum()))
    return Profile(dataclasses.replace(recording, rows=rows, stacks={}, ended=recording.began + took), path.name)


def rules(path, **times):
    """What is advised: {(rule, line)}."""
    return {(one.rule, one.line) for one in steady(path, **times).advice}
