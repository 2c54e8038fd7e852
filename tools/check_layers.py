#!/usr/bin/env python3
"""The layers of the engine: an #include may point to its own folder or to one on its left, never to the right."""

import pathlib
import re
import sys

ORDER = ["core", "graph", "codegen", "compile", "device", "run", "functions", "api", "bindings"]
ROOT = pathlib.Path(__file__).resolve().parent.parent


def layer(path):
    """The layer a file belongs to, from its path under engine/ or bindings/; None for public headers, tests and examples."""
    parts = path.relative_to(ROOT).parts
    if parts[0] == "bindings":
        return "bindings"
    return parts[1] if parts[0] == "engine" and parts[1] in ORDER else None


def main():
    files = [p for folder in ("engine", "bindings") for p in (ROOT / folder).rglob("*") if p.suffix in (".h", ".cpp", ".cuh")]
    wrong, checked = [], 0
    for path in sorted(files):
        mine = layer(path)
        if mine is None:
            continue
        checked += 1
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+"([a-z]+)/', line)
            if found and found[1] in ORDER and ORDER.index(found[1]) > ORDER.index(mine):
                wrong.append(f"{path.relative_to(ROOT)}:{number}: {mine}/ includes {found[1]}/, which stands to its right")
            if "Python.h" in line and mine != "bindings":
                wrong.append(f"{path.relative_to(ROOT)}:{number}: the engine knows no Python")
    for line in wrong:
        print(line)
    print(f"layers: {checked} files checked, {len(wrong)} includes point the wrong way")
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
