"""Layers that undo pooling, and pooling by powers and over windows at random places."""

from quern.torch.nn import functional as F
from quern.torch.nn.modules.module import Module
from quern.torch.nn.modules.pooling import _SHAPES


def _for_each_axis(value, axes):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * axes


def _described(summary, axes, parameters, wrong, example):
    what, shapes = _SHAPES[axes]
    raises = "".join(f"{error}\n    {when}\n" for error, when in wrong)
    return (
        f"{summary} {what}: {shapes}.\n\nParameters\n----------\n{parameters}\nRaises\n------\n{raises}\n"
        f"Examples\n--------\n>>> from quern import torch\n{example}\n"
    )


def _unpooling(axes):
    parameters = """kernel_size : int or tuple of int
    Size of the windows of the pooling.
stride : int or tuple of int, optional
    Steps between windows; None is the windows' size.
padding : int or tuple of int, optional
    Width of the border of the pooling.
"""
    sizes = ", 4" * axes
    example = f""">>> x, indices = torch.nn.MaxPool{axes}d(2, return_indices=True)(torch.rand(1, 3{sizes}))
>>> torch.nn.MaxUnpool{axes}d(2)(x, indices).shape
torch.Size([1, 3{sizes}])"""
    wrong = (("ValueError", "For an `output_size` that the pooling cannot have had, at the call."),)
    return _described("Put the elements that pooling took back into", axes, parameters, wrong, example)


def _powers(axes):
    parameters = """norm_type : float
    Exponent p of (sum of x ** p) ** (1 / p).
kernel_size : int or tuple of int
    Size of the windows along each axis.
stride : int or tuple of int, optional
    Steps between windows; None is the windows' size.
ceil_mode : bool, optional
    Whether windows that end beyond the border count.
"""
    example = f">>> torch.nn.LPPool{axes}d(2, 2)(torch.ones(1, 3{', 4' * axes})).shape\ntorch.Size([1, 3{', 2' * axes}])"
    wrong = (("ValueError", "For a `norm_type` of 0."), ("RuntimeError", "For windows that are larger than the input, at the call."))
    return _described("Return the p-norm of each window of", axes, parameters, wrong, example)


def _at_random(axes):
    parameters = """kernel_size : int or tuple of int
    Size of the windows along each axis.
output_size : int or tuple of int, optional
    Number of windows along each axis.
output_ratio : float or tuple of float, optional
    The same, divided by the input's size: more than 0 and less than 1.
return_indices : bool, optional
    Whether the places of the elements in the plane, int64, are returned as well.
_random_samples : Tensor, optional
    Where windows begin, (N, C, axes), numbers in [0, 1); None: random ones.
"""
    call = f"torch.nn.FractionalMaxPool{axes}d(2, output_size=3)(torch.ones(1, 3{', 5' * axes})).shape"
    example = f">>> {call}\ntorch.Size([1, 3{', 3' * axes}])"
    wrong = (("ValueError", "For both `output_size` and `output_ratio`, or neither, or a ratio outside of (0, 1)."),)
    return _described("Return the largest element of windows, which begin at random places, of", axes, parameters, wrong, example)


class _MaxUnpool(Module):
    _function = None
    _axes = 0

    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        self.kernel_size = _for_each_axis(kernel_size, self._axes)
        self.stride = _for_each_axis(stride if stride is not None else kernel_size, self._axes)
        self.padding = _for_each_axis(padding, self._axes)

    def forward(self, input, indices, output_size=None):
        """Return zeros with the elements at their places."""
        return self._function(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpool):
    __doc__ = _unpooling(1)
    _function = staticmethod(F.max_unpool1d)
    _axes = 1


class MaxUnpool2d(_MaxUnpool):
    __doc__ = _unpooling(2)
    _function = staticmethod(F.max_unpool2d)
    _axes = 2


class MaxUnpool3d(_MaxUnpool):
    __doc__ = _unpooling(3)
    _function = staticmethod(F.max_unpool3d)
    _axes = 3


class _LPPool(Module):
    __constants__ = ["norm_type", "kernel_size", "stride", "ceil_mode"]
    _function = None

    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        if norm_type == 0:
            raise ValueError(f"norm_type must be a non-zero value, but got {norm_type}")
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input):
        """Return the norms of the windows."""
        return self._function(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self):
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPool):
    __doc__ = _powers(1)
    _function = staticmethod(F.lp_pool1d)


class LPPool2d(_LPPool):
    __doc__ = _powers(2)
    _function = staticmethod(F.lp_pool2d)


class LPPool3d(_LPPool):
    __doc__ = _powers(3)
    _function = staticmethod(F.lp_pool3d)


class _FractionalMaxPool(Module):
    __constants__ = ["kernel_size", "return_indices", "output_size", "output_ratio"]
    _function = None
    _axes = 0

    def __init__(self, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        super().__init__()
        axes, name = self._axes, type(self).__name__
        self.kernel_size = _for_each_axis(kernel_size, axes)
        if axes == 3 and min(self.kernel_size) <= 0:
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else _for_each_axis(output_size, axes)
        self.output_ratio = None if output_ratio is None else _for_each_axis(output_ratio, axes)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input):
        """Return the largest elements, with `return_indices` also their places."""
        return self._function(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, _random_samples=self._random_samples
        )


class FractionalMaxPool2d(_FractionalMaxPool):
    __doc__ = _at_random(2)
    _function = staticmethod(F.fractional_max_pool2d)
    _axes = 2


class FractionalMaxPool3d(_FractionalMaxPool):
    __doc__ = _at_random(3)
    _function = staticmethod(F.fractional_max_pool3d)
    _axes = 3
