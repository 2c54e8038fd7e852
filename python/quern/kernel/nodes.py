"""Nodes of syntax trees as derivatives make them: names, calls, assignments, and the places they stand at."""

from __future__ import annotations

import ast
import copy


def words(text):
    return {n.id for n in ast.walk(ast.parse(text, mode="eval")) if isinstance(n, ast.Name)} if text else set()


def load(name):
    return ast.Name(name, ast.Load())


def load_of(node):
    return ast.copy_location(load(node.id), node)


def call(function, *arguments):
    return ast.Call(function, [copy.deepcopy(a) for a in arguments], [])


def assign(name, value):
    return ast.Assign([ast.Name(name, ast.Store())], copy.deepcopy(value))


def place(node, at):
    """Where nothing says where it stands, it stands there."""
    for part in ast.walk(node):
        if "lineno" in part._attributes and not hasattr(part, "lineno"):
            ast.copy_location(part, at)
