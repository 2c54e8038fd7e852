"""Generators of random numbers: each draw is Philox4x32-10 of a key and of the number's place in the stream, so that draws are rows
of the ops table, fuse with what uses them, and are the same on every device. What generators draw are faces of the engine's table
(bindings/faces/distributions.pyi); here is where their numbers come from. __init__.py has the functions and the older interface.

A draw of ``n`` numbers takes the next ``n`` places of the stream. Distributions that reject turn an element's 64 bits into a stream of
its own (quern/random.cuh).
"""

import inspect
import math
import operator
import threading

import numpy

from quern.arrays import fallback
from quern.arrays.core import Array, _shape, asnumpy
from quern.device import current_device as _device
from quern.lib import _engine

_FULL = 1 << 64


def _words(number):
    """An int, or ints, as words of 32 bits."""
    if isinstance(number, str):
        number = int(number, 16 if number.startswith("0x") else 10)
    if not isinstance(number, (int, numpy.integer)):
        return [word for part in number for word in _words(part)]
    number = int(number)
    return [number >> 32 * n & 0xFFFFFFFF for n in range(max(1, -(-number.bit_length() // 32)))]


def _key_of(seed_seq):
    """The first 64 bits that a seed sequence gives; the engine mixes the words of NumPy's own."""
    if type(seed_seq) is not numpy.random.SeedSequence or seed_seq.pool_size != 4:
        return int(seed_seq.generate_state(1, numpy.uint64)[0])
    words = _words(seed_seq.entropy)
    if seed_seq.spawn_key:
        words += [0] * (4 - len(words)) + _words(seed_seq.spawn_key)
    return _engine.random_key(words)


class Philox:
    """Bit generator Philox4x32-10: a function of a key and of each number's index in the stream.

    Parameters
    ----------
    seed : int, sequence of ints or numpy.random.SeedSequence, optional
        Seed; None draws one from the operating system.
    key : int, optional
        Key below 2**64, instead of a seed.

    Examples
    --------
    >>> import quern as qn
    >>> qn.random.Philox(key=0).random_raw()
    16242730742183356629
    """

    __slots__ = ("_stream", "lock", "seed_seq")

    def __init__(self, seed=None, *, key=None):
        self.seed_seq = None
        if key is None:
            self.seed_seq = seed if hasattr(seed, "generate_state") else numpy.random.SeedSequence(seed)
            key = _key_of(self.seed_seq)
        self._stream = _engine.RandomStream(operator.index(key) % _FULL)
        self.lock = threading.RLock()

    _key = property(lambda self: self._stream.key)

    def _take(self, count):
        """The place of the first of ``count`` numbers, which are then gone."""
        return self._stream.take(count % _FULL)

    @property
    def state(self):
        """The start of the stream and the position in it, as a dict that can be assigned.

        Examples
        --------
        >>> import quern as qn
        >>> bits = qn.random.Philox(key=1)
        >>> state = bits.state
        >>> first = int(bits.random_raw())
        >>> bits.state = state
        >>> int(bits.random_raw()) == first
        True
        """
        return {"bit_generator": "Philox4x32", "state": {"key": self._stream.key, "counter": self._stream.place}}

    @state.setter
    def state(self, value):
        if not isinstance(value, dict):
            raise TypeError("state must be a dict")
        if value.get("bit_generator") != "Philox4x32":
            raise ValueError("state must be for a Philox4x32 RNG")
        self._stream = _engine.RandomStream(*(operator.index(value["state"][name]) % _FULL for name in ("key", "counter")))

    def advance(self, delta):
        """Skip numbers of the stream.

        Parameters
        ----------
        delta : int
            How many numbers to skip.

        Returns
        -------
        Philox
            This object.

        Examples
        --------
        >>> import quern as qn
        >>> a, b = qn.random.Philox(key=1), qn.random.Philox(key=1)
        >>> skipped = a.random_raw(2)
        >>> a.random_raw() == b.advance(2).random_raw()
        True
        """
        self._take(operator.index(delta))
        return self

    def jumped(self, jumps=1):
        """Return a copy whose position is 2**48 numbers further for each jump.

        Parameters
        ----------
        jumps : int, optional
            How many jumps.

        Returns
        -------
        Philox
            Copy; this object stays as it is.

        Examples
        --------
        >>> import quern as qn
        >>> bits = qn.random.Philox(key=1)
        >>> bits.jumped().random_raw() == bits.random_raw()
        False
        """
        place = (self._stream.place + (operator.index(jumps) << 48)) % _FULL
        return _restored(type(self), self.seed_seq, self._stream.key, place)

    def spawn(self, n_children):
        """Return new bit generators whose streams are independent of this one and of each other.

        Parameters
        ----------
        n_children : int
            How many.

        Returns
        -------
        list of Philox
            New bit generators.

        Raises
        ------
        TypeError
            For a generator that was made of a key.

        Examples
        --------
        >>> import quern as qn
        >>> len(qn.random.Philox(7).spawn(3))
        3
        """
        if self.seed_seq is None:
            raise TypeError("The underlying SeedSequence does not implement spawning.")
        return [type(self)(child) for child in self.seed_seq.spawn(n_children)]

    def random_raw(self, size=None):
        """Return random bits as unsigned 64-bit integers.

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result; None returns one int.

        Returns
        -------
        int or numpy.ndarray
            Of dtype uint64.

        Examples
        --------
        >>> import quern as qn
        >>> qn.random.Philox(key=1).random_raw(3).shape
        (3,)
        """
        shape = [] if size is None else _shape(size)
        out = _engine.array_random("random_bits", shape, self._key, self._take(math.prod(shape)), "uint64", _device())
        return int(out) if size is None else out

    def __reduce__(self):
        return (_restored, (type(self), self.seed_seq, self._stream.key, self._stream.place))


def _restored(kind, seed_seq, key, counter):
    out = kind(key=key)
    out.seed_seq, out._stream.place = seed_seq, counter
    return out


def _bits_of(seed):
    """A bit generator of ours for whatever default_rng() takes."""
    if isinstance(seed, Philox):
        return seed
    if isinstance(seed, numpy.ndarray) and seed.ndim == 0:
        seed = seed[()]
    if isinstance(seed, Draws):
        return seed._bits
    if isinstance(seed, (numpy.random.Generator, numpy.random.RandomState)):
        seed = seed.bit_generator if isinstance(seed, numpy.random.Generator) else seed._bit_generator
    if isinstance(seed, numpy.random.BitGenerator):
        return Philox(key=int(seed.random_raw()) ^ int(seed.random_raw()) << 32)
    return Philox(seed)


class Draws:
    """What :class:`Generator` and :class:`RandomState` share beside the faces."""

    __slots__ = ("_bits",)
    _kind = None  # the type of its arrays, where that is a front end's

    def bytes(self, length):
        """Return ``length`` random bytes, as bytes."""
        return asnumpy(self._bits.random_raw((length + 7) // 8)).astype("<u8").tobytes()[:length]

    def _shuffle(self, x, axis):
        if isinstance(x, Array):
            if x.ndim == 0:
                raise TypeError("x must be an array of at least one dimension")
            x[...] = Generator.permutation(self, x, axis)
            return
        order = asnumpy(Generator.permutation(self, len(x)))
        if isinstance(x, numpy.ndarray):
            x[...] = numpy.take(x, order if axis == 0 else asnumpy(Generator.permutation(self, x.shape[axis])), axis)
        else:
            if axis != 0:
                raise NotImplementedError("Axis argument is only supported on ndarray objects")
            x[:] = [x[n] for n in order]

    def draw_on_host(self, name, args, kwargs):
        """A draw that NumPy makes, with a generator of its own that starts from the next number of the stream."""
        bits = self._bits
        host = numpy.random.Generator(numpy.random.PCG64(numpy.random.SeedSequence([bits._key, bits._take(1)])))
        given = inspect.signature(getattr(type(self), name)).bind(self, *args, **kwargs).arguments
        del given["self"]
        dtype = given.pop("dtype", None)
        drawn = fallback.run(f"random.{type(self).__name__}.{name}", getattr(host, name), (), given, kind=self._kind)
        return drawn if dtype is None else drawn.astype(dtype)

    def __reduce__(self):
        return (type(self), (self._bits,))

    def __repr__(self):
        return f"{type(self).__name__}(Philox4x32) at 0x{id(self):X}"

    def __str__(self):
        return f"{type(self).__name__}(Philox4x32)"


class Generator(Draws):
    """Random numbers with the methods of numpy.random.Generator.

    The distributions are NumPy's, the values are not: they come from Philox4x32-10, are the same on the CPU and on GPUs (integers
    and uniform numbers bit for bit), and each is computed where it is used.

    Parameters
    ----------
    bit_generator : Philox or seed, optional
        Bit generator, or the seed of a new one.

    Examples
    --------
    >>> import quern as qn
    >>> qn.random.Generator(qn.random.Philox(3)).random(2).shape
    (2,)
    """

    __slots__ = ()

    def __init__(self, bit_generator=None):
        self._bits = _bits_of(bit_generator)

    @property
    def bit_generator(self):
        """The `Philox` that the numbers come from; its ``state`` can be read and assigned.

        Examples
        --------
        >>> import quern as qn
        >>> type(qn.random.default_rng(7).bit_generator).__name__
        'Philox'
        """
        return self._bits

    @bit_generator.setter
    def bit_generator(self, value):
        if not isinstance(value, Philox):
            raise TypeError(f"the bit generator must be a quern bit generator, not {type(value).__name__}")
        self._bits = value

    def spawn(self, n_children):
        """Return new generators whose numbers are independent of this one and of each other.

        Parameters
        ----------
        n_children : int
            How many.

        Returns
        -------
        list of Generator
            New generators.

        Examples
        --------
        >>> import quern as qn
        >>> len(qn.random.default_rng(7).spawn(2))
        2
        """
        return [type(self)(child) for child in self._bits.spawn(n_children)]

    def shuffle(self, x, axis=0):
        """Shuffle an array or a list in place.

        Parameters
        ----------
        x : Array or list
            Array or list that is changed.
        axis : int, optional
            Axis along which the slices are shuffled.

        Examples
        --------
        >>> import quern as qn
        >>> x = qn.arange(4)
        >>> qn.random.default_rng(7).shuffle(x)
        >>> sorted(x.tolist())
        [0, 1, 2, 3]
        """
        self._shuffle(x, axis)


class RandomState(Draws):
    """Random numbers with the methods of numpy.random.RandomState; the values are those of :class:`Generator`.

    Parameters
    ----------
    seed : int or sequence of ints, optional
        Seed; None draws one from the operating system.

    Examples
    --------
    >>> import quern as qn
    >>> qn.random.RandomState(3).rand(2).shape
    (2,)
    """

    __slots__ = ()
    _has_short_seeds = True  # words of 32 bits, as NumPy's

    def __init__(self, seed=None):
        self.seed(seed)

    def seed(self, seed=None):
        """Restart the stream: equal seeds give equal numbers.

        Parameters
        ----------
        seed : int or sequence of ints, optional
            Seed, below 2**32; None draws one from the operating system.

        Raises
        ------
        ValueError
            For a number that is negative or not below 2**32.

        Examples
        --------
        >>> import quern as qn
        >>> state = qn.random.RandomState(3)
        >>> first = state.rand()
        >>> state.seed(3)
        >>> bool(state.rand() == first)
        True
        """
        if self._has_short_seeds and isinstance(seed, (int, numpy.integer, list, tuple, numpy.ndarray)):
            words = numpy.asarray(seed, object)
            if any(isinstance(word, (int, numpy.integer)) and not 0 <= word < 1 << 32 for word in words.flat):
                raise ValueError("Seed must be between 0 and 2**32 - 1")
        self._bits = _bits_of(seed)

    def get_state(self, legacy=True):
        """Return the state of the generator.

        Parameters
        ----------
        legacy : bool, optional
            Accepted for compatibility.

        Returns
        -------
        dict
            State for `set_state`.

        Examples
        --------
        >>> import quern as qn
        >>> state = qn.random.RandomState(3).get_state()
        """
        return self._bits.state

    def set_state(self, state):
        """Restore a state that `get_state` returned.

        Parameters
        ----------
        state : dict
            State.

        Examples
        --------
        >>> import quern as qn
        >>> numbers = qn.random.RandomState(3)
        >>> state = numbers.get_state()
        >>> first = numbers.rand()
        >>> numbers.set_state(state)
        >>> bool(numbers.rand() == first)
        True
        """
        bits = Philox(key=0)
        bits.state = state
        self._bits = bits

    def shuffle(self, x):
        """Shuffle an array or a list along its first axis, in place.

        Parameters
        ----------
        x : Array or list
            Array or list that is changed.

        Examples
        --------
        >>> import quern as qn
        >>> x = [1, 2, 3]
        >>> qn.random.RandomState(3).shuffle(x)
        >>> sorted(x)
        [1, 2, 3]
        """
        self._shuffle(x, 0)


for _kind_of_state in (Generator, RandomState):
    _engine.add_methods(_kind_of_state, _engine.functions_of(_kind_of_state.__name__, "quern.random", _kind_of_state.__name__))

fallback._pairs_of_types[numpy.random.Generator] = Generator
fallback._pairs_of_types[numpy.random.RandomState] = RandomState
