"""Adapters: what faces do besides reading arguments and calling a body, as ``Check<body>`` in bindings/faces/*.h. They stay few."""

import re

from places import ROOT

FACES = ROOT / "bindings/faces"
MOST = 40
# Those that do work of their own; `struct Check<ones> : Check<zeros> {}` shares another's.
OWN = re.compile(r"^struct Check<([\w:]+)> \{", re.MULTILINE)
SHARED = re.compile(r"^struct Check<([\w:]+)> : Check<([\w:]+)> \{\};", re.MULTILINE)
ROW = re.compile(r"^QUERN_FUNCTION\(\w+, \w+, ([\w:<>]+),", re.MULTILINE)


def test_all_adapters_are_few_and_of_rows():
    text = "\n".join(path.read_text() for path in sorted(FACES.glob("*.h")))
    own, shared = OWN.findall(text), SHARED.findall(text)
    assert len(own) + len(shared) == len(re.findall(r"^struct Check<", text, re.MULTILINE))  # all are of these two forms
    assert own and len(own) == len(set(own)) and len(own) <= MOST, f"{len(own)} adapters: {', '.join(own)}"
    assert {base for _, base in shared} <= {*own, *(name for name, _ in shared)}
    bodies = set(ROW.findall((ROOT / "engine/functions/functions.def").read_text()))
    unknown = {name for name in (*own, *(one for one, _ in shared)) if name not in bodies}
    assert not unknown, f"no row of functions.def has the body {', '.join(sorted(unknown))}"
