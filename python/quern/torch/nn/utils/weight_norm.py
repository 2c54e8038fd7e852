"""Weights as lengths and directions, by a hook before the forward pass: the older form of parametrizations.weight_norm."""

from quern.torch.nn.parameter import Parameter
from quern.torch.nn.utils.parametrizations import lengths_along, scaled_direction
from quern.user_files import warn_user

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]


class WeightNorm:
    """Hook that computes a weight of its parameters ``name_g`` and ``name_v``.

    Parameters
    ----------
    name : str
        Name of the weight.
    dim : int
        Dimension whose indices have a length each; None or -1: one length.
    """

    def __init__(self, name, dim):
        self.name, self.dim = name, -1 if dim is None else dim

    def compute_weight(self, module):
        """Return the weight."""
        return scaled_direction(getattr(module, self.name + "_v"), getattr(module, self.name + "_g"), self.dim)

    @staticmethod
    def apply(module, name, dim):
        """Add the hook to a module."""
        warn_user("`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.", FutureWarning)
        if any(isinstance(hook, WeightNorm) and hook.name == name for hook in module._forward_pre_hooks.values()):
            raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
        hook = WeightNorm(name, dim)
        weight = getattr(module, name)
        del module._parameters[name]
        module.register_parameter(name + "_g", Parameter(lengths_along(weight, hook.dim).data))
        module.register_parameter(name + "_v", Parameter(weight.data))
        setattr(module, name, hook.compute_weight(module))
        module.register_forward_pre_hook(hook)
        return hook

    def remove(self, module):
        """Make the weight a parameter again."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[self.name + "_g"], module._parameters[self.name + "_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module, name="weight", dim=0):
    """Make a weight the product of lengths and a direction, by a hook; ``parametrizations.weight_norm`` is the newer form.

    Parameters
    ----------
    module : Module
        Module with the weight.
    name : str, optional
        Name of the weight.
    dim : int, optional
        Dimension whose indices have a length each; None: one length of all elements.

    Returns
    -------
    Module
        The module.

    Raises
    ------
    RuntimeError
        For a weight that has such a hook.

    Examples
    --------
    >>> from quern import torch
    >>> layer = torch.nn.utils.weight_norm(torch.nn.Linear(3, 2))
    >>> layer.weight_g.shape
    torch.Size([2, 1])
    """
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module, name="weight"):
    """Make a weight with a hook of :func:`weight_norm` a parameter again.

    Parameters
    ----------
    module : Module
        Module with the weight.
    name : str, optional
        Name of the weight.

    Returns
    -------
    Module
        The module.

    Raises
    ------
    ValueError
        For a weight without such a hook.

    Examples
    --------
    >>> from quern import torch
    >>> layer = torch.nn.utils.remove_weight_norm(torch.nn.utils.weight_norm(torch.nn.Linear(3, 2)))
    >>> [name for name, _ in layer.named_parameters()]
    ['bias', 'weight']
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
