"""Rules that check a profile's costs and say what to do. Each is a function in RULES that yields (line, text)."""

from __future__ import annotations

import dataclasses
import linecache
import os
import re
from collections import defaultdict

import numpy as np

from quern.tools.profile.units import rough, rough_size, times

FEW = 10  # calls of one kind at a line before it counts as a loop
TINY = 10_000  # ns of a kernel that its launch costs more than
LOW_OCCUPANCY = 0.25
LONG = 20_000  # ns of a kernel whose size matters
WASTE = 2  # times as many bytes fetched as used
FEW_BYTES = 1 << 20  # of a kernel whose operands caches hold
SMALL = 8 << 10  # bytes of an array that the CPU computes at once, without a kernel


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


_LOSS = re.compile(r"\b\w*loss\b")


def looks_in_loops(profile):
    """Values that are taken to the host again and again."""
    for line in profile.lines:
        count = line.copies["device_to_host"]
        if count >= FEW and line.waiting > 0.02 * profile.seconds * 1e9:
            waited = f"{times(count, 'read')} of a value, {rough(line.waiting)} of waiting"
            often = "read the loss every 50 steps" if _LOSS.search(line.source) else "read it every 50 iterations"
            yield line, f"{waited}: keep it on the device, and {often}, or once after the loop"


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
        small = int(((rows["device_ns"] >= 0) & (rows["device_ns"] < TINY)).sum())
        if small >= 100 and small > 0.9 * len(rows) and line.host > 0.05 * profile.seconds * 1e9:
            launched = f"{times(small, 'launch', 'launches')} of less than {rough(TINY)} each"
            batch = _all_at_once(line) or "give one kernel more elements, or work on a batch at once"
            yield line, f"{launched}: their submission costs more than they do; {batch}"


def small_arrays(profile):
    """Small arrays that are computed again and again without a kernel."""
    for line in profile.lines:
        took = max(line.host, line.python)
        are_small = line.allocations >= 100 and line.allocated <= SMALL * line.allocations
        if are_small and not line.launches and took > 0.05 * profile.seconds * 1e9:
            made = f"{times(line.allocations, 'small array')}, {rough(took)}: each call costs more than its arithmetic"
            yield line, f"{made}; {_all_at_once(line) or 'join them to one array, and work on that'}"


_REDUCTION = "all|any|argmax|argmin|max|mean|median|min|prod|std|sum|var"
# np.mean(x[i]) and x[i].mean(), and the same of a column, x[:, i].
_OF_ROW = re.compile(rf"\b(?P<call>[\w.]+\.(?:{_REDUCTION}))\((?P<array>\w+)\[(?P<column>:, ?)?(?P<index>\w+)\]\)")
_OF_ROW_AS_METHOD = re.compile(rf"\b(?P<array>\w+)\[(?P<column>:, ?)?(?P<index>\w+)\]\.(?P<name>{_REDUCTION})\(\)")
_ABOVE = 30  # lines above in which the loop begins


def _all_at_once(line):
    """What to write instead of a reduction of one row or column in each iteration; empty for other lines."""
    found = _OF_ROW.search(line.source) or _OF_ROW_AS_METHOD.search(line.source)
    if not found:
        return ""
    counts = re.compile(rf"\bfor\b[^:]*\b{found['index']}\b[^:]*\bin\s+(?:range|enumerate)\(")
    if not any(counts.search(linecache.getline(line.file, n)) for n in range(max(line.line - _ABOVE, 1), line.line + 1)):
        return ""
    axis, array, of = (0, found["array"], "columns") if found["column"] else (1, found["array"], "rows")
    call = f"{found['call']}({array}, axis={axis})" if "call" in found.re.groupindex else f"{array}.{found['name']}(axis={axis})"
    return f"compute all {of} at once, before the loop: `{call}`"


# What helps against compiles, by the words of the engine's reasons.
_AGAINST = (
    ("dtypes", "keep the dtypes of the operands the same from iteration to iteration"),
    ("number of dimensions", "keep the number of dimensions the same from iteration to iteration"),
    ("layout class", "give operands one memory layout: copy a transposed or strided array once, before the loop"),
    ("size class", "arrays of very different sizes have kernels of their own; each is compiled once, and later iterations reuse it"),
    ("argument types", "call the kernel with arguments of the same types"),
    ("captured values", "pass values that change as arguments of the kernel; captured ones are part of its source"),
    ("kernel source", "keep the source of kernels the same; pass numbers that change as arguments"),
    ("compile options", "keep the compile options the same"),
    ("new expression", "each new expression is compiled once, and later iterations and runs reuse it"),
)


def compiles_again(profile):
    """Lines that compile in each round."""
    for line in profile.lines:
        if line.compiles >= 5 and line.compiling > 0.05 * profile.seconds * 1e9:
            took = f"{times(line.compiles, 'compile')} took {rough(line.compiling)}"
            known = [what for reason, what in _AGAINST if any(reason in one[3] for one in line.compiled)]
            yield line, f"{took}: {'; '.join(known) or 'each is compiled once, and later runs find it in the cache'}"


def low_occupancy(profile):
    """Launches that leave most of the device without work."""
    for line, rows in _launches(profile).items():
        rows = rows[(rows["device_ns"] > LONG) & (rows["grid"][:, 0] > 0) & (rows["device"] >= 0)]
        if not len(rows):
            continue
        row = rows[rows["device_ns"].argmax()]
        device, ns = profile.recording.devices[f"cuda:{row['device']}"], int(row["device_ns"])
        threads = int(row["grid"].astype("u8").prod() * row["block"].astype("u8").prod())
        room = device["multiprocessors"] * 2048
        if threads < LOW_OCCUPANCY * room and ns > 0.02 * profile.seconds * 1e9:
            has = f"a kernel of {rough(ns)} has {threads:,} threads, the device room for {room:,}"
            yield line, f"{has}: use more blocks, or let each thread do less"


def uncoalesced(profile):
    """Kernels whose neighbouring threads access elements far from each other, so that most of what is fetched is not used."""
    for line, rows in _launches(profile).items():
        rows = rows[(rows["bytes"] > FEW_BYTES) & (rows["fetched"] >= WASTE * rows["bytes"])]
        ns = int(rows["device_ns"].clip(0).sum())
        if len(rows) and ns > 0.02 * profile.seconds * 1e9:
            fetched, used = (rough_size(int(rows[name].sum())) for name in ("fetched", "bytes"))
            kernels = f"{times(len(rows), 'kernel')} ({rough(ns)}) {'fetches' if len(rows) == 1 else 'fetch'} {fetched} to use {used}"
            kept = "keep arrays that are used together in the same order in memory (copy a transposed or strided one once, before the loop)"
            yield line, f"{kernels}, as neighbouring elements lie apart: {kept}"


def float64_by_accident(profile):
    """Float64 work that is made of narrower data by one float64 operand."""
    recording = profile.recording
    lines = {(line.file, line.line): line for line in profile.lines}
    found: dict = defaultdict(float)
    for group in recording.groups:
        _, ops, _, widened, _ = recording.kernels[group.row["kernel"]]
        sites = recording.lines[group.row["lines"]]
        if group.kind != "launch" or not widened or not sites:
            continue
        # A launch of several equal pieces of work has their lines one after the other.
        keys = {recording.places[sites[first + op]].key for first in range(0, len(sites), len(ops)) for op in widened}
        for key in keys:
            found[key] += group.device_ns / len(keys)
    for key, ns in found.items():
        if key in lines and ns > 0.02 * profile.seconds * 1e9:
            because = "it joins float32 data with a float64 array or a NumPy float64 number, and all that follows is float64"
            yield lines[key], f"{rough(ns)} of float64 work: {because}; make the other operand float32, or use a Python number"


def work_on_the_fallback(profile):
    """Functions that NumPy computes on the host, with copies there and back."""
    for line in profile.lines:
        count = sum(line.fallbacks.values())
        took = max(line.host, line.python)
        if count and took > 0.02 * profile.seconds * 1e9:
            names = ", ".join(sorted(line.fallbacks))
            text = f"{times(count, 'call')} of {names} computed by NumPy on the host, {rough(took)} with the copies there and back"
            yield line, f"{text}: compose it of native functions (quern.set_fallback('error') names the others)"


RULES = (looks_in_loops, host_arrays_again, compiles_again, tiny_launches, small_arrays, low_occupancy, uncoalesced,
         float64_by_accident, work_on_the_fallback)  # fmt: skip


def _launches(profile):
    """{line: its launches, as rows}."""
    by_key = {(line.file, line.line): line for line in profile.lines}
    rows = profile.recording.of_kind("launch")
    keys: dict = defaultdict(list)
    for site in np.unique(rows["site"]).tolist():
        keys[profile.recording.places[site].key].append(site)
    return {by_key[key]: rows[np.isin(rows["site"], sites)] for key, sites in keys.items() if key in by_key}
