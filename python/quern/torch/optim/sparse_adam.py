"""SparseAdam: there are no sparse tensors here."""

from quern.torch.optim.optimizer import Optimizer

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Adam for sparse gradients, which are not supported: raises RuntimeError. Gradients are dense; use Adam."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, maximize=False):
        raise RuntimeError("SparseAdam is not supported: all gradients are dense, also those of embeddings; use torch.optim.Adam")
