"""A small part of TensorFlow's names, for programs that train Keras models with them: what `import tensorflow` means under `quern run`.

Tensors are quern's arrays. ``tf.keras`` is Keras itself, on quern's backend. config: which devices there are. _tape: gradients. data:
datasets. Other names raise AttributeError and say what to use. This front end is for the user's own files: installed packages that ask for
TensorFlow find that it is not there.
"""

import builtins as _builtins
import contextlib as _contextlib
import enum as _enum
import functools as _functools
import logging as _logging
import sys as _sys

from keras.src.backend.common import dtypes as _dtypes
from keras.src.legacy import backend as _legacy_backend
from keras.src.legacy import layers as _legacy_layers

import quern.keras  # noqa: F401, I001  (Keras takes quern's backend)
from quern.keras import backend as _backend
from quern.lib import _engine
from quern.tensorflow import (  # noqa: F401
    _legacy,
    _tensors,
    compat,
    config,
    data,
    debugging,
    dtypes,
    errors,
    linalg,
    math,
    nn,
    random,
    test,
)
from quern.tensorflow._control import *  # noqa: F403
from quern.tensorflow._control import NAMES as _control
from quern.tensorflow._functions import *  # noqa: F403
from quern.tensorflow._functions import NAMES as _functions
from quern.tensorflow._gathering import IndexedSlices
from quern.tensorflow._shapes import TensorShape
from quern.tensorflow._signatures import Signature as _Signature
from quern.tensorflow._specs import TensorSpec, type_spec_from_value
from quern.tensorflow._tape import GradientTape, Variable
from quern.tensorflow._tape import read_all as _read_all
from quern.tensorflow._version_1 import in_version_2 as _in_version_2
from quern.tensorflow.debugging import assert_equal, assert_greater, assert_less, assert_rank


class UnconnectedGradients(_enum.Enum):
    """What GradientTape.gradient() gives for sources that the target does not depend on."""

    NONE = "none"
    ZERO = "zero"


class Module:
    """What owns variables: attributes that are variables, modules, or lists and dictionaries of them."""

    def __init__(self, name=None):
        self._name = name or type(self).__name__.lower()

    @property
    def name(self):
        """The name."""
        return self._name

    def _parts(self, wanted):
        found = {}

        def look(one):
            if isinstance(one, wanted):
                found.setdefault(id(one), one)
            if isinstance(one, Module):
                for name in sorted(vars(one)):
                    look(vars(one)[name])
            elif isinstance(one, (list, tuple)):
                for part in one:
                    look(part)
            elif isinstance(one, dict):
                for name in sorted(one, key=str):
                    look(one[name])
            elif hasattr(one, "weights") and wanted is Variable.__base__:  # a layer
                for part in one.weights:
                    found.setdefault(id(part), part)

        for name in sorted(vars(self)):
            look(vars(self)[name])
        return tuple(found.values())

    @property
    def variables(self):
        """The variables of it and of its parts."""
        return self._parts(Variable.__base__)

    @property
    def trainable_variables(self):
        """Those that tapes follow."""
        return tuple(v for v in self.variables if v._trainable)

    @property
    def non_trainable_variables(self):
        """Those that tapes do not follow."""
        return tuple(v for v in self.variables if not v._trainable)

    @property
    def submodules(self):
        """The modules in it."""
        return self._parts(Module)


__version__ = "2.20.0"  # whose behaviour is the model

# As Keras has it on TensorFlow: 64 bits are kept.
_dtypes.BIT64_TO_BIT32_DTYPE.update(int64="int64", float64="float64", complex128="complex128")
_dtypes.PYTHON_DTYPES_MAP.update({int: "int64", "int": "int64", _builtins.complex: "complex128"})

Tensor = _backend.core.Array
_engine.set_keras_quotients(wide=True)  # of integers of 32 and 64 bits, as TensorFlow divides them
_tensors.install()
_backend._value_checks.error = errors.InvalidArgumentError
# Keras's functions of `tf.keras.backend` are TensorFlow's; Keras itself goes on without it.
_legacy_backend.tf = _legacy_layers.tf = _legacy
_legacy.tensorflow = _sys.modules[__name__]
dtypes.cast, dtypes.complex, dtypes.saturate_cast = cast, complex, saturate_cast  # noqa: F405

# Names of Keras's that TensorFlow has, too.
_KERAS = {
    "initializers": "initializers",
    "losses": "losses",
    "metrics": "metrics",
    "nest": "tree",
    "optimizers": "optimizers",
    "constant_initializer": "initializers.Constant",
    "ones_initializer": "initializers.Ones",
    "random_normal_initializer": "initializers.RandomNormal",
    "random_uniform_initializer": "initializers.RandomUniform",
    "zeros_initializer": "initializers.Zeros",
}

__all__ = [
    "GradientTape",
    "IndexedSlices",
    "Module",
    "Tensor",
    "TensorShape",
    "TensorSpec",
    "UnconnectedGradients",
    "assert_equal",
    "assert_greater",
    "assert_less",
    "assert_rank",
    "autograph",
    "compat",
    "Variable",
    "config",
    "data",
    "debugging",
    "device",
    "dtypes",
    "errors",
    "function",
    "get_logger",
    "linalg",
    "math",
    "nn",
    "random",
    "test",
    "type_spec_from_value",
    "version",
    *_control,
    *_functions,
]


def get_logger():
    """Return the logger "tensorflow", for programs that set its level."""
    return _logging.getLogger("tensorflow")


class autograph:  # noqa: N801
    """Accepted: functions run as Python."""

    @staticmethod
    def set_verbosity(level, alsologtostdout=False):
        """Accepted; it changes nothing."""

    class experimental:  # noqa: N801
        """Decorators that return the function."""

        @staticmethod
        def do_not_convert(func=None):
            """The function itself."""
            return func if func is not None else lambda function: function


class version:  # noqa: N801
    """The version whose behaviour is the model."""

    VERSION = GIT_VERSION = __version__


def function(func=None, input_signature=None, **options):
    """Return ``func`` as a function that returns tensors in place of variables. Work is compiled anyway; other options change nothing.

    Parameters
    ----------
    func : callable, optional
        Function; without it a decorator is returned.
    input_signature : tuple or list of TensorSpec, optional
        The specs of the arguments, to which those of each call are converted.
    **options
        Accepted for compatibility.

    Returns
    -------
    callable
        Function, or a decorator.

    Raises
    ------
    TypeError
        If the specs do not fit the parameters, or the arguments of a call do not fit the specs.

    Examples
    --------
    >>> import quern.keras
    >>> import quern.tensorflow as tf
    >>> @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    ... def doubled(x):
    ...     return x * 2
    >>> doubled([1, 2]).numpy()
    array([2., 4.], dtype=float32)
    """
    if func is None:
        return _functools.partial(function, input_signature=input_signature, **options)
    signature = None if input_signature is None else _Signature(func, input_signature)

    @_functools.wraps(func)
    def call(*args, **kwargs):
        if signature is not None:
            args, kwargs = signature.bound(args, kwargs)
        return _read_all(func(*args, **kwargs))

    call.input_signature = None if signature is None else signature.specs
    return call


@_contextlib.contextmanager
def device(name):
    """While it lasts, new tensors are made on a device: "/CPU:0", "/GPU:0", "cpu". A GPU that is missing is replaced by a device that is
    there, unless ``tf.config.set_soft_device_placement(False)``."""
    with _backend.core.device_scope(config._placed(name)):
        yield


def _keras():
    """Keras as TensorFlow has it: with its older names, such as keras.losses.mae and keras.preprocessing.text."""
    import keras._tf_keras.keras as keras

    return keras


def __getattr__(name):
    if name == "keras":
        return _keras()
    if name in _KERAS:
        keras = _keras()
        part, _, what = _KERAS[name].partition(".")
        return getattr(getattr(keras, part), what) if what else getattr(keras, part)
    if instead := _in_version_2(name):
        raise AttributeError(f"tensorflow.{name} is a TensorFlow 1 API, which quern does not support; {instead}")
    raise AttributeError(
        f"tensorflow.{name} is not supported by quern, which implements the subset of TensorFlow around tf.keras; use keras.ops or numpy "
        "for it, or run the program with Python and TensorFlow itself"
    )


_INSTEAD = {"compat": "write `import tensorflow as tf`, names of TensorFlow 2, and no sessions"}  # for imports of parts


def __dir__():
    return sorted([*__all__, "keras"])
