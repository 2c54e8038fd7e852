"""Memory formats: the order of a tensor's dimensions in memory, for functions with ``memory_format=`` that copy or create."""

from quern.torch import _types
from quern.torch._arguments import checked
from quern.torch._core import Tensor

_ORDERS = {"channels_last": (0, 2, 3, 1), "channels_last_3d": (0, 2, 3, 4, 1)}
_CONTIGUOUS, _PRESERVED = _types.FORMATS["contiguous_format"], _types.FORMATS["preserve_format"]


def order_of(memory_format, rank, name):
    """Return the dimensions from the outermost to the innermost in memory; None: in C order."""
    if not isinstance(memory_format, _types.memory_format):
        raise TypeError(f"{name}(): argument 'memory_format' must be torch.memory_format, not {type(memory_format).__name__}")
    order = _ORDERS.get(memory_format._name)
    if order is not None and len(order) != rank:
        raise RuntimeError(f"required rank {len(order)} tensor to use {memory_format._name} format")
    return order


def is_laid(tensor, memory_format):
    """Return whether the elements lie in a memory format's order without gaps."""
    order = _ORDERS.get(memory_format._name) if isinstance(memory_format, _types.memory_format) else None
    if order is None:
        return tensor._contiguous[0]
    return len(order) == tensor._rank and tensor._is_channels_last


def suggested(tensor):
    """Return the memory format that a tensor's strides suggest."""
    if not tensor._suggests_channels_last:
        return _CONTIGUOUS
    return _types.FORMATS["channels_last" if tensor._rank == 4 else "channels_last_3d"]


def in_rows(tensor):
    """Return a copy in C order, through which gradients pass."""
    return tensor._astype(tensor._dtype_name, "C")


def _permuted(tensor, order, function):
    """Apply a function to a tensor whose dimensions are in an order, and put the dimensions of its result back."""
    return function(tensor.permute(order)).permute([order.index(d) for d in range(len(order))])


def copied(tensor, memory_format, dtype, name):
    """Return a copy in a memory format, through which gradients pass."""
    if memory_format is None or memory_format is _PRESERVED:
        return tensor._astype(dtype, "K")
    order = order_of(memory_format, tensor._rank, name)
    if order is None:
        return tensor._astype(dtype, "C")
    return _permuted(tensor, order, lambda x: x._astype(dtype, "C"))


def converted(tensor, dtype, memory_format, copy=False):
    """Return a tensor of a dtype in a memory format; the tensor itself where it is one and no copy is asked for."""
    if dtype == tensor._dtype_name and not copy:
        if memory_format is None or memory_format is _PRESERVED:
            return tensor
        order_of(memory_format, tensor._rank, "to")
        if suggested(tensor) is memory_format and is_laid(tensor, memory_format):
            return tensor
    return copied(tensor, memory_format, dtype, "to")


def created(make, like, memory_format, name):
    """Return what ``make(sizes)`` creates in C order, laid out as a memory format says; preserve_format: as ``like``."""
    if memory_format is None or memory_format is _PRESERVED:
        order = None if like._contiguous[0] else _order_in_memory(like)
    else:
        order = order_of(memory_format, like._rank, name)
    if order is None:
        return make(list(like._shape))
    return make([like._shape[d] for d in order]).permute([order.index(d) for d in range(len(order))])


def _order_in_memory(tensor):
    strides = tensor.stride()
    if 0 in strides:  # a repeated dimension has the place that a copy gives it
        strides = tensor._astype(tensor._dtype_name, "K").stride()
    return sorted(range(tensor._rank), key=lambda d: (-strides[d], -tensor._shape[d] if tensor._shape[d] == 1 else 0))


@checked
def contiguous(self, *, memory_format=_CONTIGUOUS):
    """Return the tensor with its elements in a memory format without gaps; the tensor itself where they are.

    Parameters
    ----------
    memory_format : memory_format, optional
        Order of the dimensions in memory, such as ``torch.channels_last``.

    Returns
    -------
    Tensor
        Shape and dtype of the tensor.

    Examples
    --------
    >>> from quern import torch
    >>> torch.ones(2, 3).t().contiguous().stride()
    (2, 1)
    """
    if memory_format is _CONTIGUOUS:
        return self._in_order("C")
    if is_laid(self, memory_format):
        return self
    if memory_format is _PRESERVED:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return copied(self, memory_format, self._dtype_name, "contiguous")


@checked
def clone(input, *, memory_format=_PRESERVED):
    """Return a copy, through which gradients pass.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    memory_format : memory_format, optional
        Order of the dimensions in memory; ``torch.preserve_format`` keeps that of `input`.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Examples
    --------
    >>> from quern import torch
    >>> a = torch.zeros(2)
    >>> b = a.clone().fill_(1)
    >>> a
    tensor([0., 0.])
    """
    return copied(input, memory_format, input._dtype_name, "clone")


def is_contiguous(self, memory_format=_CONTIGUOUS):
    """Do the elements lie without gaps in C order, or in a memory format's order?"""
    return is_laid(self, memory_format)


Tensor.is_contiguous = is_contiguous
