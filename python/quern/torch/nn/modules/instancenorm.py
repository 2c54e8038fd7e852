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
        """(N, C, ...), or (C, ...) for one sample -> the same."""
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
    """x, (N, C, L) or (C, L), with mean 0 and variance 1 for each sample and channel, then times ``weight`` plus ``bias``.

    Parameters: ``affine``: are there weight and bias? ``track_running_stats``: is the mean over training what is used in evaluation?
    """

    _dims = 3


class InstanceNorm2d(_InstanceNorm):
    """The same as InstanceNorm1d, of (N, C, H, W) or (C, H, W)."""

    _dims = 4


class InstanceNorm3d(_InstanceNorm):
    """The same as InstanceNorm1d, of (N, C, D, H, W) or (C, D, H, W)."""

    _dims = 5
