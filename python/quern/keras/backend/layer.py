"""What layers derive from besides Keras's own class: it counts the attributes that programs set, for recorded steps (replay.py)."""

from keras.src.utils.tracking import Tracker

_NOTHING = object()
_PLAIN = (int, float, complex, str, bytes, set, frozenset)
# What fit() and evaluate() themselves keep on a model.
_OF_TRAINING = frozenset(
    "stop_training history train_function test_function predict_function _eval_epoch_iterator _initial_epoch _programs".split()
)


class Changes:
    """How often an attribute of a layer, a model or an optimizer got another value, in this process."""

    count = 0


class Counted:
    """What counts in :class:`Changes`."""

    def __setattr__(self, name, value):
        before = self.__dict__.get(name, _NOTHING)
        if before is not value and name not in _OF_TRAINING and not (isinstance(value, _PLAIN) and before == value):
            Changes.count += 1
        super().__setattr__(name, value)


# Modules of Keras's layers whose functions the backend does not have.
_LAYERS = "keras.src.layers."
_UNSUPPORTED = tuple(_LAYERS + one for one in ("convolutional.", "pooling.base_pooling", "pooling.base_adaptive_pooling"))


class _Tracker(Tracker):
    """Notes a layer's state; once the layer is built, a variable of TensorFlow's is an attribute like others, as for Keras itself."""

    def add_to_store(self, store_name, value):
        if not (self.locked and getattr(value, "is_untracked_late", False)):
            super().add_to_store(store_name, value)


class QuernLayer(Counted):
    """A layer's variables hold arrays, and calls are Keras's."""

    def __new__(cls, *args, **kwargs):
        """Refuse layers that would fail at their first call where the program makes them."""
        if any(base.__module__.startswith(_UNSUPPORTED) for base in cls.__mro__):
            raise NotImplementedError(
                f"[keras.layers.{cls.__name__}] convolutions and pooling are not supported by the quern backend; docs/keras.md lists what "
                "is. Use Flatten and Dense layers, or another backend (KERAS_BACKEND)"
            )
        return super().__new__(cls)

    def _setattr_hook(self, name, value):
        if name == "_tracker":
            value = _Tracker(value.config, value.exclusions)
        return super()._setattr_hook(name, value)
