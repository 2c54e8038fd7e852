"""Layers that are products, and the one that does nothing."""

import math

from quern.torch import _namespace as torch
from quern.torch.nn import functional as F
from quern.torch.nn import init
from quern.torch.nn.modules.module import Module
from quern.torch.nn.parameter import Parameter


class Identity(Module):
    """Return the input; arguments of the constructor are ignored.

    Parameters
    ----------
    *args, **kwargs : object
        Ignored.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.Identity()(torch.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        """Return `input`."""
        return input


class Linear(Module):
    """Apply an affine map to the last dimension: ``x @ weight.T + bias``.

    Parameters
    ----------
    in_features : int
        Size of the last dimension of the input.
    out_features : int
        Size of the last dimension of the result.
    bias : bool, optional
        Whether to add a bias.
    device : Device or str, optional
        Device of the parameters; None is the current one.
    dtype : dtype, optional
        Dtype of the parameters; None is the default floating-point dtype.

    Attributes
    ----------
    weight : Parameter
        Shape (out_features, in_features), at first random in [-1, 1] / sqrt(in_features).
    bias : Parameter or None
        Shape (out_features), at first random in the same range.

    Raises
    ------
    RuntimeError
        For a negative size; at a call, for an input whose last dimension is not `in_features`, or of another dtype.

    Notes
    -----
    An input of shape (*, in_features) gives a result of shape (*, out_features), in the dtype of the parameters.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.Linear(3, 4)(torch.ones(2, 3)).shape
    torch.Size([2, 4])
    """

    __constants__ = ["in_features", "out_features"]

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(torch.empty((out_features, in_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(torch.empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        """Gives the parameters new random values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input):
        """Return the product with the weight, plus the bias."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """The :class:`Linear` of attention layers."""


class Bilinear(Module):
    """Return ``x1^T @ weight[k] @ x2 + bias[k]``: (*, in1_features), (*, in2_features) -> (*, out_features).

    Parameters
    ----------
    in1_features, in2_features : int
        Sizes of the inputs.
    out_features : int
        Size of the result.
    bias : bool, optional
        Whether to add a bias.
    device, dtype : optional
        Device and dtype of the parameters; None is the current device, and the default floating-point dtype.

    Raises
    ------
    ValueError
        For an `in1_features` below 1.
    RuntimeError
        For inputs of other sizes, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch import nn
    >>> nn.Bilinear(2, 3, 4)(torch.ones(5, 2), torch.ones(5, 3)).shape
    torch.Size([5, 4])
    """

    __constants__ = ["in1_features", "in2_features", "out_features"]

    def __init__(self, in1_features, in2_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got ({in1_features=})")
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = Parameter(torch.empty((out_features, in1_features, in2_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(torch.empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        """Gives the parameters new random values."""
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1, input2):
        """Return the product with the weight, plus the bias."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self):
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )
