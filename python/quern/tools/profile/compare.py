"""`quern profile --compare A.json B.json`: what became faster and what slower, in all and by line."""

from __future__ import annotations

import json

from quern_doctor import commands

from quern.tools.profile.figures import FORMAT
from quern.tools.profile.kernels import print_columns
from quern.tools.profile.units import rough, rough_size

_TOTALS = (("device_seconds", "device"), ("host_seconds", "host"), ("waiting_seconds", "waiting"), ("compile_seconds", "compiling"))


def read(path) -> dict:
    """The figures that a profile wrote. Raises ValueError for another file."""
    with open(path, encoding="utf-8") as f:
        try:
            found = json.load(f)
        except ValueError as error:
            raise ValueError(f"{path} is not JSON: {error}") from None
    if not isinstance(found, dict) or "lines" not in found or found.get("format") != FORMAT:
        raise ValueError(f"{path} does not contain the figures of a profile; {commands.typed(f'profile --json {path} FILE')} writes them")
    return found


def compare(before, after, file):
    """Prints two profiles side by side; lines are the same when their texts and functions are."""
    a, b = read(before), read(after)
    rows = [["seconds", f"{a['seconds']:.3g} s", f"{b['seconds']:.3g} s", _ratio(a["seconds"], b["seconds"]), ""]]
    for key, name in _TOTALS:
        old, new = a["total"][key], b["total"][key]
        rows.append([name, rough(old * 1e9), rough(new * 1e9), _ratio(old, new), ""])
    for key in ("launches", "waits", "compiles"):
        rows.append([key, f"{a['total'][key]:,}", f"{b['total'][key]:,}", _ratio(a["total"][key], b["total"][key]), ""])
    for key, of, words in (("copies", "copies", "{:,}".format), ("copied", "copied_bytes", rough_size)):
        old, new = (sum(f["total"][of].values()) for f in (a, b))
        rows.append([key, words(old), words(new), _ratio(old, new), ""])
    rows.append(["peak memory", rough_size(a["peak_memory"]), rough_size(b["peak_memory"]), _ratio(a["peak_memory"], b["peak_memory"]), ""])
    old, new = _lines(a), _lines(b)
    changed = sorted(old.keys() | new.keys(), key=lambda key: -abs(_time(old.get(key)) - _time(new.get(key))))
    for key in changed[:15]:
        before, after = _time(old.get(key)), _time(new.get(key))
        if max(before, after) * 1e9 >= 1000:
            rows.append([str((new.get(key) or old[key])["line"]), rough(before * 1e9), rough(after * 1e9), _ratio(before, after), key[1]])
    names = ["before", "after"] if a["program"] == b["program"] else [a["program"], b["program"]]
    print_columns(file, ["What", *names, "after/before", "Source"], rows)


def _time(line):
    return 0.0 if line is None else line["device_seconds"] + line["host_seconds"]


def _lines(figures):
    out: dict = {}
    for line in figures["lines"]:
        out.setdefault((line["function"], line["source"]), line)
    return out


def _ratio(old, new):
    return f"{new / old:.2f}" if old else "-" if not new else "new"
