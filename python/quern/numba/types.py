"""The types of values in kernels, by Numba's names."""

from quern.kernel import types as _types
from quern.kernel.signatures import ALIASES as _ALIASES
from quern.kernel.types import Array, Boolean, Complex, Float, Integer, Number, Type, none

for _name, _type in _types.NUMBERS.items():
    globals()[_name] = _type
for _name, _target in _ALIASES.items():
    globals()[_name] = _types.NUMBERS[_target]
void = none


def Tuple(types):  # noqa: N802  (Numba's name)
    """The type of a tuple of values of those types."""
    return _types.Tuple(types)


def UniTuple(dtype, count):  # noqa: N802
    """The type of a tuple of ``count`` values of one type."""
    return _types.Tuple([dtype] * count)


__all__ = [
    "Array",
    "Boolean",
    "Complex",
    "Float",
    "Integer",
    "Number",
    "Tuple",
    "Type",
    "UniTuple",
    "none",
    "void",
    *_types.NUMBERS,
    *_ALIASES,
]
