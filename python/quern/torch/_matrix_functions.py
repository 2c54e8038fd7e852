"""Matrix norms, inverses from factors, and factors of low rank, made of the functions of torch.linalg."""

import builtins

from quern.arrays.public_names import settle
from quern.lib import _engine
from quern.torch import _factors, _linalg, _return_types
from quern.torch._arguments import checked
from quern.torch._core import add_methods, finish

__all__ = "nuclear_norm frobenius_norm cholesky_inverse lu_solve orgqr triangular_solve svd_lowrank pca_lowrank".split()


@checked
def nuclear_norm(input, dim=None, keepdim=False, *, out=None):
    """Return the sum of the singular values of matrices.

    Parameters
    ----------
    input : Tensor
        Matrices.
    dim : pair of ints, optional
        Dimensions of the matrices; None is the last two.
    keepdim : bool, optional
        Whether the reduced dimensions stay, with size 1.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Shape of `input` without `dim`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nuclear_norm(torch.eye(3))
    tensor(3.)
    """
    dims = (-2, -1) if dim is None else (dim, dim) if isinstance(dim, int) else dim
    return _linalg.matrix_norm(input, "nuc", dims, keepdim, out=out)


@checked
def frobenius_norm(input, dim, keepdim=False, *, out=None):
    """Return the square root of the sum of squares along dimensions.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    dim : int or tuple of ints
        Dimensions of the sum.
    keepdim : bool, optional
        Whether the reduced dimensions stay, with size 1.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Shape of `input` without `dim`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.frobenius_norm(torch.tensor([[3.0, 4.0]]), dim=(0, 1))
    tensor(5.)
    """
    return _linalg.vector_norm(input, 2, dim, keepdim, out=out)


@checked
def cholesky_inverse(L, upper=False, *, out=None):  # noqa: N803
    """Return the inverse of matrices from the triangular factors of :func:`cholesky`.

    Parameters
    ----------
    L : Tensor
        Triangular factors, of shape (*, M, M).
    upper : bool, optional
        Whether the factors are upper triangular.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Shape (*, M, M).

    Raises
    ------
    RuntimeError
        For matrices that are not square.

    Examples
    --------
    >>> from quern import torch
    >>> torch.cholesky_inverse(torch.tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor([[0.2500, 0.0000],
            [0.0000, 1.0000]])
    """
    if L._rank < 2:
        raise RuntimeError("cholesky_inverse: The input tensor A must have at least 2 dimensions.")
    rows, columns = L._shape[-2:]
    if rows != columns:
        raise RuntimeError(f"cholesky_inverse: A must be batches of square matrices, but they are {rows} by {columns} matrices")
    shown = L.detach()
    T = shown.triu() if upper else shown.tril()  # noqa: N806
    if L.requires_grad and _engine.gradient_mode():
        T = T + (L - shown)  # noqa: N806  # the gradient is that of the whole matrix, as PyTorch's
    inverse, info = _linalg.inv_ex(T.mH @ T if upper else T @ T.mH)
    _factors.check(info, "cholesky_inverse", _factors.SINGULAR)
    return finish(inverse, out)


@checked(tensors="b")
def triangular_solve(b, A, upper=True, transpose=False, unitriangular=False, *, out=None):  # noqa: N803
    """Return the solution of ``A @ X == b`` for triangular matrices.

    Parameters
    ----------
    b : Tensor
        Right-hand sides, of shape (*, M, K).
    A : Tensor
        Triangular matrices, of shape (*, M, M).
    upper : bool, optional
        Whether the matrices are upper triangular.
    transpose : bool, optional
        Whether to solve with the transposed matrices.
    unitriangular : bool, optional
        Whether the diagonal is taken as 1.
    out : tuple of Tensor, optional
        Accepted for compatibility.

    Returns
    -------
    namedtuple
        `solution`, of shape (*, M, K), and `cloned_coefficient`, a copy of `A`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.triangular_solve(torch.tensor([[3.0], [2.0]]), torch.tensor([[1.0, 1.0], [0.0, 2.0]])).solution
    tensor([[2.],
            [1.]])
    """
    b, A = _engine.casts_for("triangular_solve", b, A)  # noqa: N806
    if transpose:
        A, upper = A.mT, not upper  # noqa: N806
    x = _linalg.solve_triangular(A, b, upper=upper, unitriangular=unitriangular)
    return _return_types.triangular_solve(x, A.clone())


@checked
def svd_lowrank(A, q=6, niter=2, M=None):  # noqa: N803
    """Return the largest singular values of matrices, and their vectors.

    All singular values are computed; PyTorch approximates them.

    Parameters
    ----------
    A : Tensor
        Matrices, of shape (*, M, N).
    q : int, optional
        Number of singular values.
    niter : int, optional
        Accepted for compatibility.
    M : Tensor, optional
        Matrix that is subtracted from `A`.

    Returns
    -------
    tuple of Tensor
        U, S and V, of shapes (*, M, q), (*, q) and (*, N, q).

    Examples
    --------
    >>> from quern import torch
    >>> u, s, v = torch.svd_lowrank(torch.diag(torch.tensor([3.0, 1.0])), q=1)
    >>> s
    tensor([3.])
    """
    u, s, vh = _linalg.svd(A if M is None else A - M, False)
    return u[..., :q], s[..., :q], vh.mH[..., :q]


@checked
def pca_lowrank(A, q=None, center=True, niter=2):  # noqa: N803
    """Return the principal components of matrices by :func:`svd_lowrank`.

    Parameters
    ----------
    A : Tensor
        Matrices of samples, of shape (*, M, N).
    q : int, optional
        Number of components; None is ``min(6, M, N)``.
    center : bool, optional
        Whether to subtract the means of the columns.
    niter : int, optional
        Accepted for compatibility.

    Returns
    -------
    tuple of Tensor
        U, S and V, of shapes (*, M, q), (*, q) and (*, N, q).

    Raises
    ------
    ValueError
        For a `q` that is negative or above ``min(M, N)``.

    Examples
    --------
    >>> from quern import torch
    >>> u, s, v = torch.pca_lowrank(torch.tensor([[1.0, 0.0], [3.0, 0.0]]), q=1)
    >>> s
    tensor([1.4142])
    """
    q = builtins.min(6, *A._shape[-2:]) if q is None else q
    if not 0 <= q <= builtins.min(*A._shape[-2:]):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={builtins.min(*A._shape[-2:])}")
    return svd_lowrank(A - A.mean(-2, True) if center else A, q)


@checked
def lu_solve(b, LU_data, LU_pivots):  # noqa: N803
    """Return the solution of ``A @ X = b`` with the factors of :func:`torch.linalg.lu_factor`.

    Parameters
    ----------
    b : Tensor
        Right sides, of shape (..., N, K).
    LU_data : Tensor
        Factors, of shape (..., N, N).
    LU_pivots : Tensor
        Swaps of rows, of shape (..., N), int32.

    Returns
    -------
    Tensor
        Solutions, in the shape of `b`.

    Examples
    --------
    >>> from quern import torch
    >>> A = torch.tensor([[1.0, 2.0], [4.0, 2.0]])
    >>> torch.lu_solve(A @ torch.ones(2, 1), *torch.linalg.lu_factor(A))
    tensor([[1.],
            [1.]])
    """
    return _linalg.LINALG["lu_solve"](LU_data, LU_pivots, b)


@checked
def orgqr(input, tau):
    """Return the first columns of the product of Householder reflections; see :func:`torch.linalg.householder_product`.

    Parameters
    ----------
    input : Tensor
        Vectors as columns below the diagonal, of shape (..., M, N).
    tau : Tensor
        Factors of the reflections, of shape (..., K).

    Returns
    -------
    Tensor
        Matrices with orthogonal columns, in the shape of `input`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.orgqr(torch.tensor([[1.0], [1.0]]), torch.tensor([1.0]))
    tensor([[ 0.],
            [-1.]])
    """
    return _linalg.LINALG["householder_product"](input, tau)


add_methods(__name__, "cholesky_inverse lu_solve orgqr triangular_solve")
settle(__name__)
