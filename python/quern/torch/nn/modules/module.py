"""The base of all modules: what has parameters, buffers and other modules in it, and is called."""

from collections import OrderedDict

from quern.lib import _engine
from quern.torch import _namespace as torch
from quern.torch.nn.modules import _hooks
from quern.torch.nn.modules._state import State, _IncompatibleKeys  # noqa: F401
from quern.torch.nn.parameter import Buffer, Parameter

# What __init__ makes, in the order that PyTorch has it.
_DICTIONARIES = (
    "_backward_pre_hooks",
    "_backward_hooks",
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)


def _typename(value):
    """The name of a value's type, with its module unless that is Python's own; a tensor's says what its elements are."""
    if isinstance(value, torch.Tensor):
        return value.type()
    kind = value if isinstance(value, type) else type(value)
    return kind.__qualname__ if kind.__module__ in ("builtins", None, "") else f"{kind.__module__}.{kind.__qualname__}"


def _addindent(text, n):
    first, *rest = text.split("\n")
    return "\n".join([first] + [" " * n + line for line in rest])


def _parsed_to(device=None, dtype=None, non_blocking=False, *, memory_format=None, tensor=None):
    """The arguments of ``to()``, of which the first may also be a type or a tensor: (device, dtype, non_blocking, memory_format)."""
    if isinstance(device, torch.dtype):  # to(dtype, non_blocking)
        device, dtype, non_blocking = None, device, non_blocking if dtype is None else dtype
    elif isinstance(device, torch.Tensor):  # to(tensor, non_blocking)
        tensor, device, non_blocking, dtype = device, None, non_blocking if dtype is None else dtype, None
    if tensor is not None:
        device, dtype = tensor.device, tensor.dtype
    return device, dtype, non_blocking, memory_format


def _name_layer(error, module, args):
    """Notes in which layer an error came up, the innermost, and what that was given: the traceback ends with it (Python 3.11)."""
    if not hasattr(error, "add_note") or getattr(error, "__notes__", None):
        return
    given = ", ".join(f"{x.dtype} of {list(x.shape)} on {x.device}" for x in args if isinstance(x, torch.Tensor))
    first = repr(module).partition("\n")[0]
    error.add_note(f"in the layer {first}{'...)' if first.endswith('(') else ''}" + (f", given {given}" if given else ""))


class Module(State):
    """The base of all modules: a class of one's own derives from it, and defines ``forward``.

    Parameters, buffers and modules that are assigned to attributes are registered under their names, so that they are moved, saved and
    trained with the module.

        >>> from quern.torch import nn
        >>> from quern import torch
        >>> class Model(nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.inner = nn.Linear(3, 4)
        ...
        ...     def forward(self, x):
        ...         return torch.relu(self.inner(x))
        >>> Model()(torch.ones(2, 3)).shape
        torch.Size([2, 4])
    """

    dump_patches = False
    call_super_init = False
    training: bool
    _version = 1
    _hooked = False  # may there be hooks? True in modules that ever got one, and in this class while there are hooks of all modules
    _compiled_call_impl = None

    def __init__(self, *args, **kwargs):
        if self.call_super_init is False:
            if kwargs:
                raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'")
            if args:
                raise TypeError(f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given")
        d = self.__dict__
        d["training"] = True
        d["_parameters"] = {}
        d["_buffers"] = {}
        d["_non_persistent_buffers_set"] = set()
        for name in _DICTIONARIES:
            d[name] = OrderedDict()
        d["_is_full_backward_hook"] = None
        d["_modules"] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def forward(self, *input):
        """What the module computes; every class defines its own."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args, **kwargs):
        try:
            if self._hooked:
                return _hooks.call(self, args, kwargs)
            return self.forward(*args, **kwargs)
        except Exception as error:
            _name_layer(error, self, args)
            raise

    def _call_impl(self, *args, **kwargs):
        return Module.__call__(self, *args, **kwargs)

    _wrapped_call_impl = _call_impl

    # ---- names

    # Python asks here for what is not in __dict__: parameters, buffers and modules, by their names. In C++, for each `self.weight` does.
    __getattr__ = _engine.module_attribute

    def __setattr__(self, name, value):
        d = self.__dict__
        params = d.get("_parameters")
        if isinstance(value, Parameter):
            if params is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, params)
            self.register_parameter(name, value)
        elif params is not None and name in params:
            if value is not None:
                raise TypeError(f"cannot assign '{_typename(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if params is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, d["_modules"])
            d["_modules"][name] = value
        elif params is None:
            object.__setattr__(self, name, value)
        elif name in d["_modules"]:
            if value is not None:
                raise TypeError(f"cannot assign '{_typename(value)}' as child module '{name}' (torch.nn.Module or None expected)")
            d["_modules"][name] = value
        elif isinstance(value, torch.Tensor) and isinstance(value, Buffer):
            self._forget(name, d["_buffers"])
            self.register_buffer(name, value, value.persistent)
        elif name in d["_buffers"]:
            if value is not None and not isinstance(value, torch.Tensor):
                raise TypeError(f"cannot assign '{_typename(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)")
            d["_buffers"][name] = value
        else:
            object.__setattr__(self, name, value)

    def _forget(self, name, keep):
        """Takes a name out of all places but ``keep``, where it gets a new meaning."""
        d = self.__dict__
        for place in (d, d["_parameters"], d["_buffers"], d["_modules"]):
            if place is not keep:
                place.pop(name, None)
        if keep is not d["_buffers"]:
            d["_non_persistent_buffers_set"].discard(name)

    def __delattr__(self, name):
        for kept in (self._parameters, self._buffers, self._modules):
            if name in kept:
                del kept[name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self):
        names = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted(name for name in names if not name[0].isdigit())

    def _check_name(self, name, what, kept):
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {_typename(name)}")
        if what == "module" and hasattr(self, name) and name not in kept:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."' + (f", got: {name}" if what == "module" else ""))
        if name == "":
            raise KeyError(f'{what} name can\'t be empty string ""')
        if what != "module" and hasattr(self, name) and name not in kept:
            raise KeyError(f"attribute '{name}' already exists")

    def register_parameter(self, name, param):
        """Adds a parameter under a name; None for a parameter that the module could have and has not."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name(name, "parameter", self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(f"cannot assign '{_typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)")
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. A parameter is not the result of operations; "
                "compute what depends on other tensors in forward()."
            )
        self._parameters[name] = param

    def register_buffer(self, name, tensor, persistent=True):
        """Adds a tensor that is moved and saved with the module but not trained; ``persistent``: is it part of state_dict()?

        >>> from quern import torch
        >>> module = torch.nn.Module()
        >>> module.register_buffer("mean", torch.zeros(3))
        >>> module.mean
        tensor([0., 0., 0.])
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name(name, "buffer", self._buffers)
        if tensor is not None and not isinstance(tensor, torch.Tensor):
            raise TypeError(f"cannot assign '{_typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)")
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name, module):
        """Adds a module under a name, as the assignment to an attribute does."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{_typename(module)} is not a Module subclass")
        self._check_name(name, "module", self._modules)
        self._modules[name] = module

    def register_module(self, name, module):
        """The same as add_module()."""
        self.add_module(name, module)

    def get_submodule(self, target):
        """The module at a path like "layers.0.linear"; "" is the module itself. AttributeError where there is none."""
        module = self
        for item in target.split(".") if target else ():
            if not hasattr(module, item):
                raise AttributeError(f"{module._get_name()} has no attribute `{item}`")
            module = getattr(module, item)
            if not isinstance(module, Module):
                raise AttributeError(f"`{item}` is not an nn.Module")
        return module

    def set_submodule(self, target, module, strict=False):
        """Puts a module at a path like "layers.0"; with ``strict`` only where there is one already."""
        if not target:
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target):
        """The parameter at a path like "layers.0.weight". AttributeError where there is none."""
        param, name = self._at(target)
        if not isinstance(param, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return param

    def get_buffer(self, target):
        """The buffer at a path like "layers.0.running_mean". AttributeError where there is none."""
        path, _, name = target.rpartition(".")
        buffer, name = self._at(target)
        if name not in self.get_submodule(path)._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return buffer

    def _at(self, target):
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        return getattr(module, name), name

    # ---- what is in it

    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, value in get_members_fn(module):
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield (f"{path}.{name}" if path else name), value

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """An iterator over (name, parameter), of this module and with ``recurse`` of all in it; each once, by default."""
        return self._named_members(lambda module: module._parameters.items(), prefix, recurse, remove_duplicate)

    def parameters(self, recurse=True):
        """An iterator over the parameters, for an optimizer.

        >>> from quern import torch
        >>> model = torch.nn.Linear(3, 1)
        >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        """
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """An iterator over (name, buffer), of this module and with ``recurse`` of all in it; each once, by default."""
        return self._named_members(lambda module: module._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        """An iterator over the buffers."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_children(self):
        """An iterator over (name, module) of the modules directly in this one, each once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self):
        """An iterator over the modules directly in this one."""
        for _, module in self.named_children():
            yield module

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """An iterator over (path, module) of this module and all in it; those in the set ``memo`` are left out."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self, remove_duplicate=True):
        """An iterator over this module and all in it."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    # ---- what is done to all of it

    def apply(self, fn):
        """Calls ``fn(module)`` for all modules in this one, then for itself; returns the module.

        >>> from quern.torch import nn
        >>> model = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
        >>> _ = model.apply(lambda m: nn.init.zeros_(m.bias) if isinstance(m, nn.Linear) else None)
        >>> model[0].bias.tolist()
        [0.0, 0.0]
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn, recurse=True):
        """Puts ``fn(tensor)`` in the place of every parameter's, gradient's and buffer's values; parameters stay the same objects."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for param in self._parameters.values():
            if param is None:
                continue
            with torch.no_grad():
                changed = fn(param)
                grad = None if param.grad is None else fn(param.grad)
            if changed is not param:
                if grad is not None:
                    param.grad = None  # a gradient has its parameter's type and device at all times
                param.data = changed
                if grad is not None:
                    param.grad = grad.requires_grad_(False)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args, **kwargs):
        """Moves and converts the module in place: ``to(device)``, ``to(dtype)``, ``to(device, dtype)``, ``to(tensor)``; returns it.

        Only floating-point and complex tensors get the type.
        """
        device, dtype, non_blocking, memory_format = _parsed_to(*args, **kwargs)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}")

        def convert(t):
            kind = dtype if t.is_floating_point() or t.is_complex() else None
            if memory_format is not None and t.dim() in (4, 5):
                return t.to(device=device, dtype=kind, non_blocking=non_blocking, memory_format=memory_format)
            return t.to(device=device, dtype=kind, non_blocking=non_blocking)

        return self._apply(convert)

    def to_empty(self, *, device, recurse=True):
        """Moves the module to a device without its values, which are anything there."""
        return self._apply(lambda t: torch.empty_like(t, device=device), recurse=recurse)

    def cpu(self):
        """Moves the module to the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device=None):
        """Moves the module to a GPU: the current one, or that of a number or name."""
        return self._apply(lambda t: t.cuda(device))

    def type(self, dst_type):
        """Converts all parameters and buffers to a type."""
        return self._apply(lambda t: t.type(dst_type))

    def _floating(self, dtype):
        return self._apply(lambda t: t.to(dtype=dtype) if t.is_floating_point() else t)

    def float(self):
        """Converts floating-point parameters and buffers to float32."""
        return self._floating(torch.float32)

    def double(self):
        """Converts floating-point parameters and buffers to float64."""
        return self._floating(torch.float64)

    def half(self):
        """Converts floating-point parameters and buffers to float16."""
        return self._floating(torch.float16)

    def bfloat16(self):
        """Converts floating-point parameters and buffers to bfloat16."""
        return self._floating(torch.bfloat16)

    def train(self, mode=True):
        """Sets the module and all in it to training, which e.g. Dropout and BatchNorm look at; with False to evaluation."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """Sets the module and all in it to evaluation: ``train(False)``."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Says of all parameters whether gradients are wanted."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Takes the gradients off all parameters, or fills them with 0."""
        for param in self.parameters():
            if param.grad is None:
                continue
            if set_to_none:
                param.grad = None
            else:
                param.grad.detach_().zero_()

    def share_memory(self):
        """Has all tensors share their memory with other processes, as Tensor.share_memory_() does."""
        return self._apply(lambda t: t.share_memory_())

    def compile(self, *args, **kwargs):
        """Does nothing: array work is recorded, fused and compiled behind the program's back already."""

    # ---- hooks

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Calls ``hook(module, args)``, or with ``with_kwargs`` ``hook(module, args, kwargs)``, before forward.

        It returns None or the arguments to use: one, or a tuple; with ``with_kwargs`` (args, kwargs). ``prepend``: before the hooks there
        are. Returned: a handle, whose ``remove()`` takes the hook out.
        """
        self._hooked = True
        marks = [self._forward_pre_hooks_with_kwargs] if with_kwargs else []
        return _hooks.add(self._forward_pre_hooks, hook, prepend, marks)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Calls ``hook(module, args, output)``, or with ``with_kwargs`` ``hook(module, args, kwargs, output)``, after forward.

        It returns None or another output. ``prepend``: before the hooks that are there; ``always_call``: where forward raises, too.
        Returned: a handle, whose ``remove()`` takes the hook out.
        """
        self._hooked = True
        marks = [self._forward_hooks_with_kwargs] if with_kwargs else []
        if always_call:
            marks.append(self._forward_hooks_always_called)
        return _hooks.add(self._forward_hooks, hook, prepend, marks)

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Calls ``hook(module, grad_output)`` before the module's backward; it returns None or other gradients of the outputs."""
        self._hooked = True
        return _hooks.add(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Calls ``hook(module, grad_input, grad_output)`` after the module's backward; it returns None or other gradients of the inputs.

        Both are tuples, by position: of the arguments and of the outputs, with None for what is no tensor or has no gradient.
        """
        if self._is_full_backward_hook is False:
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them."
            )
        self._is_full_backward_hook = True
        self._hooked = True
        return _hooks.add(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook):
        """An older name of register_full_backward_hook(), with what that gives to the hook."""
        if self._is_full_backward_hook is True:
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them."
            )
        self._is_full_backward_hook = False
        self._hooked = True
        return _hooks.add(self._backward_hooks, hook)

    # ---- texts and copies

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self):
        """What the module's text says in its brackets; classes define their own."""
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        own = extra.split("\n") if extra else []
        children = [f"({name}): {_addindent(repr(module), 2)}" for name, module in self._modules.items()]
        lines = own + children
        if len(own) == 1 and not children:
            return f"{self._get_name()}({own[0]})"
        return f"{self._get_name()}(" + ("\n  " + "\n  ".join(lines) + "\n" if lines else "") + ")"

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_compiled_call_impl", None)
        return state

    def __setstate__(self, state):
        d = self.__dict__
        d.update(state)
        for name in _DICTIONARIES:  # a copy of an older version may lack some
            d.setdefault(name, OrderedDict())
        d.setdefault("_non_persistent_buffers_set", set())
        d.setdefault("_is_full_backward_hook", None)


# ---- hooks of all modules


class _Everywhere(_hooks.RemovableHandle):
    """The handle of a hook of all modules: modules without hooks are as fast as before when the last is removed."""

    def remove(self):
        super().remove()
        Module._hooked = bool(_hooks.all_pre or _hooks.all_forward or _hooks.all_backward_pre or _hooks.all_backward)


def _everywhere(hooks, hook, marks=()):
    handle = _Everywhere(hooks, extra_dict=list(marks))
    hooks[handle.id] = hook
    for mark in marks:
        mark[handle.id] = True
    Module._hooked = True
    return handle


def register_module_forward_pre_hook(hook):
    """Calls ``hook(module, args)`` before every module's forward; see Module.register_forward_pre_hook()."""
    return _everywhere(_hooks.all_pre, hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    """Calls ``hook(module, args, output)`` after every module's forward; see Module.register_forward_hook()."""
    marks = [_hooks.all_with_kwargs] if with_kwargs else []
    return _everywhere(_hooks.all_forward, hook, marks + ([_hooks.all_always_called] if always_call else []))


def register_module_full_backward_pre_hook(hook):
    """Calls ``hook(module, grad_output)`` before every module's backward; see Module.register_full_backward_pre_hook()."""
    return _everywhere(_hooks.all_backward_pre, hook)


def register_module_full_backward_hook(hook):
    """Calls ``hook(module, grad_input, grad_output)`` after every module's backward; see Module.register_full_backward_hook()."""
    return _everywhere(_hooks.all_backward, hook)
