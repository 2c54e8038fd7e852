#!/usr/bin/env python3
"""The layers: of the engine's includes (ORDER) and of Python's imports (PYTHON). Each points to its own layer or to one on its left.

An include counts as the file that the compiler takes for it. Imports inside functions count as those at a module's head do; modules that
import each other in a circle are wrong in any layer. Start reading at main().
"""

import pathlib
import re
import sys

import embed_headers

ROOT = pathlib.Path(__file__).resolve().parent.parent
ORDER = ["include", "core", "graph", "codegen", "compile", "device", "run", "functions", "api", "bindings"]


def layer(path):
    """The layer a file belongs to, from its path under engine/ or bindings/; None for tests and examples."""
    parts = path.relative_to(ROOT).parts
    if parts[0] == "bindings":
        return "bindings"
    return parts[1] if parts[0] == "engine" and parts[1] in ORDER else None


def folders(path):
    """Where the compiler looks for what a file includes."""
    if any(folder in path.parents for folder in embed_headers.FOLDERS):
        return [path.parent, *embed_headers.FOLDERS]
    return [path.parent, ROOT / "engine/include", ROOT / "engine", embed_headers.FOLDERS[0], *([ROOT] if layer(path) == "bindings" else [])]


def includes(text):
    """(line, name, is it in quotes) of each include; the texts of kernels are no lines of ours."""
    text = re.sub(r'R"(\w*)\(.*?\)\1"', lambda raw: "\n" * raw[0].count("\n"), text, flags=re.DOTALL)
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if found:
            yield number, found[2], found[1] == '"'


def check_engine():
    suffixes = (".h", ".hpp", ".cpp", ".cuh", "")
    files = [p for folder in ("engine", "bindings") for p in sorted((ROOT / folder).rglob("*")) if p.suffix in suffixes]
    wrong, checked = [], 0
    for path in files:
        mine = layer(path)
        if mine is None or not path.is_file():
            continue
        checked += 1
        text, name = path.read_text(), path.relative_to(ROOT)
        for number, included, quoted in includes(text):
            meant = next((folder / included for folder in folders(path) if (folder / included).is_file()), None)
            if meant is None:
                if quoted:
                    wrong.append(f'{name}:{number}: there is no "{included}" where the compiler looks')
                continue
            theirs = layer(meant.resolve())
            if theirs is not None and ORDER.index(theirs) > ORDER.index(mine):
                wrong.append(f"{name}:{number}: {mine}/ includes {meant.resolve().relative_to(ROOT)}, which stands to its right")
        if mine != "bindings" and "Python.h" in text:
            wrong.append(f"{name}: the engine knows no Python")
    return wrong, checked


def main():
    wrong, checked = check_engine()
    for line in wrong:
        print(line)
    print(f"layers: {checked} files checked, {len(wrong)} includes point the wrong way")
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
