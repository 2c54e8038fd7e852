"""Signatures of the engine's functions, made of their texts."""

import ast
import inspect

import numpy

_NAMES = {"NoValue": numpy._NoValue, "float": float, "int": int}


def signature_of(text):
    """The inspect.Signature of a text such as ``(a, axis=None, *, where=True)``; ``NoValue`` is NumPy's."""
    a = ast.parse(f"def f{text}: ...").body[0].args

    def value(node):
        if node is None:
            return inspect.Parameter.empty
        return _NAMES[node.id] if isinstance(node, ast.Name) else ast.literal_eval(node)

    kinds = inspect.Parameter
    positional = [(p, kinds.POSITIONAL_ONLY) for p in a.posonlyargs] + [(p, kinds.POSITIONAL_OR_KEYWORD) for p in a.args]
    defaults = [None] * (len(positional) - len(a.defaults)) + a.defaults
    made = [kinds(p.arg, kind, default=value(d)) for (p, kind), d in zip(positional, defaults, strict=True)]
    made += [kinds(a.vararg.arg, kinds.VAR_POSITIONAL)] if a.vararg else []
    words = zip(a.kwonlyargs, a.kw_defaults, strict=True)
    made += [kinds(p.arg, kinds.KEYWORD_ONLY, default=value(d)) for p, d in words]
    return inspect.Signature(made)
