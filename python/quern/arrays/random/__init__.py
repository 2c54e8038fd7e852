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
    """Return a new generator of random numbers.

    Parameters
    ----------
    seed : int, sequence of ints, numpy.random.SeedSequence, Philox or Generator, optional
        Seed, by which the generator repeats its values; a Generator is returned as it is. The values differ from NumPy's.

    Returns
    -------
    Generator
        The generator.

    Examples
    --------
    >>> import quern as qn
    >>> a, b = qn.random.default_rng(3), qn.random.default_rng(3)
    >>> a.integers(0, 10) == b.integers(0, 10)
    array(True)
    """
    return seed if isinstance(seed, Generator) else Generator(seed)


def seed(seed=None):
    """Restart the random numbers of the module's functions.

    Parameters
    ----------
    seed : int or sequence of ints, optional
        Seed, by which the numbers repeat; None draws one from the operating system.

    Raises
    ------
    ValueError
        For a seed outside of [0, 2**32).

    Examples
    --------
    >>> import quern as qn
    >>> qn.random.seed(3)
    """
    _state.seed(seed)


def get_state(legacy=True):
    """Return the state of the module's functions.

    Parameters
    ----------
    legacy : bool, optional
        Accepted for compatibility.

    Returns
    -------
    dict
        The state, for `set_state`.

    Examples
    --------
    >>> import quern as qn
    >>> state = qn.random.get_state()
    """
    return _state.get_state(legacy)


def set_state(state):
    """Restore the state of the module's functions.

    Parameters
    ----------
    state : dict
        Result of `get_state`.

    Examples
    --------
    >>> import quern as qn
    >>> state = qn.random.get_state()
    >>> x = qn.random.rand()
    >>> qn.random.set_state(state)
    >>> qn.random.rand() == x
    array(True)
    """
    _state.set_state(state)


def bytes(length):  # noqa: A001
    """Return random bytes.

    Parameters
    ----------
    length : int
        Number of bytes.

    Returns
    -------
    bytes
        The bytes.

    Examples
    --------
    >>> import quern as qn
    >>> len(qn.random.bytes(3))
    3
    """
    return _state.bytes(length)


def shuffle(x):
    """Shuffle an array or a list along its first axis, in place.

    Parameters
    ----------
    x : Array or list
        Array or list that is changed.

    Examples
    --------
    >>> import quern as qn
    >>> x = qn.arange(3)
    >>> qn.random.shuffle(x)
    """
    _state.shuffle(x)


def __getattr__(name):
    return fallback.stand_in(numpy.random, name, __name__, "random.")
