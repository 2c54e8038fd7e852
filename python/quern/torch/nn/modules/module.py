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
    """Base class of all modules: a derived class defines ``forward()``.

    Parameters, buffers and modules that are assigned to attributes are registered under their names, so that they are moved, saved and
    trained with the module.

    Parameters
    ----------
    *args, **kwargs : object
        Passed to the next base class where `call_super_init` is True, and must be absent elsewhere.

    Examples
    --------
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
        """Compute the result of the module; a derived class defines it."""
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
        """Add a parameter under a name.

        Parameters
        ----------
        name : str
            Name, without dots.
        param : Parameter or None
            Parameter; None for one that the module does not have.
        """
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
        """Add a tensor that is moved and saved with the module but not trained.

        Parameters
        ----------
        name : str
            Name, without dots.
        tensor : Tensor or None
            Buffer, of any shape and dtype.
        persistent : bool, optional
            Whether :meth:`state_dict` contains it.

        Examples
        --------
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
        """Add a module under a name, as the assignment to an attribute does.

        Parameters
        ----------
        name : str
            Name, without dots.
        module : Module or None
            Module.
        """
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{_typename(module)} is not a Module subclass")
        self._check_name(name, "module", self._modules)
        self._modules[name] = module

    def register_module(self, name, module):
        """Add a module under a name; another name of :meth:`add_module`."""
        self.add_module(name, module)

    def get_submodule(self, target):
        """Return the module at a path.

        Parameters
        ----------
        target : str
            Path, such as "layers.0.linear"; "" is the module itself.

        Returns
        -------
        Module
            Module at the path. A path without one raises AttributeError.
        """
        module = self
        for item in target.split(".") if target else ():
            if not hasattr(module, item):
                raise AttributeError(f"{module._get_name()} has no attribute `{item}`")
            module = getattr(module, item)
            if not isinstance(module, Module):
                raise AttributeError(f"`{item}` is not an nn.Module")
        return module

    def set_submodule(self, target, module, strict=False):
        """Put a module at a path, such as "layers.0"; with `strict`, only in the place of another one."""
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
        """Return the parameter at a path, such as "layers.0.weight"; a path without one raises AttributeError."""
        param, name = self._at(target)
        if not isinstance(param, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return param

    def get_buffer(self, target):
        """Return the buffer at a path, such as "layers.0.running_mean"; a path without one raises AttributeError."""
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
        """Return an iterator over pairs of names and parameters.

        Parameters
        ----------
        prefix : str, optional
            Beginning of the names.
        recurse : bool, optional
            Whether to include those of the modules inside.
        remove_duplicate : bool, optional
            Whether each parameter occurs once.

        Returns
        -------
        iterator of (str, Parameter)
            Names with dots, and parameters.

        Examples
        --------
        >>> from quern.torch import nn
        >>> [name for name, _ in nn.Sequential(nn.Linear(3, 2)).named_parameters()]
        ['0.weight', '0.bias']
        """
        return self._named_members(lambda module: module._parameters.items(), prefix, recurse, remove_duplicate)

    def parameters(self, recurse=True):
        """Return an iterator over the parameters, for an optimizer.

        Parameters
        ----------
        recurse : bool, optional
            Whether to include those of the modules inside.

        Returns
        -------
        iterator of Parameter
            Each parameter once.

        Examples
        --------
        >>> from quern import torch
        >>> model = torch.nn.Linear(3, 1)
        >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        """
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """Return an iterator over pairs of names and buffers; the parameters are those of :meth:`named_parameters`."""
        return self._named_members(lambda module: module._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        """Return an iterator over the buffers, with `recurse` also over those of the modules inside."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_children(self):
        """Return an iterator over pairs of names and modules directly in this one, each once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self):
        """Return an iterator over the modules directly in this one."""
        for _, module in self.named_children():
            yield module

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """Return an iterator over pairs of paths and modules: this module and all modules inside.

        Parameters
        ----------
        memo : set, optional
            Modules that are left out; those that were returned are added.
        prefix : str, optional
            Beginning of the paths.
        remove_duplicate : bool, optional
            Whether each module occurs once.

        Returns
        -------
        iterator of (str, Module)
            Paths, and modules; the path of the module itself is `prefix`.
        """
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
        """Return an iterator over this module and all modules inside."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    # ---- what is done to all of it

    def apply(self, fn):
        """Call a function for all modules inside, then for this module.

        Parameters
        ----------
        fn : callable
            Function of a module.

        Returns
        -------
        Module
            The module itself.

        Examples
        --------
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
        """Move and convert the module in place.

        Parameters
        ----------
        *args : dtype, device, str or Tensor
            ``to(device)``, ``to(dtype)``, ``to(device, dtype)``, or ``to(tensor)``; floating-point and complex tensors are
            converted.
        **kwargs : object
            The same by name: `device`, `dtype`, `non_blocking`, `memory_format`.

        Returns
        -------
        Module
            The module itself.

        Examples
        --------
        >>> from quern import torch
        >>> torch.nn.Linear(3, 1).to(torch.float64).weight.dtype
        torch.float64
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
        """Move the module to a device without its values, which are undefined there; return the module."""
        return self._apply(lambda t: torch.empty_like(t, device=device), recurse=recurse)

    def cpu(self):
        """Move the module to the CPU; return the module."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device=None):
        """Move the module to a GPU, by default the current one; return the module."""
        return self._apply(lambda t: t.cuda(device))

    def type(self, dst_type):
        """Convert all parameters and buffers to a dtype; return the module."""
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
        """Set the mode of this module and of all modules inside: training or evaluation.

        Modules such as Dropout and BatchNorm compute differently in the two modes.

        Parameters
        ----------
        mode : bool, optional
            True for training, False for evaluation.

        Returns
        -------
        Module
            The module itself.

        Examples
        --------
        >>> from quern import torch
        >>> torch.nn.Dropout().train(False)(torch.ones(2))
        tensor([1., 1.])
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """Set this module and all modules inside to evaluation: ``train(False)``."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Set for all parameters whether they require gradients; return the module."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Remove the gradients of all parameters; with ``set_to_none=False``, set them to 0."""
        for param in self.parameters():
            if param.grad is None:
                continue
            if set_to_none:
                param.grad = None
            else:
                param.grad.detach_().zero_()

    def share_memory(self):
        """Share the memory of all tensors with other processes, as :meth:`Tensor.share_memory_` does."""
        return self._apply(lambda t: t.share_memory_())

    def compile(self, *args, **kwargs):
        """Do nothing: operations are recorded, fused and compiled in any case."""

    # ---- hooks

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Register a function that is called before ``forward()``.

        Parameters
        ----------
        hook : callable
            ``hook(module, args)`` or, with `with_kwargs`, ``hook(module, args, kwargs)``. It returns None or new arguments.
        prepend : bool, optional
            Whether the hook runs before the hooks that are registered already.
        with_kwargs : bool, optional
            Whether the hook also receives the keyword arguments of the call.

        Returns
        -------
        RemovableHandle
            Handle whose method `remove()` removes the hook.
        """
        self._hooked = True
        marks = [self._forward_pre_hooks_with_kwargs] if with_kwargs else []
        return _hooks.add(self._forward_pre_hooks, hook, prepend, marks)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Register a function that is called after ``forward()``.

        Parameters
        ----------
        hook : callable
            ``hook(module, args, output)`` or, with `with_kwargs`, ``hook(module, args, kwargs, output)``. It returns None or a new
            output.
        prepend : bool, optional
            Whether the hook runs before the hooks that are registered already.
        with_kwargs : bool, optional
            Whether the hook also receives the keyword arguments of the call.
        always_call : bool, optional
            Whether the hook is called where ``forward()`` raises, too.

        Returns
        -------
        RemovableHandle
            Handle whose method `remove()` removes the hook.

        Examples
        --------
        >>> from quern import torch
        >>> layer = torch.nn.Linear(3, 1)
        >>> handle = layer.register_forward_hook(lambda module, args, output: print(tuple(output.shape)))
        >>> _ = layer(torch.ones(2, 3))
        (2, 1)
        >>> handle.remove()
        """
        self._hooked = True
        marks = [self._forward_hooks_with_kwargs] if with_kwargs else []
        if always_call:
            marks.append(self._forward_hooks_always_called)
        return _hooks.add(self._forward_hooks, hook, prepend, marks)

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Register a function that is called before the module's backward pass.

        Parameters
        ----------
        hook : callable
            ``hook(module, grad_output)``; it returns None or new gradients of the outputs.
        prepend : bool, optional
            Whether the hook runs before the hooks that are registered already.

        Returns
        -------
        RemovableHandle
            Handle whose method `remove()` removes the hook.
        """
        self._hooked = True
        return _hooks.add(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Register a function that is called after the module's backward pass.

        Parameters
        ----------
        hook : callable
            ``hook(module, grad_input, grad_output)``, with tuples of gradients by position, None for arguments without one. It
            returns None or new gradients of the inputs.
        prepend : bool, optional
            Whether the hook runs before the hooks that are registered already.

        Returns
        -------
        RemovableHandle
            Handle whose method `remove()` removes the hook.
        """
        if self._is_full_backward_hook is False:
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them."
            )
        self._is_full_backward_hook = True
        self._hooked = True
        return _hooks.add(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook):
        """Register a function as :meth:`register_full_backward_hook` does; its older name."""
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
    """Register ``hook(module, args)`` before the forward pass of every module; see :meth:`Module.register_forward_pre_hook`."""
    return _everywhere(_hooks.all_pre, hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    """Register ``hook(module, args, output)`` after the forward pass of every module; see :meth:`Module.register_forward_hook`."""
    marks = [_hooks.all_with_kwargs] if with_kwargs else []
    return _everywhere(_hooks.all_forward, hook, marks + ([_hooks.all_always_called] if always_call else []))


def register_module_full_backward_pre_hook(hook):
    """Register ``hook(module, grad_output)`` before the backward pass of every module."""
    return _everywhere(_hooks.all_backward_pre, hook)


def register_module_full_backward_hook(hook):
    """Register ``hook(module, grad_input, grad_output)`` after the backward pass of every module."""
    return _everywhere(_hooks.all_backward, hook)
