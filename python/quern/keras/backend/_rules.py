"""What Keras's optimizers do to each element, as CUDA C++ for the engine: one call takes the step of all variables.

A text sees its operands as local variables of the type ``T`` in which it computes: ``param`` and ``grad``, the states and the scalars, by
name. What it assigns to among ``writes`` is stored after it. ``shrink`` is what decay of weights leaves of a parameter.
"""

from quern.update_rules import UpdateRule


def _rule(name, states, scalars, text):
    """The update of a parameter and of the optimizer's states by a gradient."""
    states = states.split()
    return UpdateRule(f"keras_{name}", text, ["param", *states], ["grad"], ["shrink", *scalars.split()])


SGD = _rule("sgd", "", "lr", "param = shrink * param - lr * grad;")
SGD_MOMENTUM = _rule("sgd_momentum", "m", "lr momentum", "m = m * momentum - grad * lr; param = shrink * param + m;")
SGD_NESTEROV = _rule(
    "sgd_nesterov", "m", "lr momentum", "m = m * momentum - grad * lr; param = shrink * param + (m * momentum - grad * lr);"
)

_SQUARE = "v = rho * v + rest * grad * grad; "
_MEAN = "mean = rho * mean + rest * grad; T below = sqrt(v - mean * mean + eps); "
_ROOT = "T below = sqrt(v + eps); "
_PLAIN = "param = shrink * param - lr * grad / below;"
_MOMENTUM = "m = momentum * m + lr * grad / below; param = shrink * param - m;"
RMSPROP = _rule("rmsprop", "v", "lr rho rest eps momentum", _SQUARE + _ROOT + _PLAIN)
RMSPROP_MOMENTUM = _rule("rmsprop_momentum", "v m", "lr rho rest eps momentum", _SQUARE + _ROOT + _MOMENTUM)
RMSPROP_CENTERED = _rule("rmsprop_centered", "v mean", "lr rho rest eps momentum", _SQUARE + _MEAN + _PLAIN)
RMSPROP_BOTH = _rule("rmsprop_both", "v m mean", "lr rho rest eps momentum", _SQUARE + _MEAN + _MOMENTUM)

_MOMENTS = "m += (grad - m) * rest1; v += (grad * grad - v) * rest2; "
ADAM = _rule("adam", "m v", "alpha rest1 rest2 eps", _MOMENTS + "param = shrink * param - m * alpha / (sqrt(v) + eps);")
ADAM_AMSGRAD = _rule(
    "adam_amsgrad",
    "m v top",
    "alpha rest1 rest2 eps",
    _MOMENTS + "top = top >= v || top != top ? top : v; param = shrink * param - m * alpha / (sqrt(top) + eps);",
)
ADAMAX = _rule(
    "adamax",
    "m u",
    "rate rest1 beta2 eps",
    "m += (grad - m) * rest1; T size = fabs(grad); u = beta2 * u; u = u >= size || u != u ? u : size; "
    "param = shrink * param - rate * m / (u + eps);",
)
NADAM = _rule(
    "nadam",
    "m v",
    "lr rest1 rest2 bias2 eps of_m of_grad",
    _MOMENTS + "param = shrink * param - (of_m * m + of_grad * grad) * lr / (sqrt(v / bias2) + eps);",
)
ADADELTA = _rule(
    "adadelta",
    "v d",
    "lr rho rest eps",
    _SQUARE + "T delta = sqrt(d + eps) * grad / sqrt(v + eps); d = rho * d + rest * delta * delta; param = shrink * param - lr * delta;",
)
ADAGRAD = _rule("adagrad", "sum", "lr eps", "sum += grad * grad; param = shrink * param - lr * grad / sqrt(sum + eps);")
FTRL = _rule(
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
LION = _rule(
    "lion",
    "m",
    "lr beta1 rest1 beta2 rest2",
    "T way = m * beta1 + grad * rest1; m = m * beta2 + grad * rest2; "
    "param = shrink * param - lr * (way > T(0) ? T(1) : way < T(0) ? T(-1) : way);",
)
