"""cupyx.linalg."""

from quern.cupy.linalg import cho_solve  # noqa: F401


def invh(a):
    """The inverse of a Hermitian, positive definite matrix, or of a stack of them. Raises LinAlgError for others, when it is read."""
    from quern import cupy

    a = cupy.asarray(a)
    low = cupy.linalg.inv(cupy.linalg.cholesky(a))
    return cupy.matmul(low.conj().swapaxes(-1, -2), low)
