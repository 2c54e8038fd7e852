"""The state of a module as a dictionary of tensors, out and in."""

import itertools
from collections import OrderedDict, namedtuple

from quern.torch import _namespace as torch
from quern.torch.nn.modules import _hooks
from quern.torch.nn.parameter import Parameter

EXTRA = "_extra_state"  # the key of what get_extra_state() gives


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    __slots__ = ()

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class _PreHook:
    """A hook of load_state_dict that gets the module first, if it asked for that."""

    def __init__(self, hook, module):
        self.hook = hook
        self.module = module

    def __call__(self, *args):
        return self.hook(*args) if self.module is None else self.hook(self.module, *args)


class State:
    """state_dict(), load_state_dict() and their hooks: a part of Module."""

    def get_extra_state(self):
        """What a module wants in its state_dict beside tensors; modules that have any define this and set_extra_state()."""
        raise RuntimeError("get_extra_state() is called, but this module defines none")

    def set_extra_state(self, state):
        """Restore what ``get_extra_state()`` returned; modules with such a state define both."""
        raise RuntimeError("Reached a code path in Module.set_extra_state() that should never be called: the module defines none")

    # ---- out

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """Return the parameters and persistent buffers of this module and of all modules inside.

        Parameters
        ----------
        destination : dict, optional
            Dictionary to which they are added; None makes a new one.
        prefix : str, optional
            Beginning of the names.
        keep_vars : bool, optional
            Whether to return the tensors themselves; by default detached tensors that share their memory.

        Returns
        -------
        OrderedDict
            Tensors by their names, with dots; the attribute `_metadata` has versions of the modules.

        Examples
        --------
        >>> from quern import torch
        >>> torch.nn.Linear(2, 1, bias=False).state_dict().keys()
        odict_keys(['weight'])
        """
        if args:  # the order that they had when they were not named
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and prefix == "" else prefix
            keep_vars = args[2] if len(args) > 2 and keep_vars is False else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=prefix + name + ".", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            result = hook(self, destination, prefix, local_metadata)
            if getattr(hook, "_from_public_api", False):
                if result is not None:
                    raise RuntimeError("state_dict post-hook must return None")
            elif result is not None:
                destination = result
        return destination

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        """Adds this module's own tensors; modules that keep their state in other ways override it."""
        for name, param in self._parameters.items():
            if param is not None:
                destination[prefix + name] = param if keep_vars else param.detach()
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buffer if keep_vars else buffer.detach()
        if type(self).get_extra_state is not State.get_extra_state:
            destination[prefix + EXTRA] = self.get_extra_state()

    def register_state_dict_pre_hook(self, hook):
        """Register a function that is called before :meth:`state_dict`.

        Parameters
        ----------
        hook : callable
            ``hook(module, prefix, keep_vars)``.

        Returns
        -------
        RemovableHandle
            Handle whose method `remove()` removes the hook.
        """
        return _hooks.add(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook):
        """Register a function that is called after :meth:`state_dict`.

        Parameters
        ----------
        hook : callable
            ``hook(module, state_dict, prefix, local_metadata)``, which may change the dictionary.

        Returns
        -------
        RemovableHandle
            Handle whose method `remove()` removes the hook.
        """
        hook._from_public_api = True
        return _hooks.add(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook):
        """The same for a hook that may return another dictionary."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError("Cannot register the same function as the state dict post hook that was previously registered")
        return _hooks.add(self._state_dict_hooks, hook)

    # ---- in

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Copy the tensors of a dictionary into this module and the modules inside.

        Parameters
        ----------
        state_dict : dict
            Tensors by name, as :meth:`state_dict` returns them.
        strict : bool, optional
            Whether the names must be exactly those of :meth:`state_dict`.
        assign : bool, optional
            Whether the module takes the tensors themselves instead of copying their values.

        Returns
        -------
        namedtuple
            Lists `missing_keys` and `unexpected_keys`.

        Raises
        ------
        RuntimeError
            For other names, if `strict`, or other shapes.

        Examples
        --------
        >>> from quern import torch
        >>> a, b = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
        >>> b.load_state_dict(a.state_dict())
        <All keys matched successfully>
        """
        if not isinstance(state_dict, dict) and not hasattr(state_dict, "keys"):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing, unexpected, messages = [], [], []
        metadata = getattr(state_dict, "_metadata", None)
        state_dict = OrderedDict(state_dict)
        if metadata is not None:
            state_dict._metadata = metadata

        def load(module, local, prefix=""):
            local_metadata = {} if metadata is None else metadata.get(prefix[:-1], {})
            if assign:
                local_metadata["assign_to_params_buffers"] = True
            module._load_from_state_dict(local, prefix, local_metadata, True, missing, unexpected, messages)
            for name, child in module._modules.items():
                if child is not None:
                    inner = prefix + name + "."
                    load(child, {k: v for k, v in local.items() if k.startswith(inner)}, inner)
            keys = _IncompatibleKeys(missing, unexpected)
            for hook in module._load_state_dict_post_hooks.values():
                if hook(module, keys) is not None:
                    raise AssertionError(
                        "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values; "
                        "they change incompatible_keys in place."
                    )

        load(self, state_dict)
        if strict:
            if unexpected:
                messages.insert(0, "Unexpected key(s) in state_dict: {}. ".format(", ".join(f'"{k}"' for k in unexpected)))
            if missing:
                messages.insert(0, "Missing key(s) in state_dict: {}. ".format(", ".join(f'"{k}"' for k in missing)))
        if messages:
            raise RuntimeError("Error(s) in loading state_dict for {}:\n\t{}".format(self.__class__.__name__, "\n\t".join(messages)))
        return _IncompatibleKeys(missing, unexpected)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        """Takes this module's own tensors; modules that keep their state in other ways override it."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        persistent = ((k, v) for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set)
        own = {k: v for k, v in itertools.chain(self._parameters.items(), persistent) if v is not None}
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, tensor in own.items():
            key = prefix + name
            if key in state_dict:
                self._take(name, tensor, key, state_dict[key], assign, error_msgs)
            elif strict:
                missing_keys.append(key)

        extra = prefix + EXTRA
        if type(self).set_extra_state is not State.set_extra_state:
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra:
                    name, dot, _ = key[len(prefix) :].partition(".")
                    if name not in own if not dot else name not in self._modules:
                        unexpected_keys.append(key)

    def _take(self, name, tensor, key, value, assign, error_msgs):
        """One tensor, copied or taken; errors are added to ``error_msgs``."""
        if not isinstance(value, torch.Tensor):
            error_msgs.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint but '
                f"received {type(value)}"
            )
            return
        if tensor.dim() == 0 and value.dim() == 1 and value.shape[0] == 1:
            value = value[0]  # numbers were kept so
        if value.shape != tensor.shape:
            error_msgs.append(
                f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
                f"the shape in current model is {tensor.shape}."
            )
            return
        try:
            with torch.no_grad():
                if not assign:
                    tensor.copy_(value)
                    return
                if isinstance(tensor, Parameter):
                    if not isinstance(value, Parameter):
                        value = Parameter(value, requires_grad=tensor.requires_grad)
                    else:
                        value.requires_grad_(tensor.requires_grad)
                setattr(self, name, value)
        except Exception as error:
            error_msgs.append(
                f'While {"assigning" if assign else "copying"} the parameter named "{key}", '
                f"whose dimensions in the model are {tensor.size()} and whose dimensions in the checkpoint are {value.size()}, "
                f"an exception occurred : {error.args}."
            )

    def register_load_state_dict_pre_hook(self, hook):
        """Register a function that is called before :meth:`load_state_dict`.

        Parameters
        ----------
        hook : callable
            ``hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)``.

        Returns
        -------
        RemovableHandle
            Handle whose method `remove()` removes the hook.
        """
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        return _hooks.add(self._load_state_dict_pre_hooks, _PreHook(hook, self if with_module else None))

    def register_load_state_dict_post_hook(self, hook):
        """Register a function that is called after :meth:`load_state_dict`.

        Parameters
        ----------
        hook : callable
            ``hook(module, incompatible_keys)``, which may change the lists of names.

        Returns
        -------
        RemovableHandle
            Handle whose method `remove()` removes the hook.
        """
        return _hooks.add(self._load_state_dict_post_hooks, hook)
