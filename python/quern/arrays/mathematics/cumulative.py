"""What ``ufunc.accumulate`` stands on.

A row is cut into tiles of fixed size, whose own results are put together in order: the order depends on the shape and type alone,
so a result is the same bit for bit however it is computed on a kind of device. A row of one tile goes from first to last.
"""

import numpy

from quern.arrays.core import _axis, _dtype_name, _is_out, _no_bool, asarray
from quern.arrays.mathematics.reductions import _fitted
from quern.arrays.ufuncs import methods as ufunc_methods
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
