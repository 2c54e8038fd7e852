"""torch.special: functions of mathematics, the engine's rows and what is made of them."""

import math
import operator

from quern.arrays.public_names import settle
from quern.lib import _engine
from quern.torch import _elementwise
from quern.torch._arguments import checked
from quern.torch._core import Tensor, _op, add_in_place, add_methods, finish, tensor_like
from quern.torch._types import DTYPES, get_default_dtype, scalar_name


def _real(x, name):
    """The tensor as one of real numbers. NotImplementedError for complex ones, as PyTorch has it."""
    if x.is_complex():
        raise NotImplementedError(f"\"{name}\" not implemented for '{scalar_name(x.dtype)}'")
    return x if x.is_floating_point() else x.to(get_default_dtype())


def xlog1py(input, other, *, out=None):
    """Return ``input * log1p(other)``, with 0 where `input` is 0.

    Parameters
    ----------
    input : Tensor or scalar
        Factors; at least one operand is a tensor.
    other : Tensor or scalar
        Arguments of the logarithm, which broadcast with `input`.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Broadcast shape.

    Examples
    --------
    >>> from quern import torch
    >>> torch.special.xlog1py(torch.tensor([0.0, 2.0]), torch.tensor([-1.0, 0.0]))
    tensor([0., 0.])
    """
    return finish(_elementwise._times_logarithm("log1p", input, other), out)


# Bernoulli numbers by factorials: of the tail of the sum in zeta().
_TAIL = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600, -3617 / 10670622842880000)


def zeta(input, other, *, out=None):
    """Return Hurwitz's zeta function: the sum of ``(other + k) ** -input`` over k from 0.

    Parameters
    ----------
    input : Tensor or scalar
        Exponents; at least one operand is a tensor.
    other : Tensor or scalar
        First terms, which broadcast with `input`.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Broadcast shape.

    Raises
    ------
    TypeError
        For two operands that are no tensors.
    NotImplementedError
        For complex numbers, float16 and bfloat16.

    Examples
    --------
    >>> from quern import torch
    >>> torch.special.zeta(torch.tensor([2.0]), 1)
    tensor([1.6449])
    """
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        raise TypeError(f"zeta(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    name = _engine.tensor_op_types("true_divide", input, other)[0]
    kind = DTYPES[name]
    if kind.is_complex or kind.itemsize < 4:
        raise NotImplementedError(f"\"zeta\" not implemented for '{scalar_name(kind)}'")
    s, q = (tensor_like(x)._astype("float64") for x in (input, other))
    made = _hurwitz(s, _op("where", q > 0, q, 1.0))
    made = _op("where", q > 0, made, _op("where", q == _op("floor", q), math.inf, math.nan))
    made = _op("where", s == 1, math.inf, _op("where", s < 1, math.nan, made))
    return finish(made.to(kind), out)


def _hurwitz(s, q):
    total = q**-s
    for k in range(1, 10):
        total = total + (q + k) ** -s
    a = q + 10
    total = total + a ** (1 - s) / (s - 1) + 0.5 * a**-s
    factor, power = s, a ** (-s - 1)
    for k, term in enumerate(_TAIL):
        total = total + term * factor * power
        factor = factor * (s + 2 * k + 1) * (s + 2 * k + 2)
        power = power / (a * a)
    return total


def polygamma(n, input, *, out=None):
    """Return a derivative of the digamma function.

    Parameters
    ----------
    n : int
        Order of the derivative.
    input : Tensor
        Tensor of any shape.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Shape of `input`.

    Raises
    ------
    RuntimeError
        For an `n` that is negative or above 170.

    Examples
    --------
    >>> from quern import torch
    >>> torch.polygamma(1, torch.tensor([1.0]))
    tensor([1.6449])
    """
    if isinstance(n, Tensor):  # the method's order
        n, input = input, n
    if not isinstance(n, int) or not isinstance(input, Tensor):
        raise TypeError(f"polygamma(): arguments must be an int and a Tensor, not {type(n).__name__} and {type(input).__name__}")
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    if n > 170:
        raise RuntimeError(f"polygamma: an order of {n} is too large")
    x = _real(input, "polygamma")
    if n == 0:
        return finish(_op("digamma", x), out)
    made = _op("polygamma", n, x)
    return finish(made.to(x.dtype), out)


@checked
def multigammaln(input, p, *, out=None):
    """Return the logarithm of the multivariate gamma function.

    Parameters
    ----------
    input : Tensor
        Arguments, above ``(p - 1) / 2``.
    p : int
        Number of dimensions.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Shape of `input`.

    Raises
    ------
    RuntimeError
        For a `p` below 1.

    Examples
    --------
    >>> from quern import torch
    >>> torch.special.multigammaln(torch.tensor([2.0]), 2)
    tensor([0.4516])
    """
    p = operator.index(p)
    if not 1 <= p < 1 << 16:
        raise RuntimeError("p has to be greater than or equal to 1")
    x = _real(input, "mvlgamma")
    made = x * 0 + p * (p - 1) / 4 * math.log(math.pi)
    for j in range(p):
        made = made + _op("lgamma", x - j / 2)
    return finish(made, out)


mvlgamma = multigammaln


def _recurrence(name, first, second, step, doc):
    """A function of polynomials of an order n, from the first two and the step to the next."""

    def function(input, n, *, out=None):
        x = _real(input, name)
        orders = None
        if isinstance(n, Tensor):  # an order for each element, as far as the largest one
            orders = n.detach().to(DTYPES["int64"])
            n = int(orders.max()) if orders._size else 0
        n = int(n)
        if n > 1 << 16:
            raise RuntimeError(f"{name}: an order of {n} is too large")
        a, b = first(x), second(x)
        if orders is not None:
            made = _op("where", orders == 0, a, _op("where", orders == 1, b, 0.0))
            for k in range(1, n):
                a, b = b, step(k, x, a, b)
                made = _op("where", orders == k + 1, b, made)
            return finish(made.to(x.dtype), out)
        if n <= 0:
            return finish(a if n == 0 else x * 0, out)
        for k in range(1, n):
            a, b = b, step(k, x, a, b)
        return finish(b, out)

    function.__name__ = name
    function.__doc__ = f"""Return values of {doc}.

    Parameters
    ----------
    input : Tensor or scalar
        Where the polynomial is evaluated.
    n : int or Tensor
        Order, for all elements or each; the call waits for the values of a tensor.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Broadcast shape of `input` and `n`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.special.{name}(torch.zeros(2), 1).shape
    torch.Size([2])
    """
    return checked(function)


def _one(x):
    return x * 0 + 1


def _chebyshev(name, second):
    """The polynomials of a kind: the first is 1, ``second(x)`` follows; shifted ones are those of 2 x - 1."""
    is_shifted, kind = name.startswith("shifted_"), name[-1].upper()

    def place(x):
        return 2 * x - 1 if is_shifted else x

    doc = f"the Chebyshev polynomial of kind {kind}{', at 2 * input - 1' if is_shifted else ''}"
    return _recurrence(name, _one, lambda x: second(place(x)), lambda k, x, a, b: 2 * place(x) * b - a, doc)


chebyshev_polynomial_t = _chebyshev("chebyshev_polynomial_t", lambda x: x)
shifted_chebyshev_polynomial_t = _chebyshev("shifted_chebyshev_polynomial_t", lambda x: x)
chebyshev_polynomial_u = _chebyshev("chebyshev_polynomial_u", lambda x: 2 * x)
shifted_chebyshev_polynomial_u = _chebyshev("shifted_chebyshev_polynomial_u", lambda x: 2 * x)
chebyshev_polynomial_v = _chebyshev("chebyshev_polynomial_v", lambda x: 2 * x - 1)
shifted_chebyshev_polynomial_v = _chebyshev("shifted_chebyshev_polynomial_v", lambda x: 2 * x - 1)
chebyshev_polynomial_w = _chebyshev("chebyshev_polynomial_w", lambda x: 2 * x + 1)
shifted_chebyshev_polynomial_w = _chebyshev("shifted_chebyshev_polynomial_w", lambda x: 2 * x + 1)
hermite_polynomial_h = _recurrence(
    "hermite_polynomial_h", _one, lambda x: 2 * x, lambda k, x, a, b: 2 * x * b - 2 * k * a, "the physicists' Hermite polynomial"
)
hermite_polynomial_he = _recurrence(
    "hermite_polynomial_he", _one, lambda x: x, lambda k, x, a, b: x * b - k * a, "the probabilists' Hermite polynomial"
)
laguerre_polynomial_l = _recurrence(
    "laguerre_polynomial_l", _one, lambda x: 1 - x, lambda k, x, a, b: ((2 * k + 1 - x) * b - k * a) / (k + 1), "the Laguerre polynomial"
)
legendre_polynomial_p = _recurrence(
    "legendre_polynomial_p", _one, lambda x: x, lambda k, x, a, b: ((2 * k + 1) * x * b - k * a) / (k + 1), "the Legendre polynomial"
)


@checked
def spherical_bessel_j0(input, *, out=None):
    """Return the spherical Bessel function of order 0: ``sin(x) / x``, with 1 at 0.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.special.spherical_bessel_j0(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 0.8415])
    """
    x = _real(input, "spherical_bessel_j0")
    safe = _op("where", x == 0, 1.0, x)
    return finish(_op("where", x == 0, 1 - x * x / 6, _op("sin", safe) / safe).to(x.dtype), out)


METHODS = "mvlgamma"
__all__ = "polygamma mvlgamma".split()
add_methods(__name__, METHODS)
Tensor.polygamma = lambda self, n: polygamma(n, self)
Tensor.polygamma.__doc__ = polygamma.__doc__
add_in_place("mvlgamma polygamma")
settle(__name__)
