"""Functions that work element by element: ufuncs, each a row of the engine's ops table, and what needs no more than one of them.

composed.py has the ufuncs that are made of several, ufuncs/own_op.py what NumPy's ufunc is to others, for rows that NumPy lacks.
"""

import numpy

from quern.arrays.core import NUMPY_2_5, Array, asarray
from quern.arrays.ufuncs import make as _make
from quern.arrays.ufuncs.own_op import OwnOp as _OwnOp
from quern.lib import _engine

for _name, _count, _origin, _doc in _engine.array_ops():
    if _origin == "numpy":
        globals()[_name] = _make(_name, __name__, _name)
    elif _origin == "own":
        _host = _OwnOp(_name, _count)
        globals()[_name] = _make(_name, __name__, _name, doc=_host.documented(*_doc), host=_host)
deg2rad, rad2deg = _make("deg2rad", __name__, "radians"), _make("rad2deg", __name__, "degrees")
for _alias, _name in {
    "abs": "absolute", "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atanh": "arctanh",
    "atan2": "arctan2", "conj": "conjugate", "divide": "true_divide", "mod": "remainder", "pow": "power", "bitwise_not": "invert",
    "bitwise_invert": "invert", "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift",
}.items():  # fmt: skip
    globals()[_alias] = globals()[_name]


def where(condition, x=None, y=None, /):
    """Elements of ``x`` where ``condition`` holds, else of ``y``; all three broadcast. Without both: see :func:`nonzero`.

    A Python integer that the type of the other does not hold is an OverflowError; before NumPy 2.5 it wraps around.

    >>> where([True, False], 1, 2)
    array([1, 2])
    """
    if x is None and y is None:
        return tuple(_engine.array_nonzero(asarray(condition)))
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    return _engine.array_op("where", condition, _wrapped(x, y), _wrapped(y, x))


def _wrapped(value, other):
    """A Python integer as the type of ``other`` has it, where NumPy converts it so. Raises OverflowError for one of more than 64 bits."""
    if type(value) is not int or 0 <= value < 128:
        return value
    name = other._dtype_name if isinstance(other, Array) else numpy.asarray(other).dtype.name
    fits = -(1 << 63) <= value < 1 << 64
    if "int" not in name and name != "bool":
        return value if fits else float(value)
    if NUMPY_2_5:
        return value  # the engine says what does not fit
    if not fits:
        raise OverflowError("Python int too large to convert to C long")
    return numpy.asarray(value).astype("int64" if name == "bool" or type(other) is int else name)[()]


_MISSING = object()


def clip(a, a_min=_MISSING, a_max=_MISSING, out=None, *, min=_MISSING, max=_MISSING, **kwargs):
    """``a`` limited to [a_min, a_max]; a limit may be None. ``min`` and ``max`` are other names of the limits.

    Further keywords are those of ufuncs. Raises TypeError for a limit that is missing, ValueError for limits given twice.

    >>> clip([1, 5, 9], 2, 6)
    array([2, 5, 6])
    """
    if a_min is _MISSING and a_max is _MISSING:
        a_min, a_max = (None if limit is _MISSING else limit for limit in (min, max))
    elif a_min is _MISSING or a_max is _MISSING:
        raise TypeError(f"clip() missing 1 required positional argument: '{'a_min' if a_min is _MISSING else 'a_max'}'")
    elif min is not _MISSING or max is not _MISSING:
        raise ValueError("Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.")
    a = asarray(a)
    if "int" in a._dtype_name:  # a limit that the type cannot reach changes nothing
        bits, signed = 8 * a.itemsize, a._dtype_name[0] == "i"
        if type(a_min) is int and a_min <= (-(1 << bits - 1) if signed else 0):
            a_min = None
        if type(a_max) is int and a_max >= (1 << bits - signed) - 1:
            a_max = None
    if a_min is None and a_max is None:
        return positive(a, out=out, **kwargs)  # noqa: F821
    if a_min is None:
        return minimum(a, a_max, out=out, **kwargs)  # noqa: F821
    if a_max is None:
        return maximum(a, a_min, out=out, **kwargs)  # noqa: F821
    limits = [limit if type(limit) in (int, float, complex) else asarray(limit) for limit in (a_min, a_max)]
    if any(isinstance(limit, Array) and limit._dtype_name != a._dtype_name for limit in limits):
        common = numpy.result_type(a.dtype, *(limit.dtype if isinstance(limit, Array) else limit for limit in limits))
        a = a.astype(common, copy=False)  # all three at once: the two steps might promote further
    if isinstance(out, Array) or kwargs:
        return minimum(maximum(a, a_min, **kwargs), a_max, out=out, **kwargs)  # noqa: F821
    return minimum(maximum(a, a_min), a_max, out=out)  # noqa: F821


def real(a):
    """The real part: a view for complex arrays, the array itself for others."""
    a = asarray(a)
    return a._real() if a._dtype_name.startswith("complex") else a


def imag(a):
    """The imaginary part: a view for complex arrays, zeros for others."""
    return asarray(a)._imag()
