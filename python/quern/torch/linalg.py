"""torch.linalg: products of matrices, factorisations and norms."""

from quern.torch._arguments import checked as _checked
from quern.torch._faces import FACES as _FACES
from quern.torch._factors import _LinAlgError
from quern.torch._linalg import *  # noqa: F403

LinAlgError = _LinAlgError


@_checked
def vander(x, *, N=None):  # noqa: N803
    """Return matrices whose columns are powers of the elements of the last dimension.

    Parameters
    ----------
    x : Tensor
        Tensor with at least one dimension.
    N : int, optional
        Number of columns; None is the size of the last dimension.

    Returns
    -------
    Tensor
        Shape of `x` with a new last dimension of size `N`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.linalg.vander(torch.tensor([2, 3]), N=3)
    tensor([[1, 2, 4],
            [1, 3, 9]])
    """
    x = x if x.ndim else x.reshape(1)
    n = x.shape[-1] if N is None else N
    if n <= 1:
        raise RuntimeError(f"N must be greater than 1, but got {n}.")
    made = _FACES["vander"](x.reshape(-1), n, True)
    return made.reshape([*x.shape, n])


