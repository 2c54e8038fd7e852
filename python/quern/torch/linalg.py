"""torch.linalg: products of matrices, factorisations and norms."""

from quern.torch._arguments import checked as _checked
from quern.torch._faces import FACES as _FACES
from quern.torch._factors import _LinAlgError
from quern.torch._linalg import *  # noqa: F403

LinAlgError = _LinAlgError


@_checked
def vander(x, *, N=None):  # noqa: N803
    """Rows of the powers 0, 1, 2 ... of the elements of the last dimension."""
    x = x if x.ndim else x.reshape(1)
    n = x.shape[-1] if N is None else N
    if n <= 1:
        raise RuntimeError(f"N must be greater than 1, but got {n}.")
    made = _FACES["vander"](x.reshape(-1), n, True)
    return made.reshape([*x.shape, n])


