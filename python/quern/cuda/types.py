"""The types of values in kernels, by Numba's names: ``numba.types``, ``numba.cuda.types``."""

import builtins as _builtins

from quern.cuda import type_classes as _classes
from quern.cuda.type_classes import *  # noqa: F403
from quern.cuda.type_classes import CPointer, Integer
from quern.kernel import types as _types
from quern.kernel.signatures import ALIASES as _ALIASES
from quern.kernel.types import (
    Array,
    BooleanLiteral,
    DType,
    EnumMember,
    GridGroup,
    IntegerLiteral,
    IntEnumMember,
    Literal,
    NoneType,
    NPDatetime,
    NPTimedelta,
    Optional,
    Record,
    StringLiteral,
    Type,
    UnicodeType,
    grid_group,
    none,
    unicode_type,
)

for _name, _type in _types.NUMBERS.items():
    globals()[_name] = _type
for _name, _target in _ALIASES.items():
    globals()[_name] = _types.NUMBERS[_target]
for _name in "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split():
    globals()[f"c_{_name}"] = globals()[f"np_{_name}"] = _types.NUMBERS[_name]
for _name in "bool_ char short int_ intc intp long longlong uchar ushort uint uintc uintp ulong ulonglong float_ double".split():
    globals()[f"np_{_name}"] = _types.NUMBERS[_ALIASES["long_" if _name == "long" else _name]]
np_complex64, np_complex128 = _types.complex64, _types.complex128
py_bool = c_bool = _types.boolean
py_int, py_float, py_complex = _types.int64, _types.float64, _types.complex128
c_intp, c_uintp = _types.intp, _types.uintp
void = none
optional = Optional
voidptr = CPointer(none)
string = unicode_type

signed_domain = frozenset(t for t in _types.NUMBERS.values() if isinstance(t, Integer) and t.signed)
unsigned_domain = frozenset(t for t in _types.NUMBERS.values() if isinstance(t, Integer) and not t.signed)
integer_domain = signed_domain | unsigned_domain
real_domain = frozenset((_types.float32, _types.float64))
complex_domain = frozenset((_types.complex64, _types.complex128))
number_domain = real_domain | integer_domain | complex_domain


class Dim3(Type):
    """Of ``threadIdx`` and its like: three int32, ``x``, ``y`` and ``z``."""

    name, c = "Dim3", "dim3"

    def __reduce__(self):
        return (Dim3, ())


dim3 = Dim3()


def literal(value):
    """The type of a value that is known while a kernel is compiled: an integer, a bool or a text. Raises TypeError for another."""
    for python_type, made in ((_builtins.bool, BooleanLiteral), (int, IntegerLiteral), (str, StringLiteral)):
        if isinstance(value, python_type):
            return made(value)
    raise TypeError(f"[types.literal] {value!r} is no integer, bool or text")


def unliteral(lit_type):
    """The type that such a value has when nobody knows it; of other types themselves."""
    if not isinstance(lit_type, Literal):
        return lit_type
    return lit_type.literal_type


def maybe_literal(value):
    """The type of such a value; None for another."""
    try:
        return literal(value)
    except TypeError:
        return None


def is_homogeneous(*tys):
    """Are these types all the same?"""
    return all(t == tys[0] for t in tys[1:])


def parse_integer_bitwidth(name):
    """The bits of a type by its name: 32 of "int32"."""
    return Integer(name).bitwidth


def parse_integer_signed(name):
    """Has the type of that name a sign?"""
    return Integer(name).signed


def __getattr__(name):
    raise AttributeError(f"module 'numba.types' has no attribute '{name}' here: kernels have no such values")


__all__ = [
    "Array",
    "BooleanLiteral",
    "DType",
    "Dim3",
    "EnumMember",
    "GridGroup",
    "IntEnumMember",
    "IntegerLiteral",
    "Literal",
    "NPDatetime",
    "NPTimedelta",
    "NoneType",
    "Optional",
    "Record",
    "StringLiteral",
    "Type",
    "UnicodeType",
    "complex_domain",
    "dim3",
    "grid_group",
    "integer_domain",
    "is_homogeneous",
    "literal",
    "maybe_literal",
    "none",
    "number_domain",
    "optional",
    "parse_integer_bitwidth",
    "parse_integer_signed",
    "real_domain",
    "signed_domain",
    "string",
    "unicode_type",
    "unliteral",
    "unsigned_domain",
    "void",
    "voidptr",
    *_classes.__all__,
    *_types.NUMBERS,
    *_ALIASES,
]
