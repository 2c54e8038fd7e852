"""One call that takes a step of an optimizer for all its parameters."""

import contextlib
import threading

from quern.lib import _engine
from quern.torch import _namespace as torch

updates = _engine.torch_updates  # what optimizers make of their options and of the step: (rule, numbers)


_conditions = threading.local()


@contextlib.contextmanager
def unless(found):
    """Within it, steps leave parameters and states as they are where the tensor `found` is not 0; nothing waits for its value."""
    _conditions.found = found
    try:
        yield
    finally:
        _conditions.found = None


def apply_rule(update, rows, decays):
    """Writes the new values of parameters and states in place, without recording gradients.

    Parameters: ``update``: one of ``updates``; ``rows``: a list of tuples (param, grad, *states), one for each parameter; ``decays``:
    (sign of the gradient, what is added to it times the parameter, what the parameter is multiplied by).
    """
    rule, numbers = update
    numbers = (*decays, *numbers)
    found = getattr(_conditions, "found", None)
    rest = _engine.take_steps(rule, rows, numbers, found)
    if rest:  # real and imaginary parts are parameters of their own
        _engine.take_steps(rule, [tuple(torch.view_as_real(t) for t in row) for row in rest], numbers, found)
