"""Normalization of each channel of each sample by itself."""


from quern.torch.nn import functional as F
from quern.torch.nn.modules.batchnorm import _NormBase
from quern.user_files import warn_user


class _InstanceNorm(_NormBase):
    def __init__(
        self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None, *, bias=True
    ):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input):
        """Return the result, in the shape of `input`: (N, C, ...), or (C, ...) for one sample."""
        dims = self._dims
        if input.dim() not in (dims, dims - 1):
            raise ValueError(f"expected {dims - 1}D or {dims}D input (got {input.dim()}D input)")
        axis = input.dim() - dims + 1
        if input.shape[axis] != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={axis} to match num_features ({self.num_features}), but got: {input.shape[axis]}."
                )
            warn_user(
                f"input's size at dim={axis} does not match num_features. You can silence this warning by not passing in num_features, "
                "which is not used because affine=False",
            )
        if axis == 0:
            return self._normalized(input.unsqueeze(0)).squeeze(0)
        return self._normalized(input)

    def _normalized(self, input):
        own = self.training or not self.track_running_stats
        momentum = 0.0 if self.momentum is None else self.momentum
        return F.instance_norm(input, self.running_mean, self.running_var, self.weight, self.bias, own, momentum, self.eps)


class InstanceNorm1d(_InstanceNorm):
    """Normalize each channel of each sample of (N, C, L) or (C, L) to mean 0 and variance 1.

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
        For an input that is not (N, C, L) or (C, L); for another number of channels with `affine`; for one value in
        each channel.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.InstanceNorm1d(2)(torch.rand(1, 2, 4)).shape
    torch.Size([1, 2, 4])
    """

    _dims = 3


class InstanceNorm2d(_InstanceNorm):
    """Normalize each channel of each sample of (N, C, H, W) or (C, H, W) to mean 0 and variance 1.

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
        For an input that is not (N, C, H, W) or (C, H, W); for another number of channels with `affine`; for one value
        in each channel.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.InstanceNorm2d(2)(torch.rand(1, 2, 4, 4)).shape
    torch.Size([1, 2, 4, 4])
    """

    _dims = 4


class InstanceNorm3d(_InstanceNorm):
    """Normalize each channel of each sample of (N, C, D, H, W) or (C, D, H, W) to mean 0 and variance 1.

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
        For an input that is not (N, C, D, H, W) or (C, D, H, W); for another number of channels with `affine`; for one
        value in each channel.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.InstanceNorm3d(2)(torch.rand(1, 2, 4, 4, 4)).shape
    torch.Size([1, 2, 4, 4, 4])
    """

    _dims = 5
