"""Linear algebra on arrays, as in numpy.linalg. Factorisations are LAPACK's on the CPU and cuSOLVER's on a GPU; what that has not goes
through the CPU. A matrix that does not allow what is asked raises LinAlgError when the result is looked at.

A function defined here is native; NumPy computes the others on the host.
"""

import builtins
import math
import operator

import numpy
from numpy.linalg import LinAlgError

from quern.arrays import fallback
from quern.arrays.core import NUMPY_2_5, Array, _axis, asarray, check_recorded
from quern.arrays.functions import functions
from quern.arrays.mathematics import composed
from quern.arrays.mathematics.reductions import _over
from quern.arrays.mathematics.reductions import all as _all
from quern.lib import _engine

_results = getattr(numpy.linalg, "_linalg", None) or numpy.linalg.linalg
# Norms of matrices, by their numbers in MatrixNorm of engine/include/quern/linalg.h.
_MATRIX_NORMS = {None: 0, "f": 0, "fro": 0, "nuc": 1, 2: 2, -2: 3, 1: 4, -1: 5, math.inf: 6, -math.inf: 7}


def _order(ord):
    """An order that came as an array without dimensions is the number in it."""
    return ord.item() if isinstance(ord, (Array, numpy.ndarray)) and ord.ndim == 0 else ord


def _matrix_norm_of(ord):
    ord = _order(ord)
    if isinstance(ord, (Array, numpy.ndarray, list)) or ord not in _MATRIX_NORMS:
        raise ValueError("Invalid norm order for matrices.")
    return _MATRIX_NORMS[ord]


# ---- equations


def solve(a, b):
    """The x for which ``a @ x == b``: a matrix, or stacks of them; a vector ``b`` gives a vector.

    Raises LinAlgError for a matrix that is not square, and at a look for one that is singular; ValueError for shapes that do not fit.

    >>> solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0])
    array([1. , 0.5])
    """
    return _engine.array_solve(asarray(a), asarray(b))


def inv(a):
    """The inverse of a matrix, or of each of a stack. Raises LinAlgError as :func:`solve` does.

    >>> inv([[2.0, 0.0], [0.0, 4.0]])
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return _engine.array_inv(asarray(a))


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
    return tuple(_engine.array_lstsq(asarray(a), asarray(b), rcond))


# ---- determinants


def slogdet(a):
    """The determinant as (sign, logarithm of its size), a named tuple; (0, -inf) for singular matrices."""
    return _results.SlogdetResult(*_engine.array_factored("slogdet", asarray(a), ""))


def det(a):
    """The determinant of a matrix, or of each of a stack. Raises LinAlgError for matrices that are not square.

    >>> abs(det([[1.0, 2.0], [3.0, 4.0]]) + 2) < 1e-12
    array(True)
    """
    return _engine.array_det(asarray(a))


# ---- factorisations


def cholesky(a, /, *, upper=False):
    """The triangular L with ``a == L @ L^H``; with ``upper`` the U with ``a == U^H @ U``, from the upper triangle of ``a``.

    Raises LinAlgError for matrices that are not square, and at a look for those that are not positive definite.

    >>> cholesky([[4.0, 0.0], [0.0, 9.0]])
    array([[2., 0.],
           [0., 3.]])
    """
    return _engine.array_factored("cholesky", asarray(a), "u" if upper else "l")[0]


def qr(a, mode="reduced"):
    """The matrices Q, with columns of length 1 that are perpendicular, and R, upper triangular, with ``a == Q @ R``.

    Parameters: ``mode``: "reduced" for min(M, N) columns of Q, "complete" for M, "r" for R alone, "raw" for LAPACK's (h, tau).
    Raises ValueError for another mode.
    """
    if mode not in ("reduced", "complete", "r", "raw"):
        if mode in ("f", "full", "e", "economic"):
            raise fallback.Unserved(f"the old mode {mode!r}")
        raise ValueError(f"Unrecognized mode '{mode}'")
    results = _engine.array_factored("qr", asarray(a), {"reduced": "e", "complete": "c", "r": "r", "raw": "w"}[mode])
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
    return _results.EighResult(*_engine.array_factored("eigh", asarray(a), _triangle(UPLO) + "v"))


def eigvalsh(a, UPLO="L"):
    """The eigenvalues of :func:`eigh`."""
    return _engine.array_factored("eigh", asarray(a), _triangle(UPLO))[0]


def _eig(a, mode):
    a = asarray(a)
    results = _engine.array_factored("eig", a, mode)
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
    mode = "n" if not compute_uv else "a" if full_matrices else "s"
    results = _engine.array_svd(asarray(a), mode, bool(hermitian))
    return _results.SVDResult(*results) if compute_uv else results[0]


def svdvals(x, /):
    """The singular values of matrices, falling."""
    return svd(x, compute_uv=False)


_no_value = object()


def pinv(a, rcond=None, hermitian=False, *, rtol=_no_value):
    """The inverse in the sense of Moore and Penrose.

    Parameters: ``rcond`` or ``rtol``: singular values below it times the largest count as 0 (1e-15; for ``rtol=None`` the type's step
    times the larger size). Raises ValueError for both.
    """
    if rcond is None:
        rcond = 1e-15 if rtol is _no_value else rtol
    elif rtol is not _no_value:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    return _engine.array_pinv(asarray(a), rcond, bool(hermitian))


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """How many singular values are above ``tol``, or above ``rtol`` times the largest one (the type's step times the larger size)."""
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    return _engine.array_matrix_rank(asarray(A), None if tol is None else asarray(tol), rtol, bool(hermitian))


def cond(x, p=None):
    """How much an error grows: norm(x, p) * norm(inv(x), p), infinite for singular matrices; the norm by singular values by default.

    NaN where a matrix holds NaN, as in NumPy from 2.5 on.
    """
    return _engine.array_cond(asarray(x), _matrix_norm_of(2 if p is None else p))


# ---- products


def matrix_power(a, n):
    """The product of ``n`` square matrices ``a``; of the inverse for a negative ``n``. Raises TypeError for an n that is no integer."""
    try:
        n = operator.index(n)
    except TypeError as error:
        raise TypeError("exponent must be an integer") from error
    return _engine.array_matrix_power(asarray(a), n)


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
        return functions["dot"](product(i, k), product(k + 1, j))

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


# ---- parts of matrices


matrix_transpose = functions["matrix_transpose"]
globals().update(_engine.functions_of("numpy_linalg", "quern.linalg"))


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
    check_recorded("norm", ord)
    ord = _order(ord)
    x = asarray(x)
    if axis is None:
        if ord is None or (ord in ("f", "fro") and x.ndim == 2) or (ord == 2 and x.ndim == 1):
            x = x if keepdims else x.ravel()
            return _engine.array_norm(x, _over(x, None, keepdims))
        axis = tuple(range(x.ndim))
    axis = axis if isinstance(axis, tuple) else (axis,)
    axis = [_axis(n, x.ndim) for n in axis]
    if len(axis) == 1:
        over = _over(x, axis[0], keepdims)
        if ord is None:
            return _engine.array_norm(x, over)
        if isinstance(ord, str):
            raise ValueError(f"Invalid norm order '{ord}' for vectors")
        return _engine.array_vector_norm(x, ord, over)
    if len(axis) == 2:
        return _engine.array_matrix_norm(x, _matrix_norm_of(ord), *axis, bool(keepdims))
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


__getattr__ = fallback.serve_module(globals(), numpy.linalg, "linalg.")
