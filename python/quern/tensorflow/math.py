"""tf.math: functions of elements and reductions."""

import keras

from quern.tensorflow import _functions
from quern.tensorflow._functions import _same

for (
    _name
) in """add subtract multiply divide maximum minimum square sqrt exp abs sign floor round sin cos tan tanh sigmoid equal not_equal less
less_equal greater greater_equal logical_and logical_or logical_not cumsum argmax argmin pow acos asin atan reduce_sum reduce_mean
reduce_max reduce_min reduce_prod reduce_any reduce_all reduce_logsumexp reduce_std reduce_variance add_n""".split():
    globals()[_name] = getattr(_functions, _name)
for (
    _name
) in "log log1p expm1 ceil cosh sinh arctan2 rsqrt erf logical_xor mod floor_divide reciprocal softplus isnan isinf isfinite".split():
    if hasattr(keras.ops, _name):
        globals()[_name] = _same(_name)
is_nan, is_inf, is_finite, floormod, floordiv, atan2, divide_no_nan = (
    _same("is_nan", "isnan"),
    _same("is_inf", "isinf"),
    _same("is_finite", "isfinite"),
    _same("floormod", "mod"),
    _same("floordiv", "floor_divide"),
    _same("atan2", "arctan2"),
    _same("divide_no_nan"),
)


def top_k(input, k=1, sorted=True, name=None):
    """The k largest elements along the last axis, and their places."""
    return keras.ops.top_k(input, k, sorted)


def __getattr__(name):
    raise AttributeError(f"tensorflow.math.{name} is not served by quern; use keras.ops")
