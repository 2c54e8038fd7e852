"""cupy.random. The numbers are those that quern.random would draw from the same seed, not CuPy's: they come from Philox.

The functions of the module draw from one state, which get_random_state() gives.
"""

import os

import numpy

from quern.arrays import random as _random
from quern.cupy._array import ndarray as _ndarray
from quern.cupy._fallback import getter as _getter
from quern.cupy._names import RANDOM as _names


class Generator(_random.Generator):
    """See :class:`quern.random.Generator`; its arrays are CuPy's."""

    __slots__ = ()
    _kind = _ndarray


class RandomState(_random.RandomState):
    """See :class:`quern.random.RandomState`; its arrays are CuPy's. ``method`` is accepted and changes nothing."""

    __slots__ = ()
    _kind = _ndarray

    def __init__(self, seed=None, method=None):
        super().__init__(seed)


class BitGenerator(_random.Philox):
    """What generators draw their bits from; see :class:`quern.random.Philox`, which they all are."""

    __slots__ = ()


class XORWOW(BitGenerator):
    """Under CuPy's name; the bits come from Philox."""

    __slots__ = ()


class MRG32k3a(BitGenerator):
    """Under CuPy's name; the bits come from Philox."""

    __slots__ = ()


class Philox4x3210(BitGenerator):
    """Philox4x32-10; the bits are not in CuPy's order."""

    __slots__ = ()


def default_rng(seed=None):
    """A new generator of random numbers; see :func:`quern.random.default_rng`."""
    return seed if isinstance(seed, Generator) else Generator(seed)


_state = None


def _new_state():
    seed = os.environ.get("CUPY_SEED")
    return RandomState(None if seed is None else int(seed))


def get_random_state():
    """The RandomState that the functions of this module draw from."""
    global _state
    if _state is None:
        _state = _new_state()
    return _state


def set_random_state(rs):
    """Makes ``rs`` what the functions of this module draw from. Raises TypeError for what is no RandomState."""
    global _state
    if not isinstance(rs, RandomState):
        raise TypeError(f"Random state must be an instance of RandomState. Actual: {type(rs)}")
    _state = rs


def reset_states():
    """Starts anew, from a seed that nobody knows (or CUPY_SEED)."""
    global _state
    _state = None


def seed(seed=None):
    """Starts anew: the same ``seed`` gives the same numbers again."""
    get_random_state().seed(seed)


for _name in _names:
    if _name not in globals() and hasattr(RandomState, _name):
        globals()[_name] = _random._of_state(_name, get_random_state, "cupy.random")

__getattr__ = _getter(globals(), _names, _random, numpy.random, "cupy.random")
