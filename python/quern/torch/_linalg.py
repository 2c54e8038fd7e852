"""Products of matrices, and what torch.linalg has."""

import math

from quern.lib import _engine
from quern.torch import _creation, _factors, _named, _shaping
from quern.torch._arguments import check_all
from quern.torch._core import Tensor, _op, add_methods, dim_of, finish
from quern.torch._faces import FACES
from quern.torch._types import DTYPES, scalar_name

LINALG = _engine.functions_of("torch_linalg", "quern.torch.linalg", binds=False)
_product = FACES["matmul"]
inv_ex, matrix_norm, pinv, solve_ex, svd, svdvals, vector_norm = (
    LINALG[_name] for _name in "inv_ex matrix_norm pinv solve_ex svd svdvals vector_norm".split()
)


def _same_type(a, b, name):
    if a._dtype_name != b._dtype_name:
        raise RuntimeError(
            f"{name}: expected both tensors to have the same dtype, but got {scalar_name(a.dtype)} and {scalar_name(b.dtype)}"
        )


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


def _square(A, name):  # noqa: N803
    _float(A, name)
    if A._rank < 2:
        raise RuntimeError(f"linalg.{name}: The input tensor A must have at least 2 dimensions.")
    if A._shape[-1] != A._shape[-2]:
        raise RuntimeError(f"linalg.{name}: A must be batches of square matrices, but they are {A._shape[-2]} by {A._shape[-1]} matrices")
    return A


def _inverted(A, name):  # noqa: N803
    """The inverse; LinAlgError at the call where there is none."""
    inverse, info = inv_ex(A)
    _factors.check(info, name, _factors.SINGULAR)
    return inverse


def logdet(input):
    """The logarithm of the determinant; NaN where that is negative."""
    sign, size = FACES["slogdet"](input)
    if input.is_complex():
        return _op("log", sign) + size
    return _op("where", sign < 0, math.nan, size).to(size.dtype)


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
    return _named.qr(*LINALG["qr"](input, "reduced" if some else "complete"))


linalg_namespace = "cond lstsq matrix_exp solve_triangular vecdot".split()
METHODS = "logdet matrix_exp"
NAMES = "cdist pdist logdet matrix_exp cholesky_solve".split()
check_all(globals(), [*linalg_namespace, *NAMES, "_old_svd", "_old_qr"], same_out="vecdot solve_triangular")
OLD = {"svd": _old_svd, "qr": _old_qr}
add_methods(globals(), METHODS)
Tensor.cholesky_solve = lambda self, input2, upper=False: cholesky_solve(self, input2, upper)
for _name, _function in OLD.items():
    setattr(Tensor, _name, _function)
