"""Functions whose derivative the program writes."""

import functools

from quern.lib import _engine
from quern.torch._core import Tensor
from quern.torch.autograd.grad_mode import no_grad


class FunctionCtx:
    """Context of one call of a :class:`Function`: it passes values from ``forward()`` to ``backward()``.

    Examples
    --------
    >>> from quern import torch
    >>> issubclass(torch.autograd.Function, torch.autograd.function.FunctionCtx)
    True
    """

    def __init__(self):
        self._saved, self.materialize_grads, self.needs_input_grad = (), True, ()
        self._not_differentiable = self._dirty = ()

    def save_for_backward(self, *tensors):
        """Keep tensors for ``backward()``, which reads them as ``ctx.saved_tensors``.

        Where an argument of the call requires gradients, other values raise TypeError.

        Parameters
        ----------
        *tensors : Tensor or None
            Inputs, results, or other tensors that `backward` needs.
        """
        self._saved = tuple((x, _engine.version(x) if isinstance(x, Tensor) else None) for x in tensors)

    save_for_forward = save_for_backward

    @property
    def saved_tensors(self):
        """What save_for_backward() kept."""
        for x, version in self._saved:
            now = version if version is None else _engine.version(x)
            if now != version:
                raise RuntimeError(
                    f"one of the variables needed for gradient computation has been modified by an inplace operation: [torch."
                    f"{x.type().removeprefix('torch.')} {list(x._shape)}] is at version {now}; expected version {version} instead."
                )
        return tuple(x for x, _ in self._saved)

    saved_variables = saved_tensors

    def mark_dirty(self, *tensors):
        """Declare which inputs ``forward()`` changed in place.

        Parameters
        ----------
        *tensors : Tensor
            Inputs that were changed; `forward` returns them.

        Raises
        ------
        RuntimeError
            For an argument that is not a tensor.
        """
        for i, x in enumerate(tensors):
            if not isinstance(x, Tensor):
                raise RuntimeError(f"mark_dirty can only accept variables, but argument {i} is of type {type(x).__name__}")
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors):
        """Declare which results have no gradient.

        Parameters
        ----------
        *tensors : Tensor
            Results of `forward`.

        Raises
        ------
        RuntimeError
            For an argument that is not a tensor.
        """
        for x in tensors:
            if not isinstance(x, Tensor):
                raise RuntimeError(f"mark_non_differentiable only accepts variable arguments, but got {type(x).__name__}")
        self._not_differentiable = tensors

    def set_materialize_grads(self, value):
        """Set whether ``backward()`` receives zeros for results that were not used.

        Parameters
        ----------
        value : bool
            True: zeros, the default; False: None.
        """
        self.materialize_grads = bool(value)


class Function(FunctionCtx):
    """Base class of functions whose derivative the program writes.

    A derived class defines the static methods ``forward(ctx, *args)`` and ``backward(ctx, *grad_outputs)``; :meth:`apply` calls it.
    ``backward`` returns a gradient, or None, for each argument of ``forward``. Instead, ``forward(*args)`` may be without a context, with
    ``setup_context(ctx, inputs, output)``.

    Examples
    --------
    >>> import quern.torch as torch
    >>> class Cube(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x**3
    ...
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return 3 * x**2 * g
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> Cube.apply(x).backward()
    >>> x.grad
    tensor(12.)
    """

    @staticmethod
    def forward(ctx, *args, **kwargs):
        """Compute the results; a derived class defines it.

        Parameters
        ----------
        ctx : FunctionCtx
            Context, which keeps what `backward` needs.
        *args : object
            Arguments of :meth:`apply`.

        Returns
        -------
        Tensor or tuple of Tensor
            Results.
        """
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Keep what ``backward()`` needs, where ``forward()`` has no context; a derived class defines it.

        Parameters
        ----------
        ctx : FunctionCtx
            Context.
        inputs : tuple
            Arguments of `forward`.
        output : Tensor or tuple of Tensor
            Results of `forward`.
        """
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """Return the gradients of the arguments from those of the results; a derived class defines it.

        Parameters
        ----------
        ctx : FunctionCtx
            Context, with what `forward` kept.
        *grad_outputs : Tensor
            Gradient of each result.

        Returns
        -------
        Tensor, None or tuple
            A gradient, or None, for each argument of `forward`.
        """
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward mode AD."
        )

    vjp = backward  # PyTorch's other name

    @classmethod
    def apply(cls, *args, **kwargs):
        """Call the function so that its results have its derivative.

        Parameters
        ----------
        *args : object
            Arguments of ``forward()`` after the context.

        Returns
        -------
        Tensor or tuple of Tensor
            Results of ``forward()``.
        """
        call = _Call(cls, args, kwargs)
        if any(call.wanted):
            name = cls.__name__ + "Backward"
            made = _engine.differentiable(name, call.inputs, call.compute, call.derivative, Tensor, holds=call.holds_values)
        else:
            with no_grad():
                made = call.compute()
        return call.finished(made)


class _Call:
    """One call of a Function: its context, its arguments, and which results have gradients."""

    def __init__(self, cls, args, kwargs):
        self.cls, self.args, self.kwargs = cls, args, kwargs
        self.context = cls()
        self.places = [i for i, one in enumerate(args) if isinstance(one, Tensor)]
        self.inputs = [args[i] for i in self.places]
        self.shapes = [one._shape for one in self.inputs]
        is_on = _engine.gradient_mode()
        self.wanted = [is_on and one.requires_grad for one in self.inputs]
        self.context.needs_input_grad = tuple(is_on and isinstance(one, Tensor) and one.requires_grad for one in args)

    def compute(self):
        """Runs forward(); returns the tensors among its results that have gradients."""
        if self.cls.setup_context is not Function.setup_context:
            result = self.cls.forward(*self.args, **self.kwargs)
            self.cls.setup_context(self.context, self.args, result)
        else:
            result = self.cls.forward(self.context, *self.args, **self.kwargs)
        if any(self.wanted):
            self._check_saved()
        self.is_tuple = isinstance(result, tuple | list)
        # Results of kernels of other front ends become tensors here.
        self.results = [
            _engine.tensor_as(one, Tensor) if isinstance(one, _engine.BareArray) and not isinstance(one, Tensor) else one
            for one in (result if self.is_tuple else [result])
        ]
        not_differentiable = self.context._not_differentiable
        self.with_gradient = [
            i
            for i, one in enumerate(self.results)
            if isinstance(one, Tensor) and (one.is_floating_point() or one.is_complex()) and not any(one is x for x in not_differentiable)
        ]
        for i, one in enumerate(self.results):  # an argument that is said to have none
            if isinstance(one, Tensor) and i not in self.with_gradient and one.requires_grad:
                self.results[i] = one.detach()
        made = []
        for i in self.with_gradient:
            x = self.results[i]
            # What shares memory with an argument or another result gets a record of its own.
            made.append(x.detach() if any(x._shares_cell(one) for one in [*self.inputs, *made]) else x)
        return made

    def _check_saved(self):
        """Raise TypeError or RuntimeError for values that backward() cannot keep."""
        for i, (x, _) in enumerate(self.context._saved):
            if x is not None and not isinstance(x, Tensor):
                raise TypeError(f"save_for_backward can only save variables, but argument {i} is of type {type(x).__name__}")
            if x is not None and x.is_inference():
                raise RuntimeError(
                    f"Inference tensors cannot be saved for backward: {self.cls.__name__} was given one, or made one in inference mode. "
                    "Pass a clone() made outside of the mode, or use torch.no_grad() instead of inference_mode()."
                )

    def holds_values(self):
        """Did forward() save tensors?"""
        return bool(self.context._saved)

    def finished(self, made):
        """What apply() returns; ``made``: the tensors of compute(), with their record."""
        results = self.results
        for place, x in zip(self.with_gradient, made, strict=True):
            dirty = next((one for one in self.context._dirty if one is results[place]), None)
            if dirty is not None and _engine.gradient_mode() and dirty.requires_grad and dirty.is_leaf:
                raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
            if dirty is not None and any(self.wanted):  # changed in place: it is the result from now on
                _engine.set_view(dirty, x)
                x = dirty
            results[place] = x
        # Of what the zeros are that stand for missing gradients.
        self.traits = [(one._shape, one.dtype, one.device) if isinstance(one, Tensor) else None for one in results]
        # backward() may be called again where nothing was saved: the call lives as long as the history, the arguments need not.
        self.results = self.inputs = self.kwargs = None
        self.args = [isinstance(one, Tensor) for one in self.args]
        return tuple(results) if self.is_tuple else results[0]

    def derivative(self, given, asked):
        """Runs backward(): the gradients of the tensors among the arguments, from those of the results with gradients."""
        full = [None] * len(self.traits)
        for place, g in zip(self.with_gradient, given, strict=True):
            full[place] = g
        some = next(g for g in given if g is not None)
        if self.context.materialize_grads:
            for place, traits in enumerate(self.traits):
                if full[place] is None and traits is not None:
                    full[place] = some.new_zeros(traits[0], dtype=traits[1], device=traits[2])
        name = self.cls.__name__ + "Backward"
        function = self.cls.vjp if self.cls.vjp is not Function.backward else self.cls.backward
        found = function(self.context, *full)
        found = tuple(found) if isinstance(found, tuple | list) else (found,)
        count = len(self.args)
        if len(found) > count and all(one is None for one in found[count:]):
            found = found[:count]
        if len(found) != count:
            raise RuntimeError(f"function {name} returned an incorrect number of gradients (expected {count}, got {len(found)})")
        for place, g in enumerate(found):
            if g is not None and not self.args[place]:
                raise RuntimeError(f"function {name} returned a gradient different from None at position {place + 1}, but the "
                                   "corresponding forward input was not a Variable")  # fmt: skip
        return [self._fitting(found[p], p, shape, name) if one else None
                for p, shape, one in zip(self.places, self.shapes, asked, strict=True)]  # fmt: skip

    @staticmethod
    def _fitting(g, place, shape, name):
        """A gradient in the shape of its argument."""
        if g is None:
            return None
        if not isinstance(g, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(g).__name__})")
        if g._shape == shape:
            return g
        rest = g._shape[len(g._shape) - len(shape) :] if len(g._shape) >= len(shape) else None
        if rest is None or any(n not in (1, m) for m, n in zip(rest, shape, strict=True)):
            raise RuntimeError(
                f"Function {name} returned an invalid gradient at index {place} - got {list(g._shape)} but expected shape compatible "
                f"with {list(shape)}"
            )
        return _engine.summed_to(g, list(shape))


class _Once(Function):
    """What it is given; a derivative of it is an error."""

    @staticmethod
    def forward(ctx, *found):
        return found

    @staticmethod
    def backward(ctx, *given):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


def once_differentiable(function):
    """Decorate a ``backward()`` whose gradients have no gradients of their own.

    A second differentiation raises RuntimeError.

    Parameters
    ----------
    function : callable
        Static method ``backward(ctx, *grad_outputs)``.

    Returns
    -------
    callable
        Decorated method.
    """

    @functools.wraps(function)
    def once(ctx, *args):
        with no_grad():
            found = function(ctx, *args)
        if not _engine.gradient_mode() or not any(isinstance(g, Tensor) and g.requires_grad for g in args):
            return found
        many = found if isinstance(found, tuple) else (found,)
        many = _Once.apply(*(g if g is None else g.detach().requires_grad_() for g in many))
        return many if isinstance(found, tuple) else many[0]

    return once
