"""Functions that work element by element: ufuncs, each a row of the engine's ops table, and what needs no more than one of them.

composed.py has the ufuncs that are made of several, ufuncs/own_op.py what NumPy's ufunc is to others, for rows that NumPy lacks.
"""

from quern.arrays.core import asarray
from quern.arrays.functions import functions
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


where, clip = functions["where"], functions["clip"]


def real(a):
    """The real part: a view for complex arrays, the array itself for others."""
    a = asarray(a)
    return a._real() if a._dtype_name.startswith("complex") else a


def imag(a):
    """The imaginary part: a view for complex arrays, zeros for others."""
    return asarray(a)._imag()
