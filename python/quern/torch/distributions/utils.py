"""What distributions share: broadcast parameters, probabilities and their logits, attributes computed at their first use."""

import functools
import numbers

from quern.torch import _namespace as torch

euler_constant = 0.57721566490153286060

__all__ = "broadcast_all clamp_probs lazy_property logits_to_probs probs_to_logits tril_matrix_to_vec vec_to_tril_matrix".split()


def is_number(value):
    """Whether this is a number of Python's or NumPy's."""
    return isinstance(value, numbers.Number)


def broadcast_all(*values):
    """Return the operands as tensors of one shape.

    Parameters
    ----------
    *values : Tensor or float
        Operands. Numbers get the dtype and device of the first tensor, or the default dtype.

    Returns
    -------
    tuple of Tensor
        Operands in the shape to which they broadcast.

    Raises
    ------
    ValueError
        For an operand that is neither a number nor a tensor.

    Examples
    --------
    >>> from quern import torch
    >>> a, b = torch.distributions.utils.broadcast_all(torch.zeros(2), 1.0)
    >>> b
    tensor([1., 1.])
    """
    tensors = [value for value in values if isinstance(value, torch.Tensor)]
    if len(tensors) < len(values) and not all(isinstance(value, torch.Tensor) or is_number(value) for value in values):
        raise ValueError("Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__.")
    how = {"dtype": tensors[0].dtype, "device": tensors[0].device} if tensors else {"dtype": torch.get_default_dtype()}
    return torch.broadcast_tensors(*(value if isinstance(value, torch.Tensor) else torch.tensor(value, **how) for value in values))


def standard_normal(shape, like):
    """Normal numbers of a shape, in the dtype and on the device of a tensor."""
    return torch.randn(shape, dtype=like.dtype, device=like.device)


def open_unit(shape, like, low=None, high=None):
    """Uniform numbers of a shape, in the dtype and on the device of a tensor, by default above 0 and below 1."""
    info = torch.finfo(like.dtype)
    made = torch.rand(shape, dtype=like.dtype, device=like.device)
    return made.clamp(min=info.tiny if low is None else low, max=1 - info.eps / 2 if high is None else high)


def sum_rightmost(value, dim):
    """The sum over so many of the last dimensions."""
    return value if dim == 0 else value.reshape(value.shape[:-dim] + (-1,)).sum(-1)


def logits_to_probs(logits, is_binary=False):
    """Return the probabilities of log-odds.

    Parameters
    ----------
    logits : Tensor
        Log-odds, or with ``is_binary=False`` unnormalized logarithms along the last dimension.
    is_binary : bool, optional
        Whether each element is a distribution of its own.

    Returns
    -------
    Tensor
        Probabilities, of the shape of `logits`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.utils.logits_to_probs(torch.zeros(2))
    tensor([0.5000, 0.5000])
    """
    return torch.sigmoid(logits) if is_binary else torch.softmax(logits, dim=-1)


def clamp_probs(probs):
    """Return probabilities that are neither 0 nor 1.

    Parameters
    ----------
    probs : Tensor
        Probabilities.

    Returns
    -------
    Tensor
        Probabilities within [eps, 1 - eps] of their dtype.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.utils.clamp_probs(torch.tensor([0.0, 0.5])) > 0
    tensor([True, True])
    """
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs, is_binary=False):
    """Return the log-odds of probabilities.

    Parameters
    ----------
    probs : Tensor
        Probabilities; those closer to 0 or 1 than eps are clamped.
    is_binary : bool, optional
        Whether each element is a distribution of its own; otherwise the result is the logarithm.

    Returns
    -------
    Tensor
        Logits, of the shape of `probs`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.utils.probs_to_logits(torch.tensor([0.5]), is_binary=True)
    tensor([0.])
    """
    inside = clamp_probs(probs)
    return torch.log(inside) - torch.log1p(-inside) if is_binary else torch.log(inside)


class lazy_property:  # noqa: N801
    """Attribute that a method computes at its first use, with gradients.

    Parameters
    ----------
    wrapped : callable
        Method without arguments.

    Examples
    --------
    >>> from quern import torch
    >>> bernoulli = torch.distributions.Bernoulli(0.5)
    >>> bernoulli.logits
    tensor(0.)
    """

    def __init__(self, wrapped):
        self.wrapped = wrapped
        functools.update_wrapper(self, wrapped)

    def __get__(self, instance, obj_type=None):
        if instance is None:
            return self
        with torch.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


def _lower_mask(n, diag, device):
    places = torch.arange(n, device=device)
    return places < places.view(-1, 1) + (diag + 1)


def tril_matrix_to_vec(mat, diag=0):
    """Return the lower triangle of matrices as vectors, row by row.

    Parameters
    ----------
    mat : Tensor
        Matrices, of shape (..., N, N).
    diag : int, optional
        Last diagonal of the triangle.

    Returns
    -------
    Tensor
        Vectors.

    Raises
    ------
    ValueError
        For a diagonal outside of the matrices.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.utils.tril_matrix_to_vec(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 3, 4])
    """
    n = mat.shape[-1]
    if diag < -n or diag >= n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    rows, columns = torch.tril_indices(n, n, diag, device=mat.device)
    return mat[..., rows, columns]


def vec_to_tril_matrix(vec, diag=0):
    """Return vectors as the lower triangles of matrices, row by row.

    Parameters
    ----------
    vec : Tensor
        Vectors, of shape (..., M).
    diag : int, optional
        Last diagonal of the triangle.

    Returns
    -------
    Tensor
        Matrices, of shape (..., N, N), with 0 above the triangle.

    Raises
    ------
    ValueError
        For a length that no triangle has.

    Examples
    --------
    >>> from quern import torch
    >>> torch.distributions.utils.vec_to_tril_matrix(torch.tensor([1.0, 2.0, 3.0]))
    tensor([[1., 0.],
            [2., 3.]])
    """
    length, side = vec.shape[-1], 1 + 2 * diag
    n = (-side + (side**2 + 8 * length + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(n) - n > torch.finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {length} which cannot be expressed as the lower triangular part of a square D x D matrix."
        )
    n = round(n)
    rows, columns = torch.tril_indices(n, n, diag, device=vec.device)
    flat = vec.new_zeros(vec.shape[:-1] + (n * n,))
    places = (rows * n + columns).expand(vec.shape)
    return flat.scatter(-1, places, vec).reshape(vec.shape[:-1] + (n, n))
