"""cupy.lib.stride_tricks: views of an array's memory with other shapes and strides."""

import numpy

from quern.arrays import fallback as _fallback
from quern.arrays.manipulation import stride_tricks as _views
from quern.cupy._array import as_ndarray as _as_ndarray
from quern.cupy._array import ndarray as _ndarray


def as_strided(x, shape=None, strides=None):
    """Return a view of the memory of an array from its first element on.

    Parameters
    ----------
    x : ndarray
        Array.
    shape : tuple of ints, optional
        Shape of the view; None is that of `x`.
    strides : tuple of ints, optional
        Strides in bytes; None are those of `x`.

    Returns
    -------
    ndarray
        View.

    Raises
    ------
    ValueError
        For elements outside of the memory of `x`.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.lib.stride_tricks.as_strided(cp.arange(4), (3, 2), (8, 8))
    array([[0, 1],
           [1, 2],
           [2, 3]])
    """
    return _as_ndarray(_views.as_strided(x, shape, strides))


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """A view of all windows of a size: see :func:`quern.lib.stride_tricks.sliding_window_view`. It is not for writing."""
    if writeable:
        raise NotImplementedError("[sliding_window_view] Writeable views are not supported: several windows share an element")
    return _as_ndarray(_views.sliding_window_view(x, window_shape, axis, writeable=True))  # CuPy has no flag


def __getattr__(name):
    return _fallback.stand_in(numpy.lib.stride_tricks, name, "cupy.lib.stride_tricks", "lib.stride_tricks.", _ndarray)
