"""All parameters as one vector, and back."""

from quern.torch import _namespace as torch


def parameters_to_vector(parameters):
    """The elements of all parameters, one after the other."""
    return torch.cat([p.reshape(-1) for p in parameters])


def vector_to_parameters(vec, parameters):
    """Gives parameters the values of a vector, in which they lie one after the other."""
    if not isinstance(vec, torch.Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    at = 0
    for p in parameters:
        p.data = vec[at : at + p.numel()].view_as(p).data
        at += p.numel()
