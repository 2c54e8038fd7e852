"""The types of values in kernels, by Numba's names: ``numba.types``, ``numba.cuda.types``."""

from quern.kernel import types as _types
from quern.kernel.linked import CPointer
from quern.kernel.signatures import ALIASES as _ALIASES
from quern.kernel.types import (
    Array,
    Boolean,
    Complex,
    EnumMember,
    Float,
    GridGroup,
    Integer,
    IntEnumMember,
    Literal,
    NamedTuple,
    NoneType,
    NPDatetime,
    NPTimedelta,
    Number,
    Optional,
    Record,
    Type,
    grid_group,
    none,
)

for _name, _type in _types.NUMBERS.items():
    globals()[_name] = _type
for _name, _target in _ALIASES.items():
    globals()[_name] = _types.NUMBERS[_target]
void = none
optional = Optional
voidptr = CPointer(none)

signed_domain = frozenset(t for t in _types.NUMBERS.values() if isinstance(t, Integer) and t.signed)
unsigned_domain = frozenset(t for t in _types.NUMBERS.values() if isinstance(t, Integer) and not t.signed)
integer_domain = signed_domain | unsigned_domain
real_domain = frozenset((_types.float32, _types.float64))
complex_domain = frozenset((_types.complex64, _types.complex128))
number_domain = real_domain | integer_domain | complex_domain


class StringLiteral(Literal):
    """Of a text that is known while a kernel is compiled."""


class UnicodeType(Type):
    """Of texts, which have no values in kernels but those known while it is compiled."""

    def __reduce__(self):
        return (UnicodeType, (self.name,))


unicode_type = string = UnicodeType("unicode_type")


class DType(Type):
    """Of a data type that is handed to a function."""

    def __init__(self, dtype):
        super().__init__(f"dtype({dtype})")
        self.dtype = dtype

    def __reduce__(self):
        return (DType, (self.dtype,))


class Dim3(Type):
    """Of ``threadIdx`` and its like: three int32, ``x``, ``y`` and ``z``."""

    name, c = "Dim3", "dim3"

    def __reduce__(self):
        return (Dim3, ())


dim3 = Dim3()


def Tuple(types):  # noqa: N802  (Numba's name)
    """The type of a tuple of values of those types."""
    return _types.Tuple(types)


def UniTuple(dtype, count):  # noqa: N802
    """The type of a tuple of ``count`` values of one type."""
    return _types.Tuple([dtype] * count)


def NamedUniTuple(dtype, count, cls):  # noqa: N802
    """The type of a named tuple of ``count`` values of one type."""
    return NamedTuple([dtype] * count, cls)


__all__ = [
    "Array",
    "Boolean",
    "CPointer",
    "Complex",
    "DType",
    "Dim3",
    "EnumMember",
    "Float",
    "GridGroup",
    "IntEnumMember",
    "Integer",
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
    "none",
    "number_domain",
    "optional",
    "real_domain",
    "signed_domain",
    "string",
    "unicode_type",
    "unsigned_domain",
    "void",
    "voidptr",
    *_types.NUMBERS,
    *_ALIASES,
]
