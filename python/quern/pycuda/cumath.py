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
    call.__doc__ = f"""Return {what} of each element.

    Parameters
    ----------
    array : GPUArray
        Array of any shape.
    stream_or_out : Stream or GPUArray, optional
        Stream of the work, or array that receives the result.
    **kwargs : object
        `stream` or `out`, by name.

    Returns
    -------
    GPUArray
        Shape and dtype of `array`; `out` where it is passed.

    Raises
    ------
    TypeError
        For an `array` or `out` that is no GPUArray.
    ValueError
        For an `out` of another shape or dtype.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import autoinit, cumath, gpuarray
    >>> cumath.{name}(gpuarray.to_gpu(numpy.ones((2, 3)))).shape
    (2, 3)
    """
    return call


fabs = _unary("fabs", _arrays.fabs, "the absolute value")
ceil = _unary("ceil", _arrays.ceil, "the smallest whole number that is not below it")
floor = _unary("floor", _arrays.floor, "the largest whole number that is not above it")
exp = _unary("exp", _arrays.exp, "the exponential")
log = _unary("log", _arrays.log, "the natural logarithm")
log10 = _unary("log10", _arrays.log10, "the logarithm to base 10")
sqrt = _unary("sqrt", _arrays.sqrt, "the square root")
sin = _unary("sin", _arrays.sin, "the sine")
cos = _unary("cos", _arrays.cos, "the cosine")
tan = _unary("tan", _arrays.tan, "the tangent")
asin = _unary("asin", _arrays.arcsin, "the inverse sine")
acos = _unary("acos", _arrays.arccos, "the inverse cosine")
atan = _unary("atan", _arrays.arctan, "the inverse tangent")
sinh = _unary("sinh", _arrays.sinh, "the hyperbolic sine")
cosh = _unary("cosh", _arrays.cosh, "the hyperbolic cosine")
tanh = _unary("tanh", _arrays.tanh, "the hyperbolic tangent")


def _reals(name, *arrays):
    for array in arrays:
        if not isinstance(array, gpuarray.GPUArray):
            raise TypeError(f"{name}: a GPUArray is needed, not {type(array).__name__}")
        if array.dtype.kind == "c":
            raise TypeError(f"{name}: complex numbers are not supported")
    if len(arrays) == 2:
        check_shapes(*arrays)


def fmod(arg, mod, stream=None):
    """Return the remainder of a division, with the sign of `arg`.

    Parameters
    ----------
    arg : GPUArray
        Dividends, real numbers.
    mod : GPUArray
        Divisors, in the shape of `arg`.
    stream : Stream, optional
        Stream of the work.

    Returns
    -------
    GPUArray
        Shape of `arg`.

    Raises
    ------
    TypeError
        For an argument that is no GPUArray, or complex numbers.

    Examples
    --------
    >>> from quern.pycuda import autoinit, cumath, gpuarray
    >>> import numpy
    >>> x = gpuarray.to_gpu(numpy.array([5.0, -5.0]))
    >>> cumath.fmod(x, x * 0 + 3)
    array([ 2., -2.])
    """
    _reals("fmod", arg, mod)
    with on_stream(stream):
        return placed(_arrays.fmod(plain(arg), plain(mod)), None, arg)


def frexp(arg, stream=None):
    """Return significands in [0.5, 1) and exponents with ``arg == significand * 2**exponent``.

    Parameters
    ----------
    arg : GPUArray
        Real numbers.
    stream : Stream, optional
        Stream of the work.

    Returns
    -------
    tuple of GPUArray
        Significands and exponents, in the dtype of `arg`.

    Raises
    ------
    TypeError
        For an argument that is no GPUArray, or complex numbers.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import cumath, gpuarray
    >>> cumath.frexp(gpuarray.to_gpu(numpy.array([8, 0.75], numpy.float32)))
    (array([0.5 , 0.75], dtype=float32), array([4., 0.], dtype=float32))
    """
    _reals("frexp", arg)
    with on_stream(stream):
        significand, exponent = _arrays.frexp(plain(arg))
        return placed(significand.astype(arg.dtype, copy=False), None, arg), placed(exponent.astype(arg.dtype), None, arg)


def ldexp(significand, exponent, stream=None):
    """Return ``significand * 2**exponent``.

    Parameters
    ----------
    significand : GPUArray
        Real numbers.
    exponent : GPUArray
        Exponents: integers, or floats with whole values.
    stream : Stream, optional
        Stream of the work.

    Returns
    -------
    GPUArray
        Shape of `significand`.

    Raises
    ------
    TypeError
        For an argument that is no GPUArray, or complex numbers.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import cumath, gpuarray
    >>> x, n = (gpuarray.to_gpu(numpy.array(v, numpy.float32)) for v in ([1, 3], [4, 1]))
    >>> cumath.ldexp(x, n)
    array([16.,  6.], dtype=float32)
    """
    _reals("ldexp", significand, exponent)
    with on_stream(stream):
        values = _arrays.ldexp(plain(significand), plain(exponent).astype("int32", copy=False))
        return placed(values, None, significand)


def modf(arg, stream=None):
    """Return fractional and whole parts, both with the sign of `arg`.

    Parameters
    ----------
    arg : GPUArray
        Real numbers.
    stream : Stream, optional
        Stream of the work.

    Returns
    -------
    tuple of GPUArray
        Fractional and whole parts, in the dtype of `arg`.

    Raises
    ------
    TypeError
        For an argument that is no GPUArray, or complex numbers.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import cumath, gpuarray
    >>> cumath.modf(gpuarray.to_gpu(numpy.array([1.5, -2.25], numpy.float32)))
    (array([ 0.5 , -0.25], dtype=float32), array([ 1., -2.], dtype=float32))
    """
    _reals("modf", arg)
    with on_stream(stream):
        fraction, whole = _arrays.modf(plain(arg))
        return placed(fraction.astype(arg.dtype, copy=False), None, arg), placed(whole.astype(arg.dtype, copy=False), None, arg)
