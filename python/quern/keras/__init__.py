"""Keras on quern: importing this makes quern the backend of the installed Keras 3, whose layers, losses, callbacks and files then work.

>>> import quern.keras                       # doctest: +SKIP
>>> import keras
>>> keras.backend.backend()
'quern'

The same happens where the environment variable KERAS_BACKEND is "quern", and for `import keras` under `quern run`. The names of Keras are
here, too: ``quern.keras.layers`` is ``keras.layers``. How Keras comes to know a backend that it has no word of: ../keras_hook.py. What
the backend consists of: backend/__init__.py.
"""

from quern import keras_hook

keras_hook.use()

import keras as _keras  # noqa: E402


def __getattr__(name):
    return getattr(_keras, name)


def __dir__():
    return sorted({*globals(), *dir(_keras)})
