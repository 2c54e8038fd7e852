"""Calls of modules with other parameters and buffers than their own."""

import contextlib

from quern.torch import _namespace as torch
from quern.user_files import warn_user

__all__ = ["functional_call"]


def functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """Return the module's result with other tensors in place of its parameters and buffers; ``torch.func`` has the newer form.

    Parameters
    ----------
    module : Module
        Module to call.
    parameters_and_buffers : dict of str and Tensor
        Tensors by their names in the module.
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
        Result of the call.

    Examples
    --------
    >>> from quern import torch
    >>> layer = torch.nn.Linear(2, 1, bias=False)
    >>> torch.nn.utils.stateless.functional_call(layer, {"weight": torch.ones(1, 2)}, torch.ones(2))
    tensor([2.])
    """
    warn_user(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future version of PyTorch. "
        "Please use `torch.func.functional_call` instead which is a drop-in replacement.",
        FutureWarning,
    )
    return call_with(module, parameters_and_buffers, args, kwargs, tie_weights, strict)


def call_with(module, tensors, args, kwargs, tie_weights, strict):
    """The module's result with other tensors, by their names."""
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    for tensor in tensors.values():
        if not isinstance(tensor, torch.Tensor) and tensor is not None:
            raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    with contextlib.ExitStack() as stack:
        for name, tensor in _with_ties(module, tensors, tie_weights, strict).items():
            owner, kept = _place_of(module, name)
            if kept is None:  # an unknown name, which `strict` alone refuses
                continue
            stack.enter_context(_replaced(owner, kept, name.rpartition(".")[2], tensor))
        return module(*args, **(kwargs or {}))


def _own(module):
    """Names with their tensors; one tensor may have several names."""
    return {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }


def _with_ties(module, tensors, tie_weights, strict):
    own = _own(module)
    if strict:
        unknown, missing = sorted(tensors.keys() - own.keys()), sorted(own.keys() - tensors.keys())
        given = {id(own[name]) for name in tensors if name in own}
        missing = [name for name in missing if not (tie_weights and id(own[name]) in given)]
        said = [f"Unexpected key(s): {', '.join(map(repr, unknown))}."] * bool(unknown)
        said += [f"Missing key(s): {', '.join(map(repr, missing))}."] * bool(missing)
        if said:
            raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:\n\t" + "\n\t".join(said))
    if not tie_weights:
        return dict(tensors)
    result, by_tensor = dict(tensors), {}
    for name, tensor in tensors.items():
        if name in own:
            first = by_tensor.setdefault(id(own[name]), (name, tensor))
            if first[1] is not tensor:
                names = sorted(other for other in own if own[other] is own[name])
                raise ValueError(
                    f"functional_call got multiple values for keys {names}, which are tied. Consider using tie_weights=False"
                )
    for name, tensor in own.items():
        if id(tensor) in by_tensor:
            result.setdefault(name, by_tensor[id(tensor)][1])
    return result


def _place_of(module, name):
    """The module that has a tensor, and its dictionary of them."""
    path, _, last = name.rpartition(".")
    with contextlib.suppress(AttributeError):
        owner = module.get_submodule(path) if path else module
        for kept in (owner._parameters, owner._buffers):
            if last in kept:
                return owner, kept
    return None, None


@contextlib.contextmanager
def _replaced(owner, kept, name, tensor):
    before = kept[name]
    kept[name] = tensor
    try:
        yield
    finally:
        kept[name] = before
