"""The base of all optimizers: groups of parameters, their state, and hooks."""

import functools
import itertools
from collections import OrderedDict, defaultdict
from copy import deepcopy

from quern.lib import _engine
from quern.torch import _namespace as torch
from quern.torch._engine_steps import unless
from quern.torch.optim._state import as_tensor, counted, number_in
from quern.user_files import warn_user

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"]


class _Required:
    """Stands for an option that every group has to give."""

    def __repr__(self):
        return "<required parameter>"


required = _Required()

_pre_hooks = OrderedDict()  # of all optimizers' steps
_post_hooks = OrderedDict()


class RemovableHandle:
    """What a register function returns: ``remove()`` takes the hook away; as a context it does so at the end."""

    _count = itertools.count()

    def __init__(self, hooks):
        self.hooks = hooks
        self.id = next(RemovableHandle._count)

    def remove(self):
        """Takes the hook away; a second call does nothing."""
        self.hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()


def _register(hooks, hook, prepend=False):
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def register_optimizer_step_pre_hook(hook):
    """Register a function that is called before each step of every optimizer.

    Parameters
    ----------
    hook : callable
        ``hook(optimizer, args, kwargs)``.

    Returns
    -------
    RemovableHandle
        Handle whose method `remove()` removes the hook.
    """
    return _register(_pre_hooks, hook)


def register_optimizer_step_post_hook(hook):
    """Register a function that is called after each step of every optimizer.

    Parameters
    ----------
    hook : callable
        ``hook(optimizer, args, kwargs)``.

    Returns
    -------
    RemovableHandle
        Handle whose method `remove()` removes the hook.
    """
    return _register(_post_hooks, hook)


def _hooked(step):
    """A step() that calls the hooks, where there are any, and notes that it was called, which schedulers ask for.

    With it a round of the training loop is over: its work is submitted.
    """

    @functools.wraps(step)
    def hooked(self, *args, **kwargs):
        self._opt_called = True
        before, after = self._optimizer_step_pre_hooks, self._optimizer_step_post_hooks
        if self._in_step or not (before or after or _pre_hooks or _post_hooks):
            out = step(self, *args, **kwargs)
            if not self._in_step:
                _engine.end_round()
            return out
        self._in_step = True  # a step() called by a derived class's own is the same step
        try:
            args = (self, *args)
            for hook in [*_pre_hooks.values(), *before.values()]:
                new = hook(self, args, kwargs)
                if new is not None:
                    if not isinstance(new, tuple) or len(new) != 2:
                        raise RuntimeError(f"{hook} must return None or a tuple of (new_args, new_kwargs), but got {new}.")
                    args, kwargs = new
            out = step(*args, **kwargs)
            for hook in [*after.values(), *_post_hooks.values()]:
                hook(self, args, kwargs)
        finally:
            self._in_step = False
        _engine.end_round()
        return out

    return hooked


def _typename(x):
    if isinstance(x, torch.Tensor):
        return x.type()
    kind = type(x)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


class Optimizer:
    """Base class of optimizers: it keeps groups of parameters with their options, and a state for each parameter.

    A derived class defines ``step()``. Attributes are `param_groups`, a list of dicts; `state`, a dict by parameter;
    and `defaults`.

    Parameters
    ----------
    params : iterable of Tensor or of dict
        Tensors, pairs of a name and a tensor, or dicts with "params" and options of their own.
    defaults : dict
        Options of groups that do not have them.

    Raises
    ------
    TypeError
        Where `params` is one tensor.
    ValueError
        For an empty list of parameters.

    Examples
    --------
    >>> from quern import torch
    >>> issubclass(torch.optim.SGD, torch.optim.Optimizer)
    True
    """

    _opt_called = False
    _in_step = False

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "step" in cls.__dict__:
            cls.step = _hooked(cls.__dict__["step"])

    def __init__(self, params, defaults):
        self.defaults = defaults
        self._make_hooks()
        if isinstance(params, torch.Tensor):
            raise TypeError(
                f"params argument given to the optimizer should be an iterable of Tensors or dicts, but got {_typename(params)}"
            )
        self.state = defaultdict(dict)
        self.param_groups = []
        if isinstance(params, (set, frozenset)):
            warn_user(f"{_UNORDERED} This will be an error in a future release.", FutureWarning)
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _make_hooks(self):
        for name in ("step_pre", "step_post", "state_dict_pre", "state_dict_post", "load_state_dict_pre", "load_state_dict_post"):
            self.__dict__.setdefault(f"_optimizer_{name}_hooks", OrderedDict())

    def __getstate__(self):
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._make_hooks()

    def __repr__(self):
        groups = []
        for i, group in enumerate(self.param_groups):
            options = "".join(f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params")
            groups.append(f"\nParameter Group {i}\n{options}")
        return f"{type(self).__name__} ({''.join(groups)})"

    # ---- hooks

    def register_step_pre_hook(self, hook):
        """Register a function that is called before each step.

        Parameters
        ----------
        hook : callable
            ``hook(optimizer, args, kwargs)``; it returns None or new (args, kwargs).

        Returns
        -------
        RemovableHandle
            Handle whose method `remove()` removes the hook.
        """
        return _register(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook):
        """Register a function that is called after each step.

        Parameters
        ----------
        hook : callable
            ``hook(optimizer, args, kwargs)``.

        Returns
        -------
        RemovableHandle
            Handle whose method `remove()` removes the hook.
        """
        return _register(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook, prepend=False):
        """Register a function that is called before :meth:`state_dict`.

        Parameters
        ----------
        hook : callable
            ``hook(optimizer)``.
        prepend : bool, optional
            Whether the hook runs before the hooks that are registered already.

        Returns
        -------
        RemovableHandle
            Handle whose method `remove()` removes the hook.
        """
        return _register(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook, prepend=False):
        """Register a function that is called after :meth:`state_dict`.

        Parameters
        ----------
        hook : callable
            ``hook(optimizer, state_dict)``; it returns None or another dict.
        prepend : bool, optional
            Whether the hook runs before the hooks that are registered already.

        Returns
        -------
        RemovableHandle
            Handle whose method `remove()` removes the hook.
        """
        return _register(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend=False):
        """Register a function that is called before :meth:`load_state_dict`.

        Parameters
        ----------
        hook : callable
            ``hook(optimizer, state_dict)``; it returns None or another dict.
        prepend : bool, optional
            Whether the hook runs before the hooks that are registered already.

        Returns
        -------
        RemovableHandle
            Handle whose method `remove()` removes the hook.
        """
        return _register(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook, prepend=False):
        """Register a function that is called after :meth:`load_state_dict`.

        Parameters
        ----------
        hook : callable
            ``hook(optimizer)``.
        prepend : bool, optional
            Whether the hook runs before the hooks that are registered already.

        Returns
        -------
        RemovableHandle
            Handle whose method `remove()` removes the hook.
        """
        return _register(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    # ---- what programs call

    def zero_grad(self, set_to_none=True):
        """Remove the gradients of all parameters.

        Parameters
        ----------
        set_to_none : bool, optional
            True sets each `grad` to None, False to zeros.

        Examples
        --------
        >>> from quern import torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> x.sum().backward()
        >>> torch.optim.SGD([x]).zero_grad()
        >>> print(x.grad)
        None
        """
        for group in self.param_groups:
            if set_to_none:
                for p in _engine.forget_gradients(group["params"]):
                    p.grad = None
                continue
            for p in group["params"]:
                g = p.grad  # read once: another thread may replace it
                if g is None:
                    continue
                if g.grad_fn is not None:
                    g.detach_()
                else:
                    g.requires_grad_(False)
                g.zero_()

    def step(self, closure=None):
        """Update the parameters by their gradients; a derived class defines it.

        Parameters
        ----------
        closure : callable, optional
            Function that computes the loss again, with its gradients, and returns it.

        Returns
        -------
        object
            Result of `closure`, or None.
        """
        raise NotImplementedError

    def add_param_group(self, param_group):
        """Add a group of parameters, for instance of layers that are trained from now on.

        Parameters
        ----------
        param_group : dict
            "params", a tensor or an ordered collection of tensors or of pairs (name, tensor); and options of the group.

        Examples
        --------
        >>> from quern import torch
        >>> a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
        >>> optimizer = torch.optim.SGD([a], lr=0.1)
        >>> optimizer.add_param_group({"params": [b], "lr": 0.01})
        >>> [group["lr"] for group in optimizer.param_groups]
        [0.1, 0.01]
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(_UNORDERED)
        params = [params] if isinstance(params, torch.Tensor) else list(params)
        param_group["params"] = params
        if any(isinstance(p, tuple) for p in params):
            if not all(isinstance(p, tuple) for p in params):
                raise ValueError("all optimizer params should be with/without names. Some param names are missing")
            param_group["param_names"] = [name for name, _ in params]
            param_group["params"] = params = [p for _, p in params]
        for p in params:
            if not isinstance(p, torch.Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {_typename(p)}")
            if not (self.defaults.get("differentiable") or p.is_leaf or p.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        if len(set(map(id, params))) != len(params):
            warn_user(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
            )
        known = {id(p) for group in self.param_groups for p in group["params"]}
        if any(id(p) in known for p in params):
            raise ValueError("some parameters appear in more than one parameter group")
        if self.param_groups and ("param_names" in param_group) != ("param_names" in self.param_groups[0]):
            lacks = "without" if "param_names" in self.param_groups[0] else "with"
            raise ValueError(
                f"all optimizer param groups should be with/without names. cannot add param group {lacks} names to the optimizer"
            )
        self.param_groups.append(param_group)

    def state_dict(self):
        """Return the state as a dict that can be saved: "state", by the number of the parameter, and "param_groups".

        It contains the optimizer's own tensors. PyTorch's optimizer of the same name loads it, and the reverse.
        """
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        places, groups = {}, []
        for group in self.param_groups:
            packed = {name: value for name, value in group.items() if name != "params"}
            for p in group["params"]:
                places.setdefault(id(p), len(places))
            packed["params"] = [places[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {places[id(k)] if isinstance(k, torch.Tensor) else k: v for k, v in self.state.items()}
        out = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            new = hook(self, out)
            out = out if new is None else new
        return out

    def load_state_dict(self, state_dict):
        """Restore a state that :meth:`state_dict` returned.

        Parameters
        ----------
        state_dict : dict
            State of this optimizer, or of one with groups of the same sizes.

        Raises
        ------
        ValueError
            For groups of other sizes.

        Examples
        --------
        >>> from quern import torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> a, b = torch.optim.SGD([x], lr=0.1), torch.optim.SGD([x], lr=0.5)
        >>> b.load_state_dict(a.state_dict())
        >>> b.param_groups[0]["lr"]
        0.1
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            new = hook(self, state_dict)
            state_dict = state_dict if new is None else new
        saved = deepcopy(state_dict["param_groups"])
        groups = self.param_groups
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(groups, saved, strict=True)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")
        old = (i for group in saved for i in group["params"])
        params = dict(zip(old, (p for group in groups for p in group["params"]), strict=True))
        state = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in params:
                state[params[key]] = self._taken(params[key], value)
            else:
                state[key] = value
        for group, new in zip(groups, saved, strict=True):
            new["params"] = group["params"]
            if "param_names" in group and "param_names" not in new:
                new["param_names"] = group["param_names"]
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    def _taken(self, param, value, key=None):
        """A value of a loaded state in the parameter's type and on its device."""
        if isinstance(value, torch.Tensor):
            if key == "step":  # a count's type is not the parameter's
                return value
            return value.to(dtype=param.dtype, device=param.device) if param.is_floating_point() else value.to(device=param.device)
        if isinstance(value, dict):
            return {k: self._taken(param, v, k) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(self._taken(param, v, key) for v in value)
        return value


_UNORDERED = (
    "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets will change between runs. "
    "Please use a list instead."
)


# ---- what the optimizers of this package share


def _number(x):
    """An option as a float; a tensor of one element is one, too."""
    return x if type(x) is float else float(x)


def _loss_of(closure):
    """What a closure returns, called with gradients recorded; None without one."""
    if closure is None:
        return None
    with torch.enable_grad():
        return closure()


def _check(name, value, high=None):
    """ValueError unless an option is at least zero, and below or at ``high``."""
    if not (0.0 <= value if high is None else 0.0 <= value <= high):
        raise ValueError(f"Invalid {name}: {value}")


def _check_lr(lr, eager_foreach=None):
    """Checks a learning rate; ``eager_foreach``: foreach= of the optimizers that take no tensor with it."""
    if isinstance(lr, torch.Tensor):
        if eager_foreach:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        if lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
    _check("learning rate", lr)


def _check_betas(betas):
    for i in range(2):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")


class _RuleOptimizer(Optimizer):
    """An optimizer whose step is one of the engine's rules, applied to all parameters of a group at once."""

    _numbers = ("step",)  # what the state keeps as tensors without dimensions; older states have numbers

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            for name, value in self.defaults.items():  # what older states lack
                group.setdefault(name, value)
        for state in self.state.values():
            for name in self._numbers:
                if isinstance(state, dict) and isinstance(state.get(name), (int, float)):
                    state[name] = as_tensor(state[name])

    def add_param_group(self, param_group):
        """Adds a group of parameters: a dict with "params" and options of this group."""
        if isinstance(param_group, dict) and param_group.get("differentiable", self.defaults.get("differentiable")):
            raise RuntimeError(
                "differentiable=True is not supported: steps change the parameters in place, unrecorded; "
                "write the update as operations on tensors to differentiate through it"
            )
        super().add_param_group(param_group)

    def step(self, closure=None):
        """Changes the parameters by their gradients.

        Parameters: ``closure``: computes the loss again, with its gradients, and returns it. Returns what it returned, or None.
        """
        self._settle()
        loss = _loss_of(closure)
        before = _engine.set_gradient_mode(False)
        try:
            for group in self.param_groups:
                _check_capturable(group)
                self._update(group)
        finally:
            _engine.set_gradient_mode(before)
        return loss

    def _update(self, group):
        """Takes the step for one group."""
        raise NotImplementedError

    # ---- steps that GradScaler takes: numbers of the state on the CPU follow when the device's answer is read anyway

    _unsettled = None

    def step_unless(self, found):
        """Take a step that changes nothing where the tensor `found` is not 0; nothing waits for its value."""
        self._settle()
        numbers = {}
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    state = self.state.get(p)
                    numbers[p] = {name: number_in(state[name]) for name in self._numbers if name in state} if state else None
        with unless(found):
            self.step()
        self._unsettled = found, numbers

    def _settle(self):
        """Take back what the last such step did to numbers on the CPU, where it changed nothing on the device."""
        if self._unsettled is None:
            return
        (found, numbers), self._unsettled = self._unsettled, None
        if not found.item():
            return
        for p, before in numbers.items():
            if before is None:
                self.state.pop(p, None)
                continue
            for name, number in before.items():
                self.state[p][name].fill_(number)

    def state_dict(self):
        """Return the state as a dict that can be saved; see :meth:`Optimizer.state_dict`."""
        self._settle()
        return super().state_dict()

    def __getstate__(self):
        self._settle()
        return super().__getstate__()

    def _counted(self, group, names, begin):
        """Counts the group's parameters with gradients on; their rows for apply_rule, by the number of their step.

        Parameters: ``names``: the states of a row; ``begin(p)``: the states of a parameter that has none.
        """
        out = {}
        for p in group["params"]:
            grad = p.grad
            if grad is None:
                continue
            state = self.state[p]
            if not state:
                state["step"] = as_tensor(0.0)
                state.update(begin(p))
            step = counted(state)
            row = (p, grad, *[state[name] for name in names])
            if step in out:
                out[step].append(row)
            else:
                out[step] = [row]
        return out


def _check_capturable(group):
    if not group.get("capturable") or group.get("fused"):
        return
    if any(p.grad is not None and p.device.type == "cpu" for p in group["params"]):
        raise AssertionError("If capturable=True, params and state_steps must be on supported devices: ['cuda']; leave it out on the CPU.")


def _sign(group):
    return -1.0 if group["maximize"] else 1.0


def _check_fused(fused, foreach, differentiable):
    if fused:
        if differentiable:
            raise RuntimeError("`fused` does not support `differentiable`")
        if foreach:
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
