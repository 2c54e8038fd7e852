"""Layers that exchange channels and pixels."""

from quern.torch.nn import functional as F
from quern.torch.nn.modules.module import Module


class PixelShuffle(Module):
    """Move channels to pixels: (N, C * r * r, H, W) -> (N, C, H * r, W * r).

    Parameters
    ----------
    upscale_factor : int
        Factor r.

    Raises
    ------
    RuntimeError
        For a number of channels that r * r does not divide, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.PixelShuffle(2)(torch.rand(1, 4, 2, 2)).shape
    torch.Size([1, 1, 4, 4])
    """

    __constants__ = ["upscale_factor"]

    def __init__(self, upscale_factor):
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input):
        """Return the input with its channels as pixels."""
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self):
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Move pixels to channels: (N, C, H * r, W * r) -> (N, C * r * r, H, W).

    Parameters
    ----------
    downscale_factor : int
        Factor r.

    Raises
    ------
    RuntimeError
        For a height or width that r does not divide, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.PixelUnshuffle(2)(torch.rand(1, 1, 4, 4)).shape
    torch.Size([1, 4, 2, 2])
    """

    __constants__ = ["downscale_factor"]

    def __init__(self, downscale_factor):
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input):
        """Return the input with its pixels as channels."""
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self):
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """Interleave the channels of several groups: (N, C, ...) -> (N, C, ...).

    Parameters
    ----------
    groups : int
        Number of groups; it divides the number of channels.

    Raises
    ------
    RuntimeError
        For a number of channels that `groups` does not divide, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.ChannelShuffle(2)(torch.rand(1, 4, 2, 2)).shape
    torch.Size([1, 4, 2, 2])
    """

    __constants__ = ["groups"]

    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, input):
        """Return the input with its channels in another order."""
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self):
        return f"groups={self.groups}"
