"""`a ** b` of integers in kernels that run as plain Python (plain.py): what compiled kernels give, by codegen/prelude/quern/python.cuh's
integer_power. NumPy raises for negative exponents there, and Python gives fractions.

A function with `**` in it is compiled once more, with its own lines, its exponents wrapped: ``a ** Exponent(b)``.
"""

from __future__ import annotations

import ast
import functools
import inspect
import operator
import sys
import types as python_types

import numpy

from quern.kernel.errors import KernelError
from quern.kernel.source import Source, is_of_literals

_WRAPS = "_exponent_of_quern"
_INTEGERS = (int, numpy.integer, numpy.bool_)


class Exponent:
    """The right side of `**`."""

    __array_ufunc__ = None  # NumPy's numbers leave the power to it

    def __init__(self, value):
        self.value = value

    def __rpow__(self, base):
        if isinstance(base, _INTEGERS) and isinstance(self.value, _INTEGERS):
            return integer_power(base, self.value)
        return base**self.value


def integer_power(a, b):
    """The int64, or of two unsigned numbers the uint64, that ``a ** b`` is in a compiled kernel."""
    unsigned = isinstance(a, numpy.unsignedinteger) and isinstance(b, numpy.unsignedinteger)
    kind = numpy.uint64 if unsigned else numpy.int64
    ends, n = numpy.iinfo(kind), int(b)
    x = (int(a) - int(ends.min)) % 2**64 + int(ends.min)
    if abs(x) <= 1:
        return kind(x ** (n % 2) if x and n else 1 if n == 0 else 0 if n > 0 else ends.min)
    if n < 0:
        return kind(0)
    if n > 65536:
        return kind(ends.min if x < 0 and n % 2 else ends.max)
    return kind((pow(x, n, 2**64) - int(ends.min)) % 2**64 + int(ends.min))


class _Wrapping(ast.NodeTransformer):
    def __init__(self, source):
        self.source, self.count = source, 0

    def _wrapped(self, value):
        self.count += 1
        return ast.copy_location(ast.Call(ast.copy_location(ast.Name(_WRAPS, ast.Load()), value), [value], []), value)

    def visit_BinOp(self, node):
        if not is_of_literals(node):  # Python makes a number of those by itself
            self.generic_visit(node)
            if isinstance(node.op, ast.Pow):
                node.right = self._wrapped(node.right)
        return node

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.Pow):
            node.value = self._wrapped(node.value)
        return node

    def visit_Call(self, node):
        self.generic_visit(node)
        if len(node.args) == 2 and _meant(self.source, node.func) in (pow, operator.pow, operator.ipow):
            node.args[1] = self._wrapped(node.args[1])
        return node


def _meant(source, node):
    """The object that a name, or a name in a module, means."""
    if isinstance(node, ast.Name):
        return source.lookup(node.id)
    return getattr(_meant(source, node.value), node.attr, None) if isinstance(node, ast.Attribute) else None


@functools.lru_cache(maxsize=256)
def with_integer_powers(function):
    """The function with exponents wrapped; itself where it has none, or where its source cannot be read."""
    try:
        source = Source(function)
    except KernelError:
        return function
    wrapping = _Wrapping(source)
    body = wrapping.visit(source.tree)
    return rewritten(function, source, body, {_WRAPS: Exponent}) if wrapping.count else function


_REWRITTEN = "_quern_rewritten"


def rewritten(function, source, body, helpers):
    """The function with another tree, in its own lines. ``helpers``: objects that the tree names."""
    code = function.__code__
    if isinstance(body, ast.Lambda):
        body = ast.copy_location(ast.Expr(body), body)
    else:
        # A function that calls itself by its module's name finds that there, not itself.
        body.decorator_list, body.returns, body.name = [], None, _REWRITTEN
        for argument in ast.walk(body.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
    names = [*code.co_freevars, *helpers]
    outer = ast.parse(f"def outer({', '.join(names)}):\n    pass")
    outer.body[0].body = [body]
    for node in ast.walk(body):
        if hasattr(node, "col_offset"):
            node.lineno, node.end_lineno = node.lineno + source.offset, node.end_lineno + source.offset
            node.col_offset, node.end_col_offset = node.col_offset + source.indent, node.end_col_offset + source.indent
    (outer_code,) = filter(inspect.iscode, compile(outer, code.co_filename, "exec").co_consts)
    made = next(c for c in outer_code.co_consts if inspect.iscode(c) and c.co_name in (_REWRITTEN, code.co_name))
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    cells |= {name: python_types.CellType(helper) for name, helper in helpers.items()}
    closure = tuple(cells[name] for name in made.co_freevars)
    called = {"co_qualname": code.co_qualname} if sys.version_info >= (3, 11) else {}
    made = made.replace(co_name=code.co_name, **called)
    out = python_types.FunctionType(made, function.__globals__, function.__name__, function.__defaults__, closure)
    out.__kwdefaults__ = function.__kwdefaults__
    return functools.update_wrapper(out, function)
