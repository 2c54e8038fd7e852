"""Examples of faces as a new interpreter runs them: with the import that they need, and in each front end's own spelling.

A face file writes examples with bare names, as in ``solve(array([[2.0]]), array([1.0]))``; a docstring shows
``qn.linalg.solve(qn.array([[2.0]]), qn.array([1.0]))`` after ``import quern as qn``, and for CuPy ``cp.`` names. CuPy's functions accept
no lists, so its examples have ``cp.array([...])`` in their place. Start reading at printed().
"""

import ast
import builtins
import doctest

import docstrings

# Of each front end: its import, and the name before those of its functions; "" where the examples have it.
QUERN = ("import quern as qn", "qn.")
IMPORTS = dict.fromkeys(("torch", "Tensor"), ("from quern import torch", "")) | {"keras": ("import keras", "")}
IMPORTS |= dict.fromkeys(("cupy", "ndarray", "CupyGenerator", "CupyRandomState"), ("from quern import cupy as cp", "cp."))
ACCEPT_LISTS = "array asarray asanyarray ascontiguousarray asfortranarray".split()  # CuPy's functions that do


def home(name, front_end, own, homes):
    """The module of a function, as in "linalg."; `own` is the submodule of the face whose example this is."""
    modules = homes.get((front_end, name), [""])
    module = next((one for one in (own, "") if one in modules), modules[0])
    return module and f"{module}."


def _arrays(call, names):
    """The operands of a call that are lists and stand for arrays; `names`: the parameters of the function."""
    found = []
    by_position = [*enumerate(call.args)]
    starred = next((i for i, name in enumerate(names) if name.startswith("*")), len(names))
    named = [(names[min(i, starred)] if i < len(names) or starred < len(names) else "", value) for i, value in by_position]
    for name, value in named + [(word.arg, word.value) for word in call.keywords]:
        kind, _ = docstrings.parameter(name, call.func.id, "cupy")
        if kind.startswith("array_like") or name.startswith("*"):
            found.append(value)
        elif kind.startswith("sequence of array_like") and isinstance(value, ast.List | ast.Tuple):
            found += value.elts
    return [value for value in found if isinstance(value, ast.List)]


def _respelled(source, stored, prefix, qualified, parameters):
    """A statement with the front end's names; for CuPy also with arrays in place of lists."""
    inserted = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and node.id not in stored and (path := qualified(node.id)) is not None:
            inserted.append((node.lineno, node.col_offset, prefix + path))
        if prefix == "cp." and isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in ACCEPT_LISTS:
            for value in _arrays(node, parameters(node.func.id)):
                inserted += [(value.lineno, value.col_offset, "cp.array("), (value.end_lineno, value.end_col_offset, ")")]
    lines = source.split("\n")
    for line, column, text in sorted(inserted, reverse=True):
        lines[line - 1] = lines[line - 1][:column] + text + lines[line - 1][column:]
    return "\n".join(lines)


def printed(text, front_end, own, homes, parameters_of):
    """Examples as a docstring shows them.

    `own`: the submodule of the face; `homes`: (front end, name) -> the modules that have the function; `parameters_of`: the same ->
    its parameters.
    """
    line, prefix = IMPORTS.get(front_end, QUERN)
    if not prefix:
        return f">>> {line}\n{text}"
    table = "cupy" if prefix == "cp." else "numpy"
    pieces = doctest.DocTestParser().parse(text)
    nodes = [node for one in pieces if isinstance(one, doctest.Example) for node in ast.walk(ast.parse(one.source))]
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}

    def qualified(name):
        return None if hasattr(builtins, name) and (table, name) not in homes else home(name, table, own, homes)

    out = []
    for one in pieces:
        if isinstance(one, doctest.Example):
            source = _respelled(one.source, stored, prefix, qualified, lambda name: parameters_of.get((table, name), []))
            first, *rest = source.rstrip("\n").split("\n")
            out.append("\n".join([f">>> {first}", *(f"... {more}" for more in rest)]) + "\n" + one.want)
        else:
            out.append(one)
    return f">>> {line}\n{''.join(out).rstrip()}"
