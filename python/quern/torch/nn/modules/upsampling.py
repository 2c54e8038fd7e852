"""Layers that resize signals, images and volumes."""

from quern.torch.nn import functional as F
from quern.torch.nn.modules.module import Module


class Upsample(Module):
    """Resize signals (N, C, L), images (N, C, H, W) or volumes (N, C, D, H, W).

    Parameters
    ----------
    size : int or tuple of int, optional
        Sizes of the result.
    scale_factor : float or tuple of float, optional
        Sizes of the result divided by those of the input.
    mode : {'nearest', 'nearest-exact', 'linear', 'bilinear', 'bicubic', 'trilinear', 'area'}, optional
        How elements between those of the input are computed.
    align_corners : bool, optional
        Whether the elements at the corners keep their places.
    recompute_scale_factor : bool, optional
        Whether places are computed with the quotients of the sizes.

    Raises
    ------
    ValueError
        For both `size` and `scale_factor`, or neither, at the call.
    NotImplementedError
        For a mode of another number of axes, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.Upsample(scale_factor=2)(torch.tensor([[[1.0, 2.0]]]))
    tensor([[[1., 1., 2., 2.]]])
    """

    __constants__ = ["size", "scale_factor", "mode", "align_corners", "name", "recompute_scale_factor"]

    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input):
        """Return the input in the layer's size."""
        return F.interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners, recompute_scale_factor=self.recompute_scale_factor
        )

    def __setstate__(self, state):
        # Layers of older files computed with the quotients of the sizes.
        super().__setstate__({"recompute_scale_factor": True} | state)

    def extra_repr(self):
        by = f"scale_factor={self.scale_factor!r}" if self.scale_factor is not None else f"size={self.size!r}"
        return f"{by}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Repeat the elements of images (N, C, H, W).

    Parameters
    ----------
    size : int or tuple of int, optional
        Sizes of the result.
    scale_factor : float or tuple of float, optional
        Sizes of the result divided by those of the input.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.UpsamplingNearest2d(scale_factor=2)(torch.ones(1, 3, 4, 4)).shape
    torch.Size([1, 3, 8, 8])
    """

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Resize images (N, C, H, W) by means between neighbours; the elements at the corners keep their places.

    Parameters
    ----------
    size : int or tuple of int, optional
        Sizes of the result.
    scale_factor : float or tuple of float, optional
        Sizes of the result divided by those of the input.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.UpsamplingBilinear2d(size=(1, 3))(torch.tensor([[[[1.0, 3.0]]]]))
    tensor([[[[1., 2., 3.]]]])
    """

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
