"""Functions that give tensors their first values, in place; none is recorded for gradients."""

import functools
import inspect
import math

from quern.torch import _namespace as torch
from quern.torch import linalg
from quern.user_files import warn_user

_LINEAR = ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid")


def calculate_gain(nonlinearity, param=None):
    """Return the recommended gain for a nonlinearity.

    Parameters
    ----------
    nonlinearity : str
        Name of a function of ``nn.functional``, such as "relu" or "tanh".
    param : float, optional
        Slope of "leaky_relu", by default 0.01.

    Returns
    -------
    float
        Factor of the standard deviation.

    Raises
    ------
    ValueError
        For an unknown nonlinearity.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.init.calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity in _LINEAR:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is None:
            slope = 0.01
        elif isinstance(param, (int, float)) and not isinstance(param, bool):
            slope = param
        else:
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


# ---- distributions


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Fill a tensor with uniform random numbers.

    Parameters
    ----------
    tensor : Tensor
        Tensor that is changed in place, and returned.
    a, b : float, optional
        Limits.
    generator : Generator, optional
        Source of the random numbers; None is the default generator.

    Returns
    -------
    Tensor
        The tensor.

    Raises
    ------
    RuntimeError
        Where `a` is above `b`.

    Examples
    --------
    >>> from quern import torch
    >>> w = torch.nn.init.uniform_(torch.empty(100), 2.0, 3.0)
    >>> bool(w.min() >= 2), bool(w.max() <= 3)
    (True, True)
    """
    with torch.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Fill a tensor with normal random numbers.

    Parameters
    ----------
    tensor : Tensor
        Tensor that is changed in place, and returned.
    mean, std : float, optional
        Mean and standard deviation.
    generator : Generator, optional
        Source of the random numbers; None is the default generator.

    Returns
    -------
    Tensor
        The tensor.

    Raises
    ------
    RuntimeError
        For a negative `std`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.init.normal_(torch.empty(3, 4), mean=0.0, std=0.02).shape
    torch.Size([3, 4])
    """
    with torch.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """Fill a tensor with normal random numbers between two limits.

    Parameters
    ----------
    tensor : Tensor
        Tensor that is changed in place, and returned.
    mean, std : float, optional
        Mean and standard deviation.
    a, b : float, optional
        Limits.
    generator : Generator, optional
        Source of the random numbers; None is the default generator.

    Returns
    -------
    Tensor
        The tensor.

    Raises
    ------
    RuntimeError
        For a negative `std`.

    Examples
    --------
    >>> from quern import torch
    >>> bool(torch.nn.init.trunc_normal_(torch.empty(100), a=-1.0, b=1.0).abs().max() <= 1)
    True
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warn_user(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect."
        )

    def below(x):  # the probability of values below x
        return (1 + math.erf((x - mean) / std / math.sqrt(2))) / 2

    with torch.no_grad():
        # Uniform between the probabilities of both ends, through the inverse of the distribution.
        tensor.uniform_(2 * below(a) - 1, 2 * below(b) - 1, generator=generator)
        return tensor.erfinv_().mul_(std * math.sqrt(2)).add_(mean).clamp_(min=a, max=b)


def constant_(tensor, val):
    """Fill a tensor with a value.

    Parameters
    ----------
    tensor : Tensor
        Tensor that is changed in place, and returned.
    val : float
        Value.

    Returns
    -------
    Tensor
        The tensor.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.init.constant_(torch.empty(2), 0.5)
    tensor([0.5000, 0.5000])
    """
    with torch.no_grad():
        return tensor.fill_(val)


def ones_(tensor):
    """Fill a tensor with 1, in place.

    Parameters
    ----------
    tensor : Tensor
        Tensor of any shape and dtype.

    Returns
    -------
    Tensor
        The tensor itself.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.init.ones_(torch.empty(2))
    tensor([1., 1.])
    """
    return constant_(tensor, 1.0)


def zeros_(tensor):
    """Fill a tensor with 0, in place.

    Parameters
    ----------
    tensor : Tensor
        Tensor of any shape and dtype.

    Returns
    -------
    Tensor
        The tensor itself.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.init.zeros_(torch.empty(2))
    tensor([0., 0.])
    """
    return constant_(tensor, 0.0)


# ---- patterns


def eye_(tensor):
    """Fill a matrix with the identity.

    Parameters
    ----------
    tensor : Tensor
        Tensor that is changed in place, and returned.

    Returns
    -------
    Tensor
        The tensor.

    Raises
    ------
    ValueError
        For other than two dimensions.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.init.eye_(torch.empty(2, 3))
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with torch.no_grad():
        tensor.zero_()
        tensor.diagonal().fill_(1)
    return tensor


def dirac_(tensor, groups=1):
    """Fill the weight of a convolution, (out, in / groups, ...), with one that returns each channel unchanged.

    Parameters
    ----------
    tensor : Tensor
        Tensor that is changed in place, and returned.
    groups : int, optional
        Number of groups of channels.

    Returns
    -------
    Tensor
        The tensor.

    Raises
    ------
    ValueError
        For other than three to five dimensions.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.init.dirac_(torch.empty(2, 2, 1)).flatten()
    tensor([1., 0., 0., 1.])
    """
    if tensor.dim() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    outs = tensor.shape[0] // groups
    n = min(outs, tensor.shape[1])
    with torch.no_grad():
        tensor.zero_()
        middle = tensor[(..., *[size // 2 for size in tensor.shape[2:]])]
        for g in range(groups):
            middle[g * outs : g * outs + n, :n].diagonal().fill_(1)
    return tensor


def _fans(tensor):
    """How many inputs an output of a layer with this weight has, and how many outputs an input."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    inner = 1
    for n in tensor.shape[2:]:
        inner *= n
    return tensor.shape[1] * inner, tensor.shape[0] * inner


_calculate_fan_in_and_fan_out = _fans


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Fill a tensor with uniform random numbers of variance ``gain ** 2 * 2 / (inputs + outputs)`` (Glorot and Bengio, 2010).

    Parameters
    ----------
    tensor : Tensor
        Tensor that is changed in place, and returned.
    gain : float, optional
        Factor of the standard deviation.
    generator : Generator, optional
        Source of the random numbers; None is the default generator.

    Returns
    -------
    Tensor
        The tensor.

    Raises
    ------
    ValueError
        For fewer than two dimensions.

    Examples
    --------
    >>> from quern import torch
    >>> bool(torch.nn.init.xavier_uniform_(torch.empty(2, 4)).abs().max() <= 1)
    True
    """
    fan_in, fan_out = _fans(tensor)
    bound = gain * math.sqrt(6.0 / float(fan_in + fan_out))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Fill a tensor with normal random numbers of variance ``gain ** 2 * 2 / (inputs + outputs)`` (Glorot and Bengio, 2010).

    Parameters
    ----------
    tensor : Tensor
        Tensor that is changed in place, and returned.
    gain : float, optional
        Factor of the standard deviation.
    generator : Generator, optional
        Source of the random numbers; None is the default generator.

    Returns
    -------
    Tensor
        The tensor.

    Raises
    ------
    ValueError
        For fewer than two dimensions.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.init.xavier_normal_(torch.empty(3, 4)).shape
    torch.Size([3, 4])
    """
    fan_in, fan_out = _fans(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator)


def _kaiming_std(tensor, a, mode, nonlinearity):
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan = _fans(tensor)[mode == "fan_out"]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def _is_empty(tensor):
    if 0 in tensor.shape:
        warn_user("Initializing zero-element tensors is a no-op")
        return True
    return False


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Fill a tensor with uniform random numbers of variance ``gain ** 2 / fan`` (He et al., 2015).

    Parameters
    ----------
    tensor : Tensor
        Tensor that is changed in place, and returned.
    a : float, optional
        Slope of the following leaky ReLU.
    mode : {'fan_in', 'fan_out'}, optional
        Whether the variance of the forward or of the backward pass stays.
    nonlinearity : str, optional
        Name of the following function; see :func:`calculate_gain`.
    generator : Generator, optional
        Source of the random numbers; None is the default generator.

    Returns
    -------
    Tensor
        The tensor.

    Raises
    ------
    ValueError
        For fewer than two dimensions, or an unknown `mode` or `nonlinearity`.

    Examples
    --------
    >>> from quern import torch
    >>> bool(torch.nn.init.kaiming_uniform_(torch.empty(3, 6), nonlinearity="relu").abs().max() <= 1)
    True
    """
    if _is_empty(tensor):
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Fill a tensor with normal random numbers of variance ``gain ** 2 / fan`` (He et al., 2015).

    Parameters
    ----------
    tensor : Tensor
        Tensor that is changed in place, and returned.
    a : float, optional
        Slope of the following leaky ReLU.
    mode : {'fan_in', 'fan_out'}, optional
        Whether the variance of the forward or of the backward pass stays.
    nonlinearity : str, optional
        Name of the following function; see :func:`calculate_gain`.
    generator : Generator, optional
        Source of the random numbers; None is the default generator.

    Returns
    -------
    Tensor
        The tensor.

    Raises
    ------
    ValueError
        For fewer than two dimensions, or an unknown `mode` or `nonlinearity`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.init.kaiming_normal_(torch.empty(3, 4), nonlinearity="relu").shape
    torch.Size([3, 4])
    """
    if _is_empty(tensor):
        return tensor
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor, gain=1, generator=None):
    """Fill a tensor with a random matrix whose rows or columns, the fewer of them, are orthogonal.

    The first dimension are the rows, all others the columns.

    Parameters
    ----------
    tensor : Tensor
        Tensor that is changed in place, and returned.
    gain : float, optional
        Norm of the rows or columns.
    generator : Generator, optional
        Source of the random numbers; None is the default generator.

    Returns
    -------
    Tensor
        The tensor.

    Raises
    ------
    ValueError
        For fewer than two dimensions.

    Examples
    --------
    >>> from quern import torch
    >>> w = torch.nn.init.orthogonal_(torch.empty(2, 4))
    >>> torch.allclose(w @ w.T, torch.eye(2), atol=1e-5)
    True
    """
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.shape[0]
    cols = tensor.numel() // rows
    with torch.no_grad():
        flat = tensor.new_empty((rows, cols)).normal_(0, 1, generator=generator)
        q, r = linalg.qr(flat if rows >= cols else flat.t())
        q = q * torch.sign(r.diagonal())  # all orthogonal matrices are as likely
        tensor.copy_((q if rows >= cols else q.t()).reshape(tensor.shape)).mul_(gain)
    return tensor


def sparse_(tensor, sparsity, std=0.01, generator=None):
    """Fill a matrix with normal random numbers, of which a fraction in each column is 0.

    Parameters
    ----------
    tensor : Tensor
        Tensor that is changed in place, and returned.
    sparsity : float
        Fraction of zeros.
    std : float, optional
        Standard deviation of the others.
    generator : Generator, optional
        Source of the random numbers; None is the default generator.

    Returns
    -------
    Tensor
        The tensor.

    Raises
    ------
    ValueError
        For other than two dimensions.

    Examples
    --------
    >>> from quern import torch
    >>> (torch.nn.init.sparse_(torch.empty(10, 3), sparsity=0.4) == 0).sum(0)
    tensor([4, 4, 4])
    """
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, cols = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with torch.no_grad():
        tensor.normal_(0, std, generator=generator)
        order = torch.empty((rows, cols), device=tensor.device).uniform_(generator=generator).argsort(0).argsort(0)
        return tensor.masked_fill_(order < zeros, 0)


# ---- older names


_FIRST = "Parameters\n"


def _older(function):
    @functools.wraps(function)
    def named(*args, **kwargs):
        warn_user(
            f"`nn.init.{function.__name__[:-1]}` is now deprecated in favor of `nn.init.{function.__name__}`.", FutureWarning
        )
        return function(*args, **kwargs)

    named.__name__ = named.__qualname__ = function.__name__[:-1]
    named.__doc__ = f"Older name of :func:`{function.__name__}`.\n\nParameters\n{inspect.cleandoc(function.__doc__).partition(_FIRST)[2]}\n"
    return named


uniform = _older(uniform_)
normal = _older(normal_)
constant = _older(constant_)
eye = _older(eye_)
dirac = _older(dirac_)
xavier_uniform = _older(xavier_uniform_)
xavier_normal = _older(xavier_normal_)
kaiming_uniform = _older(kaiming_uniform_)
kaiming_normal = _older(kaiming_normal_)
orthogonal = _older(orthogonal_)
sparse = _older(sparse_)
