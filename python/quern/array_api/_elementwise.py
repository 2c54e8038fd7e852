"""The standard's elementwise functions. Those whose meaning is quern's own stand in a table, the others follow."""

import inspect

import numpy

from quern import arrays as ours

_ONE = """abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp floor imag isfinite isinf isnan log log1p log2 log10
logical_not negative positive real reciprocal round sign signbit sin sinh sqrt square tan trunc""".split()
_TWO = """add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide equal greater greater_equal
hypot less less_equal logaddexp logical_and logical_or logical_xor maximum minimum multiply nextafter not_equal pow remainder
subtract""".split()

__all__ = [*_ONE, *_TWO, "clip", "expm1", "floor_divide", "tanh"]


def _make(name, operands):
    """The function of quern's with the standard's signature: ``operands`` by position alone."""
    function_of_ours = getattr(ours, name)
    source = f"def {name}({', '.join(operands)}, /):\n    return f({', '.join(operands)})\n"
    made = {"f": function_of_ours, "__name__": __name__}
    exec(source, made)  # a signature of its own costs nothing at the call
    function = made[name]
    first = (inspect.getdoc(function_of_ours) or name).splitlines()[0]
    function.__doc__ = f"{first}\n\nThe standard's signature of :func:`quern.{name}`."
    return function


globals().update({name: _make(name, ["x"]) for name in _ONE})
globals().update({name: _make(name, ["x1", "x2"]) for name in _TWO})


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
