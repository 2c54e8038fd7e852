"""Products of matrices, and what torch.linalg has."""

import math

import numpy

from quern.lib import _engine
from quern.torch import _creation, _einsum, _factors, _named, _shaping
from quern.torch._arguments import check_all
from quern.torch._core import Tensor, _op, add_methods, dim_of, dims_of, finish, joined
from quern.torch._faces import FACES
from quern.torch._types import DTYPES, scalar_name

_product = FACES["matmul"]
_NOT_FINITE = "linalg.svd: The algorithm failed to converge because the input matrix contained non-finite values."


def _same_type(a, b, name):
    if a._dtype_name != b._dtype_name:
        raise RuntimeError(
            f"{name}: expected both tensors to have the same dtype, but got {scalar_name(a.dtype)} and {scalar_name(b.dtype)}"
        )


def einsum(equation, *operands):
    """The sums of products that subscripts name: "ij,jk->ik"."""
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = tuple(operands[0])
    if not isinstance(equation, str):
        equation, operands = _equation_of([equation, *operands])
    if not operands:
        raise RuntimeError("einsum(): must provide at least one operand")
    for one in operands:
        if not isinstance(one, Tensor):
            raise TypeError(f"einsum(): operands must be Tensors, not {type(one).__name__}")
    return _einsum.einsum(equation, operands)


def _equation_of(given):
    """Subscripts as text, of operands and lists of numbers by turns."""
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    text = lambda numbers: "".join("..." if n is Ellipsis else letters[n] for n in numbers)  # noqa: E731
    operands = given[0::2] if len(given) % 2 == 0 else given[:-1:2]
    equation = ",".join(text(numbers) for numbers in given[1::2])
    return (equation if len(given) % 2 == 0 else f"{equation}->{text(given[-1])}"), operands


def chain_matmul(*matrices, out=None):
    """The product of all matrices."""
    return finish(multi_dot(matrices), out)


def multi_dot(tensors, *, out=None):
    """The product of all matrices, from the left."""
    tensors = list(tensors)
    if len(tensors) < 1:
        raise RuntimeError("multi_dot(): expected at least 1 tensor")
    made = tensors[0]
    for one in tensors[1:]:
        made = _product(made, one)
    return finish(made, out)


def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """The distances of all pairs of rows."""
    if x1._rank < 2 or x2._rank < 2 or x1._shape[-1] != x2._shape[-1]:
        raise RuntimeError("X1 and X2 must have at least two dimensions and the same number of columns.")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    away = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    return vector_norm(away, p, -1)


def pdist(input, p=2.0):
    """The distances of each two different rows: of the first from all behind it, of the second, and so on."""
    if input._rank != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input._rank}D")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    first, second = _creation.triu_indices(input._shape[0], input._shape[0], 1, device=input.device)
    return vector_norm(input[first] - input[second], p, -1)


# ---- torch.linalg


def _matrix(A, name):  # noqa: N803
    _float(A, name)
    if A._rank < 2:
        raise RuntimeError(f"linalg.{name}: The input tensor A must have at least 2 dimensions.")
    return A


def _float(input, name):
    if not (input.is_floating_point() or input.is_complex()):
        kind = RuntimeError if name in ("eig", "lstsq", "pinv", "matrix_rank") else NotImplementedError
        raise kind(f"linalg.{name}: Expected a floating point or complex tensor as input. Got {scalar_name(input.dtype)}")
    return input


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None, out=None):
    """The norm of vectors along dimensions, by default of all elements."""
    if dtype is not None:
        x = x.to(dtype)
    x = _float(x, "vector_norm")
    made = _norm_of(x.detach(), ord, dim, keepdim)
    if x.requires_grad:
        dims = [d for d in dims_of(None if dim == () else dim, x._rank) if d < x._rank]
        made = _engine.tensor_vector_norm(x, made, float(ord), dims)
    return finish(made, out)


def _norm_of(x, ord, dim, keepdim):
    if x._dtype_name in ("float16", "bfloat16"):  # powers of short types overflow
        return _norm_of(x.float(), ord, dim, keepdim).to(x.dtype)
    if ord == 2:
        squares = _op("square", x.real) + _op("square", x.imag) if x.is_complex() else _op("square", x)
        return _op("sqrt", _sum(squares, dim, keepdim))
    size = x.abs()
    if abs(ord) == math.inf:
        return (size.amax if ord > 0 else size.amin)(() if dim is None else dim, keepdim)
    if ord == 0:
        return _sum((size != 0).to(size.dtype), dim, keepdim)
    return _sum(size, dim, keepdim) if ord == 1 else _sum(size**ord, dim, keepdim) ** (1 / ord)


def root(x):
    """The square root; where it is 0 its derivative is 0, not infinite."""
    if not (x.requires_grad and _engine.gradient_mode()) or x.is_complex():
        return _op("sqrt", x)
    return _engine.tensor_activated(x, _op("sqrt", x.detach()), "root", 0.0, 0.0, None)


def _sum(x, dim, keepdim):
    return x.sum(dim, keepdim) if dim is not None or keepdim else x.sum()


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None, out=None):  # noqa: N803
    """The norm of matrices in two dimensions: "fro", "nuc", 1, 2, an infinity and their negatives."""
    A = _float(A if dtype is None else A.to(dtype), "matrix_norm")  # noqa: N806
    if A._rank < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    dims = dims_of(list(dim), A._rank)
    if len(dims) != 2:
        raise RuntimeError("linalg.matrix_norm: dim must be a 2-tuple")
    rows, columns = dims
    if ord not in ("fro", "nuc", 1, 2, -1, -2, math.inf, -math.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    if ord == "fro":
        return vector_norm(A, 2, (rows, columns), keepdim, out=out)
    if ord in ("nuc", 2, -2):
        s = svdvals(A.movedim((rows, columns), (-2, -1)))
        if not s._shape[-1]:
            s = s.new_zeros([*s._shape[:-1], 1])
        made = s.sum(-1) if ord == "nuc" else s.amax(-1) if ord == 2 else s.amin(-1)
        if keepdim:
            for d in sorted((rows, columns)):
                made = made.unsqueeze(d)
        return finish(made, out)
    if abs(ord) == math.inf:
        rows, columns = columns, rows
    sums = A.abs().sum(rows, True)
    made = sums.amax(columns, True) if ord > 0 else sums.amin(columns, True)
    return finish(made if keepdim else made.squeeze((rows, columns)), out)


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None, out=None):  # noqa: N803
    """A vector's norm, or a matrix's where two dimensions or the kind of norm say so."""
    two = isinstance(dim, list | tuple) and len(dim) == 2 or dim is None and A._rank == 2
    if ord is not None and two or isinstance(ord, str):
        return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype, out=out)
    return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype, out=out)


def _square(A, name):  # noqa: N803
    _float(A, name)
    if A._rank < 2:
        raise RuntimeError(f"linalg.{name}: The input tensor A must have at least 2 dimensions.")
    if A._shape[-1] != A._shape[-2]:
        raise RuntimeError(f"linalg.{name}: A must be batches of square matrices, but they are {A._shape[-2]} by {A._shape[-1]} matrices")
    return A


def inv(A, *, out=None):  # noqa: N803
    """The inverse of square matrices."""
    return finish(_inverted(_square(A, "inv"), "linalg.inv"), out)


def _inverted(A, name):  # noqa: N803
    """The inverse; LinAlgError at the call where there is none."""
    inverse, info = _with_status(_engine.array_inv_with_status, A)
    _factors.check(info, name, _factors.SINGULAR)
    return inverse


def _with_status(function, A, *more):  # noqa: N803
    """A result and the status of each matrix, 0 of those without elements."""
    if A._shape[-1]:
        return function(A, *more)
    return function(A, *more)[0], A.new_zeros(A._shape[:-2], dtype=DTYPES["int32"])


def inv_ex(A, *, check_errors=False, out=None):  # noqa: N803
    """(inverse, info): the inverse and for each matrix 0, or which diagonal element of U is zero; raises and waits only if asked to."""
    inverse, info = _with_status(_engine.array_inv_with_status, _square(A, "inv"))
    if check_errors:
        _factors.check(info, "linalg.inv_ex", _factors.SINGULAR)
    return _named.linalg_inv_ex(*_both(inverse, info, out))


def _both(result, info, out):
    return (result, info) if out is None else (finish(result, out[0]), finish(info, out[1]))


def det(A, *, out=None):  # noqa: N803
    """The determinant of square matrices."""
    return finish(_engine.array_det(_square(A, "det")), out)


def slogdet(A, *, out=None):  # noqa: N803
    """(sign, logarithm of the size) of the determinant."""
    return _named.linalg_slogdet(*_engine.array_factored("slogdet", _square(A, "slogdet"), ""))


def logdet(input):
    """The logarithm of the determinant; NaN where that is negative."""
    sign, size = slogdet(input)
    if input.is_complex():
        return _op("log", sign) + size
    return _op("where", sign < 0, math.nan, size).to(size.dtype)


def solve(A, B, *, left=True, out=None):  # noqa: N803
    """The X with ``A @ X == B``, or with ``X @ A == B``."""
    x, info = solve_ex(A, B, left=left)
    _factors.check(info, "torch.linalg.solve", _factors.UNSOLVABLE)
    return finish(x, out)


def solve_ex(A, B, *, left=True, check_errors=False, out=None):  # noqa: N803
    """(result, info): the X of solve() and for each matrix 0, or which diagonal element of U is zero; raises and waits only if asked to."""
    _square(A, "solve")
    _same_type(A, B, "linalg.solve")
    rows = B._rank - (1 if B._rank == 1 or B._rank == A._rank - 1 else 2 if left else 1)
    if not B._rank or B._shape[max(rows, 0)] != A._shape[-1]:
        raise RuntimeError(f"linalg.solve: Incompatible shapes of A and B for the equation AX = B ({list(A._shape)} and {list(B._shape)})")
    if not left:
        x, info = solve_ex(A.mT, B.mT)
        x = x.mT
    elif B._rank == A._rank - 1 and B._rank > 1:
        x, info = _with_status(_engine.array_solve_with_status, A, B.unsqueeze(-1))
        x = x.squeeze(-1)
    else:
        x, info = _with_status(_engine.array_solve_with_status, A, B)
    if check_errors:
        _factors.check(info, "torch.linalg.solve_ex", _factors.UNSOLVABLE)
    return _named.linalg_solve_ex(*_both(x, info, out))


def cholesky(A, *, upper=False, out=None):  # noqa: N803
    """The lower (or upper) triangle L with ``L @ L.mH == A``."""
    factor, info = cholesky_ex(A, upper=upper)
    _factors.check(info, "linalg.cholesky", _factors.NOT_POSITIVE)
    return finish(factor, out)


def cholesky_ex(A, *, upper=False, check_errors=False, out=None):  # noqa: N803
    """(L, info): the triangle of cholesky() and for each matrix 0, or the order of the leading minor that is not positive definite;
    raises and waits only if asked to."""
    _square(A, "cholesky")
    factor, info = _with_status(lambda x: _engine.array_factored("cholesky", x, "ui" if upper else "li"), A)
    if check_errors:
        _factors.check(info, "linalg.cholesky_ex", _factors.NOT_POSITIVE)
    return _named.linalg_cholesky_ex(*_both(factor, info, out))


def qr(A, mode="reduced", *, out=None):  # noqa: N803
    """(Q, R) with orthogonal columns in Q and an upper triangle R."""
    modes = {"reduced": "e", "complete": "c", "r": "r"}
    if mode not in modes:
        raise RuntimeError(f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'")
    parts = _engine.array_factored("qr", _matrix(A, "qr"), modes[mode])
    return _named.linalg_qr(A.new_empty(0), parts[0]) if mode == "r" else _named.linalg_qr(*parts[:2])


def svd(A, full_matrices=True, *, driver=None, out=None):  # noqa: N803
    """(U, S, Vh) with ``A == U @ diag(S) @ Vh``."""
    return _named.linalg_svd(*_factors.settled(_engine.array_svd(_matrix(A, "svd"), "a" if full_matrices else "s", False)[:3], _NOT_FINITE))


def svdvals(A, *, driver=None, out=None):  # noqa: N803
    """The singular values, the largest first."""
    return finish(_factors.settled(_engine.array_svd(_matrix(A, "svdvals"), "s", False)[1], _NOT_FINITE), out)


def eigh(A, UPLO="L", *, out=None):  # noqa: N803
    """(values, vectors) of symmetric matrices; one triangle is read."""
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    parts = _engine.array_factored("eigh", _square(A, "eigh"), UPLO.upper() + "v")[:2]
    return _named.linalg_eigh(*_factors.settled(parts, "linalg.eigh: The algorithm failed to converge."))


def eigvalsh(A, UPLO="L", *, out=None):  # noqa: N803
    """The eigenvalues of symmetric matrices, the smallest first."""
    return finish(eigh(A, UPLO)[0], out)


def eig(A, *, out=None):  # noqa: N803
    """(values, vectors), complex, of square matrices."""
    return _named.linalg_eig(*_general_values(_square(A, "eig"), "v")[:2])


def _general_values(A, mode):  # noqa: N803
    try:
        parts = _engine.array_factored("eig", A, mode)
    except numpy.linalg.LinAlgError:
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.") from None
    return _factors.settled(parts, "linalg.eig: The algorithm failed to converge.")


def eigvals(A, *, out=None):  # noqa: N803
    """The eigenvalues, complex, of square matrices."""
    return finish(_general_values(_square(A, "eigvals"), "")[0], out)


def pinv(A, *, atol=None, rtol=None, hermitian=False, out=None):  # noqa: N803
    """The pseudoinverse; singular values up to ``rtol`` times the largest count as 0."""
    _matrix(A, "pinv")
    return finish(_factors.settled(_engine.array_pinv(A, rtol, hermitian), _NOT_FINITE), out)


def matrix_rank(A, *, tol=None, atol=None, rtol=None, hermitian=False, out=None):  # noqa: N803
    """How many singular values count."""
    _matrix(A, "matrix_rank")
    s = eigvalsh(A).abs() if hermitian else svdvals(A)
    each = lambda v: v.unsqueeze(-1) if isinstance(v, Tensor) else v  # noqa: E731  # a limit for each matrix
    if not s._shape[-1]:
        return finish((s > 0).sum(-1), out)
    if tol is not None:
        return finish((s > each(tol)).sum(-1), out)
    if rtol is None:
        eps = {"float32": 2.0**-23, "complex64": 2.0**-23}.get(A._dtype_name, 2.0**-52)
        rtol = max(A._shape[-2:]) * eps
        if atol is not None:  # then only where it is 0
            rtol = _op("where", atol > 0, 0.0, rtol) if isinstance(atol, Tensor) else 0.0 if atol > 0 else rtol
    limit = s.amax(-1, True) * each(rtol)
    if atol is not None:
        limit = _op("maximum", limit, each(atol).to(s.dtype) if isinstance(atol, Tensor) else s.new_full((), atol))
    return finish((s > limit).sum(-1), out)


def lstsq(A, B, rcond=None, *, driver=None):  # noqa: N803
    """(solution, residuals, rank, singular values) of the smallest ``|A @ X - B|``."""
    _matrix(A, "lstsq")
    _same_type(A, B, "linalg.lstsq")
    if driver is not None and driver not in ("gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError(
            f"torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), but got {driver}"
        )
    is_vector = B._rank == 1 or A._rank - 1 == B._rank and A._shape[:-1] == B._shape
    if B._rank > A._rank or A._rank - B._rank > 1:
        raise RuntimeError("torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1")
    rows = B.unsqueeze(-1) if is_vector else B
    if rows._rank < 2 or A._shape[-2] != rows._shape[-2]:
        raise RuntimeError(
            f"torch.linalg.lstsq: input.size(-2) should match other.size(-{1 if is_vector else 2}), but they are {list(A._shape)} and "
            f"{list(B._shape)}"
        )
    lead = _shaping.broadcast_shapes(A._shape[:-2], rows._shape[:-2])
    m, n = A._shape[-2:]
    wide = [*lead, m, n], [*lead, m, rows._shape[-1]]
    count = math.prod(lead)
    shown = [v.detach().expand(size).reshape(count, *size[-2:]) for v, size in zip((A, rows), wide, strict=True)]
    parts = [_engine.array_lstsq(*pair, rcond) for pair in zip(*shown, strict=True)] if m and n else []
    for one in parts:
        _factors.settled(one[0], "torch.linalg.lstsq: The algorithm failed to converge because the input contained non-finite values.")
    x = _joined([p[0] for p in parts], [*lead, n, wide[1][-1]], A)
    rank = _joined([p[2] for p in parts], lead, A.new_empty(0, dtype=DTYPES["int64"]))
    if _engine.gradient_mode() and (A.requires_grad or B.requires_grad):
        same = pinv(A) @ rows  # with a derivative; what is added is 0
        x = x + (same - same.detach())
    left = (x.real if x.is_complex() else x).reshape(-1)[:0]
    if m > n and driver != "gelsy" and driver is not None and bool((rank == n).all()):
        away = A @ x - rows
        left = (away.real.square() + away.imag.square() if away.is_complex() else away.square()).sum(-2)
    values = A.detach().real.new_empty(0)
    if driver in ("gelsd", "gelss"):
        values = _joined([p[3] for p in parts], [*lead, min(m, n)], A.detach().real)
    if driver == "gels":
        rank = rank.new_empty(0)
    return _named.linalg_lstsq(x.squeeze(-1) if is_vector else x, left, rank, values)


def _joined(parts, shape, like):
    """The results of a batch's matrices as one tensor."""
    if not parts:
        return like.new_zeros(shape)
    made = _shaping.stack([p.to(like.dtype) for p in parts]) if len(parts) > 1 or shape[:1] == [1] else parts[0].to(like.dtype)
    return made.reshape(shape)


def matrix_power(A, n, *, out=None):  # noqa: N803
    """The product of ``n`` times the matrix; of its inverse for a negative ``n``."""
    _square(A, "matrix_power")
    if n < 0:
        A, n = _inverted(A, "linalg.inv"), -n  # noqa: N806
        if n == 1:
            return finish(A, out)
    return finish(joined(_engine.array_matrix_power(A, n), A), out)


def cond(A, p=None, *, out=None):  # noqa: N803
    """The norm times that of the inverse; by default the ratio of the largest to the smallest singular value."""
    if p in (None, 2, -2):
        s = svdvals(A)
        return finish(s[..., 0] / s[..., -1] if p != -2 else s[..., -1] / s[..., 0], out)
    inverse, info = inv_ex(A)
    made = matrix_norm(A, p) * matrix_norm(inverse, p)
    return finish(_op("where", info != 0, math.inf, made).to(made.dtype), out)


def vecdot(x, y, *, dim=-1, out=None):
    """The sums of products along a dimension, the first conjugated."""
    dim_of(dim, max(x._rank, y._rank))
    return finish((x.conj() * y).sum(dim), out)


def solve_triangular(A, B, *, upper, left=True, unitriangular=False, out=None):  # noqa: N803
    """The X with ``A @ X == B`` for triangular matrices; the other triangle is not read."""
    T = A.triu() if upper else A.tril()  # noqa: N806
    if unitriangular:
        T = T - T.diagonal(0, -2, -1).diag_embed() + A.new_ones(A._shape[-1]).diag_embed()  # noqa: N806
    return finish(solve_ex(T, B, left=left).result, out)


def cholesky_solve(B, L, upper=False, *, out=None):  # noqa: N803
    """The X with ``A @ X == B``, from the triangle that cholesky() gives of A."""
    return finish(solve_ex(L.mH @ L if upper else L @ L.mH, B).result, out)


def matrix_exp(A):  # noqa: N803
    """The exponential of matrices, by scaling, a series and squaring (Higham, 2005)."""
    _square(A, "matrix_exp")
    n = A._shape[-1]
    if not A._size:
        return A.clone()
    # Each squaring doubles the rounding errors: no more of them than the series needs.
    largest = float(matrix_norm(A.detach(), 1).amax())
    times = max(0, math.ceil(math.log2(max(largest, 1e-30)))) if math.isfinite(largest) else 0
    x = A / 2.0**times
    one = A.new_ones(n).diag_embed().expand_as(A)
    made = one
    for k in range(18 if A._dtype_name in ("float64", "complex128") else 12, 0, -1):  # Horner's scheme: the smallest terms first
        made = one + _product(x, made) / k
    for _ in range(times):
        made = _product(made, made)
    return made


def _old_svd(input, some=True, compute_uv=True, *, out=None):
    """(U, S, V) of matrices; ``some``: only as many columns as there are singular values."""
    u, s, vh = svd(input, not some)
    return _named.svd(u, s, vh.mH)


def _old_qr(input, some=True, *, out=None):
    """(Q, R) of matrices."""
    return _named.qr(*qr(input, "reduced" if some else "complete"))


def _old_cholesky(input, upper=False, *, out=None):
    """The triangle of a positive definite matrix; see linalg.cholesky."""
    return cholesky(input, upper=upper, out=out)


inverse, linalg_namespace = (
    inv,
    """cholesky cholesky_ex inv_ex solve_ex cond det eig eigh eigvals eigvalsh inv lstsq matrix_exp matrix_norm
matrix_power matrix_rank multi_dot norm pinv qr slogdet solve solve_triangular svd svdvals vecdot vector_norm""".split(),
)
METHODS = "det slogdet logdet inverse matrix_exp matrix_power pinverse"
pinverse = pinv
NAMES = """einsum chain_matmul cdist pdist det slogdet logdet inverse matrix_exp matrix_power cholesky_solve pinverse""".split()
check_all(
    globals(),
    [*linalg_namespace, *METHODS.split(), *NAMES, "_old_svd", "_old_qr", "_old_cholesky"],
    {"multi_dot": ""},
    same_out="""multi_dot vecdot norm vector_norm matrix_norm cholesky
    eigvalsh svdvals det inv solve solve_triangular""",
)
OLD = {"svd": _old_svd, "qr": _old_qr, "cholesky": _old_cholesky}
add_methods(globals(), METHODS)
Tensor.cholesky_solve = lambda self, input2, upper=False: cholesky_solve(self, input2, upper)
for _name, _function in OLD.items():
    setattr(Tensor, _name, _function)
