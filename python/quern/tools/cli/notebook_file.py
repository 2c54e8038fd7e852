"""The cells of a notebook's file as Python: `quern run FILE.ipynb`. Start reading at run_cells().

Magics that time or capture statements run the statements; other magics and shell commands are left out, and a note says which. The value
of a cell's last expression is shown, as in a notebook.
"""

from __future__ import annotations

import ast
import asyncio
import functools
import inspect
import json
import linecache
import re
import sys
import textwrap
from typing import NamedTuple

RUN_WHAT_FOLLOWS = ("time", "timeit", "prun", "capture")
LINE = re.compile(r"^(\s*)(?:[\w,\s]+=\s*)?([%!]+)(\w*)[ \t]*(.*)$")


class Cell(NamedTuple):
    """A cell of code: what Python runs, of as many lines as the cell, and the lines that are left out."""

    number: int  # among the cells of code, from 1
    source: str
    left_out: list


def cells_of(text):
    """Return the cells of code of a notebook's JSON text. Raises ValueError where it is no notebook of Python."""
    try:
        notebook = json.loads(text)
        cells = notebook["cells"]
    except (ValueError, KeyError, TypeError):
        raise ValueError("is not a notebook of format 4") from None
    language = notebook.get("metadata", {}).get("kernelspec", {}).get("language", "python")
    if language.lower() != "python":
        raise ValueError(f"is a notebook of {language}, not of Python")
    sources = ["".join(one["source"]) for one in cells if one.get("cell_type") == "code"]
    return [_plain(number, source) for number, source in enumerate(sources, 1)]


def _plain(number, source):
    lines, left_out = source.splitlines(), []
    if lines and lines[0].startswith("%%"):
        name = lines[0][2:].split()[0] if lines[0][2:].strip() else ""
        if name not in RUN_WHAT_FOLLOWS:
            return Cell(number, "\n" * len(lines), [lines[0]])
        lines[0] = ""
    if not _parses(lines):  # a line of Python may begin with %, too: within brackets and texts
        for i, line in enumerate(lines):
            if found := LINE.match(line):
                indent, mark, name, rest = found.groups()
                runs = mark == "%" and name in RUN_WHAT_FOLLOWS and _parses([rest])
                lines[i] = indent + (rest if runs else "pass")
                if not runs:
                    left_out.append(line.strip())
            elif line.rstrip().endswith("?") and not _parses([line]):
                lines[i] = ""
                left_out.append(line.strip())
    return Cell(number, "\n".join(lines) + "\n", left_out)


def _parses(lines):
    try:
        ast.parse(textwrap.dedent("\n".join(lines)))
    except SyntaxError:
        return False
    return True


def run_cells(title, cells, names):
    """Runs cells one after the other, in one namespace; errors name the cell and show its line."""
    loop = functools.cache(asyncio.new_event_loop)
    for cell in cells:
        file = f"<cell {cell.number} of {title}>"
        linecache.cache[file] = (len(cell.source), None, cell.source.splitlines(True), file)
        for line in cell.left_out:
            print(f"quern: cell {cell.number}: `{line}` is left out: it is a command of the notebook, not Python", file=sys.stderr)
        tree = compile(cell.source, file, "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        is_shown = tree.body and isinstance(tree.body[-1], ast.Expr) and not cell.source.rstrip().endswith(";")
        last = tree.body.pop() if is_shown else None
        _run(tree, file, "exec", names, loop)
        if last:
            _show(_run(ast.Expression(last.value), file, "eval", names, loop), last, file)


def _show(value, last, file):
    """Displays a cell's value at the source line of the expression, which costs are charged to."""
    call = ast.Call(ast.Name("show", ast.Load()), [ast.Name("value", ast.Load())], [])
    tree = ast.fix_missing_locations(ast.Expression(ast.copy_location(call, last)))
    eval(compile(tree, file, "eval"), {"show": sys.displayhook, "value": value})


def _run(tree, file, mode, names, loop):
    """Runs a part of a cell, in which `await` may stand as in a notebook."""
    code = compile(tree, file, mode, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    result = eval(code, names)
    return loop().run_until_complete(result) if code.co_flags & inspect.CO_COROUTINE else result
