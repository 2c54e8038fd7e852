"""The standard's elementwise functions. Those whose meaning is quern's own stand in a table, the others follow."""

import inspect

import numpy

from quern import arrays as ours


def _shown(function, of_ours, name):
    """The function as the standard shows it: with the name and the first line of quern's."""
    first = (inspect.getdoc(of_ours) or name).splitlines()[0]
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{first}\n\nThe standard's signature of :func:`quern.{name}`."
    return function


def _of_one(name):
    function = getattr(ours, name)

    def call(x, /):
        return function(x)

    return _shown(call, function, name)


def _of_two(name):
    function = getattr(ours, name)

    def call(x1, x2, /):
        return function(x1, x2)

    return _shown(call, function, name)


abs = _of_one("abs")
acos = _of_one("acos")
acosh = _of_one("acosh")
asin = _of_one("asin")
asinh = _of_one("asinh")
atan = _of_one("atan")
atanh = _of_one("atanh")
bitwise_invert = _of_one("bitwise_invert")
ceil = _of_one("ceil")
conj = _of_one("conj")
cos = _of_one("cos")
cosh = _of_one("cosh")
exp = _of_one("exp")
floor = _of_one("floor")
imag = _of_one("imag")
isfinite = _of_one("isfinite")
isinf = _of_one("isinf")
isnan = _of_one("isnan")
log = _of_one("log")
log1p = _of_one("log1p")
log2 = _of_one("log2")
log10 = _of_one("log10")
logical_not = _of_one("logical_not")
negative = _of_one("negative")
positive = _of_one("positive")
real = _of_one("real")
reciprocal = _of_one("reciprocal")
round = _of_one("round")
sign = _of_one("sign")
signbit = _of_one("signbit")
sin = _of_one("sin")
sinh = _of_one("sinh")
sqrt = _of_one("sqrt")
square = _of_one("square")
tan = _of_one("tan")
trunc = _of_one("trunc")
add = _of_two("add")
atan2 = _of_two("atan2")
bitwise_and = _of_two("bitwise_and")
bitwise_left_shift = _of_two("bitwise_left_shift")
bitwise_or = _of_two("bitwise_or")
bitwise_right_shift = _of_two("bitwise_right_shift")
bitwise_xor = _of_two("bitwise_xor")
copysign = _of_two("copysign")
divide = _of_two("divide")
equal = _of_two("equal")
greater = _of_two("greater")
greater_equal = _of_two("greater_equal")
hypot = _of_two("hypot")
less = _of_two("less")
less_equal = _of_two("less_equal")
logaddexp = _of_two("logaddexp")
logical_and = _of_two("logical_and")
logical_or = _of_two("logical_or")
logical_xor = _of_two("logical_xor")
maximum = _of_two("maximum")
minimum = _of_two("minimum")
multiply = _of_two("multiply")
nextafter = _of_two("nextafter")
not_equal = _of_two("not_equal")
pow = _of_two("pow")
remainder = _of_two("remainder")
subtract = _of_two("subtract")


def _is_complex(x):
    return numpy.isdtype(x.dtype, "complex floating")


def clip(x, /, min=None, max=None):
    """``x`` with what is below ``min`` or above ``max`` replaced by these; the type is that of ``x``.

    Parameters: ``min``, ``max``: numbers or arrays that broadcast to the shape of ``x``; None: no bound.
    """
    if min is None and max is None:
        return ours.positive(x) if x.dtype != bool else x.copy()
    result = ours.clip(x, min, max)
    return result if result.dtype == x.dtype else result.astype(x.dtype)


def expm1(x, /):
    """exp(x) - 1, exact for small ``x``; complex infinities as the standard has them: expm1(inf + 0j) is inf + 0j."""
    if not _is_complex(x):
        return ours.expm1(x)
    return ours.where(ours.isfinite(x.real), ours.expm1(x), ours.exp(x) - 1)


def floor_divide(x1, x2, /):
    """The quotient rounded down; of an infinity it is one, and by an infinity a zero of the quotient's sign, as true division gives."""
    result = ours.floor_divide(x1, x2)
    if not numpy.isdtype(result.dtype, "real floating"):
        return result
    return ours.where(ours.isinf(x1) | ours.isinf(x2), ours.divide(x1, x2).astype(result.dtype), result)


def tanh(x, /):
    """The hyperbolic tangent; of complex numbers with an infinite real part ±1, with a zero of the imaginary part's sign."""
    if not _is_complex(x):
        return ours.tanh(x)
    ends = ours.empty(x.shape, x.dtype, device=x.device)
    ends.real[...] = ours.copysign(1, x.real)
    ends.imag[...] = ours.copysign(0, ours.where(ours.isnan(x.imag), 0, x.imag))
    return ours.where(ours.isinf(x.real), ends, ours.tanh(x))


__all__ = [name for name, value in vars().items() if inspect.isfunction(value) and name[0] != "_"]
