"""Activations: functions of each element, softmax and its relatives.

Branches are chosen with masks in such a way that no derivative of a branch that is not taken becomes NaN, and that derivatives at the
places where branches meet are PyTorch's.
"""


from quern.lib import _engine
from quern.torch import _composed
from quern.torch import _namespace as torch
from quern.torch._core import finish
from quern.user_files import warn_user

_SELU_ALPHA = 1.6732632423543772848170429916717
_SELU_SCALE = 1.0507009873554804934193349852946


def _into(x, function, *args):
    """``function(x, *args)`` in the place of x's values."""
    # Where the tape keeps x for the backward, it must be one that keeps its values.
    source = x.clone() if x.requires_grad and torch.is_grad_enabled() else x
    return x.copy_(function(source, *args))


# ---- pieces of lines

# Where the slope is 1, elsewhere another one: x > low; not x <= low; low < x < high; |x| > low.
_ABOVE, _NOT_BELOW, _INSIDE, _FAR = range(4)


def _bent(x, y_of, inside, low, high=0.0, slope=0.0, slopes=None, inner=1.0):
    """``y_of(x)``, which is made of lines, as one entry of the tape."""
    if not torch.is_grad_enabled() or not (x.requires_grad or slopes is not None and slopes.requires_grad):
        return y_of(x)
    with torch.no_grad():
        y = y_of(x)
    return _engine.tensor_bent(x, y, inside, low, high, slope, inner, slopes)


def relu(input, inplace=False):
    """max(0, x) of each element; ``inplace``: in the input's memory.

    >>> F.relu(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return input.relu_() if inplace else torch.relu(input)


def relu_(input):
    """relu() in the input's memory."""
    return input.relu_()


def _between(x, low, high):
    # Unlike clamp's, the derivative at the ends is 0.
    return _bent(x, lambda x: x.masked_fill(x <= low, low).masked_fill(x >= high, high), _INSIDE, low, high)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """x within the range from ``min_val`` to ``max_val``."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _into(input, _between, min_val, max_val) if inplace else _between(input, min_val, max_val)


def hardtanh_(input, min_val=-1.0, max_val=1.0):
    """hardtanh() in the input's memory."""
    return hardtanh(input, min_val, max_val, True)


def relu6(input, inplace=False):
    """x within the range from 0 to 6."""
    return hardtanh(input, 0, 6, inplace)


def _threshold(x, threshold, value):
    return _bent(x, lambda x: x.masked_fill(x <= threshold, value), _NOT_BELOW, threshold)


def threshold(input, threshold, value, inplace=False):
    """x where it is above ``threshold``, elsewhere ``value``."""
    return _into(input, _threshold, threshold, value) if inplace else _threshold(input, threshold, value)


def threshold_(input, threshold, value):
    """threshold() in the input's memory."""
    return _into(input, _threshold, threshold, value)


def _leaky_relu(x, slope):
    one, each = (0.0, slope) if isinstance(slope, torch.Tensor) else (slope, None)
    return _bent(x, lambda x: torch.where(x > 0, x, x * slope), _ABOVE, 0, 0, one, each)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    """x where it is positive, elsewhere x times ``negative_slope``."""
    _composed.refuse_whole(input, "leaky_relu_cpu")
    return _into(input, _leaky_relu, negative_slope) if inplace else _leaky_relu(input, negative_slope)


def leaky_relu_(input, negative_slope=0.01):
    """leaky_relu() in the input's memory."""
    return _into(input, _leaky_relu, negative_slope)


def _channels(x):
    return x.shape[1] if x.dim() > 1 else 1


def prelu(input, weight):
    """x where it is positive, elsewhere x times ``weight``: one number, or one for each channel of (N, C, ...)."""
    if weight.dim() > 1 or weight.dim() == 1 and weight.shape[0] not in (1, _channels(input)):
        if weight.dim() > 1:
            raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.dim()}")
        raise RuntimeError(
            f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {weight.shape[0]} "
            f"and channel size = {_channels(input)}."
        )
    if weight.dim() == 1:
        weight = weight.reshape([1, -1] + [1] * (input.dim() - 2) if input.dim() > 1 else [1] * input.dim())
    return _leaky_relu(input, weight)


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    """x where it is positive, elsewhere x times a random slope from ``lower`` to ``upper``, or times their middle outside of training."""
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    slope = torch.empty_like(input).uniform_(lower, upper) if training else (lower + upper) / 2
    return _into(input, _leaky_relu, slope) if inplace else _leaky_relu(input, slope)


def rrelu_(input, lower=1.0 / 8, upper=1.0 / 3, training=False):
    """rrelu() in the input's memory."""
    return rrelu(input, lower, upper, training, True)


def hardsigmoid(input, inplace=False):
    """x / 6 + 1/2 within the range from 0 to 1."""
    _composed.refuse_whole(input, "hardsigmoid_cpu")
    return _into(input, _hardsigmoid) if inplace else _hardsigmoid(input)


def _hardsigmoid(x):
    return _bent(x, lambda x: (x + 3).clamp(0, 6) / 6, _INSIDE, -3, 3, inner=1 / 6)


def hardswish(input, inplace=False):
    """x times hardsigmoid(x)."""
    return _into(input, _composed.hardswish) if inplace else _composed.hardswish(input)


def softshrink(input, lambd=0.5, *, out=None):
    """x nearer to 0 by ``lambd``, and 0 where it was no farther."""
    if lambd < 0:
        raise RuntimeError(f"lambda must be greater or equal to 0, but found to be {lambd}.")
    return finish(_bent(input, lambda x: (x - x.clamp(-lambd, lambd)).masked_fill(x.abs() <= lambd, 0), _FAR, lambd), out)


def hardshrink(input, lambd=0.5, *, out=None):
    """x, and 0 where it is no farther from 0 than ``lambd``."""
    return finish(_bent(input, lambda x: x.masked_fill(x.abs() <= lambd, 0), _FAR, lambd), out)


# ---- exponentials


def elu(input, alpha=1.0, inplace=False):
    """x where it is positive, elsewhere ``alpha`` * (exp(x) - 1)."""
    return _into(input, _composed.elu, alpha) if inplace else _composed.elu(input, alpha)


def elu_(input, alpha=1.0):
    """elu() in the input's memory."""
    return elu(input, alpha, True)


def selu(input, inplace=False):
    """elu() with the two factors that keep mean 0 and variance 1 from layer to layer."""
    args = _SELU_ALPHA, _SELU_SCALE
    return _into(input, _composed.elu, *args) if inplace else _composed.elu(input, *args)


def selu_(input):
    """selu() in the input's memory."""
    return selu(input, True)


def celu(input, alpha=1.0, inplace=False):
    """x where it is positive, elsewhere ``alpha`` * (exp(x / alpha) - 1)."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return _into(input, _composed.celu, alpha) if inplace else _composed.celu(input, alpha)


def celu_(input, alpha=1.0):
    """celu() in the input's memory."""
    return celu(input, alpha, True)


def sigmoid(input):
    """1 / (1 + exp(-x))."""
    return torch.sigmoid(input)


def tanh(input):
    """The hyperbolic tangent."""
    return torch.tanh(input)


def tanhshrink(input):
    """x - tanh(x)."""
    return _composed.tanhshrink(input)


def softsign(input):
    """x / (1 + abs(x))."""
    return _composed.softsign(input)


def softplus(input, beta=1, threshold=20, *, out=None):
    """log(1 + exp(``beta`` x)) / beta, which is x itself where beta x is above ``threshold``."""
    return finish(_composed.softplus(input, beta, threshold), out)


def logsigmoid(input, *, out=None):
    """log(sigmoid(x)), exact for large negative x, too."""
    return finish(_composed.logsigmoid(input), out)


def gelu(input, *, approximate="none", out=None):
    """x times the normal distribution's probability of being below x.

    ``approximate``: "none" for the function itself, "tanh" for a formula near it.
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return finish(_composed.gelu(input, approximate), out)


def silu(input, inplace=False):
    """x * sigmoid(x), which is also called swish."""
    return _into(input, _composed.silu) if inplace else _composed.silu(input)


def mish(input, inplace=False):
    """x * tanh(softplus(x))."""
    return _into(input, _composed.mish) if inplace else _composed.mish(input)


def glu(input, dim=-1):
    """The first half along ``dim`` times the sigmoid of the second half."""
    if input.dim() == 0:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    _composed.refuse_whole(input, "glu_cpu")
    n = input.shape[dim]
    if n % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim % input.dim()} is size {n}")
    return _engine.tensor_gated(input, dim % input.dim())


# ---- along a dimension


def _dim(name, dim, ndim):
    """The dimension; where none was given that which older programs mean, and a warning."""
    if dim is not None:
        return dim
    warn_user(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
    )
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """exp(x), scaled so that the sum along ``dim`` is 1; ``dtype``: the type to compute in and to return.

    >>> F.softmax(torch.zeros(2, 4), dim=1)[0]
    tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """
    return _composed.softmax(input, _dim("softmax", dim, input.dim()), dtype)


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    """softmax(-x)."""
    return _composed.softmin(input, _dim("softmin", dim, input.dim()), dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """The logarithm of softmax(), without its overflow."""
    return _composed.log_softmax(input, _dim("log_softmax", dim, input.dim()), dtype)


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """Random samples of classes with the unnormalized log-probabilities ``logits`` along ``dim``, as probabilities.

    ``tau``: the smaller, the nearer to 0 and 1; ``hard``: exactly 0 and 1, with the derivative of those in between.
    """
    noise = -torch.empty_like(logits).exponential_().log()
    soft = _composed.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    index = soft.detach().argmax(dim, keepdim=True)
    return torch.zeros_like(soft).scatter_(dim, index, 1.0) - soft.detach() + soft
