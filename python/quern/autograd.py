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
    """Makes an array of real or complex numbers ask for a gradient, or not; returns it.

    What is computed from it is recorded from then on. Raises RuntimeError for other types, and for computed arrays that want one already.
    """
    _engine.want_gradient(x, wants)
    return x


def grad_of(x):
    """What backward() has added up for an array; None before."""
    return _engine.gradient(x)


def clear_grad(*arrays):
    """Forgets what backward() has added up for arrays: the next one begins anew."""
    for x in arrays:
        _engine.set_gradient(x, None)


def detach(x):
    """The same memory without the record: no gradient passes. Writing to it changes x."""
    return _engine.detached(x)


def backward(y, given=None, *, retain_graph=False, create_graph=False):
    """Adds the gradient of a result to those of the arrays that it was computed from.

    Parameters: ``given``: how often each element counts, by default one for a result of one element; ``retain_graph``: the record is kept
    for another call; ``create_graph``: the gradients are recorded themselves.
    Raises RuntimeError where nothing asks for a gradient, and where the record is gone.
    """
    _engine.backward((y,), (given,), (), retain_graph or create_graph, create_graph)


def gradients(ys, xs, given=None, *, retain_graph=False, create_graph=False, allow_unused=False):
    """The gradients of results with respect to arrays, as a list; nothing is added to those of grad_of().

    Parameters: ``ys``, ``xs``: an array or a sequence; ``given``: one for each result; the others as of backward(); ``allow_unused``: None
    for arrays that no result depends on, instead of RuntimeError.
    """
    ys = tuple(ys) if isinstance(ys, (tuple, list)) else (ys,)
    xs = tuple(xs) if isinstance(xs, (tuple, list)) else (xs,)
    given = (None,) * len(ys) if given is None else tuple(given) if isinstance(given, (tuple, list)) else (given,)
    return _engine.gradients(ys, given, xs, retain_graph or create_graph, create_graph, allow_unused)


class no_grad:  # noqa: N801
    """While it lasts nothing is recorded: ``with no_grad(): w -= 0.1 * grad_of(w)``."""

    def __enter__(self):
        self._before = _engine.set_gradient_mode(False)

    def __exit__(self, *error):
        _engine.set_gradient_mode(self._before)
