"""keras.ops.nn: activations, losses, normalization. Convolutions and pooling are stand-ins that name themselves.

What is not defined here comes from the text of Keras's own backend on NumPy (_borrowed.py).
"""

import functools

import numpy as _numpy
from keras.src import backend as _keras
from keras.src.backend.common.dtypes import result_type

import quern as qn
from quern.keras.backend import _borrowed, _value_checks, recording
from quern.keras.backend._tensor import as_tensor
from quern.keras.backend.core import Array, _named, convert_to_tensor
from quern.keras.backend.math import _pieces
from quern.keras.backend.numpy import _axes
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


# ---- places as vectors


def one_hot(x, num_classes, axis=-1, dtype=None, sparse=False):
    """1 at each number's place along a new axis, 0 elsewhere; rows of numbers out of range are all 0."""
    if sparse:
        raise ValueError("Unsupported value `sparse=True` with quern backend")
    x = convert_to_tensor(x)
    if "float" in x._dtype_name:
        x = x.astype("int32")
    name = "float32" if dtype is None else _named(dtype)
    axis = axis + x.ndim + 1 if axis < 0 else axis
    sizes = [1] * (x.ndim + 1)
    sizes[axis] = num_classes
    kind = x._dtype_name if x._dtype_name != "bool" else "int32"
    places = _kept_places if num_classes <= 4096 else _places
    return (qn.expand_dims(x, axis) == places(num_classes, kind, tuple(sizes), _engine.current_device())).astype(name)


def _places(count, kind, shape, device):
    """0, 1, 2 ... along one axis."""
    return as_tensor(qn.arange(count, dtype=kind, device=device).reshape(shape))


_kept_places = functools.lru_cache(maxsize=64)(_places)  # every step of a training asks for the same


def multi_hot(x, num_classes, axis=-1, dtype=None, sparse=False):
    """1 at the place of each number of a row, 0 elsewhere."""
    if sparse:
        raise ValueError("Unsupported value `sparse=True` with quern backend")
    x = convert_to_tensor(x)
    return qn.max(one_hot(x, num_classes, axis=axis, dtype=dtype), axis=1 if x.ndim > 1 else 0)


# ---- losses


def _logarithms(output, from_logits, axis):
    """log of the probabilities that logits, or odds, stand for; odds at least epsilon() from 0 and 1."""
    if from_logits:
        return log_softmax(output, axis=axis)
    output = output / qn.sum(output, axis=axis, keepdims=True)
    return qn.log(_limited(output))


def _limited(output):
    least = _keras.epsilon()
    return _clipped(output, least, 1.0 - least)


def _clipped(x, low, high):
    return qn.minimum(qn.maximum(x, low), high)


def _check_shapes(target, output):
    if target.shape != output.shape:
        raise ValueError(
            f"Arguments `target` and `output` must have the same shape. Received: target.shape={target.shape}, output.shape={output.shape}"
        )


def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """-sum(target * log(probability)) along an axis."""
    target, output = convert_to_tensor(target), _real(output)
    _check_shapes(target, output)
    if not target.ndim:
        raise ValueError(
            f"Arguments `target` and `output` must be at least rank 1. Received: target.shape={target.shape}, output.shape={output.shape}"
        )
    return -qn.sum(target * _logarithms(output, from_logits, axis), axis=axis)


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """-log(probability) of the class that each target names."""
    target, output = convert_to_tensor(target, "int32"), _real(output)
    if target.ndim == output.ndim and target.shape[-1] == 1:
        target = qn.squeeze(target, axis=-1)
    if not output.ndim:
        raise ValueError(f"Argument `output` must be at least rank 1. Received: output.shape={output.shape}")
    axis = axis % output.ndim
    if target.shape != output.shape[:axis] + output.shape[axis + 1 :]:
        raise ValueError(
            "Arguments `target` and `output` must have the same shape up until the last dimension: "
            f"target.shape={target.shape}, output.shape={output.shape}"
        )
    cost = -qn.sum(
        one_hot(target, output.shape[axis], axis=axis, dtype=output._dtype_name) * _logarithms(output, from_logits, axis), axis=axis
    )
    classes = output.shape[axis]
    return _value_checks.unless(
        cost, target, 0, classes, f"Received a label value of {{}} which is outside the valid range of [0, {classes})"
    )


def binary_crossentropy(target, output, from_logits=False):
    """-(target * log(p) + (1 - target) * log(1 - p))."""
    target, output = convert_to_tensor(target), _real(output)
    _check_shapes(target, output)
    target = convert_to_tensor(target, output._dtype_name)
    if from_logits:
        return softplus(output) - output * target
    output = _limited(output)
    return -(target * qn.log(output) + (1.0 - target) * qn.log(1.0 - output))


# ---- pooling to a size


def _strided_view_1d(x, window_size):
    """All windows along the axis in the middle; the borrowed functions take their means, or what is largest in them."""
    return x[:, _pieces(x.shape[1] - window_size + 1, window_size, 1)]


# ---- normalization


def moments(x, axes, keepdims=False, synchronized=False):
    """Mean and variance along axes; of float16 computed in float32."""
    if synchronized:
        raise NotImplementedError("Argument synchronized=True is not supported with quern.")
    x = convert_to_tensor(x)
    axes = _axes(axes)
    name = x._dtype_name
    if name == "float16":
        x = x.astype("float32")
    mean = qn.mean(x, axis=axes, keepdims=True)
    variance = qn.mean(qn.square(x - mean), axis=axes, keepdims=True)  # exact where the mean is far from 0, too
    if not keepdims:
        mean, variance = qn.squeeze(mean, axes), qn.squeeze(variance, axes)
    if name == "float16":
        most = float(_numpy.finfo(_numpy.float16).max)
        mean, variance = _clipped(mean, -most, most).astype(name), _clipped(variance, -most, most).astype(name)
    return mean, variance


def batch_normalization(x, mean, variance, axis, offset=None, scale=None, epsilon=1e-3):
    """(x - mean) / sqrt(variance + epsilon) * scale + offset, along an axis of channels."""
    x = convert_to_tensor(x)
    sizes = [1] * x.ndim
    sizes[axis] = mean.shape[0]
    factor = 1.0 / qn.sqrt(convert_to_tensor(variance).reshape(sizes) + epsilon)
    if scale is not None:
        factor = factor * convert_to_tensor(scale).reshape(sizes)
    shift = -convert_to_tensor(mean).reshape(sizes) * factor
    if offset is not None:
        shift = shift + convert_to_tensor(offset).reshape(sizes)
    return (x * factor + shift).astype(x._dtype_name)


recording.note_functions(globals())
