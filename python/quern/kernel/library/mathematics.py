"""math, cmath and NumPy's ufuncs: functions of numbers, by the device functions of arrays (codegen/prelude/quern/array.cuh).

Integers become float64; float32 stays what it is; functions that have a meaning for complex numbers take them.
"""

from __future__ import annotations

import ast
import cmath
import math
import operator

import numpy

from quern.kernel import operators, types
from quern.kernel.errors import TypingError
from quern.kernel.library.table import entry, rows
from quern.kernel.value import Value, cast

# Functions of one number, by the prelude's name: whether complex numbers have them.
ONE = {
    "sqrt": True, "exp": True, "log": True, "log2": True, "log10": True, "sin": True, "cos": True, "tan": True, "arcsin": True,
    "arccos": True, "arctan": True, "sinh": True, "cosh": True, "tanh": True, "arcsinh": True, "arccosh": True, "arctanh": True,
    "exp2": True, "expm1": True, "log1p": True, "cbrt": False, "fabs": False, "degrees": False, "radians": False,
}  # fmt: skip
MATH_NAMES = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
}  # fmt: skip
TWO = {"arctan2": "arctan2", "hypot": "hypot", "copysign": "copysign", "nextafter": "nextafter", "fmod": "fmod"}


def _one(text, takes_complex):
    def compile_call(compiler, arguments, named, node):
        if len(arguments) != 1 or named:
            raise compiler.error(TypingError, node, "it takes one number")
        value = compiler.number(arguments[0], node)
        if isinstance(value.type, types.Complex) and not takes_complex:
            raise compiler.error(TypingError, node, f"it does not take {value.type}")
        value = cast(value, operators.real_for(value.type))
        return Value(value.type, f"op::{text}({value.text})")

    return compile_call


def _two(text):
    def compile_call(compiler, arguments, named, node):
        if len(arguments) != 2 or named:
            raise compiler.error(TypingError, node, "it takes two numbers")
        values = [compiler.number(a, node) for a in arguments]
        to = types.common_real(*(operators.real_for(v.type) for v in values))
        if isinstance(to, types.Complex):
            raise compiler.error(TypingError, node, f"it does not take {to}")
        return Value(to, f"op::{text}({cast(values[0], to).text}, {cast(values[1], to).text})")

    return compile_call


for _name, _complex in ONE.items():
    if hasattr(numpy, _name):
        entry(getattr(numpy, _name))(_one(_name, _complex))
    if hasattr(math, _name):
        entry(getattr(math, _name))(_one(_name, False))
    if hasattr(cmath, _name):
        entry(getattr(cmath, _name))(_one(_name, True))
for _name, _text in MATH_NAMES.items():
    entry(getattr(math, _name))(_one(_text, False))
    entry(getattr(cmath, _name))(_one(_text, True))
for _name, _text in TWO.items():
    for _module in (math, numpy):
        if hasattr(_module, _name):
            entry(getattr(_module, _name))(_two(_text))
entry(math.atan2)(_two("arctan2"))
entry(numpy.deg2rad)(_one("radians", False))
entry(numpy.rad2deg)(_one("degrees", False))

for _name in ("erf", "erfc", "gamma", "lgamma"):
    _c = {"gamma": "tgamma"}.get(_name, _name)
    rows(getattr(math, _name), ("float32(float32)", f"::{_c}f({{0}})"), ("float64(float64)", f"::{_c}({{0}})"))


@entry(math.floor, math.ceil, math.trunc)
def call_rounding(compiler, arguments, named, node):
    """To an integer, as Python's functions give it."""
    value = compiler.number(arguments[0], node)
    if isinstance(value.type, types.Integer):
        return value
    name = ast.unparse(node.func).rsplit(".", 1)[-1]
    name = name if name in ("floor", "ceil", "trunc") else "floor"
    return Value(types.int64, f"op::to<long long>(op::{name}({value.text}))")


for _name in ("floor", "ceil", "trunc", "rint"):
    entry(getattr(numpy, _name))(_one(_name, False))


@entry(math.pow, numpy.power)
def call_power(compiler, arguments, named, node):
    values = [compiler.number(a, node) for a in arguments]
    to = types.common_real(*(operators.real_for(v.type) for v in values))
    return Value(to, f"op::power({cast(values[0], to).text}, {cast(values[1], to).text})")


def _test(text):
    def compile_call(compiler, arguments, named, node):
        value = compiler.number(arguments[0], node)
        return Value(types.boolean, f"op::{text}({cast(value, operators.real_for(value.type)).text})")

    return compile_call


for _name, _text in {"isnan": "is_nan", "isinf": "is_inf", "isfinite": "is_finite"}.items():
    for _module in (math, cmath, numpy):
        entry(getattr(_module, _name))(_test(_text))


def _operator(node_type):
    def compile_call(compiler, arguments, named, node):
        return operators.binary(node_type, arguments[0], arguments[1], compiler.failing(node))

    return compile_call


def _comparison(node_type):
    def compile_call(compiler, arguments, named, node):
        return operators.compare(node_type, arguments[0], arguments[1], compiler.failing(node))

    return compile_call


for _node, (_, _name, _function) in operators.BINARY.items():
    entry(_function)(_operator(_node))
    if _name != "power":
        entry(getattr(numpy, _name))(_operator(_node))
for _node, (_symbol, _, _function) in operators.COMPARE.items():
    entry(_function)(_comparison(_node))
for _name, _node in {
    "equal": ast.Eq, "not_equal": ast.NotEq, "less": ast.Lt, "less_equal": ast.LtE, "greater": ast.Gt, "greater_equal": ast.GtE,
}.items():  # fmt: skip
    entry(getattr(numpy, _name))(_comparison(_node))


def _extreme(text):
    def compile_call(compiler, arguments, named, node):
        values = [compiler.number(a, node) for a in arguments]
        to = types.unified(values[0].type, values[1].type)
        return Value(to, f"op::{text}({cast(values[0], to).text}, {cast(values[1], to).text})")

    return compile_call


for _name in ("maximum", "minimum", "fmax", "fmin"):
    entry(getattr(numpy, _name))(_extreme(_name))


@entry(operator.neg, numpy.negative)
def call_negative(compiler, arguments, named, node):
    return operators.unary(ast.USub, arguments[0], compiler.failing(node))


@entry(numpy.square)
def call_square(compiler, arguments, named, node):
    value = compiler.number(arguments[0], node)
    return Value(value.type, f"op::square({value.text})")


@entry(numpy.conjugate)
def call_conjugate(compiler, arguments, named, node):
    value = compiler.number(arguments[0], node)
    return Value(value.type, f"op::conjugate({value.text})")
