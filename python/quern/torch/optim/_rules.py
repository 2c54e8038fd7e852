"""What the optimizers do to each element, each once: as CUDA C++ for the engine, and as a function of tensors.

The text of a rule sees its operands as local variables of the type ``T`` in which it computes: double for float64, float for all
shorter types. These are ``param`` and ``grad``, the states and the scalars, by name. What the rule writes is assigned to in the text and
stored after it. Scalars are the same for all elements; what depends on the step's number was made a number before.
"""

from quern.torch import _namespace as torch
from quern.update_rules import UpdateRule


class Rule:
    """One update of an optimizer.

    Attributes: ``name``; ``states``: the names of the states, tensors like the parameter; ``scalars``: the names of the numbers;
    ``writes``: the operands that the rule assigns to; ``update``: the engine's, with its text; ``python``: the same as a function
    of tensors, ``python(param, grad, *states, *scalars)``, which returns the new values of ``writes`` in that order.
    """

    __slots__ = ("name", "states", "scalars", "writes", "python", "update", "order")

    def __init__(self, name, states, scalars, writes, text, python):
        self.name = name
        self.states = tuple(states.split())
        self.scalars = tuple(scalars.split())
        self.writes = tuple(writes.split())
        self.python = python
        reads = [one for one in self.operands if one not in self.writes]
        self.update = UpdateRule(name, text, self.writes, reads, self.scalars)
        self.order = [self.operands.index(one) for one in (*self.writes, *reads)]  # of the operands in a row of the update

    @property
    def operands(self):
        """The names of the tensors in the order of a row: param, grad and the states."""
        return ("param", "grad", *self.states)

    def __repr__(self):
        return f"Rule({self.name})"


# The gradient to follow: uphill with sign -1, and with the decay of weights added to it.
_DIRECTION = """
    T g = sign * grad;
    if (decay != T(0)) g += decay * param;
"""


def _direction(param, grad, sign, decay):
    g = grad if sign > 0 else -grad
    return torch.add(g, param, alpha=decay) if decay else g


def _shrunk(param, shrink):
    return param if shrink == 1 else param * shrink


# ---- stochastic gradient descent


def _sgd(param, grad, sign, decay, lr):
    return (torch.sub(param, _direction(param, grad, sign, decay), alpha=lr),)


def _sgd_momentum(param, grad, momentum_buffer, sign, decay, lr, momentum, weight):
    buffer = torch.add(momentum_buffer * momentum, _direction(param, grad, sign, decay), alpha=weight)
    return torch.sub(param, buffer, alpha=lr), buffer


def _sgd_nesterov(param, grad, momentum_buffer, sign, decay, lr, momentum, weight):
    g = _direction(param, grad, sign, decay)
    buffer = torch.add(momentum_buffer * momentum, g, alpha=weight)
    return torch.sub(param, torch.add(g, buffer, alpha=momentum), alpha=lr), buffer


SGD = Rule("sgd", "", "sign decay lr", "param", _DIRECTION + "    param -= lr * g;", _sgd)

# weight: 1 - dampening, but 1 in a buffer's first step
SGD_MOMENTUM = Rule(
    "sgd_momentum",
    "momentum_buffer",
    "sign decay lr momentum weight",
    "param momentum_buffer",
    _DIRECTION
    + """
    momentum_buffer = momentum * momentum_buffer + weight * g;
    param -= lr * momentum_buffer;
""",
    _sgd_momentum,
)

SGD_NESTEROV = Rule(
    "sgd_nesterov",
    "momentum_buffer",
    "sign decay lr momentum weight",
    "param momentum_buffer",
    _DIRECTION
    + """
    momentum_buffer = momentum * momentum_buffer + weight * g;
    param -= lr * (g + momentum * momentum_buffer);
""",
    _sgd_nesterov,
)


# ---- Adam and its kin: rest1 and rest2 are 1 - beta, root2 the square root of the second correction, shrink what decoupled decay leaves


def _moments(g, exp_avg, exp_avg_sq, beta1, rest1, beta2, rest2):
    return torch.add(exp_avg * beta1, g, alpha=rest1), torch.addcmul(exp_avg_sq * beta2, g, g, value=rest2)


def _adam(param, grad, exp_avg, exp_avg_sq, sign, decay, shrink, beta1, rest1, beta2, rest2, step_size, root2, eps):
    g = _direction(param, grad, sign, decay)
    m, v = _moments(g, exp_avg, exp_avg_sq, beta1, rest1, beta2, rest2)
    return torch.addcdiv(_shrunk(param, shrink), m, torch.sqrt(v) / root2 + eps, value=-step_size), m, v


def _adam_amsgrad(param, grad, exp_avg, exp_avg_sq, max_exp_avg_sq, sign, decay, shrink, beta1, rest1, beta2, rest2, step_size, root2, eps):
    g = _direction(param, grad, sign, decay)
    m, v = _moments(g, exp_avg, exp_avg_sq, beta1, rest1, beta2, rest2)
    top = torch.maximum(max_exp_avg_sq, v)
    return torch.addcdiv(_shrunk(param, shrink), m, torch.sqrt(top) / root2 + eps, value=-step_size), m, v, top


_MOMENTS = """
    exp_avg = beta1 * exp_avg + rest1 * g;
    exp_avg_sq = beta2 * exp_avg_sq + rest2 * g * g;
"""

_ADAM_SCALARS = "sign decay shrink beta1 rest1 beta2 rest2 step_size root2 eps"

ADAM = Rule(
    "adam",
    "exp_avg exp_avg_sq",
    _ADAM_SCALARS,
    "param exp_avg exp_avg_sq",
    _DIRECTION + _MOMENTS + "    param = shrink * param - step_size * exp_avg / (sqrt(exp_avg_sq) / root2 + eps);",
    _adam,
)

ADAM_AMSGRAD = Rule(
    "adam_amsgrad",
    "exp_avg exp_avg_sq max_exp_avg_sq",
    _ADAM_SCALARS,
    "param exp_avg exp_avg_sq max_exp_avg_sq",
    _DIRECTION
    + _MOMENTS
    + """
    // what is no number stays none
    max_exp_avg_sq = max_exp_avg_sq >= exp_avg_sq || max_exp_avg_sq != max_exp_avg_sq ? max_exp_avg_sq : exp_avg_sq;
    param = shrink * param - step_size * exp_avg / (sqrt(max_exp_avg_sq) / root2 + eps);
""",
    _adam_amsgrad,
)


def _adamax(param, grad, exp_avg, exp_inf, sign, decay, beta1, rest1, beta2, step_size, eps):
    g = _direction(param, grad, sign, decay)
    m = torch.add(exp_avg * beta1, g, alpha=rest1)
    u = torch.maximum(exp_inf * beta2, torch.abs(g) + eps)
    return torch.addcdiv(param, m, u, value=-step_size), m, u


ADAMAX = Rule(
    "adamax",
    "exp_avg exp_inf",
    "sign decay beta1 rest1 beta2 step_size eps",
    "param exp_avg exp_inf",
    _DIRECTION
    + """
    exp_avg = beta1 * exp_avg + rest1 * g;
    exp_inf = beta2 * exp_inf;
    T size = fabs(g) + eps;
    exp_inf = exp_inf >= size || exp_inf != exp_inf ? exp_inf : size;
    param -= step_size * exp_avg / exp_inf;
""",
    _adamax,
)


def _nadam(param, grad, exp_avg, exp_avg_sq, sign, decay, shrink, beta1, rest1, beta2, rest2, bias2, eps, grad_size, moment_size):
    g = _direction(param, grad, sign, decay)
    m, v = _moments(g, exp_avg, exp_avg_sq, beta1, rest1, beta2, rest2)
    below = torch.sqrt(v / bias2) + eps
    out = torch.addcdiv(_shrunk(param, shrink), g, below, value=-grad_size)
    return torch.addcdiv(out, m, below, value=-moment_size), m, v


NADAM = Rule(
    "nadam",
    "exp_avg exp_avg_sq",
    "sign decay shrink beta1 rest1 beta2 rest2 bias2 eps grad_size moment_size",
    "param exp_avg exp_avg_sq",
    _DIRECTION
    + _MOMENTS
    + """
    T below = sqrt(exp_avg_sq / bias2) + eps;
    param = shrink * param - grad_size * g / below - moment_size * exp_avg / below;
""",
    _nadam,
)


def _radam(param, grad, exp_avg, exp_avg_sq, sign, decay, shrink, beta1, rest1, beta2, rest2, step_size, eps):
    g = _direction(param, grad, sign, decay)
    m, v = _moments(g, exp_avg, exp_avg_sq, beta1, rest1, beta2, rest2)
    return torch.addcdiv(_shrunk(param, shrink), m, torch.sqrt(v) + eps, value=-step_size), m, v


def _radam_early(param, grad, exp_avg, exp_avg_sq, sign, decay, shrink, beta1, rest1, beta2, rest2, step_size):
    g = _direction(param, grad, sign, decay)
    m, v = _moments(g, exp_avg, exp_avg_sq, beta1, rest1, beta2, rest2)
    return torch.sub(_shrunk(param, shrink), m, alpha=step_size), m, v


RADAM = Rule(
    "radam",
    "exp_avg exp_avg_sq",
    "sign decay shrink beta1 rest1 beta2 rest2 step_size eps",
    "param exp_avg exp_avg_sq",
    _DIRECTION + _MOMENTS + "    param = shrink * param - step_size * exp_avg / (sqrt(exp_avg_sq) + eps);",
    _radam,
)

# the first steps, whose variance is not known well enough
RADAM_EARLY = Rule(
    "radam_early",
    "exp_avg exp_avg_sq",
    "sign decay shrink beta1 rest1 beta2 rest2 step_size",
    "param exp_avg exp_avg_sq",
    _DIRECTION + _MOMENTS + "    param = shrink * param - step_size * exp_avg;",
    _radam_early,
)


# ---- RMSprop, in its four forms


def _rmsprop_parts(param, grad, square_avg, grad_avg, sign, decay, lr, alpha, rest, eps):
    g = _direction(param, grad, sign, decay)
    square = torch.addcmul(square_avg * alpha, g, g, value=rest)
    if grad_avg is None:
        return g, square, None, torch.sqrt(square) + eps
    mean = torch.add(grad_avg * alpha, g, alpha=rest)
    return g, square, mean, torch.sqrt(torch.addcmul(square, mean, mean, value=-1)) + eps


def _rmsprop(param, grad, square_avg, sign, decay, lr, alpha, rest, eps):
    g, square, _, below = _rmsprop_parts(param, grad, square_avg, None, sign, decay, lr, alpha, rest, eps)
    return torch.addcdiv(param, g, below, value=-lr), square


def _rmsprop_centered(param, grad, square_avg, grad_avg, sign, decay, lr, alpha, rest, eps):
    g, square, mean, below = _rmsprop_parts(param, grad, square_avg, grad_avg, sign, decay, lr, alpha, rest, eps)
    return torch.addcdiv(param, g, below, value=-lr), square, mean


def _rmsprop_momentum(param, grad, square_avg, momentum_buffer, sign, decay, lr, alpha, rest, eps, momentum):
    g, square, _, below = _rmsprop_parts(param, grad, square_avg, None, sign, decay, lr, alpha, rest, eps)
    buffer = torch.addcdiv(momentum_buffer * momentum, g, below)
    return torch.sub(param, buffer, alpha=lr), square, buffer


def _rmsprop_both(param, grad, square_avg, momentum_buffer, grad_avg, sign, decay, lr, alpha, rest, eps, momentum):
    g, square, mean, below = _rmsprop_parts(param, grad, square_avg, grad_avg, sign, decay, lr, alpha, rest, eps)
    buffer = torch.addcdiv(momentum_buffer * momentum, g, below)
    return torch.sub(param, buffer, alpha=lr), square, buffer, mean


_SQUARE = """
    square_avg = alpha * square_avg + rest * g * g;
"""
_PLAIN_ROOT = "    T below = sqrt(square_avg) + eps;\n"
_CENTERED_ROOT = """
    grad_avg = alpha * grad_avg + rest * g;
    T below = sqrt(square_avg - grad_avg * grad_avg) + eps;
"""
_PLAIN_STEP = "    param -= lr * g / below;\n"
_MOMENTUM_STEP = """
    momentum_buffer = momentum * momentum_buffer + g / below;
    param -= lr * momentum_buffer;
"""
_RMSPROP_SCALARS = "sign decay lr alpha rest eps"

RMSPROP = Rule("rmsprop", "square_avg", _RMSPROP_SCALARS, "param square_avg", _DIRECTION + _SQUARE + _PLAIN_ROOT + _PLAIN_STEP, _rmsprop)
RMSPROP_CENTERED = Rule(
    "rmsprop_centered",
    "square_avg grad_avg",
    _RMSPROP_SCALARS,
    "param square_avg grad_avg",
    _DIRECTION + _SQUARE + _CENTERED_ROOT + _PLAIN_STEP,
    _rmsprop_centered,
)
RMSPROP_MOMENTUM = Rule(
    "rmsprop_momentum",
    "square_avg momentum_buffer",
    _RMSPROP_SCALARS + " momentum",
    "param square_avg momentum_buffer",
    _DIRECTION + _SQUARE + _PLAIN_ROOT + _MOMENTUM_STEP,
    _rmsprop_momentum,
)
RMSPROP_BOTH = Rule(
    "rmsprop_both",
    "square_avg momentum_buffer grad_avg",
    _RMSPROP_SCALARS + " momentum",
    "param square_avg momentum_buffer grad_avg",
    _DIRECTION + _SQUARE + _CENTERED_ROOT + _MOMENTUM_STEP,
    _rmsprop_both,
)


# ---- the others


def _rprop(param, grad, prev, step_size, sign, etaminus, etaplus, least, most):
    g = grad if sign > 0 else -grad
    turn = g * prev
    factor = torch.ones_like(turn).masked_fill(turn > 0, etaplus).masked_fill(turn < 0, etaminus)
    size = torch.clamp(step_size * factor, least, most)
    g = g.masked_fill(turn < 0, 0)
    return param - torch.sign(g) * size, g, size


RPROP = Rule(
    "rprop",
    "prev step_size",
    "sign etaminus etaplus least most",
    "param prev step_size",
    """
    T g = sign * grad;
    T turn = g * prev;
    step_size *= turn > T(0) ? etaplus : turn < T(0) ? etaminus : T(1);
    step_size = step_size < least ? least : step_size > most ? most : step_size;
    if (turn < T(0)) g = T(0);
    param -= g > T(0) ? step_size : g < T(0) ? -step_size : T(0);
    prev = g;
""",
    _rprop,
)


def _adagrad(param, grad, sum_, sign, decay, step_size, eps):
    g = _direction(param, grad, sign, decay)
    total = torch.addcmul(sum_, g, g)
    return torch.addcdiv(param, g, torch.sqrt(total) + eps, value=-step_size), total


ADAGRAD = Rule(
    "adagrad",
    "sum",
    "sign decay step_size eps",
    "param sum",
    _DIRECTION
    + """
    sum += g * g;
    param -= step_size * g / (sqrt(sum) + eps);
""",
    _adagrad,
)


def _adadelta(param, grad, square_avg, acc_delta, sign, decay, lr, rho, rest, eps):
    g = _direction(param, grad, sign, decay)
    square = torch.addcmul(square_avg * rho, g, g, value=rest)
    delta = torch.sqrt(acc_delta + eps) / torch.sqrt(square + eps) * g
    return torch.sub(param, delta, alpha=lr), square, torch.addcmul(acc_delta * rho, delta, delta, value=rest)


ADADELTA = Rule(
    "adadelta",
    "square_avg acc_delta",
    "sign decay lr rho rest eps",
    "param square_avg acc_delta",
    _DIRECTION
    + """
    square_avg = rho * square_avg + rest * g * g;
    T delta = sqrt(acc_delta + eps) / sqrt(square_avg + eps) * g;
    param -= lr * delta;
    acc_delta = rho * acc_delta + rest * delta * delta;
""",
    _adadelta,
)


def _asgd(param, grad, ax, sign, decay, shrink, eta, mu):
    g = _direction(param, grad, sign, decay)
    out = torch.sub(_shrunk(param, shrink), g, alpha=eta)
    return out, out if mu == 1 else torch.add(ax, out - ax, alpha=mu)


ASGD = Rule(
    "asgd",
    "ax",
    "sign decay shrink eta mu",
    "param ax",
    _DIRECTION
    + """
    param = shrink * param - eta * g;
    ax = mu == T(1) ? param : ax + mu * (param - ax);
""",
    _asgd,
)
