"""Batch normalization in evaluation as part of the layer before it."""

import copy

from quern.torch import _namespace as torch
from quern.torch.nn.parameter import Parameter


def fuse_conv_bn_eval(conv, bn, transpose=False):
    """Return a copy of a convolution that also does the batch normalization after it.

    Parameters
    ----------
    conv : Module
        Convolution, in evaluation.
    bn : Module
        Batch normalization with running statistics, in evaluation.
    transpose : bool, optional
        Whether the convolution is a transposed one.

    Returns
    -------
    Module
        Convolution with other weights and biases.

    Raises
    ------
    AssertionError
        In training, or without running statistics.

    Examples
    --------
    >>> from quern import torch
    >>> conv, bn = torch.nn.Conv2d(3, 4, 3).eval(), torch.nn.BatchNorm2d(4).eval()
    >>> x = torch.rand(1, 3, 8, 8)
    >>> torch.allclose(torch.nn.utils.fuse_conv_bn_eval(conv, bn)(x), bn(conv(x)), atol=1e-5)
    True
    """
    _check(conv, bn)
    fused = copy.deepcopy(conv)
    _check_statistics(bn)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False):
    """Return the weights and biases of a convolution that also does a batch normalization.

    Parameters
    ----------
    conv_w : Tensor
        Weights of the convolution.
    conv_b : Tensor or None
        Biases of the convolution.
    bn_rm : Tensor
        Running mean of each channel.
    bn_rv : Tensor
        Running variance of each channel.
    bn_eps : float
        Number that is added to the variance.
    bn_w : Tensor or None
        Weights of the normalization.
    bn_b : Tensor or None
        Biases of the normalization.
    transpose : bool, optional
        Whether the convolution is a transposed one.

    Returns
    -------
    tuple of Parameter
        Weights and biases.

    Examples
    --------
    >>> from quern import torch
    >>> one = torch.ones(1)
    >>> w, b = torch.nn.utils.fuse_conv_bn_weights(torch.ones(1, 1, 1), None, one, one, 0.0, one * 2, None)
    >>> w.item(), b.item()
    (2.0, -2.0)
    """
    weight_type = conv_w.dtype
    bias_type = conv_b.dtype if conv_b is not None else weight_type
    if conv_b is None:
        conv_b = torch.zeros_like(bn_rm)
    if bn_w is None:
        bn_w = torch.ones_like(bn_rm)
    if bn_b is None:
        bn_b = torch.zeros_like(bn_rm)
    root = torch.rsqrt(bn_rv + bn_eps)
    shape = [1, -1] if transpose else [-1, 1]
    weight = conv_w * (bn_w * root).reshape(shape + [1] * (conv_w.dim() - 2))
    bias = (conv_b - bn_rm) * root * bn_w + bn_b
    return Parameter(weight.to(weight_type), conv_w.requires_grad), Parameter(bias.to(bias_type), conv_b.requires_grad)


def fuse_linear_bn_eval(linear, bn):
    """Return a copy of a linear layer that also does the batch normalization after it.

    Parameters
    ----------
    linear : Linear
        Linear layer, in evaluation.
    bn : Module
        Batch normalization with running statistics, in evaluation: of as many features, or one.

    Returns
    -------
    Linear
        Layer with other weights and biases.

    Raises
    ------
    AssertionError
        In training, without running statistics, or for another number of features.

    Examples
    --------
    >>> from quern import torch
    >>> linear, bn = torch.nn.Linear(3, 4).eval(), torch.nn.BatchNorm1d(4).eval()
    >>> x = torch.rand(2, 3)
    >>> torch.allclose(torch.nn.utils.fuse_linear_bn_eval(linear, bn)(x), bn(linear(x)), atol=1e-5)
    True
    """
    _check(linear, bn)
    fused = copy.deepcopy(linear)
    if bn.num_features not in (linear.out_features, 1):
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, "
            f"got linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    _check_statistics(bn)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused


def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b):
    """Return the weights and biases of a linear layer that also does a batch normalization.

    Parameters
    ----------
    linear_w : Tensor
        Weights of the layer.
    linear_b : Tensor or None
        Biases of the layer.
    bn_rm : Tensor
        Running mean of each feature.
    bn_rv : Tensor
        Running variance of each feature.
    bn_eps : float
        Number that is added to the variance.
    bn_w : Tensor
        Weights of the normalization.
    bn_b : Tensor
        Biases of the normalization.

    Returns
    -------
    tuple of Parameter
        Weights and biases.

    Examples
    --------
    >>> from quern import torch
    >>> one = torch.ones(1)
    >>> w, b = torch.nn.utils.fuse_linear_bn_weights(torch.ones(1, 1), one * 3, one, one, 0.0, one * 2, one)
    >>> w.item(), b.item()
    (2.0, 5.0)
    """
    weight_type = linear_w.dtype
    bias_type = linear_b.dtype if linear_b is not None else weight_type
    if linear_b is None:
        linear_b = torch.zeros_like(bn_rm)
    scale = bn_w * torch.rsqrt(bn_rv + bn_eps)
    weight = linear_w * scale.unsqueeze(-1).to(dtype=weight_type)
    bias = ((linear_b - bn_rm) * scale + bn_b).to(dtype=bias_type)
    return Parameter(weight, linear_w.requires_grad), Parameter(bias, linear_b.requires_grad)


def _check(module, bn):
    if module.training or bn.training:
        raise AssertionError("Fusion only for eval!")


def _check_statistics(bn):
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
