"""Forward passes whose intermediate values are not kept but computed again by the backward pass (Chen et al., 2016)."""

import contextlib

from quern.lib import _engine
from quern.torch import _namespace as torch
from quern.torch import cuda
from quern.torch._autocast import get_autocast_dtype, is_autocast_enabled
from quern.torch.amp.autocast_mode import autocast
from quern.torch.autograd import Function
from quern.user_files import warn_user

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "detach_variable",
    "get_device_states",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
    "set_device_states",
]


_NO_END = 2**64 - 1  # of the tape


class CheckpointError(RuntimeError):
    """Raised where the recomputation of a checkpoint differs from the first computation."""


def noop_context_fn():
    """Two contexts that do nothing, for the forward pass and for its repetition.

    Returns
    -------
    tuple of context managers
        Contexts.

    Examples
    --------
    >>> from quern import torch
    >>> with torch.utils.checkpoint.noop_context_fn()[0]:
    ...     torch.ones(2)
    tensor([1., 1.])
    """
    return contextlib.nullcontext(), contextlib.nullcontext()


def check_backward_validity(inputs):
    """Warn if none of the inputs requires a gradient.

    Parameters
    ----------
    inputs : iterable
        Arguments of :func:`checkpoint`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.utils.checkpoint.check_backward_validity([torch.ones(2, requires_grad=True)])
    """
    if not any(x.requires_grad for x in inputs if isinstance(x, torch.Tensor)):
        warn_user("None of the inputs have requires_grad=True. Gradients will be None")


def detach_variable(inputs):
    """Return the inputs with detached tensors that require gradients as before.

    Parameters
    ----------
    inputs : tuple
        Arguments of a function.

    Returns
    -------
    tuple
        The same arguments with detached tensors.

    Examples
    --------
    >>> from quern import torch
    >>> torch.utils.checkpoint.detach_variable((torch.ones(2, requires_grad=True), 3))
    (tensor([1., 1.], requires_grad=True), 3)
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}")
    return tuple(_cut(x) if isinstance(x, torch.Tensor) else x for x in inputs)


def _cut(x):
    return x.detach().requires_grad_(x.requires_grad)


def get_device_states(*args):
    """Return the GPUs of the tensors among arguments, and the states of their random generators.

    Parameters
    ----------
    *args : object
        Arguments.

    Returns
    -------
    tuple of two lists
        Numbers of the GPUs, and the states.

    Examples
    --------
    >>> from quern import torch
    >>> torch.utils.checkpoint.get_device_states(torch.ones(2, device="cpu"))
    ([], [])
    """
    found, _ = _flat(args)
    numbers = sorted({x.get_device() for x in found if x.is_cuda})
    return numbers, [cuda.get_rng_state(number) for number in numbers]


def set_device_states(devices, states, *, device_type=None):
    """Set the random generators of GPUs to states that :func:`get_device_states` returned.

    Parameters
    ----------
    devices : list of ints
        Numbers of the GPUs.
    states : list of Tensor
        States.
    device_type : str, optional
        "cuda" or None.

    Examples
    --------
    >>> from quern import torch
    >>> torch.utils.checkpoint.set_device_states([], [])
    """
    if device_type not in (None, "cuda"):
        raise RuntimeError(f"device_type={device_type!r} is not supported; use 'cuda' or 'cpu'")
    for device, state in zip(devices, states, strict=True):
        cuda.set_rng_state(state, device)


@contextlib.contextmanager
def set_checkpoint_early_stop(enable):
    """Do nothing; accepted for compatibility: a recomputation runs to its end."""
    yield


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled):
    """Do nothing; accepted for compatibility."""
    yield


# ---- tensors within arguments and results


class _Slot:
    """Stands for a tensor that was taken out of a structure."""

    def __init__(self, place):
        self.place = place


def _flat(structure):
    """The tensors in nested lists, tuples and dicts, and the structure with slots in their places."""
    tensors = []

    def take(x):
        if isinstance(x, torch.Tensor):
            tensors.append(x)
            return _Slot(len(tensors) - 1)
        return _mapped(take, x)

    return tensors, take(structure)


def _filled(structure, tensors):
    """A structure of _flat() with tensors in its slots."""

    def fill(x):
        return tensors[x.place] if isinstance(x, _Slot) else _mapped(fill, x)

    return fill(structure)


def _mapped(f, x):
    if type(x) in (list, tuple):
        return type(x)(f(v) for v in x)
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*map(f, x))
    if type(x) is dict:
        return {name: f(value) for name, value in x.items()}
    return x


# ---- what surrounds a pass


class _Surroundings:
    """Random generators and autocast as they are now, for a pass to be computed again within."""

    def __init__(self, tensors, preserve_rng_state):
        self.preserve = preserve_rng_state
        if preserve_rng_state:
            self.cpu = torch.get_rng_state()
            self.devices, self.states = get_device_states(*tensors)
        self.autocasts = [(kind, is_autocast_enabled(kind), get_autocast_dtype(kind)) for kind in ("cpu", "cuda")]

    @contextlib.contextmanager
    def again(self):
        """The surroundings as they were."""
        with contextlib.ExitStack() as stack:
            if self.preserve:
                now = torch.get_rng_state(), [cuda.get_rng_state(number) for number in self.devices]
                stack.callback(self._set, *now)
                self._set(self.cpu, self.states)
            for kind, enabled, dtype in self.autocasts:
                if enabled or is_autocast_enabled(kind):
                    stack.enter_context(autocast(kind, dtype=dtype, enabled=enabled))
            yield

    def _set(self, cpu, states):
        torch.set_rng_state(cpu)
        set_device_states(self.devices, states)


class _Pass:
    """A function with its arguments, that can be computed again. ``results``: the tensors of the first time."""

    def __init__(self, function, arguments, surroundings, contexts, check):
        self.function = function
        self.arguments = arguments  # with slots
        self.surroundings = surroundings
        self.contexts = contexts
        self.check = check
        self.results = None
        self.structure = None
        self.since = 0  # the length of the tape when it began

    def first(self, tensors, record):
        """Computes the function; with ``record`` as usual, without it so that nothing is kept. Its tensors are then ``results``."""
        args, kwargs = _filled(self.arguments, tensors)
        with torch.set_grad_enabled(record), self.contexts[0]:
            self.results, self.structure = _flat(self.function(*args, **kwargs))

    def again(self, tensors):
        """The tensors that the function gives for cut off arguments, with all that leads to them recorded."""
        args, kwargs = _filled(self.arguments, tensors)
        with self.surroundings.again(), torch.enable_grad(), self.contexts[1]:
            results, _ = _flat(self.function(*args, **kwargs))
        if self.check:
            _compare([_traits(x) for x in results], self.traits)
        return results

    def noted(self):
        """Lets the results go; what they looked like stays, for the comparison."""
        results, self.results = self.results, None
        self.traits = [_traits(x) for x in results]
        return results


def _traits(x):
    return tuple(x.shape), x.dtype, x.device


def _compare(new, old):
    if len(new) != len(old):
        raise CheckpointError(
            "torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation.\n"
            f"Number of tensors saved during forward: {len(old)}\nNumber of tensors saved during recomputation: {len(new)}."
        )
    wrong = [f"tensor at position {i}: {a} first, {b} then" for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    if wrong:
        raise CheckpointError(
            "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during the forward pass.\n"
            + "\n".join(wrong)
        )


class CheckpointFunction(Function):
    """The operation that stands for a whole pass on the tape; its backward computes the pass again. checkpoint() uses it.

    Examples
    --------
    >>> from quern import torch
    >>> issubclass(torch.utils.checkpoint.CheckpointFunction, torch.autograd.Function)
    True
    """

    @staticmethod
    def forward(ctx, computed, *tensors):
        """The results that a pass has already given."""
        ctx.computed = computed
        ctx.save_for_backward(*tensors)
        results = computed.noted()
        ctx.mark_non_differentiable(*[x for x in results if not (x.is_floating_point() or x.is_complex())])
        return tuple(results)

    @staticmethod
    def backward(ctx, *grads):
        """Gradients of the arguments; those of what the function uses besides are added to their ``grad``."""
        inputs = [_cut(x) for x in ctx.saved_tensors]
        results = ctx.computed.again(inputs)
        wanted = [(x, grad) for x, grad in zip(results, grads, strict=True) if x.requires_grad and grad is not None]
        if not wanted:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        torch.autograd.backward([x for x, _ in wanted], [grad for _, grad in wanted])
        return (None, *[x.grad for x in inputs])


class _Checkpoint(Function):
    """The same for a pass whose sources are known: all that its results were computed from, parameters that it uses among them."""

    @staticmethod
    def forward(ctx, computed, tensors, *sources):
        ctx.computed, ctx.sources = computed, sources
        ctx.save_for_backward(*tensors)
        results = [x.detach() for x in computed.results]
        ctx.mark_non_differentiable(*[x for x, given in zip(results, computed.noted(), strict=True) if not given.requires_grad])
        return tuple(results)

    @staticmethod
    def backward(ctx, *grads):
        results = ctx.computed.again(ctx.saved_tensors)
        wanted = [(x, grad) for x, grad in zip(results, grads, strict=True) if x.requires_grad and grad is not None]
        if not wanted:
            return (None, None, *[None for _ in ctx.sources])
        outputs, given = zip(*wanted, strict=True)
        again = torch.is_grad_enabled()  # are the gradients to have gradients?
        return (None, None, *_engine.gradients(outputs, given, ctx.sources, again, again, True, spans=[(ctx.computed.since, _NO_END)]))


# ---- what programs call


def checkpoint(
    function=None,
    *args,
    use_reentrant=None,
    preserve_rng_state=True,
    context_fn=noop_context_fn,
    determinism_check="default",
    debug=False,
    early_stop=True,
    respect_saved_tensors_hooks=None,
    **kwargs,
):
    """Call a function without saving the operands of its backward pass, which computes them again.

    Parameters
    ----------
    function : callable, optional
        Function; None returns a decorator.
    *args : object
        Arguments of the function.
    use_reentrant : bool
        False, which is recommended, accepts keyword arguments, and tensors inside lists, tuples and dicts. True adds gradients
        of parameters that the function uses to their `grad`.
    preserve_rng_state : bool, optional
        Whether the second computation draws the same random numbers.
    context_fn : callable, optional
        Function that returns two context managers, for the two computations.
    determinism_check : {'default', 'none'}, optional
        Whether shapes and dtypes of both computations are compared.
    debug, early_stop, respect_saved_tensors_hooks : bool, optional
        Accepted for compatibility.
    **kwargs : object
        Keyword arguments of the function.

    Returns
    -------
    object
        Result of the function.

    Raises
    ------
    ValueError
        For keyword arguments with ``use_reentrant=True``, or an unknown `determinism_check`.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch.utils.checkpoint import checkpoint
    >>> x = torch.ones(3, requires_grad=True)
    >>> y = checkpoint(torch.exp, x, use_reentrant=False)
    >>> y.sum().backward()
    >>> x.grad
    tensor([2.7183, 2.7183, 2.7183])
    """
    options = {
        "use_reentrant": use_reentrant,
        "preserve_rng_state": preserve_rng_state,
        "context_fn": context_fn,
        "determinism_check": determinism_check,
        "debug": debug,
        "early_stop": early_stop,
    }
    if function is None:
        return lambda f: lambda *args, **kwargs: checkpoint(f, *args, **options, **kwargs)
    if use_reentrant is None:
        _warn_of_default("checkpoint")
        use_reentrant = True
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug:
            raise ValueError("Passing `context_fn`, `debug`, or `respect_saved_tensors_hooks` is only supported when use_reentrant=False.")
        check_backward_validity(args)
    contexts = context_fn()
    if not torch.is_grad_enabled():
        with contexts[0]:
            return function(*args, **kwargs)
    tensors, arguments = _flat((args, kwargs))
    surroundings = _Surroundings(tensors, preserve_rng_state)
    computed = _Pass(function, arguments, surroundings, contexts, not use_reentrant and determinism_check == "default")
    computed.since = _engine.tape_length()
    computed.first(tensors, record=not use_reentrant)
    if use_reentrant:
        results = CheckpointFunction.apply(computed, *tensors) if any(x.requires_grad for x in tensors) else computed.results
    else:  # the record has what the function uses besides its arguments; what it keeps is freed
        sources = _engine.gradient_sources(computed.results, computed.since, torch.Tensor)
        if not sources:
            return _filled(computed.structure, computed.results)
        results = _Checkpoint.apply(computed, tensors, *sources)
    return _filled(computed.structure, results)


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Call functions one after another in segments, of which all but the last are checkpoints.

    Parameters
    ----------
    functions : Sequential or list of callables
        Functions; each takes the result of the one before.
    segments : int
        Number of segments.
    input : Tensor
        Argument of the first function.
    use_reentrant : bool
        As in :func:`checkpoint`.
    preserve_rng_state : bool, optional
        As in :func:`checkpoint`.

    Returns
    -------
    object
        Result of the last function.

    Raises
    ------
    ValueError
        For more segments than functions.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch.utils.checkpoint import checkpoint_sequential
    >>> layers = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    >>> checkpoint_sequential(layers, 2, torch.ones(5, 3), use_reentrant=False).shape
    torch.Size([5, 2])
    """
    if use_reentrant is None:
        _warn_of_default("checkpoint_sequential")
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    functions = list(functions.children()) if hasattr(functions, "children") else list(functions)
    size = len(functions) // segments

    def part(begin, end):
        def forward(x):
            for f in functions[begin:end]:
                x = f(x)
            return x

        return forward

    if size == 0:
        raise ValueError(f"{segments} segments need at least as many functions, not {len(functions)}")
    for begin in range(0, size * (segments - 1), size):
        input = checkpoint(part(begin, begin + size), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return part(size * (segments - 1), len(functions))(input)


def _warn_of_default(name):
    warn_user(
        f"torch.utils.checkpoint{'' if name == 'checkpoint' else '.' + name}: the use_reentrant parameter should be passed explicitly. "
        "use_reentrant=False is recommended; without it True is taken.",
    )
