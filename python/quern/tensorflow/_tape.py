"""tf.GradientTape and tf.Variable: the engine's tape records always, and a GradientTape says of what gradients are wanted."""

import contextlib

import keras
from keras.src import tree

from quern.keras.backend.core import Array, convert_to_tensor
from quern.lib import _engine


class Variable(keras.Variable):
    """A variable that is assigned to in place: ``assign()``, ``assign_add()``, ``numpy()``.

    Parameters: ``initial_value``: a tensor, an array, a number, or a function without arguments that gives one; ``trainable``: whether
    tapes follow it.
    """

    def __init__(self, initial_value=None, trainable=True, validate_shape=True, caching_device=None, name=None, dtype=None, **options):
        if callable(initial_value):
            initial_value = initial_value()
        value = convert_to_tensor(initial_value, dtype)
        kind = value._dtype_name
        super().__init__(value, dtype=kind, trainable=trainable and ("float" in kind or "complex" in kind), name=name)

    def read_value(self):
        """The value now, as a tensor of its own."""
        return self.value.copy()


class GradientTape:
    """Records what is computed while it lasts, to give gradients.

    Parameters: ``persistent``: gradient() may be called more than once; ``watch_accessed_variables``: accepted, variables are followed.

    >>> x = tf.Variable(3.0)                  # doctest: +SKIP
    >>> with tf.GradientTape() as tape:
    ...     y = x * x
    >>> tape.gradient(y, x).numpy()
    6.0
    """

    _active = []

    def __init__(self, persistent=False, watch_accessed_variables=True):
        self._persistent, self._used, self._watched = persistent, False, []

    def __enter__(self):
        self._before = _engine.set_gradient_mode(True)
        GradientTape._active.append(self)
        return self

    def __exit__(self, *error):
        GradientTape._active.remove(self)
        _engine.set_gradient_mode(self._before)

    def watch(self, tensor):
        """Follows tensors, as it does variables."""
        for x in tree.flatten(tensor):
            if isinstance(x, Array):
                self._watched.append(x)
                _engine.want_gradient(x, True)

    def watched_variables(self):
        """Not known: variables are followed without being noted."""
        raise NotImplementedError("GradientTape.watched_variables() is not served by quern; name the variables yourself")

    @contextlib.contextmanager
    def stop_recording(self):
        """While it lasts, nothing is recorded."""
        before = _engine.set_gradient_mode(False)
        try:
            yield
        finally:
            _engine.set_gradient_mode(before)

    def reset(self):
        """Forgets that gradient() was called."""
        self._used = False

    def gradient(self, target, sources, output_gradients=None, unconnected_gradients="none"):
        """The gradients of ``target`` (its elements' sum) with respect to ``sources``, in their structure; None where there is none."""
        if self._used and not self._persistent:
            raise RuntimeError("A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)")
        self._used = True
        targets = [convert_to_tensor(one) for one in tree.flatten(target)]
        given = [None] * len(targets) if output_gradients is None else [convert_to_tensor(g) for g in tree.flatten(output_gradients)]
        flat = [one for one in tree.flatten(sources)]
        arrays = [one._value if isinstance(one, keras.Variable) else convert_to_tensor(one) for one in flat]
        again = bool(GradientTape._active)  # another tape wants gradients of these
        used = [(t, g) for t, g in zip(targets, given, strict=True) if _engine.wants_gradient(t)]
        found = [None] * len(arrays)
        if used:
            ones = [_ones(t) if g is None else g for t, g in used]
            known = [i for i, a in enumerate(arrays) if _engine.wants_gradient(a)]
            made = _engine.gradients(
                tuple(t for t, _ in used), tuple(ones), tuple(arrays[i] for i in known), again or self._persistent, again, True
            )
            for i, g in zip(known, made, strict=True):
                found[i] = g
        if str(getattr(unconnected_gradients, "value", unconnected_gradients)).lower() == "zero":
            found = [a * 0 if g is None else g for a, g in zip(arrays, found, strict=True)]
        return tree.pack_sequence_as(sources, found) if tree.is_nested(sources) else found[0]


def _ones(x):
    import quern as qn

    return qn.ones(x.shape, dtype=x._dtype_name)
