"""What writes diagonals of matrices, and the indices of parts of matrices."""

import builtins

import numpy

from quern.arrays.core import asarray
from quern.arrays.manipulation.arranging import resize
from quern.lib import _engine


def fill_diagonal(a, val, wrap=False):
    """Write ``val`` (a number, or elements that are used over and over) on the diagonal of the array ``a``.

    Parameters
    ----------
    a : array_like
        Input array.
    val : scalar or array_like
        Value of the diagonal.
    wrap : object, optional
        In a matrix with more rows than columns, the diagonal starts again below.

    Returns
    -------
    Array
        The result, as described above.

    Raises
    ------
    ValueError
        For fewer than two dimensions, or more than two that differ.

    Examples
    --------
    >>> import quern as qn
    >>> a = qn.zeros((2, 2), int)
    >>> qn.fill_diagonal(a, 5)
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
    """Return the indices of the main diagonal of a square array: a tuple of arrays.

    Parameters
    ----------
    arr : array_like
        Input array.

    Returns
    -------
    tuple of Array
        The result, as described above.

    Raises
    ------
    ValueError
        For arrays that are not square.

    Examples
    --------
    >>> import quern as qn
    >>> x = qn.ones((2, 2))
    >>> x[qn.diag_indices_from(x)] = 5
    >>> x
    array([[5., 1.],
           [1., 5.]])
    """
    return _indices_from(arr, numpy.diag_indices, 0, True)


def tril_indices_from(arr, k=0):
    """Return the indices of what is on and below the ``k``-th diagonal of a matrix.

    Parameters
    ----------
    arr : array_like
        Input array.
    k : int, optional
        Number of the diagonal: 0 is the main one, positive ones are above it.

    Returns
    -------
    tuple of Array
        The result, as described above.

    Raises
    ------
    ValueError
        Unless the array has two dimensions.

    Examples
    --------
    >>> import quern as qn
    >>> x = qn.ones((2, 2))
    >>> x[qn.tril_indices_from(x)] = 5
    >>> x
    array([[5., 1.],
           [5., 5.]])
    """
    return _indices_from(arr, numpy.tril_indices, k, False)


def triu_indices_from(arr, k=0):
    """Return the indices of what is on and above the ``k``-th diagonal of a matrix.

    Parameters
    ----------
    arr : array_like
        Input array.
    k : int, optional
        Number of the diagonal: 0 is the main one, positive ones are above it.

    Returns
    -------
    tuple of Array
        The result, as described above.

    Raises
    ------
    ValueError
        Unless the array has two dimensions.

    Examples
    --------
    >>> import quern as qn
    >>> x = qn.ones((2, 2))
    >>> x[qn.triu_indices_from(x)] = 5
    >>> x
    array([[5., 5.],
           [1., 5.]])
    """
    return _indices_from(arr, numpy.triu_indices, k, False)
