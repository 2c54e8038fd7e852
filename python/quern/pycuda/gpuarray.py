"""PyCUDA's arrays and the functions on them. The type is in _array.py, functions that make arrays in _array_creation.py; quern.arrays
computes."""

from __future__ import annotations

import builtins
import functools
from functools import reduce  # noqa: F401  (PyCUDA's name)

from quern import arrays as _arrays
from quern.arrays import core as _core
from quern.device import current_device  # noqa: F401
from quern.pycuda import _array, elementwise  # noqa: F401
from quern.pycuda import driver as drv  # noqa: F401
from quern.pycuda._array import GPUArray, as_gpu, common_dtype, is_scalar, on_stream, placed, plain  # noqa: F401
from quern.pycuda._array_creation import arange, empty_like, ones, ones_like, to_gpu, to_gpu_async, zeros, zeros_like  # noqa: F401
from quern.pycuda._array_reductions import all, any, dot, max, min, sum  # noqa: A004, F401
from quern.pycuda._vectors import vec  # noqa: F401
from quern.pycuda.elementwise import memoize_method  # noqa: F401

memoize = functools.cache

# Docstrings of functions that are made in pairs below.
_STREAM = """stream : Stream, optional
    Stream in which the work runs; None is the default stream."""
_ALLOCATOR = """allocator : callable, optional
    Function that returns device memory for a number of bytes; None uses quern's own pool."""
_OF_TWO = f"""{{says}}

Parameters
----------
a : GPUArray or scalar
    Numbers of any shape.
b : GPUArray or scalar
    Numbers of the same shape.
out : GPUArray, optional
    Array that receives the result; it must have the result's shape.
{_STREAM}

Returns
-------
GPUArray
    {{result}}

Raises
------
ValueError
    For an `out` of another shape.

Examples
--------
>>> import numpy
>>> from quern.pycuda import gpuarray
>>> x, y = (gpuarray.to_gpu(numpy.array(values)) for values in ([1, 0, 5], [4, 0, 0]))
>>> gpuarray.{{name}}(x, y)
array({{shown}})
"""


def has_double_support():
    """Return whether the device computes in double precision; all do."""
    return True


def splay(n, dev=None):
    """Return a launch configuration for work on a number of elements.

    Parameters
    ----------
    n : int
        Number of elements.
    dev : Device, optional
        Accepted for compatibility; has no effect.

    Returns
    -------
    tuple
        Pair (grid, block) of tuples of ints, in blocks and in threads.

    Examples
    --------
    >>> from quern.pycuda import gpuarray
    >>> grid, block = gpuarray.splay(1000)
    >>> grid[0] * block[0] > 0
    True
    """
    return _array.splay(n)


empty = GPUArray


# ---- shapes


def concatenate(arrays, axis=0, allocator=None):
    """Join arrays along an existing axis.

    Parameters
    ----------
    arrays : sequence of GPUArray
        Arrays whose shapes differ along `axis` alone.
    axis : int, optional
        Axis along which the arrays are joined.
    allocator : callable, optional
        Function that returns device memory for a number of bytes, such as ``DeviceMemoryPool().allocate``; None uses
        quern's own pool.

    Returns
    -------
    GPUArray
        In C order; the sizes along `axis` add up.

    Raises
    ------
    ValueError
        Where the other axes differ.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> gpuarray.concatenate([gpuarray.to_gpu(numpy.arange(2)), gpuarray.to_gpu(numpy.arange(3))])
    array([0, 1, 0, 1, 2])
    """
    arrays = list(arrays)
    return placed(_arrays.concatenate([plain(a) for a in arrays], axis)._in_order("C"), allocator, *arrays)


def stack(arrays, axis=0, allocator=None):
    """Join arrays along a new axis.

    Parameters
    ----------
    arrays : sequence of GPUArray
        Arrays of one shape.
    axis : int, optional
        Number of the new axis; -1 is the last one.
    allocator : callable, optional
        Function that returns device memory for a number of bytes, such as ``DeviceMemoryPool().allocate``; None uses
        quern's own pool.

    Returns
    -------
    GPUArray
        One axis more than the inputs; in Fortran order unless `axis` is 0.

    Raises
    ------
    ValueError
        For no arrays, shapes that differ, or an `axis` out of range.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> a = gpuarray.to_gpu(numpy.arange(2))
    >>> gpuarray.stack([a, a]).shape
    (2, 2)
    """
    arrays = list(arrays)
    if not arrays:
        raise ValueError("need at least one array to stack")
    if builtins.any(a.shape != arrays[0].shape for a in arrays):
        raise ValueError("arrays must have the same shape")
    axis = arrays[0].ndim if axis == -1 else axis
    if not 0 <= axis <= arrays[0].ndim:
        raise ValueError("invalid axis")
    return placed(_arrays.stack([plain(a) for a in arrays], axis)._in_order("F" if axis else "C"), allocator, *arrays)


def transpose(a, axes=None):
    """Return a view with the axes in another order.

    Parameters
    ----------
    a : GPUArray
        Array of any shape.
    axes : sequence of ints, optional
        Order of the axes; None reverses them.

    Returns
    -------
    GPUArray
        View of `a`.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> gpuarray.transpose(gpuarray.to_gpu(numpy.array([[1, 2, 3]]))).shape
    (3, 1)
    """
    return a.transpose(axes)


def reshape(a, *shape, **kwargs):
    """Return the elements in another shape; see :meth:`GPUArray.reshape`.

    Parameters
    ----------
    a : GPUArray
        Array of any shape.
    *shape : int
        Sizes, or one tuple of them; -1 stands for the size that is left.
    **kwargs
        `order`: "C" or "F".

    Returns
    -------
    GPUArray
        Shape `shape`, in the dtype of `a`.

    Examples
    --------
    >>> from quern.pycuda import gpuarray
    >>> gpuarray.reshape(gpuarray.arange(6), (2, 3)).shape
    (2, 3)
    """
    return a.reshape(*shape, **kwargs)


# ---- picking elements


def _put(values, out, array):
    if out is None:
        return placed(values, None, array)
    if out.shape != values.shape:
        raise ValueError(f"out has the shape {out.shape}, the result {values.shape}")
    _core.Array.__setitem__(out, ..., plain(values))
    return out


def _whole_numbers(indices):
    if indices.dtype.kind not in "iu":
        raise TypeError(f"indices must be integers, not {indices.dtype}")
    return indices


def take(a, indices, out=None, stream=None):
    """Return the elements at indices.

    Parameters
    ----------
    a : GPUArray
        Array of one dimension.
    indices : GPUArray
        Integers of any shape. They are not compared with the length of `a`: larger ones select the last element,
        negative ones the first.
    out : GPUArray, optional
        Array that receives the result; it must have the result's shape.
    stream : Stream, optional
        Stream in which the work runs; None is the default stream.

    Returns
    -------
    GPUArray
        Shape of `indices`, in the dtype of `a`.

    Raises
    ------
    TypeError
        For indices that are not integers.
    ValueError
        For an `out` of another shape.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> gpuarray.take(gpuarray.to_gpu(numpy.arange(5) * 10), gpuarray.to_gpu(numpy.array([3, 1])))
    array([30, 10])
    """
    with on_stream(stream):
        return _put(_arrays.take(plain(a.ravel()), plain(_whole_numbers(indices)), mode="clip"), out, a)


def multi_take(arrays, indices, out=None, stream=None):
    """Return the elements of several arrays at the same indices.

    Parameters
    ----------
    arrays : sequence of GPUArray
        Arrays of one dimension.
    indices : GPUArray
        Integers of any shape.
    out : sequence of GPUArray, optional
        Arrays that receive the results.
    stream : Stream, optional
        Stream in which the work runs; None is the default stream.

    Returns
    -------
    list of GPUArray
        One array for each of `arrays`, of the shape of `indices`.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([10, 20, 30], numpy.float32))
    >>> gpuarray.multi_take([x], gpuarray.to_gpu(numpy.array([2, 0], numpy.int32)))
    [array([30., 10.], dtype=float32)]
    """
    return [take(a, indices, o, stream) for a, o in zip(arrays, out or [None] * len(arrays), strict=True)]


def multi_take_put(arrays, dest_indices, src_indices, dest_shape=None, out=None, stream=None, src_offsets=None):
    """Copy elements of arrays from indices to other indices of new arrays.

    Parameters
    ----------
    arrays : sequence of GPUArray
        Arrays of one dimension.
    dest_indices : GPUArray
        Integers: indices in the results.
    src_indices : GPUArray
        Integers: indices in `arrays`.
    dest_shape : tuple of ints, optional
        Shape of the results; None is that of `dest_indices`.
    out : sequence of GPUArray, optional
        Arrays that receive the elements, instead of new ones.
    stream : Stream, optional
        Stream in which the work runs; None is the default stream.
    src_offsets : sequence of ints, optional
        Number that is added to `src_indices`, for each array.

    Returns
    -------
    list of GPUArray
        One array for each of `arrays`.

    Raises
    ------
    ValueError
        For lists of different lengths.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([10, 20, 30], numpy.float32))
    >>> to, source = (gpuarray.to_gpu(numpy.array(i, numpy.int32)) for i in ([0, 1], [2, 0]))
    >>> gpuarray.multi_take_put([x], to, source, (2,))
    [array([30., 10.], dtype=float32)]
    """
    if src_offsets is not None and len(src_offsets) != len(arrays):
        raise ValueError("src_offsets and arrays must have the same length")
    with on_stream(stream):
        offsets = [0] * len(arrays) if src_offsets is None else src_offsets
        parts = [take(a, src_indices + offset if offset else src_indices) for a, offset in zip(arrays, offsets, strict=True)]
        return multi_put(parts, dest_indices, dest_shape, out)


def multi_put(arrays, dest_indices, dest_shape=None, out=None, stream=None):
    """Write arrays to indices of new arrays.

    Parameters
    ----------
    arrays : sequence of GPUArray
        Arrays of as many elements as there are indices.
    dest_indices : GPUArray
        Integers: index of each element in the result.
    dest_shape : tuple of ints, optional
        Shape of the results; None is that of `dest_indices`. Elements that no index names are 0.
    out : sequence of GPUArray, optional
        Arrays that receive the elements, instead of new ones.
    stream : Stream, optional
        Stream in which the work runs; None is the default stream.

    Returns
    -------
    list of GPUArray
        One array for each of `arrays`.

    Raises
    ------
    ValueError
        For lists of different lengths.
    TypeError
        For an `out` of another dtype.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([10, 20]))
    >>> gpuarray.multi_put([x], gpuarray.to_gpu(numpy.array([2, 0], numpy.int32)), (3,))
    [array([20,  0, 10])]
    """
    if not len(arrays):
        return []
    if out is None:
        shape = dest_indices.shape if dest_shape is None else dest_shape
        out = [zeros(shape, a.dtype, a.allocator) for a in arrays]
    elif len(out) != len(arrays):
        raise ValueError("out and arrays must have the same length")
    with on_stream(stream):
        places = _whole_numbers(dest_indices).ravel()
        for a, o in zip(arrays, out, strict=True):
            if o.dtype != a.dtype:
                raise TypeError(f"an array of {o.dtype} cannot store elements of {a.dtype}")
            flat = o if o.ndim == 1 else o.reshape(-1)
            _core.Array.__setitem__(plain(flat), plain(places), plain(a.ravel()[: places.size]))
            if not flat._shares_cell(o):
                o[...] = flat.reshape(o.shape)
    return list(out)


# ---- choosing


def if_positive(criterion, then_, else_, out=None, stream=None):
    """Select elements by the sign of a criterion.

    Parameters
    ----------
    criterion : GPUArray
        Numbers of any shape.
    then_ : GPUArray or scalar
        Elements where `criterion` is above 0.
    else_ : GPUArray or scalar
        Elements elsewhere.
    out : GPUArray, optional
        Array that receives the result; it must have the result's shape.
    stream : Stream, optional
        Stream in which the work runs; None is the default stream.

    Returns
    -------
    GPUArray
        Shape of `criterion`, in the dtype of `then_` and `else_`.

    Raises
    ------
    ValueError
        Where shapes or dtypes differ.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> a = gpuarray.to_gpu(numpy.array([-1, 2]))
    >>> gpuarray.if_positive(a, a, -a)
    array([1, 2])
    """
    with on_stream(stream):
        return _chosen(plain(criterion) > 0, criterion, then_, else_, out)


def where(criterion, then_, else_, out=None, stream=None):
    """Select elements by whether a criterion is nonzero.

    Parameters
    ----------
    criterion : GPUArray
        Numbers or bools of any shape.
    then_ : GPUArray or scalar
        Elements where `criterion` is not 0.
    else_ : GPUArray or scalar
        Elements elsewhere.
    out : GPUArray, optional
        Array that receives the result; it must have the result's shape.
    stream : Stream, optional
        Stream in which the work runs; None is the default stream.

    Returns
    -------
    GPUArray
        Shape of `criterion`, in the dtype of `then_` and `else_`.

    Raises
    ------
    ValueError
        Where shapes or dtypes differ.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> gpuarray.where(gpuarray.to_gpu(numpy.array([1, 0])), gpuarray.to_gpu(numpy.array([5, 6])), gpuarray.to_gpu(numpy.array([7, 8])))
    array([5, 8])
    """
    with on_stream(stream):
        return _chosen(plain(criterion) != 0, criterion, then_, else_, out)


def _chosen(which, criterion, then_, else_, out):
    arrays = [a for a in (then_, else_) if not is_scalar(a)]
    if builtins.any(a.shape not in (criterion.shape, ()) for a in arrays):
        raise ValueError("shapes do not match")
    if len(arrays) == 2 and then_.dtype != else_.dtype:
        raise ValueError("dtypes do not match")
    return _put(_arrays.where(which, plain(then_), plain(else_)), out, arrays[0] if arrays else criterion)


def _larger_or_smaller(name):
    exact, of_reals = getattr(_arrays, name), getattr(_arrays, {"maximum": "fmax", "minimum": "fmin"}[name])

    def call(a, b, out=None, stream=None):
        first = a if isinstance(a, GPUArray) else b
        if not isinstance(first, GPUArray):
            return exact(a, b)
        if isinstance(a, GPUArray) and isinstance(b, GPUArray):
            _array.check_shapes(a, b)
        kind = common_dtype(a, b)
        with on_stream(stream):
            values = (of_reals if kind.kind == "f" else exact)(plain(a), plain(b))
            if isinstance(a, GPUArray) and isinstance(b, GPUArray) or kind.kind == first.dtype.kind:
                values = values.astype(first.dtype, copy=False)
            return _put(values, out, first)

    call.__name__ = call.__qualname__ = name
    what = {"maximum": "larger", "minimum": "smaller"}[name]
    of = "elements of two arrays, or of an array and a number"
    call.__doc__ = _OF_TWO.format(
        says=f"Return the {what} of the {of}.",
        result="In the dtype of the first array. Where one element is NaN, the other one.",
        name=name,
        shown={"maximum": "[4, 0, 5]", "minimum": "[1, 0, 0]"}[name],
    )
    return call


maximum, minimum = _larger_or_smaller("maximum"), _larger_or_smaller("minimum")


def _placed_or_put(values, out, allocator, *given):
    if out is not None:
        return _put(values.astype(out.dtype), out, out)
    return placed(values, allocator, *(a for a in given if isinstance(a, GPUArray)))


def _logical(name):
    compute = getattr(_arrays, name)

    def call(x1, x2, /, out=None, *, allocator=None):
        for x in (x1, x2):
            if not isinstance(x, GPUArray) and not is_scalar(x):
                raise ValueError(f"{name} takes numbers and GPUArrays, not {type(x).__name__}")
        if isinstance(x1, GPUArray) and isinstance(x2, GPUArray) and x1.shape != x2.shape:
            raise ValueError(f"{name}: the shapes {x1.shape} and {x2.shape} differ")
        return _placed_or_put(_core.asarray(compute(plain(x1), plain(x2))), out, allocator, x1, x2)

    call.__name__ = call.__qualname__ = name
    says = f"Return {name.removeprefix('logical_')!r} of the truth values of the elements of two arrays, or of an array and a number."
    shown = {"logical_and": "[ True, False, False]", "logical_or": "[ True, False,  True]"}[name]
    call.__doc__ = _OF_TWO.format(says=says, result="Bools of the shape of the arrays.", name=name, shown=shown)
    call.__doc__ = call.__doc__.replace("a : ", "x1 : ").replace("b : ", "x2 : ").replace(_STREAM, _ALLOCATOR)
    return call


logical_and, logical_or = _logical("logical_and"), _logical("logical_or")


def logical_not(x, /, out=None, *, allocator=None):
    """Return whether each element is 0.

    Parameters
    ----------
    x : GPUArray or scalar
        Numbers or bools of any shape.
    out : GPUArray, optional
        Array that receives the result; it must have the result's shape.
    allocator : callable, optional
        Function that returns device memory for a number of bytes, such as ``DeviceMemoryPool().allocate``; None uses
        quern's own pool.

    Returns
    -------
    GPUArray
        Bools of the shape of `x`.

    Raises
    ------
    ValueError
        For other objects.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> gpuarray.logical_not(gpuarray.to_gpu(numpy.array([1, 0, 2])))
    array([False,  True, False])
    """
    if not isinstance(x, GPUArray) and not is_scalar(x):
        raise ValueError(f"logical_not takes numbers and GPUArrays, not {type(x).__name__}")
    return _placed_or_put(_core.asarray(_arrays.logical_not(plain(x))), out, allocator, x)


# ---- reductions of elements at indices


def subset_sum(subset, a, dtype=None, stream=None, allocator=None):
    """Return the sum of the elements at indices.

    Parameters
    ----------
    subset : GPUArray
        Indices, integers of any shape; they are not checked.
    a : GPUArray
        Array of one dimension.
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
        Array without dimensions.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> gpuarray.subset_sum(gpuarray.to_gpu(numpy.array([0, 2])), gpuarray.to_gpu(numpy.array([5, 6, 7]))).get()
    array(12)
    """
    return placed(sum(take(a, subset, stream=stream), dtype, stream), allocator, a)


def subset_dot(subset, a, b, dtype=None, stream=None, allocator=None):
    """Return the sum of the products of two arrays' elements at indices.

    Parameters
    ----------
    subset : GPUArray
        Indices, integers of any shape; they are not checked.
    a : GPUArray
        Array of one dimension.
    b : GPUArray
        Array of one dimension.
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

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1, 2, 3], numpy.float32))
    >>> gpuarray.subset_dot(gpuarray.to_gpu(numpy.array([0, 2], numpy.int32)), x, x)
    array(10., dtype=float32)
    """
    return placed(dot(take(a, subset, stream=stream), take(b, subset, stream=stream), dtype, stream), allocator, a)


def subset_max(subset, a, stream=None):
    """Return the largest element at indices.

    Parameters
    ----------
    subset : GPUArray
        Indices, integers of any shape; they are not checked.
    a : GPUArray
        Array of one dimension.
    stream : Stream, optional
        Stream in which the work runs; None is the default stream.

    Returns
    -------
    GPUArray
        Array without dimensions, in the dtype of `a`.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([1, 5, 3], numpy.float32))
    >>> gpuarray.subset_max(gpuarray.to_gpu(numpy.array([0, 2], numpy.int32)), x)
    array(3., dtype=float32)
    """
    return max(take(a, subset, stream=stream), stream)


def subset_min(subset, a, stream=None):
    """Return the smallest element at indices.

    Parameters
    ----------
    subset : GPUArray
        Indices, integers of any shape; they are not checked.
    a : GPUArray
        Array of one dimension.
    stream : Stream, optional
        Stream in which the work runs; None is the default stream.

    Returns
    -------
    GPUArray
        Array without dimensions, in the dtype of `a`.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> x = gpuarray.to_gpu(numpy.array([4, 0, 3], numpy.float32))
    >>> gpuarray.subset_min(gpuarray.to_gpu(numpy.array([0, 2], numpy.int32)), x)
    array(3., dtype=float32)
    """
    return min(take(a, subset, stream=stream), stream)
