"""backward() and grad()."""

from quern.lib import _engine
from quern.torch._core import Tensor
from quern.torch._shaping import stack


def _sequence(value):
    if value is None:
        return ()
    return (value,) if isinstance(value, Tensor) else tuple(value)


def inputs_of(value):
    """Return the tensors that gradients are wanted of, as a tuple."""
    tensors = _sequence(value)
    for one in tensors:
        if not isinstance(one, Tensor):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(one).__name__}")
    return tensors


def _given(gradients, outputs):
    """A gradient, or None, for each output."""
    given = _sequence(gradients) or (None,) * len(outputs)
    if len(given) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(given)} gradients")
    return given


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None):
    """Adds the gradients of tensors to the ``grad`` of the leaves that they depend on.

    Parameters: ``grad_tensors``: the gradient of each, None for 1 of a single number; ``retain_graph``: it can be called again, by default
    what ``create_graph`` says; ``create_graph``: gradients have gradients; ``inputs``: only these get one.
    Raises RuntimeError where nothing wants a gradient, for shapes that differ, and where values are gone.
    """
    tensors = _sequence(tensors)
    given = _given(grad_tensors, tensors)
    if inputs is not None:
        inputs = inputs_of(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    retain = create_graph if retain_graph is None else retain_graph
    _engine.backward(tensors, given, inputs or (), bool(retain), bool(create_graph))


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    only_inputs=True,
    allow_unused=None,
    is_grads_batched=False,
    materialize_grads=False,
):
    """The gradients of outputs with respect to inputs, as a tuple; nothing is added to leaves.

    Parameters: as of :func:`backward`; ``allow_unused``: None for inputs that the outputs do not depend on, else RuntimeError;
    ``materialize_grads``: zeros for those; ``is_grads_batched``: each gradient has a first dimension more, over which it is repeated.

    >>> import quern.torch as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> torch.autograd.grad(x**2, x)
    (tensor(6.),)
    """
    outputs, inputs = _sequence(outputs), inputs_of(inputs)
    if not inputs:
        raise RuntimeError("grad requires non-empty inputs.")
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.")
    given = _given(grad_outputs, outputs)
    retain = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        count = given[0]._shape[0]
        rows = [
            grad(outputs, inputs, [g[i] for g in given], retain or i < count - 1, create_graph, allow_unused=allow_unused)
            for i in range(count)
        ]
        return tuple(None if column[0] is None else stack(column) for column in zip(*rows, strict=True))
    allow = materialize_grads if allow_unused is None else allow_unused
    found = _engine.gradients(outputs, given, inputs, bool(retain), bool(create_graph), bool(allow))
    if materialize_grads:
        found = [x.new_zeros(x._shape) if g is None else g for x, g in zip(inputs, found, strict=True)]
    return tuple(found)
