"""PyCUDA's arrays and the functions on them; the type is in _array.py, what computes is quern.arrays."""

from __future__ import annotations

import builtins
import functools
from functools import reduce  # noqa: F401  (PyCUDA's name)

import numpy as np

from quern import arrays as _arrays
from quern.arrays import core as _core
from quern.device import current_device
from quern.lib import _engine
from quern.pycuda import _array, elementwise  # noqa: F401
from quern.pycuda import driver as drv
from quern.pycuda._array import GPUArray, as_gpu, common_dtype, is_scalar, on_stream, placed, plain
from quern.pycuda._vectors import vec  # noqa: F401
from quern.pycuda.elementwise import memoize_method  # noqa: F401

memoize = functools.cache


def has_double_support():
    """Does the device compute in double precision? All do."""
    return True


def splay(n, dev=None):
    """(grid, block) for work on ``n`` elements."""
    return _array.splay(n)


# ---- making arrays

empty = GPUArray


def to_gpu(ary, allocator=None):
    """A GPUArray with the values of a NumPy array, in the same memory order.

    Raises TypeError for a dtype that arrays cannot have here.

    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> gpuarray.to_gpu(numpy.arange(3)) + 1
    array([1, 2, 3])
    """
    return _sent(ary, allocator, None)


def to_gpu_async(ary, allocator=None, stream=None):
    """As to_gpu(), in a stream."""
    return _sent(ary, allocator, stream)


def _sent(ary, allocator, stream):
    if hasattr(ary, "__cuda_array_interface__"):
        ary = _core.asnumpy(_core.asarray(ary))
    ary = np.asarray(ary)
    with on_stream(stream):
        if allocator in (None, drv.mem_alloc):
            return as_gpu(_core.asarray(ary))
        out = GPUArray(ary.shape, ary.dtype, allocator, order=_order_of(ary))
        out.set(ary)
        return out


def _order_of(ary):
    return "F" if ary.flags.f_contiguous and not ary.flags.c_contiguous else "C"


def _filled(shape, value, dtype, allocator, order):
    if allocator in (None, drv.mem_alloc):
        if order not in ("C", "F"):
            raise ValueError(f"order must be 'C' or 'F', not {order!r}")
        name = _core._dtype_name(dtype)
        return as_gpu(_engine.array_full(_core._shape(shape), value, name, current_device(), order, None))
    return GPUArray(shape, dtype, allocator, order=order).fill(value)


def zeros(shape, dtype=np.float64, allocator=None, order="C"):
    """A new GPUArray of zeros."""
    return _filled(shape, 0, dtype, allocator, order)


def ones(shape, dtype=np.float64, allocator=None, order="C"):
    """A new GPUArray of ones."""
    return _filled(shape, 1, dtype, allocator, order)


def _filled_like(other, value, dtype, order):
    if isinstance(other, np.ndarray):
        order = _order_of(other) if order in "AK" else order
        return _filled(other.shape, value, other.dtype if dtype is None else dtype, None, order)
    name = _core._dtype_name(other.dtype if dtype is None else dtype)
    return placed(_engine.array_full(list(other.shape), value, name, current_device(), order, other), None, other)


def empty_like(other_ary, dtype=None, order="K"):
    """A new array of the shape of another, with its dtype unless ``dtype`` is given; its values are anything. ``order``: "C", "F", "A"
    or "K" (as the other lies)."""
    return _filled_like(other_ary, 0, dtype, order)


def zeros_like(other_ary, dtype=None, order="K"):
    """As empty_like(), of zeros."""
    return _filled_like(other_ary, 0, dtype, order)


def ones_like(other_ary, dtype=None, order="K"):
    """As empty_like(), of ones."""
    return _filled_like(other_ary, 1, dtype, order)


def arange(*args, **kwargs):
    """``arange([start,] stop[, step], dtype=None, allocator=None, stream=None)``: numbers from start to stop, which is left out.

    The three are of ``dtype`` before they are counted with. A dtype may stand last, without its name. Raises ValueError for too many
    arguments, or none.
    """
    dtype, stream = kwargs.pop("dtype", None), kwargs.pop("stream", None)
    kwargs.pop("allocator", None)
    names = ("start", "stop", "step")
    if args and (len(args) == 4 or isinstance(args[-1], np.dtype)):
        *args, dtype = args
    if len(args) > 3:
        raise ValueError("arange: too many arguments")
    given = dict(zip(("stop",) if len(args) == 1 else names, args, strict=False))
    for name in names:
        if name in kwargs:
            if name in given:
                raise ValueError(f"arange: got multiple values for argument '{name}'")
            given[name] = kwargs.pop(name)
    if kwargs:
        raise ValueError(f"arange: unexpected keyword argument: {', '.join(kwargs)}")
    if given.get("stop") is None:
        raise ValueError("arange: stop is needed")
    start, stop, step = given.get("start") or 0, given["stop"], 1 if given.get("step") is None else given["step"]
    dtype = np.array([start, stop, step]).dtype if dtype is None else np.dtype(dtype)
    start, stop, step = (dtype.type(n) for n in (start, stop, step))
    with on_stream(stream):
        return as_gpu(_arrays.arange(start, stop, step, dtype=dtype))


# ---- shapes


def concatenate(arrays, axis=0, allocator=None):
    """The arrays one after the other along an axis, as a new array in the order "C". Raises ValueError where the other axes differ."""
    arrays = list(arrays)
    return placed(_arrays.concatenate([plain(a) for a in arrays], axis)._in_order("C"), allocator, *arrays)


def stack(arrays, axis=0, allocator=None):
    """The arrays side by side along a new axis, which may be the last one (-1), as a new array; unless the axis is the first its elements
    lie in the order "F". Raises ValueError for none, or for shapes that differ.
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
    """A view of ``a`` with the axes in another order, by default reversed."""
    return a.transpose(axes)


def reshape(a, *shape, **kwargs):
    """The elements of ``a`` in another shape; see GPUArray.reshape()."""
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
    """The elements of ``a``, an array of one axis, at ``indices``: an array of their shape. Indices are not checked against the length."""
    with on_stream(stream):
        return _put(_arrays.take(plain(a.ravel()), plain(_whole_numbers(indices)), mode="clip"), out, a)


def multi_take(arrays, indices, out=None, stream=None):
    """A list of take() of each array, at the same indices; ``out``: a list of arrays for them."""
    return [take(a, indices, o, stream) for a, o in zip(arrays, out or [None] * len(arrays), strict=True)]


def multi_take_put(arrays, dest_indices, src_indices, dest_shape=None, out=None, stream=None, src_offsets=None):
    """For each array new ones (or those of ``out``) whose elements at ``dest_indices`` are the array's at ``src_indices``.

    ``dest_shape``: the shape of new ones, by default that of ``dest_indices``; their other elements are anything. ``src_offsets``: for
    each array a number that is added to its indices. Raises ValueError for lists of different lengths.
    """
    if src_offsets is not None and len(src_offsets) != len(arrays):
        raise ValueError("src_offsets and arrays must have the same length")
    with on_stream(stream):
        offsets = [0] * len(arrays) if src_offsets is None else src_offsets
        parts = [take(a, src_indices + offset if offset else src_indices) for a, offset in zip(arrays, offsets, strict=True)]
        return multi_put(parts, dest_indices, dest_shape, out)


def multi_put(arrays, dest_indices, dest_shape=None, out=None, stream=None):
    """For each array a new one (or one of ``out``) whose elements at ``dest_indices`` are the array's, in this order.

    ``dest_shape``: the shape of new ones, by default that of ``dest_indices``; their other elements are anything.
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
    """An array with the elements of ``then_`` where ``criterion`` is larger than zero, else of ``else_``.

    Raises ValueError where shapes or dtypes differ.
    """
    with on_stream(stream):
        return _chosen(plain(criterion) > 0, criterion, then_, else_, out)


def where(criterion, then_, else_, out=None, stream=None):
    """As if_positive(), where ``criterion`` is not zero."""
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
    call.__doc__ = f"The {what} of the {of}, in the first array's dtype; NaN counts only where both are."
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
    call.__doc__ = f"NumPy's {name} of the elements of two arrays, or of an array and a number: bools."
    return call


logical_and, logical_or = _logical("logical_and"), _logical("logical_or")


def logical_not(x, /, out=None, *, allocator=None):
    """Is an element zero? Bools."""
    if not isinstance(x, GPUArray) and not is_scalar(x):
        raise ValueError(f"logical_not takes numbers and GPUArrays, not {type(x).__name__}")
    return _placed_or_put(_core.asarray(_arrays.logical_not(plain(x))), out, allocator, x)


# ---- reductions: arrays without axes


def any(a, stream=None, allocator=None):  # noqa: A001
    """Is any element not zero?"""
    return a.any(stream, allocator)


def all(a, stream=None, allocator=None):  # noqa: A001
    """Are all elements not zero?"""
    return a.all(stream, allocator)


def sum(a, dtype=None, stream=None, allocator=None):  # noqa: A001
    """The sum of all elements, an array without axes, of the dtype of ``a`` unless ``dtype`` is given."""
    with on_stream(stream):
        return placed(_arrays.sum(plain(a), dtype=a.dtype if dtype is None else dtype), allocator, a)


def dot(a, b, dtype=None, stream=None, allocator=None):
    """The sum of the products of the elements of two arrays of the same size, an array without axes; nothing is conjugated.

    Its dtype is the arrays' common one unless ``dtype`` is given. Raises ValueError where sizes differ.
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
    call.__doc__ = f"The {what} element, an array without axes. NaN is left out; of no elements it is what any other number beats."
    return call


max, min = _extreme("max"), _extreme("min")  # noqa: A001


def subset_sum(subset, a, dtype=None, stream=None, allocator=None):
    """sum() of the elements of ``a`` at the indices ``subset``."""
    return placed(sum(take(a, subset, stream=stream), dtype, stream), allocator, a)


def subset_dot(subset, a, b, dtype=None, stream=None, allocator=None):
    """dot() of the elements of ``a`` and ``b`` at the indices ``subset``."""
    return placed(dot(take(a, subset, stream=stream), take(b, subset, stream=stream), dtype, stream), allocator, a)


def subset_max(subset, a, stream=None):
    """max() of the elements of ``a`` at the indices ``subset``."""
    return max(take(a, subset, stream=stream), stream)


def subset_min(subset, a, stream=None):
    """min() of the elements of ``a`` at the indices ``subset``."""
    return min(take(a, subset, stream=stream), stream)
