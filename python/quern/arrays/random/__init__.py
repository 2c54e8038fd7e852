"""numpy.random on arrays: the functions of the global state, and the generators of generator.py.

Distributions are NumPy's, values are not: they come from Philox4x32-10 and are the same on every device. Functions are faces of the
engine's table (bindings/faces/distributions.pyi), the methods of :class:`RandomState` on one state.
"""

import numpy

from quern.arrays import fallback
from quern.arrays.random.generator import Generator, Philox, RandomState  # noqa: F401
from quern.lib import _engine

_state = RandomState()
_engine.set_front_end("numpy", generator=_state)
_engine.add_functions(__name__, "RandomState", shown="quern.random", but=("tomaxint",), of_state=True)


def default_rng(seed=None):
    """A new generator of random numbers; ``seed`` (an int, ints, a SeedSequence) makes its numbers the same each time.

    A generator is given back as it is; a bit generator becomes a generator's. The values differ from NumPy's.

    >>> import quern as qn
    >>> a, b = qn.random.default_rng(3), qn.random.default_rng(3)
    >>> a.integers(0, 10) == b.integers(0, 10)
    array(True)
    """
    return seed if isinstance(seed, Generator) else Generator(seed)


def seed(seed=None):
    """Starts the numbers of the module's functions anew; see :meth:`RandomState.seed`."""
    _state.seed(seed)


def get_state(legacy=True):
    """What the numbers of the module's functions come from, for `set_state`: a dict."""
    return _state.get_state(legacy)


def set_state(state):
    """Goes back to a state of `get_state`."""
    _state.set_state(state)


def bytes(length):  # noqa: A001
    """So many random bytes, an object of Python's."""
    return _state.bytes(length)


def shuffle(x):
    """Puts ``x`` (an array, or a list) in another order along its first axis, in place."""
    _state.shuffle(x)


def __getattr__(name):
    return fallback.stand_in(numpy.random, name, __name__, "random.")
