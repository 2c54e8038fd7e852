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
    """The distances of each two different rows: of the first from all behind it, of the second, and so on."""
    if input._rank != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input._rank}D")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    first, second = FACES["triu_indices"](input._shape[0], input._shape[0], 1, device=input.device)
    return vector_norm(input[first] - input[second], p, -1)


