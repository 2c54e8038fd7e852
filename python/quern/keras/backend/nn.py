"""keras.ops.nn: activations, losses, normalization, convolutions, pooling.

What is not defined here comes from the text of Keras's own backend on NumPy (_borrowed.py).
"""

from quern.keras.backend import _borrowed, _value_checks, recording
from quern.keras.backend.core import convert_to_tensor
from quern.lib import _engine

_borrowed.names_of("nn", globals())

_faces = _engine.add_functions(__name__, "keras", "nn")


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """-log(probability) of the class that each target names."""
    target, output = convert_to_tensor(target, "int32"), convert_to_tensor(output)
    cost = _faces["sparse_categorical_crossentropy"](target, output, from_logits, axis)
    classes = output.shape[axis]
    return _value_checks.unless(
        cost, target, 0, classes, f"Received a label value of {{}} which is outside the valid range of [0, {classes})"
    )


recording.note_functions(globals())
