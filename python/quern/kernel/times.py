"""datetime64 and timedelta64: integers that count a unit. Which types operations have, NumPy says; the texts are python_times.cuh's."""

from __future__ import annotations

import ast
import math
import operator

import numpy

from quern.arrays import core as _core
from quern.arrays.records import record_name
from quern.kernel import operators, types
from quern.kernel.errors import TypingError
from quern.kernel.types import NPDatetime, NPTimedelta, Time
from quern.kernel.value import Value, cast, literal_text
from quern.lib import _engine

_BINARY = {
    ast.Add: ("+", operator.add, "sum"),
    ast.Sub: ("-", operator.sub, "difference"),
    ast.Mult: ("*", operator.mul, "product"),
    ast.Div: ("/", operator.truediv, "quotient"),
    ast.FloorDiv: ("//", operator.floordiv, "floor_quotient"),
    ast.Mod: ("%", operator.mod, "remainder"),
}
_COMPARE = {
    ast.Eq: ("==", "times::equal({0}, {1})"),
    ast.NotEq: ("!=", "!times::equal({0}, {1})"),
    ast.Lt: ("<", "times::less({0}, {1})"),
    ast.LtE: ("<=", "times::less_equal({0}, {1})"),
    ast.Gt: (">", "times::less({1}, {0})"),
    ast.GtE: (">=", "times::less_equal({1}, {0})"),
}
# How many of each unit the one before has, from days on.
_PARTS = {"W": 7, "D": 24, "h": 60, "m": 60, "s": 1000, "ms": 1000, "us": 1000, "ns": 1000, "ps": 1000, "fs": 1000}
_FROM_WEEKS = [*_PARTS, "as"]


def as_times(array, dtype):
    """The memory of an array of int64 as times."""
    return _engine.array_viewed_as(array, array.shape, array.strides, 0, record_name(dtype))


def as_integers(value, dtype):
    """An array of times, or one of them, as int64 on the device, in the unit that ``dtype`` has."""
    if isinstance(value, _core.Array) and value.dtype == dtype:
        return value.view(numpy.int64)
    value = _core.asnumpy(value) if isinstance(value, _core.Array) else numpy.asarray(value)
    return _core.asarray(numpy.ascontiguousarray(value.astype(dtype)).view(numpy.int64).reshape(value.shape))


def constant(scalar):
    """The value of a numpy.datetime64 or timedelta64."""
    return Value(types.of_dtype(scalar.dtype), literal_text(int(scalar.astype(numpy.int64)), types.int64))


def as_unit(value, to, fail, coarser=False):
    """The value in the unit of the type ``to``, which may be a coarser one, of the same moment's beginning, if ``coarser``."""
    unit, wanted, text = value.type.unit, to.unit, value.text
    is_date = isinstance(to, NPDatetime)
    if unit == "Y" and wanted not in ("Y", "") and (is_date or wanted == "M"):
        unit, text = "M", f"times::scaled({text}, 12LL)"
    if unit == "M" and wanted in _FROM_WEEKS[1:] and is_date:
        unit, text = "D", f"times::day_of_month({text})"
    if unit != wanted and unit in _FROM_WEEKS and wanted in _FROM_WEEKS[_FROM_WEEKS.index(unit) :]:
        factor = 1
        while unit != wanted:
            factor *= _PARTS[unit]
            unit = _FROM_WEEKS[_FROM_WEEKS.index(unit) + 1]
        if factor >= 2**63:
            raise fail(TypingError, f"{value.type} does not fit into {to}")
        text = f"times::scaled({text}, {factor}LL)"
    elif unit != wanted and coarser:
        unit, text = _coarser(unit, wanted, text, is_date)
    if type(value.type) is not type(to) or unit not in ("", wanted):
        raise fail(TypingError, f"{value.type} does not convert to {to}")
    return Value(to, text)


def _coarser(unit, wanted, text, is_date):
    """(unit, text) of a value in the coarser unit; as it is where that is none."""
    to = "D" if wanted in ("Y", "M") and is_date else wanted
    if unit in _FROM_WEEKS and to in _FROM_WEEKS[: _FROM_WEEKS.index(unit)]:
        factor = math.prod(_PARTS[u] for u in _FROM_WEEKS[_FROM_WEEKS.index(to) : _FROM_WEEKS.index(unit)])
        if factor < 2**63:
            unit, text = to, f"times::floor_quotient({text}, {factor}LL)"
    if unit == "W" and to == "D":
        unit, text = "D", f"times::scaled({text}, 7LL)"
    if unit == "D" and wanted in ("Y", "M") and is_date:
        unit, text = "M", f"times::month_of_day({text})"
    if unit == "M" and wanted == "Y":
        unit, text = "Y", f"times::floor_quotient({text}, 12LL)"
    return unit, text


def binary(node_type, a, b, fail):
    """The value of ``a <op> b``, one of which is a time."""
    symbol, compute, name = _BINARY.get(node_type, (operators.BINARY.get(node_type, ("@",))[0], None, ""))
    result, dtypes = None, [v.type.dtype for v in (a, b) if isinstance(v.type, (Time, types.Number))]
    if compute is not None and len(dtypes) == 2:
        try:
            with numpy.errstate(all="ignore"):
                result = types.of_dtype(compute(*(numpy.ones(1, d) for d in dtypes)).dtype)
        except (TypeError, ValueError):
            pass
    if result is None:
        raise fail(TypingError, f"unsupported operand types for {symbol}: {a.type} and {b.type}")
    if name in ("sum", "difference"):
        operands = [as_unit(v, type(v.type)(result.unit), fail) if isinstance(v.type, Time) else cast(v, types.int64) for v in (a, b)]
    elif isinstance(a.type, Time) and isinstance(b.type, Time):
        common = types.of_dtype(numpy.promote_types(*dtypes))
        operands = [as_unit(v, common, fail) for v in (a, b)]
        name = {"quotient": "ratio", "floor_quotient": "floor_ratio"}.get(name, name)
    else:  # a timedelta and a number
        time, number = (a, b) if isinstance(a.type, Time) else (b, a)
        name = {"floor_quotient": "quotient"}.get(name, name)  # as NumPy and Numba have it
        operands = [time, cast(number, types.float64 if isinstance(number.type, types.Float) else types.int64)]
    return Value(result, f"times::{name}({operands[0].text}, {operands[1].text})")


def unary(node_type, a, fail):
    if not isinstance(a.type, NPTimedelta) or node_type not in (ast.USub, ast.UAdd):
        word = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not "}[node_type]
        raise fail(TypingError, f"bad operand type for unary {word.strip()}: {a.type}")
    return Value(a.type, f"op::negative({a.text})" if node_type is ast.USub else a.text)  # of NaT itself


def compare(node_type, a, b, fail):
    symbol, text = _COMPARE[node_type]
    common = types.unified(a.type, b.type)
    if common is None:
        raise fail(TypingError, f"unsupported operand types for {symbol}: {a.type} and {b.type}")
    return Value(types.boolean, text.format(*(as_unit(v, common, fail).text for v in (a, b))))


def chosen(name, values, fail):
    """``min`` or ``max``: NaT where one of them is. NumPy's ``fmin`` and ``fmax`` leave NaT out."""
    common = values[0].type if isinstance(values[0].type, Time) else None
    for value in values[1:]:
        common = common and types.unified(common, value.type)
        if common is None:
            raise fail(TypingError, f"unsupported operand types for {name}: {', '.join(str(v.type) for v in values)}")
    text = as_unit(values[0], common, fail).text
    function = {"min": "least", "minimum": "least", "max": "greatest", "maximum": "greatest"}.get(name, name)
    for value in values[1:]:
        text = f"times::{function}({text}, {as_unit(value, common, fail).text})"
    return Value(common, text)
