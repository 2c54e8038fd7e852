"""Rules that look at a profile's costs and say what to do. Each is a function in RULES that yields (line, text)."""

from __future__ import annotations

import dataclasses
import os
from collections import defaultdict

from quern.profiling.collect import KINDS
from quern.profiling.units import rough, rough_size, times

FEW = 10  # calls of one kind at a line before it counts as a loop
TINY = 10_000  # ns of a kernel that its launch costs more than
LOW_OCCUPANCY = 0.25


@dataclasses.dataclass(frozen=True)
class Advice:
    """One finding: ``rule`` is its function's name."""

    file: str
    line: int
    rule: str
    text: str

    @property
    def where(self):
        """ "heat.py:12"."""
        return f"{os.path.basename(self.file)}:{self.line}"


def advice(profile) -> list[Advice]:
    """What the rules found, in the order of the rules."""
    out = []
    for rule in RULES:
        out += [Advice(line.file, line.line, rule.__name__, text) for line, text in rule(profile) if line.file]
    return out


def looks_in_loops(profile):
    """Values that are taken to the host again and again."""
    for line in profile.lines:
        count = line.copies["device_to_host"]
        if count >= FEW and line.waiting > 0.02 * profile.seconds * 1e9:
            waited = f"{times(count, 'look')} at a value, {rough(line.waiting)} of waiting"
            yield line, f"{waited}: keep it on the device, and look once after the loop, or every hundredth time"


def host_arrays_again(profile):
    """Equal amounts of the host's memory that are copied to the device again and again."""
    for line in profile.lines:
        count, size = line.copies["host_to_device"], line.copied["host_to_device"]
        if count >= FEW and size >= 1 << 20:
            copied = f"{times(count, 'copy', 'copies')} of {rough_size(size / count)} to the device"
            yield line, f"{copied}: copy the array once, before the loop, and keep the device's"


def tiny_launches(profile):
    """Kernels that take less time than their launches."""
    for line, rows in _launches(profile).items():
        small = [ns for ns, _ in rows if 0 <= ns < TINY]
        if len(small) >= 100 and len(small) > 0.9 * len(rows) and line.host > 0.05 * profile.seconds * 1e9:
            launched = f"{times(len(small), 'launch', 'launches')} of less than {rough(TINY)} each"
            yield line, f"{launched}: their submission costs more than they do; give one kernel more elements, or work on a batch at once"


def compiles_again(profile):
    """Lines that compile in each round."""
    for line in profile.lines:
        if line.compiles >= 5 and line.compiling > 0.05 * profile.seconds * 1e9:
            took = f"{times(line.compiles, 'compile')} took {rough(line.compiling)}"
            same = "keep the number of dimensions, the types and the texts of kernels the same from round to round"
            yield line, f"{took}: {same}; numbers that change are arguments, not text"


def low_occupancy(profile):
    """Launches that leave most of the device without work."""
    for line, rows in _launches(profile).items():
        long = [(ns, row) for ns, row in rows if ns > 20_000 and row["grid"][0] > 0 and row["device"] >= 0]
        for ns, row in sorted(long, key=lambda one: -one[0])[:1]:
            device = profile.recording.devices[f"cuda:{row['device']}"]
            threads = int(row["grid"].astype("u8").prod() * row["block"].astype("u8").prod())
            room = device["multiprocessors"] * 2048
            if threads < LOW_OCCUPANCY * room and ns > 0.02 * profile.seconds * 1e9:
                has = f"a kernel of {rough(ns)} has {threads:,} threads, the device room for {room:,}"
                yield line, f"{has}: use more blocks, or let each thread do less"


RULES = (looks_in_loops, host_arrays_again, compiles_again, tiny_launches, low_occupancy)


def _launches(profile):
    """{line: [(ns on the device, row)]}."""
    by_key = {(line.file, line.line): line for line in profile.lines}
    out = defaultdict(list)
    recording = profile.recording
    for row in recording.rows[recording.rows["kind"] == KINDS.index("launch")]:
        line = by_key.get(recording.places[int(row["site"])].key)
        if line is not None:
            out[line.file, line.line].append((int(row["device_ns"]), row))
    return {by_key[key]: rows for key, rows in out.items()}
