"""cupy.lib.stride_tricks: views of an array's memory with other shapes and strides."""

import numpy

from quern.arrays import core as _core
from quern.arrays import fallback as _fallback
from quern.cupy._array import as_ndarray as _as_ndarray
from quern.cupy._array import ndarray as _ndarray
from quern.lib import _engine


def as_strided(x, shape=None, strides=None):
    """A view of the memory of ``x`` from its first element on.

    Parameters: ``shape``, ``strides`` (in bytes): those of the view, by default those of ``x``. Places outside of the memory that ``x``
    is a part of raise ValueError.
    """
    x = _core.asarray(x)
    shape = list(x.shape) if shape is None else _core._shape(shape)
    strides = list(x.strides) if strides is None else _core._shape(strides)
    if len(shape) != len(strides):
        raise ValueError(f"{len(strides)} strides do not fit {len(shape)} dimensions")
    reach = [(n - 1) * step for n, step in zip(shape, strides, strict=True)]
    whole = _engine.array_whole(x)
    first = x._offset - whole._offset + sum(min(r, 0) for r in reach)
    last = x._offset - whole._offset + sum(max(r, 0) for r in reach) + x.itemsize
    if 0 not in shape and (first < 0 or last > whole.nbytes):
        raise ValueError(f"the view reaches from byte {first} to {last} of memory of {whole.nbytes} bytes")
    return _as_ndarray(_engine.array_viewed_as(x, shape, strides, x._offset, x._dtype_name))


def __getattr__(name):
    return _fallback.stand_in(numpy.lib.stride_tricks, name, "cupy.lib.stride_tricks", "lib.stride_tricks.", _ndarray)
