"""The standard's linear algebra: products for the main namespace too, and its extension."""

from quern.arrays import linalg as _linalg

__all__ = """cholesky cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power matrix_rank matrix_transpose outer pinv qr
slogdet solve svd svdvals tensordot trace vecdot vector_norm""".split()


cross, diagonal, trace = _linalg.cross, _linalg.diagonal, _linalg.trace  # these have the standard's signatures
matmul, outer, tensordot, vecdot = _linalg.matmul, _linalg.outer, _linalg.tensordot, _linalg.vecdot
matrix_norm, vector_norm = _linalg.matrix_norm, _linalg.vector_norm
matrix_transpose, svdvals = _linalg.matrix_transpose, _linalg.svdvals


def cholesky(x, /, *, upper=False):
    """The triangular factor of Hermitian positive definite matrices: lower, or ``upper``."""
    return _linalg.cholesky(x, upper=upper)


def det(x, /):
    """The determinants of square matrices."""
    return _linalg.det(x)


def eigh(x, /):
    """eigenvalues and eigenvectors of Hermitian matrices: a named tuple."""
    return _linalg.eigh(x)


def eigvalsh(x, /):
    """The eigenvalues of Hermitian matrices."""
    return _linalg.eigvalsh(x)


def inv(x, /):
    """The inverses of square matrices."""
    return _linalg.inv(x)


def matrix_power(x, n, /):
    """Square matrices to the integer power ``n``."""
    return _linalg.matrix_power(x, n)


def matrix_rank(x, /, *, rtol=None):
    """How many singular values are above ``rtol`` times the greatest."""
    return _linalg.matrix_rank(x, rtol=rtol)


def pinv(x, /, *, rtol=None):
    """The Moore-Penrose inverses; singular values up to ``rtol`` times the greatest count as 0."""
    return _linalg.pinv(x) if rtol is None else _linalg.pinv(x, rtol=rtol)


def qr(x, /, *, mode="reduced"):
    """Q and R: a named tuple. ``mode``: "reduced" or "complete"."""
    return _linalg.qr(x, mode)


def slogdet(x, /):
    """sign and logabsdet of the determinants: a named tuple."""
    return _linalg.slogdet(x)


def solve(x1, x2, /):
    """x with x1 @ x = x2; ``x2`` is a vector where it has one axis, else matrices."""
    return _linalg.solve(x1, x2)


def svd(x, /, *, full_matrices=True):
    """U, S and Vh: a named tuple."""
    return _linalg.svd(x, full_matrices)
