"""The types of values in kernels, by Numba's names: ``numba.types``, ``numba.cuda.types``."""

import builtins as _builtins

from quern.cuda import type_classes as _classes
from quern.cuda.type_classes import *  # noqa: F403
from quern.cuda.type_classes import CPointer, Integer
from quern.kernel import number_names as _n
from quern.kernel import types as _types
from quern.kernel.number_names import *  # noqa: F403
from quern.kernel.number_names import __all__ as _numbers
from quern.kernel.type_docstrings import TypeDocstring
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

c_int8, c_int16, c_int32, c_int64, c_uint8, c_uint16 = _n.int8, _n.int16, _n.int32, _n.int64, _n.uint8, _n.uint16
c_uint32, c_uint64, c_float16, c_float32, c_float64 = _n.uint32, _n.uint64, _n.float16, _n.float32, _n.float64
np_int8, np_int16, np_int32, np_int64, np_uint8, np_uint16 = _n.int8, _n.int16, _n.int32, _n.int64, _n.uint8, _n.uint16
np_uint32, np_uint64, np_float16, np_float32, np_float64 = _n.uint32, _n.uint64, _n.float16, _n.float32, _n.float64
np_bool_, np_char, np_short, np_int_, np_intc, np_intp = _n.bool_, _n.char, _n.short, _n.int_, _n.intc, _n.intp
np_long, np_longlong, np_uchar, np_ushort, np_uint, np_uintc = _n.long_, _n.longlong, _n.uchar, _n.ushort, _n.uint, _n.uintc
np_uintp, np_ulong, np_ulonglong, np_float_, np_double = _n.uintp, _n.ulong, _n.ulonglong, _n.float_, _n.double
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
    __doc__ = TypeDocstring(*2 * ("Type of ``threadIdx``, ``blockIdx``, ``blockDim`` and ``gridDim``: three int32, `x`, `y` and `z`.",))

    name, c = "Dim3", "dim3"

    def __reduce__(self):
        return (Dim3, ())


dim3 = Dim3()


def literal(value):
    """Return the literal type of a value that is known while a kernel is compiled.

    Parameters
    ----------
    value : int, bool or str
        The value.

    Returns
    -------
    Literal
        Its type.

    Raises
    ------
    TypeError
        For another value.
    """
    for python_type, made in ((_builtins.bool, BooleanLiteral), (int, IntegerLiteral), (str, StringLiteral)):
        if isinstance(value, python_type):
            return made(value)
    raise TypeError(f"[types.literal] {value!r} is not an int, bool or str")


def unliteral(lit_type):
    """Return the type of a literal type's value; another type itself."""
    if not isinstance(lit_type, Literal):
        return lit_type
    return lit_type.literal_type


def maybe_literal(value):
    """Return the literal type of an int, bool or str; None for another value."""
    try:
        return literal(value)
    except TypeError:
        return None


def is_homogeneous(*tys):
    """Return whether the types are all the same."""
    return all(t == tys[0] for t in tys[1:])


def parse_integer_bitwidth(name):
    """Return the number of bits of an integer type by its name: 32 for "int32"."""
    return Integer(name).bitwidth


def parse_integer_signed(name):
    """Return whether an integer type is signed, by its name."""
    return Integer(name).signed


def __getattr__(name):
    raise AttributeError(f"module 'numba.types' has no attribute '{name}': kernels do not support such values")


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
    *_numbers,
]
