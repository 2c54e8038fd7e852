"""SparseAdam: there are no sparse tensors here."""

from quern.torch.optim.optimizer import Optimizer

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Adam for sparse gradients, which are not served: raises RuntimeError. Gradients are dense here; use Adam."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, maximize=False):
        raise RuntimeError("SparseAdam is not served: gradients are dense here, those of embeddings, too; use torch.optim.Adam")
