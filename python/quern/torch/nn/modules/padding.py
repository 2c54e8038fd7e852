"""Layers that add elements around the last one, two or three dimensions: of a constant, of zeros, or of the tensor itself."""

from quern.torch.nn import functional as F
from quern.torch.nn.modules.module import Module


class _Pad(Module):
    __constants__ = ["padding"]
    _dimensions = 1
    _mode = "constant"

    def __init__(self, padding):
        super().__init__()
        self.padding = (padding,) * (2 * self._dimensions) if isinstance(padding, int) else tuple(padding)

    def forward(self, input):
        """The input with more elements around it."""
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self):
        return f"{self.padding}"


class _ConstantPad(_Pad):
    __constants__ = ["padding", "value"]

    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = value

    def forward(self, input):
        """The input with the value around it."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


_SIDES = ("before and after the last dimension", "around the last two dimensions", "around the last three dimensions")
_PADDING = """Parameters
----------
padding : int or sequence of ints
    Number of elements on all sides; or (before, after) of the last dimension, then of that before it, and so on.
"""
_VALUE = """value : scalar
    Value of the elements.
"""
_RAISES = """
Raises
------
RuntimeError
    For an odd number of sizes, at the call; for reflected or repeated elements that the input does not have.
"""
_EXAMPLE = """
Examples
--------
>>> from quern import torch
>>> layer = torch.nn.{name}({arguments})
>>> layer(torch.zeros(1, {sizes})).shape
torch.Size([1, {padded}])
"""


def _example(name, n):
    arguments = "1, 7.0" if name.startswith("Constant") else "1"
    return _EXAMPLE.format(name=f"{name}{n}d", arguments=arguments, sizes=", ".join("2" * (n + 1)), padded=", ".join(["2", *"4" * n]))


def _layers(base, name, words, **more):
    """The classes for one, two and three dimensions."""
    made = []
    for n in (1, 2, 3):
        text = f"{words} {_SIDES[n - 1]}.\n\n{_PADDING}{_VALUE if base is _ConstantPad else ''}{_RAISES}{_example(name, n)}"
        parts = {"__module__": "torch.nn.modules.padding", "__doc__": text, "_dimensions": n, **more}
        made.append(type(f"{name}{n}d", (base[n - 1] if isinstance(base, list) else base,), parts))
    return made


ConstantPad1d, ConstantPad2d, ConstantPad3d = _layers(_ConstantPad, "ConstantPad", "Add elements of a value")
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = _layers(
    _Pad, "ReflectionPad", "Add the tensor's own elements, mirrored at its ends,", _mode="reflect"
)
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = _layers(_Pad, "ReplicationPad", "Add copies of the end elements", _mode="replicate")
CircularPad1d, CircularPad2d, CircularPad3d = _layers(_Pad, "CircularPad", "Add the elements of the other end", _mode="circular")


def _zeros(self, padding):
    super(type(self), self).__init__(padding, 0.0)


def _padding_alone(self):
    return f"{self.padding}"


ZeroPad1d, ZeroPad2d, ZeroPad3d = _layers(
    [ConstantPad1d, ConstantPad2d, ConstantPad3d], "ZeroPad", "Add zeros", __init__=_zeros, extra_repr=_padding_alone
)
