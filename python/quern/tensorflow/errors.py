"""tf.errors: what functions of tf raise for bad values beside Python's own errors."""

import functools

import numpy as np


class OpError(Exception):
    """Any of them."""

    def __init__(self, *args):
        super().__init__(*args)
        self.message = str(args[-1]) if args else ""
        self.node_def = self.op = None


class InvalidArgumentError(OpError, ValueError):
    """A value that the function does not take."""


class OutOfRangeError(OpError, IndexError):
    """There is no more."""


class NotFoundError(OpError, FileNotFoundError):
    """A file, or a name, that does not exist."""


class UnimplementedError(OpError, NotImplementedError):
    """What quern does not have."""


class ResourceExhaustedError(OpError, MemoryError):
    """There is not enough memory."""


class FailedPreconditionError(OpError, RuntimeError):
    """What the state of an object does not allow."""


def checked(function):
    """Return a function whose errors of values and places are InvalidArgumentErrors."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except OpError:
            raise
        except (ValueError, IndexError, np.linalg.LinAlgError) as e:
            raise InvalidArgumentError(f"[tf.{function.__name__}] {e}") from None

    return call


def __getattr__(name):
    raise AttributeError(f"tensorflow.errors.{name} is not supported by quern, which raises Python's errors, and InvalidArgumentError")
