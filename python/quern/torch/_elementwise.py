"""Functions of one element, or of one of each operand: most are rows of the engine's table under PyTorch's names and types."""

import builtins
import math

from quern.lib import _engine
from quern.torch._arguments import check_all
from quern.torch._core import Tensor, _op, add_in_place, add_methods, finish, is_number, tensor_like
from quern.torch._named import frexp as _frexp
from quern.torch._types import DTYPES, finfo, get_default_dtype, scalar_name

_ONE = 1  # Python has one object for it: `is` takes less time than ==

def positive(input):
    """The tensor itself; bools have no sign."""
    if input._dtype_name == "bool":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


def _scaled(row, input, other, alpha):
    """``alpha * other`` in the type of the operation's result."""
    if alpha.__class__ is int and alpha == 1:
        return other
    name = _engine.tensor_op_types(row, input, other)[0]
    kind = DTYPES[name]._kind
    if isinstance(alpha, bool) and kind != "b":
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and kind not in "fc":
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(alpha, builtins.complex) and kind != "c":
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    if not isinstance(other, Tensor):
        return bool(other and alpha) if kind == "b" else other * alpha
    return other._astype(name) * (bool(alpha) if kind == "b" else alpha)


def add(input, other, *, alpha=1, out=None):
    """``input + alpha * other``, which broadcast together. ``out``: takes the result."""
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        input = tensor_like(input)
    return finish(_op("add", input, other if alpha is _ONE else _scaled("add", input, other, alpha)), out)


def sub(input, other, *, alpha=1, out=None):
    """``input - alpha * other``, which broadcast together. ``out``: takes the result."""
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        input = tensor_like(input)
    return finish(_op("subtract", input, other if alpha is _ONE else _scaled("subtract", input, other, alpha)), out)


subtract = sub


def rsub(input, other, *, alpha=1):
    """``other - alpha * input``."""
    return _op("subtract", other, _scaled("subtract", other, input, alpha))


def div(input, other, *, rounding_mode=None, out=None):
    """``input / other``; ``rounding_mode``: "trunc" towards zero, "floor" downwards, None for the quotient itself."""
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        input = tensor_like(input)
    if rounding_mode is None:
        result = _op("true_divide", input, other)
    elif rounding_mode == "floor":
        result = _op("floor_divide", input, other)
    elif rounding_mode == "trunc":
        compute, _ = _engine.tensor_op_types("floor_divide", input, other)
        if compute.startswith(("int", "uint", "bool")):
            quotient, rest = _op("floor_divide", input, other), _op("remainder", input, other)
            # The remainder has the divisor's sign: one more where the quotient is negative and not whole.
            up = (rest != 0) & (_op("less", quotient, 0))
            result = quotient + up
        else:
            result = _op("trunc", _op("true_divide", input, other))
    else:
        raise RuntimeError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'")
    return finish(result, out)


divide = div


def rsqrt(input, *, out=None):
    """``1 / sqrt(input)``."""
    if not (input.requires_grad and _engine.gradient_mode()):
        return finish(_op("reciprocal", _op("sqrt", input)), out)
    return finish(_engine.tensor_activated(input, _op("reciprocal", _op("sqrt", input.detach())), "rsqrt", 0.0, 0.0, None), out)


def sigmoid(input, *, out=None):
    """The logistic function ``1 / (1 + exp(-input))``."""
    if input._dtype_name.startswith("complex"):
        return finish(_op("reciprocal", _op("exp", -input) + 1), out)
    return finish(_op("sigmoid", input), out)


expit = sigmoid


def logit(input, eps=None, *, out=None):
    """``log(x / (1 - x))``, of x limited to [eps, 1 - eps] where ``eps`` is given."""
    input = _real_of(input, "logit")
    if eps is not None:
        input = _op("where", input < eps, eps, _op("where", input > 1 - eps, 1 - eps, input)).to(input.dtype)
    x = input.detach()
    return finish(_engine.tensor_activated(input, _op("log", x / (1 - x)), "logit", 0.0, 0.0, None), out)


def erfinv(input, *, out=None):
    """The inverse of erf: infinite at -1 and 1, NaN outside. By Newton's steps from a rational first guess (Giles, 2010)."""
    x = _real_of(input, "erfinv")
    wide = x.to(_float64())
    # At the ends the derivative is infinite, too; what is not used there must not make it NaN, nor must the root at 0.
    is_end = _op("absolute", wide.detach()) == 1
    ends = wide * _op("where", is_end, math.inf, 1.0)
    wide = _op("where", is_end, 0.0, wide)
    w = -_op("log", (1 - wide) * (1 + wide))
    small, large = w - 2.5, _op("sqrt", _op("maximum", w, 0.25)) - 3
    near, far = small * 0 + 2.81022636e-08, large * 0 + -0.000200214257
    for c in (3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941):
        near = near * small + c
    for c in (0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682):
        far = far * large + c
    y = _op("where", w < 5, near, far) * wide
    for _ in range(2):  # to all digits
        error = _op("erf", y) - wide
        y = y - error / (1.1283791670955126 * _op("exp", -y * y))
    return finish(_op("where", is_end, ends, y).to(x.dtype), out)


def _float64():
    return DTYPES["float64"]


def _real_of(input, name):
    """The tensor as one of real numbers; NotImplementedError for complex ones."""
    if input.is_complex():
        raise NotImplementedError(f"\"{name}\" not implemented for '{_type_name(input)}'")
    return input if input.is_floating_point() else input.to(get_default_dtype())


def sgn(input, *, out=None):
    """-1, 0 or 1 by the sign of each element; complex numbers as those of size 1 with their angle."""
    return finish(input.clone() if input._dtype_name == "bool" else _op("sign", input), out)


def heaviside(input, values, *, out=None):
    """0 where ``input`` is negative, 1 where it is positive, ``values`` where it is 0; of one type."""
    if not isinstance(input, Tensor) or not isinstance(values, Tensor):
        raise TypeError("heaviside(): arguments must be Tensors")
    if input.is_complex() or values.is_complex():
        raise NotImplementedError("heaviside is not yet implemented for complex tensors.")
    if input.dtype != values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return finish(_op("where", input == 0, values, (input > 0).to(input.dtype)), out)


def sign(input, *, out=None):
    """-1, 0 or 1 by the sign of each element; 0 of NaN."""
    if input.is_complex():
        raise NotImplementedError("Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.")
    result = sgn(input)
    if input.is_floating_point():
        result = _op("where", _op("isnan", input), 0.0, result).to(input.dtype)
    return finish(result, out)


def frac(input, *, out=None):
    """What is behind the point of each element, with its sign."""
    return finish(input - _op("trunc", input), out)


def round(input, *, decimals=0, out=None):
    """Each element rounded, halves to even; ``decimals``: to so many places behind the point."""
    if not input.is_floating_point():
        if decimals or input._dtype_name == "bool" or input.is_complex():
            raise NotImplementedError(f"\"round\" not implemented for '{_type_name(input)}'")
        return finish(input.clone(), out)
    if decimals == 0:
        return finish(_op("rint", input), out)
    scale = 10.0 ** builtins.abs(decimals)
    result = _op("rint", input * scale) / scale if decimals > 0 else _op("rint", input / scale) * scale
    return finish(result, out)


def clamp(input, min=None, max=None, *, out=None):
    """Each element limited to [min, max]; a limit may be None, a number, or a tensor that broadcasts."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    # Not by maximum(): no gradient passes where the element equals a limit. NaN stays.
    result = input
    if min is not None:
        result = _op("where", _beyond("less_equal", result, min), min, result)
    if max is not None:
        result = _op("where", _beyond("greater_equal", result, max), max, result)
    return finish(result, out)


def _beyond(row, input, limit):
    """Where the limit takes over: also where it is NaN."""
    beyond = _op(row, input, limit)
    if isinstance(limit, float) and limit != limit:
        return _op("logical_not", beyond)
    if isinstance(limit, Tensor) and limit.is_floating_point():
        return _op("logical_or", beyond, _op("isnan", limit))
    return beyond


clip = clamp


def clamp_min(input, min, *, out=None):
    """The larger of each element and ``min``."""
    return clamp(input, min, None, out=out)


def clamp_max(input, max, *, out=None):
    """The smaller of each element and ``max``."""
    return clamp(input, None, max, out=out)


def nan_to_num(input, nan=0.0, posinf=None, neginf=None, *, out=None):
    """NaN and infinities replaced: by default 0, the largest and the smallest number of the type."""
    if not input.is_floating_point():
        return finish(input.clone(), out)
    limits = finfo(input.dtype)
    result = _op("where", _op("isnan", input), 0.0 if nan is None else nan, input)
    result = _op("where", result == math.inf, limits.max if posinf is None else posinf, result)
    result = _op("where", result == -math.inf, limits.min if neginf is None else neginf, result)
    return finish(result.to(input.dtype), out)


def lerp(input, end, weight, *, out=None):
    """``input + weight * (end - input)``; ``weight``: a number or a tensor."""
    if not is_number(weight) and not isinstance(weight, Tensor):
        raise TypeError(f"lerp(): argument 'weight' must be Tensor, not {type(weight).__name__}")
    if not is_number(weight) and weight.dtype != input.dtype or end.dtype != input.dtype:
        raise RuntimeError(f"expected dtype {input.dtype} for `end` and `weight`")
    return finish(input + weight * (end - input), out)


def addcmul(input, tensor1, tensor2, *, value=1, out=None):
    """``input + value * tensor1 * tensor2``."""
    product = tensor1 * tensor2
    return finish(input + (product if value == 1 else product * _factor(value, product)), out)


def _factor(value, product):
    """A factor of what is added, which does not change its type."""
    kind = product.dtype._kind
    return bool(value) if kind == "b" else int(value) if isinstance(value, float) and kind in "iu" else value


def addcdiv(input, tensor1, tensor2, *, value=1, out=None):
    """``input + value * tensor1 / tensor2``."""
    if not (tensor1.dtype._kind in "fc" or tensor2.dtype._kind in "fc"):
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future release addcdiv will perform a true division of "
            "tensor1 and tensor2."
        )
    quotient = tensor1 / tensor2
    return finish(input + (quotient if value == 1 else quotient * value), out)


def ldexp(input, other, *, out=None):
    """``input * 2 ** other``."""
    if input.is_complex() or other.is_complex():
        if other.dtype._kind in "iub":
            other = other._astype(input.dtype.to_real()._name)
        return finish(input * (_op("power", 2.0, other) if other.is_complex() else _op("exp2", other)), out)
    if other.is_floating_point():
        return finish(input * _op("exp2", other), out)
    return finish(_op("ldexp", input, other), out)


def xlogy(input, other, *, out=None):
    """``input * log(other)``, 0 where input is 0."""
    return finish(_times_logarithm("log", input, other), out)


def _times_logarithm(row, input, other):
    """``input * row(other)`` in the type that a quotient of both has; 0 where input is 0."""
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        raise TypeError(f"xlogy(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    name = _engine.tensor_op_types("true_divide", input, other)[0]
    input, other = (tensor_like(x)._astype(name) for x in (input, other))
    logarithm = _op(row, other)
    # Where the logarithm is a number the product is 0 by itself, and its derivative the logarithm.
    is_none = _op("logical_and", _op("equal", other, other), _op("logical_not", _op("isfinite", logarithm)))
    return (input * _op("where", _op("logical_and", input == 0, is_none), 0.0, logarithm))._astype(name)


def sinc(input, *, out=None):
    """``sin(pi x) / (pi x)``, 1 at 0."""
    x = input * math.pi
    safe = _op("where", x == 0, 1.0, x)
    return finish(_op("where", x == 0, 1 - x * x / 6, _op("sin", safe) / safe).to(x.dtype), out)


def isposinf(input, *, out=None):
    """Is it positive infinity?"""
    _no_complex(input, "isposinf")
    return finish(input == math.inf, out)


def isneginf(input, *, out=None):
    """Is it negative infinity?"""
    _no_complex(input, "isneginf")
    return finish(input == -math.inf, out)


def _no_complex(input, name):
    if input.is_complex():
        raise TypeError(f"{name} does not support complex inputs.")


def isreal(input):
    """Is it a real number, of no imaginary part?"""
    if input.is_complex():
        return input.imag == 0
    return _op("logical_or", input == input, input != input)


def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Is ``|input - other| <= atol + rtol * |other|``, or are both equal?"""
    if input.dtype != other.dtype:
        raise RuntimeError(f"{_type_name(input)} did not match {_type_name(other)}")
    if rtol < 0 or atol < 0:
        raise RuntimeError(f"{'rtol' if rtol < 0 else 'atol'} must be greater than or equal to zero, but got {rtol if rtol < 0 else atol}")
    if input._dtype_name == "bool":
        return input == other
    if input.dtype._kind == "u":
        input, other = input.to(_float64()), other.to(_float64())
    near = (input - other).abs() <= atol + rtol * other.abs()
    if input.is_floating_point() or input.is_complex():
        near = near & _op("isfinite", (input - other).abs()) | (input == other)
        if equal_nan:
            near = near | _op("isnan", input) & _op("isnan", other)
    return near


def _type_name(tensor):
    return scalar_name(tensor.dtype)


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Are all elements close (see :func:`isclose`)? This waits for them."""
    return bool(isclose(input, other, rtol, atol, equal_nan).all())


def equal(input, other):
    """Have both the same shape and values? This waits for them."""
    return input._shape == other._shape and bool((input == other).all())


def real(input):
    """The real parts: a view of complex numbers, others as they are."""
    return input._real() if input.is_complex() else input


def imag(input):
    """The imaginary parts of complex numbers: a view."""
    if not input.is_complex():
        raise TypeError("imag is not implemented for tensors with non-complex dtypes.")
    return input._imag()


def conj(input):
    """Complex numbers conjugated; others as they are."""
    return _op("conjugate", input) if input.is_complex() else input


def conj_physical(input, *, out=None):
    """The complex conjugates."""
    return finish(conj(input), out)


def resolve_neg(input):
    """The tensor itself."""
    return input


resolve_conj = resolve_neg  # conj() computes


def angle(input, *, out=None):
    """The angle of complex numbers; of real ones 0 or pi."""
    if input.is_complex():
        return finish(_op("arctan2", input.imag, input.real), out)
    x = _real_of(input, "angle")
    return finish(_op("where", _op("isnan", x), x, _op("where", x < 0, math.pi, 0.0).to(x.dtype)), out)


def complex(real, imag, *, out=None):  # noqa: A001
    """Complex numbers of these real and imaginary parts."""
    _real_parts(real, imag)
    return finish(real + imag * (1j), out)


def _real_parts(a, b):
    kinds = {a._dtype_name, b._dtype_name}
    if not kinds <= {"float16", "float32", "float64"} or kinds == {"float16"}:
        raise NotImplementedError(f"Expected both inputs to be Half, Float or Double tensors but got {_type_name(a)} and {_type_name(b)}")
    if a._dtype_name != b._dtype_name:
        raise RuntimeError(f"Expected object of scalar type {_type_name(a)} but got scalar type {_type_name(b)} for second argument")


def polar(abs, angle, *, out=None):
    """Complex numbers of these sizes and angles."""
    _real_parts(abs, angle)
    return complex(abs * _op("cos", angle), abs * _op("sin", angle), out=out)


def frexp(input):
    """(mantissa, exponent) with ``input == mantissa * 2 ** exponent``."""
    return _frexp(_op("frexp_mantissa", input), _op("frexp_exponent", input).to(DTYPES["int32"]))


def _logaddexp(input, other):
    """The logarithm of a sum of exponentials of complex numbers, by that with the larger real part."""
    larger = _op("greater_equal", input.real, other.real)
    top, low = _op("where", larger, input, other), _op("where", larger, other, input)
    return top + _op("log", _op("exp", low - top) + 1)


def logaddexp(input, other, *, out=None):
    """``log(exp(input) + exp(other))`` of the elements of both, without overflow. ``out``: takes the result."""
    if input.is_complex() or other.is_complex():
        name = _engine.tensor_common_type(input, other)
        return finish(_logaddexp(input._astype(name), other._astype(name)), out)
    return finish(_op("logaddexp", input, other), out)


METHODS = """positive sgn heaviside add sub subtract div divide rsqrt sigmoid logit erfinv sign frac round clamp clip clamp_min
clamp_max nan_to_num lerp addcmul addcdiv ldexp logaddexp xlogy sinc isposinf isneginf isreal isclose allclose equal conj conj_physical
resolve_conj resolve_neg angle frexp"""
NAMES = METHODS.split() + ["rsub", "real", "imag", "complex", "polar"]
_FREE = dict.fromkeys("add sub subtract div divide xlogy".split(), "input")
_TENSORS = dict.fromkeys("heaviside ldexp isclose allclose equal logaddexp".split(), "other") | {"heaviside": "values"}
check_all(
    globals(),
    NAMES,
    _TENSORS,
    _FREE,
    same_out="sgn sign isposinf isneginf round frac nan_to_num heaviside conj_physical",
)
add_methods(globals(), METHODS)
Tensor.real = property(real, lambda self, value: real(self).copy_(value), doc="The real parts.")
Tensor.imag = property(imag, lambda self, value: imag(self).copy_(value), doc="The imaginary parts of complex numbers.")
add_in_place(
    """sgn heaviside add sub subtract div divide rsqrt sigmoid logit erfinv sign frac round clamp clip clamp_min clamp_max nan_to_num lerp
    addcmul addcdiv ldexp xlogy sinc conj_physical"""
)
