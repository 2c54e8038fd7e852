"""keras.ops.numpy: NumPy's functions on quern's arrays, with Keras's result types.

Most come from the text of Keras's own backend on NumPy (_borrowed.py). Here stand those that steps of training are full of, with a way
that skips the search for a result type where there is none to be found, and those that need another text for their derivative.
"""

import operator

import numpy as _numpy
from keras.src.backend.common import KerasVariable
from keras.src.backend.common.dtypes import result_type
from keras.src.backend.config import epsilon, floatx

import quern as qn
from quern.keras.backend import _borrowed, _value_checks, recording
from quern.keras.backend._tensor import as_tensor
from quern.keras.backend.core import Array, _named, convert_to_tensor
from quern.lib import _engine

_borrowed.names_of("numpy", globals())
_REAL = frozenset(("float32", "float16", "bfloat16"))
_matmul = matmul  # noqa: F821

def _divide_no_nan(x1, x2):
    # both are chosen: with a quotient by zero in it, the derivative would be NaN where the result is not
    nothing = x2 == 0
    return qn.where(nothing, 0, x1 / qn.where(nothing, 1, x2))


def divide_no_nan(x1, x2):
    """x1 / x2, and 0 where x2 is 0."""
    kinds = [x.dtype if hasattr(x, "dtype") else type(x) for x in (x1, x2)]
    kind = result_type(*kinds, float)
    return _divide_no_nan(convert_to_tensor(x1, kind), convert_to_tensor(x2, kind))


def matmul(x1, x2):
    """NumPy's ``matmul``, with Keras's result type."""
    x1, x2 = convert_to_tensor(x1), convert_to_tensor(x2)
    kind = x1._dtype_name
    if kind != x2._dtype_name or kind not in _REAL:
        return _matmul(x1, x2)
    return x1 @ x2


# ---- reductions


def _axes(axis):
    return tuple(axis) if isinstance(axis, list) else axis


_engine.set_front_end("keras", type=Array, convert=convert_to_tensor, name_of_dtype=_named, default_real=floatx, epsilon=epsilon)
_faces = _engine.functions_of("keras", __name__)
sum, prod, any, all = (_faces[_name] for _name in ("sum", "prod", "any", "all"))  # noqa: A001
mean, amax, amin, argmax, argmin = (_faces[_name] for _name in ("mean", "amax", "amin", "argmax", "argmin"))
moveaxis, swapaxes, expand_dims, squeeze = (_faces[_name] for _name in ("moveaxis", "swapaxes", "expand_dims", "squeeze"))
flip, rot90, roll = (_faces[_name] for _name in ("flip", "rot90", "roll"))
split, array_split, tile = (_faces[_name] for _name in ("split", "array_split", "tile"))
concatenate, stack, hstack, vstack = (_faces[_name] for _name in ("concatenate", "stack", "hstack", "vstack"))
reshape, ravel, transpose, broadcast_to = (_faces[_name] for _name in ("reshape", "ravel", "transpose", "broadcast_to"))
sin, cos, tan, arcsin, arccos = (_faces[_name] for _name in "sin cos tan arcsin arccos".split())
arctan, sinh, cosh, tanh, arcsinh = (_faces[_name] for _name in "arctan sinh cosh tanh arcsinh".split())
arccosh, arctanh, exp, exp2, expm1 = (_faces[_name] for _name in "arccosh arctanh exp exp2 expm1".split())
log, log2, log10, log1p, sqrt = (_faces[_name] for _name in "log log2 log10 log1p sqrt".split())
floor, ceil, absolute, negative, square = (_faces[_name] for _name in "floor ceil absolute negative square".split())
isnan, isinf, isfinite, signbit, logical_not = (_faces[_name] for _name in "isnan isinf isfinite signbit logical_not".split())
sign, abs = (_faces[_name] for _name in "sign abs".split())  # noqa: A001
tril, triu, diagonal, diag, diagflat, trace = (_faces[_name] for _name in "tril triu diagonal diag diagflat trace".split())
isclose, nan_to_num = _faces["isclose"], _faces["nan_to_num"]
add, subtract, multiply, divide, true_divide = (_faces[_name] for _name in "add subtract multiply divide true_divide".split())
floor_divide, mod, fmod, power = (_faces[_name] for _name in "floor_divide mod fmod power".split())
maximum, minimum, fmax, fmin = (_faces[_name] for _name in "maximum minimum fmax fmin".split())
equal, not_equal, less, less_equal = (_faces[_name] for _name in "equal not_equal less less_equal".split())
greater, greater_equal = (_faces[_name] for _name in "greater greater_equal".split())
logical_and, logical_or, logical_xor = (_faces[_name] for _name in "logical_and logical_or logical_xor".split())
bitwise_and, bitwise_or, bitwise_xor = (_faces[_name] for _name in "bitwise_and bitwise_or bitwise_xor".split())
left_shift, bitwise_left_shift = _faces["left_shift"], _faces["bitwise_left_shift"]
right_shift, bitwise_right_shift = _faces["right_shift"], _faces["bitwise_right_shift"]
arctan2, hypot, nextafter, gcd, lcm = (_faces[_name] for _name in "arctan2 hypot nextafter gcd lcm".split())
logaddexp, logaddexp2 = _faces["logaddexp"], _faces["logaddexp2"]
max, min = _faces["max"], _faces["min"]  # noqa: A001


# ---- what is made


def _kind(dtype):
    return floatx() if dtype is None else _named(dtype)


zeros, ones, empty, full = (_faces[_name] for _name in ("zeros", "ones", "empty", "full"))
eye, identity, tri, linspace = (_faces[_name] for _name in ("eye", "identity", "tri", "linspace"))
zeros_like, ones_like = _faces["zeros_like"], _faces["ones_like"]


# ---- shapes


def copy(x):
    """A copy of a tensor."""
    return convert_to_tensor(x).copy()


def ndim(x):
    """How many axes there are."""
    return len(x.shape) if hasattr(x, "shape") else convert_to_tensor(x).ndim


def size(x):
    """How many elements there are."""
    return convert_to_tensor(x).size


def where(condition, x1=None, x2=None):
    """Elements of one or the other tensor by a condition; with the condition alone the places where it holds."""
    condition = convert_to_tensor(condition)
    if x1 is None and x2 is None:
        return tuple(place.astype("int32") for place in qn.nonzero(condition))
    if x1 is None or x2 is None:
        raise ValueError("`x1` and `x2` either both should be `None` or both should have non-None value.")
    if type(x1) is not Array and not isinstance(x1, (int, float)):
        x1 = convert_to_tensor(x1)
    if type(x2) is not Array and not isinstance(x2, (int, float)):
        x2 = convert_to_tensor(x2)
    kind = result_type(getattr(x1, "dtype", type(x1)), getattr(x2, "dtype", type(x2)))
    if condition._dtype_name != "bool":
        condition = condition.astype("bool")
    return qn.where(condition, convert_to_tensor(x1, kind), convert_to_tensor(x2, kind))


def take(x, indices, axis=None):
    """Elements, or slices along an axis, at places; negative ones count from the end. Others raise ValueError."""
    x = convert_to_tensor(x)
    indices = convert_to_tensor(indices)
    if indices._dtype_name not in _INDICES:
        indices = indices.astype("int32")
    if axis is None:
        x, axis = x.reshape(-1), 0
    return _take(x, indices, axis)


_INDICES = frozenset(("int32", "int64", "int8", "int16", "uint8", "uint16", "uint32"))


def _take(x, indices, axis):
    return _value_checks.take(x, indices, operator.index(axis))


def unravel_index(indices, shape):
    """The places along each axis of places among all elements."""
    indices = convert_to_tensor(indices)
    kind = indices._dtype_name
    places = []
    for n in reversed(shape):
        if n is None:
            raise ValueError(f"`shape` argument cannot contain `None`. Received: shape={shape}")
        places.append((indices % n).astype(kind))
        indices = indices // n
    return tuple(reversed(places))


def clip(x, x_min, x_max):
    """The elements limited to a range."""
    x = convert_to_tensor(x)
    kind = x._dtype_name
    if kind == "bool":
        kind = "int32"
    x = convert_to_tensor(x, kind)
    low = x_min if type(x_min) in (int, float) and kind in _REAL else convert_to_tensor(x_min, kind)
    high = x_max if type(x_max) in (int, float) and kind in _REAL else convert_to_tensor(x_max, kind)
    return qn.minimum(qn.maximum(x, low), high)


def dot(x1, x2):
    """NumPy's ``dot``, with Keras's result type."""
    x1, x2 = convert_to_tensor(x1), convert_to_tensor(x2)
    kind = result_type(x1.dtype, x2.dtype)
    return qn.dot(convert_to_tensor(x1, kind), convert_to_tensor(x2, kind))


def allclose(x1, x2, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Are all elements equal but for a tolerance?"""
    return qn.all(qn.isclose(convert_to_tensor(x1), convert_to_tensor(x2), rtol=rtol, atol=atol, equal_nan=equal_nan))


_geomspace, _histogram = globals().get("geomspace"), histogram  # noqa: F821  (the first from Keras 3.14 on)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Numbers of which each is the same multiple of the one before; start and stop may be tensors."""
    if not (isinstance(start, (qn.ndarray, KerasVariable)) or isinstance(stop, (qn.ndarray, KerasVariable))):
        return _geomspace(start, stop, num=num, endpoint=endpoint, dtype=dtype, axis=axis)
    kind = result_type(*[getattr(one, "dtype", type(one)) for one in (start, stop)], float)
    start, stop = qn.broadcast_arrays(convert_to_tensor(start, kind), convert_to_tensor(stop, kind))
    growth = qn.log(stop / start)
    out = qn.expand_dims(start, axis) * qn.exp(linspace(qn.zeros_like(growth), growth, num, endpoint=endpoint, axis=axis))
    return convert_to_tensor(out, _kind(dtype))


def histogram(x, bins=10, range=None):  # noqa: A002
    """How many elements lie in each of some intervals, and the edges of these."""
    x = convert_to_tensor(x)
    counts, edges = _histogram(_engine.detached(x), bins=bins, range=range)
    if range is None and not _numpy.ndim(bins) and x.size and _engine.wants_gradient(x):
        low, high = qn.min(x), qn.max(x)
        if low != high:  # where all are equal the edges are set around them
            edges = linspace(low, high, bins + 1)
    return counts, edges


def i0(x):
    """The modified Bessel function of the first kind and of order 0."""
    from quern.torch import Tensor, special

    x = convert_to_tensor(x)
    kind = "float64" if x._dtype_name in ("int64", "float64") else result_type(x.dtype, float)
    return as_tensor(special.i0(convert_to_tensor(x, kind)._as(Tensor)))


def vectorize(pyfunc, *, excluded=None, signature=None):
    """A function that calls ``pyfunc`` for each element, or each part that the signature names."""
    from keras.src.backend.common.backend_utils import vectorize_impl

    def each(function, in_axes):
        def call(*args):
            args = [convert_to_tensor(x) for x in args]
            count = next(x.shape[0] for x, axis in zip(args, in_axes, strict=True) if axis is not None)
            made = [function(*(x if axis is None else x[i] for x, axis in zip(args, in_axes, strict=True))) for i in range(count)]
            return tree.map_structure(lambda *parts: qn.stack([convert_to_tensor(p) for p in parts]), *made)  # noqa: F821

        return call

    return vectorize_impl(pyfunc, each, excluded=excluded, signature=signature)


def correlate(x1, x2, mode="valid"):
    """The correlation of two sequences; modes "valid", "same" and "full"."""
    kind = result_type(getattr(x1, "dtype", type(x1)), getattr(x2, "dtype", type(x2)))
    if kind == "int64":
        kind = "float64"
    elif kind not in ("bfloat16", "float16", "float64"):
        kind = "float32"
    return qn.correlate(convert_to_tensor(x1, kind), convert_to_tensor(x2, kind), mode)


recording.note_functions(globals(), leave=("vectorize", "ndim", "size", "shape", "floatx", "epsilon"))
