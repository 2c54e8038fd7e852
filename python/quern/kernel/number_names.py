"""The types of numbers by the names that Numba has for them."""

from quern.kernel import types
from quern.kernel.types import (  # noqa: F401
    bfloat16,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

bool = bool_ = b1 = boolean = types.boolean  # noqa: A001
byte = u1 = uchar = uint8
i1 = char = int8
i2 = short = int16
u2 = ushort = uint16
i4 = intc = int32
u4 = uintc = uint32
i8 = int_ = intp = long_ = longlong = ssize_t = int64
u8 = uint = uintp = ulong = ulonglong = size_t = uint64
f2 = float16
f4 = float_ = float32
f8 = double = float64
c8 = complex64
c16 = complex128

__all__ = [name for name, one in globals().items() if isinstance(one, types.Type)]  # noqa: PLE0605
ALIASES = {name: globals()[name].name for name in __all__ if name not in types.NUMBERS}
