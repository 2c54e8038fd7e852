"""CUDARuntimeError, and the engine's errors as that: what runtime.py, device.py and stream.py raise."""

import contextlib
import functools

from quern import errors as _errors
from quern.cupy.cuda._constants import ERRORS as _errors_of_cuda


class CUDARuntimeError(RuntimeError):
    """A call failed; ``status`` is CUDA's number for why."""

    def __init__(self, status, message=None):
        self.status = int(status)
        name, text = _errors_of_cuda.get(self.status, ("cudaErrorUnknown", "unknown error"))
        super().__init__(f"{name}: {message or text}")

    def __reduce__(self):
        return (type(self), (self.status,))


def check_status(status):
    """Raises CUDARuntimeError unless ``status`` is 0."""
    if status != 0:
        raise CUDARuntimeError(status)


@contextlib.contextmanager
def _as_runtime_errors():
    """Turns the engine's errors into CUDARuntimeError."""
    try:
        yield
    except _errors.OutOfMemoryError as error:
        raise CUDARuntimeError(2, str(error)) from error
    except _errors.LaunchError as error:
        raise CUDARuntimeError(719, str(error)) from error
    except (_errors.LogicError, _errors.RuntimeError) as error:
        not_ready = "before the event was reached" in str(error)
        raise CUDARuntimeError(600 if not_ready else 1, str(error)) from error


def _call(function):
    """The function, whose errors are CUDARuntimeError."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        with _as_runtime_errors():
            return function(*args, **kwargs)

    return call


CUDARuntimeError.__module__ = check_status.__module__ = "quern.cupy.cuda.runtime"
