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
    """Return ``max(0, x)`` of each element.

    Parameters
    ----------
    inplace : bool, optional
        Whether the result replaces the input's values.

    Raises
    ------
    NotImplementedError
        For complex numbers, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch import nn
    >>> nn.ReLU()(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.relu(input, self.inplace)


class Threshold(Module):
    """Return x where it is above `threshold`, elsewhere `value`.

    Parameters
    ----------
    threshold : float
        Limit.
    value : float
        Value of the other elements.
    inplace : bool, optional
        Whether the result replaces the input's values.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.Threshold(0.1, 7.0)(torch.tensor([-2.0, 0.5, 3.0]))
    tensor([7.0000, 0.5000, 3.0000])
    """

    __constants__ = ["threshold", "value", "inplace"]

    def __init__(self, threshold, value, inplace=False):
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self):
        return f"threshold={self.threshold}, value={self.value}{', inplace=True' if self.inplace else ''}"


class RReLU(Module):
    """Return x where it is positive, elsewhere x times a random slope; in evaluation, times the mean slope.

    Parameters
    ----------
    lower, upper : float, optional
        Limits of the slope.
    inplace : bool, optional
        Whether the result replaces the input's values.

    Raises
    ------
    RuntimeError
        Where `lower` is above `upper`, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.RReLU(0.25, 0.25)(torch.tensor([-2.0, 0.5, 3.0]))
    tensor([-0.5000,  0.5000,  3.0000])
    """

    __constants__ = ["lower", "upper", "inplace"]

    def __init__(self, lower=1.0 / 8, upper=1.0 / 3, inplace=False):
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self):
        return f"lower={self.lower}, upper={self.upper}{', inplace=True' if self.inplace else ''}"


class Hardtanh(Module):
    """Return x, limited to a range.

    Parameters
    ----------
    min_val, max_val : float, optional
        Limits of the range.
    inplace : bool, optional
        Whether the result replaces the input's values.
    min_value, max_value : float, optional
        Older names of the limits.

    Raises
    ------
    AssertionError
        Where `max_val` is not above `min_val`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.Hardtanh()(torch.tensor([-2.0, 0.5, 3.0]))
    tensor([-1.0000,  0.5000,  1.0000])
    """

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
        """Return the result for `input`, a tensor of any shape."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self):
        return f"min_val={self.min_val}, max_val={self.max_val}{', inplace=True' if self.inplace else ''}"


class ReLU6(Hardtanh):
    """Return x, limited to the range from 0 to 6.

    Parameters
    ----------
    inplace : bool, optional
        Whether the result replaces the input's values.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.ReLU6()(torch.tensor([-2.0, 0.5, 3.0]))
    tensor([0.0000, 0.5000, 3.0000])
    """

    def __init__(self, inplace=False):
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class Sigmoid(Module):
    """Return ``1 / (1 + exp(-x))``."""

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return torch.sigmoid(input)


class Hardsigmoid(_InPlace):
    """Return ``x / 6 + 1 / 2``, limited to the range from 0 to 1.

    Parameters
    ----------
    inplace : bool, optional
        Whether the result replaces the input's values.

    Raises
    ------
    NotImplementedError
        For integers, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.Hardsigmoid()(torch.tensor([-2.0, 0.5, 3.0]))
    tensor([0.1667, 0.5833, 1.0000])
    """

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.hardsigmoid(input, self.inplace)

    def extra_repr(self):
        return ""


class Tanh(Module):
    """Return the hyperbolic tangent."""

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return torch.tanh(input)


class SiLU(_InPlace):
    """Return ``x * sigmoid(x)``, which is also called swish.

    Parameters
    ----------
    inplace : bool, optional
        Whether the result replaces the input's values.

    Raises
    ------
    NotImplementedError
        For integers, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.SiLU()(torch.tensor([-2.0, 0.5, 3.0]))
    tensor([-0.2384,  0.3112,  2.8577])
    """

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.silu(input, self.inplace)


class Mish(_InPlace):
    """Return ``x * tanh(softplus(x))``.

    Parameters
    ----------
    inplace : bool, optional
        Whether the result replaces the input's values.

    Raises
    ------
    NotImplementedError
        For integers, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.Mish()(torch.tensor([-2.0, 0.5, 3.0]))
    tensor([-0.2525,  0.3752,  2.9865])
    """

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.mish(input, self.inplace)


class Hardswish(_InPlace):
    """Return x times :class:`Hardsigmoid` of x.

    Parameters
    ----------
    inplace : bool, optional
        Whether the result replaces the input's values.

    Raises
    ------
    NotImplementedError
        For integers, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.Hardswish()(torch.tensor([-2.0, 0.5, 3.0]))
    tensor([-0.3333,  0.2917,  3.0000])
    """

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.hardswish(input, self.inplace)

    def extra_repr(self):
        return ""


class ELU(Module):
    """Return x where it is positive, elsewhere ``alpha * (exp(x) - 1)``.

    Parameters
    ----------
    alpha : float, optional
        Limit of the result for large negative elements, with the other sign.
    inplace : bool, optional
        Whether the result replaces the input's values.

    Raises
    ------
    NotImplementedError
        For integers, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.ELU()(torch.tensor([-2.0, 0.5, 3.0]))
    tensor([-0.8647,  0.5000,  3.0000])
    """

    __constants__ = ["alpha", "inplace"]

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self):
        return f"alpha={self.alpha}{', inplace=True' if self.inplace else ''}"


class CELU(Module):
    """Return x where it is positive, elsewhere ``alpha * (exp(x / alpha) - 1)``.

    Parameters
    ----------
    alpha : float, optional
        Limit of the result for large negative elements, with the other sign.
    inplace : bool, optional
        Whether the result replaces the input's values.

    Raises
    ------
    RuntimeError
        For an `alpha` of 0, at the call.
    NotImplementedError
        For integers, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.CELU()(torch.tensor([-2.0, 0.5, 3.0]))
    tensor([-0.8647,  0.5000,  3.0000])
    """

    __constants__ = ["alpha", "inplace"]

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.celu(input, self.alpha, self.inplace)

    def extra_repr(self):
        return f"alpha={self.alpha}{', inplace=True' if self.inplace else ''}"


class SELU(_InPlace):
    """Return ELU with the two factors that keep mean 0 and variance 1 from layer to layer.

    Parameters
    ----------
    inplace : bool, optional
        Whether the result replaces the input's values.

    Raises
    ------
    NotImplementedError
        For integers, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.SELU()(torch.tensor([-2.0, 0.5, 3.0]))
    tensor([-1.5202,  0.5254,  3.1521])
    """

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.selu(input, self.inplace)


class GLU(Module):
    """Return the first half along a dimension times the sigmoid of the second half.

    Parameters
    ----------
    dim : int, optional
        Dimension of the operation; a negative one counts from the end.

    Raises
    ------
    RuntimeError
        For an odd size, at the call.
    IndexError
        For a `dim` out of range, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.GLU()(torch.tensor([1.0, 2.0, 0.0, 0.0]))
    tensor([0.5000, 1.0000])
    """

    __constants__ = ["dim"]

    def __init__(self, dim=-1):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.glu(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class GELU(Module):
    """Return x times the probability that a standard normal number is below x.

    Parameters
    ----------
    approximate : {'none', 'tanh'}, optional
        Whether to use the approximation with tanh.

    Raises
    ------
    RuntimeError
        For another `approximate`, at the call.
    NotImplementedError
        For integers, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch import nn
    >>> nn.GELU()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.1587,  0.0000,  1.9545])
    """

    __constants__ = ["approximate"]

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self):
        return f"approximate={self.approximate!r}"


class Hardshrink(Module):
    """Return x, and 0 where its absolute value is at most `lambd`.

    Parameters
    ----------
    lambd : float, optional
        Limit.

    Raises
    ------
    NotImplementedError
        For integers, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.Hardshrink()(torch.tensor([-2.0, 0.5, 3.0]))
    tensor([-2.,  0.,  3.])
    """

    __constants__ = ["lambd"]

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.hardshrink(input, self.lambd)

    def extra_repr(self):
        return str(self.lambd)


class LeakyReLU(Module):
    """Return x where it is positive, elsewhere x times a slope.

    Parameters
    ----------
    negative_slope : float, optional
        Slope.
    inplace : bool, optional
        Whether the result replaces the input's values.

    Raises
    ------
    NotImplementedError
        For integers, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.LeakyReLU()(torch.tensor([-2.0, 0.5, 3.0]))
    tensor([-0.0200,  0.5000,  3.0000])
    """

    __constants__ = ["inplace", "negative_slope"]

    def __init__(self, negative_slope=1e-2, inplace=False):
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self):
        return f"negative_slope={self.negative_slope}{', inplace=True' if self.inplace else ''}"


class LogSigmoid(Module):
    """Return ``log(sigmoid(x))``, exact for large negative x, too."""

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.logsigmoid(input)


class Softplus(Module):
    """Return ``log(1 + exp(beta * x)) / beta``.

    Parameters
    ----------
    beta : float, optional
        Sharpness of the bend at 0.
    threshold : float, optional
        Limit of ``beta * x`` above which the result is x.

    Raises
    ------
    NotImplementedError
        For integers, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.Softplus()(torch.tensor([-2.0, 0.5, 3.0]))
    tensor([0.1269, 0.9741, 3.0486])
    """

    __constants__ = ["beta", "threshold"]

    def __init__(self, beta=1.0, threshold=20.0):
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self):
        return f"beta={self.beta}, threshold={self.threshold}"


class Softshrink(Module):
    """Return x moved towards 0 by `lambd`, and 0 where its absolute value is at most that.

    Parameters
    ----------
    lambd : float, optional
        Distance, not negative.

    Raises
    ------
    RuntimeError
        For a negative `lambd`, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.Softshrink()(torch.tensor([-2.0, 0.5, 3.0]))
    tensor([-1.5000,  0.0000,  2.5000])
    """

    __constants__ = ["lambd"]

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.softshrink(input, self.lambd)

    def extra_repr(self):
        return str(self.lambd)


class PReLU(Module):
    """Return x where it is positive, elsewhere x times a trained slope.

    Parameters
    ----------
    num_parameters : int, optional
        1, or the number of channels of (N, C, ...).
    init : float, optional
        Start value of the slopes.
    device, dtype : optional
        Device and dtype of the parameters; None is the current device, and the default floating-point dtype.

    Raises
    ------
    RuntimeError
        For another number of channels, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch import nn
    >>> nn.PReLU()(torch.tensor([-1.0, 2.0])).detach()
    tensor([-0.2500,  2.0000])
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
        """Return the result, in the shape of `input`: (N, C, ...), or any shape with one number."""
        return F.prelu(input, self.weight)

    def extra_repr(self):
        return f"num_parameters={self.num_parameters}"


class Softsign(Module):
    """Return ``x / (1 + abs(x))``."""

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.softsign(input)


class Tanhshrink(Module):
    """Return ``x - tanh(x)``."""

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
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
    """Return :class:`Softmax` of -x.

    Parameters
    ----------
    dim : int, optional
        Dimension of the operation; a negative one counts from the end.

    Raises
    ------
    IndexError
        For a `dim` out of range, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.Softmin(dim=0)(torch.tensor([0.0, 1.0]))
    tensor([0.7311, 0.2689])
    """

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.softmin(input, self.dim, _stacklevel=5)


class Softmax(_Along):
    """Return ``exp(x)``, scaled so that the sum along a dimension is 1.

    Parameters
    ----------
    dim : int, optional
        Dimension of the operation; a negative one counts from the end. None picks one by the number of dimensions, with
        a warning: 0 for 0, 1 or 3 dimensions, else 1.

    Raises
    ------
    IndexError
        For a `dim` out of range, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch import nn
    >>> nn.Softmax(dim=1)(torch.zeros(1, 4))
    tensor([[0.2500, 0.2500, 0.2500, 0.2500]])
    """

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.softmax(input, self.dim, _stacklevel=5)


class LogSoftmax(_Along):
    """Return the logarithm of :class:`Softmax`, without overflow.

    Parameters
    ----------
    dim : int, optional
        Dimension of the operation; a negative one counts from the end.

    Raises
    ------
    IndexError
        For a `dim` out of range, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.LogSoftmax(dim=0)(torch.tensor([0.0, 1.0]))
    tensor([-1.3133, -0.3133])
    """

    def forward(self, input):
        """Return the result for `input`, a tensor of any shape."""
        return F.log_softmax(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """Return :class:`Softmax` along the channels of (N, C, H, W) or (C, H, W); raises ValueError for other inputs."""

    def forward(self, input):
        """Return the result, in the shape of `input`: (N, C, H, W) or (C, H, W)."""
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3, _stacklevel=5)
