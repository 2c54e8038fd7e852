"""Activations as modules; the functions are in torch.nn.functional."""


from quern.torch import _namespace as torch
from quern.torch.nn import functional as F
from quern.torch.nn.modules.module import Module
from quern.torch.nn.parameter import Parameter
from quern.user_files import warn_user


class _InPlace(Module):
    """An activation that can work in the input's memory."""

    __constants__ = ["inplace"]

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class ReLU(_InPlace):
    """max(0, x) of each element.

    >>> from quern.torch import nn
    >>> from quern import torch
    >>> nn.ReLU()(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def forward(self, input):
        """Of any shape."""
        return F.relu(input, self.inplace)


class Threshold(Module):
    """x where it is above ``threshold``, elsewhere ``value``."""

    __constants__ = ["threshold", "value", "inplace"]

    def __init__(self, threshold, value, inplace=False):
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input):
        """Of any shape."""
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self):
        return f"threshold={self.threshold}, value={self.value}{', inplace=True' if self.inplace else ''}"


class RReLU(Module):
    """x where it is positive, elsewhere x times a random slope from ``lower`` to ``upper``; in evaluation, times their middle."""

    __constants__ = ["lower", "upper", "inplace"]

    def __init__(self, lower=1.0 / 8, upper=1.0 / 3, inplace=False):
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input):
        """Of any shape."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self):
        return f"lower={self.lower}, upper={self.upper}{', inplace=True' if self.inplace else ''}"


class Hardtanh(Module):
    """x within the range from ``min_val`` to ``max_val``; ``min_value`` and ``max_value`` are older names of these."""

    __constants__ = ["min_val", "max_val", "inplace"]

    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False, min_value=None, max_value=None):
        super().__init__()
        for old, new, given in (("min_value", "min_val", min_value), ("max_value", "max_val", max_value)):
            if given is not None:
                warn_user(f"keyword argument `{old}` is deprecated and renamed to `{new}`", FutureWarning)
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val must be larger than min_val, but got {self.min_val} and {self.max_val}")

    def forward(self, input):
        """Of any shape."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self):
        return f"min_val={self.min_val}, max_val={self.max_val}{', inplace=True' if self.inplace else ''}"


class ReLU6(Hardtanh):
    """x within the range from 0 to 6."""

    def __init__(self, inplace=False):
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def forward(self, input):
        """Of any shape."""
        return torch.sigmoid(input)


class Hardsigmoid(_InPlace):
    """x / 6 + 1/2 within the range from 0 to 1."""

    def forward(self, input):
        """Of any shape."""
        return F.hardsigmoid(input, self.inplace)

    def extra_repr(self):
        return ""


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input):
        """Of any shape."""
        return torch.tanh(input)


class SiLU(_InPlace):
    """x * sigmoid(x), which is also called swish."""

    def forward(self, input):
        """Of any shape."""
        return F.silu(input, self.inplace)


class Mish(_InPlace):
    """x * tanh(softplus(x))."""

    def forward(self, input):
        """Of any shape."""
        return F.mish(input, self.inplace)


class Hardswish(_InPlace):
    """x times Hardsigmoid of x."""

    def forward(self, input):
        """Of any shape."""
        return F.hardswish(input, self.inplace)

    def extra_repr(self):
        return ""


class ELU(Module):
    """x where it is positive, elsewhere ``alpha`` * (exp(x) - 1)."""

    __constants__ = ["alpha", "inplace"]

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input):
        """Of any shape."""
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self):
        return f"alpha={self.alpha}{', inplace=True' if self.inplace else ''}"


class CELU(Module):
    """x where it is positive, elsewhere ``alpha`` * (exp(x / alpha) - 1)."""

    __constants__ = ["alpha", "inplace"]

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input):
        """Of any shape."""
        return F.celu(input, self.alpha, self.inplace)

    def extra_repr(self):
        return f"alpha={self.alpha}{', inplace=True' if self.inplace else ''}"


class SELU(_InPlace):
    """ELU with the two factors that keep mean 0 and variance 1 from layer to layer."""

    def forward(self, input):
        """Of any shape."""
        return F.selu(input, self.inplace)


class GLU(Module):
    """The first half along ``dim`` times the sigmoid of the second half."""

    __constants__ = ["dim"]

    def __init__(self, dim=-1):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        """Of any shape."""
        return F.glu(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class GELU(Module):
    """x times the normal distribution's probability of being below x; ``approximate``: "none", or "tanh" for a formula near it."""

    __constants__ = ["approximate"]

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        """Of any shape."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self):
        return f"approximate={self.approximate!r}"


class Hardshrink(Module):
    """x, and 0 where it is no farther from 0 than ``lambd``."""

    __constants__ = ["lambd"]

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input):
        """Of any shape."""
        return F.hardshrink(input, self.lambd)

    def extra_repr(self):
        return str(self.lambd)


class LeakyReLU(Module):
    """x where it is positive, elsewhere x times ``negative_slope``."""

    __constants__ = ["inplace", "negative_slope"]

    def __init__(self, negative_slope=1e-2, inplace=False):
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input):
        """Of any shape."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self):
        return f"negative_slope={self.negative_slope}{', inplace=True' if self.inplace else ''}"


class LogSigmoid(Module):
    """log(sigmoid(x)), exact for large negative x, too."""

    def forward(self, input):
        """Of any shape."""
        return F.logsigmoid(input)


class Softplus(Module):
    """log(1 + exp(``beta`` x)) / beta, which is x itself where beta x is above ``threshold``."""

    __constants__ = ["beta", "threshold"]

    def __init__(self, beta=1.0, threshold=20.0):
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input):
        """Of any shape."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self):
        return f"beta={self.beta}, threshold={self.threshold}"


class Softshrink(Module):
    """x nearer to 0 by ``lambd``, and 0 where it was no farther."""

    __constants__ = ["lambd"]

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input):
        """Of any shape."""
        return F.softshrink(input, self.lambd)

    def extra_repr(self):
        return str(self.lambd)


class PReLU(Module):
    """x where it is positive, elsewhere x times ``weight``, a parameter: one number, or one for each channel of (N, C, ...).

    Parameters: ``num_parameters``: 1, or the number of channels; ``init``: the weight's first value.
    """

    __constants__ = ["num_parameters"]

    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(torch.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self):
        """Gives the weight its first value."""
        with torch.no_grad():
            self.weight.fill_(self.init)

    def forward(self, input):
        """(N, C, ...), or any shape with one number."""
        return F.prelu(input, self.weight)

    def extra_repr(self):
        return f"num_parameters={self.num_parameters}"


class Softsign(Module):
    """x / (1 + abs(x))."""

    def forward(self, input):
        """Of any shape."""
        return F.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x)."""

    def forward(self, input):
        """Of any shape."""
        return F.tanhshrink(input)


class _Along(Module):
    """A function along a dimension."""

    __constants__ = ["dim"]

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def __setstate__(self, state):
        super().__setstate__(state)
        self.__dict__.setdefault("dim", None)

    def extra_repr(self):
        return f"dim={self.dim}"


class Softmin(_Along):
    """Softmax of -x along ``dim``."""

    def forward(self, input):
        """Of any shape."""
        return F.softmin(input, self.dim, _stacklevel=5)


class Softmax(_Along):
    """exp(x), scaled so that the sum along ``dim`` is 1.

    >>> from quern.torch import nn
    >>> from quern import torch
    >>> nn.Softmax(dim=1)(torch.zeros(1, 4))
    tensor([[0.2500, 0.2500, 0.2500, 0.2500]])
    """

    def forward(self, input):
        """Of any shape."""
        return F.softmax(input, self.dim, _stacklevel=5)


class LogSoftmax(_Along):
    """The logarithm of Softmax along ``dim``, without its overflow."""

    def forward(self, input):
        """Of any shape."""
        return F.log_softmax(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """Softmax along the channels of (N, C, H, W) or (C, H, W)."""

    def forward(self, input):
        """(N, C, H, W) or (C, H, W)."""
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3, _stacklevel=5)
