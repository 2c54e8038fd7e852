"""Normalization of each sample by itself."""

import numbers

from quern.torch import _namespace as torch
from quern.torch.nn import functional as F
from quern.torch.nn import init
from quern.torch.nn.modules.module import Module
from quern.torch.nn.parameter import Parameter


class LocalResponseNorm(Module):
    """x divided by (k + alpha * the mean of squares of ``size`` neighbouring channels) ** beta; x: (N, C, ...)."""

    __constants__ = ["size", "alpha", "beta", "k"]

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1.0):
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input):
        """(N, C, ...)."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self):
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class LayerNorm(Module):
    """x with mean 0 and variance 1 over its last dimensions, then times ``weight`` plus ``bias``.

    Parameters: ``normalized_shape``: the sizes of the last dimensions, or the size of the last; ``elementwise_affine``: are there weight
    and bias? ``bias``: is there a bias? Attributes: ``weight`` and ``bias``, of normalized_shape, at first 1 and 0.

        >>> from quern.torch import nn
        >>> from quern import torch
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
        """(*, normalized_shape)."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"


class GroupNorm(Module):
    """x, (N, num_channels, ...), with mean 0 and variance 1 over each group of channels, then times ``weight`` plus ``bias``.

    Parameters: ``affine``: are there weight and bias? ``bias``: is there a bias? Attributes: ``weight`` and ``bias``: (num_channels), at
    first 1 and 0.
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
        """(N, num_channels, ...)."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, bias={self.bias is not None}"


class RMSNorm(Module):
    """x divided by the root of the mean of its squares plus ``eps`` over its last dimensions, then times ``weight``.

    Parameters: ``normalized_shape``: the sizes of the last dimensions, or the size of the last; ``eps``: by default the type's.
    Attribute: ``weight``, of normalized_shape, at first 1.
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
        """(*, normalized_shape)."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self):
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
