"""One call that takes a step of an optimizer for all its parameters."""

from quern.torch import _namespace as torch


def apply_rule(rule, rows, scalars):
    """Writes the new values of parameters and states in place, without recording gradients.

    Parameters: ``rule``: a Rule of ``optim._rules``; ``rows``: a list of tuples (param, grad, *states), one for each parameter;
    ``scalars``: the numbers that the rule names, in that order.
    """
    plain, rest = [], []
    for row in rows:
        name = row[0]._dtype_name
        fits = name in ("float32", "float64") and all(x._dtype_name == name and x._shape == row[0]._shape for x in row)
        (plain if fits else rest).append(row)
    if plain:
        order = rule.order
        rule.update.apply([tuple([row[i] for i in order]) for row in plain], scalars)
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
