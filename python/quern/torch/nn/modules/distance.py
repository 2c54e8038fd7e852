"""Distances of vectors."""

from quern.torch.nn import functional as F
from quern.torch.nn.modules.module import Module


class PairwiseDistance(Module):
    """Return the norm of the difference of vectors: (N, D), (N, D) -> (N).

    Parameters
    ----------
    p : float, optional
        Order of the norm.
    eps : float, optional
        Number that is added to the difference.
    keepdim : bool, optional
        Whether the last dimension stays, with size 1.

    Raises
    ------
    RuntimeError
        For shapes that do not broadcast, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.PairwiseDistance()(torch.tensor([[0.0, 0.0]]), torch.tensor([[3.0, 4.0]]))
    tensor([5.0000])
    """

    __constants__ = ["norm", "eps", "keepdim"]

    def __init__(self, p=2.0, eps=1e-6, keepdim=False):
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1, x2):
        """Return the distances."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """Return the cosine of the angle between vectors along a dimension.

    Parameters
    ----------
    dim : int, optional
        Dimension of the operation; a negative one counts from the end.
    eps : float, optional
        Smallest norm.

    Raises
    ------
    IndexError
        For a `dim` out of range, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch import nn
    >>> nn.CosineSimilarity()(torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]]))
    tensor([0.7071])
    """

    __constants__ = ["dim", "eps"]

    def __init__(self, dim=1, eps=1e-8):
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1, x2):
        """Return the cosines."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
