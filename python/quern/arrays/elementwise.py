"""Functions that work element by element: a row of the engine's ops table each."""

from quern.arrays.core import Array, _dtype_name, asarray
from quern.lib import _engine

_OPS = dict(_engine.array_op_names())


def _make_op(name, operands):
    def op(*values, out=None, dtype=None):
        if len(values) == operands + 1 and out is None:
            *values, out = values
        if len(values) != operands:
            raise TypeError(f"{name}() takes {operands} arrays ({len(values)} given)")
        if isinstance(out, tuple):
            (out,) = out
        if out is not None and not isinstance(out, Array):
            raise TypeError(f"{name}(): out must be an array of quern's")
        types = {}
        if dtype is not None:
            wanted = _dtype_name(dtype)
            types = dict(zip(("compute", "result"), _engine.array_op_types(name, [wanted] * operands), strict=False))
        result = _engine.array_op(name, *values, into=out, **types)
        return out if out is not None else result

    op.__name__ = op.__qualname__ = name
    op.__module__ = __name__
    op.__doc__ = f"NumPy's ``{name}``, element by element. ``out``: an array that takes the result; ``dtype``: the type to compute in."
    return op


for _name, _operands in _OPS.items():
    if _name not in ("cast", "where"):
        globals()[_name] = _make_op(_name, _operands)
for _alias, _name in {
    "abs": "absolute", "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atanh": "arctanh",
    "atan2": "arctan2", "conj": "conjugate", "divide": "true_divide", "mod": "remainder", "pow": "power", "deg2rad": "radians",
    "rad2deg": "degrees", "bitwise_not": "invert", "bitwise_invert": "invert", "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
}.items():  # fmt: skip
    globals()[_alias] = globals()[_name]


def where(condition, x, y):
    """Elements of ``x`` where ``condition`` holds, else of ``y``; all three broadcast."""
    return _engine.array_op("where", condition, x, y)


def clip(a, min=None, max=None, out=None):
    """``a`` limited to [min, max]; a limit may be None."""
    a = asarray(a)
    if min is not None:
        a = maximum(a, min)  # noqa: F821
    if max is not None:
        a = minimum(a, max)  # noqa: F821
    if out is not None:
        out[...] = a
        return out
    return a


def real(a):
    """The real part: a view for complex arrays."""
    return asarray(a)._real()


def imag(a):
    """The imaginary part: a view for complex arrays, zeros for others."""
    return asarray(a)._imag()
