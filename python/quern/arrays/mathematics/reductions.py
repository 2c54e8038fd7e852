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


for _front_end in ("numpy", "reduce"):
    _engine.set_front_end(_front_end, name_of_dtype=_dtype_name)
sum, prod, max, min, any, all = (functions[name] for name in ("sum", "prod", "max", "min", "any", "all"))
mean, var, std, ptp = (functions[name] for name in ("mean", "var", "std", "ptp"))
