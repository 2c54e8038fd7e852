"""Distances of rows, made of the norms of torch.linalg."""

from quern.lib import _engine
from quern.torch._arguments import checked
from quern.torch._faces import FACES

LINALG = _engine.add_functions(__name__, "torch", "linalg", binds=False, shown="quern.torch.linalg")
__all__ = list(LINALG)
inv_ex, matrix_norm, solve_triangular, svd, vector_norm = (
    LINALG[_name] for _name in "inv_ex matrix_norm solve_triangular svd vector_norm".split()
)


@checked
def pdist(input, p=2.0):
    """Return the distances between all pairs of different rows.

    Parameters
    ----------
    input : Tensor
        Matrix of shape (N, M).
    p : float, optional
        Order of the norm.

    Returns
    -------
    Tensor
        Distances of rows 0 and 1, 0 and 2, and so on: shape (N * (N - 1) / 2,).

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.functional.pdist(torch.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]))
    tensor([5.0000, 1.0000, 4.2426])
    """
    if input._rank != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input._rank}D")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    first, second = FACES["triu_indices"](input._shape[0], input._shape[0], 1, device=input.device)
    return vector_norm(input[first] - input[second], p, -1)


