"""tf.nn: activations and losses."""

import keras

from quern.tensorflow._functions import _same

for _name in "relu relu6 elu selu silu gelu leaky_relu sigmoid softplus softsign tanh softmax log_softmax moments".split():
    globals()[_name] = _same(_name)
swish = _same("swish", "silu")


def softmax_cross_entropy_with_logits(labels, logits, axis=-1, name=None):
    """-sum(labels * log(softmax(logits))) along an axis."""
    return keras.ops.categorical_crossentropy(labels, logits, from_logits=True, axis=axis)


def sparse_softmax_cross_entropy_with_logits(labels, logits, name=None):
    """-log(softmax(logits)) of each label's class."""
    return keras.ops.sparse_categorical_crossentropy(labels, logits, from_logits=True)


def sigmoid_cross_entropy_with_logits(labels=None, logits=None, name=None):
    """The cross-entropy of each element with a logit."""
    return keras.ops.binary_crossentropy(labels, logits, from_logits=True)


def l2_loss(t, name=None):
    """Half the sum of squares."""
    return keras.ops.sum(keras.ops.square(t)) / 2


def __getattr__(name):
    raise AttributeError(f"tensorflow.nn.{name} is not served by quern; use keras.ops or a layer of keras.layers")
