"""Value: what an expression is while it is compiled."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy

from quern.kernel import types

MISSING = object()


class NotYet(Exception):  # noqa: N818  (no error yet)
    """Something whose type this walk over a function does not know; ``error`` is raised where no walk comes to know it. ``of``: the
    function whose result it is."""

    def __init__(self, error, of=None):
        super().__init__()
        self.error, self.of = error, of


@dataclass(frozen=True)
class Value:
    """``text`` is a C++ expression of ``type``; ``const`` what Python would have, where that is known now.

    ``items``: the parts of a tuple, when they stand apart. ``natural``: an integer that cannot be negative. ``name``: the variable that
    it is. ``fixed``: the constant that it will be, as a variable that is assigned once. ``bound``: of a method, the value it belongs to.
    ``place``: what is written to, where that is not the text. ``maybe``: where it may be None, the text of whether it is not.
    """

    type: types.Type
    text: str = ""
    const: object = MISSING
    items: tuple | None = None
    natural: bool = False
    name: str | None = None
    fixed: object = MISSING
    bound: Value | None = None
    place: str = ""
    maybe: str = ""

    @property
    def is_const(self):
        return self.const is not MISSING

    @property
    def foreseen(self):
        """The constant that it is, or that its variable has wherever it has a value."""
        return self.const if self.is_const else self.fixed

    @property
    def own_type(self):
        return types.Optional(self.type) if self.maybe else self.type

    def with_text(self, text):
        return replace(self, text=text)


class Elements:
    """What is looped over element by element and is no array: ``length(compiler, node)`` is a text, ``item(compiler, i, node)`` a Value.

    ``array``: where an element is written, None for nowhere.
    """

    __name__, is_looped_over, array = "...", True, None  # for messages


def known(obj):
    """Something that has no value in a kernel: a module, a function, a type."""
    return Value(types.Known(obj), const=obj)


def part_text(item):
    """The text of a value as an element of a tuple; of None it is any bool."""
    if isinstance(item.type, types.NoneType):
        return "false"
    return f"{item.own_type.c}{{{item.maybe}, {item.text}}}" if item.maybe else item.text


def stays_natural(given, work):
    """Is a number that is not negative so in another type, too? An unsigned one may have the bits of a negative number there."""
    if not isinstance(given, types.Integer) or not isinstance(work, types.Integer) or given.signed or not work.signed:
        return True
    return given.bits < work.bits


def cast(value, to):
    """The value as type ``to``, which is a number's."""
    if value.type == to:
        return value
    if value.is_const and not isinstance(value.const, (str, tuple)) and isinstance(to, types.Number):
        made = literal_text(value.const, to)
        if made is not None and to == types.bfloat16:
            return Value(to, made)  # NumPy's type rounds twice, a kernel once
        if made is not None:
            with numpy.errstate(all="ignore"):
                const = to.dtype.type(value.const).item()  # float32 has fewer digits
            return Value(to, made, const, natural=value.natural and stays_natural(value.type, to))
    if to == types.bfloat16 and not isinstance(value.type, types.Complex):
        return Value(to, f"{to.c}({value.text})")  # cast() goes by way of float, as NumPy's conversion does
    natural = value.natural and isinstance(to, types.Integer) and to.bits >= 64 and stays_natural(value.type, to)
    return Value(to, f"cast<{to.c}>({value.text})", natural=natural)


def literal_text(const, to):
    """A constant as a literal of C++; None where it has none in that type."""
    if isinstance(to, types.Boolean):
        return "true" if const else "false"
    if isinstance(to, types.Integer):
        if not isinstance(const, int) or not (-(2 ** (to.bits - 1)) if to.signed else 0) <= const < 2 ** (to.bits - to.signed):
            return None
        const = int(const)  # True
        if const == -(2**63):
            return "(-9223372036854775807LL - 1)"
        suffix = ("" if to.signed else "u") + ("LL" if to.bits == 64 else "")
        text = f"{const}{suffix}"
        return f"static_cast<{to.c}>({text})" if to.bits < 32 else f"({text})" if const < 0 else text
    if isinstance(to, types.Float):
        return _real(const, to) if isinstance(const, (int, float)) else None
    if isinstance(to, types.Complex):
        const = complex(const)
        return f"{to.c}({_real(const.real, to.part)}, {_real(const.imag, to.part)})"
    return None


def _real(const, to):
    const = float(const)
    if const != const:
        text = "static_cast<double>(__uint_as_float(0x7fc00000u))"
    elif const in (float("inf"), float("-inf")):
        text = ("-" if const < 0 else "") + "static_cast<double>(op::infinity())"
    else:
        text = repr(const)
    if to == types.float64:
        return f"({text})" if text.startswith("-") else text
    return f"{to.c}({text})"
