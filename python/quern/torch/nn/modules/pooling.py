"""Pooling layers: the largest elements, or the means, of windows."""

from quern.torch.nn import functional as F
from quern.torch.nn.modules.module import Module


def _for_one_axis(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


class _MaxPool(Module):
    __constants__ = ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"]
    _function = None

    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input):
        """Return the largest elements, with `return_indices` also their places."""
        return self._function(
            input, self.kernel_size, self.stride, self.padding, self.dilation, ceil_mode=self.ceil_mode, return_indices=self.return_indices
        )

    def extra_repr(self):
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, dilation={self.dilation}, "
            f"ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """Return the largest element of each window of signals: (N, C, L) or (C, L) -> (N, C, L') or (C, L').

    Parameters, attributes and errors are those of MaxPool2d, for one axis.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.MaxPool1d(2)(torch.tensor([[1.0, 5.0, 2.0, 3.0]]))
    tensor([[5., 3.]])
    """

    _function = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPool):
    """Return the largest element of each window of images: (N, C, H, W) or (C, H, W) -> (N, C, H', W') or (C, H', W').

    Parameters
    ----------
    kernel_size : int or tuple of int
        Size of the windows.
    stride : int or tuple of int, optional
        Steps between windows; None is the windows' size.
    padding : int or tuple of int, optional
        Width of the border, whose elements are never the largest; at most half of `kernel_size`.
    dilation : int or tuple of int, optional
        Distances of a window's elements.
    return_indices : bool, optional
        Whether the places of the elements in the plane, int64, are returned as well.
    ceil_mode : bool, optional
        Whether windows that end beyond the border count.

    Raises
    ------
    RuntimeError
        For windows that are larger than the input, or numbers that cannot be, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.MaxPool2d(2)(torch.arange(16.0).reshape(1, 4, 4))
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """

    _function = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPool):
    """Return the largest element of each window of volumes: (N, C, D, H, W) or (C, D, H, W) -> (N, C, D', H', W') or without N.

    Parameters, attributes and errors are those of MaxPool2d, for three axes.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.MaxPool3d(2)(torch.ones(1, 4, 4, 4)).shape
    torch.Size([1, 2, 2, 2])
    """

    _function = staticmethod(F.max_pool3d)


class _AvgPool(Module):
    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"]
    _function = None

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input):
        """Return the means of the windows."""
        return self._function(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad, self.divisor_override
        )

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPool):
    """Return the mean of each window of signals: (N, C, L) or (C, L) -> (N, C, L') or (C, L').

    Parameters, attributes and errors are those of AvgPool2d, for one axis and without `divisor_override`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.AvgPool1d(2)(torch.tensor([[1.0, 5.0, 2.0, 3.0]]))
    tensor([[3.0000, 2.5000]])
    """

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        steps = _for_one_axis(kernel_size if stride is None else stride)
        super().__init__(_for_one_axis(kernel_size), steps, _for_one_axis(padding), ceil_mode, count_include_pad)

    def forward(self, input):
        """Return the means of the windows."""
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)


class AvgPool2d(_AvgPool):
    """Return the mean of each window of images: (N, C, H, W) or (C, H, W) -> (N, C, H', W') or (C, H', W').

    Parameters
    ----------
    kernel_size : int or tuple of int
        Size of the windows.
    stride : int or tuple of int, optional
        Steps between windows; None is the windows' size.
    padding : int or tuple of int, optional
        Width of the border of zeros, at most half of `kernel_size`.
    ceil_mode : bool, optional
        Whether windows that end beyond the border count.
    count_include_pad : bool, optional
        Whether elements of the border count in the mean.
    divisor_override : int, optional
        Divisor of the sums; None is the number of elements.

    Raises
    ------
    RuntimeError
        For windows that are larger than the input, or numbers that cannot be, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.AvgPool2d(2)(torch.arange(16.0).reshape(1, 4, 4))
    tensor([[[ 2.5000,  4.5000],
             [10.5000, 12.5000]]])
    """

    _function = staticmethod(F.avg_pool2d)


class AvgPool3d(_AvgPool):
    """Return the mean of each window of volumes: (N, C, D, H, W) or (C, D, H, W) -> (N, C, D', H', W') or without N.

    Parameters, attributes and errors are those of AvgPool2d, for three axes.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.AvgPool3d(2)(torch.ones(1, 4, 4, 4)).shape
    torch.Size([1, 2, 2, 2])
    """

    _function = staticmethod(F.avg_pool3d)


class _Adaptive(Module):
    __constants__ = ["output_size"]
    _function = None

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def forward(self, input):
        """Return the means of the windows."""
        return self._function(input, self.output_size)

    def extra_repr(self):
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_Adaptive):
    """Return means of windows that cover signals evenly: (N, C, L) or (C, L) -> (N, C, output_size) or without N.

    Parameters
    ----------
    output_size : int or tuple of int
        Number of windows.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.AdaptiveAvgPool1d(2)(torch.tensor([[1.0, 5.0, 2.0, 3.0]]))
    tensor([[3.0000, 2.5000]])
    """

    _function = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_Adaptive):
    """Return means of windows that cover images evenly: (N, C, H, W) or (C, H, W) -> (N, C, *output_size) or without N.

    Parameters
    ----------
    output_size : int or tuple of (int or None)
        Number of windows along each axis; None is the input's size.

    Raises
    ------
    RuntimeError
        For a negative number, or inputs without elements, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.AdaptiveAvgPool2d(1)(torch.arange(16.0).reshape(1, 4, 4))
    tensor([[[7.5000]]])
    """

    _function = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_Adaptive):
    """Return means of windows that cover volumes evenly: (N, C, D, H, W) or (C, D, H, W) -> (N, C, *output_size) or without N.

    Parameters and errors are those of AdaptiveAvgPool2d.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.AdaptiveAvgPool3d(2)(torch.ones(1, 4, 4, 4)).shape
    torch.Size([1, 2, 2, 2])
    """

    _function = staticmethod(F.adaptive_avg_pool3d)


class _AdaptiveMax(Module):
    __constants__ = ["output_size", "return_indices"]
    _function = None

    def __init__(self, output_size, return_indices=False):
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input):
        """Return the largest elements, with `return_indices` also their places."""
        return self._function(input, self.output_size, self.return_indices)

    def extra_repr(self):
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMax):
    """Return the largest elements of windows that cover signals evenly: (N, C, L) or (C, L) -> (N, C, output_size) or without N.

    Parameters and errors are those of AdaptiveMaxPool2d, for one axis.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.AdaptiveMaxPool1d(2)(torch.tensor([[1.0, 5.0, 2.0, 3.0]]))
    tensor([[5., 3.]])
    """

    _function = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMax):
    """Return the largest elements of windows that cover images evenly: (N, C, H, W) or (C, H, W) -> (N, C, *output_size).

    Parameters
    ----------
    output_size : int or tuple of (int or None)
        Number of windows along each axis; None is the input's size.
    return_indices : bool, optional
        Whether the places of the elements in the plane, int64, are returned as well.

    Raises
    ------
    RuntimeError
        For a negative number, or inputs without elements, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.AdaptiveMaxPool2d(1)(torch.arange(16.0).reshape(1, 4, 4))
    tensor([[[15.]]])
    """

    _function = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMax):
    """Return the largest elements of windows that cover volumes evenly: (N, C, D, H, W) or (C, D, H, W) -> (N, C, *output_size).

    Parameters and errors are those of AdaptiveMaxPool2d, for three axes.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.AdaptiveMaxPool3d(2)(torch.ones(1, 4, 4, 4)).shape
    torch.Size([1, 2, 2, 2])
    """

    _function = staticmethod(F.adaptive_max_pool3d)
