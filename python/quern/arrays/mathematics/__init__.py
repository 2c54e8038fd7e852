"""Functions that work element by element: ufuncs, each a row of the engine's ops table, and what needs no more than one of them.

composed.py has the ufuncs that are made of several, ufuncs/own_op.py what NumPy's ufunc is to others, for rows that NumPy lacks.
"""

from quern.arrays.functions import functions
from quern.arrays.ufuncs import make as _make
from quern.arrays.ufuncs.own_op import OwnOp as _OwnOp
from quern.lib import _engine

_ALIASES = {
    "abs": "absolute", "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atanh": "arctanh",
    "atan2": "arctan2", "conj": "conjugate", "divide": "true_divide", "mod": "remainder", "pow": "power", "bitwise_not": "invert",
    "bitwise_invert": "invert", "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift",
}  # fmt: skip


def _ufuncs():
    """The ufuncs of rows, by their names."""
    found = {}
    for name, count, origin, doc in _engine.array_ops():
        if origin == "numpy":
            found[name] = _make(name, __name__, name)
        elif origin == "own":
            host = _OwnOp(name, count)
            found[name] = _make(name, __name__, name, doc=doc, host=host)
    found |= {"deg2rad": _make("deg2rad", __name__, "radians"), "rad2deg": _make("rad2deg", __name__, "degrees")}
    return found | {alias: found[name] for alias, name in _ALIASES.items()}


_UFUNCS = _ufuncs()
__all__ = [*_UFUNCS, "imag", "real"]  # noqa: PLE0604
where, clip, real, imag = (functions[name] for name in ("where", "clip", "real", "imag"))


def __getattr__(name):
    if name in _UFUNCS:
        return _UFUNCS[name]
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
