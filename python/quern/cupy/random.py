"""cupy.random. The numbers are those that quern.random draws, not CuPy's."""

import numpy

from quern.arrays import random as _random
from quern.cupy._array import ndarray as _ndarray
from quern.cupy._fallback import getter as _getter
from quern.cupy._fallback import of_ours as _of_ours
from quern.cupy._names import RANDOM as _names


class Generator(_random.Generator):
    """See :class:`quern.random.Generator`; its arrays are CuPy's."""

    __slots__ = ()
    _kind = _ndarray


class RandomState(_random.RandomState):
    """See :class:`quern.random.RandomState`; its arrays are CuPy's."""

    __slots__ = ()
    _kind = _ndarray


def default_rng(seed=None):
    """A new generator of random numbers; see :func:`quern.random.default_rng`."""
    return seed if isinstance(seed, Generator) else Generator(seed)


for _name in _names:
    if hasattr(vars(_random).get(_name), "__quern_host__"):
        globals()[_name] = _of_ours(vars(_random)[_name])

__getattr__ = _getter(globals(), _names, _random, numpy.random, "cupy.random")
