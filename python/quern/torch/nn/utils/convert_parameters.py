"""All parameters as one vector, and back."""

from quern.torch import _namespace as torch


def parameters_to_vector(parameters):
    """Return the elements of all parameters as one vector.

    Parameters
    ----------
    parameters : iterable of Tensor
        Parameters, in order.

    Returns
    -------
    Tensor
        One-dimensional.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.utils.parameters_to_vector([torch.ones(2), torch.zeros(1)])
    tensor([1., 1., 0.])
    """
    return torch.cat([p.reshape(-1) for p in parameters])


def vector_to_parameters(vec, parameters):
    """Set parameters to the values of a vector.

    Parameters
    ----------
    vec : Tensor
        Values of all parameters, one after the other.
    parameters : iterable of Tensor
        Parameters, in order.

    Raises
    ------
    TypeError
        Where `vec` is no tensor.
    RuntimeError
        For too few values.

    Examples
    --------
    >>> from quern import torch
    >>> w = torch.zeros(2)
    >>> torch.nn.utils.vector_to_parameters(torch.tensor([1.0, 2.0]), [w])
    >>> w
    tensor([1., 2.])
    """
    if not isinstance(vec, torch.Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    at = 0
    for p in parameters:
        p.data = vec[at : at + p.numel()].view_as(p).data
        at += p.numel()
