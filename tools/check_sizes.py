#!/usr/bin/env python3
"""Sizes that a reader can hold: no file above 800 lines, no function above 60 but for tables. Start reading at main().

    tools/check_sizes.py           the files that git tracks; says what is too long
    tools/check_sizes.py FILE...   these

A function's lines are those from its name to its end, without its docstring. Tables may be longer: a function that is one literal but
for a third of its lines; in C++ a switch, where every fourth line is a label and three of four are labels or statements of one line; and
a function that registers others with Python, none of whose entries is too long. What was longer when the limits came stands in
longer_than_the_limits.txt, and may not grow.
"""

import ast
import pathlib
import re
import sys

from check_format import tracked

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE, FUNCTION = 800, 60
# What was longer when the limits came: it may not grow, and goes from here when it is split. (path, function or ""): lines.
LONGER = ROOT / "tools" / "longer_than_the_limits.txt"
SUFFIXES = (".cpp", ".h", ".cuh", ".py")
LITERALS = (ast.Constant, ast.Dict, ast.List, ast.Tuple)
# What compilers take as text, line by line: string literals, characters, comments.
PIECES = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/', re.DOTALL)
# What stands before a body and is no function's head: alignments, and macros on lines of their own.
ALIGNED = re.compile(r"\b(__align__|alignas|__attribute__)\s*\((?:[^()]|\([^()]*\))*\)|^\s*_*QUERN\w*\(.*\)$", re.MULTILINE)
NO_FUNCTION = re.compile(r"\b(namespace|struct|class|enum|union|extern)\b[^()]*$|=\s*$")


LABEL = re.compile(r"\s*(case\b.*|default:.*)")
ROW_OF_SWITCH = re.compile(r"\s*(case\b.*|default:.*|(if \(.*\) )?(return\b[^;]*|[^;{]*);|[{}]*)")
ENTRY = re.compile(r"(?:;|\n\s*(?=\.def))")
REGISTERS = re.compile(r"\s*(\w+\.(def\w*|attr)\(|\.def\w*\(|nb::class_<|nb::enum_<|\.value\()")


def without_text(source):
    """C++ with its strings and comments blank; lines stay where they are."""
    return PIECES.sub(lambda piece: re.sub(r"[^\n]", " ", piece[0]), source)


def outermost(text):
    """The text with what stands within inner braces blank."""
    out, depth = [], 0
    for c in text:
        depth -= c == "}"
        out.append(c if depth <= 1 or c == "\n" else " ")
        depth += c == "{"
    return "".join(out)


def is_table_of_cpp(text):
    lines = text.split("\n")
    labels, rows = (sum(form.fullmatch(line) is not None for line in lines) for form in (LABEL, ROW_OF_SWITCH))
    if labels * 4 >= len(lines) and rows * 4 >= len(lines) * 3:
        return True
    entries = ENTRY.split(outermost(text))
    registered = [entry for entry in entries if REGISTERS.match(entry)]
    in_them = sum(entry.count("\n") for entry in registered)
    return in_them * 4 >= len(lines) * 3 and all(entry.count("\n") <= FUNCTION for entry in registered)


def functions_of_cpp(source):
    """(name, first line, number of lines) of each function that is in no other."""
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m[0]), without_text(source), flags=re.MULTILINE)
    depth, inside, begin = 0, None, 0
    for place in re.finditer(r"[{};]", text):
        if place[0] == "{":
            head = ALIGNED.sub(lambda piece: re.sub(r"[^\n]", " ", piece[0]), text[begin : place.start()])
            if inside is None and ")" in head and not NO_FUNCTION.search(head):
                start = begin + len(head) - len(head.lstrip())
                name = re.search(r"([~\w:]+|operator\S+)\s*\(", head)
                inside = (depth, name[1] if name else "a function", text.count("\n", 0, start) + 1)
                opened = place.start()
            depth += 1
        elif place[0] == "}":
            depth -= 1
            if inside and depth == inside[0]:
                lines = text.count("\n", 0, place.start()) + 2 - inside[2]
                if lines <= FUNCTION or not is_table_of_cpp(text[opened : place.end()]):
                    yield inside[1], inside[2], lines
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


def known():
    """{(path, function or "-"): lines} of what may stay as long as it is."""
    rows = (line.split() for line in LONGER.read_text().splitlines() if line and line[0] != "#")
    return {(path, name): int(lines) for path, name, lines in rows}


def too_long(path, allowed):
    """What is too long in a file, a line each."""
    source = (ROOT / path).read_text()
    lines = source.count("\n")
    if lines > allowed.get((path, "-"), FILE):
        yield f"{path}: {lines} lines; split it by meaning"
    functions = functions_of_python if path.endswith(".py") else functions_of_cpp
    for name, line, count in functions(source):
        if count > allowed.get((path, name), FUNCTION):
            yield f"{path}:{line}: {name} has {count} lines; split it by meaning"


def main():
    paths, allowed = sys.argv[1:] or tracked(*SUFFIXES), known()
    found = [text for path in paths for text in too_long(path, allowed)]
    print(*found, f"sizes: {len(paths)} files, {f'{len(found)} things are too long' if found else 'all is well'}", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
