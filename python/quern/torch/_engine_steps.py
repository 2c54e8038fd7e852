"""One call that takes a step of an optimizer for all its parameters."""

from quern.lib import _engine
from quern.torch import _namespace as torch

_numbers = {}  # the engine's number of a rule, by the rule and the type it computes in


def apply_rule(rule, rows, scalars):
    """Writes the new values of parameters and states in place, without recording gradients.

    Parameters: ``rule``: a Rule of ``optim._rules``; ``rows``: a list of tuples (param, grad, *states), one for each parameter;
    ``scalars``: the numbers that the rule names, in that order.
    """
    by_type = {}
    for row in rows:
        name = row[0]._dtype_name
        plain = name in ("float32", "float64") and all(x._dtype_name == name and x._shape == row[0]._shape for x in row)
        by_type.setdefault(name if plain else None, []).append(row)
    rest = by_type.pop(None, None)
    for name, of_type in by_type.items():
        number, order = _numbers.get((rule, name)) or _made(rule, name)
        _engine.apply_rule(number, len(rule.writes), [tuple([row[i] for i in order]) for row in of_type], scalars)
    if rest:
        interpret(rule, rest, scalars)


def _made(rule, name):
    """The rule as a row of the engine's, and the order of its operands there: those that are written come first."""
    reads = [one for one in rule.operands if one not in rule.writes]
    number = _engine.make_rule(rule.name, rule.text, list(rule.writes), reads, list(rule.scalars), name)
    order = [rule.operands.index(one) for one in (*rule.writes, *reads)]
    _numbers[rule, name] = number, order
    return number, order


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
