"""keras.ops.nn: activations, losses, normalization. Convolutions and pooling are stand-ins that name themselves.

What is not defined here comes from the text of Keras's own backend on NumPy (_borrowed.py).
"""

from keras.src.backend.common.dtypes import result_type

import quern as qn
from quern.keras.backend import _borrowed, _value_checks, recording
from quern.keras.backend._tensor import as_tensor
from quern.keras.backend.core import Array, convert_to_tensor
from quern.keras.backend.math import _pieces
from quern.lib import _engine

_borrowed.names_of("nn", globals())

_op = _engine.array_op


def _real(x):
    """A tensor of real numbers."""
    if type(x) is not Array:
        x = convert_to_tensor(x)
    return x if "float" in x._dtype_name else convert_to_tensor(x, result_type(x.dtype, float))


# ---- activations: here those with other values or derivatives than the engine's

_faces = _engine.functions_of("keras", __name__, submodule="nn")
sigmoid, tanh, relu6, hard_sigmoid, hard_silu = (_faces[_name] for _name in "sigmoid tanh relu6 hard_sigmoid hard_silu".split())
silu, softplus, log_sigmoid, softsign = (_faces[_name] for _name in "silu softplus log_sigmoid softsign".split())
elu, selu, celu, gelu = (_faces[_name] for _name in "elu selu celu gelu".split())
softmax, log_softmax = _faces["softmax"], _faces["log_softmax"]


def relu(x):
    """max(x, 0), with the derivative 0 at 0."""
    if type(x) is not Array:
        x = convert_to_tensor(x)
    return _op("relu", x) if "float" in x._dtype_name else qn.maximum(x, 0)


def _same(number, x):
    return as_tensor(qn.full((), number, dtype=x._dtype_name))


def leaky_relu(x, negative_slope=0.2):
    """x above 0, and ``negative_slope`` times x below."""
    x = _real(x)
    return qn.where(x >= 0, x, x * negative_slope)


def hard_tanh(x):
    """x limited to [-1, 1]; at the ends the derivative is 1."""
    x = _real(x)
    return qn.where(x > 1, _same(1.0, x), qn.where(x < -1, _same(-1.0, x), x))


def sparsemax(x, axis=-1):
    """Probabilities with zeros, as Keras defines them: max(x - tau, 0), where tau comes from the sums of the largest elements."""
    x = _real(x)
    ordered = -qn.sort(-x, axis=axis)
    sums = qn.cumsum(ordered, axis=axis)
    sizes = [1] * x.ndim
    sizes[axis] = -1
    count = qn.arange(1, x.shape[axis] + 1, dtype=x._dtype_name).reshape(sizes)
    inside = ordered - (sums - 1.0) / count > 0
    kept = qn.sum(inside.astype(x._dtype_name), axis=axis, keepdims=True)
    total = qn.sum(qn.where(inside, sums, _same(0.0, x)), axis=axis, keepdims=True)
    return qn.maximum(x - (total - 1.0) / kept, 0.0)


# ---- places as vectors, losses, normalization


one_hot, multi_hot, moments, batch_normalization = (_faces[_name] for _name in "one_hot multi_hot moments batch_normalization".split())
categorical_crossentropy, binary_crossentropy = _faces["categorical_crossentropy"], _faces["binary_crossentropy"]


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """-log(probability) of the class that each target names."""
    target, output = convert_to_tensor(target, "int32"), convert_to_tensor(output)
    cost = _faces["sparse_categorical_crossentropy"](target, output, from_logits, axis)
    classes = output.shape[axis]
    return _value_checks.unless(
        cost, target, 0, classes, f"Received a label value of {{}} which is outside the valid range of [0, {classes})"
    )


# ---- pooling to a size


def _strided_view_1d(x, window_size):
    """All windows along the axis in the middle; the borrowed functions take their means, or what is largest in them."""
    return x[:, _pieces(x.shape[1] - window_size + 1, window_size, 1)]


recording.note_functions(globals())
