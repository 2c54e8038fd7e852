"""Layers that change the shape only."""

from quern.torch import _namespace as torch
from quern.torch.nn.modules.module import Module


class Flatten(Module):
    """One dimension in the place of those from ``start_dim`` to ``end_dim``: by default (N, ...) -> (N, the product of all others)."""

    __constants__ = ["start_dim", "end_dim"]

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input):
        """The input in its new shape."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Several dimensions, of the sizes ``unflattened_size``, in the place of the dimension ``dim``."""

    __constants__ = ["dim", "unflattened_size"]

    def __init__(self, dim, unflattened_size):
        super().__init__()
        if isinstance(dim, str):
            raise NotImplementedError("[torch.nn.Unflatten] named dimensions are not supported; pass the dimension's index")
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError(f"unflattened_size must be a tuple of ints, but found type {type(unflattened_size).__name__}")
        for i, n in enumerate(unflattened_size):
            if not isinstance(n, int):
                raise TypeError(f"unflattened_size must be tuple of ints, but found element of type {type(n).__name__} at pos {i}")
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input):
        """The input in its new shape."""
        d = self.dim + input.dim() if self.dim < 0 else self.dim
        if not 0 <= d < input.dim():
            raise IndexError(f"Dimension out of range (expected to be in range of [{-input.dim()}, {input.dim() - 1}], but got {self.dim})")
        sizes = list(self.unflattened_size)
        known = 1
        for n in sizes:
            known *= n
        if known != input.shape[d] if -1 not in sizes else known == 0 or input.shape[d] % known:
            raise RuntimeError(
                f"unflatten: Provided sizes {sizes} don't multiply up to the size of dim {d} ({input.shape[d]}) in the input tensor"
            )
        return input.reshape(torch.Size([*input.shape[:d], *sizes, *input.shape[d + 1 :]]))

    def extra_repr(self):
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
