"""NumPy's data types by the engine's names, and how structured and void types get theirs.

A type is registered with the engine when it is first seen: its text (which is its name there), its size, and its fields, whose types are
first. Two types are one where NumPy finds them equal, made in the same way (``align=True``, numpy.record).
"""

from __future__ import annotations

import ml_dtypes
import numpy

from quern.lib import _engine

_names: dict = {}  # of structured types, with what ``==`` does not see
_numbers = set(_engine.dtype_names())
numpy_dtypes = {name: numpy.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name) for name in _numbers}


def record_name(dtype):
    """The engine's name of a structured or void type. Raises UnsupportedDType for objects, sub-arrays as elements and other byte orders."""
    key = (dtype, dtype.isalignedstruct, dtype.type)
    if key not in _names:
        _names[key] = _told(dtype)
    return _names[key]


class UnsupportedDType(TypeError, ValueError):
    """A data type that no array has: a TypeError, and the ValueError that CuPy raises."""


def refuse_objects(dtype):
    """Raises UnsupportedDType for a type whose elements are references to Python objects."""
    if dtype.hasobject:
        raise UnsupportedDType(f"Unsupported dtype {dtype}: it contains Python objects, which device memory cannot hold")


def host_array(memory, shape, dtype, order):
    """NumPy's array over memory that a device reaches, as its ``base``. Raises UnsupportedDType for types with Python objects in them."""
    dtype = numpy.dtype(dtype)
    refuse_objects(dtype)  # NumPy would take the bytes there for references
    return numpy.ndarray(shape, dtype, memory, order=order)


def _told(dtype):
    refuse_objects(dtype)
    if dtype.subdtype is not None:
        of = dtype.subdtype[0]
        raise UnsupportedDType(f"Unsupported dtype {dtype}: it is a subarray dtype; add its shape to the array's shape; the dtype is {of}")
    if not dtype.isnative:
        raise UnsupportedDType(f"Unsupported dtype {dtype}: it has the other byte order; convert it with newbyteorder('=')")
    if dtype.itemsize == 0:
        raise UnsupportedDType(f"Unsupported dtype {dtype}: its itemsize is 0; pass a size, such as 'V10'")
    fields = []
    for name in dtype.names or ():
        of, offset = dtype.fields[name][:2]
        of, shape = of.subdtype or (of, ())
        fields.append((name, _field_name(of), offset, list(shape)))
    text = f"{dtype!s}{' of numpy.record' if dtype.type is numpy.record else ''}"
    while text in numpy_dtypes:  # of a type that is written alike, and is not equal
        text += " "
    numpy_dtypes[text] = dtype
    joined = numpy.result_type(dtype, dtype)
    return _engine.record_type(text, dtype.itemsize, fields, "" if joined == dtype else record_name(joined), dtype, _buffer_format(dtype))


def _field_name(of):
    """The engine's name of a field's type; texts and times are bytes to it."""
    return of.name if of.name in _numbers and of.isnative else record_name(of)


def _buffer_format(dtype):
    """How the buffer protocol has it; "" where it has no way, or NumPy does not understand its own."""
    try:
        view = memoryview(numpy.empty(1, dtype))
        return view.format if numpy.asarray(view).dtype == dtype else ""
    except (ValueError, RuntimeError):
        return ""
