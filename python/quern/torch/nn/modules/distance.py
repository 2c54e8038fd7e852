"""Distances of vectors."""

from quern.torch.nn import functional as F
from quern.torch.nn.modules.module import Module


class PairwiseDistance(Module):
    """The ``p``-norm of x1 - x2 + ``eps`` along the last dimension: (N, D), (N, D) -> (N), or (N, 1) with ``keepdim``."""

    __constants__ = ["norm", "eps", "keepdim"]

    def __init__(self, p=2.0, eps=1e-6, keepdim=False):
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1, x2):
        """The distances."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along ``dim``, whose norms count as no less than ``eps``."""

    __constants__ = ["dim", "eps"]

    def __init__(self, dim=1, eps=1e-8):
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1, x2):
        """The cosines."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
