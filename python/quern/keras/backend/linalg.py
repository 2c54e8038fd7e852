"""keras.ops.linalg: NumPy's linear algebra, on quern's arrays."""

from keras.src import tree

import quern as qn
from quern.keras.backend import _borrowed, recording
from quern.keras.backend.core import convert_to_tensor
from quern.lib import _engine

_borrowed.names_of("linalg", globals())
_engine.add_functions(__name__, "keras", "linalg")


def jvp(fun, primals, tangents, has_aux=False):
    """The result of a function and its derivative along tangents: what the tape gives is linear in what it is given for the results."""
    before = _engine.set_gradient_mode(True)
    try:
        inputs = tree.map_structure(_asking, tuple(primals))
        found = fun(*inputs)
        out, aux = found if has_aux else (found, None)
        results = [convert_to_tensor(x) for x in tree.flatten(out)]
        along = [qn.zeros_like(x) for x in results]
        real = [i for i, x in enumerate(results) if _engine.wants_gradient(x)]
        if real:
            given = [_asking(along[i]) for i in real]
            slopes = _engine.gradients(tuple(results[i] for i in real), tuple(given), tuple(tree.flatten(inputs)), True, True, True)
            pairs = zip(slopes, tree.flatten(tuple(tangents)), strict=True)
            total = sum((qn.sum(g * convert_to_tensor(t, g._dtype_name)) for g, t in pairs if g is not None), 0.0)
            made = _engine.gradients((total,), (None,), tuple(given), True, before, True)
            for i, one in zip(real, made, strict=True):
                along[i] = along[i] if one is None else one
    finally:
        _engine.set_gradient_mode(before)
    outer = before and any(isinstance(x, qn.ndarray) and _engine.wants_gradient(x) for x in tree.flatten((tuple(primals), tuple(tangents))))
    if not outer:
        results, along = [_engine.detached(x) for x in results], [_engine.detached(x) for x in along]
    made = tree.pack_sequence_as(out, results), tree.pack_sequence_as(out, along)
    return (*made, aux) if has_aux else made


def _asking(x):
    """A copy that asks for a gradient; of what does so already it is a part."""
    x = convert_to_tensor(x).copy()
    if not _engine.wants_gradient(x):
        _engine.want_gradient(x, True)
    return x


recording.note_functions(globals())
