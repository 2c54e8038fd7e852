"""Interrupts reach the caller of fit(). Keras has places that catch every exception and go on; waits for the device, where Ctrl-C is
noticed, mostly lie in one of them. The first frame of an exception's traceback is the one that caught it.
"""

import functools
import os

import keras

from quern.lib import _engine

_KERAS = os.path.dirname(os.path.abspath(keras.__file__)) + os.sep

_engine.keep_interrupts()


def raise_swallowed():
    """Raises again what a handler of a signal raised in a wait, if Keras has caught it."""
    error = _engine.take_interrupt()
    if error is None or error.__traceback__ is None:
        return
    if error.__traceback__.tb_frame.f_code.co_filename.startswith(_KERAS):
        raise error


def to_the_caller(run):
    """A function that raises at its end what was swallowed in it."""

    @functools.wraps(run)
    def wrapped(*args, **kwargs):
        result = run(*args, **kwargs)
        raise_swallowed()
        return result

    return wrapped
