"""What cupy.ndarray refuses of its arguments, with CuPy's exceptions."""

import numpy

from quern.arrays import core as _core


def check_fits_in(memory, itemsize, shape, strides):
    """Raises ValueError where elements would lie outside of new memory."""
    ends = [(n - 1) * step for n, step in zip(shape, strides, strict=True)]
    last = sum(end for end in ends if end > 0) + itemsize
    if 0 not in shape and (any(end < 0 for end in ends) or last > memory.mem.size):
        raise ValueError(f"ndarray() with strides {tuple(strides)} needs memptr: they leave the memory of {memory.mem.size} bytes")


def check_can_take(out, array):
    """May the host's ``out`` take the array's values, as a copy of bytes?"""
    if not isinstance(out, numpy.ndarray):
        raise TypeError(f"[cupy.ndarray.get] Only numpy.ndarray can be obtained from cupy.ndarray, not {type(out).__name__}")
    if out.dtype != array.dtype:
        raise TypeError(f"{out.dtype} array cannot be obtained from {array.dtype} array")
    if out.shape != array.shape:
        raise ValueError(f"Shape mismatch. Expected shape: {array.shape}, actual shape: {out.shape}")
    if not out.flags.forc:
        raise RuntimeError("`out` cannot be specified when copying to non-contiguous ndarray; its elements lie with gaps")


def check_byte_order(dtype):
    """Raises ValueError for types of the other byte order."""
    if _core.known_name(dtype) is None and not (isinstance(dtype, str) and dtype in _core.numpy_dtypes) and not numpy.dtype(dtype).isnative:
        raise ValueError(f"Unsupported byte-order of dtype {numpy.dtype(dtype)}; convert it with newbyteorder('=')")
