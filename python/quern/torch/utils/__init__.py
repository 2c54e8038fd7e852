"""Data sets and their batches (``data``), forward passes that are computed twice to save memory (``checkpoint``), and ``dlpack``."""

from quern.torch.utils import checkpoint, data, dlpack

__all__ = ["checkpoint", "data", "dlpack"]
