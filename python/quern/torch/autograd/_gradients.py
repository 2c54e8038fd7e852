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
    """Add the gradients of tensors to ``grad`` of the leaves that they depend on.

    Parameters
    ----------
    tensors : Tensor or sequence of Tensor
        Tensors to differentiate.
    grad_tensors : Tensor or sequence of Tensor, optional
        Gradients of the tensors; None is 1 for tensors of one element.
    retain_graph : bool, optional
        Whether the recorded operations stay for another call; None is `create_graph`.
    create_graph : bool, optional
        Whether the gradients are recorded, too, for gradients of gradients.
    grad_variables : optional
        Old name of `grad_tensors`.
    inputs : Tensor or sequence of Tensor, optional
        Leaves whose gradients are computed; None: all.

    Raises
    ------
    RuntimeError
        For tensors without a gradient, and for tensors of several elements without `grad_tensors`.

    Examples
    --------
    >>> from quern import torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> torch.autograd.backward(x * x)
    >>> x.grad
    tensor(6.)
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
    """Return the gradients of outputs with respect to inputs; nothing is added to ``grad`` of leaves.

    Parameters
    ----------
    outputs : Tensor or sequence of Tensor
        Tensors to differentiate.
    inputs : Tensor or sequence of Tensor
        Tensors with respect to which they are differentiated.
    grad_outputs : Tensor or sequence of Tensor, optional
        Gradients of the outputs; None is 1 for outputs of one element.
    retain_graph : bool, optional
        Whether the recorded operations stay for another call; None is `create_graph`.
    create_graph : bool, optional
        Whether the gradients are recorded, too, for gradients of gradients.
    only_inputs : bool, optional
        Accepted for compatibility; must be True.
    allow_unused : bool, optional
        Whether inputs that the outputs do not depend on have the gradient None instead of an error.
    is_grads_batched : bool, optional
        Whether `grad_outputs` has a batch in its first dimension.
    materialize_grads : bool, optional
        Whether the gradients of unused inputs are zeros.

    Returns
    -------
    tuple of Tensor
        A gradient for each input.

    Raises
    ------
    RuntimeError
        For outputs or inputs without a gradient, and for outputs of several elements without `grad_outputs`.

    Examples
    --------
    >>> from quern import torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> torch.autograd.grad(x * x, x)
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
