"""tf.random: tensors of random numbers, and the seed. The numbers are not TensorFlow's."""

import threading

import keras
import numpy as np

from quern.keras.backend.core import convert_to_tensor as _tensor
from quern.tensorflow.errors import InvalidArgumentError

_seeding = threading.local()  # .now: set_seed() runs


def set_seed(seed):
    """Starts the random numbers of a seed, Keras's too."""
    if getattr(_seeding, "now", False):
        return  # Keras's function calls this one where it finds TensorFlow
    _seeding.now = True
    try:
        keras.utils.set_random_seed(int(seed) % (1 << 32))
    finally:
        _seeding.now = False


def _sizes(shape):
    if hasattr(shape, "_dtype_name"):
        shape = shape.get().tolist()
    return (int(shape),) if isinstance(shape, int) else tuple(int(n) for n in shape)


def normal(shape, mean=0.0, stddev=1.0, dtype="float32", seed=None, name=None):
    """Numbers of a normal distribution."""
    return keras.random.normal(_sizes(shape), mean, stddev, dtype, seed)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype="float32", seed=None, name=None):
    """Numbers of a normal distribution within two standard deviations."""
    return keras.random.truncated_normal(_sizes(shape), mean, stddev, dtype, seed)


def uniform(shape, minval=0, maxval=None, dtype="float32", seed=None, name=None):
    """Numbers in [minval, maxval); of an integer type integers."""
    if dtype.startswith(("int", "uint")):
        if maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {dtype}")
        if np.ndim(minval) == np.ndim(maxval) == 0 and int(minval) >= int(maxval):
            raise InvalidArgumentError(f"Need minval < maxval, got {int(minval)} >= {int(maxval)}")
        return keras.random.randint(_sizes(shape), minval, maxval, dtype, seed)
    return keras.random.uniform(_sizes(shape), minval, 1.0 if maxval is None else maxval, dtype, seed)


def shuffle(value, seed=None, name=None):
    """The slices along the first axis in random order."""
    return keras.random.shuffle(value, seed=seed)


def categorical(logits, num_samples, dtype="int64", seed=None, name=None):
    """Places drawn by the logarithms of their odds."""
    return keras.random.categorical(logits, num_samples, dtype, seed)


def gamma(shape, alpha, beta=None, dtype="float32", seed=None, name=None):
    """Numbers of gamma distributions: so many of each ``alpha`` and rate ``beta``."""
    alpha = _tensor(alpha, dtype)
    drawn = keras.random.gamma((*_sizes(shape), *alpha.shape), alpha, dtype, seed)
    return drawn if beta is None else drawn / _tensor(beta, dtype)


def _fixed(seed):
    """A generator of two numbers, which draws the same ones each time."""
    first, second = (int(n) for n in seed)
    return (first * 2654435761 + second) % (1 << 31)


def stateless_uniform(shape, seed, minval=0, maxval=None, dtype="float32", name=None, alg=None):
    """Numbers in [minval, maxval) that depend on the seed, two numbers, alone."""
    return uniform(shape, minval, maxval, dtype, _fixed(seed))


def stateless_normal(shape, seed, mean=0.0, stddev=1.0, dtype="float32", name=None, alg=None):
    """Numbers of a normal distribution that depend on the seed, two numbers, alone."""
    return normal(shape, mean, stddev, dtype, _fixed(seed))


def stateless_truncated_normal(shape, seed, mean=0.0, stddev=1.0, dtype="float32", name=None, alg=None):
    """Numbers of a normal distribution within two standard deviations that depend on the seed, two numbers, alone."""
    return truncated_normal(shape, mean, stddev, dtype, _fixed(seed))


def __getattr__(name):
    raise AttributeError(f"tensorflow.random.{name} is not supported by quern; use keras.random")
