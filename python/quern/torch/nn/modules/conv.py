"""Convolutions and transposed convolutions as layers. Start reading at _Convolution."""

import math

from quern.torch import _namespace as torch
from quern.torch.nn import functional as F
from quern.torch.nn import init
from quern.torch.nn.modules.module import Module
from quern.torch.nn.parameter import Parameter

_MODES = ("circular", "reflect", "replicate", "zeros")
_NAMES = ("same", "valid")


def _for_each_axis(value, axes):
    """A number as a tuple with it for each axis; a sequence as a tuple."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * axes


class _Convolution(Module):
    """What all of these layers share; `_axes`, `_transposed` and `_function` are their classes'."""

    __constants__ = [
        "stride",
        "padding",
        "dilation",
        "groups",
        "padding_mode",
        "output_padding",
        "in_channels",
        "out_channels",
        "kernel_size",
    ]
    _axes, _transposed, _function = 0, False, None

    def __init__(
        self, in_channels, out_channels, kernel_size, stride, padding, dilation, output_padding, groups, bias, padding_mode, device, dtype
    ):
        super().__init__()
        _check(in_channels, out_channels, groups, padding, stride, padding_mode)
        if self._transposed and padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = _for_each_axis(kernel_size, self._axes)
        self.stride = _for_each_axis(stride, self._axes)
        self.padding = padding if isinstance(padding, str) else _for_each_axis(padding, self._axes)
        self.dilation = _for_each_axis(dilation, self._axes)
        self.transposed = self._transposed
        self.output_padding = _for_each_axis(output_padding, self._axes)
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = self._around()
        first, second = (in_channels, out_channels) if self._transposed else (out_channels, in_channels)
        self.weight = Parameter(torch.empty((first, second // groups, *self.kernel_size), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(torch.empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _around(self):
        """The padding as F.pad() takes it: the last axis first, before and after."""
        if not isinstance(self.padding, str):
            return [width for size in reversed(self.padding) for width in (size, size)]
        if self.padding == "valid":
            return [0] * (2 * self._axes)
        totals = [step * (size - 1) for step, size in zip(self.dilation, self.kernel_size, strict=False)]
        return [width for total in reversed(totals) for width in (total // 2, total - total // 2)]

    def reset_parameters(self):
        """Gives the parameters new random values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in = math.prod(self.weight.shape[1:])
            if fan_in:
                init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def _conv_forward(self, input, weight, bias):
        if self.padding_mode == "zeros":
            return self._function(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)
        around = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
        return self._function(around, weight, bias, self.stride, 0, self.dilation, self.groups)

    def forward(self, input):
        """Return the convolution of the input with the weight, plus the bias."""
        return self._conv_forward(input, self.weight, self.bias)

    def __setstate__(self, state):
        super().__setstate__(state)
        self.__dict__.setdefault("padding_mode", "zeros")

    def extra_repr(self):
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        if self.padding != (0,) * len(self.padding):
            parts.append(f"padding={self.padding}")
        if self.dilation != (1,) * len(self.dilation):
            parts.append(f"dilation={self.dilation}")
        if self.output_padding != (0,) * len(self.output_padding):
            parts.append(f"output_padding={self.output_padding}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


def _check(in_channels, out_channels, groups, padding, stride, padding_mode):
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    if in_channels % groups != 0:
        raise ValueError("in_channels must be divisible by groups")
    if out_channels % groups != 0:
        raise ValueError("out_channels must be divisible by groups")
    if isinstance(padding, str):
        if padding not in _NAMES:
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}")
        if padding == "same" and any(step != 1 for step in _for_each_axis(stride, 1)):
            raise ValueError("padding='same' is not supported for strided convolutions")
    if padding_mode not in _MODES:
        raise ValueError(f"padding_mode must be one of {{{', '.join(map(repr, _MODES))}}}, but got padding_mode='{padding_mode}'")


class _Plain(_Convolution):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, 0, groups, bias, padding_mode, device, dtype
        )


_SHAPES = {
    1: ("signals", "(N, C, L) or (C, L) -> (N, O, L') or (O, L')"),
    2: ("images", "(N, C, H, W) or (C, H, W) -> (N, O, H', W') or (O, H', W')"),
    3: ("volumes", "(N, C, D, H, W) or (C, D, H, W) -> (N, O, D', H', W') or (O, D', H', W')"),
}
_PLAIN = """Apply a convolution to {what}: {shapes}.

Parameters
----------
in_channels, out_channels : int
    Channels of the input, C, and of the result, O.
kernel_size : int or tuple of int
    Size of the kernel along each axis.
stride : int or tuple of int, optional
    Steps of the kernel.
padding : int, tuple of int or {{"valid", "same"}}, optional
    Elements added on both sides of each axis; "same" keeps the sizes.
dilation : int or tuple of int, optional
    Distances of the kernel's elements.
groups : int, optional
    Into how many groups the channels are divided, each with kernels of its own.
bias : bool, optional
    Whether to add a bias.
padding_mode : {{"zeros", "reflect", "replicate", "circular"}}, optional
    What the added elements are.
device, dtype : optional
    Device and dtype of the parameters; None is the current device, and the default floating-point dtype.

Attributes
----------
weight : Parameter
    Shape (out_channels, in_channels / groups, *kernel_size), at first random.
bias : Parameter or None
    Shape (out_channels), at first random.

Raises
------
ValueError
    For channels that `groups` does not divide, an unknown `padding` or `padding_mode`.
RuntimeError
    For inputs of other channels or dtypes, or smaller than the kernel, at the call.

Examples
--------
>>> from quern import torch
>>> torch.nn.Conv{axes}d(2, 4, kernel_size=3, stride=2, padding=1)(torch.ones(1, 2{sizes})).shape
torch.Size([1, 4{results}])
"""


def _described(text, axes):
    what, shapes = _SHAPES[axes]
    results = ", 4" if "transposed" not in text else ", 16"
    return text.format(what=what, shapes=shapes, axes=axes, sizes=", 8" * axes, results=results * axes)


class Conv1d(_Plain):
    __doc__ = _described(_PLAIN, 1)
    _axes, _function = 1, staticmethod(F.conv1d)


class Conv2d(_Plain):
    __doc__ = _described(_PLAIN, 2)
    _axes, _function = 2, staticmethod(F.conv2d)


class Conv3d(_Plain):
    __doc__ = _described(_PLAIN, 3)
    _axes, _function = 3, staticmethod(F.conv3d)


class _Transposed(_Convolution):
    _transposed = True

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            output_padding,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _output_padding(self, input, output_size):
        """The output padding with which the result has that size."""
        if output_size is None:
            return self.output_padding
        axes, sizes = self._axes, tuple(output_size)
        if len(sizes) == input.dim():
            sizes = sizes[-axes:]
        if len(sizes) != axes:
            raise ValueError(
                f"ConvTranspose{axes}D: for {input.dim()}D input, output_size must have {axes} or {input.dim()} elements (got {len(sizes)})"
            )
        arguments = zip(input.shape[-axes:], self.stride, self.padding, self.dilation, self.kernel_size, strict=True)
        least = [(n - 1) * step - 2 * around + apart * (size - 1) + 1 for n, step, around, apart, size in arguments]
        most = [low + step - 1 for low, step in zip(least, self.stride, strict=True)]
        if any(not low <= size <= high for low, size, high in zip(least, sizes, most, strict=True)):
            raise ValueError(
                f"requested an output size of {sizes}, but valid sizes range from {least} to {most} "
                f"(for an input of {tuple(input.shape[2:])})"
            )
        return tuple(size - low for low, size in zip(least, sizes, strict=True))

    def forward(self, input, output_size=None):
        """Return the transposed convolution of the input, plus the bias; `output_size` selects one of the possible sizes."""
        more = self._output_padding(input, output_size)
        return self._function(input, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation)


_TRANSPOSED = """Apply a transposed convolution, the gradient of a convolution by its input, to {what}: {shapes}.

Parameters
----------
in_channels, out_channels : int
    Channels of the input, C, and of the result, O.
kernel_size : int or tuple of int
    Size of the kernel along each axis.
stride : int or tuple of int, optional
    Steps between the results of neighbouring elements.
padding : int or tuple of int, optional
    Elements cut off on both sides of each axis of the result.
output_padding : int or tuple of int, optional
    Elements added at the end of each axis of the result.
groups : int, optional
    Into how many groups the channels are divided, each with kernels of its own.
bias : bool, optional
    Whether to add a bias.
dilation : int or tuple of int, optional
    Distances of the kernel's elements.
padding_mode : {{"zeros"}}, optional
    Other modes are refused.
device, dtype : optional
    Device and dtype of the parameters; None is the current device, and the default floating-point dtype.

Attributes
----------
weight : Parameter
    Shape (in_channels, out_channels / groups, *kernel_size), at first random.
bias : Parameter or None
    Shape (out_channels), at first random.

Raises
------
ValueError
    For channels that `groups` does not divide, a `padding_mode` other than "zeros", or an `output_size` that cannot be.
RuntimeError
    For inputs of other channels or dtypes, or an `output_padding` that is not smaller than `stride` or `dilation`, at the call.

Examples
--------
>>> from quern import torch
>>> torch.nn.ConvTranspose{axes}d(2, 4, kernel_size=2, stride=2)(torch.ones(1, 2{sizes})).shape
torch.Size([1, 4{results}])
"""


class ConvTranspose1d(_Transposed):
    __doc__ = _described(_TRANSPOSED, 1)
    _axes, _function = 1, staticmethod(F.conv_transpose1d)


class ConvTranspose2d(_Transposed):
    __doc__ = _described(_TRANSPOSED, 2)
    _axes, _function = 2, staticmethod(F.conv_transpose2d)


class ConvTranspose3d(_Transposed):
    __doc__ = _described(_TRANSPOSED, 3)
    _axes, _function = 3, staticmethod(F.conv_transpose3d)
