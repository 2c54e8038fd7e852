"""cupy.random. The numbers are those that quern.random would draw from the same seed, not CuPy's: they come from Philox.

The functions of the module draw from one state, which get_random_state() gives. Its distributions, and those of a Generator, take the
type of their results as ``dtype``.
"""

import hashlib
import os

import numpy

from quern.arrays import random as _random
from quern.arrays.random.generator import _bits_of
from quern.cupy._array import ndarray as _ndarray
from quern.lib import _engine


class Generator(_random.Generator):
    """Random numbers of a source of bits; see :class:`quern.random.Generator`, with CuPy's arrays.

    Parameters
    ----------
    bit_generator : BitGenerator
        Source of bits.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.random.default_rng(1).integers(0, 10, 3).shape
    (3,)
    """

    __slots__ = ()
    _kind = _ndarray

    def __init__(self, bit_generator):
        if not isinstance(bit_generator, (_random.Philox, numpy.random.BitGenerator)):
            raise TypeError(f"a Generator requires a bit generator, such as XORWOW(seed), not {bit_generator!r}")
        super().__init__(bit_generator)


class RandomState(_random.RandomState):
    """Random numbers of a seed; see :class:`quern.random.RandomState`, with CuPy's arrays.

    Parameters
    ----------
    seed : int, optional
        Seed; None takes one from the system.
    method : int, optional
        Accepted for compatibility.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.random.RandomState(1).rand(2).shape
    (2,)
    """

    __slots__ = ()
    _has_short_seeds = False
    _kind = _ndarray

    def __init__(self, seed=None, method=None):
        super().__init__(_seed_of(seed))

    def seed(self, seed=None):
        """Set the seed.

        Parameters
        ----------
        seed : int or numpy.ndarray, optional
            Seed, from 0 to 2**64 - 1; None takes one from the system.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> state = cp.random.RandomState(0)
        >>> a = state.rand(2)
        >>> state.seed(0)
        >>> bool((a == state.rand(2)).all())
        True
        """
        super().seed(_seed_of(seed))


def _seed_of(given):
    if given is None or isinstance(given, _random.Philox) or isinstance(given, int) and 0 <= given < 1 << 64:
        return given
    if isinstance(given, numpy.ndarray):
        return int.from_bytes(hashlib.md5(numpy.ascontiguousarray(given), usedforsecurity=False).digest()[:8], "big")
    if not isinstance(given, int | numpy.integer | numpy.bool_):
        raise TypeError(f"Seed must be an integer or a NumPy array, not {type(given).__name__}")
    if not 0 <= int(given) < 1 << 64:
        raise ValueError(f"Seed must be an integer between 0 and 2**64 - 1, not {given}")
    return int(given)


for _class in (Generator, RandomState):
    _engine.add_methods(_class, _engine.functions_of(f"Cupy{_class.__name__}", __name__, _class.__name__))


class BitGenerator(_random.Philox):
    """Source of random bits; all of them are :class:`quern.random.Philox`.

    Parameters
    ----------
    seed : int, optional
        Seed; None takes one from the system.
    size : int, optional
        Accepted for compatibility.
    key : int, optional
        Key of Philox, instead of a seed.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.random.Generator(cp.random.XORWOW(1)).random(2).shape
    (2,)
    """

    __slots__ = ()

    def __init__(self, seed=None, *, size=-1, key=None):
        super().__init__(seed, key=key)

    def random_raw(self, size=None):
        """Return random integers of 64 bits.

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape; None returns one integer.

        Returns
        -------
        int or ndarray
            Integers.
        """
        out = super().random_raw(size)
        return out if size is None else out._as(_ndarray)


class XORWOW(BitGenerator):
    """Source of random bits under CuPy's name; the bits come from Philox.

    Parameters
    ----------
    seed : int, optional
        Seed; None takes one from the system.
    size : int, optional
        Accepted for compatibility.
    key : int, optional
        Key of Philox, instead of a seed.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.random.Generator(cp.random.XORWOW(1)).random(2).shape
    (2,)
    """

    __slots__ = ()


class MRG32k3a(BitGenerator):
    """Source of random bits under CuPy's name; the bits come from Philox.

    Parameters
    ----------
    seed : int, optional
        Seed; None takes one from the system.
    size : int, optional
        Accepted for compatibility.
    key : int, optional
        Key of Philox, instead of a seed.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.random.Generator(cp.random.MRG32k3a(1)).random(2).shape
    (2,)
    """

    __slots__ = ()


class Philox4x3210(BitGenerator):
    """Source of random bits: Philox4x32-10; the bits are not in CuPy's order.

    Parameters
    ----------
    seed : int, optional
        Seed; None takes one from the system.
    size : int, optional
        Accepted for compatibility.
    key : int, optional
        Key of Philox, instead of a seed.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.random.Generator(cp.random.Philox4x3210(1)).random(2).shape
    (2,)
    """

    __slots__ = ()


def default_rng(seed=None):
    """Return a generator of random numbers; a generator is returned as it is.

    Parameters
    ----------
    seed : int, array_like of ints, SeedSequence, BitGenerator or Generator, optional
        Seed of the numbers; None takes one from the operating system.

    Returns
    -------
    Generator
        Its methods, such as `random`, `integers` and `standard_normal`, return arrays on the current device.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.random.default_rng(0).random((2, 3)).shape
    (2, 3)
    """
    return seed if isinstance(seed, Generator) else Generator(_bits_of(seed))


def get_random_state():
    """Return the RandomState from which the functions of this module draw.

    Returns
    -------
    RandomState
        State.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> type(cp.random.get_random_state()).__name__
    'RandomState'
    """
    return _state


def set_random_state(rs):
    """Set the RandomState from which the functions of this module draw.

    Parameters
    ----------
    rs : RandomState
        State.

    Raises
    ------
    TypeError
        For an object that is no RandomState.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.random.set_random_state(cp.random.RandomState(1))
    """
    global _state
    if not isinstance(rs, RandomState):
        raise TypeError(f"Random state must be an instance of RandomState. Actual: {type(rs)}")
    _state = rs
    _engine.set_front_end("cupy", generator=rs)


def reset_states():
    """Set a new seed: one of the system, or the environment variable CUPY_SEED.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.random.reset_states()
    """
    seed = os.environ.get("CUPY_SEED")
    set_random_state(RandomState(None if seed is None else int(seed)))


def seed(seed=None):
    """Set the seed of the random numbers of the current device.

    Parameters
    ----------
    seed : int, optional
        Seed; None takes one from the system.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.random.seed(0)
    >>> a = cp.random.rand(2)
    >>> cp.random.seed(0)
    >>> bool((a == cp.random.rand(2)).all())
    True
    """
    _state.seed(seed)


def bytes(length):  # noqa: A001
    """Return random bytes.

    Parameters
    ----------
    length : int
        Number of bytes.

    Returns
    -------
    bytes
        Bytes.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> len(cp.random.bytes(4))
    4
    """
    return _state.bytes(length)


def shuffle(a):
    """Shuffle an array along its first axis, in place.

    Parameters
    ----------
    a : ndarray
        Array.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> a = cp.arange(4)
    >>> cp.random.shuffle(a)
    >>> cp.sort(a)
    array([0, 1, 2, 3])
    """
    _state.shuffle(a)


reset_states()
_engine.add_functions(__name__, "CupyRandomState", but=("tomaxint",), of_state=True)


def __getattr__(name):
    why = ": quern does not support it" if not name.startswith("_") and hasattr(numpy.random, name) else ""
    raise AttributeError(f"module 'cupy.random' has no attribute {name!r}{why}")
