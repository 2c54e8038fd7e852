"""Keras's backend on NumPy, run on quern's arrays: its functions say with NumPy's names what each one computes and which type it has.

Keras ships a backend whose modules are written against NumPy. quern has NumPy's names, so the text of such a module, with ``np`` bound to
quern's and its own imports leading to this package, is a module of this backend, in the signatures of the installed version. What has to be
faster, or works in place, this package defines itself; what needs another package that is not there raises an error that names the
function.
"""

import ast
import functools
import os
import types

import numpy
from keras.src.backend.common import KerasVariable

import quern as qn
from quern.keras.backend._tensor import typed

_THEIRS = "keras.src.backend.numpy"
_OURS = "quern.keras.backend"


class _Names(types.ModuleType):
    """What ``np`` means in these texts: quern's functions, and NumPy's where they are of the host."""

    # Functions of sizes and types, which are the host's.
    generic, ndarray, integer, floating, dtype, iinfo, vectorize, unravel_index = (
        qn.ndarray,
        qn.ndarray,
        numpy.integer,
        numpy.floating,
        numpy.dtype,
        numpy.iinfo,
        numpy.vectorize,
        numpy.unravel_index,
    )

    @staticmethod
    def array(x, dtype=None, **kwargs):
        from quern.keras.backend.core import convert_to_tensor

        return convert_to_tensor(x, dtype)

    asarray = array

    def __getattr__(self, name):
        return getattr(qn, name)


class _Absent:
    """Stands for a package that a text imports and that is not used here; functions that need it are stand-ins."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self


class _Imports(ast.NodeTransformer):
    """Leads a text's imports here; ``absent``: names of packages that it does without."""

    def __init__(self):
        self.absent = {}

    def visit_Import(self, node):  # noqa: N802
        kept = []
        for one in node.names:
            if one.name in ("numpy", "jax", "ml_dtypes") or one.name.startswith(("jax.", "scipy")):
                self.absent[one.asname or one.name.split(".")[0]] = one.name
            else:
                kept.append(one)
        return ast.Import(kept) if kept else ast.Pass()

    def visit_ImportFrom(self, node):  # noqa: N802
        module = node.module or ""
        if module == _THEIRS or module.startswith(_THEIRS + "."):
            node.module = _OURS + module[len(_THEIRS) :]
        elif module.startswith(("jax", "scipy", "keras.src.backend.jax")) or any(one.name == "scipy" for one in node.names):
            for one in node.names:
                self.absent[one.asname or one.name] = f"{module}.{one.name}"
            return ast.Pass()
        return node


def names_of(module, target):
    """Runs the text of a module of Keras's NumPy backend in the names of another module."""
    import keras.src.backend as package

    path = os.path.join(os.path.dirname(package.__file__), "numpy", f"{module}.py")  # not imported: that asks for other packages
    with open(path, encoding="utf-8") as file:
        rule = _Imports()
        tree = ast.fix_missing_locations(rule.visit(ast.parse(file.read())))
    import ml_dtypes

    known = {"numpy": _Names("np"), "ml_dtypes": ml_dtypes}
    absent = set()
    for name, origin in rule.absent.items():
        target[name] = known.get(origin)
        if target[name] is None:
            target[name] = _Absent()
            absent.add(name)
    exec(compile(tree, path, "exec", dont_inherit=True), target)
    missing = _functions_with(tree, absent)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            target[node.name] = stand_in(node.name) if node.name in missing else _of_values(target[node.name])


def _of_values(function):
    """The function of tensors, with the values of variables in their place: NumPy's functions would take them for arrays of the host."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        for one in args:
            if isinstance(one, KerasVariable):
                args = [x.value if isinstance(x, KerasVariable) else x for x in args]
                break
        for name, one in kwargs.items():
            if isinstance(one, KerasVariable):
                kwargs[name] = one.value
        return typed(function(*args, **kwargs))

    return call


def _functions_with(tree, absent):
    """The functions of a text that use one of some names, by themselves or by what they call."""
    uses = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            uses[node.name] = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    found, before = set(), None
    while found != before:
        before = set(found)
        found |= {name for name, used in uses.items() if used & (absent | found)}
    return found


def stand_in(name):
    """A function that only says that it is not supported."""

    def missing(*args, **kwargs):
        raise NotImplementedError(
            f"[keras.ops] {name} is not supported by the quern backend; docs/keras.md lists what is. "
            "Use another function, or another backend (KERAS_BACKEND)"
        )

    missing.__name__ = missing.__qualname__ = name
    missing.is_stand_in = True
    return missing
