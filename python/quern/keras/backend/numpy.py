"""keras.ops.numpy: NumPy's functions on quern's arrays, with Keras's result types.

All that compute are faces of the engine's table (bindings/faces/); view() comes from the text of Keras's backend on NumPy (_borrowed.py).
"""

import quern as qn
from quern.keras.backend import _borrowed, recording
from quern.keras.backend.core import convert_to_tensor
from quern.lib import _engine

_borrowed.names_of("numpy", globals())
_engine.add_functions(__name__, "keras")


# ---- shapes


def ndim(x):
    """How many axes there are."""
    return len(x.shape) if hasattr(x, "shape") else convert_to_tensor(x).ndim


def size(x):
    """How many elements there are."""
    return convert_to_tensor(x).size


def vectorize(pyfunc, *, excluded=None, signature=None):
    """A function that calls ``pyfunc`` for each element, or each part that the signature names."""
    from keras.src.backend.common.backend_utils import vectorize_impl

    def each(function, in_axes):
        def call(*args):
            args = [convert_to_tensor(x) for x in args]
            count = next(x.shape[0] for x, axis in zip(args, in_axes, strict=True) if axis is not None)
            made = [function(*(x if axis is None else x[i] for x, axis in zip(args, in_axes, strict=True))) for i in range(count)]
            return tree.map_structure(lambda *parts: qn.stack([convert_to_tensor(p) for p in parts]), *made)  # noqa: F821

        return call

    return vectorize_impl(pyfunc, each, excluded=excluded, signature=signature)


recording.note_functions(globals(), leave=("vectorize", "ndim", "size", "shape", "floatx", "epsilon"))
