"""tf.errors: what functions of tf raise for bad values beside Python's own errors."""


class OpError(Exception):
    """Any of them."""


class InvalidArgumentError(OpError, ValueError):
    """A value that the function does not take."""


class OutOfRangeError(OpError, IndexError):
    """There is no more."""


def __getattr__(name):
    raise AttributeError(f"tensorflow.errors.{name} is not served by quern, which raises Python's errors, and InvalidArgumentError")
