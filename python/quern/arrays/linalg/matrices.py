"""Diagonals and triangles of matrices, and products that are sums of products."""

import builtins

import numpy

from quern.arrays.core import NUMPY_2_5, Array, _axis, _check_cast, _is_out, asarray
from quern.arrays.creation import arange, eye
from quern.arrays.manipulation import ravel
from quern.arrays.manipulation.arranging import resize
from quern.arrays.mathematics import greater_equal
from quern.arrays.mathematics.reductions import _given
from quern.arrays.mathematics.reductions import sum as _sum
from quern.lib import _engine
from quern.user_files import warn_user


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


def tril(m, k=0):
    """A new array with zeros above the ``k``-th diagonal of the last two axes.

    >>> tril([[1, 2], [3, 4]])
    array([[1, 0],
           [3, 4]])
    """
    return _engine.array_triangle(asarray(m), -int(-k), True)  # k need not be whole


def triu(m, k=0):
    """A new array with zeros below the ``k``-th diagonal of the last two axes.

    >>> triu([[1, 2], [3, 4]])
    array([[1, 2],
           [0, 4]])
    """
    return _engine.array_triangle(asarray(m), 1 - int(1 - k), False)


# ---- diagonals


def diagonal(a, offset=0, axis1=0, axis2=1):
    """A read-only view of the ``offset``-th diagonals of the planes of ``axis1`` and ``axis2``; the diagonal is the last axis.

    Raises ValueError for fewer than two dimensions or one axis named twice, AxisError for an axis that is not there.

    >>> diagonal([[1, 2], [3, 4]], 1)
    array([2])
    """
    out = _diagonal(a, offset, axis1, axis2)
    if out._broadcasts_read_only:
        out._writeable = False
    return out


def _diagonal(a, offset=0, axis1=0, axis2=1):
    a = asarray(a)
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    return _engine.array_diagonal(a, offset, _axis(axis1, a.ndim), _axis(axis2, a.ndim))


def diag(v, k=0):
    """Of a matrix its ``k``-th diagonal, a view; of a vector a new matrix with it on the ``k``-th diagonal. Else ValueError.

    >>> diag([1, 2])
    array([[1, 0],
           [0, 2]])
    """
    v = asarray(v)
    return diagonal(v, k) if v.ndim == 2 else _engine.array_diag(v, k)


def diagflat(v, k=0):
    """A new matrix with the flattened ``v`` on its ``k``-th diagonal.

    >>> diagflat([[1], [2]])
    array([[1, 0],
           [0, 2]])
    """
    return diag(ravel(asarray(v)), k)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum of :func:`diagonal`. In ``quern`` itself the name does more: called without an array, ``quern.trace`` records launches.

    >>> trace([[1, 2], [3, 4]])
    array(5)
    """
    return _sum(diagonal(a, offset, axis1, axis2), -1, dtype, out)


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
        _write(_diagonal(a), val)
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
        _diagonal(a[blocks * (columns + 1) :])[...] = val if val.size == 1 else val[blocks * columns :]


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


def outer(a, b, out=None):
    """The products of each element of ``a`` with each of ``b``, both flattened.

    >>> outer([1, 2], [3, 4])
    array([[3, 4],
           [6, 8]])
    """
    result = _engine.array_outer(asarray(a), asarray(b))
    if _is_out(out):
        _check_cast(result.dtype, out.dtype, "same_kind")
    return _given(result, out)


def dot(a, b, out=None):
    """The sums of products over the last axis of ``a`` and the last but one of ``b`` (the only one of a vector).

    Matrices are multiplied; with a number, each element is. Raises ValueError for sizes that differ or an ``out`` that does not fit.

    >>> dot([1, 2], [3, 4])
    array(11)
    """
    if out is None and isinstance(a, Array) and isinstance(b, Array):
        return _engine.array_dot(a, b)
    result = _engine.array_dot(asarray(a), asarray(b))
    if out is None:
        return result
    rows = _is_out(out) and (out._contiguous[0] if isinstance(out, Array) else out.flags.c_contiguous)
    if not rows or out.dtype != result.dtype or out.shape != result.shape:
        raise ValueError("output array is not acceptable (must have the right datatype, number of dimensions, and be a C-Array)")
    return _given(result, out)


def inner(a, b, /):
    """The sums of products over the last axes of both. Raises ValueError for sizes that differ.

    >>> inner([1, 2], [3, 4])
    array(11)
    """
    return _engine.array_inner(asarray(a), asarray(b))


def vdot(a, b, /):
    """The sum of the products of the flattened arrays, the first conjugated. Raises ValueError for different sizes.

    >>> vdot([1j, 2], [1j, 2])
    array(5.+0.j)
    """
    return _engine.array_vdot(asarray(a), asarray(b))


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The cross products of vectors of three components (or two, where the installed NumPy still allows it).

    Parameters: ``axisa``, ``axisb``, ``axisc``: the axis of the components in ``a``, ``b`` and the result; ``axis``: all three.
    Raises ValueError for other numbers of components.

    >>> cross([1, 0, 0], [0, 1, 0])
    array([0, 0, 1])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = asarray(a), asarray(b)
    if a.ndim < 1 or b.ndim < 1:
        raise ValueError("At least one array has zero dimension")
    axisa, axisb = _axis(axisa, a.ndim), _axis(axisb, b.ndim)
    components = a.shape[axisa], b.shape[axisb]
    if 2 in components and NUMPY_2_5:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{components[0]} and {components[1]} dimensional instead."
        )
    if 2 in components:
        warn_user(
            "Arrays of 2-dimensional vectors are deprecated. Use arrays of 3-dimensional vectors instead. (deprecated in NumPy 2.0)",
            DeprecationWarning,
        )
    axisc = 0 if components == (2, 2) else _axis(axisc, builtins.max(a.ndim, b.ndim))
    return _engine.array_cross(a, b, axisa, axisb, axisc)


def kron(a, b):
    """The Kronecker product: ``b`` in place of each element of ``a``, times it.

    >>> kron([1, 10], [1, 2, 3])
    array([ 1,  2,  3, 10, 20, 30])
    """
    return _engine.array_kron(asarray(a), asarray(b))


def tensordot(a, b, axes=2):
    """The sum of products over axes of both arrays, as one matrix product.

    Parameters: ``axes``: a number (so many last axes of ``a`` with the first of ``b``), or a pair of axes or lists of axes.
    Raises ValueError for axes whose sizes differ.

    >>> tensordot([[1, 2], [3, 4]], [[1, 0], [0, 1]])
    array(5)
    """
    a, b = asarray(a), asarray(b)
    try:
        left, right = axes
    except TypeError:
        left, right = range(-axes, 0), range(axes)
    left, right = (list(x) if isinstance(x, (list, tuple, range)) else [x] for x in (left, right))
    for x, axes in ((a, left), (b, right)):
        if builtins.any(not -x.ndim <= n < x.ndim for n in axes):
            raise IndexError("tuple index out of range")
    return _engine.array_tensordot(a, b, left, right)


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
