"""Linear algebra on arrays, as in numpy.linalg. Factorisations are LAPACK's on the CPU and cuSOLVER's on a GPU; what that has not goes
through the CPU. A matrix that does not allow what is asked raises LinAlgError when the result is looked at.

A function defined here is native; NumPy computes the others on the host.
"""

import builtins
import math
import operator

import numpy
from numpy.linalg import LinAlgError

from quern.arrays import composed, fallback, matrices
from quern.arrays.core import NUMPY_2_5, Array, _axis, asarray
from quern.arrays.creation import eye, zeros
from quern.arrays.elementwise import absolute, conjugate, exp, isnan, logical_not, sqrt, where
from quern.arrays.reductions import all as _all
from quern.arrays.reductions import count_nonzero, max, min, sum
from quern.arrays.segments import device_of
from quern.arrays.shapes import broadcast_to, moveaxis
from quern.lib import _engine

_results = getattr(numpy.linalg, "_linalg", None) or numpy.linalg.linalg


# ---- operands, and factorisations


def _with_type(*arrays):
    """The arrays in the type that they are factorised in: the common one of float32, float64, complex64, complex128."""
    arrays = [asarray(a) for a in arrays]
    types = []
    for a in arrays:
        if a.dtype.kind in "biu":
            types.append(numpy.dtype(float))
        elif a._dtype_name in ("float16", "bfloat16"):
            raise TypeError(f"array type {a.dtype.name} is unsupported in linalg")
        else:
            types.append(a.dtype)
    common = numpy.result_type(*types)
    return [a.astype(common, copy=False) for a in arrays]


def _stacked(*arrays):
    for a in arrays:
        if a.ndim < 2:
            raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")


def _square(*arrays):
    _stacked(*arrays)
    for a in arrays:
        if a.shape[-1] != a.shape[-2]:
            raise LinAlgError("Last 2 dimensions of the array must be square")


def _finite(a):
    from quern.arrays.elementwise import isfinite

    if not _all(isfinite(a)):
        raise LinAlgError("Array must not contain infs or NaNs")


def _factor(name, mode, *arrays, number=0.0):
    """The results, a list; see engine/run/calls/lapack.h."""
    return _engine.array_factor(name, mode, number, *arrays)


def _turned(a):
    """Transposed, and conjugated where it is complex."""
    a = a.swapaxes(-1, -2)
    return conjugate(a) if a.dtype.kind == "c" else a


def _eps(dtype):
    return float(numpy.finfo(dtype).eps)


# ---- equations


def _solved(a, b, mode=""):
    stack = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return _factor("solve", mode, broadcast_to(a, stack + a.shape[-2:]), broadcast_to(b, stack + b.shape[-2:]))[0]


def solve(a, b):
    """The x for which ``a @ x == b``: a matrix, or stacks of them; a vector ``b`` gives a vector.

    Raises LinAlgError for a matrix that is not square, and at a look for one that is singular; ValueError for shapes that do not fit.

    >>> solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0])
    array([1. , 0.5])
    """
    a, b = _with_type(a, b)
    _square(a)
    is_vector = b.ndim == 1
    if b.ndim == 0:
        raise ValueError("solve: Input operand 1 does not have enough dimensions (has 0, at least 1 is required)")
    right = b[:, None] if is_vector else b
    if right.shape[-2] != a.shape[-1]:
        raise ValueError(
            f"solve: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (m,m),(m,n)->(m,n) "
            f"(size {right.shape[-2]} is different from {a.shape[-1]})"
        )
    x = _solved(a, right)
    return x[..., 0] if is_vector else x


def inv(a):
    """The inverse of a matrix, or of each of a stack. Raises LinAlgError as :func:`solve` does.

    >>> inv([[2.0, 0.0], [0.0, 4.0]])
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    (a,) = _with_type(a)
    _square(a)
    return _solved(a, _identity(a))


def _identity(a):
    return eye(a.shape[-1], dtype=a.dtype, device=device_of(a))


def tensorsolve(a, b, axes=None):
    """The x for which ``tensordot(a, x, x.ndim) == b``; ``axes`` of ``a`` go to its end first. Raises LinAlgError unless square."""
    a, b = asarray(a), asarray(b)
    if axes is not None:
        order = [n for n in range(a.ndim) if n not in axes] + list(axes)
        a = a.transpose(order)
    old = a.shape[-(a.ndim - b.ndim) :] if a.ndim != b.ndim else ()
    size = math.prod(old)
    if a.size != size**2:
        raise LinAlgError("Input arrays must satisfy the requirement             prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])")
    return solve(a.reshape(size, size), b.reshape(-1)).reshape(old)


def tensorinv(a, ind=2):
    """The inverse for :func:`tensordot` over the first ``ind`` axes. Raises ValueError for an ``ind`` below 1."""
    a = asarray(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    return inv(a.reshape(math.prod(a.shape[:ind]), -1)).reshape(a.shape[ind:] + a.shape[:ind])


def lstsq(a, b, rcond=None):
    """The x with the smallest norm of ``b - a @ x``: a tuple (x, squared norms of what is left, rank, singular values of a).

    Parameters: ``rcond``: singular values below it times the largest count as 0; by default the type's step times max(M, N), the
    step alone for -1. What is left is empty when the rank is below N or M <= N. This looks at the rank.
    Raises LinAlgError for more dimensions, or shapes that do not fit.

    >>> [float(x) for x in lstsq([[1.0, 0.0], [0.0, 2.0]], [3.0, 4.0])[0]]
    [3.0, 2.0]
    """
    a, b = _with_type(a, b)
    is_vector = b.ndim == 1
    right = b[:, None] if is_vector else b
    for x in (a, right):
        if x.ndim != 2:
            raise LinAlgError(f"{x.ndim}-dimensional array given. Array must be two-dimensional")
    m, n = a.shape
    if m != right.shape[0]:
        raise LinAlgError("Incompatible dimensions")
    if rcond is None:
        rcond = _eps(a.dtype) * builtins.max(m, n)
    x, left, rank, values = _factor("lstsq", "", a, right, number=float(rcond))
    if int(rank) != n or m <= n:
        left = left[:0]
    return (x[:, 0] if is_vector else x), left, rank, values


# ---- determinants


def slogdet(a):
    """The determinant as (sign, logarithm of its size), a named tuple; (0, -inf) for singular matrices."""
    a = asarray(a)
    _square(a)
    (a,) = _with_type(a)
    return _results.SlogdetResult(*_factor("slogdet", "", a))


def det(a):
    """The determinant of a matrix, or of each of a stack. Raises LinAlgError for matrices that are not square.

    >>> abs(det([[1.0, 2.0], [3.0, 4.0]]) + 2) < 1e-12
    array(True)
    """
    sign, size = slogdet(a)
    return sign * exp(size)


# ---- factorisations


def cholesky(a, /, *, upper=False):
    """The triangular L with ``a == L @ L^H``; with ``upper`` the U with ``a == U^H @ U``, from the upper triangle of ``a``.

    Raises LinAlgError for matrices that are not square, and at a look for those that are not positive definite.

    >>> cholesky([[4.0, 0.0], [0.0, 9.0]])
    array([[2., 0.],
           [0., 3.]])
    """
    (a,) = _with_type(a)
    _square(a)
    return _factor("cholesky", "u" if upper else "l", a)[0]


def qr(a, mode="reduced"):
    """The matrices Q, with columns of length 1 that are perpendicular, and R, upper triangular, with ``a == Q @ R``.

    Parameters: ``mode``: "reduced" for min(M, N) columns of Q, "complete" for M, "r" for R alone, "raw" for LAPACK's (h, tau).
    Raises ValueError for another mode.
    """
    if mode not in ("reduced", "complete", "r", "raw"):
        if mode in ("f", "full", "e", "economic"):
            raise fallback.Unserved(f"the old mode {mode!r}")
        raise ValueError(f"Unrecognized mode '{mode}'")
    a = asarray(a)
    _stacked(a)
    (a,) = _with_type(a)
    results = _factor("qr", {"reduced": "e", "complete": "c", "r": "r", "raw": "w"}[mode], a)
    return results[0] if mode == "r" else tuple(results) if mode == "raw" else _results.QRResult(*results)


def _triangle(UPLO):
    UPLO = UPLO.upper()
    if UPLO not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return UPLO


def eigh(a, UPLO="L"):
    """The eigenvalues, from the smallest on, and eigenvectors (columns) of symmetric or Hermitian matrices: a named tuple.

    ``UPLO``: the triangle that is read, "L" or "U"; else ValueError.
    """
    triangle = _triangle(UPLO)
    (a,) = _with_type(a)
    _square(a)
    return _results.EighResult(*_factor("eigh", triangle + "v", a))


def eigvalsh(a, UPLO="L"):
    """The eigenvalues of :func:`eigh`."""
    triangle = _triangle(UPLO)
    (a,) = _with_type(a)
    _square(a)
    return _factor("eigh", triangle, a)[0]


def _eig(a, mode):
    a = asarray(a)
    _square(a)
    (a,) = _with_type(a)
    _finite(a)
    results = _factor("eig", mode, a)
    # Up to NumPy 2.4 what is real is given as real numbers; since then the type does not depend on values.
    if a.dtype.kind != "c" and not NUMPY_2_5 and bool(_all(results[0].imag == 0)):
        results = [r.real.copy() for r in results]
    return results


def eig(a):
    """The eigenvalues and eigenvectors (columns) of square matrices: a named tuple, complex.

    Beside NumPy before 2.5 they are real where all values are, as there; this looks at them.

    Raises LinAlgError for matrices that are not square or not finite.
    """
    return _results.EigResult(*_eig(a, "v"))


def eigvals(a):
    """The eigenvalues of :func:`eig`."""
    return _eig(a, "")[0]


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """The U, S and Vh with ``a == U @ diag(S) @ Vh``: a named tuple; S falls.

    Parameters: ``full_matrices``: square U and Vh; ``compute_uv``: False for S alone; ``hermitian``: only the lower triangle counts.
    """
    a = asarray(a)
    _stacked(a)
    (a,) = _with_type(a)
    if hermitian:
        _square(a)
        a = matrices.tril(a) + _turned(matrices.tril(a, -1))
    if not compute_uv:
        return _factor("svd", "n", a)[0]
    return _results.SVDResult(*_factor("svd", "a" if full_matrices else "s", a))


def svdvals(x, /):
    """The singular values of matrices, falling."""
    return svd(x, compute_uv=False)


def _values(a, hermitian):
    return svd(a, compute_uv=False, hermitian=hermitian)


_no_value = object()


def pinv(a, rcond=None, hermitian=False, *, rtol=_no_value):
    """The inverse in the sense of Moore and Penrose.

    Parameters: ``rcond`` or ``rtol``: singular values below it times the largest count as 0 (1e-15; for ``rtol=None`` the type's step
    times the larger size). Raises ValueError for both.
    """
    (a,), given = _with_type(a), asarray(a)
    if rcond is None:
        rcond = 1e-15 if rtol is _no_value else builtins.max(*a.shape[-2:]) * _eps(a.dtype) if rtol is None else rtol
    elif rtol is not _no_value:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    if 0 in a.shape[-2:]:
        return zeros(a.shape[:-2] + (a.shape[-1], a.shape[-2]), given.dtype, device=device_of(a))
    u, s, vh = svd(conjugate(a) if a.dtype.kind == "c" else a, full_matrices=False, hermitian=hermitian)
    if isinstance(rcond, Array) or numpy.ndim(rcond):
        rcond = asarray(rcond, device=device_of(a))[..., None]
    limit = rcond * max(s, -1, keepdims=True)
    counts = s > limit
    s = where(counts, 1 / where(counts, s, 1), 0).astype(s.dtype, copy=False)
    return _engine.array_matmul(vh.swapaxes(-1, -2), s[..., None] * u.swapaxes(-1, -2))


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """How many singular values are above ``tol``, or above ``rtol`` times the largest one (the type's step times the larger size)."""
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    A = asarray(A)
    if A.ndim < 2:
        return logical_not(_all(A == 0)).astype(int)
    s = _values(A, hermitian)
    if tol is None:
        rtol = builtins.max(A.shape[-2:]) * _eps(s.dtype) if rtol is None else rtol
        if isinstance(rtol, Array) or numpy.ndim(rtol):
            rtol = asarray(rtol, device=device_of(A))[..., None]
        tol = max(s, -1, keepdims=True, initial=0) * rtol
    else:
        tol = asarray(tol, device=device_of(A))[..., None]
    return count_nonzero(s > tol, axis=-1)


def _singular_values_or_nan(a):
    _stacked(a)
    (a,) = _with_type(a)
    return _factor("svd", "nq", a)[0]


def cond(x, p=None):
    """How much an error grows: norm(x, p) * norm(inv(x), p), infinite for singular matrices; the norm by singular values by default.

    NaN where a matrix holds NaN, as in NumPy from 2.5 on.
    """
    x = asarray(x)
    if x.size == 0 and 0 in x.shape[-2:]:
        raise LinAlgError("cond is not defined on empty arrays")
    if p is None or p in (2, -2):
        s = _singular_values_or_nan(x)
        out = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    else:
        _square(x)
        (x,) = _with_type(x)
        inverse = _solved(x, _identity(x), "q")
        if p == "nuc":
            out = sum(_singular_values_or_nan(x), -1) * sum(_singular_values_or_nan(inverse), -1)
        else:
            out = norm(x, p, (-2, -1)) * norm(inverse, p, (-2, -1))
    lost = isnan(out)
    return where(lost & logical_not(isnan(sum(x, (-2, -1)).real)), math.inf, out).astype(out.dtype, copy=False)


# ---- products


def matrix_power(a, n):
    """The product of ``n`` square matrices ``a``; of the inverse for a negative ``n``. Raises TypeError for an n that is no integer."""
    a = asarray(a)
    _square(a)
    try:
        n = operator.index(n)
    except TypeError as error:
        raise TypeError("exponent must be an integer") from error
    if n == 0:
        return broadcast_to(_identity(a), a.shape).copy()
    if n < 0:
        a, n = inv(a), -n
    out = None
    while n:
        if n & 1:
            out = a if out is None else _engine.array_matmul(out, a)
        n >>= 1
        if n:
            a = _engine.array_matmul(a, a)
    return out.copy("K") if out is a else out


def multi_dot(arrays, *, out=None):
    """The product of several matrices, in the order that needs the fewest steps; the first and the last may be vectors.

    Raises ValueError for fewer than two.
    """
    arrays = [asarray(a) for a in arrays]
    if len(arrays) < 2:
        raise ValueError("Expecting at least two arrays.")
    first, last = arrays[0].ndim, arrays[-1].ndim
    if first == 1:
        arrays[0] = arrays[0][None, :]
    if last == 1:
        arrays[-1] = arrays[-1][:, None]
    for a in arrays:
        if a.ndim != 2:
            raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be two-dimensional")
    sizes = [a.shape[0] for a in arrays] + [arrays[-1].shape[1]]
    best = {(i, i): (0, i) for i in range(len(arrays))}
    for span in range(1, len(arrays)):
        for i in range(len(arrays) - span):
            j = i + span
            steps = ((best[i, k][0] + best[k + 1, j][0] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j))
            best[i, j] = builtins.min(steps)

    def product(i, j):
        if i == j:
            return arrays[i]
        k = best[i, j][1]
        return matrices.dot(product(i, k), product(k + 1, j))

    result = product(0, len(arrays) - 1)
    result = result[0, 0] if first == last == 1 else result.reshape(-1) if first == 1 or last == 1 else result
    if out is None:
        return result
    out[...] = result
    return out


def matmul(x1, x2, /):
    """The products of matrices, which are in the last two axes."""
    return _engine.array_matmul(asarray(x1), asarray(x2))


def vecdot(x1, x2, /, *, axis=-1):
    """The products of vectors along ``axis``, the first one conjugated."""
    return composed.vecdot(x1, x2, axis=axis)


def tensordot(x1, x2, /, *, axes=2):
    """See :func:`quern.tensordot`."""
    return matrices.tensordot(x1, x2, axes)


def outer(x1, x2, /):
    """The products of each element of one vector with each of the other. Raises ValueError for what is no vector."""
    x1, x2 = asarray(x1), asarray(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"Input arrays must be one-dimensional, but they are x1.ndim={x1.ndim} and x2.ndim={x2.ndim}.")
    return matrices.outer(x1, x2)


def cross(x1, x2, /, *, axis=-1):
    """The cross products of vectors of three components along ``axis``. Raises ValueError for others."""
    x1, x2 = asarray(x1), asarray(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(
            f"Both input arrays must be (arrays of) 3-dimensional vectors, but they are {x1.shape[axis]} and {x2.shape[axis]} "
            "dimensional instead."
        )
    return matrices.cross(x1, x2, axis=axis)


# ---- parts of matrices


def diagonal(x, /, *, offset=0):
    """The ``offset``-th diagonals of matrices: a view."""
    return matrices.diagonal(x, offset, -2, -1)


def trace(x, /, *, offset=0, dtype=None):
    """The sums of diagonals of matrices."""
    return matrices.trace(x, offset, -2, -1, dtype)


def matrix_transpose(x, /):
    """Matrices with rows and columns exchanged: a view. Raises ValueError for fewer than two dimensions."""
    x = asarray(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return x.swapaxes(-1, -2)


# ---- norms


def norm(x, ord=None, axis=None, keepdims=False):
    """The length of a vector or the size of a matrix.

    Parameters: ``ord``: None for the root of the sum of squares; for vectors also a number, inf, -inf or 0; for matrices also
    'fro', 'nuc', 1, -1, 2, -2, inf, -inf. ``axis``: an int for vectors, two for matrices, by default all of ``x``.
    Returns an array without those axes (with ones in their place with ``keepdims``).
    Raises ValueError for an order that is not defined.

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


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """The :func:`norm` of matrices, which are in the last two axes."""
    return norm(x, ord, (-2, -1), keepdims)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The :func:`norm` of vectors along ``axis`` (an int or several), by default of all elements."""
    x = asarray(x)
    shape = list(x.shape)
    if axis is None:
        gone = tuple(range(x.ndim))
        x, axis = x.reshape(-1), 0
    elif isinstance(axis, tuple):
        gone = tuple(_axis(n, x.ndim) for n in axis)
        rest = [n for n in range(x.ndim) if n not in gone]
        x = x.transpose(list(gone) + rest).reshape([math.prod(shape[n] for n in gone)] + [shape[n] for n in rest])
        axis = 0
    else:
        gone = (_axis(axis, x.ndim),)
    out = norm(x, ord, axis)
    return out.reshape([1 if n in gone else size for n, size in enumerate(shape)]) if keepdims else out


def _squares(x, axis, keepdims):
    if x.dtype.kind == "c":
        return sum(x.real * x.real + x.imag * x.imag, axis, keepdims=keepdims)
    return sum(x * x, axis, keepdims=keepdims)


def _floor(x):
    """The norm of nothing is 0."""
    return {} if x.size else {"initial": 0}


def _vector_norm(x, ord, axis, keepdims):
    if ord is None or ord == 2:
        return sqrt(_squares(x, axis, keepdims))
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    size = absolute(x)
    if ord == float("inf"):
        return max(size, axis, keepdims=keepdims, **_floor(x))
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
        values = _values(moveaxis(x, (row, column), (-2, -1)), False)
        result = sum(values, -1) if ord == "nuc" else max(values, -1, **_floor(x)) if ord == 2 else min(values, -1)
        return result.reshape([1 if d in axis else n for d, n in enumerate(x.shape)]) if keepdims else result
    along = {1: (row, max), -1: (row, min), float("inf"): (column, max), float("-inf"): (column, min)}
    if ord not in along:
        raise ValueError("Invalid norm order for matrices.")
    summed, pick = along[ord]
    other = column if summed == row else row
    sums = sum(absolute(x), summed, keepdims=True)
    result = pick(sums, other, keepdims=True, **(_floor(x) if pick is max else {}))
    return result if keepdims else result.reshape([n for d, n in enumerate(result.shape) if d not in axis])


__getattr__ = fallback.serve_module(globals(), numpy.linalg, "linalg.")
