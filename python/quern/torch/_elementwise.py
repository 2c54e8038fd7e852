"""Functions of one element, or of one of each operand: most are rows of the engine's table under PyTorch's names and types."""


from quern.lib import _engine
from quern.torch import _shaping
from quern.torch._arguments import checked
from quern.torch._core import Tensor, _op, add_in_place, add_methods, finish, tensor_like
from quern.torch._faces import FACES
from quern.torch._return_types import frexp as _frexp
from quern.torch._types import DTYPES, get_default_dtype, scalar_name


@checked
def positive(input):
    """Return the tensor itself.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape, not of bools.

    Returns
    -------
    Tensor
        `input`.

    Raises
    ------
    RuntimeError
        For bools.

    Examples
    --------
    >>> from quern import torch
    >>> torch.positive(torch.tensor([1, -2]))
    tensor([ 1, -2])
    """
    if input._dtype_name == "bool":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


@checked
def rsub(input, other, *, alpha=1):
    """Return ``other - alpha * input``.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    other : Tensor or scalar
        Second operand, which broadcasts with the first.
    alpha : scalar, optional
        Factor of `input`.

    Returns
    -------
    Tensor
        Shape to which the operands broadcast, in their common dtype.

    Raises
    ------
    RuntimeError
        For shapes that do not broadcast.

    Examples
    --------
    >>> from quern import torch
    >>> torch.rsub(torch.tensor([1, 2]), 10)
    tensor([9, 8])
    """
    return FACES["sub"](other, input, alpha=alpha)


def _real_of(input, name):
    """The tensor as one of real numbers; NotImplementedError for complex ones."""
    if input.is_complex():
        raise NotImplementedError(f"\"{name}\" not implemented for '{_type_name(input)}'")
    return input if input.is_floating_point() else input.to(get_default_dtype())


@checked(tensors="other")
def ldexp(input, other, *, out=None):
    """Return ``input * 2 ** other``.

    Parameters
    ----------
    input : Tensor
        Factors.
    other : Tensor
        Exponents, which broadcast with `input`.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Broadcast shape; the default floating-point dtype for integers.

    Examples
    --------
    >>> from quern import torch
    >>> torch.ldexp(torch.tensor([1.0, 3.0]), torch.tensor([2, 1]))
    tensor([4., 6.])
    """
    if input.is_complex() or other.is_complex():
        if other.dtype._kind in "iub":
            other = other._astype(input.dtype.to_real()._name)
        return finish(input * (_op("power", 2.0, other) if other.is_complex() else _op("exp2", other)), out)
    if other.is_floating_point():
        return finish(input * _op("exp2", other), out)
    return finish(_op("ldexp", input, other), out)


@checked(free="input")
def xlogy(input, other, *, out=None):
    """Return ``input * log(other)``, with 0 where `input` is 0.

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
        Broadcast shape; NaN where `other` is NaN.

    Examples
    --------
    >>> from quern import torch
    >>> torch.xlogy(torch.tensor([0.0, 2.0]), torch.tensor([0.0, 1.0]))
    tensor([0., 0.])
    """
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


def _type_name(tensor):
    return scalar_name(tensor.dtype)


@checked
def conj(input):
    """Return the complex conjugates; real tensors are returned as they are.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.conj(torch.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    return _op("conjugate", input) if input.is_complex() else input


@checked(same_out=True)
def conj_physical(input, *, out=None):
    """Return the complex conjugates.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.conj_physical(torch.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    return finish(conj(input), out)


@checked
def resolve_neg(input):
    """Return the tensor itself: views that negate or conjugate do not exist."""
    return input


resolve_conj = resolve_neg  # conj() computes


@checked
def complex(real, imag, *, out=None):  # noqa: A001
    """Return complex numbers of real and imaginary parts.

    Parameters
    ----------
    real : Tensor
        Floating-point numbers.
    imag : Tensor
        Numbers of the same dtype, which broadcast with `real`.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Shape to which the parts broadcast.

    Raises
    ------
    RuntimeError
        For parts of different dtypes.
    NotImplementedError
        For integers.

    Examples
    --------
    >>> from quern import torch
    >>> torch.complex(torch.tensor([1.0]), torch.tensor([2.0]))
    tensor([1.+2.j])
    """
    _real_parts(real, imag)
    parts = FACES["stack"](FACES["broadcast_tensors"](real, imag), -1)
    if parts._dtype_name == "float16" or not parts.numel():
        return finish(real + imag * (1j), out)
    return finish(_shaping.view_as_complex(parts), out)  # a sum with 1j * imag would make NaN of infinite parts


def _real_parts(a, b):
    kinds = {a._dtype_name, b._dtype_name}
    if not kinds <= {"float16", "float32", "float64"} or kinds == {"float16"}:
        raise NotImplementedError(f"Expected both inputs to be Half, Float or Double tensors but got {_type_name(a)} and {_type_name(b)}")
    if a._dtype_name != b._dtype_name:
        raise RuntimeError(f"Expected object of scalar type {_type_name(a)} but got scalar type {_type_name(b)} for second argument")


@checked
def polar(abs, angle, *, out=None):
    """Return complex numbers of absolute values and angles.

    Parameters
    ----------
    abs : Tensor
        Floating-point numbers.
    angle : Tensor
        Angles in radians, of the same dtype.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Shape to which the operands broadcast.

    Raises
    ------
    RuntimeError
        For operands of different dtypes.

    Examples
    --------
    >>> from quern import torch
    >>> torch.polar(torch.tensor([2.0]), torch.tensor([0.0]))
    tensor([2.+0.j])
    """
    abs, angle = _engine.casts_for("polar", abs, angle)
    _real_parts(abs, angle)
    return complex(abs * _op("cos", angle), abs * _op("sin", angle), out=out)


@checked
def frexp(input):
    """Return mantissas and exponents with ``input == mantissa * 2 ** exponent``.

    Parameters
    ----------
    input : Tensor
        Floating-point numbers.

    Returns
    -------
    namedtuple
        `mantissa`, in the dtype of `input`, and `exponent`, int32.

    Examples
    --------
    >>> from quern import torch
    >>> torch.frexp(torch.tensor([3.0, 8.0]))
    torch.return_types.frexp(
    mantissa=tensor([0.7500, 0.5000]),
    exponent=tensor([2, 4], dtype=torch.int32))
    """
    return _frexp(_op("frexp_mantissa", input), _op("frexp_exponent", input).to(DTYPES["int32"]))


METHODS = "positive ldexp xlogy conj conj_physical resolve_conj resolve_neg frexp"
__all__ = METHODS.split() + ["rsub", "complex", "polar"]
add_methods(__name__, METHODS)
real, imag = FACES["real"], FACES["imag"]
Tensor.real = property(real, lambda self, value: real(self).copy_(value), doc="The real parts.")
Tensor.imag = property(imag, lambda self, value: imag(self).copy_(value), doc="The imaginary parts of complex numbers.")
add_in_place("ldexp xlogy conj_physical")
