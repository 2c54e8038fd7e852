"""Running sums and products, and what ``ufunc.accumulate`` stands on.

A row is cut into tiles of fixed size, whose own results are put together in order: the order depends on the shape and type alone,
so a result is the same bit for bit however it is computed on a kind of device. A row of one tile goes from first to last.
"""

import numpy

from quern.arrays.core import _axis, _dtype_name, _is_out, _no_bool, asarray
from quern.arrays.manipulation import ravel
from quern.arrays.mathematics.reductions import _fitted, functions
from quern.arrays.ufuncs import methods as ufunc_methods
from quern.arrays.ufuncs import segments
from quern.lib import _engine

_TESTS = ("logical_and", "logical_or", "logical_xor")


def _running(name, a, axis, dtype, out):
    """None where the engine has no such scan."""
    if dtype is None and name in ("add", "multiply") and _is_out(out):
        dtype = out.dtype
    if name in _TESTS and dtype is not None and numpy.dtype(dtype) != bool:
        raise TypeError(f"No loop matching the specified signature and casting was found for ufunc {name}")
    a = asarray(a)
    axis = None if axis is None else _axis(_no_bool(axis), a.ndim)
    result = _engine.array_running(a, name, axis, None if dtype is None else _dtype_name(dtype))
    return None if result is None else _fitted(result, out)


def _accumulate(name):
    return lambda a, axis, dtype, out: _running(name, a, axis, dtype, out)


for _name in ("add", "multiply", "maximum", "minimum", "fmax", "fmin", "bitwise_and", "bitwise_or", "bitwise_xor", *_TESTS):
    ufunc_methods._ACCUMULATE[_name] = _accumulate(_name)


def _cumulative(function, x, axis, dtype, out, include_initial, initial):
    x = asarray(x)
    if x.ndim == 0:
        x = ravel(x)
    if axis is None:
        if x.ndim > 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0
    axis = _axis(_no_bool(segments.one_axis(axis, x.ndim, "accumulate")), x.ndim)
    if not include_initial:
        return function(x, axis, dtype, out)
    result = function(x, axis, out.dtype if dtype is None and _is_out(out) else dtype)
    return _fitted(_engine.array_with_first(result, initial, axis), out)


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """:func:`cumsum` as the Array API has it: ``axis`` is needed for several dimensions; ``include_initial``: with a 0 in front.

    >>> cumulative_sum([1, 2, 3], include_initial=True)
    array([0, 1, 3, 6])
    """
    return _cumulative(functions["cumsum"], x, axis, dtype, out, include_initial, 0)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """:func:`cumprod` as the Array API has it: ``axis`` is needed for several dimensions; ``include_initial``: with a 1 in front.

    >>> cumulative_prod([1, 2, 3], include_initial=True)
    array([1, 1, 2, 6])
    """
    return _cumulative(functions["cumprod"], x, axis, dtype, out, include_initial, 1)
