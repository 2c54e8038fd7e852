"""Sums, means, extremes: what takes axes away."""

import builtins

import numpy

from quern.arrays.core import Array, _axis, _check_cast, _dtype_name, _is_out, _no_bool, asarray, asnumpy
from quern.arrays.ufuncs import mask_of as _mask_of
from quern.lib import _engine

_NONE = numpy._NoValue
# The engine's reductions: NumPy's ufunc of each.
_UFUNC = {"sum": "add", "product": "multiply", "maximum": "maximum", "minimum": "minimum", "any": "logical_or", "all": "logical_and"}


def _axes(axis, ndim):
    """Which axes go: True for each that does."""
    if axis is None:
        return [True] * ndim
    if ndim == 0 and _no_bool(axis) in (0, -1):
        return []  # NumPy takes them where there are no dimensions
    axes = [False] * ndim
    for n in axis if isinstance(axis, tuple) else (axis,):
        n = _axis(_no_bool(n), ndim)
        if axes[n]:
            raise ValueError("duplicate value in 'axis'")
        axes[n] = True
    return axes


def _where_mask(where, a):
    """``where`` as bools, or None for everywhere."""
    where = _mask_of(where)
    if where is None:
        return None
    if where.ndim > a.ndim:
        raise ValueError("input operand has more dimensions than allowed by the axis remapping")
    if numpy.broadcast_shapes(where.shape, a.shape) != a.shape:
        raise ValueError(f"non-broadcastable operand: a mask of shape {where.shape} for an array of shape {a.shape}")
    return where


def _first_value(initial, dtype):
    """``initial`` as a value of the type, converted as an assignment would."""
    value = numpy.empty((), dtype)
    value[()] = asnumpy(initial) if isinstance(initial, Array) else initial
    return value[()]


def _over(a, axis, keepdims, dtype=None, where=True):
    """What a function of the engine goes over: which axes, whether they stay, the type or None, and what counts or None."""
    mask = None if where is True else _where_mask(where, a)
    return _axes(axis, a.ndim), bool(keepdims), None if dtype is None else _dtype_name(dtype), mask


def _over_existing(a, axis, keepdims, dtype, where):
    """As :func:`_over`, for functions that count elements: they take no axis where there are no dimensions."""
    if a.ndim == 0 and axis is not None:
        for n in axis if isinstance(axis, tuple) else (axis,):
            _axis(n, 0)
    return _over(a, axis, keepdims, dtype, where)


def _reduce(name, a, axis, keepdims, dtype, out, initial=_NONE, where=True):
    a = asarray(a)
    if name in ("sum", "product"):
        dtype = _sum_type(a, dtype)
    axes, keepdims, dtype, mask = over = _over(a, axis, keepdims, dtype, where)
    if out is None and initial is _NONE and mask is None:
        return _engine.array_reduce(name, a, over, None)
    if out is not None:
        _check_out(name, out, a, axes, keepdims)
    if initial is None:
        if mask is not None:
            raise ValueError(
                f"reduction operation '{_UFUNC[name]}' does not have an identity, so to use a where mask one has to specify 'initial'"
            )
        if builtins.any(goes and size == 0 for goes, size in zip(axes, a.shape, strict=True)):
            raise ValueError(f"zero-size array to reduction operation {_UFUNC[name]} which has no identity")
    elif initial is not _NONE:
        initial = _first_value(initial, bool if name in ("any", "all") else dtype or a.dtype)
    return _given(_engine.array_reduce(name, a, over, None if initial is _NONE else initial), out)


def _given(result, out):
    """The result, in ``out`` where that is given."""
    if not _is_out(out):
        return result
    if isinstance(out, numpy.ndarray):
        out[...] = asnumpy(result)
    else:
        out[...] = result
    return out


def _fitted(result, out, casting="unsafe"):
    """As :func:`_given`; ValueError for an ``out`` of another shape, TypeError for one that ``casting`` does not allow."""
    if _is_out(out):
        _check_cast(result.dtype, out.dtype, casting)
        if out.shape != result.shape:
            raise ValueError(f"the output array has the wrong shape {out.shape}, not {result.shape}")
    return _given(result, out)


def _check_out(name, out, a, axes, keepdims):
    if not isinstance(out, (Array, numpy.ndarray)):
        raise TypeError("output must be an array")
    shape = tuple(1 if goes else size for goes, size in zip(axes, a.shape, strict=True) if keepdims or not goes)
    if out.ndim != len(shape):
        raise ValueError(
            f"output parameter for reduction operation {_UFUNC.get(name, name)} has the wrong number of dimensions: "
            f"Found {out.ndim} but expected {len(shape)}"
        )
    if out.shape != shape:
        raise ValueError(f"output parameter for reduction operation {name} has the wrong shape {out.shape}, not {shape}")


_WIDE = {f"{kind}{bits}": f"{kind}64" for kind in ("int", "uint") for bits in (8, 16, 32, 64)} | {"bool": "int64"}


def _sum_type(a, dtype):
    """What is added up, or multiplied: integers in 64 bits."""
    if dtype is not None:
        return dtype
    name = a._dtype_name
    return _WIDE.get(name, name)


def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=_NONE, where=True):
    """The sum over ``axis`` (an int, a tuple, or None for all). Integers are summed in 64 bits.

    Parameters: ``dtype``: of the result and of the additions; ``out``: an array that takes the result; ``initial``: what the sum
    starts with; ``where``: which elements count. Raises ValueError for an ``out`` or ``where`` of a shape that does not fit.
    The order of the additions depends on the shape and type alone, so a sum is the same bit for bit however it is computed.

    >>> sum([1, 2, 3], where=[True, False, True])
    array(4)
    """
    return _reduce("sum", a, axis, keepdims, dtype, out, initial, where)


def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=_NONE, where=True):
    """The product over ``axis``; the other parameters are as :func:`sum` has them."""
    return _reduce("product", a, axis, keepdims, dtype, out, initial, where)


def max(a, axis=None, out=None, keepdims=False, initial=_NONE, where=True):
    """The largest element over ``axis``; NaN if there is one.

    ``initial``: the least that the result can be, needed with ``where``, which says what elements count. Raises ValueError where
    there is nothing to choose from.

    >>> max([3, 1, 4], initial=5)
    array(5)
    """
    return _reduce("maximum", a, axis, keepdims, None, out, initial, where)


def min(a, axis=None, out=None, keepdims=False, initial=_NONE, where=True):
    """The smallest element over ``axis``; NaN if there is one. See :func:`max`."""
    return _reduce("minimum", a, axis, keepdims, None, out, initial, where)


amax, amin = max, min


def any(a, axis=None, out=None, keepdims=False, *, where=True):
    """Is any element over ``axis`` true? ``where``: which elements count."""
    return _reduce("any", a, axis, keepdims, None, out, where=where)


def all(a, axis=None, out=None, keepdims=False, *, where=True):
    """Are all elements over ``axis`` true? ``where``: which elements count."""
    return _reduce("all", a, axis, keepdims, None, out, where=where)


def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """The arithmetic mean over ``axis``; of integers in float64. ``where``: which elements count.

    >>> mean([1, 2, 6], where=[True, True, False])
    array(1.5)
    """
    a = asarray(a)
    over = _over_existing(a, axis, keepdims, dtype, where)
    if out is not None:
        _check_out("mean", out, a, over[0], keepdims)
    return _given(_engine.array_mean(a, over), out)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=_NONE, correction=_NONE):
    """The variance over ``axis``: the mean of the squared distances from the mean, over ``N - ddof``.

    Parameters: ``mean``: the mean, where it is known (with ones for the axes that go); ``correction``: the Array API's name of
    ``ddof``; ``where``: which elements count. Raises ValueError where both are given.

    >>> var([1, 2, 3, 4], correction=1)
    array(1.66666667)
    """
    return _spread(_engine.array_variance, "var", a, axis, dtype, out, _degrees(ddof, correction), keepdims, where, mean)


def _degrees(ddof, correction):
    if correction is _NONE:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


def _spread(function, name, a, axis, dtype, out, ddof, keepdims, where, mean):
    a = asarray(a)
    over = _over_existing(a, axis, keepdims, dtype, where)
    if out is not None:
        _check_out(name, out, a, over[0], keepdims)
    return _given(function(a, over, ddof, None if mean is _NONE else asarray(mean)), out)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=_NONE, correction=_NONE):
    """The standard deviation over ``axis``: the root of :func:`var`, which says what the parameters are."""
    if isinstance(out, (Array, numpy.ndarray)):
        _check_cast(numpy.float16, out.dtype, "same_kind")  # a root does not become an integer
    return _spread(_engine.array_deviation, "std", a, axis, dtype, out, _degrees(ddof, correction), keepdims, where, mean)


def count_nonzero(a, axis=None, *, keepdims=False):
    """How many elements are not zero."""
    a = asarray(a)
    return _engine.array_count_nonzero(a, _over(a, axis, keepdims))
