"""Tensors of modules that are computed from other tensors at each use: ``module.weight`` calls the parametrizations of `weight`.

Start reading at register_parametrization(). A parametrized module gets a class of its own, whose properties compute the tensors.
"""

import contextlib
import copy
from collections.abc import Sequence

from quern.torch import _namespace as torch
from quern.torch.nn.modules.container import ModuleDict, ModuleList
from quern.torch.nn.parameter import Parameter

__all__ = """ParametrizationList cached is_parametrized register_parametrization remove_parametrizations
    transfer_parametrizations_and_params type_before_parametrizations""".split()

_depth = 0  # of cached()
_kept = {}  # tensors by (id of the module, name)


@contextlib.contextmanager
def cached():
    """Return a context in which each parametrized tensor is computed once.

    Yields
    ------
    None
        Nothing.

    Examples
    --------
    >>> from quern import torch
    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 2))
    >>> with torch.nn.utils.parametrize.cached():
    ...     print(layer.weight is layer.weight)
    True
    """
    global _depth
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if not _depth:
            _kept.clear()


def _keep(module, name, tensor):
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _set(kept, value):
    """Gives a tensor other values without a new object."""
    with torch.no_grad():
        kept.data = value.detach()


def _same(what, before, after, names):
    """Raises ValueError where a parametrization changes the dtype or shape."""
    before_is, after_is = names
    for kind in ("dtype", "shape"):
        if getattr(before, kind) != getattr(after, kind):
            raise ValueError(
                f"{what.format(kind)}\n{before_is.format(kind)}: {getattr(before, kind)}\n{after_is.format(kind)}: {getattr(after, kind)}"
            )


class ParametrizationList(ModuleList):
    """Parametrizations of one tensor, applied one after another, with the tensor or tensors from which they compute it.

    Parameters
    ----------
    modules : sequence of Module
        Parametrizations, the first one applied first.
    original : Tensor
        Tensor of the module before it is parametrized.
    unsafe : bool, optional
        Whether dtype and shape may change.

    Raises
    ------
    ValueError
        For no modules, or ones that change the dtype or shape.

    Examples
    --------
    >>> from quern import torch
    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 2))
    >>> [name for name, _ in layer.parametrizations.weight.named_parameters()]
    ['original0', 'original1']
    """

    def __init__(self, modules, original, unsafe=False):
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        before = original.detach()
        new = self._originals_of(original)
        if not isinstance(new, torch.Tensor) and not isinstance(new, Sequence):
            raise ValueError(f"'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got {type(new).__name__}")
        self.is_tensor = isinstance(new, torch.Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            if original.dtype != new.dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {new.dtype}"
                )
            if new is not original:
                _set(original, new)
            _keep(self, "original", original)
        for i, one in enumerate(() if self.is_tensor else new):
            if not isinstance(one, torch.Tensor):
                raise ValueError(
                    "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                    f"Got element {i} of the sequence with type {type(one).__name__}."
                )
            one = Parameter(one, original.requires_grad) if isinstance(original, Parameter) else one
            _keep(self, f"original{i}", one.requires_grad_(original.requires_grad))
        if not unsafe:
            made = self()
            if not isinstance(made, torch.Tensor):
                raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
            what = "Registering a parametrization may not change the {} of the tensor, unless `unsafe` flag is enabled."
            _same(what, before, made, ("unparametrized {}", "parametrized {}"))

    def _originals_of(self, value):
        with torch.no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    with contextlib.suppress(NotImplementedError):
                        value = module.right_inverse(value)
        return value

    def right_inverse(self, value):
        """Assign a value: the originals become those from which it is computed."""
        with torch.no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
        if self.is_tensor:
            if not isinstance(value, torch.Tensor):
                raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
            if value.dtype != self.original.dtype:
                raise ValueError(
                    f"The tensor returned by `right_inverse` has dtype {value.dtype} while `original` has dtype {self.original.dtype}"
                )
            return _set(self.original, value)
        if not isinstance(value, Sequence):
            raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.")
        if len(value) != self.ntensors:
            raise ValueError(
                f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a sequence of length {len(value)}."
            )
        for i, one in enumerate(value):
            original = getattr(self, f"original{i}")
            if original.dtype != one.dtype:
                raise ValueError(
                    f"Tensor {i} returned by `right_inverse` has dtype {one.dtype} while `original{i}` has dtype {original.dtype}"
                )
            _set(original, one)

    def forward(self):
        """Compute the tensor."""
        given = (self.original,) if self.is_tensor else tuple(getattr(self, f"original{i}") for i in range(self.ntensors))
        first, *others = self
        value = first(*given)
        for module in others:
            value = module(value)
        return value


def _refuse_pickle(self):
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict(). See:\n"
        "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
        "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
    )


def _copied(self, memo):
    made = self.__new__(type(self))
    memo[id(self)] = made
    made.__dict__ = copy.deepcopy(self.__dict__, memo)
    return made


def _property(name):
    def get(self):
        make = self.parametrizations[name]
        if not _depth:
            return make()
        if (id(self), name) not in _kept:
            _kept[id(self), name] = make()
        return _kept[id(self), name]

    return property(get, lambda self, value: self.parametrizations[name].right_inverse(value))


def _use_class(module, base):
    """Gives the module a class with a property for each parametrized tensor, or the base where there is none."""
    names = list(module.parametrizations) if is_parametrized(module) else ()
    more = {name: _property(name) for name in names}
    if "__deepcopy__" not in dir(base):
        more["__deepcopy__"] = _copied
    module.__class__ = type(f"Parametrized{base.__name__}", (base,), {"__getstate__": _refuse_pickle, **more}) if names else base


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    """Compute a tensor of a module by another module at each use.

    Parameters
    ----------
    module : Module
        Module with the tensor.
    tensor_name : str
        Name of a parameter or buffer.
    parametrization : Module
        Function of the original tensor. A method ``right_inverse`` gives the originals of a tensor: one, or several, which are then
        the arguments.
    unsafe : bool, optional
        Whether dtype and shape may change.

    Returns
    -------
    Module
        The module.

    Raises
    ------
    ValueError
        For a name without a tensor, or a parametrization that changes the dtype or shape.

    Examples
    --------
    >>> from quern import torch
    >>> class Symmetric(torch.nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).mT
    >>> layer = torch.nn.Linear(3, 3)
    >>> _ = torch.nn.utils.parametrize.register_parametrization(layer, "weight", Symmetric())
    >>> torch.equal(layer.weight, layer.weight.T)
    True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_next(module, tensor_name, parametrization)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        made = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
        base = type_before_parametrizations(module)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            module.parametrizations = ModuleDict()
        module.parametrizations[tensor_name] = made
        _use_class(module, base)
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{tensor_name}'"
        )
    return module


def _check_next(module, name, parametrization):
    """Raises ValueError for a further parametrization that changes the dtype or shape."""
    before = getattr(module, name)
    after = parametrization(before)
    if not isinstance(after, torch.Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    what = "Registering a parametrization may not change the {} of the tensor, unless the `unsafe` flag is enabled."
    _same(what, before, after, (f"module.{name}.{{}}", f"parametrization(module.{name}).{{}}"))
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(after)
    except NotImplementedError:
        return
    if not isinstance(back, torch.Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    what = f"The tensor returned by parametrization.right_inverse must have the same {{}} as module.{name}, unless the `unsafe` flag"
    what += " is enabled."
    _same(what, before, back, (f"module.{name}.{{}}", "returned {}"))


def is_parametrized(module, tensor_name=None):
    """Return whether a module, or one of its tensors, is parametrized.

    Parameters
    ----------
    module : Module
        Module.
    tensor_name : str, optional
        Name of a tensor; without it, any one counts.

    Returns
    -------
    bool
        True for a parametrized one.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.utils.parametrize.is_parametrized(torch.nn.Linear(2, 2))
    False
    """
    made = getattr(module, "parametrizations", None)
    if not isinstance(made, ModuleDict):
        return False
    return len(made) > 0 if tensor_name is None else tensor_name in made


def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    """Make a parametrized tensor an ordinary parameter or buffer again.

    Parameters
    ----------
    module : Module
        Module with the tensor.
    tensor_name : str
        Name of the tensor.
    leave_parametrized : bool, optional
        Whether it keeps the computed values; otherwise it gets those of the original.

    Returns
    -------
    Module
        The module.

    Raises
    ------
    ValueError
        For a tensor that is not parametrized, or ``leave_parametrized=False`` with several originals.

    Examples
    --------
    >>> from quern import torch
    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 2))
    >>> layer = torch.nn.utils.parametrize.remove_parametrizations(layer, "weight")
    >>> type(layer.weight).__name__
    'Parameter'
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    made = module.parametrizations[tensor_name]
    if made.is_tensor:
        original = made.original
        if leave_parametrized:
            with torch.no_grad():
                _set(original, getattr(module, tensor_name))
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value.detach()) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a sequence of tensors."
        )
    base = type_before_parametrizations(module)
    del module.parametrizations[tensor_name]
    _use_class(module, base)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
    _keep(module, tensor_name, original)
    return module


def type_before_parametrizations(module):
    """Return the class of a module as it is without parametrizations.

    Parameters
    ----------
    module : Module
        Module.

    Returns
    -------
    type
        Its class.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.utils.parametrize.type_before_parametrizations(torch.nn.ReLU()).__name__
    'ReLU'
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module, to_module, tensor_name=None):
    """Give a module the parametrizations of another one, with their originals.

    Parameters
    ----------
    from_module : Module
        Module with parametrized tensors.
    to_module : Module
        Module that receives them.
    tensor_name : str, optional
        Name of one tensor; by default all parametrized ones.

    Returns
    -------
    Module
        The second module.

    Examples
    --------
    >>> from quern import torch
    >>> parametrize = torch.nn.utils.parametrize
    >>> first = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 2))
    >>> second = parametrize.transfer_parametrizations_and_params(first, torch.nn.Linear(2, 2))
    >>> torch.equal(first.weight, second.weight)
    True
    """
    names = () if not is_parametrized(from_module) else from_module.parametrizations if tensor_name is None else [tensor_name]
    for name in names:
        made = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for one in made:
            register_parametrization(to_module, name, one, unsafe=made.unsafe)
        for kept, tensor in [*made._parameters.items(), *made._buffers.items()]:
            setattr(to_module.parametrizations[name], kept, tensor)
    return to_module
