"""Findings in words: the kernel, the source lines with a caret, the threads, the array and what to do."""

from __future__ import annotations

import dataclasses
import linecache
import os


@dataclasses.dataclass(frozen=True)
class Finding:
    """One mistake, counted: ``kind`` is "out_of_bounds", "after_release", "null", "misaligned", "const_written", "never_written", "race",
    "barrier_places" or "barrier_missing"; ``access`` and ``other`` are dicts with ``file``, ``line``, ``column``, ``thread``, ``block``.
    """

    kind: str
    kernel: str
    access: dict
    other: dict | None
    object: str  # the array's name; "" if unknown
    object_kind: str
    bytes: int
    offset: int
    size: int
    allocated: str | None  # the line that allocated the memory
    launched: str
    count: int

    @property
    def title(self):
        """The mistake in a sentence."""
        return _TITLES[self.kind](self)

    @property
    def advice(self):
        """What to do."""
        return _ADVICE[self.kind](self)

    def __str__(self):
        lines = [f"{self.kind.replace('_', ' ')} in kernel '{self.kernel}': {self.title}", *_shown(self.access, _deed(self))]
        if self.other:
            lines += _shown(self.other, _other_deed(self))
        if self.object and self.kind not in ("barrier_places", "barrier_missing"):
            lines.append(f"  {_array(self)}")
        if self.allocated:
            lines.append(f"  its memory was allocated at {self.allocated}")
        times = f", {self.count:,} times" if self.count > 1 else ""
        lines.append(f"  launched at {self.launched or 'an unknown line'}{times}")
        lines.append(f"  {self.advice}")
        return "\n".join(lines)


def _array(f):
    kind = f"{f.object_kind} array" if f.object_kind != "parameter" else "parameter"
    return f"{kind} '{f.object}'" + (f", {f.size:,} bytes" if f.size else "")


def _out_of_bounds(f):
    if not f.size:
        return f"{f.bytes} bytes that belong to no allocation"
    what = f"'{f.object}'" if f.object and f.object_kind != "parameter" else "the allocation"
    if f.offset < 0:
        return f"{f.bytes} bytes that begin {-f.offset:,} bytes before {what}"
    if f.offset < f.size:
        return f"{f.bytes} bytes that begin at byte {f.offset:,} of {what}, which ends at {f.size:,}"
    if f.offset == f.size:
        return f"{f.bytes} bytes that begin where {what} ends, at {f.size:,} bytes"
    return f"{f.bytes} bytes that begin {f.offset - f.size:,} bytes behind the end of {what} ({f.size:,} bytes)"


_TITLES = {
    "out_of_bounds": _out_of_bounds,
    "after_release": lambda f: f"{f.bytes} bytes of memory that was freed",
    "null": lambda f: f"{f.bytes} bytes at address {f.offset}: the pointer is null",
    "misaligned": lambda f: f"an access of {f.bytes} bytes at byte {f.offset}, which is no multiple of its alignment",
    "const_written": lambda f: f"a write through '{f.object}', a pointer to const",
    "never_written": lambda f: f"{f.bytes} bytes are read that nobody has written",
    "race": lambda f: "two threads use the same element, one of them writes, and nothing orders them",
    "barrier_places": lambda f: "threads of one block meet at different barriers",
    "barrier_missing": lambda f: f"{f.bytes} of {f.size} threads wait for the others, which never come",
}


def _race_advice(f):
    same = f.other and f.access["block"] == f.other["block"]
    if f.object_kind.endswith("shared") or same:
        return "put __syncthreads() between the two accesses, or let one thread alone write the element"
    return "blocks run in any order: use an atomic, give each block its own part, or launch a second kernel"


_ADVICE = {
    "out_of_bounds": lambda f: "check the index against the array's size before the access: if (i < n)",
    "after_release": lambda f: "keep a reference to the array until the kernel has run",
    "null": lambda f: "pass an allocated array; where a pointer may be missing, test it first",
    "misaligned": lambda f: "GPUs refuse it: let vectors (float4) begin at multiples of their size, or read their parts one by one",
    "const_written": lambda f: "drop the cast, or take the parameter without const",
    "never_written": lambda f: "fill the memory first (zeros, memset, __syncthreads() after the store that fills it)",
    "race": _race_advice,
    "barrier_places": lambda f: "let all threads of a block pass the same __syncthreads(): move it out of the branch",
    "barrier_missing": lambda f: "move the barrier out of the branch or loop that not all threads take",
}


def _deed(f):
    if f.kind in ("barrier_places", "barrier_missing"):
        return "waits here"
    return _verb(f.access)


def _other_deed(f):
    return "waits here" if f.kind.startswith("barrier") else _verb(f.other)


def _verb(access):
    verb = "updates it" if access["reads"] and access["writes"] else "writes" if access["writes"] else "reads"
    return verb + (" (atomic)" if access["atomic"] else "")


def _shown(access, deed):
    """The place, its line, and a caret under its column."""
    who = f"thread {_triple(access['thread'])} of block {_triple(access['block'])} {deed}"
    if not access["file"]:
        return [f"  {who}"]
    where = f"{os.path.basename(access['file'])}:{access['line']}"
    text = access["source"] or linecache.getline(access["file"], access["line"])
    text = text.rstrip("\n").expandtabs(1)
    if not text.strip():
        return [f"  {where}: {who}"]
    if access["file"].endswith(".py"):  # columns are those of the text that the kernel became
        return [f"  {where}: {text.strip()}", f"  {' ' * (len(where) + 2)}{who}"]
    indent = len(text) - len(text.lstrip())
    column = max(access["column"] - 1 - indent, 0)
    return [f"  {where}: {text.strip()}", f"  {' ' * (len(where) + 2 + column)}^ {who}"]


def _triple(numbers):
    return f"({numbers[0]},{numbers[1]},{numbers[2]})"


class Report:
    """What a check found: a sequence of :class:`Finding`, in the order in which they were met."""

    def __init__(self):
        self._findings: list[Finding] = []

    def _fill(self, found):
        self._findings += [Finding(**one) for one in found]

    def __len__(self):
        return len(self._findings)

    def __iter__(self):
        return iter(self._findings)

    def __getitem__(self, number):
        return self._findings[number]

    def __str__(self):
        if not self._findings:
            return "quern check: nothing found"
        count = len(self._findings)
        return "\n\n".join([*map(str, self._findings), f"quern check: {count} finding{'s' if count > 1 else ''}"])

    def figures(self):
        """The findings as a list of plain dicts, each with its ``title`` and ``advice``."""
        return [dataclasses.asdict(one) | {"title": one.title, "advice": one.advice} for one in self._findings]
