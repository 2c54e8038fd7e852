"""TensorFlow as the functions of `tf.keras.backend` use it: tf's names, and those of TensorFlow 1 that they call."""

import types

import keras

from quern.tensorflow import _control as control
from quern.tensorflow import _functions
from quern.tensorflow.math import in_top_k


class SparseTensor:
    """No tensor is sparse."""


SparseTensorSpec = RaggedTensor = TensorArray = SparseTensor


class _ResizeMethod:
    AREA, BICUBIC, BILINEAR, GAUSSIAN = "area", "bicubic", "bilinear", "gaussian"
    LANCZOS3, LANCZOS5, MITCHELLCUBIC, NEAREST_NEIGHBOR = "lanczos3", "lanczos5", "mitchellcubic", "nearest"


def _resize(images, size, method="bilinear", **options):
    return keras.ops.image.resize(images, tuple(int(n) for n in size), interpolation=method, data_format="channels_last")


def _gather(params, indices, axis=0, **options):
    return _functions.gather(params, indices, axis=axis)


def _pad(tensor, paddings, mode="CONSTANT", name=None, constant_values=0):
    return _functions.pad(tensor, paddings, mode, constant_values)


def _gradients(ys, xs, **options):
    raise NotImplementedError("tf.keras.backend.gradients() needs TensorFlow 1's graphs; use tf.GradientTape")


image = types.SimpleNamespace(resize=_resize, ResizeMethod=_ResizeMethod)
compat = types.SimpleNamespace(
    v1=types.SimpleNamespace(
        assign=lambda ref, value: ref.assign(value),
        assign_add=lambda ref, value: ref.assign_add(value),
        assign_sub=lambda ref, value: ref.assign_sub(value),
        boolean_mask=_functions.boolean_mask,
        cond=control.cond,
        foldl=control.foldl,
        foldr=control.foldr,
        gather=_gather,
        gather_nd=_functions.gather_nd,
        gradients=_gradients,
        map_fn=control.map_fn,
        math=types.SimpleNamespace(in_top_k=lambda predictions, targets, k: in_top_k(targets, predictions, k)),
        pad=_pad,
        random_normal_initializer=lambda mean=0.0, stddev=1.0, seed=None, dtype=None: keras.initializers.RandomNormal(mean, stddev, seed),
        random_uniform_initializer=lambda minval=0, maxval=1, seed=None, dtype=None: keras.initializers.RandomUniform(minval, maxval, seed),
        scan=control.scan,
        where=_functions.where,
        while_loop=control.while_loop,
    )
)


tensorflow = None  # the package, when it is there


def __getattr__(name):
    return getattr(tensorflow, name)
