"""Weights over their largest singular value, by a hook before the forward pass: the older form of parametrizations.spectral_norm."""

from quern.torch import _namespace as torch
from quern.torch.nn import functional as F  # noqa: N812
from quern.torch.nn.parameter import Parameter
from quern.torch.nn.utils.parametrizations import TRANSPOSED, as_matrix

__all__ = ["SpectralNorm", "remove_spectral_norm", "spectral_norm"]


class SpectralNorm:
    """Hook that divides the parameter ``name_orig`` by its largest singular value.

    Parameters
    ----------
    name : str, optional
        Name of the weight.
    n_power_iterations : int, optional
        Iterations before each forward pass while the module trains.
    dim : int, optional
        Dimension of the outputs.
    eps : float, optional
        Least length of vectors that are divided by their lengths.
    """

    _version = 1

    def __init__(self, name="weight", n_power_iterations=1, dim=0, eps=1e-12):
        if n_power_iterations <= 0:
            raise ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}")
        self.name, self.n_power_iterations, self.dim, self.eps = name, n_power_iterations, dim, eps

    def reshape_weight_to_matrix(self, weight):
        """Return the weight as a matrix."""
        return as_matrix(weight, self.dim)

    def compute_weight(self, module, do_power_iteration):
        """Return the weight, after iterations of the power method."""
        weight, u, v = (getattr(module, self.name + end) for end in ("_orig", "_u", "_v"))
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            with torch.no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(F.normalize(torch.mv(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(torch.mv(matrix, v), dim=0, eps=self.eps))
            u, v = u.clone(), v.clone()
        return weight / torch.dot(u, torch.mv(matrix, v))

    @staticmethod
    def apply(module, name, n_power_iterations, dim, eps):
        """Add the hook to a module."""
        if any(isinstance(hook, SpectralNorm) and hook.name == name for hook in module._forward_pre_hooks.values()):
            raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        hook = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        vectors = []
        with torch.no_grad():
            for size in as_matrix(weight, dim).shape:
                vectors.append(F.normalize(torch.empty(size, dtype=weight.dtype, device=weight.device).normal_(0, 1), dim=0, eps=eps))
        delattr(module, name)
        module.register_parameter(name + "_orig", weight)
        setattr(module, name, weight.data)
        module.register_buffer(name + "_u", vectors[0])
        module.register_buffer(name + "_v", vectors[1])
        module.register_forward_pre_hook(hook)
        module._register_state_dict_hook(_Version(hook))
        return hook

    def remove(self, module):
        """Make the weight a parameter again."""
        with torch.no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for end in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + end)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))


class _Version:
    """Hook that notes in a state_dict that it has both vectors."""

    def __init__(self, hook):
        self.hook = hook

    def __call__(self, module, state_dict, prefix, local_metadata):
        local_metadata.setdefault("spectral_norm", {})[self.hook.name + ".version"] = SpectralNorm._version


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divide a weight by its largest singular value, by a hook; ``parametrizations.spectral_norm`` is the newer form.

    Parameters
    ----------
    module : Module
        Module with the weight.
    name : str, optional
        Name of the weight.
    n_power_iterations : int, optional
        Iterations before each forward pass while the module trains.
    eps : float, optional
        Least length of vectors that are divided by their lengths.
    dim : int, optional
        Dimension of the outputs: 1 of transposed convolutions, else 0.

    Returns
    -------
    Module
        The module.

    Raises
    ------
    RuntimeError
        For a weight that has such a hook.
    ValueError
        For no iterations.

    Examples
    --------
    >>> from quern import torch
    >>> layer = torch.nn.utils.spectral_norm(torch.nn.Linear(3, 2))
    >>> layer.weight_u.shape
    torch.Size([2])
    """
    if dim is None:
        dim = 1 if isinstance(module, TRANSPOSED) else 0
    SpectralNorm.apply(module, name, n_power_iterations, dim, eps)
    return module


def remove_spectral_norm(module, name="weight"):
    """Make a weight with a hook of :func:`spectral_norm` a parameter again.

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
    >>> layer = torch.nn.utils.remove_spectral_norm(torch.nn.utils.spectral_norm(torch.nn.Linear(3, 2)))
    >>> [name for name, _ in layer.named_parameters()]
    ['bias', 'weight']
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            break
    else:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    for key, hook in module._state_dict_hooks.items():
        if isinstance(hook, _Version) and hook.hook.name == name:
            del module._state_dict_hooks[key]
            break
    return module
