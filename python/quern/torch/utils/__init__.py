"""Data sets and their batches (``data``), and forward passes that are computed twice to save memory (``checkpoint``)."""

from quern.torch.utils import checkpoint, data

__all__ = ["checkpoint", "data"]
