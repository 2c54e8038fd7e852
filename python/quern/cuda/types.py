"""The types of values in kernels, by Numba's names: ``numba.types``, ``numba.cuda.types``."""

from quern.kernel import types as _types
from quern.kernel.linked import CPointer
from quern.kernel.signatures import ALIASES as _ALIASES
from quern.kernel.types import (
    Array,
    Boolean,
    Complex,
    Float,
    GridGroup,
    Integer,
    NoneType,
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


__all__ = [
    "Array",
    "Boolean",
    "CPointer",
    "Complex",
    "Dim3",
    "Float",
    "GridGroup",
    "Integer",
    "NoneType",
    "Number",
    "Optional",
    "Record",
    "Tuple",
    "Type",
    "UniTuple",
    "dim3",
    "grid_group",
    "none",
    "optional",
    "void",
    "voidptr",
    *_types.NUMBERS,
    *_ALIASES,
]
