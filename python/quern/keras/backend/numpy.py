"""keras.ops.numpy: NumPy's functions on quern's arrays, with Keras's result types.

Most come from the text of Keras's own backend on NumPy (_borrowed.py). Here stand those that steps of training are full of, with a way
that skips the search for a result type where there is none to be found, and those that need another text for their derivative.
"""

import operator

import numpy as _numpy
from keras.src.backend.common import KerasVariable
from keras.src.backend.common.dtypes import result_type
from keras.src.backend.config import floatx

import quern as qn
from quern.keras.backend import _borrowed, _value_checks, recording
from quern.keras.backend._tensor import as_tensor
from quern.keras.backend.core import _named, convert_to_tensor
from quern.lib import _engine

_borrowed.names_of("numpy", globals())
_REAL = frozenset(("float32", "float16", "bfloat16"))

# ---- reductions


def _axes(axis):
    return tuple(axis) if isinstance(axis, list) else axis


_faces = _engine.add_functions(__name__, "keras")


# ---- what is made


def _kind(dtype):
    return floatx() if dtype is None else _named(dtype)




# ---- shapes


def ndim(x):
    """How many axes there are."""
    return len(x.shape) if hasattr(x, "shape") else convert_to_tensor(x).ndim


def size(x):
    """How many elements there are."""
    return convert_to_tensor(x).size


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


_geomspace, _histogram = globals().get("geomspace"), histogram  # noqa: F821  (the first from Keras 3.14 on)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Numbers of which each is the same multiple of the one before; start and stop may be tensors."""
    if not (isinstance(start, (qn.ndarray, KerasVariable)) or isinstance(stop, (qn.ndarray, KerasVariable))):
        return _geomspace(start, stop, num=num, endpoint=endpoint, dtype=dtype, axis=axis)
    kind = result_type(*[getattr(one, "dtype", type(one)) for one in (start, stop)], float)
    start, stop = qn.broadcast_arrays(convert_to_tensor(start, kind), convert_to_tensor(stop, kind))
    growth = qn.log(stop / start)
    out = qn.expand_dims(start, axis) * qn.exp(qn.linspace(qn.zeros_like(growth), growth, num, endpoint=endpoint, axis=axis))
    return convert_to_tensor(out, _kind(dtype))


def histogram(x, bins=10, range=None):  # noqa: A002
    """How many elements lie in each of some intervals, and the edges of these."""
    x = convert_to_tensor(x)
    counts, edges = _histogram(_engine.detached(x), bins=bins, range=range)
    if range is None and not _numpy.ndim(bins) and x.size and _engine.wants_gradient(x):
        low, high = qn.min(x), qn.max(x)
        if low != high:  # where all are equal the edges are set around them
            edges = _faces["linspace"](low, high, bins + 1)
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


recording.note_functions(globals(), leave=("vectorize", "ndim", "size", "shape", "floatx", "epsilon"))
