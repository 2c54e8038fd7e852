"""Layers that take the size of their inputs from the first call; until then their parameters have no shape. Start at LazyModuleMixin."""

from quern.torch.nn.modules.batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from quern.torch.nn.modules.conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from quern.torch.nn.modules.instancenorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from quern.torch.nn.modules.linear import Linear
from quern.torch.nn.modules.module import Module
from quern.torch.nn.parameter import UninitializedParameter, is_lazy


class LazyModuleMixin(Module):
    """Part of lazy layers: the first call gives the parameters their shapes, and the layer the class without "Lazy".

    Examples
    --------
    >>> from quern import torch
    >>> layer = torch.nn.LazyLinear(2)
    >>> layer(torch.ones(1, 3)).shape, layer
    (torch.Size([1, 2]), Linear(in_features=3, out_features=2, bias=True))
    """

    cls_to_become = None
    _size_name = ""  # of the attribute with the size of the inputs

    def _without_size(self, placeholder, *args, **kwargs):
        """Makes the layer for inputs of a size that stands for the unknown one, without shapes of its parameters."""
        self.cls_to_become.__init__(self, placeholder, *args, **kwargs)
        setattr(self, self._size_name, 0)
        self._given = args, kwargs
        for name, parameter in self._parameters.items():
            if parameter is not None:
                self._parameters[name] = UninitializedParameter(device=parameter.device, dtype=parameter.dtype)
        self._first = self.register_forward_pre_hook(LazyModuleMixin._start)
        self._before_load = self._register_load_state_dict_pre_hook(self._take_shapes)

    def has_uninitialized_params(self):
        """Return whether parameters have no shape yet."""
        return any(is_lazy(parameter) for parameter in self._parameters.values())

    def _size_of(self, input):
        return input.shape[1]

    def initialize_parameters(self, input):
        """Give the parameters their shapes and values for an input."""
        if self.has_uninitialized_params():
            self._give_size(self._size_of(input))
        else:  # values were loaded
            setattr(self, self._size_name, self._size_of(input))

    def _give_size(self, size):
        args, kwargs = self._given
        made = self.cls_to_become(size, *args, **kwargs)
        for name, parameter in made._parameters.items():
            if parameter is not None:
                old = self._parameters[name]
                old.materialize(parameter.shape)
                old.data = parameter.data.to(device=old.device, dtype=old.dtype)
        for name, buffer in made._buffers.items():
            old = self._buffers[name]
            self._buffers[name] = buffer if old is None or buffer is None else buffer.to(device=old.device)
        setattr(self, self._size_name, size)

    def _become(self):
        self._first.remove()
        self._before_load.remove()
        for name in ("_first", "_before_load", "_given"):
            self.__dict__.pop(name)
        self.__class__ = self.cls_to_become

    @staticmethod
    def _start(module, inputs):
        module.initialize_parameters(*inputs)
        module._become()

    def _take_shapes(self, state_dict, prefix, *others):
        """Before values are loaded: the parameters and running values get their shapes."""
        for name, buffer in self._buffers.items():
            key = prefix + name
            if buffer is not None and key in state_dict and state_dict[key].shape != buffer.shape:
                self._buffers[name] = buffer.new_empty(state_dict[key].shape)
        for name, parameter in self._parameters.items():
            key = prefix + name
            if is_lazy(parameter) and key in state_dict and not is_lazy(state_dict[key]):
                parameter.materialize(state_dict[key].shape)


class LazyLinear(LazyModuleMixin, Linear):
    """Linear layer that takes `in_features` from the first input.

    Parameters
    ----------
    out_features : int
        Size of the last dimension of the result.
    bias : bool, optional
        Whether to add a bias.
    device : Device or str, optional
        Device of the parameters; None is the current one.
    dtype : dtype, optional
        Dtype of the parameters; None is the default floating-point dtype.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.LazyLinear(4)(torch.ones(2, 3)).shape
    torch.Size([2, 4])
    """

    cls_to_become = Linear
    _size_name = "in_features"

    def __init__(self, out_features, bias=True, device=None, dtype=None):
        self._without_size(1, out_features, bias, device=device, dtype=dtype)

    def _size_of(self, input):
        return input.shape[-1]


class _LazyConv(LazyModuleMixin):
    _size_name = "in_channels"

    def _size_of(self, input):
        axes = len(self.kernel_size)
        if input.dim() not in (axes + 1, axes + 2):
            raise RuntimeError(
                f"Expected {axes + 1}D (unbatched) or {axes + 2}D (batched) input to {type(self).__name__}, but got input of size:"
                f" {tuple(input.shape)}"
            )
        return input.shape[-axes - 1]


def _conv_doc(name, plain):
    return f"""{plain} layer that takes `in_channels` from the first input.

    Parameters
    ----------
    out_channels : int
        Number of channels of the result.
    kernel_size : int or tuple
        Size of the kernel.
    *args : object
        Further arguments of :class:`{plain}`.
    **kwargs : object
        Keyword arguments of :class:`{plain}`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.{name}(4, 3).out_channels
    4
    """


class _LazyConvOfArguments(_LazyConv):
    def __init__(self, out_channels, kernel_size, *args, **kwargs):
        groups = kwargs.get("groups", args[self._groups_at] if len(args) > self._groups_at else 1)
        self._without_size(groups, out_channels, kernel_size, *args, **kwargs)

    _groups_at = 3


class LazyConv1d(_LazyConvOfArguments, Conv1d):  # noqa: D101
    __doc__ = _conv_doc("LazyConv1d", "Conv1d")
    cls_to_become = Conv1d


class LazyConv2d(_LazyConvOfArguments, Conv2d):  # noqa: D101
    __doc__ = _conv_doc("LazyConv2d", "Conv2d")
    cls_to_become = Conv2d


class LazyConv3d(_LazyConvOfArguments, Conv3d):  # noqa: D101
    __doc__ = _conv_doc("LazyConv3d", "Conv3d")
    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConvOfArguments, ConvTranspose1d):  # noqa: D101
    __doc__ = _conv_doc("LazyConvTranspose1d", "ConvTranspose1d")
    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvOfArguments, ConvTranspose2d):  # noqa: D101
    __doc__ = _conv_doc("LazyConvTranspose2d", "ConvTranspose2d")
    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvOfArguments, ConvTranspose3d):  # noqa: D101
    __doc__ = _conv_doc("LazyConvTranspose3d", "ConvTranspose3d")
    cls_to_become = ConvTranspose3d


def _norm_doc(name, plain):
    return f"""{plain} layer that takes `num_features` from the first input.

    Parameters
    ----------
    eps : float, optional
        Number that is added to the variance.
    momentum : float, optional
        Fraction by which the running values move towards those of a batch.
    affine : bool, optional
        Whether there are a weight and a bias.
    track_running_stats : bool, optional
        Whether evaluation uses running values.
    device : Device or str, optional
        Device of the parameters; None is the current one.
    dtype : dtype, optional
        Dtype of the parameters; None is the default floating-point dtype.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.{name}().num_features
    0
    """


class _LazyNorm(LazyModuleMixin):
    _size_name = "num_features"

    def __init__(self, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None):
        self._without_size(1, eps, momentum, affine, track_running_stats, device=device, dtype=dtype)

    def initialize_parameters(self, input):
        """Give the parameters and running values their shapes for an input."""
        if self.has_uninitialized_params() or not self.affine:
            self._give_size(self._size_of(input))
        else:
            setattr(self, self._size_name, self._size_of(input))


class LazyBatchNorm1d(_LazyNorm, BatchNorm1d):  # noqa: D101
    __doc__ = _norm_doc("LazyBatchNorm1d", "BatchNorm1d")
    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNorm, BatchNorm2d):  # noqa: D101
    __doc__ = _norm_doc("LazyBatchNorm2d", "BatchNorm2d")
    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNorm, BatchNorm3d):  # noqa: D101
    __doc__ = _norm_doc("LazyBatchNorm3d", "BatchNorm3d")
    cls_to_become = BatchNorm3d


class LazyInstanceNorm1d(_LazyNorm, InstanceNorm1d):  # noqa: D101
    __doc__ = _norm_doc("LazyInstanceNorm1d", "InstanceNorm1d")
    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNorm, InstanceNorm2d):  # noqa: D101
    __doc__ = _norm_doc("LazyInstanceNorm2d", "InstanceNorm2d")
    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNorm, InstanceNorm3d):  # noqa: D101
    __doc__ = _norm_doc("LazyInstanceNorm3d", "InstanceNorm3d")
    cls_to_become = InstanceNorm3d
