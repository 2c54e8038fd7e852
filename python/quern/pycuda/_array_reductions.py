"""Reductions of PyCUDA's arrays: arrays without axes."""

from __future__ import annotations

import numpy as np

from quern import arrays as _arrays
from quern.pycuda._array import common_dtype, on_stream, placed, plain
from quern.pycuda._array_creation import ones

# Docstring of max() and min().
_EXTREME = """Return the {what} element; NaN is left out.

Parameters
----------
a : GPUArray
    Array of any shape.
stream : Stream, optional
    Stream in which the work runs; None is the default stream.

Returns
-------
GPUArray
    Array without dimensions, in the dtype of `a`. Without elements, the {identity} value of the dtype.

Examples
--------
>>> import numpy
>>> from quern.pycuda import gpuarray
>>> gpuarray.{name}(gpuarray.to_gpu(numpy.array([1, 3, 2])))
array({of_three})
"""


def any(a, stream=None, allocator=None):  # noqa: A001
    """Return whether any element is nonzero.

    Parameters
    ----------
    a : GPUArray
        Array of any shape.
    stream : Stream, optional
        Stream in which the work runs; None is the default stream.
    allocator : callable, optional
        Function that returns device memory for a number of bytes, such as ``DeviceMemoryPool().allocate``; None uses
        quern's own pool.

    Returns
    -------
    GPUArray
        Array without dimensions.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> gpuarray.any(gpuarray.to_gpu(numpy.array([1, 0])))
    array(True)
    """
    return a.any(stream, allocator)


def all(a, stream=None, allocator=None):  # noqa: A001
    """Return whether all elements are nonzero.

    Parameters
    ----------
    a : GPUArray
        Array of any shape.
    stream : Stream, optional
        Stream in which the work runs; None is the default stream.
    allocator : callable, optional
        Function that returns device memory for a number of bytes, such as ``DeviceMemoryPool().allocate``; None uses
        quern's own pool.

    Returns
    -------
    GPUArray
        Array without dimensions.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> gpuarray.all(gpuarray.to_gpu(numpy.array([1, 0])))
    array(False)
    """
    return a.all(stream, allocator)


def sum(a, dtype=None, stream=None, allocator=None):  # noqa: A001
    """Return the sum of all elements.

    Parameters
    ----------
    a : GPUArray
        Array of any shape.
    dtype : dtype, optional
        Dtype of the sum; None is that of `a`.
    stream : Stream, optional
        Stream in which the work runs; None is the default stream.
    allocator : callable, optional
        Function that returns device memory for a number of bytes, such as ``DeviceMemoryPool().allocate``; None uses
        quern's own pool.

    Returns
    -------
    GPUArray
        Array without dimensions; ``get()`` copies its value to the host.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> gpuarray.sum(gpuarray.to_gpu(numpy.arange(4))).get()
    array(6)
    """
    with on_stream(stream):
        return placed(_arrays.sum(plain(a), dtype=a.dtype if dtype is None else dtype), allocator, a)


def dot(a, b, dtype=None, stream=None, allocator=None):
    """Return the sum of the products of two arrays' elements.

    Complex elements are not conjugated.

    Parameters
    ----------
    a : GPUArray
        Array of any shape.
    b : GPUArray
        Array of as many elements as `a`.
    dtype : dtype, optional
        Dtype of the sum; None is the common dtype of both.
    stream : Stream, optional
        Stream in which the work runs; None is the default stream.
    allocator : callable, optional
        Function that returns device memory for a number of bytes, such as ``DeviceMemoryPool().allocate``; None uses
        quern's own pool.

    Returns
    -------
    GPUArray
        Array without dimensions.

    Raises
    ------
    ValueError
        For different numbers of elements.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> a = gpuarray.to_gpu(numpy.array([1, 2, 3]))
    >>> gpuarray.dot(a, a).get()
    array(14)
    """
    if a.size != b.size:
        raise ValueError(f"dot: {a.size} elements do not fit {b.size}")
    dtype = common_dtype(a, b) if dtype is None else np.dtype(dtype)
    with on_stream(stream):
        b = b if b.shape == a.shape else b.reshape(a.shape)
        products = plain(a).astype(dtype, copy=False) * plain(b).astype(dtype, copy=False)
        return placed(_arrays.sum(products, dtype=dtype), allocator, a)


def _extreme(name):
    compute, is_max = getattr(_arrays, name), name == "max"

    def call(a, stream=None):
        kind = a.dtype
        with on_stream(stream):
            if kind.kind == "f":
                neutral = -np.inf if is_max else np.inf
                if a.size == 0:
                    return ones((), kind).fill(neutral)
                return placed(compute(_arrays.where(plain(a) == plain(a), plain(a), neutral)), None, a)
            if a.size == 0 and kind.kind in "iu":
                return ones((), kind).fill(int(np.iinfo(kind).min if is_max else np.iinfo(kind).max))
            return placed(compute(plain(a)), None, a)

    call.__name__ = call.__qualname__ = name
    what = "largest" if is_max else "smallest"
    call.__doc__ = _EXTREME.format(what=what, identity="smallest" if is_max else "largest", name=name, of_three=3 if is_max else 1)
    return call


max, min = _extreme("max"), _extreme("min")  # noqa: A001
