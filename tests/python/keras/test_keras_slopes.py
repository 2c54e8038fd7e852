"""Gradients of keras.ops at NaN and at zeros, where they are those of Keras on JAX."""

import math

import numpy as np
import pytest
import quern.autograd as autograd
from keras_oracle import needs_keras

needs_keras()

import quern.keras as keras  # noqa: E402

ops, nan, inf = keras.ops, math.nan, math.inf
VALUES = {"n": [1.0, nan, 2.0], "m": [nan, 1.0, nan, 0.0], "f": [inf, -1.0, nan], "z": [0.0, 2.0, -1.0]}
# From JAX 0.10: the gradient of the sum of what the call returns.
SLOPES = """
ops.max(x) | n [nan, nan, nan] | m [nan, nan, nan, nan] | z [0, 1, 0]
ops.amin(x, axis=-1) | n [nan, nan, nan] | z [0, 0, 1]
ops.median(x) | n [0, 0, 0] | m [0, 0, 0, 0] | z [1, 0, 0]
ops.median(x, axis=-1) | f [0, 0, 0]
ops.quantile(x, 0.4) | n [0, 0, 0] | m [0, 0, 0, 0]
ops.quantile(x, 0.4, method="lower") | n [0, 0, 0] | f [0, 0, 0]
ops.quantile(x, [0.1, 0.9], axis=-1) | n [0, 0, 0]
ops.nanmedian(x) | n [0.5, 0, 0.5]
ops.prod(x) | n [nan, 2, nan] | m [nan, nan, nan, nan] | f [nan, nan, -inf] | z [-2, 0, 0]
ops.maximum(x, 1.0) | n [0.5, 0, 1] | m [0, 0.5, 0, 0] | f [1, 0, 0]
ops.minimum(x, 1.0) | n [0.5, 0, 0] | m [0, 0.5, 0, 1]
ops.clip(x, 0.5, 1.5) | n [1, 0, 0] | m [0, 1, 0, 0]
ops.abs(x) | n [1, -1, 1] | z [1, 1, -1]
abs(x) | z [1, 1, -1]
ops.norm(x, ord=inf) | n [nan, nan, nan] | z [0, 1, 0]
"""
CASES = [(call, *part.split(" ", 1)) for call, *parts in (line.split(" | ") for line in SLOPES.strip().splitlines()) for part in parts]


@pytest.mark.parametrize(("call", "name", "wanted"), CASES, ids=lambda text: text.strip())
def test_slopes_at_corners(device, call, name, wanted):
    x = autograd.requires_grad(ops.convert_to_tensor(np.array(VALUES[name], "float32")))
    slope = autograd.gradients(ops.sum(eval(call)), [x])[0]
    assert np.array_equal(ops.convert_to_numpy(slope), np.array(eval(wanted), "float32"), equal_nan=True)
