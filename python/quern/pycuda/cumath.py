"""PyCUDA's mathematics: functions of each element of GPUArrays. What computes is quern.arrays.

Results have the argument's dtype. ``out`` takes the result; ``stream`` is where the work goes.
"""

from __future__ import annotations

from quern import arrays as _arrays
from quern.pycuda import elementwise, gpuarray  # noqa: F401  (PyCUDA's names)
from quern.pycuda._array import check_shapes, on_stream, placed, plain
from quern.pycuda.driver import Stream


def _unary(name, compute, what):
    def call(array, stream_or_out=None, **kwargs):
        out, stream = kwargs.pop("out", None), kwargs.pop("stream", None)
        if kwargs:
            raise TypeError(f"{name}: unexpected keyword argument: {', '.join(kwargs)}")
        if stream_or_out is not None:
            if isinstance(stream_or_out, Stream):
                stream = stream_or_out
            else:
                out = stream_or_out
        if not isinstance(array, gpuarray.GPUArray):
            raise TypeError(f"{name}: a GPUArray is needed, not {type(array).__name__}")
        if out is None and stream is None:
            values = compute(plain(array))
            return placed(values if values._dtype_name == array._dtype_name else values.astype(array.dtype), None, array)
        if out is not None and not isinstance(out, gpuarray.GPUArray):
            raise TypeError(f"{name}: out must be a GPUArray, not {type(out).__name__}; pass a stream as stream=")
        if out is not None and (out.shape != array.shape or out.dtype != array.dtype):
            raise ValueError(f"{name}: out is {out.dtype} of shape {out.shape}, the result {array.dtype} of shape {array.shape}")
        with on_stream(stream):
            values = compute(plain(array)).astype(array.dtype, copy=False)
            if out is None:
                return placed(values, None, array)
            out[...] = values
            return out

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{what}, for each element. Raises TypeError for what is no GPUArray, ValueError for an ``out`` that does not fit."
    return call


fabs = _unary("fabs", _arrays.fabs, "The absolute value")
ceil = _unary("ceil", _arrays.ceil, "The smallest whole number that is not below it")
floor = _unary("floor", _arrays.floor, "The largest whole number that is not above it")
exp = _unary("exp", _arrays.exp, "The exponential")
log = _unary("log", _arrays.log, "The natural logarithm")
log10 = _unary("log10", _arrays.log10, "The logarithm to base 10")
sqrt = _unary("sqrt", _arrays.sqrt, "The square root")
sin = _unary("sin", _arrays.sin, "The sine")
cos = _unary("cos", _arrays.cos, "The cosine")
tan = _unary("tan", _arrays.tan, "The tangent")
asin = _unary("asin", _arrays.arcsin, "The inverse sine")
acos = _unary("acos", _arrays.arccos, "The inverse cosine")
atan = _unary("atan", _arrays.arctan, "The inverse tangent")
sinh = _unary("sinh", _arrays.sinh, "The hyperbolic sine")
cosh = _unary("cosh", _arrays.cosh, "The hyperbolic cosine")
tanh = _unary("tanh", _arrays.tanh, "The hyperbolic tangent")


def _reals(name, *arrays):
    for array in arrays:
        if not isinstance(array, gpuarray.GPUArray):
            raise TypeError(f"{name}: a GPUArray is needed, not {type(array).__name__}")
        if array.dtype.kind == "c":
            raise TypeError(f"{name}: complex numbers are not supported")
    if len(arrays) == 2:
        check_shapes(*arrays)


def fmod(arg, mod, stream=None):
    """What is left of ``arg`` after division by ``mod``, with the sign of ``arg``; both are GPUArrays."""
    _reals("fmod", arg, mod)
    with on_stream(stream):
        return placed(_arrays.fmod(plain(arg), plain(mod)), None, arg)


def frexp(arg, stream=None):
    """(significands, exponents): ``arg == significand * 2**exponent``, the significand in [0.5, 1); both have the dtype of ``arg``."""
    _reals("frexp", arg)
    with on_stream(stream):
        significand, exponent = _arrays.frexp(plain(arg))
        return placed(significand.astype(arg.dtype, copy=False), None, arg), placed(exponent.astype(arg.dtype), None, arg)


def ldexp(significand, exponent, stream=None):
    """``significand * 2**exponent``; exponents may be floats with whole values, as frexp() gives them."""
    _reals("ldexp", significand, exponent)
    with on_stream(stream):
        values = _arrays.ldexp(plain(significand), plain(exponent).astype("int32", copy=False))
        return placed(values, None, significand)


def modf(arg, stream=None):
    """(fractional parts, whole parts), both with the sign and the dtype of ``arg``."""
    _reals("modf", arg)
    with on_stream(stream):
        fraction, whole = _arrays.modf(plain(arg))
        return placed(fraction.astype(arg.dtype, copy=False), None, arg), placed(whole.astype(arg.dtype, copy=False), None, arg)
