"""Strides, flags and dtypes of arrays under the names of pycuda.compyte.array, for array classes of programs' own."""

import numpy as np
from numpy.lib.stride_tricks import as_strided  # noqa: F401  (PyCUDA's name)


def f_contiguous_strides(itemsize, shape):
    """The strides of an array without gaps whose first axis is innermost."""
    strides = [itemsize]
    for n in shape[:-1]:
        strides.append(strides[-1] * max(n, 1))
    return tuple(strides[: len(shape)])


def c_contiguous_strides(itemsize, shape):
    """The same whose last axis is innermost."""
    return f_contiguous_strides(itemsize, shape[::-1])[::-1]


def equal_strides(strides1, strides2, shape):
    """Do both lead to the same elements? Axes of length 1 do not count."""
    return all(n == 1 or a == b for a, b, n in zip(strides1, strides2, shape, strict=True))


def is_f_contiguous_strides(strides, itemsize, shape):
    """Are these f_contiguous_strides(), as far as it matters?"""
    return equal_strides(strides, f_contiguous_strides(itemsize, shape), shape)


def is_c_contiguous_strides(strides, itemsize, shape):
    """Are these c_contiguous_strides(), as far as it matters?"""
    return equal_strides(strides, c_contiguous_strides(itemsize, shape), shape)


class ArrayFlags:
    """``c_contiguous``, ``f_contiguous`` and ``forc``, one of both, of anything with shape, strides and dtype."""

    def __init__(self, ary):
        self.f_contiguous = is_f_contiguous_strides(ary.strides, ary.dtype.itemsize, ary.shape)
        self.c_contiguous = is_c_contiguous_strides(ary.strides, ary.dtype.itemsize, ary.shape)
        self.forc = self.f_contiguous or self.c_contiguous

    def __repr__(self):
        return f"  C_CONTIGUOUS : {self.c_contiguous}\n  F_CONTIGUOUS : {self.f_contiguous}"


def get_common_dtype(obj1, obj2, allow_double=True):
    """The dtype of what is computed of two arrays, or of an array and a number; without ``allow_double`` one of single precision."""
    common = np.result_type(*(a.dtype if hasattr(a, "dtype") else a for a in (obj1, obj2)))
    return common if allow_double else {"d": np.dtype("f"), "D": np.dtype("F")}.get(common.char, common)
