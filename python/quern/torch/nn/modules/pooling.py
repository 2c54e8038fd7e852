"""Pooling layers: the largest elements, or the means, of windows."""

from quern.torch.nn import functional as F
from quern.torch.nn.modules.module import Module


def _for_one_axis(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


_SHAPES = {
    1: ("signals", "(N, C, L) or (C, L) -> (N, C, L') or (C, L')"),
    2: ("images", "(N, C, H, W) or (C, H, W) -> (N, C, H', W') or (C, H', W')"),
    3: ("volumes", "(N, C, D, H, W) or (C, D, H, W) -> (N, C, D', H', W') or (C, D', H', W')"),
}
_WINDOWS = """kernel_size : int or tuple of int
    Size of the windows along each axis.
stride : int or tuple of int, optional
    Steps between windows; None is the windows' size.
"""
_EXAMPLE = """
Raises
------
RuntimeError
    For {wrong}, at the call.

Examples
--------
>>> from quern import torch
>>> torch.nn.{name}(2)(torch.ones(1, 3{sizes})).shape
torch.Size([1, 3{results}])
"""


def _described(name, axes, summary, parameters, wrong="windows that are larger than the input, or numbers that cannot be"):
    what, shapes = _SHAPES[axes]
    text = f"{summary} {what}: {shapes}.\n\nParameters\n----------\n{parameters}" + _EXAMPLE
    return text.format(name=name, wrong=wrong, sizes=", 4" * axes, results=", 2" * axes)


_LARGEST = (
    "Return the largest element of each window of",
    _WINDOWS
    + """padding : int or tuple of int, optional
    Width of the border, whose elements are never the largest; at most half of `kernel_size`.
dilation : int or tuple of int, optional
    Distances of a window's elements.
return_indices : bool, optional
    Whether the places of the elements in the plane, int64, are returned as well.
ceil_mode : bool, optional
    Whether windows that end beyond the border count.
""",
)
_MEANS_1D = (
    "Return the mean of each window of",
    _WINDOWS
    + """padding : int or tuple of int, optional
    Width of the border of zeros, at most half of `kernel_size`.
ceil_mode : bool, optional
    Whether windows that end beyond the border count.
count_include_pad : bool, optional
    Whether elements of the border count in the mean.
""",
)
_MEANS = (
    _MEANS_1D[0],
    _MEANS_1D[1]
    + """divisor_override : int, optional
    Divisor of the sums; None is the number of elements.
""",
)
_SIZES = """output_size : int or tuple of (int or None)
    Number of windows along each axis; None is the input's size.
"""
_WRONG = "a negative number, or inputs without elements"
_COVERING_MEANS = ("Return means of windows that cover evenly", _SIZES, _WRONG)
_COVERING_LARGEST = (
    "Return the largest elements of windows that cover evenly",
    _SIZES
    + """return_indices : bool, optional
    Whether the places of the elements in the plane, int64, are returned as well.
""",
    _WRONG,
)


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
    __doc__ = _described("MaxPool1d", 1, *_LARGEST)
    _function = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPool):
    __doc__ = _described("MaxPool2d", 2, *_LARGEST)
    _function = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPool):
    __doc__ = _described("MaxPool3d", 3, *_LARGEST)
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
    __doc__ = _described("AvgPool1d", 1, *_MEANS_1D)

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        steps = _for_one_axis(kernel_size if stride is None else stride)
        super().__init__(_for_one_axis(kernel_size), steps, _for_one_axis(padding), ceil_mode, count_include_pad)

    def forward(self, input):
        """Return the means of the windows."""
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)


class AvgPool2d(_AvgPool):
    __doc__ = _described("AvgPool2d", 2, *_MEANS)
    _function = staticmethod(F.avg_pool2d)


class AvgPool3d(_AvgPool):
    __doc__ = _described("AvgPool3d", 3, *_MEANS)
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
    __doc__ = _described("AdaptiveAvgPool1d", 1, *_COVERING_MEANS)
    _function = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_Adaptive):
    __doc__ = _described("AdaptiveAvgPool2d", 2, *_COVERING_MEANS)
    _function = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_Adaptive):
    __doc__ = _described("AdaptiveAvgPool3d", 3, *_COVERING_MEANS)
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
    __doc__ = _described("AdaptiveMaxPool1d", 1, *_COVERING_LARGEST)
    _function = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMax):
    __doc__ = _described("AdaptiveMaxPool2d", 2, *_COVERING_LARGEST)
    _function = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMax):
    __doc__ = _described("AdaptiveMaxPool3d", 3, *_COVERING_LARGEST)
    _function = staticmethod(F.adaptive_max_pool3d)
