"""The ufuncs that are made of several ops: those with two results, and products of vectors."""

import numpy

from quern.arrays.core import asarray
from quern.arrays.mathematics import copysign, floor_divide, isinf, remainder, trunc, where
from quern.arrays.ufuncs import make as _make
from quern.lib import _engine


def _real_type(name, x):
    """The name of the real type that ``x`` is computed in; TypeError for complex numbers."""
    try:
        return _engine.array_op_types("fabs", [x._dtype_name])[1]
    except TypeError:
        raise TypeError(f"ufunc '{name}' not supported for the input types, and the inputs could not be safely coerced") from None


def _divmod(x, y):
    return floor_divide(x, y), remainder(x, y)


def _modf(x):
    x = asarray(x)
    x = x.astype(_real_type("modf", x), copy=False)
    whole = trunc(x)
    return copysign(where(isinf(x), 0, x - whole), x), whole


def _frexp(x):
    x = asarray(x)
    work = {"compute": _real_type("frexp", x), "result": _real_type("frexp", x)}
    return _engine.array_op("frexp_mantissa", x, **work), _engine.array_op("frexp_exponent", x, **work).astype("int32")


def _ldexp(x, by):
    # A Python integer is of the smallest type: a float16, an int32.
    number, x = by, asarray(numpy.float16(x) if type(x) is int and asarray(by)._dtype_name != "bool" else x)
    kind, by = _real_type("ldexp", x), asarray(by)
    if type(number) is int and not -(1 << 31) <= number < 1 << 31 and x._dtype_name != "bool":
        raise OverflowError(f"Python integer {number} out of bounds for int32")
    if by.dtype.kind not in "biu" or by._dtype_name == "uint64":
        raise TypeError("ufunc 'ldexp' not supported for the input types: the exponents must be integers that int64 holds")
    return _engine.array_op("ldexp", x, by, compute=kind, result=kind)


def _isnat(x):
    raise TypeError("ufunc 'isnat' is only defined for np.datetime64 and np.timedelta64.")


divmod = _make("divmod", __name__, None, _divmod)
modf = _make("modf", __name__, None, _modf)
frexp = _make("frexp", __name__, None, _frexp)
ldexp = _make("ldexp", __name__, None, _ldexp)
isnat = _make("isnat", __name__, None, _isnat)


# ---- products of vectors and matrices


def _product(name, what):
    function = getattr(_engine, f"array_{name}")
    return _make(name, __name__, None, lambda a, b: function(asarray(a), asarray(b)), (what,))


vecdot = _product("vecdot", "Return the products of vectors along the last axis, the first one conjugated.")
matvec = _product("matvec", "Return the products of matrices and vectors.")
vecmat = _product("vecmat", "Return the products of vectors, conjugated, and matrices.")
matmul = _product("matmul", "Return the products of matrices, which are in the last two axes.")
