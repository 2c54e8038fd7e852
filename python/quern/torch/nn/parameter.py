"""The tensors that a module owns: parameters, which are trained, and buffers, which are kept beside them."""

from collections import OrderedDict

from quern.torch import _namespace as torch
from quern.torch._core import attributes_of


class Parameter(torch.Tensor):
    """Tensor that is trained: assigned to an attribute of a module, it becomes one of the module's parameters.

    Parameters
    ----------
    data : Tensor, optional
        Values; the parameter shares their memory. None makes an empty one.
    requires_grad : bool, optional
        Whether it requires gradients.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.Parameter(torch.ones(3)).requires_grad
    True
    """

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = torch.empty(0)
        if not isinstance(data, torch.Tensor):
            name = type(data).__name__
            raise AttributeError(f"{name!r} object has no attribute 'detach'; parameters need a tensor, as of torch.tensor()")
        return torch.Tensor._make_subclass(cls, data, requires_grad)

    def __init__(self, *args, **kwargs):
        pass

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        result = type(self)(self.data.clone(), self.requires_grad)  # without its gradient, as PyTorch's
        memo[id(self)] = result
        return result

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()

    __str__ = __repr__

    def __reduce_ex__(self, proto):
        return _rebuild_parameter, (self.data, self.requires_grad, OrderedDict()), attributes_of(self)


def _rebuild_parameter(data, requires_grad, backward_hooks):
    """A parameter from what pickle kept of it."""
    return Parameter(data, requires_grad)


class _BufferType(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, torch.Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(metaclass=_BufferType):
    """Tensor that is moved and saved with a module but not trained: assigned to an attribute, it becomes one of the module's buffers.

    Parameters
    ----------
    data : Tensor, optional
        Values; the buffer shares their memory. None makes an empty one.
    persistent : bool, optional
        Whether the module's ``state_dict()`` contains it.

    Examples
    --------
    >>> from quern import torch
    >>> module = torch.nn.Module()
    >>> module.mean = torch.nn.Buffer(torch.zeros(2))
    >>> list(module.state_dict())
    ['mean']
    """

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = torch.empty(0)
        result = data.detach().requires_grad_(data.requires_grad)
        result.persistent = persistent
        result._is_buffer = True
        return result


class UninitializedParameter(Parameter):
    """Parameter whose shape is not known yet: that of a lazy layer before its first call.

    Parameters
    ----------
    requires_grad : bool, optional
        Whether it requires gradients.
    device : Device or str, optional
        Device of the values; None is the current one.
    dtype : dtype, optional
        Dtype of the values; None is the default floating-point dtype.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.LazyLinear(2).weight
    <UninitializedParameter>
    """

    cls_to_become = Parameter

    def __new__(cls, requires_grad=True, device=None, dtype=None):
        return torch.Tensor._make_subclass(cls, torch.empty(0, device=device, dtype=dtype), requires_grad)

    def materialize(self, shape, device=None, dtype=None):
        """Give the parameter a shape; its values are arbitrary."""
        self.data = torch.empty(shape, device=device or self.data.device, dtype=dtype or self.data.dtype)
        self.__class__ = self.cls_to_become

    @property
    def shape(self):
        """Raises RuntimeError: the shape is known after the first call of the layer."""
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in `load_state_dict` when trying"
            " to load an uninitialized parameter into an initialized one. Call `forward` to initialize the parameters before accessing"
            " their attributes."
        )

    def numel(self):
        """Raises ValueError: the shape is known after the first call of the layer."""
        raise ValueError(
            "Attempted to use an uninitialized parameter in numel(). Call the lazy layer with an input, which gives its parameters their"
            " shapes, before you count them or hand them to functions"
        )

    def __repr__(self):
        return f"<{type(self).__name__}>"

    __str__ = __repr__


class UninitializedBuffer:
    """Raises NotImplementedError: buffers of lazy layers are made at the first call."""

    def __new__(cls, *args, **kwargs):
        raise NotImplementedError("[torch.nn.UninitializedBuffer] uninitialized buffers are not supported; pass the size")


def is_lazy(param):
    """Return whether a parameter has no shape yet."""
    return isinstance(param, UninitializedParameter)
