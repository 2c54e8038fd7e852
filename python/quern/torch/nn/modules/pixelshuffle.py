"""Layers that exchange channels and pixels."""

from quern.torch.nn import functional as F
from quern.torch.nn.modules.module import Module


class PixelShuffle(Module):
    """Channels as pixels: (N, C * r * r, H, W) -> (N, C, H * r, W * r), where r is ``upscale_factor``."""

    __constants__ = ["upscale_factor"]

    def __init__(self, upscale_factor):
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input):
        """The input with its channels as pixels."""
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self):
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Pixels as channels: (N, C, H * r, W * r) -> (N, C * r * r, H, W), where r is ``downscale_factor``."""

    __constants__ = ["downscale_factor"]

    def __init__(self, downscale_factor):
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input):
        """The input with its pixels as channels."""
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self):
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """The channels of several groups in turn: (N, C, ...) -> (N, C, ...)."""

    __constants__ = ["groups"]

    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, input):
        """The input with its channels in another order."""
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self):
        return f"groups={self.groups}"
