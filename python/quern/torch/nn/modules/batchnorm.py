"""Normalization of channels over all samples of a batch."""

from quern.torch import _namespace as torch
from quern.torch.nn import functional as F
from quern.torch.nn import init
from quern.torch.nn.modules.module import Module
from quern.torch.nn.parameter import Parameter


class _NormBase(Module):
    """What normalization with running statistics shares."""

    _version = 2  # since then, num_batches_tracked is part of the state
    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine"]

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(name, Parameter(torch.empty(num_features, device=device, dtype=dtype)) if wanted else None)
        if track_running_stats:
            self.register_buffer("running_mean", torch.zeros(num_features, device=device, dtype=dtype))
            self.register_buffer("running_var", torch.ones(num_features, device=device, dtype=dtype))
            self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.int64, device=device))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self):
        """Sets the running mean to 0 and the running variance to 1."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        """Sets weight and the running variance to 1, bias and the running mean to 0."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_input_dim(self, input):
        """ValueError for an input with the wrong number of dimensions; classes define their own."""
        raise NotImplementedError(f"{type(self).__name__} does not say what inputs it takes; define _check_input_dim(input)")

    def extra_repr(self):
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *args):
        version = local_metadata.get("version")
        key = prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            state_dict[key] = self.num_batches_tracked if self.num_batches_tracked is not None else torch.tensor(0, dtype=torch.int64)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *args)


class _BatchNorm(_NormBase):
    def forward(self, input):
        """Return the result, in the shape of `input`: (N, C, ...)."""
        self._check_input_dim(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # the mean of all batches
                momentum = 1.0 / float(self.num_batches_tracked)
        mean, var = self.running_mean, self.running_var
        if self.training:
            if not self.track_running_stats:
                mean = var = None
            return F.batch_norm(input, mean, var, self.weight, self.bias, True, momentum, self.eps)
        return F.batch_norm(input, mean, var, self.weight, self.bias, mean is None and var is None, momentum, self.eps)


def _expect(input, dims):
    if input.dim() not in dims:
        raise ValueError(f"expected {' or '.join(f'{n}D' for n in dims)} input (got {input.dim()}D input)")


class BatchNorm1d(_BatchNorm):
    """Normalize each channel of (N, C) or (N, C, L) to mean 0 and variance 1, then apply a weight and a bias.

    In training, mean and variance are those of the batch; in evaluation, they are the running values, unless
    `track_running_stats` is False.

    Parameters
    ----------
    num_features : int
        Number of channels C.
    eps : float, optional
        Number that is added to the variance.
    momentum : float, optional
        Fraction by which the running values move towards those of a batch; None: they are the mean of all batches.
    affine : bool, optional
        Whether there are a weight and a bias.
    track_running_stats : bool, optional
        Whether evaluation uses the running values.
    device, dtype : optional
        Device and dtype of the parameters; None is the current device, and the default floating-point dtype.
    bias : bool, optional
        Whether there is a bias.

    Raises
    ------
    ValueError
        For an input that is not (N, C) or (N, C, L); in training, for one value in each channel.
    RuntimeError
        For another number of channels, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch import nn
    >>> nn.BatchNorm1d(3)(torch.arange(6.0).reshape(2, 3)).shape
    torch.Size([2, 3])
    """

    def _check_input_dim(self, input):
        _expect(input, (2, 3))


class BatchNorm2d(_BatchNorm):
    """Normalize each channel of (N, C, H, W) to mean 0 and variance 1, then apply a weight and a bias.

    In training, mean and variance are those of the batch; in evaluation, they are the running values, unless
    `track_running_stats` is False.

    Parameters
    ----------
    num_features : int
        Number of channels C.
    eps : float, optional
        Number that is added to the variance.
    momentum : float, optional
        Fraction by which the running values move towards those of a batch; None: they are the mean of all batches.
    affine : bool, optional
        Whether there are a weight and a bias.
    track_running_stats : bool, optional
        Whether evaluation uses the running values.
    device, dtype : optional
        Device and dtype of the parameters; None is the current device, and the default floating-point dtype.
    bias : bool, optional
        Whether there is a bias.

    Raises
    ------
    ValueError
        For an input that is not (N, C, H, W); in training, for one value in each channel.
    RuntimeError
        For another number of channels, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.BatchNorm2d(2)(torch.rand(3, 2, 4, 4)).shape
    torch.Size([3, 2, 4, 4])
    """

    def _check_input_dim(self, input):
        _expect(input, (4,))


class BatchNorm3d(_BatchNorm):
    """Normalize each channel of (N, C, D, H, W) to mean 0 and variance 1, then apply a weight and a bias.

    In training, mean and variance are those of the batch; in evaluation, they are the running values, unless
    `track_running_stats` is False.

    Parameters
    ----------
    num_features : int
        Number of channels C.
    eps : float, optional
        Number that is added to the variance.
    momentum : float, optional
        Fraction by which the running values move towards those of a batch; None: they are the mean of all batches.
    affine : bool, optional
        Whether there are a weight and a bias.
    track_running_stats : bool, optional
        Whether evaluation uses the running values.
    device, dtype : optional
        Device and dtype of the parameters; None is the current device, and the default floating-point dtype.
    bias : bool, optional
        Whether there is a bias.

    Raises
    ------
    ValueError
        For an input that is not (N, C, D, H, W); in training, for one value in each channel.
    RuntimeError
        For another number of channels, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.BatchNorm3d(2)(torch.rand(3, 2, 4, 4, 4)).shape
    torch.Size([3, 2, 4, 4, 4])
    """

    def _check_input_dim(self, input):
        _expect(input, (5,))
