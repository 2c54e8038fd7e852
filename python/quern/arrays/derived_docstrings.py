"""Docstrings of functions that another function implements, such as in-place versions, from the docstring of that function.

It imports no other module of quern: tools/docstrings.py loads it while quern is built.
"""

import ast
import inspect
import re
import textwrap

_TITLE = re.compile(r"^(\w+)\n-+$", re.MULTILINE)
_ENTRY = re.compile(r"^(\S.*)\n((?:[ \t]+\S.*\n?)*)", re.MULTILINE)
ORDER = ("Parameters", "Returns", "Raises", "Examples")
INPUT = "input : Tensor\n    Tensor of any shape and dtype.\n"
OUT = "out : Tensor, optional\n    Tensor that receives the result.\n"
OUTS = "out : sequence of Tensors, optional\n    Tensors that receive the results.\n"
COPY = "Tensor\n    Copy, in memory of its own; `out` where it is passed."
IN_PLACE_ERROR = (
    "For a leaf that requires gradients; for elements that share memory; for a shape or dtype of the result that `input` cannot hold"
)


def sections(text):
    """{title: content} of a numpydoc docstring; the summary and what follows it have the title ""."""
    first, *rest = _TITLE.split(inspect.cleandoc(text))
    return {"": first.strip(), **dict(zip(rest[::2], (content.strip("\n") for content in rest[1::2]), strict=True))}


def joined(found):
    """A docstring of sections; empty ones are left out."""
    shown = ((f"{title}\n{'-' * len(title)}\n" if title else "") + content.strip("\n") for title, content in found.items() if content)
    return "\n\n".join(shown) + "\n"


def _errors(text, added):
    """A section Raises without clauses about `out`, and with what else is raised: {error: when}."""
    found = {}
    for error, when in _ENTRY.findall(text + "\n"):
        clauses = [one for one in " ".join(when.split()).rstrip(".").split("; ") if not re.search(r"`out`|nn\.functional", one)]
        found[error] = [one[:1].lower() + one[1:] for one in clauses]
    for error, when in added.items():
        found.setdefault(error, []).append(when[:1].lower() + when[1:])
    texts = {error: "; ".join(clauses) for error, clauses in found.items() if clauses}
    return "".join(f"{error}\n{textwrap.indent(textwrap.fill(f'{t[:1].upper()}{t[1:]}.', 110), ' ' * 4)}\n" for error, t in texts.items())


def _first(example):
    """(imports, statement, output) of the first call of an example; None where there is none."""
    found = re.search(r"\A((?:>>> (?:from|import) .*\n)*)>>> (.*)\n((?:(?!>>>).+\n?)*)", example + "\n")
    return found and (found[1], found[2], found[3].rstrip("\n"))


def _call(statement, name):
    """(first operand, other arguments with their comma, what follows the call) of a call of a function, or of a method of a call."""
    call = node = ast.parse(statement).body[0].value
    call = next((n for n in ast.walk(node) if isinstance(n, ast.Call) and getattr(n.func, "attr", None) == name), call)
    while isinstance(call, ast.Attribute) or (isinstance(call, ast.Call) and call is not node and not call.args and call.func.attr != name):
        call = call.value if isinstance(call, ast.Attribute) else call.func
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    operand, last = call.func.value, call.end_col_offset - 1
    after = statement[call.end_col_offset :]
    if isinstance(operand, ast.Call):
        rest = statement[call.func.end_col_offset + 1 : last]
        return ast.get_source_segment(statement, operand), f", {rest}" if rest else "", after
    if not call.args:
        return None
    operand = call.args[0]
    return ast.get_source_segment(statement, operand), statement[operand.end_col_offset : last], after


def _example(text, path, is_in_place):
    """The first example of a function, with the function at `path` in its place."""
    imports, statement, output = _first(text) or (None, "", "")
    called = _call(statement, path.rpartition(".")[2]) if imports else None
    if not called:
        return ""
    operand, rest, after = called
    if not is_in_place:
        return f"{imports}>>> {path}({operand}{rest}){after}\n{output}"
    return f"{imports}>>> x = {operand}\n>>> {path}(x{rest}){after}\n{output}"


def in_place(text, path, plain, example=None, error=IN_PLACE_ERROR):
    """The docstring of the in-place version at `path` of the function at `plain`, which has the docstring `text`.

    `example`: the content of its section Examples, where it is not to be made of the plain function's example.
    """
    found = sections(text)
    entries = [f"{head}\n{body}" for head, body in _ENTRY.findall(found["Parameters"] + "\n") if not re.match("(out|inplace) :", head)]
    parts = {
        "": f"In-place version of :func:`{plain}`.",
        "Parameters": "".join(entries),
        "Returns": "Tensor\n    `input`, with the new values.",
        "Raises": _errors(found.get("Raises", ""), {"RuntimeError": error}),
        "Examples": _example(found.get("Examples", ""), path, True) if example is None else example,
    }
    return joined(parts)


def copying(text, path, plain, example=None):
    """The docstring of the function at `path` that copies the view that `plain`, a reference of a function or method, returns."""
    found = sections(text)
    has_several = "tuple" in found.get("Returns", "")
    parameters = re.sub("^self :", "input :", found.get("Parameters", "").strip(), flags=re.MULTILINE)
    first = "" if re.match("input :", parameters) else INPUT
    parts = {
        "": f"Return a copy of the view that {plain} returns.",
        "Parameters": first + (parameters and parameters + "\n") + (OUT if not has_several else OUTS),
        "Returns": "tuple of Tensors or None\n    Copies; None with `out`." if has_several else COPY,
        "Raises": found.get("Raises", ""),
        "Examples": example or _example(found.get("Examples", ""), path, False),
    }
    return joined(parts)


def of_method(text, path):
    """The docstring of the function at `path` that calls a method of its first argument, from the method's docstring."""
    found = sections(text)
    parameters = {"Parameters": INPUT + found.get("Parameters", ""), "Examples": _example(found["Examples"], path, False)}
    return joined({"": found.pop(""), **{title: parameters.get(title, found.get(title)) for title in ORDER}})
