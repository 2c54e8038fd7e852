#!/usr/bin/env python3
"""Sizes that a reader can hold: no file above 800 lines, no function above 60 but for tables. Start reading at main().

    tools/check_sizes.py           the files that git tracks; says what is too long
    tools/check_sizes.py FILE...   these

A function's lines are those from its name to its end, without its docstring. A table is a function of which no line in three does anything:
it holds one literal, or one list of rows.
"""

import ast
import pathlib
import re
import sys

from check_format import tracked

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE, FUNCTION = 800, 60
SUFFIXES = (".cpp", ".h", ".cuh", ".py")
LITERALS = (ast.Constant, ast.Dict, ast.List, ast.Tuple)
# What compilers take as text, line by line: string literals, characters, comments.
PIECES = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/', re.DOTALL)
NO_FUNCTION = re.compile(r"\b(namespace|struct|class|enum|union|extern)\b[^()]*$|=\s*$")


def without_text(source):
    """C++ with its strings and comments blank; lines stay where they are."""
    return PIECES.sub(lambda piece: re.sub(r"[^\n]", " ", piece[0]), source)


def functions_of_cpp(source):
    """(name, first line, number of lines) of each function that is in no other."""
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m[0]), without_text(source), flags=re.MULTILINE)
    depth, inside, begin = 0, None, 0
    for place in re.finditer(r"[{};]", text):
        if place[0] == "{":
            head = text[begin : place.start()]
            if inside is None and ")" in head and not NO_FUNCTION.search(head):
                start = begin + len(head) - len(head.lstrip())
                name = re.search(r"([~\w:]+|operator\S+)\s*\(", head)
                inside = (depth, name[1] if name else "a function", text.count("\n", 0, start) + 1)
            depth += 1
        elif place[0] == "}":
            depth -= 1
            if inside and depth == inside[0]:
                yield inside[1], inside[2], text.count("\n", 0, place.start()) + 2 - inside[2]
                inside = None
        begin = place.end()


def functions_of_python(source):
    """(name, first line, number of lines) of each function; those in it count as its lines."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        body = node.body
        text = body[0] if ast.get_docstring(node, clean=False) is not None else None
        lines = node.end_lineno - node.lineno + 1 - (text.end_lineno - text.lineno + 1 if text else 0)
        literals = [n for n in ast.walk(node) if isinstance(n, LITERALS) and n is not getattr(text, "value", None)]
        longest = max((n.end_lineno - n.lineno + 1 for n in literals), default=0)
        if longest * 3 < lines * 2:
            yield node.name, node.lineno, lines


def too_long(path):
    """What is too long in a file, a line each."""
    source = (ROOT / path).read_text()
    lines = source.count("\n")
    if lines > FILE:
        yield f"{path}: {lines} lines; split it by meaning"
    functions = functions_of_python if path.endswith(".py") else functions_of_cpp
    for name, line, count in functions(source):
        if count > FUNCTION:
            yield f"{path}:{line}: {name} has {count} lines; split it by meaning"


def main():
    paths = sys.argv[1:] or tracked(*SUFFIXES)
    found = [text for path in paths for text in too_long(path)]
    print(*found, f"sizes: {len(paths)} files, {f'{len(found)} things are too long' if found else 'all is well'}", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
