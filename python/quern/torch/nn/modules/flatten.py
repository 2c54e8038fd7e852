"""Layers that change the shape only."""

from quern.torch import _namespace as torch
from quern.torch.nn.modules.module import Module


class Flatten(Module):
    """Merge dimensions; by default (N, ...) -> (N, product of the others).

    Parameters
    ----------
    start_dim, end_dim : int, optional
        First and last dimension to merge.

    Raises
    ------
    IndexError
        For a dimension out of range, at the call.
    RuntimeError
        Where `end_dim` is before `start_dim`, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch import nn
    >>> nn.Flatten()(torch.ones(2, 3, 4)).shape
    torch.Size([2, 12])
    """

    __constants__ = ["start_dim", "end_dim"]

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input):
        """Return the input in its new shape."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Split a dimension into several.

    Parameters
    ----------
    dim : int
        Dimension to split.
    unflattened_size : tuple of ints
        Sizes of the new dimensions.

    Raises
    ------
    TypeError
        For an `unflattened_size` that is no tuple.
    RuntimeError
        For sizes whose product is not that of the dimension, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.Unflatten(1, (2, 3))(torch.rand(4, 6)).shape
    torch.Size([4, 2, 3])
    """

    __constants__ = ["dim", "unflattened_size"]

    def __init__(self, dim, unflattened_size):
        super().__init__()
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError(f"unflattened_size must be a tuple of ints, but found type {type(unflattened_size).__name__}")
        for i, n in enumerate(unflattened_size):
            if not isinstance(n, int):
                raise TypeError(f"unflattened_size must be tuple of ints, but found element of type {type(n).__name__} at pos {i}")
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input):
        """Return the input in its new shape."""
        if isinstance(self.dim, str):
            raise NotImplementedError("[torch.nn.Unflatten] named dimensions are not supported; pass the dimension's index")
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
