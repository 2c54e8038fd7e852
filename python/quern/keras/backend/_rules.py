"""What Keras's optimizers do to each element, as CUDA C++ for the engine: one call takes the step of all variables.

A text sees its operands as local variables of the type ``T`` in which it computes: ``param`` and ``grad``, the states and the scalars, by
name. What it assigns to among ``writes`` is stored after it. ``shrink`` is what decay of weights leaves of a parameter.
"""

from quern.lib import _engine


class Rule:
    """One update: its name, the names of its states and scalars, what it writes, its text."""

    __slots__ = ("name", "reads", "scalars", "states", "text", "writes", "_numbers")

    def __init__(self, name, states, scalars, text, writes=None):
        self.name = f"keras_{name}"
        self.states = states.split()
        self.scalars = ["shrink", *scalars.split()]
        self.writes = ["param", *(self.states if writes is None else writes.split())]
        self.reads = [one for one in ("grad", *self.states) if one not in self.writes]
        self.text = text.strip()
        self._numbers = {}  # the engine's, by the type of the elements

    def apply(self, rows, scalars):
        """Takes the step. ``rows``: tuples of arrays, those that are written first, then those that are read; of one type each."""
        by_type = {}
        for row in rows:
            by_type.setdefault(row[0]._dtype_name, []).append(row)
        for name, of_type in by_type.items():
            number = self._numbers.get(name)
            if number is None:
                number = _engine.make_rule(self.name, self.text, self.writes, self.reads, self.scalars, name)
                self._numbers[name] = number
            _engine.apply_rule(number, len(self.writes), of_type, scalars)


SGD = Rule("sgd", "", "lr", "param = shrink * param - lr * grad;")
SGD_MOMENTUM = Rule("sgd_momentum", "m", "lr momentum", "m = m * momentum - grad * lr; param = shrink * param + m;")
SGD_NESTEROV = Rule(
    "sgd_nesterov", "m", "lr momentum", "m = m * momentum - grad * lr; param = shrink * param + (m * momentum - grad * lr);"
)

_SQUARE = "v = rho * v + rest * grad * grad; "
_MEAN = "mean = rho * mean + rest * grad; T below = sqrt(v - mean * mean + eps); "
_ROOT = "T below = sqrt(v + eps); "
_PLAIN = "param = shrink * param - lr * grad / below;"
_MOMENTUM = "m = momentum * m + lr * grad / below; param = shrink * param - m;"
RMSPROP = Rule("rmsprop", "v", "lr rho rest eps momentum", _SQUARE + _ROOT + _PLAIN)
RMSPROP_MOMENTUM = Rule("rmsprop_momentum", "v m", "lr rho rest eps momentum", _SQUARE + _ROOT + _MOMENTUM)
RMSPROP_CENTERED = Rule("rmsprop_centered", "v mean", "lr rho rest eps momentum", _SQUARE + _MEAN + _PLAIN)
RMSPROP_BOTH = Rule("rmsprop_both", "v m mean", "lr rho rest eps momentum", _SQUARE + _MEAN + _MOMENTUM)

_MOMENTS = "m += (grad - m) * rest1; v += (grad * grad - v) * rest2; "
ADAM = Rule("adam", "m v", "alpha rest1 rest2 eps", _MOMENTS + "param = shrink * param - m * alpha / (sqrt(v) + eps);")
ADAM_AMSGRAD = Rule(
    "adam_amsgrad",
    "m v top",
    "alpha rest1 rest2 eps",
    _MOMENTS + "top = top >= v || top != top ? top : v; param = shrink * param - m * alpha / (sqrt(top) + eps);",
)
ADAMAX = Rule(
    "adamax",
    "m u",
    "rate rest1 beta2 eps",
    "m += (grad - m) * rest1; T size = fabs(grad); u = beta2 * u; u = u >= size || u != u ? u : size; "
    "param = shrink * param - rate * m / (u + eps);",
)
NADAM = Rule(
    "nadam",
    "m v",
    "lr rest1 rest2 bias2 eps of_m of_grad",
    _MOMENTS + "param = shrink * param - (of_m * m + of_grad * grad) * lr / (sqrt(v / bias2) + eps);",
)
ADADELTA = Rule(
    "adadelta",
    "v d",
    "lr rho rest eps",
    _SQUARE + "T delta = sqrt(d + eps) * grad / sqrt(v + eps); d = rho * d + rest * delta * delta; param = shrink * param - lr * delta;",
)
ADAGRAD = Rule("adagrad", "sum", "lr eps", "sum += grad * grad; param = shrink * param - lr * grad / sqrt(sum + eps);")
FTRL = Rule(
    "ftrl",
    "sum linear",
    "lr power l1 l2 shrinkage",
    """
    param = shrink * param;
    T next = sum + grad * grad;
    T raised = pow(next, power);
    linear += grad + T(2) * shrinkage * param - (raised - pow(sum, power)) / lr * param;
    T limited = linear < -l1 ? -l1 : linear > l1 ? l1 : linear;
    param = (limited - linear) / (raised / lr + T(2) * l2);
    sum = next;
""",
)
LION = Rule(
    "lion",
    "m",
    "lr beta1 rest1 beta2 rest2",
    "T way = m * beta1 + grad * rest1; m = m * beta2 + grad * rest2; "
    "param = shrink * param - lr * (way > T(0) ? T(1) : way < T(0) ? T(-1) : way);",
)
