"""Gradients of array programs: of results with respect to the arrays that they were computed from, by reverse-mode differentiation.

>>> import quern as qn
>>> from quern.autograd import backward, grad_of, requires_grad
>>> x = requires_grad(qn.array([1.0, 2.0]))
>>> backward((x * x).sum())
>>> grad_of(x)
array([2., 4.])
"""

from quern.lib import _engine

__all__ = ["backward", "clear_grad", "detach", "grad_of", "gradients", "no_grad", "requires_grad"]


def requires_grad(x, wants=True):
    """Set whether gradients with respect to an array are computed; operations on it are recorded from then on.

    Parameters
    ----------
    x : Array
        Array of real or complex dtype.
    wants : bool, optional
        Whether gradients are computed.

    Returns
    -------
    Array
        `x` itself.

    Raises
    ------
    RuntimeError
        For other dtypes, and for results of recorded operations.

    Examples
    --------
    >>> import quern as qn
    >>> from quern.autograd import backward, grad_of, requires_grad
    >>> x = requires_grad(qn.array([1.0, 2.0]))
    >>> backward((x * x).sum())
    >>> grad_of(x)
    array([2., 4.])
    """
    _engine.want_gradient(x, wants)
    return x


def grad_of(x):
    """Return the gradient that backward() has accumulated for an array.

    Parameters
    ----------
    x : Array
        Array of requires_grad().

    Returns
    -------
    Array or None
        The gradient; None before backward().

    Examples
    --------
    >>> import quern as qn
    >>> from quern.autograd import grad_of, requires_grad
    >>> grad_of(requires_grad(qn.ones(2))) is None
    True
    """
    return _engine.gradient(x)


def clear_grad(*arrays):
    """Reset the accumulated gradients of arrays to None.

    Parameters
    ----------
    *arrays : Array
        Arrays of requires_grad().

    Examples
    --------
    >>> import quern as qn
    >>> from quern.autograd import backward, clear_grad, grad_of, requires_grad
    >>> x = requires_grad(qn.ones(2))
    >>> backward(x.sum())
    >>> clear_grad(x)
    >>> grad_of(x) is None
    True
    """
    for x in arrays:
        _engine.set_gradient(x, None)


def detach(x):
    """Return an array of the same memory through which no gradient passes.

    Parameters
    ----------
    x : Array
        Array of any dtype.

    Returns
    -------
    Array
        A view of all of `x`; writing to it changes `x`.

    Examples
    --------
    >>> import quern as qn
    >>> from quern.autograd import detach, requires_grad
    >>> detach(requires_grad(qn.ones(2)) * 2)
    array([2., 2.])
    """
    return _engine.detached(x)


def backward(y, given=None, *, retain_graph=False, create_graph=False):
    """Compute the gradient of a result, and add it to the gradients of the arrays that the result depends on.

    Parameters
    ----------
    y : Array
        Result of recorded operations.
    given : Array, optional
        Gradient of the objective with respect to `y`; 1 by default if `y` has one element.
    retain_graph : bool, optional
        Whether to keep the recorded operations for another call.
    create_graph : bool, optional
        Whether to record the computation of the gradients, for derivatives of higher order.

    Raises
    ------
    RuntimeError
        If no array of requires_grad() takes part, or if the recorded operations were freed by an earlier call.

    Examples
    --------
    >>> import quern as qn
    >>> from quern.autograd import backward, grad_of, requires_grad
    >>> x = requires_grad(qn.array([3.0]))
    >>> backward(x * x)
    >>> grad_of(x)
    array([6.])
    """
    _engine.backward((y,), (given,), (), retain_graph or create_graph, create_graph)


def gradients(ys, xs, given=None, *, retain_graph=False, create_graph=False, allow_unused=False):
    """Return the gradients of results with respect to arrays; the gradients of grad_of() stay as they are.

    Parameters
    ----------
    ys : Array or sequence of Array
        Results of recorded operations.
    xs : Array or sequence of Array
        Arrays to differentiate with respect to.
    given : Array or sequence of Array, optional
        Gradient of the objective with respect to each result; 1 by default for results of one element.
    retain_graph : bool, optional
        Whether to keep the recorded operations for another call.
    create_graph : bool, optional
        Whether to record the computation of the gradients, for derivatives of higher order.
    allow_unused : bool, optional
        Whether to return None, instead of raising, for arrays that no result depends on.

    Returns
    -------
    list of Array
        A gradient for each array of `xs`.

    Raises
    ------
    RuntimeError
        If no result depends on an array of `xs`, and `allow_unused` is False.
    TypeError
        For other objects than arrays, such as variables of Keras; pass their ``value``.

    Examples
    --------
    >>> import quern as qn
    >>> from quern.autograd import gradients, requires_grad
    >>> x = requires_grad(qn.array([3.0]))
    >>> gradients(x * x, x)
    [array([6.])]
    """
    ys = tuple(ys) if isinstance(ys, (tuple, list)) else (ys,)
    xs = tuple(xs) if isinstance(xs, (tuple, list)) else (xs,)
    for x in (*ys, *xs):
        if not isinstance(x, _engine.Array) and isinstance(getattr(x, "value", None), _engine.Array):
            raise TypeError(f"[gradients] an operand must be an array, not {type(x).__name__}; pass its `.value`")
    given = (None,) * len(ys) if given is None else tuple(given) if isinstance(given, (tuple, list)) else (given,)
    return _engine.gradients(ys, given, xs, retain_graph or create_graph, create_graph, allow_unused)


class no_grad:  # noqa: N801
    """Record no operations in a ``with`` block.

    Examples
    --------
    >>> import quern as qn
    >>> from quern.autograd import no_grad, requires_grad
    >>> w = requires_grad(qn.ones(2))
    >>> with no_grad():
    ...     w -= 0.1
    >>> w
    array([0.9, 0.9])
    """

    def __enter__(self):
        self._before = _engine.set_gradient_mode(False)

    def __exit__(self, *error):
        _engine.set_gradient_mode(self._before)
