"""torch.linalg: products of matrices, factorisations and norms."""

import math as _math

from quern.torch import _more
from quern.torch._arguments import check_all as _check_all
from quern.torch._core import finish as _finish
from quern.torch._factors import _LinAlgError
from quern.torch._linalg import LINALG as _faces
from quern.torch._linalg import cond, lstsq, matrix_exp, solve_triangular, vecdot  # noqa: F401

LinAlgError = _LinAlgError
globals().update(_faces)


def tensorinv(A, ind=2, *, out=None):  # noqa: N803
    """The inverse for tensordot(): the first ``ind`` dimensions are the rows."""
    if ind <= 0:
        raise RuntimeError("Expected a strictly positive integer for 'ind'")
    rows, columns = list(A.shape[:ind]), list(A.shape[ind:])
    if _math.prod(rows) != _math.prod(columns):
        raise RuntimeError(
            f"Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got {_math.prod(columns)} != "
            f"{_math.prod(rows)}"
        )
    return _finish(_faces["inv"](A.reshape(_math.prod(rows), -1)).reshape(columns + rows), out)


def tensorsolve(A, B, dims=None, *, out=None):  # noqa: N803
    """The X with ``tensordot(A, X, X.ndim) == B``; ``dims`` are moved to the end before."""
    if dims is not None:
        A = A.movedim(tuple(dims), tuple(range(A.ndim - len(dims), A.ndim)))  # noqa: N806
    shape = list(A.shape[B.ndim :])
    if _math.prod(shape) != B.numel():
        raise RuntimeError(
            f"Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), but got "
            f"{_math.prod(shape)} != {B.numel()}"
        )
    return _finish(_faces["solve"](A.reshape(-1, _math.prod(shape)), B.reshape(-1)).reshape(shape), out)


def vander(x, *, N=None):  # noqa: N803
    """Rows of the powers 0, 1, 2 ... of the elements of the last dimension."""
    x = x if x.ndim else x.reshape(1)
    n = x.shape[-1] if N is None else N
    if n <= 1:
        raise RuntimeError(f"N must be greater than 1, but got {n}.")
    if x.ndim == 1:
        return _more.vander(x, n, True)
    return _more.vander(x.reshape(-1), n, True).reshape([*x.shape, n])


_check_all(globals(), ["tensorinv", "tensorsolve", "vander"])
