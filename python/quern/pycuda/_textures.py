"""CUDA arrays, textures and surfaces. They are not served yet: everything that would make one raises LogicError, which says so."""

from __future__ import annotations

import numpy as np

from quern.errors import LogicError
from quern.pycuda.enums import array_format


def _refuse(what, instead):
    raise LogicError(f"[{what}] not served yet: there are no CUDA arrays, textures and surfaces; {instead}")


class ArrayDescriptor:
    """What a CUDA array of one or two dimensions would be: ``width``, ``height``, ``format``, ``num_channels``."""

    width = height = num_channels = 0
    format = array_format.FLOAT


class ArrayDescriptor3D(ArrayDescriptor):
    """The same of three dimensions: ``depth`` and ``flags`` too."""

    depth = flags = 0


class Array:
    """Raises LogicError: CUDA arrays are not served yet."""

    def __init__(self, descriptor):
        _refuse("Array", "allocate with mem_alloc or mem_alloc_pitch")


class TextureReference:
    """Raises LogicError: textures are not served yet."""

    def __init__(self):
        _refuse("TextureReference", "pass the array as a pointer")


class SurfaceReference:
    """Raises LogicError: surfaces are not served yet."""

    def __init__(self):
        _refuse("SurfaceReference", "pass the array as a pointer")


_FORMATS = {
    "uint8": array_format.UNSIGNED_INT8,
    "uint16": array_format.UNSIGNED_INT16,
    "uint32": array_format.UNSIGNED_INT32,
    "int8": array_format.SIGNED_INT8,
    "int16": array_format.SIGNED_INT16,
    "int32": array_format.SIGNED_INT32,
    "float16": array_format.HALF,
    "float32": array_format.FLOAT,
}


def dtype_to_array_format(dtype):
    """The array_format of a NumPy type. Raises TypeError for one that textures do not have."""
    dtype = np.dtype(dtype)
    if dtype.name not in _FORMATS:
        raise TypeError(f"[dtype_to_array_format] textures hold no {dtype}; they hold integers up to 32 bits, float16 and float32")
    return _FORMATS[dtype.name]


def matrix_to_array(matrix, order, allow_double_hack=False):
    """Raises LogicError: CUDA arrays are not served yet."""
    _refuse("matrix_to_array", "use to_device()")


def np_to_array(nparray, order, allowSurfaceBind=False):
    """Raises LogicError: CUDA arrays are not served yet."""
    _refuse("np_to_array", "use to_device()")


def gpuarray_to_array(gpuarray, order, allowSurfaceBind=False):
    """Raises LogicError: CUDA arrays are not served yet."""
    _refuse("gpuarray_to_array", "use the array as it is")


def make_multichannel_2d_array(ndarray, order):
    """Raises LogicError: CUDA arrays are not served yet."""
    _refuse("make_multichannel_2d_array", "use to_device()")


def bind_array_to_texref(ary, texref):
    """Raises LogicError: textures are not served yet."""
    _refuse("bind_array_to_texref", "pass the array as a pointer")


def matrix_to_texref(matrix, texref, order):
    """Raises LogicError: textures are not served yet."""
    _refuse("matrix_to_texref", "pass the array as a pointer")


def memcpy_dtoa(ary, index, src, size):
    """Raises LogicError: CUDA arrays are not served yet."""
    _refuse("memcpy_dtoa", "use memcpy_dtod")


def memcpy_atod(dest, ary, index, size):
    """Raises LogicError: CUDA arrays are not served yet."""
    _refuse("memcpy_atod", "use memcpy_dtod")


def memcpy_atoa(dest, dest_index, src, src_index, size):
    """Raises LogicError: CUDA arrays are not served yet."""
    _refuse("memcpy_atoa", "use memcpy_dtod")


def memcpy_htoa(ary, index, src):
    """Raises LogicError: CUDA arrays are not served yet."""
    _refuse("memcpy_htoa", "use memcpy_htod")


def memcpy_atoh(dest, ary, index):
    """Raises LogicError: CUDA arrays are not served yet."""
    _refuse("memcpy_atoh", "use memcpy_dtoh")


py_memcpy_htoa = memcpy_htoa
py_memcpy_atoh = memcpy_atoh
