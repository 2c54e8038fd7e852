"""Backward hooks of modules: two steps of the tape around a module, which call them where the gradients pass."""

from quern.torch import _namespace as torch


class Around:
    """One call of a module between two steps that do nothing but call its hooks.

    ``hooks`` are called with (module, gradients of the inputs, gradients of the outputs), ``before`` with (module, gradients of the
    outputs) before the module's own backward; what is returned takes the place of the first named gradients.
    """

    def __init__(self, module, hooks, before):
        self.module = module
        self.hooks = hooks
        self.before = before
        self.grad_output = None
        self.n_inputs = 0
        self.places = []  # of the inputs that have gradients, by position

    def inputs(self, args):
        """The arguments, the tensors among them through the step at whose end their gradients are known."""
        self.n_inputs = len(args)
        if not torch.is_grad_enabled():
            return args
        self.places = [i for i, x in enumerate(args) if isinstance(x, torch.Tensor) and x.requires_grad]
        return _through(_AtInputs, self, args, self.places)

    def outputs(self, output):
        """The module's output through the step at whose end the hooks begin."""
        single = isinstance(output, torch.Tensor)
        results = (output,) if single else output
        if torch.is_grad_enabled():
            places = [i for i, x in enumerate(results) if isinstance(x, torch.Tensor) and x.requires_grad]
            self.n_outputs, self.output_places = len(results), places
            results = _through(_AtOutputs, self, results, places)
        return results[0] if single else results

    def at_outputs(self, grads):
        """The gradients of the outputs came: the hooks before the backward, and those of a module whose inputs want no gradients."""
        grads = _spread(grads, self.output_places, self.n_outputs)
        for hook in self.before:
            changed = hook(self.module, grads)
            if changed is not None:
                grads = _checked(changed, grads, "pre hook", "grad_output")
        self.grad_output = grads
        if not self.places:
            for hook in self.hooks:
                if hook(self.module, (None,) * self.n_inputs, grads) is not None:
                    raise RuntimeError(
                        "Backward hooks that do not have any of their inputs' gradients to compute must return None: "
                        "no input of this module requires grad."
                    )
        return tuple(grads[i] for i in self.output_places)

    def at_inputs(self, grads):
        """The gradients of the inputs are known."""
        grads = _spread(grads, self.places, self.n_inputs)
        for hook in self.hooks:
            changed = hook(self.module, grads, self.grad_output)
            if changed is not None:
                grads = _checked(changed, grads, "hook", "grad_input")
        return tuple(grads[i] for i in self.places)


def _through(step, around, values, places):
    if not places:
        return values
    results = step.apply(around, *[values[i] for i in places])
    values = list(values)
    for i, result in zip(places, results, strict=True):
        values[i] = result
    return tuple(values)


def _spread(grads, places, n):
    full = [None] * n
    for i, g in zip(places, grads, strict=True):
        full[i] = g
    return tuple(full)


def _checked(changed, grads, what, name):
    changed = changed if isinstance(changed, tuple) else (changed,)
    if len(changed) != len(grads):
        raise RuntimeError(f"Backward {what} returned an invalid number of {name}, got {len(changed)}, but expected {len(grads)}")
    return changed


class _AtInputs(torch.autograd.Function):
    @staticmethod
    def forward(ctx, around, *tensors):
        ctx.set_materialize_grads(False)
        ctx.around = around
        return tuple(x.view_as(x) for x in tensors)

    @staticmethod
    def backward(ctx, *grads):
        return None, *ctx.around.at_inputs(grads)


class _AtOutputs(torch.autograd.Function):
    @staticmethod
    def forward(ctx, around, *tensors):
        ctx.set_materialize_grads(False)
        ctx.around = around
        return tuple(x.view_as(x) for x in tensors)

    @staticmethod
    def backward(ctx, *grads):
        return None, *ctx.around.at_outputs(grads)
