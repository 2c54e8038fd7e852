"""Layers that turn windows of images into columns, and back."""

from quern.torch.nn import functional as F
from quern.torch.nn.modules.module import Module


class Unfold(Module):
    """Return each window of images (N, C, H, W) or (C, H, W) as a column: (N, C * elements, windows).

    Parameters
    ----------
    kernel_size : int or tuple of int
        Size of the windows.
    dilation : int or tuple of int, optional
        Distances of a window's elements.
    padding : int or tuple of int, optional
        Width of the border of zeros.
    stride : int or tuple of int, optional
        Steps between windows.

    Raises
    ------
    RuntimeError
        For windows that are larger than the input, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.Unfold(2)(torch.ones(1, 3, 4, 4)).shape
    torch.Size([1, 12, 9])
    """

    __constants__ = ["kernel_size", "dilation", "padding", "stride"]

    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input):
        """Return the windows as columns."""
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


class Fold(Module):
    """Add columns (N, C * elements, windows) at the places of their windows in images (N, C, H, W).

    Parameters
    ----------
    output_size : int or tuple of int
        Sizes of the images.
    kernel_size : int or tuple of int
        Size of the windows.
    dilation : int or tuple of int, optional
        Distances of a window's elements.
    padding : int or tuple of int, optional
        Width of the border, which is left out.
    stride : int or tuple of int, optional
        Steps between windows.

    Raises
    ------
    RuntimeError
        For another number of columns than the images have windows, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.Fold((4, 4), 2)(torch.ones(1, 12, 9)).shape
    torch.Size([1, 3, 4, 4])
    """

    __constants__ = ["output_size", "kernel_size", "dilation", "padding", "stride"]

    def __init__(self, output_size, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input):
        """Return the images."""
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self):
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )
