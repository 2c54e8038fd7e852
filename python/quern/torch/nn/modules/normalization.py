"""Normalization of each sample by itself."""

import numbers

from quern.torch import _namespace as torch
from quern.torch.nn import functional as F
from quern.torch.nn import init
from quern.torch.nn.modules.module import Module
from quern.torch.nn.parameter import Parameter


class LocalResponseNorm(Module):
    """Divide (N, C, ...) by ``(k + alpha * m) ** beta``, where m is the mean of squares of neighbouring channels.

    Parameters
    ----------
    size : int
        Number of neighbouring channels.
    alpha, beta, k : float, optional
        Factor, exponent and summand of the divisor.

    Raises
    ------
    ValueError
        For fewer than three dimensions, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.LocalResponseNorm(2)(torch.rand(1, 4, 2)).shape
    torch.Size([1, 4, 2])
    """

    __constants__ = ["size", "alpha", "beta", "k"]

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1.0):
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input):
        """Return the result, in the shape of `input`: (N, C, ...)."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self):
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(Module):
    """Divide images (N, C, H, W) by ``(k + alpha * m) ** beta``, where m is the mean of squares of neighbouring channels.

    Parameters
    ----------
    size : int
        Number of neighbouring channels.
    alpha, beta, k : float, optional
        Factor, exponent and summand of the divisor.

    Raises
    ------
    ValueError
        For another number of dimensions than four, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.CrossMapLRN2d(3)(torch.rand(1, 4, 2, 2)).shape
    torch.Size([1, 4, 2, 2])
    """

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1):
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input):
        """Return the result, in the shape of `input`."""
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        # As PyTorch sums: as many channels on both sides, and the first channel for all that are behind its window, too.
        side, channels = int((self.size - 1) / 2), input.size(1)
        squares = input * input
        padded = F.pad(squares, (0, 0, 0, 0, side, side))
        total = padded[:, :channels]
        for i in range(1, 2 * side + 1):
            total = total + padded[:, i : i + channels]
        if channels > side + 1:
            total = torch.cat([total[:, : side + 1], total[:, side + 1 :] + squares[:, :1]], 1)
        return input * (total * (self.alpha / self.size) + self.k) ** -self.beta

    def extra_repr(self):
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class LayerNorm(Module):
    """Normalize the last dimensions to mean 0 and variance 1, then apply a weight and a bias.

    Parameters
    ----------
    normalized_shape : int or sequence of ints
        Sizes of the last dimensions, which are normalized.
    eps : float, optional
        Number that is added to the variance.
    elementwise_affine : bool, optional
        Whether there is a weight, at first 1.
    bias : bool, optional
        Whether there is a bias, at first 0.
    device, dtype : optional
        Device and dtype of the parameters; None is the current device, and the default floating-point dtype.

    Raises
    ------
    RuntimeError
        Where `normalized_shape` is not the end of the input's shape, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch import nn
    >>> nn.LayerNorm(4)(torch.arange(8.0).reshape(2, 4)).shape
    torch.Size([2, 4])
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None):
        super().__init__()
        if isinstance(normalized_shape, numbers.Integral):
            normalized_shape = (normalized_shape,)
        self.normalized_shape = tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        for name, wanted in (("weight", elementwise_affine), ("bias", elementwise_affine and bias)):
            value = Parameter(torch.empty(self.normalized_shape, device=device, dtype=dtype)) if wanted else None
            self.register_parameter(name, value)
        self.reset_parameters()

    def reset_parameters(self):
        """Sets weight to 1 and bias to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input):
        """Return the result, in the shape of `input`: (*, normalized_shape)."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"


class GroupNorm(Module):
    """Normalize each group of channels of (N, C, ...) to mean 0 and variance 1, then apply a weight and a bias.

    Parameters
    ----------
    num_groups : int
        Number of groups; it divides the number of channels.
    num_channels : int
        Number of channels C.
    eps : float, optional
        Number that is added to the variance.
    affine : bool, optional
        Whether there are a weight, at first 1, and a bias, at first 0; both have the shape (C).
    device, dtype : optional
        Device and dtype of the parameters; None is the current device, and the default floating-point dtype.
    bias : bool, optional
        Whether there is a bias.

    Raises
    ------
    ValueError
        For a `num_groups` that does not divide `num_channels`.
    RuntimeError
        For another number of channels, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch import nn
    >>> nn.GroupNorm(2, 4)(torch.arange(8.0).reshape(2, 4)).detach()
    tensor([[-1.0000,  1.0000, -1.0000,  1.0000],
            [-1.0000,  1.0000, -1.0000,  1.0000]])
    """

    __constants__ = ["num_groups", "num_channels", "eps", "affine"]

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, device=None, dtype=None, *, bias=True):
        super().__init__()
        if num_groups <= 0:
            raise ValueError(f"num_groups must be positive, got {num_groups}")
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(name, Parameter(torch.empty(num_channels, device=device, dtype=dtype)) if wanted else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Sets weight to 1 and bias to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input):
        """Return the result, in the shape of `input`: (N, num_channels, ...)."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, bias={self.bias is not None}"


class RMSNorm(Module):
    """Divide the last dimensions by their root mean square, then apply a weight.

    Parameters
    ----------
    normalized_shape : int or sequence of ints
        Sizes of the last dimensions, which are normalized.
    eps : float, optional
        Number that is added to the mean of squares; None is that of the dtype.
    elementwise_affine : bool, optional
        Whether there is a weight, at first 1.
    device, dtype : optional
        Device and dtype of the parameters; None is the current device, and the default floating-point dtype.

    Raises
    ------
    RuntimeError
        Where `normalized_shape` is not the end of the input's shape, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch import nn
    >>> nn.RMSNorm(2)(torch.tensor([[3.0, 4.0]])).detach()
    tensor([[0.8485, 1.1314]])
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__()
        if isinstance(normalized_shape, numbers.Integral):
            normalized_shape = (normalized_shape,)
        self.normalized_shape = tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        value = Parameter(torch.empty(self.normalized_shape, device=device, dtype=dtype)) if elementwise_affine else None
        self.register_parameter("weight", value)
        self.reset_parameters()

    def reset_parameters(self):
        """Sets the weight to 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x):
        """Return the result, in the shape of `input`: (*, normalized_shape)."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self):
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
