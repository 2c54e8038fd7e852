"""Derivatives of functions as tensors: Jacobians, Hessians, and their products with vectors."""

from quern.torch._core import Tensor
from quern.torch._shaping import stack
from quern.torch.autograd._gradients import grad


def _tuple(value):
    return (value,) if isinstance(value, Tensor) else tuple(value)


def _inputs(inputs, create_graph):
    return tuple(x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_() for x in _tuple(inputs))


def _given(values, is_single):
    return values[0] if is_single else tuple(values)


def _slopes(outputs, inputs, vectors, create_graph, strict=False, retain_graph=None):
    """The gradients of the inputs; zeros for what no output depends on, which ``strict`` refuses."""
    outputs = _tuple(outputs)
    vectors = (None,) * len(outputs) if vectors is None else _tuple(vectors)
    known = [i for i, output in enumerate(outputs) if output.requires_grad]
    if strict and len(known) < len(outputs):
        i = next(i for i, output in enumerate(outputs) if not output.requires_grad)
        raise RuntimeError(f"Output {i} of the user-provided function does not require gradients, which strict=True does not allow")
    found = [None] * len(inputs)
    if known:
        named = {"retain_graph": retain_graph, "create_graph": create_graph, "allow_unused": True}
        found = grad([outputs[i] for i in known], inputs, [vectors[i] for i in known], **named)
    for i, g in enumerate(found):
        if strict and g is None:
            raise RuntimeError(f"The output of the user-provided function is independent of input {i}, which strict=True does not allow")
    return tuple(x.new_zeros(x._shape) if g is None else g for x, g in zip(inputs, found, strict=True))


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """The derivatives of each element of the outputs by each of the inputs: sizes of the output, then of the input."""
    given = _inputs(inputs, create_graph)
    outputs = func(*given)
    rows = []
    for output in _tuple(outputs):
        flat = output.reshape(-1)
        columns = [[] for _ in given]
        for i in range(flat.numel()):
            found = _slopes(flat[i], given, None, create_graph, strict, retain_graph=True)
            for column, g in zip(columns, found, strict=True):
                column.append(g)
        rows.append(
            tuple(
                stack(c).reshape([*output._shape, *x._shape]) if c else x.new_zeros([*output._shape, *x._shape])
                for c, x in zip(columns, given, strict=True)
            )
        )
    rows = [_given(row, isinstance(inputs, Tensor)) for row in rows]
    return _given(rows, isinstance(outputs, Tensor))


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """The second derivatives of a function with one number as its result."""

    def slopes(*args):
        single = isinstance(inputs, Tensor)
        found = jacobian(func, args[0] if single else args, create_graph=True, strict=strict)
        return found if single else tuple(found)

    return jacobian(slopes, inputs, create_graph=create_graph, strict=strict)


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """(outputs, the vector times the Jacobian)."""
    given = _inputs(inputs, create_graph)
    outputs = func(*given)
    if v is None and not (isinstance(outputs, Tensor) and outputs.numel() == 1):
        raise RuntimeError("The vector v can only be None if the user-provided function returns a single Tensor with a single element.")
    vectors = None if v is None else _tuple(v)
    found = _slopes(outputs, given, vectors, create_graph, strict)
    shown = outputs if create_graph else _given([o.detach() for o in _tuple(outputs)], isinstance(outputs, Tensor))
    return shown, _given(found, isinstance(inputs, Tensor))


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """(outputs, the Jacobian times the vector), by the gradient of the gradient."""
    given = _inputs(inputs, create_graph)
    if v is None and not (len(given) == 1 and given[0].numel() == 1):
        raise RuntimeError(
            "The vector v can only be None if the input to the user-provided function is a single Tensor with a single element."
        )
    outputs = func(*given)
    vectors = [x.new_ones(x._shape) for x in given] if v is None else _tuple(v)
    dummies = [o.new_zeros(o._shape).requires_grad_() for o in _tuple(outputs)]
    slopes = _slopes(outputs, given, dummies, True, strict)
    found = _slopes(slopes, dummies, vectors, create_graph)
    shown = outputs if create_graph else _given([o.detach() for o in _tuple(outputs)], isinstance(outputs, Tensor))
    return shown, _given(found, isinstance(outputs, Tensor))


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """(output, the second derivatives times the vector)."""
    given = _inputs(inputs, create_graph)
    output = func(*given)
    if not isinstance(output, Tensor):
        raise RuntimeError("The function given to hvp should return a single Tensor")
    if output.numel() != 1:
        raise RuntimeError("The Tensor returned by the function given to hvp should contain a single element")
    vectors = [x.new_ones(x._shape) for x in given] if v is None else _tuple(v)
    slopes = _slopes(output, given, None, True, strict)
    found = _slopes(slopes, given, vectors, create_graph, strict)
    return (output if create_graph else output.detach()), _given(found, isinstance(inputs, Tensor))


vhp = hvp
