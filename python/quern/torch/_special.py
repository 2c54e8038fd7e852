"""torch.special: functions of mathematics that the engine has no rows for, made of those that it has, so that they have gradients.

Polynomials are in Chebyshev's form, fitted to values of double precision; errors are some 1e-15 of the largest value.
"""

import math
import operator

from quern.lib import _engine
from quern.torch import _elementwise, _reductions
from quern.torch._arguments import check_all
from quern.torch._core import Tensor, _op, add_in_place, add_methods, finish, tensor_like
from quern.torch._types import DTYPES, get_default_dtype, scalar_name

# Bessel functions times exp(-x): of x / 4 - 1 up to 8, of 16 / x - 1 beyond, where they are also divided by sqrt(x).
_I0_NEAR = (
    0.33839763720473798, -0.30468267234319857, 0.17162090152220874, -0.094901097048047653, 0.049305284239670746, -0.023737414805899599,
    0.010546460394595078, -0.0043243099950504172, 0.0016394756169414188, -0.00057637557453832432, 0.00018850288509605236,
    -5.754195010026006e-05, 1.6448448070217156e-05, -4.4167383576739542e-06, 1.1173875385420388e-06, -2.6707938482379256e-07,
    6.0469950071376491e-08, -1.3000249782099983e-08, 2.6598233413098107e-09, -5.1897905711932961e-10, 9.6757788980282541e-11,
    -1.726801960098924e-11, 2.9548961384733606e-12, -4.8525547472468185e-13, 7.6322327821886814e-14, -1.1116177321398727e-14,
    1.6120879137189143e-15, -3.2942211296628967e-16,
)  # fmt: skip
_I0_FAR = (
    0.40224520550705428, 0.0033691164782556947, 6.889758346917036e-05, 2.8913705208360412e-06, 2.0489185894159067e-07,
    2.2666689898814444e-08, 3.3962320135633903e-09, 4.9406022325210886e-10, 1.1889135846322976e-11, -3.1499184457152082e-11,
    -1.3215821518733373e-11, -1.7941978672022713e-12, 7.1801153103431544e-13, 3.8527696685191606e-13, 1.5388470659513754e-14,
    -4.1513692946060716e-14, -9.5583463603425174e-15, 3.8077732155929269e-15, 1.7649199620149664e-15, -3.5152977691541838e-16,
    -2.8946267277473184e-16, 3.0500921996970607e-17, 3.6082858219265694e-17, -1.8354036102430702e-17, -1.740001237814951e-17,
)  # fmt: skip
_I1_NEAR = (
    0.1523413361715992, 0.0047956168356252616, -0.048150364372469716, 0.042956290608567288, -0.028114336082936325, 0.015509404371374045,
    -0.0075296229132633041, 0.0032831279984378747, -0.0013015227082399841, 0.00047315995118452965, -0.00015880535466181864,
    4.9479150143016731e-05, -1.4379066132347237e-05, 3.9136734610064193e-06, -1.0013273339979446e-06, 2.4161966028677592e-07,
    -5.5149532495445708e-08, 1.1939193799506096e-08, -2.4575330860163852e-09, 4.8205076679532914e-10, -9.0292905280263677e-11,
    1.6181176985183211e-11, -2.7792265293552462e-12, 4.5822292696600153e-13, -7.2564322493151624e-14, 1.1009398208523139e-14,
    -1.5555996960886124e-15, 2.1281650128845134e-16,
)  # fmt: skip
_I1_FAR = (
    0.38928811750913989, -0.0097610974913615207, -0.00011058893876266497, -3.8825648089119065e-06, -2.5122362383307396e-07,
    -2.6314688501378201e-08, -3.8353804303433661e-09, -5.5897437381942129e-10, -1.8975007696745476e-11, 3.2526004494039447e-11,
    1.4125768458026525e-11, 2.0355984630963458e-12, -7.1988683633791501e-13, -4.0839585270401186e-13, -2.1056066192547803e-14,
    4.2696801313283744e-14, 1.0390462437821995e-14, -3.8391958806986623e-15, -1.9088664995650742e-15, 2.9792664565482792e-16,
    2.6294917823477568e-16, -7.1477681676182859e-17, -7.3066407115077013e-17, -3.4625383462546723e-17, -1.5060458503964778e-17,
)  # fmt: skip


def _real(x, name, only_wide=False):
    """The tensor as one of real numbers. NotImplementedError for complex ones, as PyTorch has it."""
    if x.is_complex() or only_wide and x._dtype_name in ("float16", "bfloat16"):
        raise NotImplementedError(f"\"{name}\" not implemented for '{scalar_name(x.dtype)}'")
    return x if x.is_floating_point() else x.to(get_default_dtype())


def _wide(x):
    """For the computation: float32 for types of 16 bits."""
    return x.to(DTYPES["float32"]) if x._dtype_name in ("float16", "bfloat16") else x


def _series(terms, t):
    """A sum of Chebyshev polynomials, by Clenshaw's rule."""
    one = two = t * 0
    for term in reversed(terms[1:]):
        one, two = t * 2 * one - two + term, one
    return t * one - two + terms[0]


def _scaled_bessel(size, near, far):
    is_near = size <= 8
    low, high = _op("where", is_near, size, 8.0), _op("where", is_near, 8.0, size)  # not minimum(): equal ones share the gradient
    return _op("where", is_near, _series(near, low / 4 - 1), _series(far, 16 / high - 1) / _op("sqrt", high))


def _bessel(name, near, far, is_odd, is_scaled):
    def function(input, *, out=None):
        kind = _real(input, name).dtype
        x = _wide(_real(input, name))
        # The size, with a derivative at 0, too: the one from the right.
        size = _op("where", x < 0, -x, x)
        made = _scaled_bessel(size, near, far)
        if is_scaled:  # the factor is 1: where exp(-|x|) has a corner the derivative is the middle, as abs() has it
            made = made * _op("exp", _op("minimum", size, 8.0) - _op("minimum", _op("absolute", x), 8.0)) if x.requires_grad else made
        else:
            made = _op("where", size == math.inf, math.inf, made * _op("exp", size))
        if is_odd:
            made = _op("where", x == 0, x * 0.5, made * _op("where", x < 0, -1.0, 1.0))
        return finish(made.to(kind), out)

    function.__name__ = name
    function.__doc__ = (
        f"The modified Bessel function of the first kind and of order {int(is_odd)}{', times exp(-|x|)' if is_scaled else ''}."
    )
    return function


i0, i0e = _bessel("i0", _I0_NEAR, _I0_FAR, False, False), _bessel("i0e", _I0_NEAR, _I0_FAR, False, True)
i1, i1e = _bessel("i1", _I1_NEAR, _I1_FAR, True, False), _bessel("i1e", _I1_NEAR, _I1_FAR, True, True)
modified_bessel_i0, modified_bessel_i1 = i0, i1


def entr(input, *, out=None):
    """``-x log(x)``: 0 at 0, minus infinity below."""
    x = _real(input, "entr")
    if x.requires_grad and _engine.gradient_mode():
        return finish(_engine.tensor_activated(x, entr(x.detach()), "entr", 0.0, 0.0, None), out)
    inside = _op("where", x > 0, x, 1.0).to(x.dtype)
    made = _op("where", x > 0, -inside * _op("log", inside), _op("where", x == 0, 0.0, -math.inf))
    return finish(_op("where", _op("isnan", x), x, made).to(x.dtype), out)


def ndtr(input, *, out=None):
    """The normal distribution's probability of being below x."""
    x = _real(input, "ndtr")
    t = x * math.sqrt(0.5)
    return finish(_op("where", t < 0, 0.5 * _op("erfc", _op("absolute", t)), 0.5 + 0.5 * _op("erf", t)).to(x.dtype), out)


def log_ndtr(input, *, out=None):
    """The logarithm of ndtr(), with all its digits far below zero too."""
    x = _real(input, "log_ndtr", True)
    is_low = x < -1
    low, high = _op("where", is_low, x, -1.0), _op("where", is_low, -1.0, x)  # not minimum(): equal ones share the gradient
    far = _op("log", erfcx(low * -math.sqrt(0.5)) / 2) - low * low / 2
    return finish(_op("where", is_low, far, _op("log1p", _op("erfc", high * math.sqrt(0.5)) * -0.5)).to(x.dtype), out)


def ndtri(input, *, out=None):
    """The inverse of ndtr()."""
    x = _real(input, "ndtri", True)
    return finish(_elementwise.erfinv(2 * x - 1) * math.sqrt(2), out)


def erfcx(input, *, out=None):
    """``exp(x * x) * erfc(x)``, without overflow for large x: there by a continued fraction."""
    x = _real(input, "erfcx", True)
    wide = x.to(DTYPES["float64"])
    is_near = wide < 5
    near, far = _op("where", is_near, wide, 5.0), _op("where", is_near, 5.0, wide)  # not minimum(): equal ones share the gradient
    tail = far
    for k in range(60, 0, -1):
        tail = far + (k / 2) / tail
    made = _op("where", is_near, _op("exp", near * near) * _op("erfc", near), 1 / (tail * math.sqrt(math.pi)))
    return finish(made.to(x.dtype), out)


def xlog1py(input, other, *, out=None):
    """``input * log1p(other)``, 0 where input is 0; both broadcast together."""
    return finish(_elementwise._times_logarithm("log1p", input, other), out)


# Bernoulli numbers by factorials: of the tail of the sum in zeta().
_TAIL = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600, -3617 / 10670622842880000)


def zeta(input, other, *, out=None):
    """Hurwitz' zeta function: the sum of ``(other + k) ** -input`` over k from 0; ten terms, and the rest by Euler and Maclaurin."""
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
    """The derivative of order ``n`` of the digamma function."""
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


def multigammaln(input, p, *, out=None):
    """The logarithm of the multivariate gamma function of dimension ``p``."""
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
    function.__doc__ = f"{doc} of order ``n``, a number or a tensor of one for each element, which is read at the call."
    return function


def _one(x):
    return x * 0 + 1


_CHEBYSHEV = {"t": lambda x: x, "u": lambda x: 2 * x, "v": lambda x: 2 * x - 1, "w": lambda x: 2 * x + 1}
for _kind, _second in _CHEBYSHEV.items():
    for _name, _place in (("chebyshev_polynomial_", lambda x: x), ("shifted_chebyshev_polynomial_", lambda x: 2 * x - 1)):
        globals()[_name + _kind] = _recurrence(
            _name + _kind, _one, lambda x, f=_second, g=_place: f(g(x)), lambda k, x, a, b, g=_place: 2 * g(x) * b - a,
            f"The Chebyshev polynomial of kind {_kind.upper()}{', of 2 x - 1' if _name.startswith('s') else ''},",
        )  # fmt: skip
hermite_polynomial_h = _recurrence(
    "hermite_polynomial_h", _one, lambda x: 2 * x, lambda k, x, a, b: 2 * x * b - 2 * k * a, "Hermite's polynomial, of physics,"
)
hermite_polynomial_he = _recurrence(
    "hermite_polynomial_he", _one, lambda x: x, lambda k, x, a, b: x * b - k * a, "Hermite's polynomial, of probabilities,"
)
laguerre_polynomial_l = _recurrence(
    "laguerre_polynomial_l", _one, lambda x: 1 - x, lambda k, x, a, b: ((2 * k + 1 - x) * b - k * a) / (k + 1), "Laguerre's polynomial"
)
legendre_polynomial_p = _recurrence(
    "legendre_polynomial_p", _one, lambda x: x, lambda k, x, a, b: ((2 * k + 1) * x * b - k * a) / (k + 1), "Legendre's polynomial"
)


def spherical_bessel_j0(input, *, out=None):
    """``sin(x) / x``, 1 at 0."""
    x = _real(input, "spherical_bessel_j0")
    safe = _op("where", x == 0, 1.0, x)
    return finish(_op("where", x == 0, 1 - x * x / 6, _op("sin", safe) / safe).to(x.dtype), out)


def digamma(input, *, out=None):
    """The derivative of lgamma()."""
    return finish(_op("digamma", input), out)


psi, gammaln = digamma, _elementwise.lgamma
METHODS = "i0 mvlgamma digamma"
NAMES = "i0 polygamma mvlgamma digamma".split()
_OWN = """i0 i0e i1 i1e entr ndtr log_ndtr ndtri erfcx multigammaln spherical_bessel_j0 hermite_polynomial_h hermite_polynomial_he
laguerre_polynomial_l legendre_polynomial_p mvlgamma digamma""".split()
check_all(globals(), [*_OWN, *(n for n in list(globals()) if "chebyshev_polynomial_" in n)])
modified_bessel_i0, modified_bessel_i1, psi = i0, i1, digamma
# What torch.special has: these, and functions of torch under the same names or others.
SPECIAL = {n: globals()[n] for n in [*_OWN, "xlog1py", "zeta", "polygamma", "psi", "gammaln", "modified_bessel_i0", "modified_bessel_i1"]}
SPECIAL |= {n: f for n, f in globals().items() if "chebyshev_polynomial_" in n}
SPECIAL |= {n: getattr(_elementwise, n) for n in "erf erfc erfinv exp2 expit expm1 log1p logit round sinc xlogy".split()}
SPECIAL["logsumexp"] = _reductions.logsumexp
del SPECIAL["mvlgamma"]
add_methods(globals(), METHODS)
Tensor.polygamma = lambda self, n: polygamma(n, self)
Tensor.polygamma.__doc__ = polygamma.__doc__
add_in_place("i0 mvlgamma polygamma")
