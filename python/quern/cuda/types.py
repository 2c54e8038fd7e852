"""The types of values in kernels, by Numba's names: ``numba.types``, ``numba.cuda.types``."""

import builtins as _builtins

from quern.kernel import types as _types
from quern.kernel.linked import CPointer
from quern.kernel.signatures import ALIASES as _ALIASES
from quern.kernel.signatures import typeof as _typeof
from quern.kernel.types import (
    Array,
    Boolean,
    BooleanLiteral,
    Complex,
    DType,
    EnumMember,
    Float,
    GridGroup,
    Integer,
    IntegerLiteral,
    IntEnumMember,
    Literal,
    NamedTuple,
    NoneType,
    NPDatetime,
    NPTimedelta,
    Number,
    Optional,
    Record,
    StringLiteral,
    Tuple,
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


class _Uniform(type):
    """Of UniTuple and NamedUniTuple: which tuples are such ones shows in their types."""

    def __instancecheck__(cls, value):
        return isinstance(value, cls.base) and value.is_uniform

    def __call__(cls, dtype, count, *of):
        return cls.base([dtype] * count, *of)


class UniTuple(metaclass=_Uniform):
    """The type of a tuple of ``count`` values of the type ``dtype``: a :class:`Tuple`."""

    base = Tuple


class NamedUniTuple(metaclass=_Uniform):
    """The type of a named tuple of ``count`` values of the type ``dtype``: a :class:`NamedTuple` of the class that is given."""

    base = NamedTuple


BaseTuple = Tuple


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
    return _typeof(lit_type.literal_value)


__all__ = [
    "Array",
    "BaseTuple",
    "Boolean",
    "BooleanLiteral",
    "CPointer",
    "Complex",
    "DType",
    "Dim3",
    "EnumMember",
    "Float",
    "GridGroup",
    "IntEnumMember",
    "Integer",
    "IntegerLiteral",
    "Literal",
    "NamedTuple",
    "NPDatetime",
    "NPTimedelta",
    "NamedUniTuple",
    "NoneType",
    "Number",
    "Optional",
    "Record",
    "StringLiteral",
    "Tuple",
    "Type",
    "UniTuple",
    "UnicodeType",
    "complex_domain",
    "dim3",
    "grid_group",
    "integer_domain",
    "literal",
    "none",
    "number_domain",
    "optional",
    "real_domain",
    "signed_domain",
    "string",
    "unicode_type",
    "unliteral",
    "unsigned_domain",
    "void",
    "voidptr",
    *_types.NUMBERS,
    *_ALIASES,
]
