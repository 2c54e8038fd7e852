"""torch.func: calls of modules with other parameters. Function transforms (grad, vmap, jacrev) are not supported."""

from quern.torch.nn.utils.stateless import call_with

__all__ = ["functional_call"]

_TRANSFORMS = frozenset("""debug_unwrap functionalize grad grad_and_value hessian jacfwd jacrev jvp linearize
    replace_all_batch_norm_modules_ stack_module_state vjp vmap""".split())


def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """Return the module's result with other tensors in place of its parameters and buffers.

    Parameters
    ----------
    module : Module
        Module to call.
    parameter_and_buffer_dicts : dict of str and Tensor, or sequence of dict
        Tensors by their names in the module; dictionaries with different names.
    args : object or tuple, optional
        Positional arguments; another object than a tuple is the only one.
    kwargs : dict, optional
        Keyword arguments.
    tie_weights : bool, optional
        Whether a tensor replaces all uses of a parameter that the module has under several names.
    strict : bool, optional
        Whether names that are missing or unknown are errors.

    Returns
    -------
    object
        Result of the call, with gradients to the tensors.

    Raises
    ------
    ValueError
        For a name in several dictionaries, or different tensors for one parameter.
    RuntimeError
        With `strict`, for missing or unknown names.

    Examples
    --------
    >>> from quern import torch
    >>> layer = torch.nn.Linear(2, 1, bias=False)
    >>> torch.func.functional_call(layer, {"weight": torch.ones(1, 2)}, torch.ones(2))
    tensor([2.])
    """
    if not isinstance(parameter_and_buffer_dicts, dict):
        given, parameter_and_buffer_dicts = parameter_and_buffer_dicts, {}
        if not all(isinstance(one, dict) for one in given):
            raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
        for one in given:
            repeated = sorted(parameter_and_buffer_dicts.keys() & one.keys())
            if repeated:
                raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
            parameter_and_buffer_dicts |= one
    return call_with(module, parameter_and_buffer_dicts, args, kwargs, tie_weights, strict)


def __getattr__(name):
    if name in _TRANSFORMS:
        raise AttributeError(
            f"[torch.func.{name}] function transforms are not supported yet; use torch.autograd.grad or torch.autograd.functional"
        )
    raise AttributeError(f"module 'torch.func' has no attribute '{name}'", name=name)
