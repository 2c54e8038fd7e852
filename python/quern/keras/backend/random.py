"""keras.random: numbers drawn from the engine's counter-based generator, the same on every device for a seed. They are no other backend's.

A seed generator's state is known on the host (core.Variable), so that drawing waits for nothing.
"""

import math

import numpy as np
from keras.src.backend.common.stateless_scope import in_stateless_scope
from keras.src.backend.config import floatx
from keras.src.random.seed_generator import (  # noqa: F401
    SeedGenerator,
    draw_seed,
    global_seed_generator,
    make_default_seed,
)

import quern as qn
from quern.device import current_device
from quern.keras.backend import recording
from quern.keras.backend._tensor import as_tensor
from quern.keras.backend.core import _named, convert_to_tensor
from quern.keras.backend.math import erfinv
from quern.lib import _engine

_WORD = 0xFFFFFFFF
_ROOT_2 = math.sqrt(2.0)


def _words(seed):
    """The two words of a seed, which the generator then moves on from."""
    ordered = seed is not None
    if seed is None and not in_stateless_scope():
        seed = global_seed_generator()
    if isinstance(seed, SeedGenerator) and not in_stateless_scope():
        known = seed.state.known()
        if known is None:  # the first time; afterwards the host knows it
            known = seed.state._value.get()
        first, second = int(known[0]), int(known[1])
        after = (first, second + 1) if ordered else ((first + 1) * 5387 % 933199, (second + 1) * 5387 % 933199)
        seed.state._told = np.array([after[0] & _WORD, after[1] & _WORD], "uint32")
        seed.state._late = True
        return first, second
    drawn = draw_seed(seed if ordered else None)
    return tuple(int(word) for word in np.asarray(convert_to_tensor(drawn).get()))


def _key(seed):
    first, second = _words(seed)
    return _engine.random_key([first & _WORD, second & _WORD])


def _generator(seed):
    return qn.random.Generator(qn.random.Philox(key=_key(seed)))


def _sizes(shape):
    return [int(n) for n in shape]


def _unit(shape, key, name):
    """In [0, 1): of float64, else of float32."""
    wide = name == "float64"
    bits = as_tensor(_engine.array_random("random_bits", shape, key, 0, "uint64", current_device()))
    return _engine.array_op("random_unit" if wide else "random_unit32", bits, compute="uint64", result="float64" if wide else "float32")


def _shifted(made, low, high, name):
    if type(low) in (int, float) and type(high) in (int, float):
        if low == 0 and high == 1:
            return made
        return made * (high - low) + low
    low, high = convert_to_tensor(low, made._dtype_name), convert_to_tensor(high, made._dtype_name)
    return made * (high - low) + low


def _dtype(dtype):
    return _named(dtype) if dtype else floatx()


def normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """Numbers of a normal distribution."""
    name = _dtype(dtype)
    wide = name == "float64"
    op, kind = ("random_normal", "float64") if wide else ("random_normal32", "float32")
    made = as_tensor(_engine.array_random(op, _sizes(shape), _key(seed), 0, kind, current_device()))
    if type(mean) not in (int, float) or type(stddev) not in (int, float):
        mean, stddev = convert_to_tensor(mean, made._dtype_name), convert_to_tensor(stddev, made._dtype_name)
        made = made * stddev + mean
    elif mean != 0 or stddev != 1:
        made = made * stddev + mean
    return convert_to_tensor(made, name)


def uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    """Numbers in [minval, maxval), each as likely."""
    name = _dtype(dtype)
    return convert_to_tensor(_shifted(_unit(_sizes(shape), _key(seed), name), minval, maxval, name), name)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """Numbers of a normal distribution, none of them further than two standard deviations from the mean."""
    name = _dtype(dtype)
    edge = math.erf(2.0 / _ROOT_2)
    unit = _unit(_sizes(shape), _key(seed), "float64")
    made = qn.clip(erfinv(unit * (2 * edge) - edge) * _ROOT_2, -2.0, 2.0)
    return convert_to_tensor(made * stddev + mean, name)


def randint(shape, minval, maxval, dtype="int32", seed=None):
    """Integers in [minval, maxval), each as likely."""
    low, high = convert_to_tensor(minval, "int64"), convert_to_tensor(maxval, "int64")
    made = _unit(_sizes(shape), _key(seed), "float64")
    return convert_to_tensor(qn.minimum(qn.floor(made * (high - low)).astype("int64") + low, high - 1), _named(dtype))


def categorical(logits, num_samples, dtype="int64", seed=None):
    """Places drawn by the logarithms of their odds: for each row of ``logits``, ``num_samples`` of them."""
    logits = _engine.detached(convert_to_tensor(logits)).astype("float64")
    unit = _unit([logits.shape[0], num_samples, logits.shape[-1]], _key(seed), "float64")
    noise = -qn.log(-qn.log(qn.clip(unit, 1e-300, 1.0 - 1e-16)))
    return convert_to_tensor(qn.argmax(logits[:, None, :] + noise, axis=-1), _named(dtype))


def dropout(inputs, rate, noise_shape=None, seed=None):
    """Each element 0 with probability ``rate``, all others divided by 1 - rate."""
    inputs = convert_to_tensor(inputs)
    if rate == 0.0:
        return inputs
    if rate >= 1.0:
        return inputs * 0
    sizes = inputs.shape if noise_shape is None else [m if n is None else n for n, m in zip(noise_shape, inputs.shape, strict=True)]
    keeps = _unit(_sizes(sizes), _key(seed), "float32") >= rate
    return qn.where(keeps, inputs * (1.0 / (1.0 - rate)), convert_to_tensor(0.0, inputs._dtype_name))


def shuffle(x, axis=0, seed=None):
    """The slices along an axis in random order."""
    x = convert_to_tensor(x)
    keys = _engine.array_random("random_bits", [x.shape[axis]], _key(seed), 0, "uint64", current_device())
    return qn.take(x, qn.argsort(keys), axis=axis)


def gamma(shape, alpha, dtype=None, seed=None):
    """Numbers of a gamma distribution of scale 1."""
    return convert_to_tensor(_generator(seed).gamma(_wide(alpha), size=tuple(_sizes(shape))), _dtype(dtype))


def binomial(shape, counts, probabilities, dtype=None, seed=None):
    """How many of ``counts`` trials succeed, each with a probability."""
    counts = convert_to_tensor(counts).astype("int64")
    return convert_to_tensor(_generator(seed).binomial(counts, _wide(probabilities), size=tuple(_sizes(shape))), _dtype(dtype))


def beta(shape, alpha, beta, dtype=None, seed=None):
    """Numbers of a beta distribution."""
    return convert_to_tensor(_generator(seed).beta(_wide(alpha), _wide(beta), size=tuple(_sizes(shape))), _dtype(dtype))


def _wide(x):
    return convert_to_tensor(x).astype("float64")


recording.note_functions(globals(), leave=("draw_seed", "make_default_seed", "global_seed_generator"), always=True)
