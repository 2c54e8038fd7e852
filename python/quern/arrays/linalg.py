"""Linear algebra on arrays. A function defined here is native; NumPy computes the others on the host."""

import builtins

import numpy

from quern.arrays import fallback
from quern.arrays.core import _axis, asarray
from quern.arrays.elementwise import absolute, sqrt
from quern.arrays.reductions import max, min, sum


def norm(x, ord=None, axis=None, keepdims=False):
    """The length of a vector or the size of a matrix.

    Parameters: ``ord``: None for the root of the sum of squares; for vectors also a number, inf, -inf or 0; for matrices also
    'fro', 1, -1, inf, -inf. ``axis``: an int for vectors, two for matrices, by default all of ``x``.
    Returns an array without those axes (with ones in their place with ``keepdims``).
    Raises ValueError for an order that is not defined, and the orders that need singular values run on the host.

    >>> import quern as qn
    >>> qn.linalg.norm(qn.asarray([3.0, 4.0]))
    array(5.)
    """
    x = asarray(x)
    if x.dtype.kind in "biu":
        x = x.astype(float)
    if axis is None:
        if ord is None or (ord in ("f", "fro") and x.ndim == 2) or (ord == 2 and x.ndim == 1):
            flat = x.ravel() if not keepdims else x
            return sqrt(_squares(flat, tuple(range(flat.ndim)), keepdims))
        axis = tuple(range(x.ndim))
    axis = tuple(_axis(n, x.ndim) for n in (axis if isinstance(axis, tuple) else (axis,)))
    if len(axis) == 1:
        return _vector_norm(x, ord, axis, keepdims)
    if len(axis) == 2:
        return _matrix_norm(x, ord, axis, keepdims)
    raise ValueError("Improper number of dimensions to norm.")


def _squares(x, axis, keepdims):
    if x.dtype.kind == "c":
        return sum(x.real * x.real + x.imag * x.imag, axis, keepdims=keepdims)
    return sum(x * x, axis, keepdims=keepdims)


def _vector_norm(x, ord, axis, keepdims):
    if ord is None or ord == 2:
        return sqrt(_squares(x, axis, keepdims))
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    size = absolute(x)
    if ord == float("inf"):
        return max(size, axis, keepdims=keepdims)
    if ord == float("-inf"):
        return min(size, axis, keepdims=keepdims)
    if ord == 0:
        return sum((x != 0).astype(size.dtype), axis, keepdims=keepdims)
    if ord == 1:
        return sum(size, axis, keepdims=keepdims)
    return sum(size**ord, axis, keepdims=keepdims) ** (1 / ord)


def _matrix_norm(x, ord, axis, keepdims):
    row, column = axis
    if row == column:
        raise ValueError("Duplicate axes given.")
    if ord is None or ord in ("f", "fro"):
        return sqrt(_squares(x, axis, keepdims))
    if ord in (2, -2, "nuc"):
        raise fallback.Unserved(f"order {ord!r} of a matrix needs singular values")
    along = {1: (row, max), -1: (row, min), float("inf"): (column, max), float("-inf"): (column, min)}
    if ord not in along:
        raise ValueError("Invalid norm order for matrices.")
    summed, pick = along[ord]
    other = column if summed == row else row
    sums = sum(absolute(x), summed, keepdims=True)
    result = pick(sums, other, keepdims=True)
    return result if keepdims else result.reshape([n for d, n in builtins.enumerate(result.shape) if d not in axis])


__getattr__ = fallback.serve_module(globals(), numpy.linalg, "linalg.")
