"""Derivatives of functions as tensors: Jacobians, Hessians, and their products with vectors."""

from quern.torch._core import Tensor
from quern.torch._shaping import stack
from quern.torch.autograd._gradients import grad
from quern.torch.autograd.grad_mode import enable_grad


def _tuple(value, what="outputs of the user-provided function", name=""):
    """A tensor or a tuple of tensors as a tuple. Raises TypeError for others, also for lists."""
    values = value if isinstance(value, tuple) else (value,)
    for i, one in enumerate(values):
        if not isinstance(one, Tensor):
            which = f"value at index {i}" if isinstance(value, tuple) else f"given {what}"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the {which} has type {type(one)}."
            )
    return values


def _inputs(inputs, create_graph, name):
    inputs = _tuple(inputs, "inputs", name)
    return tuple(x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_() for x in inputs)


def _single(output, name, strict):
    """The output of a function that returns one number."""
    _check_requires_grad(_tuple(output, name=name), "outputs", strict)
    if isinstance(output, tuple):
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if output.numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")
    return output


def _vectors(v, others, is_single, name):
    """The vectors, whose shapes are those of the others."""
    vectors = _tuple(v, "v", name)
    if len(vectors) != len(others):
        invalid = f"v is a tuple of invalid length: should be {len(others)} but got {len(vectors)}."
        raise RuntimeError("The given v should contain a single Tensor." if is_single else invalid)
    for i, (one, other) in enumerate(zip(vectors, others, strict=True)):
        if one.shape != other.shape:
            entry = "" if is_single else f"Entry {i} in "
            raise RuntimeError(f"{entry}v has invalid size: should be {other.size()} but got {one.size()}.")
    return vectors


def _check_ways(name, strategy, create_graph, strict, vectorize):
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(f"Expected strategy to be either 'forward-mode' or 'reverse-mode'. Got: {strategy}")
    if strict and vectorize:
        raise RuntimeError(
            f"torch.autograd.functional.{name}: `strict=True` and `vectorize=True` are not supported together. Set one of them to False."
        )
    if strategy == "forward-mode" and create_graph:
        raise NotImplementedError(f"torch.autograd.functional.{name}: `create_graph=True` is not implemented for forward-mode strategy")
    if strategy == "forward-mode" and not vectorize:
        raise NotImplementedError(f"torch.autograd.functional.{name}: forward-mode strategy is only supported with `vectorize=True`")


def _given(values, is_single):
    return values[0] if is_single else tuple(values)


_UNMET = {
    "outputs": "Output {} of the user-provided function does not require gradients. The outputs must be computed in a differentiable "
    "manner from the input when running in strict mode.",
    "grad_inputs": "The gradient with respect to input {} is independent of the inputs of the user-provided function. This is not "
    "allowed in strict mode.",
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function with respect to input {} is "
    "independent of the input. This is not allowed in strict mode. You should ensure that your function is twice differentiable and that "
    "the jacobian depends on the inputs (this would be violated by a linear function for example).",
}
_UNUSED = {
    "output": "Output {1} of the user-provided function is independent of input {0}. This is not allowed in strict mode.",
    "back": "The output of the user-provided function is independent of input {}. This is not allowed in strict mode.",
    "back_trick": "The gradient with respect to the input is independent of entry {} in the grad_outputs when using the double backward "
    "trick to compute forward mode gradients. This is not allowed in strict mode.",
    "double_back": "The jacobian of the user-provided function is independent of input {}. This is not allowed in strict mode.",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. This is not allowed "
    "in strict mode as it prevents from using the double backward trick to replace forward mode AD.",
}


def _check_requires_grad(values, kind, strict):
    """Raises RuntimeError in strict mode for values, of a kind in _UNMET, that have no derivative."""
    for i, one in enumerate(values if strict else ()):
        if one is None:
            raise RuntimeError(_UNUSED["back"].format(i))
        if not one.requires_grad:
            raise RuntimeError(_UNMET[kind].format(i))


def _slopes(outputs, inputs, vectors, create_graph, retain_graph=None):
    """The gradients of the inputs; None for what no output depends on."""
    vectors = (None,) * len(outputs) if vectors is None else vectors
    known = [i for i, output in enumerate(outputs) if output is not None and output.requires_grad]
    if not known:
        return (None,) * len(inputs)
    named = {"retain_graph": retain_graph, "create_graph": create_graph, "allow_unused": True}
    return grad([outputs[i] for i in known], inputs, [vectors[i] for i in known], **named)


def _filled(found, like, strict, create_graph, stage, output=None):
    """Gradients with zeros where there is none, which ``strict`` refuses; ``stage``: the message, in _UNUSED."""
    for i, g in enumerate(found if strict else ()):
        if g is None:
            raise RuntimeError(_UNUSED[stage].format(i, output))
        if create_graph and not g.requires_grad:
            what = "hessian" if "double" in stage else "jacobian"
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {i if output is None else output}. This is not allowed "
                "in strict mode when create_graph=True."
            )
    found = tuple(x.new_zeros(x._shape) if g is None else g for x, g in zip(like, found, strict=True))
    return found if create_graph else tuple(g.detach() for g in found)


@enable_grad()
def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """Return the derivatives of each element of the outputs with respect to each element of the inputs.

    Parameters
    ----------
    func : callable
        Function of tensors that returns a tensor or a tuple of tensors.
    inputs : Tensor or tuple of Tensor
        Where the derivatives are taken; floating-point, of any shapes.
    create_graph : bool, optional
        Whether the result can be differentiated.
    strict : bool, optional
        Whether to raise RuntimeError where an output does not depend on an input; zeros otherwise.
    vectorize : bool, optional
        Accepted for compatibility.
    strategy : str, optional
        "reverse-mode" or "forward-mode", which needs ``vectorize=True``.

    Returns
    -------
    Tensor or tuple of Tensor
        Shape of the output followed by that of the input; tuples for several outputs or inputs.

    Examples
    --------
    >>> from quern import torch
    >>> torch.autograd.functional.jacobian(torch.square, torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    _check_ways("jacobian", strategy, create_graph, strict, vectorize)
    given = _inputs(inputs, create_graph, "jacobian")
    outputs = func(*given)
    rows = []
    parts = _tuple(outputs, name="jacobian")
    _check_requires_grad(parts, "outputs", strict)
    for number, output in enumerate(parts):
        flat = output.reshape(-1)
        columns = [[] for _ in given]
        for i in range(flat.numel()):
            found = _slopes((flat[i],), given, None, create_graph, retain_graph=True)
            found = _filled(found, given, strict, create_graph, "output", number)
            for column, g in zip(columns, found, strict=True):
                column.append(g)
        rows.append(
            tuple(
                stack(c).reshape([*output._shape, *x._shape]) if c else x.new_zeros([*output._shape, *x._shape])
                for c, x in zip(columns, given, strict=True)
            )
        )
        if strategy == "forward-mode":
            rows[-1] = tuple(one.to(output.dtype) for one in rows[-1])
    rows = [_given(row, isinstance(inputs, Tensor)) for row in rows]
    return _given(rows, isinstance(outputs, Tensor))


@enable_grad()
def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """Return the matrix of second derivatives of a function with a scalar result.

    Parameters
    ----------
    func : callable
        Function of tensors that returns a tensor with one element.
    inputs : Tensor or tuple of Tensor
        Where the derivatives are taken; floating-point, of any shapes.
    create_graph : bool, optional
        Whether the result can be differentiated.
    strict : bool, optional
        Whether to raise RuntimeError where the result does not depend on an input; zeros otherwise.
    vectorize : bool, optional
        Accepted for compatibility.
    outer_jacobian_strategy : str, optional
        "reverse-mode" or "forward-mode".

    Returns
    -------
    Tensor or tuple of tuples of Tensor
        Shape of the input twice, in its dtype; for several inputs a block for each pair.

    Examples
    --------
    >>> from quern import torch
    >>> torch.autograd.functional.hessian(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """

    _check_ways("hessian", outer_jacobian_strategy, create_graph, strict, vectorize)
    _tuple(inputs, "inputs", "hessian")

    def slopes(*args):
        is_single = isinstance(inputs, Tensor)
        given = args[0] if is_single else args
        found = jacobian(lambda *x: _single(func(*x), "hessian", strict).reshape(()), given, create_graph=True)
        _check_requires_grad(_tuple(found), "jacobian", strict)
        return found

    return jacobian(slopes, inputs, create_graph=create_graph, strict=strict)


@enable_grad()
def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """Return the outputs of a function, and the product of a vector with its Jacobian.

    Parameters
    ----------
    func : callable
        Function of tensors that returns a tensor or a tuple of tensors.
    inputs : Tensor or tuple of Tensor
        Where the derivatives are taken; floating-point, of any shapes.
    v : Tensor or tuple of Tensor, optional
        Vector, in the shape of the outputs; not needed where the output has one element.
    create_graph : bool, optional
        Whether the result can be differentiated.
    strict : bool, optional
        Whether to raise RuntimeError where an output does not depend on an input; zeros otherwise.

    Returns
    -------
    tuple
        Outputs, and the product in the shape of the inputs.

    Raises
    ------
    RuntimeError
        For a `v` that is missing or has another shape.

    Examples
    --------
    >>> from quern import torch
    >>> torch.autograd.functional.vjp(torch.square, torch.tensor([1.0, 2.0]), torch.ones(2))
    (tensor([1., 4.]), tensor([2., 4.]))
    """
    given = _inputs(inputs, create_graph, "vjp")
    outputs = func(*given)
    parts = _tuple(outputs, name="vjp")
    if v is None and not (isinstance(outputs, Tensor) and outputs.numel() == 1):
        raise RuntimeError("The vector v can only be None if the user-provided function returns a single Tensor with a single element.")
    _check_requires_grad(parts, "outputs", strict)
    vectors = None if v is None else _vectors(v, parts, isinstance(outputs, Tensor), "vjp")
    found = _filled(_slopes(parts, given, vectors, create_graph), given, strict, create_graph, "back")
    shown = outputs if create_graph else _given([o.detach() for o in parts], isinstance(outputs, Tensor))
    return shown, _given(found, isinstance(inputs, Tensor))


@enable_grad()
def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """Return the outputs of a function, and the product of its Jacobian with a vector.

    Parameters
    ----------
    func : callable
        Function of tensors that returns a tensor or a tuple of tensors.
    inputs : Tensor or tuple of Tensor
        Where the derivatives are taken; floating-point, of any shapes.
    v : Tensor or tuple of Tensor, optional
        Vector, in the shape of the inputs; not needed where the input has one element.
    create_graph : bool, optional
        Whether the result can be differentiated.
    strict : bool, optional
        Whether to raise RuntimeError where an output does not depend on an input; zeros otherwise.

    Returns
    -------
    tuple
        Outputs, and the product in the shape of the outputs.

    Raises
    ------
    RuntimeError
        For a `v` that is missing or has another shape.

    Examples
    --------
    >>> from quern import torch
    >>> torch.autograd.functional.jvp(torch.square, torch.tensor([1.0, 2.0]), torch.ones(2))
    (tensor([1., 4.]), tensor([2., 4.]))
    """
    given = _inputs(inputs, create_graph, "jvp")
    if v is None and not (len(given) == 1 and given[0].numel() == 1):
        raise RuntimeError(
            "The vector v can only be None if the input to the user-provided function is a single Tensor with a single element."
        )
    vectors = [x.new_ones(x._shape) for x in given] if v is None else _vectors(v, given, isinstance(inputs, Tensor), "jvp")
    outputs = func(*given)
    parts = _tuple(outputs, name="jvp")
    _check_requires_grad(parts, "outputs", strict)
    dummies = [o.new_zeros(o._shape).requires_grad_() for o in parts]
    slopes = _slopes(parts, given, dummies, True)
    _check_requires_grad(slopes, "grad_inputs", strict)
    found = _filled(_slopes(slopes, dummies, vectors, create_graph), parts, strict, create_graph, "back_trick")
    shown = outputs if create_graph else _given([o.detach() for o in parts], isinstance(outputs, Tensor))
    return shown, _given(found, isinstance(outputs, Tensor))


@enable_grad()
def _of_second(name, func, inputs, v, create_graph, strict):
    given = _inputs(inputs, create_graph, name)
    is_single = isinstance(inputs, Tensor)
    if v is None and not (len(given) == 1 and given[0].numel() == 1):
        raise RuntimeError(
            "The vector v can only be None if the input to the user-provided function is a single Tensor with a single element."
        )
    vectors = [x.new_ones(x._shape) for x in given] if v is None else _vectors(v, given, is_single, name)
    output = _single(func(*given), name, strict)
    slopes = _slopes((output,), given, None, True)
    _check_requires_grad(slopes, "jacobian", strict)
    if name == "vhp":
        found = _filled(_slopes(slopes, given, vectors, create_graph), given, strict, create_graph, "double_back")
    else:  # the Jacobian of the gradient by the vector, which is the derivative of the product the other way around
        dummies = [x.new_zeros(x._shape).requires_grad_() for x in given]
        products = _slopes(slopes, given, dummies, True)
        found = _filled(_slopes(products, dummies, vectors, create_graph), given, strict, create_graph, "double_back_trick")
    return (output if create_graph else output.detach()), _given(found, is_single)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """Return the output of a function, and the product of its second derivatives with a vector.

    Parameters
    ----------
    func : callable
        Function of tensors that returns a tensor with one element.
    inputs : Tensor or tuple of Tensor
        Where the derivatives are taken; floating-point, of any shapes.
    v : Tensor or tuple of Tensor, optional
        Vector, in the shape of the inputs; not needed where the input has one element.
    create_graph : bool, optional
        Whether the result can be differentiated.
    strict : bool, optional
        Whether to raise RuntimeError where an output does not depend on an input; zeros otherwise.

    Returns
    -------
    tuple
        Output, and the product in the shape of the inputs.

    Raises
    ------
    RuntimeError
        For a `v` that is missing or has another shape.

    Examples
    --------
    >>> from quern import torch
    >>> torch.autograd.functional.hvp(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]), torch.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    return _of_second("hvp", func, inputs, v, create_graph, strict)


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """Return the output of a function, and the product of a vector with its second derivatives.

    Parameters
    ----------
    func : callable
        Function of tensors that returns a tensor with one element.
    inputs : Tensor or tuple of Tensor
        Where the derivatives are taken; floating-point, of any shapes.
    v : Tensor or tuple of Tensor, optional
        Vector, in the shape of the inputs; not needed where the input has one element.
    create_graph : bool, optional
        Whether the result can be differentiated.
    strict : bool, optional
        Whether to raise RuntimeError where an output does not depend on an input; zeros otherwise.

    Returns
    -------
    tuple
        Output, and the product in the shape of the inputs; the same as that of :func:`hvp`, since the matrix is symmetric.

    Raises
    ------
    RuntimeError
        For a `v` that is missing or has another shape.

    Examples
    --------
    >>> from quern import torch
    >>> torch.autograd.functional.vhp(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]), torch.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    return _of_second("vhp", func, inputs, v, create_graph, strict)
