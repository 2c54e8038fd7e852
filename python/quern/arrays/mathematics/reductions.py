"""Sums, means, extremes: what takes axes away."""


import numpy

from quern.arrays.core import Array, _axis, _check_cast, _dtype_name, _is_out, _no_bool, asnumpy
from quern.arrays.functions import functions
from quern.arrays.ufuncs import mask_of as _mask_of
from quern.lib import _engine

_NONE = numpy._NoValue


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


def _check_out(name, out, shape):
    """Raises TypeError or ValueError for what cannot take the result of a reduction."""
    if not isinstance(out, (Array, numpy.ndarray)):
        raise TypeError("output must be an array")
    if out.ndim != len(shape):
        raise ValueError(
            f"output parameter for reduction operation {name} has the wrong number of dimensions: "
            f"Found {out.ndim} but expected {len(shape)}"
        )
    if out.shape != shape:
        raise ValueError(f"output parameter for reduction operation {name} has the wrong shape {out.shape}, not {shape}")


def _placed(value, out):
    if not _is_out(out):
        return value
    if not numpy.can_cast(value.dtype, out.dtype, "same_kind"):
        raise TypeError(f"Cannot cast output from {value.dtype!r} to {out.dtype!r} with casting rule 'same_kind'")
    if numpy.broadcast_shapes(value.shape, out.shape) != out.shape:
        raise ValueError(f"non-broadcastable output operand with shape {out.shape} doesn't match the broadcast shape {value.shape}")
    out[...] = value
    return out


def _written(result, out, name):
    """``out`` with the values of the result of a face."""
    if "fft" in name:
        return _fitted(result, *out if isinstance(out, tuple) else (out,), casting="same_kind")
    if name in ("concatenate", "concat", "stack"):
        if _is_out(out) and out.shape != result.shape:
            raise ValueError(f"Output array is the wrong shape: it is {out.shape}, not {result.shape}")
        return _given(result, out)
    if name == "dot" and _is_out(out):
        rows = out._contiguous[0] if isinstance(out, Array) else out.flags.c_contiguous
        if not rows or out.dtype != result.dtype or out.shape != result.shape:
            raise ValueError("output array is not acceptable (must have the right datatype, number of dimensions, and be a C-Array)")
        return _given(result, out)
    if name in ("multi_dot", "einsum"):
        if name == "einsum" and _is_out(out):
            _check_cast(result.dtype, out.dtype, "safe")
            if out.shape != result.shape:
                raise ValueError(f"[einsum] the result has shape {result.shape}, out {out.shape}")
        return _given(result, out)
    if name == "outer":
        if _is_out(out):
            _check_cast(result.dtype, out.dtype, "same_kind")
        return _given(result, out)
    if name in ("median", "nanmedian", "quantile", "percentile", "nanquantile", "nanpercentile"):
        return _fitted(result, out, "unsafe" if name.endswith("median") else "same_kind")
    if name in ("round", "around", "isposinf", "isneginf"):
        return _placed(result, out)
    if name in ("nanmean", "nanvar", "nanstd") and result.dtype.kind in "fc" and out.dtype.kind not in "fc":
        raise TypeError("If a is inexact, then out must be inexact")
    _check_out(_UFUNCS.get(name, name), out, result.shape)
    if name in ("argmax", "argmin", "nanargmax", "nanargmin"):
        _check_cast(out.dtype, result.dtype, "safe")
    if name in ("std", "ptp"):  # which end with a ufunc
        _check_cast(result.dtype, out.dtype, "same_kind")
    return _given(result, out)


# NumPy's errors name the ufunc.
_UFUNCS = {"sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum", "any": "logical_or", "all": "logical_and"}
for _front_end in ("numpy", "reduce"):
    _engine.set_front_end(_front_end, name_of_dtype=_dtype_name, write=_written)
sum, prod, max, min, any, all = (functions[name] for name in ("sum", "prod", "max", "min", "any", "all"))
mean, var, std, ptp = (functions[name] for name in ("mean", "var", "std", "ptp"))
