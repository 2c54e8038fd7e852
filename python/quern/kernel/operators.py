"""Operators: the type that `a + b` works in and has, as Numba has them, and the text.

Integers work in at least 64 bits and wrap; `/` of integers gives float64; `//` and `%` go with the divisor's sign and give 0 for a
divisor of 0. The texts are the ops of arrays (core/elements/quern/array.cuh).
"""

from __future__ import annotations

import ast
import operator
from dataclasses import replace

from quern.kernel import types
from quern.kernel.errors import TypingError
from quern.kernel.types import Boolean, Complex, Float, Integer, Number, boolean, float64
from quern.kernel.value import MISSING, Value, cast, stays_natural

BINARY = {
    ast.Add: ("+", "add", operator.add),
    ast.Sub: ("-", "subtract", operator.sub),
    ast.Mult: ("*", "multiply", operator.mul),
    ast.Div: ("/", "true_divide", operator.truediv),
    ast.FloorDiv: ("//", "floor_divide", operator.floordiv),
    ast.Mod: ("%", "remainder", operator.mod),
    ast.Pow: ("**", "power", operator.pow),
    ast.LShift: ("<<", "left_shift", operator.lshift),
    ast.RShift: (">>", "right_shift", operator.rshift),
    ast.BitAnd: ("&", "bitwise_and", operator.and_),
    ast.BitOr: ("|", "bitwise_or", operator.or_),
    ast.BitXor: ("^", "bitwise_xor", operator.xor),
}
COMPARE = {
    ast.Eq: ("==", "op::equal({0}, {1})", operator.eq),
    ast.NotEq: ("!=", "!op::equal({0}, {1})", operator.ne),
    ast.Lt: ("<", "op::less({0}, {1})", operator.lt),
    ast.LtE: ("<=", "op::less_equal({0}, {1})", operator.le),
    ast.Gt: (">", "op::less({1}, {0})", operator.gt),
    ast.GtE: (">=", "op::less_equal({1}, {0})", operator.ge),
}
UNARY = {ast.USub: ("-", operator.neg), ast.UAdd: ("+", operator.pos), ast.Invert: ("~", operator.invert), ast.Not: ("not", operator.not_)}


def wide(*integers):
    """The type in which integers work: 64 bits, signed where one of them is."""
    return types.int64 if any(t.signed for t in integers) else types.uint64


def _as_integer(t):
    return types.int64 if isinstance(t, Boolean) else t


def real_for(t):
    """The type with fractions that an operand of that type works in by itself."""
    return float64 if isinstance(t, (Integer, Boolean)) else t


def common(a, b):
    """The type of an operation on two numbers that integers wrap in."""
    if isinstance(a, (Integer, Boolean)) and isinstance(b, (Integer, Boolean)):
        return wide(_as_integer(a), _as_integer(b))
    if types.uint16 in (a, b):  # which Numba makes no float32
        beside = {types.float32: float64, types.complex64: types.complex128}.get(b if a == types.uint16 else a)
        if beside is not None:
            return beside
    return types.common_real(a, b)


def binary_types(symbol, a, b):
    """The type that the operation works in; for `/`, of integers, float64. None where there is no such operation."""
    if not (isinstance(a, Number) and isinstance(b, Number)):
        return None
    integers = isinstance(a, (Integer, Boolean)) and isinstance(b, (Integer, Boolean))
    if symbol in ("&", "|", "^"):
        if isinstance(a, Boolean) and isinstance(b, Boolean):
            return boolean
        return common(a, b) if integers else None
    if symbol in ("<<", ">>"):
        return wide(_as_integer(a)) if integers else None
    if symbol in ("//", "%") and (isinstance(a, Complex) or isinstance(b, Complex)):
        return None
    if symbol == "/" and integers:
        return float64
    if symbol == "**" and integers:
        return common(a, b)
    if symbol == "**" and isinstance(a, Float) and isinstance(b, (Integer, Boolean)):
        return a
    return common(a, b)


def binary(node_type, a, b, fail, of_literals=False):
    """The value of ``a <op> b``; ``fail(message)`` makes the error. ``of_literals``: Python itself has made a constant of it."""
    if node_type not in BINARY:
        raise fail(TypingError, f"unsupported operand types for @ in a kernel: {a.type} and {b.type}", "write the product's sums as a loop")
    symbol, name, compute = BINARY[node_type]
    if is_pythons(a) and is_pythons(b) and (of_literals or not _is_a_whole_fraction(symbol, a.const, b.const)):
        folded = _folded(compute, a.const, b.const)
        if folded is not None and (of_literals or not _is_pythons_alone(folded, a, b)):
            return folded
    work = binary_types(symbol, a.type, b.type)
    if work is None:
        raise _no_operation(fail, symbol, a, b)
    if symbol == "**" and b.is_const and isinstance(b.const, int) and 0 <= b.const <= 4 and not isinstance(work, Integer):
        return _small_power(cast(a, work), b.const)
    if symbol == "**" and isinstance(work, Integer):
        exponent = cast(b, wide(_as_integer(b.type)))  # of its own sign
        return Value(work, f"integer_power({cast(a, work).text}, {exponent.text})", natural=not work.signed)
    left, right = cast(a, work), cast(b, work)
    if isinstance(work, (Float, Complex)) and symbol in ("+", "-", "*") and work not in types.HALVES:
        return Value(work, f"({left.text} {symbol} {right.text})")
    if symbol == "/" and work not in types.HALVES and not isinstance(work, Complex):
        return Value(work, f"({left.text} / {right.text})")
    naturals = [x.natural and stays_natural(x.type, work) for x in (a, b)]
    natural = naturals[1] if symbol == "%" else all(naturals) and symbol in ("+", "*", "//", "<<", ">>", "&", "|")
    if symbol == "%" and natural and not right.is_const and isinstance(work, Integer):
        return Value(work, f"remainder_of_natural({left.text}, {right.text})", natural=True)
    if isinstance(work, Integer) and not work.signed:
        natural = True
    fixed = _folded(compute, a.foreseen, b.foreseen) if type(a.foreseen) is int and type(b.foreseen) is int else None
    return Value(work, f"op::{name}({left.text}, {right.text})", natural=natural, fixed=fixed.const if fixed else MISSING)


def types_of_optional(node_type, a, b):
    """The types that Numba converts integers to where one of them may be None: int64 or uint64, never float64. None for others."""
    if not (a.maybe or b.maybe) or node_type is ast.Div or not all(isinstance(v.type, (Integer, Boolean)) for v in (a, b)):
        return None
    if node_type in (ast.LShift, ast.RShift):
        return (types.uint64 if a.type == types.uint64 else types.int64, b.type) if a.maybe else None
    are_unsigned = all(isinstance(v.type, Integer) and not v.type.signed for v in (a, b))
    is_wide = any(v.maybe and v.type == types.uint64 for v in (a, b))
    return (types.uint64 if are_unsigned and is_wide else types.int64,) * 2


def division_by_zero(symbol, a, b):
    """Numba's text for a division by 0. ``symbol``: an operator, or divmod."""
    if isinstance(a, Complex) or isinstance(b, Complex):
        return "complex division by zero"
    are_integers = all(isinstance(t, (Integer, Boolean)) for t in (a, b)) and symbol != "/"
    if symbol == "divmod":
        return "integer divmod by zero" if are_integers and isinstance(types.unified(a, b), (Integer, Boolean)) else "modulo by zero"
    return "integer " * are_integers + ("modulo" if symbol == "%" else "division") + " by zero"


def _is_pythons_alone(made, a, b):
    """A result of constants with names that compiled arithmetic does not have: (-8.0) ** 0.5 is NaN, not complex, and int64 wraps."""
    if isinstance(made.type, Complex):
        return complex not in (type(a.const), type(b.const))
    return made.type == types.uint64 and types.uint64 not in (a.type, b.type)


def _is_a_whole_fraction(symbol, a, b):
    """``N ** -1`` of global integers: an integer in kernels, not Python's fraction."""
    return symbol == "**" and isinstance(a, int) and isinstance(b, int) and b < 0


def _of_elements(*operands):
    """What to write where whole arrays are operands."""
    return "a kernel works on elements: write a loop, or x[i]" if any(isinstance(o.type, types.Array) for o in operands) else ""


def _no_operation(fail, symbol, a, b):
    """The error of ``a <symbol> b``. Numba has none either of a number and a tuple, or of a number and None but for tests of equality."""
    are = [any(isinstance(v.type, kind) for v in (a, b)) for kind in (Number, types.Tuple, types.NoneType)]
    is_final = are[0] and (are[1] or are[2] and symbol not in ("==", "!="))
    hint = "take one item of the tuple, as in a.shape[0]" if any(isinstance(v.type, types.Tuple) for v in (a, b)) and is_final else ""
    error = fail(TypingError, f"unsupported operand types for {symbol}: {a.type} and {b.type}", hint or _of_elements(a, b))
    error.is_final = is_final
    return error


def _small_power(a, exponent):
    if exponent == 0:
        return cast(Value(types.int64, "1LL", 1), a.type)
    text = {1: "{0}", 2: "square({0})", 3: "cube({0})", 4: "square(square({0}))"}[exponent]
    return Value(a.type, text.format(a.text))


def is_pythons(a):
    """Is it known now, and of the type that Python's own number has here? ``float32(0.1)`` is not."""
    if not a.is_const or not isinstance(a.type, Number):
        return a.is_const
    return type(a.const) in (int, float, complex, bool) and a.type == constant(a.const).type


def _folded(compute, *constants):
    """A constant of Python's own arithmetic, as Numba folds them; None for what is no number, or is not defined."""
    if not all(type(c) in (int, float, complex, bool) for c in constants):
        return None
    if compute in (operator.pow, operator.lshift) and all(type(c) is int for c in constants):  # not of a million digits
        base, count = constants
        if count > 64 and abs(base) > 1:
            return None
    if compute is operator.invert:
        constants = [int(c) if type(c) is bool else c for c in constants]  # Python warns of ~True
    try:
        made = compute(*constants)
    except (ArithmeticError, TypeError, ValueError):
        return None
    if type(made) is int and not -(2**63) <= made < 2**64:
        return None
    return constant(made)


def constant(value):
    """A Python number as a value: int64 (uint64 where it is larger), float64, complex128, boolean."""
    from quern.kernel.value import literal_text

    if isinstance(value, bool):
        to = boolean
    elif isinstance(value, int):
        to = types.int64 if value < 2**63 else types.uint64
    else:
        to = types.complex128 if isinstance(value, complex) else float64
    text = literal_text(value, to)
    return Value(to, text, value, natural=isinstance(value, int) and value >= 0)


def unary(node_type, a, fail):
    symbol, compute = UNARY[node_type]
    if is_pythons(a):
        folded = _folded(compute, a.const)
        if folded is not None:
            return folded
    if symbol == "not":
        test = truth(a, fail)
        return constant(not test.const) if test.is_const else Value(boolean, f"!{test.text}")
    if not isinstance(a.type, Number) or (symbol == "~" and not isinstance(a.type, (Integer, Boolean))):
        raise fail(TypingError, f"bad operand type for unary {symbol}: {a.type}", _of_elements(a))
    if symbol == "~" and isinstance(a.type, Boolean):
        return Value(boolean, f"!{a.text}")
    work = wide(_as_integer(a.type)) if isinstance(a.type, (Integer, Boolean)) else a.type
    if symbol == "+":
        return cast(a, work)
    # A narrow integer is turned in its own type, then widened: ~uint8(1) is 254.
    value = cast(a, work) if isinstance(a.type, Boolean) else a
    return cast(Value(value.type, f"op::{'negative' if symbol == '-' else 'invert'}({value.text})"), work)


def truth(a, fail):
    """As a condition."""
    if a.maybe:
        return Value(boolean, f"({a.maybe} && {truth(replace(a, maybe=''), fail).text})")
    if a.is_const and isinstance(a.type, types.Known):
        return constant(bool(a.const))
    if isinstance(a.type, Boolean):
        return a
    if isinstance(a.type, types.NoneType):
        return constant(False)
    if isinstance(a.type, types.Tuple):
        return constant(bool(a.type.types))
    if not isinstance(a.type, Number):
        raise fail(TypingError, f"{a.type} is neither true nor false", "test its size, or an element" * isinstance(a.type, types.Array))
    return Value(boolean, f"op::to<bool>({a.text})", MISSING if not a.is_const else bool(a.const))


def compare(node_type, a, b, fail, orders_complex=False):
    """The value of ``a <op> b``. ``orders_complex``: `<` of complex numbers goes by the real, then the imaginary part, as NumPy has it."""
    symbol, text, compute = COMPARE[node_type]
    if any(isinstance(one.type, types.Tuple) and isinstance(other.type, Number) for one, other in ((a, b), (b, a))):
        raise _no_operation(fail, symbol, a, b)
    if is_pythons(a) and is_pythons(b) and (folded := _compared(compute, a.const, b.const)) is not None:
        return folded
    if not (isinstance(a.type, Number) and isinstance(b.type, Number)):
        raise _no_operation(fail, symbol, a, b)
    if symbol not in ("==", "!=") and not orders_complex and any(isinstance(t, Complex) for t in (a.type, b.type)):
        error = fail(TypingError, f"unsupported operand types for {symbol}: {a.type} and {b.type}", "compare their .real, or abs()")
        error.is_final = True
        raise error
    if isinstance(a.type, Boolean) and isinstance(b.type, Integer):
        a = cast(a, b.type)
    elif isinstance(a.type, Integer) and isinstance(b.type, Boolean):
        b = cast(b, a.type)
    if isinstance(a.type, Integer) and isinstance(b.type, Integer) and a.type.signed != b.type.signed:
        # Integers are compared as the numbers they are.
        if not a.natural and not b.natural or max(a.type.bits, b.type.bits) == 64:
            name = {"==": "same", "!=": "!same", "<": "below", "<=": "!below", ">": "below", ">=": "!below"}[symbol]
            left, right = (a, b) if symbol in ("==", "!=", "<", ">=") else (b, a)
            return Value(boolean, f"{name}({cast(left, wide(left.type)).text}, {cast(right, wide(right.type)).text})")
    work = boolean if a.type == b.type == boolean else common(a.type, b.type)
    return Value(boolean, f"({text.format(cast(a, work).text, cast(b, work).text)})")


def _compared(compute, a, b):
    if not all(type(c) in (int, float, complex, bool, str, tuple, type(None)) for c in (a, b)):
        return None
    try:
        return constant(bool(compute(a, b)))
    except TypeError:
        return None
