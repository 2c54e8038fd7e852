"""The faces of numpy.linalg, cupy.linalg and torch.linalg. How to read and write these files stands in tools/faces.py."""

@submodule("linalg")
class norm:
    """Return the length of a vector or the size of a matrix.

    Parameters: ``ord``: None for the root of the sum of squares; for vectors also a number, inf, -inf or 0; for matrices also
    'fro', 'nuc', 1, -1, 2, -2, inf, -inf. ``axis``: an int for vectors, two for matrices, by default all of the array.
    ``keepdims``: True leaves these axes with one element each. Raises ValueError for an order that is not defined.

    >>> norm([3.0, 4.0])
    array(5.)
    """

    def numpy(x, ord=None, axis=None, keepdims=False): ...
    def cupy(x: own, ord=None, axis=None, keepdims=False): ...
    def keras(x, ord=None, axis=None, keepdims=False): ...

@submodule("linalg")
class matrix_norm:
    """Return the :func:`norm` of matrices, which are in the last two axes.

    >>> matrix_norm([[3.0, 0.0], [0.0, 4.0]])
    array(5.)
    """

    def numpy(x, /, *, keepdims=False, ord="fro"): ...

@submodule("linalg")
class vector_norm:
    """Return the :func:`norm` of vectors along ``axis`` (an int or several), by default of all elements.

    >>> vector_norm([3.0, 4.0])
    array(5.)
    """

    def numpy(x, /, *, axis=None, keepdims=False, ord=2): ...

@submodule("linalg")
class cond:
    """Return how much an error grows: ``norm(a, p) * norm(inv(a), p)``, infinite for singular matrices; by default by singular values.

    NaN where a matrix holds NaN, as in NumPy from 2.5 on.

    >>> cond([[2.0, 0.0], [0.0, 1.0]])
    array(2.)
    """

    def numpy(x, p=None): ...
    def cupy(x: own, p=None): ...

@submodule("linalg")
class solve:
    """Return the x for which ``a @ x == b``: a matrix, or stacks of them; a vector ``b`` gives a vector.

    Raises LinAlgError for a matrix that is not square, LinAlgError (cupy: none) for a singular one when the result is read; ValueError for
    shapes that do not fit.

    >>> solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0])
    array([1. , 0.5])
    """

    def numpy(a, b): ...
    def cupy(a: own, b: own): ...
    def keras(a, b): ...

@submodule("linalg")
class inv:
    """Return the inverse of a matrix, or of each of a stack. Raises LinAlgError for a matrix that is not square, LinAlgError
    (cupy: none) for a singular one when the result is read.

    >>> inv([[2.0, 0.0], [0.0, 4.0]])
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """

    def numpy(a): ...
    def cupy(a: own): ...
    def keras(a): ...

class det:
    """Return the determinant of a matrix, or of each of a stack. Raises LinAlgError for matrices that are not square.

    >>> abs(det([[1.0, 2.0], [3.0, 4.0]]) + 2) < 1e-12
    array(True)

    >>> torch.linalg.det(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(-2.)
    """

    @submodule("linalg")
    def numpy(a): ...
    @submodule("linalg")
    def cupy(a: own): ...
    @submodule("linalg")
    def keras(a): ...
    @submodule("linalg")
    def torch(A: array, *, out=None): ...
    def torch(input: array): ...

@submodule("linalg")
class lstsq:
    """Return the x with the smallest norm of ``b - a @ x``: a tuple (x, squared norms of what is left, rank, singular values of a).

    Parameters: ``rcond``: singular values below it times the largest count as 0, by default the machine epsilon of the dtype times
    max(M, N), the epsilon alone for -1. What is left is empty when the rank is below N or M <= N. This waits for the rank.
    Raises LinAlgError for more than two dimensions, or shapes that do not fit.

    >>> [float(x) for x in lstsq([[1.0, 0.0], [0.0, 2.0]], [3.0, 4.0])[0]]
    [3.0, 2.0]
    """

    def numpy(a, b, rcond=None): ...
    def cupy(a: own, b: own, rcond=None): ...

@submodule("linalg")
class lstsq_alone:
    """Return the x with the smallest norm of ``b - a @ x``, and of several the smallest; ``rcond`` as :func:`pinv` has it.

    >>> keras.ops.lstsq([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]], [3.0, 4.0, 5.0])
    array([3., 2.], dtype=float32)
    """

    @named("lstsq")
    def keras(a, b, rcond=None): ...

@submodule("math")
class log_abs_det:
    """Return the logarithm of the absolute value of a determinant.

    >>> keras.ops.logdet([[-2.0, 0.0], [0.0, 0.5]])
    array(0., dtype=float32)
    """

    @named("logdet")
    def keras(x): ...

class slogdet:
    """Return the determinant as (sign, logarithm of its size), a named tuple; (0, -inf) for singular matrices.

    >>> sign, logarithm = slogdet([[-1.0, 0.0], [0.0, 1.0]])
    >>> sign
    array(-1.)

    >>> sign, logabsdet = torch.linalg.slogdet(torch.tensor([[-1.0, 0.0], [0.0, 8.0]]))
    >>> sign
    tensor(-1.)
    >>> logabsdet
    tensor(2.0794)
    """

    @submodule("linalg")
    def numpy(a): ...
    @submodule("linalg")
    def cupy(a: own): ...
    @submodule("linalg")
    def torch(A: array, *, out=None): ...
    def torch(input: array, *, out=None): ...
    def keras(x): ...

@submodule("linalg")
class cholesky:
    """Return the triangular L with ``a == L @ L^H``; with ``upper`` the U with ``a == U^H @ U``, from the upper triangle of ``a``.

    Raises LinAlgError for matrices that are not square, LinAlgError (cupy: none) for those that are not positive definite, when the
    result is read.

    >>> cholesky([[4.0, 0.0], [0.0, 9.0]])
    array([[2., 0.],
           [0., 3.]])
    """

    def numpy(a, /, *, upper=False): ...
    def cupy(a: own, *, upper=False): ...
    def keras(a, upper=False): ...

@submodule("linalg")
class qr:
    """Return the matrices Q, with columns of length 1 that are perpendicular, and R, upper triangular, with ``a == Q @ R``.

    Parameters: ``mode``: "reduced" for min(M, N) columns of Q, "complete" for M, "r" for R alone, "raw" for LAPACK's (h, tau).
    Raises ValueError for an unknown ``mode``.

    >>> q, r = qr([[3.0, 0.0], [4.0, 5.0]])
    >>> (q @ r).round(6)
    array([[3., 0.],
           [4., 5.]])

    >>> Q, R = torch.linalg.qr(torch.tensor([[3.0, 0.0], [4.0, 5.0]]))
    >>> R.abs()
    tensor([[5., 4.],
            [0., 3.]])
    """

    def numpy(a, mode="reduced"): ...
    def cupy(a: own, mode="reduced"): ...
    def keras(x, mode="reduced"): ...
    def torch(A: array, mode="reduced", *, out=None): ...

@submodule("linalg")
class eigh:
    """Return the eigenvalues, from the smallest on, and eigenvectors (columns) of symmetric or Hermitian matrices: a named tuple.

    ``UPLO``: the triangle that is read, "L" or "U"; else ValueError. CuPy's computes float16 in float32.

    >>> values, vectors = eigh([[2.0, 0.0], [0.0, 1.0]])
    >>> values
    array([1., 2.])

    >>> eigenvalues, eigenvectors = torch.linalg.eigh(torch.tensor([[2.0, 1.0], [1.0, 2.0]]))
    >>> eigenvalues
    tensor([1., 3.])
    """

    def numpy(a, UPLO="L"): ...
    def cupy(a: own, UPLO="L"): ...
    def keras(a): ...
    def torch(A: array, UPLO="L", *, out=None): ...

@submodule("linalg")
class eigvalsh:
    """Return the eigenvalues of :func:`eigh`.

    >>> eigvalsh([[2.0, 0.0], [0.0, 1.0]])
    array([1., 2.])

    >>> torch.linalg.eigvalsh(torch.tensor([[2.0, 1.0], [1.0, 2.0]]))
    tensor([1., 3.])
    """

    def numpy(a, UPLO="L"): ...
    def cupy(a: own, UPLO="L"): ...
    def torch(A: array, UPLO="L", *, out=None): ...

@submodule("linalg")
class eig:
    """Return the eigenvalues and eigenvectors (columns) of square matrices: a named tuple, complex.

    With NumPy before 2.5 they are real where all values are, as there; this waits for them. Raises LinAlgError for matrices that are
    not square or not finite.

    >>> values, vectors = eig([[2.0, 0.0], [0.0, 1.0]])
    >>> [complex(v).real for v in values]
    [2.0, 1.0]

    >>> eigenvalues, eigenvectors = torch.linalg.eig(torch.tensor([[0.0, 1.0], [0.0, 2.0]]))
    >>> eigenvalues
    tensor([0.+0.j, 2.+0.j])
    """

    def numpy(a): ...
    def cupy(a: own): ...
    def keras(a): ...
    def torch(A: array, *, out=None): ...

@submodule("linalg")
class eigvals:
    """Return the eigenvalues of :func:`eig`.

    >>> [complex(v).real for v in eigvals([[2.0, 0.0], [0.0, 1.0]])]
    [2.0, 1.0]

    >>> torch.linalg.eigvals(torch.tensor([[1.0, 5.0], [0.0, 2.0]]))
    tensor([1.+0.j, 2.+0.j])
    """

    def numpy(a): ...
    def cupy(a: own): ...
    def torch(A: array, *, out=None): ...

@submodule("linalg")
class svd:
    """Return the U, S and Vh with ``a == U @ diag(S) @ Vh``: a named tuple; S falls.

    Parameters: ``full_matrices``: square U and Vh; ``compute_uv``: False for S alone; ``hermitian``: only the lower triangle counts.

    >>> u, s, vh = svd([[2.0, 0.0], [0.0, 1.0]])
    >>> s
    array([2., 1.])
    """

    def numpy(a, full_matrices=True, compute_uv=True, hermitian=False): ...
    def cupy(a: own, full_matrices=True, compute_uv=True): ...
    def keras(x, full_matrices=True, compute_uv=True): ...

@submodule("linalg")
class svdvals:
    """Return the singular values of matrices, falling.

    >>> svdvals([[2.0, 0.0], [0.0, 1.0]])
    array([2., 1.])

    >>> torch.linalg.svdvals(torch.tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor([4., 3.])
    """

    def numpy(x, /): ...
    def torch(A: array, *, driver: ignored = None, out=None): ...

class pinv:
    """Return the inverse in the sense of Moore and Penrose.

    Parameters: ``rcond``: singular values below it times the largest count as 0, by default 1e-15; ``rtol``: as ``rcond``, by default
    the dtype's epsilon times the larger size; ``atol``: singular values below it count as 0. Raises ValueError (torch: TypeError) for
    both ``rcond`` and ``rtol``.

    >>> pinv([[2.0, 0.0], [0.0, 4.0]])
    array([[0.5 , 0.  ],
           [0.  , 0.25]])

    >>> torch.linalg.pinv(torch.tensor([[2.0, 0.0], [0.0, 0.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.0000]])
    """

    @submodule("linalg")
    def numpy(a, rcond=None, hermitian=False, *, rtol=NoValue): ...
    @submodule("linalg")
    def cupy(a: own, rcond=None): ...
    @submodule("linalg")
    def keras(x, rcond=None): ...
    @submodule("linalg")
    def torch(A: array, rcond=None, hermitian: boolean = False, *, atol=None, rtol=None, out=None): ...
    @named("pinverse")
    def torch(input: array, rcond: number = 1e-15): ...

@submodule("linalg")
class matrix_rank:
    """Return how many singular values are above ``tol``, or above ``rtol`` times the largest.

    By default ``rtol`` is the machine epsilon of the dtype times the larger size.

    >>> matrix_rank([[1.0, 2.0], [2.0, 4.0]])
    array(1)
    """

    def numpy(A, tol=None, hermitian=False, *, rtol=None): ...
    def cupy(M: own, tol=None): ...
    def keras(x, tol=None): ...

@submodule("linalg")
class matrix_power:
    """Return the product of ``n`` square matrices; of the inverse for a negative ``n``. Raises TypeError for an ``n`` that is not an
    integer.

    >>> matrix_power([[1, 1], [0, 1]], 3)
    array([[1, 3],
           [0, 1]])
    """

    def numpy(a, n): ...
    def cupy(M: own, n): ...

@submodule("linalg")
class multi_dot:
    """Return the product of several matrices, in the order that needs the fewest steps; the first and the last may be vectors.

    Raises ValueError for fewer than two matrices.

    >>> multi_dot([[[1, 2]], [[3], [4]], [[5]]])
    array([[55]])

    >>> torch.linalg.multi_dot([torch.tensor([[1, 2]]), torch.tensor([[3], [4]]), torch.tensor([[5]])])
    tensor([[55]])
    """

    def numpy(arrays, *, out=None): ...
    def torch(tensors: arrays, *, out=None): ...

@submodule("linalg")
class tensorsolve:
    """Return the x for which ``tensordot(a, x, x.ndim) == b``; ``axes`` of ``a`` go to its end first. Raises LinAlgError
    where the unfolded ``a`` is not square.

    >>> tensorsolve([[2.0, 0.0], [0.0, 4.0]], [2.0, 4.0])
    array([1., 1.])
    """

    def numpy(a, b, axes=None): ...
    def cupy(a: own, b: own, axes=None): ...

@submodule("linalg")
class tensorinv:
    """Return the inverse for :func:`tensordot` over the first ``ind`` axes. Raises ValueError for an ``ind`` below 1.

    >>> tensorinv([[2.0, 0.0], [0.0, 4.0]], 1)
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """

    def numpy(a, ind=2): ...
    def cupy(a: own, ind=2): ...

@submodule("linalg")
class norm_of_tensor:
    """Return a vector's norm, or a matrix's where two dimensions or ``ord`` say so.

    >>> torch.linalg.norm(torch.tensor([3.0, 4.0]))
    tensor(5.)
    """

    @named("norm")
    def torch(A: array, ord=None, dim=None, keepdim: boolean = False, *, dtype=None, out=None): ...

@submodule("linalg")
class matrix_norm_of_tensor:
    """Return the norm of matrices in two dimensions; ``ord``: "fro", "nuc", 1, 2, an infinity and their negatives.

    >>> torch.linalg.matrix_norm(torch.tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor(5.)
    >>> torch.linalg.matrix_norm(torch.tensor([[3.0, 0.0], [0.0, 4.0]]), ord=2)
    tensor(4.)
    """

    @named("matrix_norm")
    def torch(A: array, ord="fro", dim=(-2, -1), keepdim: boolean = False, *, dtype=None, out=None): ...

@submodule("linalg")
class vector_norm_of_tensor:
    """Return the norm of vectors along dimensions, by default of all elements.

    >>> torch.linalg.vector_norm(torch.tensor([[3.0, 4.0], [6.0, 8.0]]), dim=1)
    tensor([ 5., 10.])
    """

    @named("vector_norm")
    def torch(x: array, ord: number = 2, dim=None, keepdim: boolean = False, *, dtype=None, out=None): ...

class inverse:
    """Return the inverse of square matrices. Raises LinAlgError (torch: LinAlgError) for singular matrices.

    >>> torch.linalg.inv(torch.tensor([[2.0, 1.0], [0.0, 4.0]]))
    tensor([[ 0.5000, -0.1250],
            [ 0.0000,  0.2500]])
    """

    @named("inv")
    @submodule("linalg")
    def torch(A: array, *, out=None): ...
    def torch(input: array, *, out=None): ...

@submodule("linalg")
class inv_ex:
    """Return (inverse, info): for each matrix 0, or which diagonal element of U is zero; raises and waits only with ``check_errors``.

    >>> inverse, info = torch.linalg.inv_ex(torch.tensor([[2.0, 0.0], [0.0, 0.0]]))
    >>> info
    tensor(2, dtype=torch.int32)
    """

    def torch(A: array, *, check_errors: boolean = False, out=None): ...

class checked_cholesky:
    """Return the lower (or upper) triangle L with ``L @ L.mH == A``. Raises LinAlgError (torch: LinAlgError) for matrices
    that are not positive definite.

    >>> torch.linalg.cholesky(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 0.],
            [1., 2.]])
    """

    @named("cholesky")
    @submodule("linalg")
    def torch(A: array, *, upper: boolean = False, out=None): ...
    @named("cholesky")
    def torch(input: array, upper: boolean = False, *, out=None): ...

@submodule("linalg")
class cholesky_ex:
    """Return (L, info): for each matrix 0, or the order of the leading minor that is not positive definite; see :func:`inv_ex`.

    >>> torch.linalg.cholesky_ex(torch.tensor([[1.0, 0.0], [0.0, -1.0]])).info
    tensor(2, dtype=torch.int32)
    """

    def torch(A: array, *, upper: boolean = False, check_errors: boolean = False, out=None): ...

@submodule("linalg")
class checked_solve:
    """Return the X with ``A @ X == B``, or with ``X @ A == B``. Raises LinAlgError (torch: LinAlgError) for singular
    matrices.

    >>> torch.linalg.solve(torch.tensor([[2.0, 1.0], [0.0, 4.0]]), torch.tensor([4.0, 8.0]))
    tensor([1., 2.])
    """

    @named("solve")
    def torch(A: array, B: array, *, left: boolean = True, out=None): ...

@submodule("linalg")
class solve_ex:
    """Return (result, info): the X of :func:`solve`, and for each matrix 0, or which diagonal element of U is zero; see :func:`inv_ex`.

    >>> result, info = torch.linalg.solve_ex(torch.tensor([[2.0, 0.0], [0.0, 4.0]]), torch.tensor([2.0, 8.0]))
    >>> result
    tensor([1., 2.])
    >>> info
    tensor(0, dtype=torch.int32)
    """

    def torch(A: array, B: array, *, left: boolean = True, check_errors: boolean = False, out=None): ...

class power_of_tensor:
    """Return the product of ``n`` times the matrix; of its inverse for a negative ``n``.

    >>> torch.linalg.matrix_power(torch.tensor([[1.0, 1.0], [0.0, 1.0]]), 3)
    tensor([[1., 3.],
            [0., 1.]])
    >>> torch.linalg.matrix_power(torch.tensor([[1.0, 1.0], [0.0, 1.0]]), -2)
    tensor([[ 1., -2.],
            [ 0.,  1.]])
    """

    @named("matrix_power")
    @submodule("linalg")
    def torch(A: array, n: integer, *, out=None): ...
    @named("matrix_power")
    def torch(input: array, n: integer, *, out=None): ...

@submodule("linalg")
class svd_of_tensor:
    """Return (U, S, Vh) with ``A == U @ diag(S) @ Vh``.

    >>> torch.linalg.svd(torch.tensor([[3.0, 0.0], [0.0, 4.0]])).S
    tensor([4., 3.])
    """

    @named("svd")
    def torch(A: array, full_matrices: boolean = True, *, driver: ignored = None, out=None): ...

class chain_matmul:
    """Return the product of one or more matrices.

    >>> torch.chain_matmul(torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0, 0.0], [0.0, 2.0]]), torch.tensor([[1.0], [1.0]]))
    tensor([[5.]])
    """

    def torch(*matrices: arrays, out=None): ...

@submodule("linalg")
class rank_of_tensor:
    """Return how many singular values are above ``tol``, else above the larger of ``atol`` and ``rtol`` times the largest.

    >>> torch.linalg.matrix_rank(torch.tensor([[1.0, 2.0], [2.0, 4.0]]))
    tensor(1)
    """

    @named("matrix_rank")
    def torch(A: array, tol=None, hermitian: boolean = False, *, atol=None, rtol=None, out=None): ...

@submodule("linalg")
class lu:
    """Return (P, L, U) with ``A == P @ L @ U``: a permutation, a lower triangle with ones on its diagonal, and an upper triangle.

    >>> P, L, U = torch.linalg.lu(torch.tensor([[1.0, 2.0], [4.0, 2.0]]))
    >>> L
    tensor([[1.0000, 0.0000],
            [0.2500, 1.0000]])
    >>> U
    tensor([[4.0000, 2.0000],
            [0.0000, 1.5000]])
    """

    def torch(A: array, *, pivot: boolean = True, out=None): ...

@submodule("linalg")
class lu_factor:
    """Return (LU, pivots): the factors of :func:`lu` in one matrix, and the swaps of rows. Raises RuntimeError where U is singular.

    >>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[1.0, 2.0], [4.0, 2.0]]))
    >>> LU
    tensor([[4.0000, 2.0000],
            [0.2500, 1.5000]])
    >>> pivots
    tensor([2, 2], dtype=torch.int32)
    """

    def torch(A: array, *, pivot: boolean = True, out=None): ...

@submodule("linalg")
class lu_factor_ex:
    """Return (LU, pivots, info): for each matrix 0, or which diagonal element of U is zero; see :func:`inv_ex`.

    >>> torch.linalg.lu_factor_ex(torch.tensor([[1.0, 2.0], [2.0, 4.0]])).info
    tensor(2, dtype=torch.int32)
    """

    def torch(A: array, *, pivot: boolean = True, check_errors: boolean = False, out=None): ...

@submodule("linalg")
class lu_solve:
    """Return the solution of ``A @ X = B`` with the factors of :func:`torch.linalg.lu_factor`.

    Parameters: ``lu``: factors, (..., N, N); ``pivots``: swaps of rows, (..., N), int32; ``b``: right sides, (..., N, K); ``left``: False
    for ``X @ A = B``; ``adjoint``: whether the adjoint of A stands for it.

    >>> A = torch.tensor([[1.0, 2.0], [4.0, 2.0]])
    >>> LU, pivots = torch.linalg.lu_factor(A)
    >>> torch.linalg.lu_solve(LU, pivots, A @ torch.ones(2, 1))
    tensor([[1.],
            [1.]])
    """

    def torch(LU: array, pivots: array, B: array, *, left: boolean = True, adjoint: boolean = False): ...

class lu_unpack:
    """Return (P, L, U) of the factors of :func:`torch.linalg.lu_factor`, for which ``A = P @ L @ U``.

    Parameters: ``lu``: factors, (..., M, N); ``pivots``: swaps of rows, int32; ``unpack_data``: whether L and U are made;
    ``unpack_pivots``: whether P is made; what is not made has no elements.

    >>> P, L, U = torch.lu_unpack(*torch.linalg.lu_factor(torch.tensor([[1.0, 2.0], [4.0, 2.0]])))
    >>> P @ L @ U
    tensor([[1., 2.],
            [4., 2.]])
    """

    def torch(LU_data: array, LU_pivots: array, unpack_data: boolean = True, unpack_pivots: boolean = True): ...

@submodule("linalg")
class householder_product:
    """Return the first columns of the product of Householder reflections ``I - tau v v^H``.

    Parameters: ``a``: vectors v as columns below the diagonal, (..., M, N); ``tau``: (..., K), at most N.

    >>> torch.linalg.householder_product(torch.tensor([[1.0], [1.0]]), torch.tensor([1.0]))
    tensor([[ 0.],
            [-1.]])
    """

    def torch(A: array, tau: array): ...

class ormqr:
    """Return a matrix times the product of Householder reflections ``I - tau v v^H``.

    Parameters: ``a``: vectors v as columns below the diagonal, (..., M, K); ``tau``: (..., K); ``b``: matrix; ``left``: whether the
    product is on its left; ``transpose``: whether it is the adjoint of the product.

    >>> torch.ormqr(torch.tensor([[1.0], [1.0]]), torch.tensor([1.0]), torch.eye(2))
    tensor([[ 0., -1.],
            [-1.,  0.]])
    """

    def torch(input: array, tau: array, other: array, left: boolean = True, transpose: boolean = False): ...

@submodule("linalg")
class ldl_factor:
    """Return (LD, pivots): the factors of symmetric (``hermitian``: Hermitian) matrices in one matrix, from the lower triangle.

    >>> torch.linalg.ldl_factor(torch.tensor([[4.0, 2.0], [2.0, 5.0]])).LD.tril()
    tensor([[4.0000, 0.0000],
            [0.5000, 4.0000]])
    """

    def torch(A: array, *, hermitian: boolean = False, out=None): ...

@submodule("linalg")
class ldl_factor_ex:
    """Return (LD, pivots, info): for each matrix 0, or which block of D is singular; see :func:`inv_ex`.

    >>> torch.linalg.ldl_factor_ex(torch.tensor([[4.0, 2.0], [2.0, 5.0]])).info
    tensor(0, dtype=torch.int32)
    """

    def torch(A: array, *, hermitian: boolean = False, check_errors: boolean = False, out=None): ...

class old_svd:
    """Return (U, S, V) of matrices; ``some``: only as many columns as there are singular values.

    >>> torch.svd(torch.tensor([[3.0, 0.0], [0.0, 4.0]])).S
    tensor([4., 3.])
    """

    @named("svd")
    def torch(input: array, some: boolean = True, compute_uv: ignored = True, *, out=None): ...

class old_qr:
    """Return (Q, R) of matrices; ``some``: only as many columns of Q as R has rows.

    >>> Q, R = torch.qr(torch.tensor([[3.0, 1.0], [4.0, 2.0]]))
    >>> torch.allclose(Q @ R, torch.tensor([[3.0, 1.0], [4.0, 2.0]]))
    True
    """

    @named("qr")
    def torch(input: array, some: boolean = True, *, out=None): ...

class logdet:
    """Return the logarithm of the determinant; NaN where that is negative.

    >>> torch.logdet(torch.tensor([[2.0, 0.0], [0.0, 0.5]]))
    tensor(0.)
    >>> torch.logdet(torch.tensor([[-1.0, 0.0], [0.0, 1.0]]))
    tensor(nan)
    """

    def torch(input: array): ...

@submodule("linalg")
class product_along:
    """Return the sums of products along a dimension, the first tensor conjugated.

    >>> torch.linalg.vecdot(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([10.0, 1.0]))
    tensor([12., 34.])
    """

    @named("vecdot")
    def torch(x: array, y: array, *, dim: integer = -1, out=None): ...

@submodule("linalg")
class cond_of_tensor:
    """Return the norm times that of the inverse; by default the ratio of the largest to the smallest singular value.

    >>> torch.linalg.cond(torch.tensor([[1.0, 0.0], [0.0, 0.01]]))
    tensor(100.)
    """

    @named("cond")
    def torch(A: array, p=None, *, out=None): ...

@submodule("linalg")
class solve_triangular:
    """Return the X with ``A @ X == B`` for triangular matrices; the other triangle is not read.

    >>> torch.linalg.solve_triangular(torch.tensor([[2.0, 0.0], [1.0, 4.0]]), torch.tensor([[4.0], [10.0]]), upper=False)
    tensor([[2.],
            [2.]])
    """

    def torch(
        A: array, B: array, *, upper: boolean, left: boolean = True, unitriangular: boolean = False, out=None
    ): ...

@submodule("linalg")
class solution_by_triangle:
    """Return the X with ``a @ X == b``, where only the upper triangle of ``a`` counts, or with ``lower`` the lower one.

    >>> keras.ops.solve_triangular([[2.0, 0.0], [1.0, 4.0]], [4.0, 10.0], lower=True)
    array([2., 2.], dtype=float32)
    """

    @named("solve_triangular")
    def keras(a, b, lower=False): ...

@submodule("linalg")
class inverse_by_factor:
    """Return the inverse of the matrix whose Cholesky factor ``a`` is: lower triangular, or upper with ``upper``.

    >>> keras.ops.cholesky_inverse([[2.0, 0.0], [0.0, 4.0]])
    array([[0.25  , 0.    ],
           [0.    , 0.0625]], dtype=float32)
    """

    @named("cholesky_inverse")
    def keras(a, upper=False): ...

class cholesky_solve:
    """Return the X with ``A @ X == a``, from the triangle that cholesky() gives of A.

    >>> torch.cholesky_solve(torch.tensor([[4.0], [8.0]]), torch.tensor([[1.0, 0.0], [0.0, 2.0]]))
    tensor([[4.],
            [2.]])
    """

    def torch(B: array, L: array, upper: boolean = False, *, out=None): ...
    def Tensor(self: array, input2: array, upper: boolean = False): ...

class matrix_exp:
    """Return the exponential of matrices.

    >>> torch.linalg.matrix_exp(torch.tensor([[0.0, 1.0], [0.0, 0.0]]))
    tensor([[1., 1.],
            [0., 1.]])
    """

    @submodule("linalg")
    def torch(A: array): ...
    def torch(input: array): ...

@submodule("linalg")
class tensorinv_of_tensor:
    """Return the inverse for tensordot(): the first ``ind`` dimensions are the rows.

    >>> torch.linalg.tensorinv(torch.eye(6).reshape(2, 3, 6) * 2, ind=2).shape
    torch.Size([6, 2, 3])
    """

    @named("tensorinv")
    def torch(A: array, ind: integer = 2, *, out=None): ...

@submodule("linalg")
class tensorsolve_of_tensor:
    """Return the X with ``tensordot(A, X, X.ndim) == B``; ``axis`` goes to the end before.

    >>> torch.linalg.tensorsolve(torch.tensor([[2.0, 0.0], [0.0, 4.0]]), torch.tensor([2.0, 4.0]))
    tensor([1., 1.])
    """

    @named("tensorsolve")
    def torch(A: array, B: array, dims=None, *, out=None): ...

@submodule("linalg")
class lstsq_of_tensor:
    """Return (solution, residuals, rank, singular values) of the smallest ``|A @ X - B|``; the last three as ``driver`` gives them.

    >>> torch.linalg.lstsq(torch.tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]), torch.tensor([[3.0], [4.0], [5.0]])).solution
    tensor([[3.],
            [2.]])
    """

    @named("lstsq")
    def torch(A: array, B: array, rcond=None, *, driver=None): ...
