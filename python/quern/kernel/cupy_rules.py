"""How CuPy types a kernel: cupyx.jit (mode "cuda") and cupy.vectorize (mode "numpy"). The front end is function.py's; start at common().

Python's own numbers have no type until they meet another operand or are kept. In mode "cuda" they then are int32 (int64 where they are
larger), float32 and complex64, and operands work in that of their types which comes last in ORDER: int32 and uint32 make uint32, int64 and
float32 make float32. A variable has the type of its first value; what is assigned later, or stored, is converted where NumPy's casting
"same_kind" allows it. In mode "numpy" types are NumPy's (since NumPy 2: Python's numbers take the other operand's), in variables too.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect

import numpy

from quern.arrays import mathematics
from quern.arrays.functions import functions
from quern.kernel import library, operators, types
from quern.kernel.errors import TypingError
from quern.kernel.function import Function
from quern.kernel.library.python import Range
from quern.kernel.operators import is_pythons
from quern.kernel.types import Boolean, Complex, Float, Integer, Number
from quern.kernel.value import MISSING, Value, cast, known
from quern.lib import _engine

ORDER = [
    types.NUMBERS[name]
    for name in "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128".split()
]
_CHARACTERS = {t.dtype.char: t for t in ORDER if t != types.bfloat16}


def _of_python(name):
    """The type of a variable that holds a number of Python's own: it takes the type of what it meets."""
    of = types.NUMBERS[name]
    made = type(of)(of.name, c=of.c)
    made.is_pythons = True
    return made


_PYTHONS = {name: _of_python(name) for name in ("int64", "float64", "complex128")}


def is_weak(value):
    """Is it a number of Python's own, known now or not?"""
    return getattr(value.type, "is_pythons", False) or (isinstance(value.type, Number) and is_pythons(value))


def numpys_common(a, b):
    """NumPy's common type of two; of Python's own numbers, the kind alone counts."""
    weak_a, weak_b = getattr(a, "is_pythons", False), getattr(b, "is_pythons", False)
    if weak_a and weak_b:
        return a if ORDER.index(a) >= ORDER.index(b) else b
    if weak_a or weak_b:
        weak, other = (a, b) if weak_a else (b, a)
        if isinstance(weak, Integer):
            return types.int64 if isinstance(other, Boolean) else other
        if isinstance(other, (Integer, Boolean)):
            return types.of_dtype(weak.dtype)
        if isinstance(weak, Complex) and not isinstance(other, Complex):
            return types.complex128 if other == types.float64 else types.complex64
        return other
    if types.bfloat16 in (a, b):
        return types.common_real(a, b)
    return types.of_dtype(numpy.promote_types(a.dtype, b.dtype))


class CupyFunction(Function):
    """A function by CuPy's rules."""

    mode = "cuda"
    retypes = False
    offers_local_arrays = False

    # ---- types

    def own_type(self, value):
        """The type that a number of Python's own has by itself."""
        if isinstance(value.type, Boolean):
            return types.boolean
        if self.mode == "numpy" or not value.is_const:
            return _PYTHONS.get(value.type.name, value.type)
        if isinstance(value.const, int):
            return types.int32 if -(2**31) <= value.const < 2**31 else value.type
        return types.complex64 if isinstance(value.const, complex) else types.float32

    def settled(self, value):
        """The value with a type, where it is a number of Python's own, or has some as parts."""
        if isinstance(value.type, types.Tuple) and value.items is not None:
            items = [self.settled(item) for item in value.items]
            return self.tuple_of(items) if any(a.type is not b.type for a, b in zip(items, value.items, strict=True)) else value
        if not is_weak(value):
            return value
        to = self.own_type(value)
        made = cast(value, to)
        return Value(to, made.text, made.const, natural=made.natural, fixed=made.fixed)  # of equal types cast() keeps the first

    def strong(self, value):
        """The same, with a type that is no longer Python's own."""
        value = self.settled(value)
        return Value(types.of_dtype(value.type.dtype), value.text, natural=value.natural) if is_weak(value) else value

    def common(self, values):
        """The type that operands work in."""
        if self.mode == "cuda":
            return max((self.settled(v).type for v in values), key=ORDER.index)
        return functools.reduce(numpys_common, [self.settled(v).type for v in values])

    def merged(self, a, b):
        if not (isinstance(a, Number) and isinstance(b, Number)):
            if isinstance(a, types.Tuple) and isinstance(b, types.Tuple) and len(a.types) == len(b.types):
                parts = [self.merged(x, y) for x, y in zip(a.types, b.types, strict=True)]
                return None if None in parts else types.Tuple(parts)
            return types.unified(a, b)
        return numpys_common(a, b) if self.mode == "numpy" else max(a, b, key=ORDER.index)

    def converted(self, value, to, node):
        if isinstance(value.type, Number) and isinstance(to, Number) and value.type != to and not is_pythons(value):
            if not numpy.can_cast(value.type.dtype, to.dtype, "same_kind"):
                hint = f"convert it: numpy.{to.dtype.name}(...)"
                raise self.error(TypingError, node, f"Cannot cast from '{value.type}' to '{to}' with casting rule same_kind", hint)
        return super().converted(value, to, node)

    # ---- variables, results, arguments

    def assign(self, name, value, node):
        variable = self.only.get(name)
        known = variable.type if variable is not None else None
        if self.mode == "cuda" and isinstance(value.type, Number) and isinstance(known, Number):
            value = self.converted(value, known, node)
        else:
            value = self.settled(value)
        super().assign(name, value, node)
        if getattr(known, "is_pythons", False) and not is_weak(value) and self.only[name].type is known:
            self.only[name].type, self.changed = value.type, True  # int64 by its own right

    def give_back(self, value, node):
        before = self.result
        super().give_back(None if value is None else self.settled(value), node)
        if getattr(before, "is_pythons", False) and self.result is before and not is_weak(value):
            self.result, self.changed = value.type, True

    def call_function(self, callee, arguments, named, node, declared=(), settings=None):
        named = {name: self.strong(a) for name, a in named.items()}
        return super().call_function(callee, [self.strong(a) for a in arguments], named, node, declared, settings)

    # ---- operators

    def arithmetic(self, node, left, right, of_literals=False):
        return self.operation(type(node.op), left, right, node)

    def operation(self, kind, left, right, node):
        fail = self.failing(node)
        numbers = isinstance(left.type, Number) and isinstance(right.type, Number)
        if not numbers or kind not in operators.BINARY or (is_pythons(left) and is_pythons(right)):
            return operators.binary(kind, left, right, fail, True)
        symbol, name, _ = operators.BINARY[kind]
        work = self.common([left, right])
        if symbol == "**" and isinstance(right.type, Integer) and is_weak(right) and isinstance(left.type, (Float, Complex)):
            made = operators.binary(kind, self.settled(left), right, fail)  # small powers are products
            return Value(work, made.text)
        if symbol in ("&", "|", "^", "<<", ">>") and not isinstance(work, (Integer, Boolean)):
            raise fail(TypingError, f"unsupported operand types for {symbol}: {left.type} and {right.type}", "convert them to integers")
        if isinstance(work, Boolean):
            if symbol == "-":
                raise fail(TypingError, "bools are not subtracted", "write ^, or convert them")
            work = types.int8 if symbol in ("//", "%", "**", "<<", ">>") else work
        if symbol == "/" and isinstance(work, (Integer, Boolean)):
            work = self.quotient_type(work)
        a, b = cast(left, work), self.checked_operand(kind, left, cast(right, work), node)
        if not isinstance(work, (Integer, Boolean)):
            made = operators.binary(kind, a, b, fail)
            return Value(work, made.text)
        if symbol == "**":
            return self.as_type(operators.binary(kind, a, b, fail), work)
        natural = not getattr(work, "signed", False)
        natural = natural or (b.natural if symbol == "%" else a.natural and b.natural and symbol in ("+", "*", "//", ">>", "&", "|"))
        return Value(work, f"op::{name}({a.text}, {b.text})", natural=natural)

    def as_type(self, value, to):
        return Value(to, cast(value, to).text, natural=value.natural)

    def quotient_type(self, work):
        """Of `/` of integers."""
        if getattr(work, "is_pythons", False):
            return _PYTHONS["float64"]
        return types.float32 if self.mode == "cuda" and isinstance(work, Integer) and work.bits <= 16 else types.float64

    def comparison(self, op, left, right, node):
        numbers = isinstance(left.type, Number) and isinstance(right.type, Number)
        if not numbers or type(op) not in operators.COMPARE or (is_pythons(left) and is_pythons(right)):
            return super().comparison(op, left, right, node)
        whole = all(isinstance(v.type, (Integer, Boolean)) for v in (left, right))
        if not (self.mode == "numpy" and whole):  # NumPy compares integers as the numbers they are
            work = self.common([left, right])
            left, right = cast(left, work), cast(right, work)
        return operators.compare(type(op), left, right, self.failing(node))

    def expr_UnaryOp(self, node):
        value, kind, fail = self.done(self.expression(node.operand)), type(node.op), self.failing(node)
        if not isinstance(value.type, Number) or is_pythons(value) or kind is ast.Not:
            return operators.unary(kind, value, fail)
        if kind is ast.Invert:
            return operators.unary(kind, value, fail) if not isinstance(value.type, Integer) else self.by_op("invert", value)
        if isinstance(value.type, Boolean):
            raise fail(TypingError, f"bad operand type for unary {operators.UNARY[kind][0]}: {value.type}", "write ~, or convert it")
        return value if kind is ast.UAdd else self.by_op("negative", value)

    def by_op(self, name, value):
        return Value(value.type, f"op::{name}({value.text})")

    def condition(self, node):
        value = self.done(self.expression(node))
        if isinstance(value.type, Complex) and not is_pythons(value):
            raise self.error(TypingError, node, "Complex type value cannot be boolean condition.")
        return operators.truth(value, self.failing(node))

    def find_truths(self, parameters):
        pass  # what is known when a test is compiled decides

    def truth_of(self, node, value):
        return bool(value.const) if value.is_const and isinstance(value.type, Number) else MISSING

    def tested(self, node):
        return self.condition(node)  # CuPy has a bool, whatever the operands are

    def choice_type(self, yes, no, node):
        if isinstance(yes.type, Number) and isinstance(no.type, Number):
            typed = [v for v in (yes, no) if not is_pythons(v)]
            if len(typed) == 1 and (isinstance(typed[0].type, Complex) or not any(isinstance(v.type, Complex) for v in (yes, no))):
                return typed[0].type  # a number that is written takes the other's
            return self.common([yes, no])
        to = self.merged(self.settled(yes).type, self.settled(no).type)
        if to is None or isinstance(to, (types.NoneType, types.Known)):
            raise self.error(TypingError, node, f"Cannot unify {yes.type} and {no.type}", "write if and else")
        return to

    def as_choice(self, value, to, node):
        if isinstance(value.type, Number) and isinstance(to, Number):
            return cast(value, to)
        return self.converted(self.settled(value), to, node)

    # ---- calls

    def called(self, function, arguments, named, node):
        obj = function.const if isinstance(function.type, types.Known) and function.bound is None else None
        if isinstance(obj, (numpy.ufunc, _engine.ufunc)):
            return self.ufunc(obj.__name__, arguments, named, node)
        compile_call = _CALLS.get(id(_unwrapped(obj)))
        if compile_call is not None:
            return compile_call(self, arguments, named, node)
        return super().called(function, arguments, named, node)

    def ufunc_of_dtype(self, name, arguments, dtype, node):
        """A ufunc whose loop is that of a dtype, given as a constant: operands and result have it."""
        try:
            to = types.of_dtype(numpy.dtype(dtype.const))
        except (AttributeError, TypeError):
            raise self.error(TypingError, node, f"cupy.{name}: `dtype` must be a data type, such as cupy.float32") from None
        given = [self.converted(self.settled(self.number(a, node)), to, node) for a in arguments]
        made = self.ufunc(name, given, {}, node)
        if made.type != to:
            raise self.error(TypingError, node, f"cupy.{name} has no loop whose result is {to}")
        return made

    def ufunc(self, name, arguments, named, node):
        """A ufunc of numbers: the loop that CuPy takes, and the text that arrays' kernels have."""
        name = {"divide": "true_divide", "mod": "remainder", "abs": "absolute"}.get(name, name)
        count = _OPERANDS.get(name)
        if count is not None and set(named) == {"dtype"}:
            return self.ufunc_of_dtype(name, arguments, named["dtype"], node)
        if count is None or named:
            what = "takes no keyword arguments" if named else "cannot be called"
            raise self.error(TypingError, node, f"cupy.{name} {what} in a kernel")
        if len(arguments) != count:
            raise self.error(TypingError, node, f"cupy.{name} takes {count} argument{'s' * (count > 1)}, not {len(arguments)}")
        for value in arguments:
            self.number(value, node)
        kind = _OPERATORS.get(name)
        if kind is not None:
            return self.operation(kind, *arguments, node)
        if name in _COMPARISONS:
            return self.comparison(_COMPARISONS[name], *arguments, node)
        if name.startswith("logical_"):
            tests = [operators.truth(a, self.failing(node)).text for a in arguments]
            text = {"and": "({0} && {1})", "or": "({0} || {1})", "xor": "({0} != {1})", "not": "!{0}"}[name[8:]].format(*tests)
            return Value(types.boolean, text)
        work = self.common(arguments)
        loop = self.loop_of(name, work)
        if loop is None:
            raise self.error(TypingError, node, f"cupy.{name} does not take {', '.join(str(a.type) for a in arguments)}")
        given, made = loop
        if getattr(work, "is_pythons", False):
            made = _PYTHONS.get(made.name, made)
        if name == "positive":
            return self.as_type(arguments[0], made)
        text = {"isnan": "is_nan", "isinf": "is_inf", "isfinite": "is_finite"}.get(name, name)
        texts = ", ".join(cast(a, t).text for a, t in zip(arguments, given, strict=True))
        return Value(made, f"op::{text}({texts})", natural=isinstance(made, Integer) and not made.signed)

    def loop_of(self, name, work):
        """(types of operands, type of the result) for operands that work in that type."""
        loops = _loops(name)
        for given, made in loops:
            if all(t == work for t in given):
                return given, made
        if self.mode == "cuda" and isinstance(work, (Integer, Boolean)) and name not in _OWN:
            real = types.float32 if work.bits <= 16 else types.float64
            return next(((given, made) for given, made in loops if all(t == real for t in given)), None)
        for given, made in loops:
            if all(numpy.can_cast(work.dtype, t.dtype, "safe") for t in given):
                return given, made
        return None


class NumpyFunction(CupyFunction):
    """A function by NumPy's types."""

    mode = "numpy"


RULES = {"cuda": CupyFunction, "numpy": NumpyFunction}

_OPERATORS = {name: kind for kind, (_, name, _) in operators.BINARY.items()}
_COMPARISONS = {
    "equal": ast.Eq(), "not_equal": ast.NotEq(), "less": ast.Lt(), "less_equal": ast.LtE(), "greater": ast.Gt(), "greater_equal": ast.GtE(),
}  # fmt: skip
_OPERANDS = {name: count for name, count, _, _ in _engine.array_ops()}
_OWN = {name for name, _, origin, _ in _engine.array_ops() if origin == "own"}  # NumPy has no such ufunc


@functools.cache
def _loops(name):
    """The loops of NumPy's ufunc, in its order, as types of kernels."""
    if name in _OWN:
        return [((t,) * _OPERANDS[name], t) for t in (types.float16, types.float32, types.float64)]
    out = []
    for text in getattr(numpy, name).types:
        given, _, made = text.partition("->")
        if all(c in _CHARACTERS for c in given + made) and len(made) == 1:
            out.append((tuple(_CHARACTERS[c] for c in given), _CHARACTERS[made]))
    return out


# ---- what has a meaning of its own here, by object

_CALLS = {}


def _unwrapped(obj):
    """The function of quern's that a front end's stands for: of the same name in the engine's table, or the one that it wraps."""
    if isinstance(obj, _engine.array_function):
        return functions.get(obj.__name__, obj)
    return inspect.unwrap(obj) if callable(obj) else obj


def _of_cupy(*objects):
    def enter(f):
        _CALLS.update({id(_unwrapped(obj)): f for obj in objects})
        return f

    return enter


def _extreme(name, ufunc):
    def compile_call(compiler, arguments, named, node):
        if len(arguments) < 2:
            raise compiler.error(TypingError, node, f"{name}() expects at least 2 arguments, got {len(arguments)}")
        if named:
            raise compiler.error(TypingError, node, f"{name}() takes no keyword arguments in a kernel")
        if all(is_pythons(a) for a in arguments):
            return operators.constant(getattr(builtins, name)(a.const for a in arguments))
        return functools.reduce(lambda a, b: compiler.ufunc(ufunc, [a, b], {}, node), arguments)

    return compile_call


_of_cupy(min)(_extreme("min", "minimum"))
_of_cupy(max)(_extreme("max", "maximum"))


@_of_cupy(abs)
def call_abs(compiler, arguments, named, node):
    if len(arguments) == 1 and is_pythons(arguments[0]):
        return operators.constant(abs(arguments[0].const))
    return compiler.ufunc("absolute", arguments, named, node)


@_of_cupy(pow)
def call_pow(compiler, arguments, named, node):
    return compiler.ufunc("power", arguments, named, node)


@_of_cupy(mathematics.where, numpy.where)
def call_where(compiler, arguments, named, node):
    if len(arguments) != 3 or named:
        raise compiler.error(TypingError, node, "where takes a condition and two numbers in a kernel")
    test = operators.truth(arguments[0], compiler.failing(node))
    values = [compiler.number(a, node) for a in arguments[1:]]
    to = compiler.common(values)
    return compiler.chosen(test, [compiler.as_type(v, to) for v in values], [[], []], node)


def _pythons_type(made_by, name):
    def compile_call(compiler, arguments, named, node):
        made = library.call(compiler, known(made_by), arguments, named, node)
        return compiler.as_type(made, _PYTHONS[name]) if compiler.mode == "numpy" and not is_pythons(made) else made

    return compile_call


_of_cupy(int)(_pythons_type(int, "int64"))
_of_cupy(float)(_pythons_type(float, "float64"))


@_of_cupy(range)
def call_range(compiler, arguments, named, node, pragma=""):
    """As for Numba; the numbers have the type of the end in mode "cuda", and are Python's own in mode "numpy"."""
    if named:
        raise compiler.error(TypingError, node, "range takes no keyword arguments in a kernel")
    if not 1 <= len(arguments) <= 3:
        bound = "most 3 arguments" if arguments else "least 1 argument"
        raise compiler.error(TypingError, node, f"range expected at {bound}, got {len(arguments)}")
    for a in arguments:
        if not isinstance(a.type, Integer):
            raise compiler.error(TypingError, node, "range supports only for integer type.")
    zero, one = operators.constant(0), operators.constant(1)
    start, stop, step = {1: (zero, *arguments, one), 2: (*arguments, one)}.get(len(arguments), tuple(arguments))
    made = Range(start, stop, step, compiler.settled(stop).type if compiler.mode == "cuda" else _PYTHONS["int64"], pragma)
    return Value(types.Known(made), const=made)


__all__ = ["RULES", "CupyFunction", "NumpyFunction", "call_range"]
