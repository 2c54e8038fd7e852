"""One call that takes a step of an optimizer for all its parameters."""

from quern.lib import _engine
from quern.torch import _namespace as torch


def apply_rule(rule, rows, scalars):
    """Writes the new values of parameters and states in place, without recording gradients.

    Parameters: ``rule``: the name of an update of the engine (``engine/functions/optimizers.def``); ``rows``: a list of tuples
    (param, grad, *states), one for each parameter; ``scalars``: the numbers that the rule takes, in that order.
    """
    rest = _engine.take_steps(rule, rows, scalars)
    if rest:  # real and imaginary parts are parameters of their own
        _engine.take_steps(rule, [tuple(torch.view_as_real(t) for t in row) for row in rest], scalars)
