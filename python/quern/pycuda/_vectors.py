"""CUDA's vector types as NumPy dtypes: ``vec.float3`` is what ``float3`` is in a kernel, ``vec.make_float3(1, 2, 3)`` one of them."""

from __future__ import annotations

import numpy as np

from quern.pycuda._arguments import get_or_register_dtype

_BASES = {
    "char": np.int8,
    "uchar": np.uint8,
    "short": np.int16,
    "ushort": np.uint16,
    "int": np.int32,
    "uint": np.uint32,
    "long": np.dtype("long").type,
    "ulong": np.dtype("ulong").type,
    "longlong": np.int64,
    "ulonglong": np.uint64,
    "float": np.float32,
    "double": np.float64,
}


def _maker(name, dtype):
    def make(*values, **named):
        if len(values) > len(dtype.names):
            raise ValueError(f"{name} has {len(dtype.names)} fields, not {len(values)}")
        given = dict(zip(dtype.names, values, strict=False))
        wrong = [field for field in named if field not in dtype.names or field in given]
        if wrong:
            raise TypeError(f"make_{name}() got '{wrong[0]}' twice, or has no such field")
        out = np.zeros((), dtype)
        for field, value in (given | named).items():
            out[field] = value
        return out

    make.__name__ = make.__qualname__ = f"make_{name}"
    make.__doc__ = f"A {name} of the values of its fields, as a NumPy array without axes: an argument of a kernel by value."
    return make


class vec:  # noqa: N801
    """CUDA's vector types as NumPy dtypes, and their makers: ``vec.float2``, ``vec.make_float2(x, y)`` ...

    >>> vec.make_float3(1, 2, 3)["y"]
    array(2., dtype=float32)
    """

    types = {}  # by the scalar type and the number of fields


for _name, _base in _BASES.items():
    for _count in (1, 2, 3, 4):
        _vector = f"{_name}{_count}"
        _dtype = np.dtype([(field, _base) for field in "xyzw"[:_count]])
        get_or_register_dtype([_vector], _dtype)
        vec.types[np.dtype(_base), _count] = _dtype
        setattr(vec, _vector, _dtype)
        setattr(vec, f"make_{_vector}", staticmethod(_maker(_vector, _dtype)))
