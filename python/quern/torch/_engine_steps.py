"""One call that takes a step of an optimizer for all its parameters."""

from quern.torch import _namespace as torch


def apply_rule(rule, rows, scalars):
    """Writes the new values of parameters and states in place, without recording gradients.

    Parameters: ``rule``: a Rule of ``optim._rules``; ``rows``: a list of tuples (param, grad, *states), one for each parameter;
    ``scalars``: the numbers that the rule names, in that order.
    """
    rest = rule.update.apply(rows, scalars, rule.order)
    if rest:
        interpret(rule, rest, scalars)


def interpret(rule, rows, scalars):
    """The same as apply_rule() by operations on tensors, for what the engine's rows do not take."""
    operands = rule.operands
    written = [operands.index(name) for name in rule.writes]
    with torch.no_grad():
        for row in rows:
            if row[0].is_complex():  # real and imaginary parts are parameters of their own
                row = [torch.view_as_real(t) for t in row]
            new = rule.python(*row, *scalars)
            for place, value in zip(written, new, strict=True):
                row[place].copy_(value)
