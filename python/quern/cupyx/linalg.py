"""cupyx.linalg."""

from quern.cupy.linalg import cho_solve  # noqa: F401


def invh(a):
    """Return the inverse of Hermitian, positive definite matrices.

    Parameters
    ----------
    a : array_like
        Matrices, of shape (..., M, M).

    Returns
    -------
    ndarray
        Shape of `a`.

    Raises
    ------
    LinAlgError
        For matrices that are not positive definite, when the result is read.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> from quern.cupyx import linalg
    >>> linalg.invh(cp.asarray([[2.0, 0.0], [0.0, 4.0]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    from quern import cupy

    a = cupy.asarray(a)
    low = cupy.linalg.inv(cupy.linalg.cholesky(a))
    return cupy.matmul(low.conj().swapaxes(-1, -2), low)
