"""The derivatives of the engine's operations as slopes.py has them: expressions, read from the formulas of grads.def."""

from __future__ import annotations

import ast

import numpy

from quern.lib import _engine

_CONSTANTS = {"log_of_2": repr(numpy.log(2).item()), "log_of_10": repr(numpy.log(10).item())}
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
# Calls that are expressions in Python; each argument comes in parentheses.
_FORMS = {
    "absolute": "abs({0})",
    "conj": "{0}",  # a slope is multiplied with the derivative, a gradient with its conjugate
    "equal": "{0} == {1}",
    "floor_divide": "{0} // {1}",
    "greater": "{0} > {1}",
    "greater_equal": "{0} >= {1}",
    "if_complex": "if_complex({1}, {2})",
    "isnan": "{0} != {0}",
    "ldexp": "math.ldexp({0}, {1})",
    "less": "{0} < {1}",
    "less_equal": "{0} <= {1}",
    "logical_not": "not {0}",
    "logical_or": "{0} or {1}",
    "not_zero": "1 if {0} == 0 else {0}",
    "share": "({0} / 2 if {2} else {0}) if {1} else 0",
    "direction": "1 if {0} > 0 else (-1 if {0} < 0 else 0)",
    "sign": "1 if {0} > 0 else (-1 if {0} < 0 else 0)",
    "square": "{0} * {0}",
    "where": "{1} if {0} else {2}",
}
_OWN = ("digamma", "polygamma")  # intrinsics of slopes.py


class _Unknown(Exception):
    """A word that only formulas of arrays have."""


def _written(node):
    match node:
        case ast.Name(id="g"):
            return "d"
        case ast.Name(id=name) if name in ("a", "b", "c", "y"):
            return name
        case ast.Name(id=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.Constant(value=float() as number):
            return repr(int(number) if number.is_integer() else number)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"(-{_written(operand)})"
        case ast.BinOp(left=left, op=op, right=right):
            return f"({_written(left)} {_SIGNS[type(op)]} {_written(right)})"
        case ast.Call(func=ast.Name(id="conj"), args=[ast.Name(id="g")]):
            return "np.conjugate(d)"
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _called(name, [_written(a) for a in arguments])
    raise _Unknown(ast.unparse(node))


def _called(name, arguments):
    if name in _FORMS:
        return f"({_FORMS[name].format(*arguments)})"
    if name in _OWN:
        return f"{name}({', '.join(arguments)})"
    if isinstance(getattr(numpy, name, None), numpy.ufunc):
        return f"np.{name}({', '.join(arguments)})"
    raise _Unknown(name)


def _read():
    rules = {}
    for name, formulas in _engine.gradient_formulas().items():
        try:
            rules[name] = tuple("" if f == "zeros_like(g)" else _written(ast.parse(f, mode="eval").body) for f in formulas)
        except _Unknown:
            continue
    return rules


RULES = _read()
"""By the operation's name: an expression for each argument, "" where no slope passes; () where none ever does."""
