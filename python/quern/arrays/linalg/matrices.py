"""Matrices of ones, of powers and of numbers on diagonals, and the indices of their parts."""

import builtins

import numpy

from quern.arrays.core import asarray
from quern.arrays.creation import arange, eye
from quern.arrays.manipulation.arranging import resize
from quern.arrays.mathematics import greater_equal
from quern.lib import _engine


def identity(n, dtype=None):
    """The identity matrix of ``n`` rows.

    >>> identity(2)
    array([[1., 0.],
           [0., 1.]])
    """
    return eye(n, dtype=float if dtype is None else dtype)


# ---- triangles


def tri(N, M=None, k=0, dtype=float):
    """Ones on and below the ``k``-th diagonal of an N x M matrix, zeros above.

    >>> tri(2, 3, dtype=int)
    array([[1, 0, 0],
           [1, 1, 0]])
    """
    M = N if M is None else M
    return greater_equal(arange(N)[:, None], arange(-k, M - k)[None, :]).astype(dtype)


# ---- diagonals


def fill_diagonal(a, val, wrap=False):
    """Writes ``val`` (a number, or elements that are used over and over) on the diagonal of the array ``a``.

    ``wrap``: in a matrix with more rows than columns, the diagonal starts again below. Raises ValueError for fewer than two
    dimensions, or more than two that differ.

    >>> a = zeros((2, 2), int)
    >>> fill_diagonal(a, 5)
    >>> a
    array([[5, 0],
           [0, 5]])
    """
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    strides = a.strides
    if a.ndim > 2:
        if len(set(a.shape)) != 1:
            raise ValueError("All dimensions of input must be of equal length")
        _write(a._view([a.shape[0]], [builtins.sum(strides)]), val)
        return
    rows, columns = a.shape
    if not wrap or rows <= columns:
        _write(_engine.array_diagonal(a, 0, 0, 1), val)
        return
    blocks = rows // (columns + 1)
    rest = builtins.min(rows % (columns + 1), columns)
    down = strides[0] + strides[1]
    val = asarray(val, a._dtype_name)
    if val.size == 0:
        return
    val = val if val.size == 1 else resize(val, blocks * columns + rest)
    full = a._view([blocks, columns], [strides[0] * (columns + 1), down])
    full[...] = val if val.size == 1 else val[: blocks * columns].reshape(blocks, columns)
    if rest:
        _engine.array_diagonal(a[blocks * (columns + 1) :], 0, 0, 1)[...] = val if val.size == 1 else val[blocks * columns :]


def _write(view, val):
    val = asarray(val, view._dtype_name)
    if val.size == 0:
        return
    view[...] = val.reshape(1) if val.size == 1 else resize(val, view.shape)


def vander(x, N=None, increasing=False):
    """A matrix whose columns are powers of the vector ``x``, ``N`` of them, falling unless ``increasing``. Else ValueError.

    >>> vander([1, 2, 3])
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]])
    """
    x = asarray(x)
    return _engine.array_vander(x, x.size if N is None else N, bool(increasing), numpy.promote_types(x.dtype, int).name)


# ---- products


def _indices_from(arr, function, k, square):
    arr = asarray(arr)
    if square and arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    if not square and arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    if square and len(set(arr.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    made = function(arr.shape[0], arr.ndim) if square else function(arr.shape[-2], k, arr.shape[-1])
    return tuple(asarray(index) for index in made)


def diag_indices_from(arr):
    """The indices of the main diagonal of a square array: a tuple of arrays. Raises ValueError for arrays that are not square."""
    return _indices_from(arr, numpy.diag_indices, 0, True)


def tril_indices_from(arr, k=0):
    """The indices of what is on and below the ``k``-th diagonal of a matrix. Raises ValueError for what is no matrix."""
    return _indices_from(arr, numpy.tril_indices, k, False)


def triu_indices_from(arr, k=0):
    """The indices of what is on and above the ``k``-th diagonal of a matrix. Raises ValueError for what is no matrix."""
    return _indices_from(arr, numpy.triu_indices, k, False)
