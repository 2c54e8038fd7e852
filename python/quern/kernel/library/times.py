"""Functions and attributes of datetime64 and timedelta64."""

from __future__ import annotations

import warnings

import numpy

from quern.kernel import times, types
from quern.kernel.errors import TypingError
from quern.kernel.library.table import bound, entry, method
from quern.kernel.value import MISSING, Value, cast


@entry(numpy.isnat, takes=1)
def call_isnat(compiler, arguments, named, node):
    if not isinstance(arguments[0].type, types.Time):
        raise compiler.error(TypingError, node, f"numpy.isnat takes a datetime64 or a timedelta64, not {arguments[0].type}")
    return Value(types.boolean, f"times::is_nat({arguments[0].text})")


def _made(cls):
    def compile_call(compiler, arguments, named, node):
        value, unit = arguments[0], arguments[1].foreseen if len(arguments) == 2 else None
        if unit is MISSING or (unit is not None and unit not in types.UNITS):
            raise compiler.error(TypingError, node, "the unit must be a string that is known when the kernel is compiled, such as 's'")
        if isinstance(value.type, types.Time):
            return times.as_unit(value, cls(value.type.unit if unit is None else unit), compiler.failing(node))
        if value.foreseen is not MISSING:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", DeprecationWarning)  # of no unit: the kernel's operation gives it one
                    return times.constant(getattr(numpy, cls.word)(value.foreseen, *([] if unit is None else [unit])))
            except (TypeError, ValueError) as e:
                raise compiler.error(TypingError, node, str(e)) from None
        return Value(cls(unit or ""), compiler.integer(value, node).text)

    return compile_call


for _class in (types.NPDatetime, types.NPTimedelta):
    entry(getattr(numpy, _class.word), takes=(1, 2))(_made(_class))


@method(types.Time, "dtype")
def time_dtype(compiler, owner, node):
    return Value(types.Known(owner.type), const=owner.type)


@method(types.Time, "view", "astype")
def time_as(compiler, owner, node):
    def converted(compiler, owner, arguments, named, node):
        if len(arguments) != 1 or named:
            raise compiler.error(TypingError, node, "it requires a type")
        to = compiler.dtype_of(arguments[0], node)
        if isinstance(to, types.Time):
            return times.as_unit(owner, to, compiler.failing(node), coarser=True)
        if not isinstance(to, (types.Integer, types.Float)):
            raise compiler.error(TypingError, node, f"{owner.type} does not convert to {to}")
        return cast(Value(types.int64, owner.text), to)

    return bound(converted, owner)
