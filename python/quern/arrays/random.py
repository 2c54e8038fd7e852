"""numpy.random on arrays. A function defined here is native; NumPy draws the others on the host and they are copied once."""

import numpy

from quern.arrays import fallback


class _Stateful:
    """An object of NumPy's that keeps a state, whose methods take and give arrays of ours."""

    __slots__ = ("_host",)
    _kind = None

    def __init__(self, host):
        self._host = host

    def __getattr__(self, name):
        value = getattr(self._host, name)
        return fallback.host_function(value, name, f"random.{type(self).__name__}.", self._kind) if callable(value) else value

    def __repr__(self):
        return repr(self._host)

    def __reduce__(self):
        return (type(self), (self._host,))


class Generator(_Stateful):
    """Random numbers: NumPy's Generator, see :func:`default_rng`. ``Generator(bit_generator)`` makes one of a bit generator."""

    __slots__ = ()

    def __init__(self, bit_generator):
        is_made = isinstance(bit_generator, numpy.random.Generator)
        super().__init__(bit_generator if is_made else numpy.random.Generator(bit_generator))

    def spawn(self, n_children):
        """A list of new generators, independent of this one."""
        return [type(self)(child) for child in self._host.spawn(n_children)]


class RandomState(_Stateful):
    """Random numbers in NumPy's older way. ``seed``: what it starts from."""

    __slots__ = ()

    def __init__(self, seed=None):
        super().__init__(seed if isinstance(seed, numpy.random.RandomState) else numpy.random.RandomState(seed))


def default_rng(seed=None):
    """A new generator of random numbers; ``seed`` (an int, ...) makes its numbers the same each time. A generator is given back.

    >>> default_rng(3).integers(0, 10) == numpy.random.default_rng(3).integers(0, 10)
    array(True)
    """
    return seed if isinstance(seed, Generator) else Generator(numpy.random.default_rng(seed))


fallback._pairs_of_types[numpy.random.Generator] = Generator
fallback._pairs_of_types[numpy.random.RandomState] = RandomState
__getattr__ = fallback.serve_module(globals(), numpy.random, "random.")
