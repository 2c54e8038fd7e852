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


class _Tracker(Tracker):
    """Notes a layer's state; once the layer is built, a variable of TensorFlow's is an attribute like others, as for Keras itself."""

    def add_to_store(self, store_name, value):
        if not (self.locked and getattr(value, "is_untracked_late", False)):
            super().add_to_store(store_name, value)


class QuernLayer(Counted):
    """A layer's variables hold arrays, and calls are Keras's."""

    def _setattr_hook(self, name, value):
        if name == "_tracker":
            value = _Tracker(value.config, value.exclusions)
        return super()._setattr_hook(name, value)
