"""What stands in TensorFlow 2 for names of TensorFlow 1 that quern does not have, for errors."""

_AT_ONCE = "TensorFlow 2 computes at once: call functions with values, without sessions and placeholders"
_LEAVE_OUT = "leave the line out: TensorFlow 2 does not need it"
_RENAMED = {
    **dict.fromkeys(("InteractiveSession", "Session", "placeholder", "get_default_graph", "reset_default_graph"), _AT_ONCE),
    **dict.fromkeys(
        "disable_eager_execution disable_v2_behavior enable_eager_execution enable_v2_behavior global_variables_initializer "
        "initialize_all_variables".split(),
        _LEAVE_OUT,
    ),
    "get_variable": "write tf.Variable",
    "layers": "write tf.keras.layers",
    "losses": "write tf.keras.losses",
    "metrics": "write tf.keras.metrics",
    "train": "write tf.keras.optimizers",
    "app": "call main() yourself",
    "ceil": "write tf.math.ceil",
    "div": "write tf.divide",
    "log": "write tf.math.log",
    "random_normal": "write tf.random.normal",
    "random_uniform": "write tf.random.uniform",
    "set_random_seed": "write tf.random.set_seed",
    "to_float": "write tf.cast(x, tf.float32)",
    "truncated_normal": "write tf.random.truncated_normal",
}


def in_version_2(name):
    """Return what to write in place of a name of TensorFlow 1; "" where nothing is known."""
    return _RENAMED.get(name, "")
