"""tf.compat: the few names of TensorFlow 1 that programs for TensorFlow 2 begin with."""

import logging as _logging
import sys as _sys

from quern.tensorflow import random as _random
from quern.tensorflow._version_1 import in_version_2


class _Logging:
    """The levels of messages; quern writes none, so that setting them changes nothing."""

    DEBUG, INFO, WARN, WARNING, ERROR, FATAL = 10, 20, 30, 30, 40, 50

    @staticmethod
    def set_verbosity(level):
        """Set the level of the logger "tensorflow"."""
        _logging.getLogger("tensorflow").setLevel(level)


class _Names:
    logging = _Logging
    set_random_seed = staticmethod(_random.set_seed)

    def __getattr__(self, name):
        instead = in_version_2(name)
        if not instead and not name.startswith("_") and hasattr(_sys.modules["quern.tensorflow"], name):
            instead = f"write tf.{name}"
        said = instead or "use tf's own names or Keras's"
        raise AttributeError(f"tensorflow.compat.v1.{name} is not supported by quern: it is TensorFlow 1's; {said}")


v1 = _Names()


def __getattr__(name):
    raise AttributeError(f"tensorflow.compat.{name} is not supported by quern; use tf's own names or Keras's")
