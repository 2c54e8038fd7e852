"""Hooks of modules: the handles that remove them, those of all modules, and the call of a module that has any."""

import itertools
import weakref
from collections import OrderedDict

from quern.torch import _namespace as torch
from quern.user_files import warn_user

_numbers = itertools.count()

# Hooks of all modules, by number.
all_pre = OrderedDict()
all_forward = OrderedDict()
all_always_called = OrderedDict()
all_with_kwargs = OrderedDict()
all_backward_pre = OrderedDict()
all_backward = OrderedDict()


class RemovableHandle:
    """Takes a hook out again, by ``remove()`` or at the end of a ``with`` block."""

    def __init__(self, hooks_dict, *, extra_dict=None):
        self.id = next(_numbers)
        self._dicts = [weakref.ref(hooks_dict)]
        if extra_dict is not None:
            extra = extra_dict if isinstance(extra_dict, list) else [extra_dict]
            self._dicts += [weakref.ref(d) for d in extra]

    def remove(self):
        """Takes the hook out; once is enough."""
        for reference in self._dicts:
            hooks = reference()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.remove()

    def __getstate__(self):
        return [reference() for reference in self._dicts], self.id

    def __setstate__(self, state):
        dicts, self.id = state
        self._dicts = [weakref.ref(OrderedDict() if d is None else d) for d in dicts]


def add(hooks, hook, prepend=False, marks=()):
    """Adds a hook and, in the dictionaries ``marks``, what is said about it; returns its handle."""
    handle = RemovableHandle(hooks, extra_dict=list(marks))
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    for mark in marks:
        mark[handle.id] = True
    return handle


def call(module, args, kwargs):
    """Calls a module that has hooks, or one of all while there are hooks of all modules."""
    d = module.__dict__
    pre, forward = d["_forward_pre_hooks"], d["_forward_hooks"]
    backward_pre, backward = d["_backward_pre_hooks"], d["_backward_hooks"]
    if not (pre or forward or backward_pre or backward):
        d.pop("_hooked", None)  # all were removed
        if not (all_pre or all_forward or all_backward_pre or all_backward):
            return module.forward(*args, **kwargs)
    called = set()  # those of the hooks that run always which did
    if not (forward or all_forward):
        return _call(module, args, kwargs, called)
    try:
        return _call(module, args, kwargs, called)
    except Exception:
        # The exception is what the caller gets: these hooks run, and what they raise or return is not used.
        for hooks, always, with_kwargs in (
            (all_forward, all_always_called, all_with_kwargs),
            (forward, d["_forward_hooks_always_called"], d["_forward_hooks_with_kwargs"]),
        ):
            for key, hook in hooks.items():
                if key in always and key not in called:
                    try:
                        hook(module, args, kwargs, None) if key in with_kwargs else hook(module, args, None)
                    except Exception as error:
                        warn_user(f"a forward hook with always_call=True raised {error!r}, which is not raised")
        raise


def _call(module, args, kwargs, called):
    d = module.__dict__
    with_kwargs = d["_forward_pre_hooks_with_kwargs"]
    for key, hook in [*all_pre.items(), *d["_forward_pre_hooks"].items()]:
        if key in with_kwargs:
            result = hook(module, args, kwargs)
            if result is not None:
                if not (isinstance(result, tuple) and len(result) == 2):
                    raise RuntimeError(f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {result}.")
                args, kwargs = result
        else:
            result = hook(module, args)
            if result is not None:
                args = result if isinstance(result, tuple) else (result,)

    around = None
    if all_backward or all_backward_pre or d["_backward_hooks"] or d["_backward_pre_hooks"]:
        from quern.torch.nn.modules import _backward_hooks

        before = [*all_backward_pre.values(), *d["_backward_pre_hooks"].values()]
        around = _backward_hooks.Around(module, [*all_backward.values(), *d["_backward_hooks"].values()], before)
        args = around.inputs(args)

    output = module.forward(*args, **kwargs)

    with_kwargs, always = d["_forward_hooks_with_kwargs"], d["_forward_hooks_always_called"]
    for key, hook in [*all_forward.items(), *d["_forward_hooks"].items()]:
        if key in always or key in all_always_called:
            called.add(key)
        if key in with_kwargs or key in all_with_kwargs:
            result = hook(module, args, kwargs, output)
        else:
            result = hook(module, args, output)
        if result is not None:
            output = result

    if around is not None:
        if isinstance(output, (torch.Tensor, tuple)):
            return around.outputs(output)
        warn_user(
            f"For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received {type(output)}",
        )
    return output
