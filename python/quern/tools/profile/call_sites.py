"""Places: what a site's number means in the user's program, down to the expression where Python knows it."""

from __future__ import annotations

import dataclasses
import dis
import linecache
import os

from quern.lib import _engine

# What an instruction does, in the words of a report; others are named by their text alone.
_WAYS = {
    "TO_BOOL": "test",
    "COMPARE_OP": "comparison",
    "GET_ITER": "loop",
    "FOR_ITER": "loop",
    "FORMAT_VALUE": "text",
    "FORMAT_SIMPLE": "text",
    "FORMAT_WITH_SPEC": "text",
    "UNPACK_SEQUENCE": "unpacking",
    "CONTAINS_OP": "test",
    "STORE_SUBSCR": "assignment",
    "BINARY_SUBSCR": "item",
}


@dataclasses.dataclass(frozen=True)
class Place:
    """A place of a program: ``text`` is its expression, or the whole line where Python (3.10) does not keep columns."""

    file: str
    line: int
    function: str
    text: str = ""
    way: str = ""  # "call", "test", "loop", "item"...; "" if unknown
    column: int = 0
    of: Place | None = None  # this one asked for work that is another's: for its gradient

    @property
    def key(self):
        """What a line is known by: (file, line)."""
        return self.file, self.line

    @property
    def short(self):
        """The file's name without its folders, and the line: "heat.py:12"."""
        return f"{os.path.basename(self.file)}:{self.line}"


NOWHERE = Place("", 0, "")
_FIRST_ADDED = 0xF0000000  # beyond the sites of the engine's


def source_line(file, line):
    """The text of a line, without its indentation; "" where there is none."""
    return linecache.getline(file, line).strip() if file else ""


class Places:
    """Finds the place of a site, once for each."""

    def __init__(self):
        self._known = {0: NOWHERE}
        self._added: dict = {}

    def add(self, place):
        """A number for a place that no site has."""
        number = _FIRST_ADDED + len(self._added)
        number = self._added.setdefault(place, number)
        self._known[number] = place
        return number

    def __getitem__(self, site):
        place = self._known.get(site)
        if place is None:
            place = self._known[site] = _place(site)
        return place


def _place(site):
    pair = _engine.site_pair(site)
    if pair is not None:
        return dataclasses.replace(_place(pair[1]), of=_place(pair[0]))
    found = _engine.site_code(site)
    if found is None:
        described = _engine.describe_site(site)
        file, _, line = described.rpartition(":")
        return Place(file, int(line), "") if line.isdigit() else NOWHERE
    code, offset = found
    line, text, column = code.co_firstlineno, "", 0
    if hasattr(code, "co_positions"):
        for number, position in enumerate(code.co_positions()):
            if number * 2 == offset:
                line, last, column, end = position
                text = _text(code.co_filename, line, last, column, end)
                break
    else:
        for start, end, number in code.co_lines():
            if start <= offset < end and number is not None:
                line = number
    name = getattr(code, "co_qualname", code.co_name)
    line = line or code.co_firstlineno
    return Place(code.co_filename, line, name, text or source_line(code.co_filename, line), _way(code, offset), column or 0)


def _text(file, first, last, column, end):
    """The characters from a line and column to another; columns count bytes of UTF-8."""
    if None in (first, last, column, end):
        return ""
    lines = [linecache.getline(file, n).encode() for n in range(first, last + 1)]
    if not lines or not lines[0]:
        return ""
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][column:]
    return " ".join(line.decode(errors="replace").strip() for line in lines)


def _way(code, offset):
    """What the instruction does that is at work there; a call into Python stands at the cache behind its instruction."""
    name = ""
    for instruction in dis.get_instructions(code):
        if instruction.offset > offset:
            break
        name = instruction.opname
    if name.startswith(("CALL", "PRECALL")):
        return "call"
    if name.startswith(("POP_JUMP", "JUMP_IF")):
        return "test"
    if name.startswith("BINARY_OP"):
        return "operator"
    return _WAYS.get(name, "")
