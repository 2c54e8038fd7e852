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


def _members():
    """The attributes of vec: dtypes, which kernels know by their names, and makers."""
    found = {"types": {}}  # by the scalar type and the number of fields
    for base, scalar in _BASES.items():
        for count in (1, 2, 3, 4):
            name, dtype = f"{base}{count}", np.dtype([(field, scalar) for field in "xyzw"[:count]])
            get_or_register_dtype([name], dtype)
            found["types"][np.dtype(scalar), count] = dtype
            found |= {name: dtype, f"make_{name}": staticmethod(_maker(name, dtype))}
    return found


_DOC = """CUDA's vector types as NumPy dtypes, and their makers: ``vec.float2``, ``vec.make_float2(x, y)`` ...

    >>> from quern.pycuda.gpuarray import vec
    >>> vec.make_float3(1, 2, 3)["y"]
    array(2., dtype=float32)
    """
vec = type("vec", (), {"__doc__": _DOC, "__module__": __name__, **_members()})
