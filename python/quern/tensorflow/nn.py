"""tf.nn: activations and losses."""

import keras

from quern.tensorflow import _functions, _operands
from quern.tensorflow import errors as _errors
from quern.tensorflow import math as _math
from quern.tensorflow._functions import _same
from quern.tensorflow._functions import convert_to_tensor as _tensor

relu = _same("relu")
relu6 = _same("relu6")
elu = _same("elu")
silu = _same("silu")
sigmoid = _same("sigmoid")
softplus = _same("softplus")
softsign = _same("softsign")
tanh = _same("tanh")
swish = _same("swish", "silu")
l2_normalize, top_k, in_top_k, zero_fraction = _math.l2_normalize, _math.top_k, _math.in_top_k, _math.zero_fraction
softmax, log_softmax = _math.softmax, _math.log_softmax


@_errors.checked
def crelu(features, axis=-1, name=None):
    """relu of x and of -x, one after the other along an axis."""
    x = _tensor(features)
    return keras.ops.relu(keras.ops.concatenate([x, -x], axis))


@_errors.checked
def dropout(x, rate, noise_shape=None, seed=None, name=None):
    """Elements are 0 with a probability; the others are divided by what is left of it."""
    return keras.random.dropout(_tensor(x), rate, None if noise_shape is None else tuple(noise_shape), seed)


@_errors.checked
def gelu(features, approximate=False, name=None):
    """x times the normal distribution's probability of being below x, or its formula with tanh."""
    x = _tensor(features)
    if "float" not in x._dtype_name:
        raise ValueError(f"`features.dtype` must be a floating point tensor. Received: features.dtype={x._dtype_name}")
    return keras.ops.gelu(x, approximate)


@_errors.checked
def leaky_relu(features, alpha=0.2, name=None):
    """x above 0, and ``alpha`` times x elsewhere."""
    x = _tensor(features)
    return keras.ops.leaky_relu(x, alpha)


@_errors.checked
def selu(features, name=None):
    """elu with the factors of self-normalizing networks; at 0 it has the slope of what is above."""
    x, scale, alpha = _tensor(features), 1.0507009873554805, 1.6732632423543772
    is_low = x < 0
    return scale * keras.ops.where(is_low, alpha * keras.ops.expm1(keras.ops.where(is_low, x, 0)), x)


@_errors.checked
def moments(x, axes, shift=None, keepdims=False, name=None):
    """Mean and variance along axes."""
    x, axes = _tensor(x), tuple(axes) if isinstance(axes, list) else axes
    wide = keras.ops.cast(x, "float32") if x._dtype_name == "float16" else x
    mean = keras.ops.mean(wide, axes, keepdims=True)
    variance = keras.ops.mean(keras.ops.square(wide - _functions.stop_gradient(mean)), axes, keepdims=keepdims)
    mean = mean if keepdims else keras.ops.squeeze(mean, axes)
    return keras.ops.cast(mean, x.dtype), keras.ops.cast(variance, x.dtype)


@_errors.checked
def bias_add(value, bias, data_format=None, name=None):
    """The bias of each channel added; channels are the last axis, or the second one of "NC..." formats."""
    value, bias = _functions._alike(value, bias, "BiasAdd")
    if data_format is not None and str(data_format).startswith("NC"):
        bias = keras.ops.reshape(bias, (-1,) + (1,) * (value.ndim - 2))
    return value + bias


@_errors.checked
def embedding_lookup(params, ids, max_norm=None, name=None):
    """The rows at numbers."""
    if max_norm is not None:
        raise NotImplementedError("tf.nn.embedding_lookup(max_norm=...) is not supported by quern; use tf.clip_by_norm on the rows")
    return _functions.gather(params, ids)


@_errors.checked
def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    """(x - mean) / sqrt(variance + epsilon) * scale + offset."""
    x = _tensor(x)
    factor = keras.ops.rsqrt(_tensor(variance, x.dtype) + variance_epsilon)
    factor = factor if scale is None else factor * scale
    return x * factor + ((0 if offset is None else offset) - mean * factor)


@_errors.checked
def weighted_cross_entropy_with_logits(labels, logits, pos_weight, name=None):
    """The cross-entropy of each element with a logit, in which positive ones have another weight."""
    logits, labels = _functions._alike(logits, labels, "Mul")
    return (1 - labels) * logits + (1 + (pos_weight - 1) * labels) * keras.ops.softplus(-logits)


@_errors.checked
def softmax_cross_entropy_with_logits(labels, logits, axis=-1, name=None):
    """-sum(labels * log(softmax(logits))) along an axis."""
    return keras.ops.categorical_crossentropy(_tensor(labels), _tensor(logits), from_logits=True, axis=axis)


@_errors.checked
def sparse_softmax_cross_entropy_with_logits(labels, logits, name=None):
    """-log(softmax(logits)) of each label's class."""
    labels = _tensor(labels)
    if labels._dtype_name not in ("int32", "int64"):
        kind = labels._dtype_name
        raise _errors.InvalidArgumentError(f"Value for attr 'Tlabels' of {kind} is not in the list of allowed values: int32, int64")
    logits = _tensor(logits)
    return keras.ops.cast(keras.ops.sparse_categorical_crossentropy(labels, logits, from_logits=True), logits._dtype_name)


@_errors.checked
def sigmoid_cross_entropy_with_logits(labels=None, logits=None, name=None):
    """The cross-entropy of each element with a logit."""
    labels, logits = _functions.convert_to_tensor(labels), _functions.convert_to_tensor(logits)
    if labels._dtype_name != logits._dtype_name:
        _operands.refuse_mixed("Mul", logits._dtype_name, labels._dtype_name)
    return keras.ops.binary_crossentropy(labels, logits, from_logits=True)


@_errors.checked
def l2_loss(t, name=None):
    """Half the sum of squares."""
    return keras.ops.sum(keras.ops.square(_tensor(t))) / 2


def __getattr__(name):
    raise AttributeError(f"tensorflow.nn.{name} is not supported by quern; use keras.ops or a layer of keras.layers")
