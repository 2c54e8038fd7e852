"""torch.autograd.Variable, which older programs make of tensors."""

from quern.torch._core import Tensor
from quern.torch._creation import empty


class VariableMeta(type):
    """Makes tensors: every tensor is a Variable."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor)

    def __call__(cls, data=None, requires_grad=False, volatile=False):
        if data is not None and not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        made = empty(0) if data is None else data.detach()
        return made.requires_grad_(requires_grad)


class Variable(metaclass=VariableMeta):
    """``Variable(tensor, requires_grad=False)``: a tensor that shares the memory of ``tensor``; ``volatile`` is ignored.

    Parameters
    ----------
    data : Tensor
        Tensor.
    requires_grad : bool, optional
        Whether it records gradients.
    volatile : bool, optional
        Accepted for compatibility.

    Examples
    --------
    >>> from quern import torch
    >>> torch.autograd.Variable(torch.ones(2), requires_grad=True)
    tensor([1., 1.], requires_grad=True)
    """
