"""cuda.fp16: functions of float16, by CUDA's names. A row says what is returned, the text, the names; a text is of {0} {1} {2}."""

from __future__ import annotations

from quern.kernel.intrinsics import Intrinsic
from quern.kernel.library.table import rows

# What they return, how many float16 they take, the text, the functions' names.
TABLE = [
    ("float16", 1, "{name}({0})", "hsin hcos hlog hlog10 hlog2 hexp hexp10 hexp2 hfloor hceil hsqrt hrsqrt hrcp hrint htrunc"),
    ("float16", 1, "__{name}({0})", "hneg habs"),
    ("float16", 2, "__{name}({0}, {1})", "hadd hsub hmul hdiv hmax hmin"),
    ("float16", 3, "__{name}({0}, {1}, {2})", "hfma"),
    ("bool", 2, "__{name}({0}, {1})", "heq hne hgt hge hlt hle"),
]
functions = {}  # name -> Intrinsic

for _returned, _count, _text, _names in TABLE:
    for _name in _names.split():
        _text_of_it = "::" + _text.replace("{name}", _name)
        _doc = f"{_name}({', '.join('abc'[:_count])}): CUDA's {_text_of_it[2:].split('(')[0]}, on float16; gives {_returned}."
        functions[_name] = Intrinsic(f"fp16.{_name}", _doc)
        rows(functions[_name], (f"{_returned}({', '.join(['float16'] * _count)})", _text_of_it))
