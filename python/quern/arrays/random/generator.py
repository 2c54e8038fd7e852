"""Generators of random numbers: each draw is Philox4x32-10 of a key and of the number's place in the stream, so that draws are rows
of the ops table, fuse with what uses them, and are the same on every device. __init__.py has the functions and the older interface.

A draw of ``n`` numbers takes the next ``n`` places of the stream. Distributions that reject turn an element's 64 bits into a stream of
its own (quern/random.cuh).
"""

import builtins
import math
import operator
import threading

import numpy

from quern.arrays import core, fallback
from quern.arrays.core import Array, _axis, _dtype_name, _shape, asarray, asnumpy
from quern.arrays.functions import functions
from quern.arrays.mathematics import isnan, log, where
from quern.device import current_device as _device
from quern.lib import _engine

_FULL = 1 << 64


def _device_of(values):
    return next((core._device_of(value) for value in values if isinstance(value, Array)), None) or _device()


def _here(*values):
    """While it lasts, new arrays are made where the first array among the values is."""
    number = next((v._device_number for v in values if isinstance(v, Array)), None)
    return fallback._on_device(number)


def _order_of(keys, axis):
    """The places of the keys from the smallest on."""
    with _here(keys):
        return functions["argsort"](keys, axis=axis)


def _words(number):
    """An int, or ints, as words of 32 bits."""
    if isinstance(number, str):
        number = int(number, 16 if number.startswith("0x") else 10)
    if not isinstance(number, (int, numpy.integer)):
        return [word for part in number for word in _words(part)]
    number = int(number)
    return [number >> 32 * n & 0xFFFFFFFF for n in range(builtins.max(1, -(-number.bit_length() // 32)))]


def _key_of(seed_seq):
    """The first 64 bits that a seed sequence gives; the engine mixes the words of NumPy's own."""
    if type(seed_seq) is not numpy.random.SeedSequence or seed_seq.pool_size != 4:
        return int(seed_seq.generate_state(1, numpy.uint64)[0])
    words = _words(seed_seq.entropy)
    if seed_seq.spawn_key:
        words += [0] * (4 - len(words)) + _words(seed_seq.spawn_key)
    return _engine.random_key(words)


class Philox:
    """What a generator draws its bits from: Philox4x32-10, a function of a key and of each number's place in the stream.

    Parameters: ``seed``: None for one that nobody knows, an int, a sequence of ints, or a numpy.random.SeedSequence; ``key``: an int
    below 2^64 in place of it. ``state``: a dict that can be read and set.

    >>> Philox(key=0).random_raw()
    16243180062042122453
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
        """What the stream starts from and how far it is: a dict."""
        return {"bit_generator": "Philox4x32", "state": {"key": self._stream.key, "counter": self._stream.place}}

    @state.setter
    def state(self, value):
        if not isinstance(value, dict):
            raise TypeError("state must be a dict")
        if value.get("bit_generator") != "Philox4x32":
            raise ValueError("state must be for a Philox4x32 RNG")
        self._stream = _engine.RandomStream(*(operator.index(value["state"][name]) % _FULL for name in ("key", "counter")))

    def advance(self, delta):
        """Leaves out ``delta`` numbers; returns this object."""
        self._take(operator.index(delta))
        return self

    def jumped(self, jumps=1):
        """A copy that is 2^48 * ``jumps`` numbers further."""
        place = (self._stream.place + (operator.index(jumps) << 48)) % _FULL
        return _restored(type(self), self.seed_seq, self._stream.key, place)

    def spawn(self, n_children):
        """A list of new bit generators, independent of this one. Raises TypeError when it was made of a key."""
        if self.seed_seq is None:
            raise TypeError("The underlying SeedSequence does not implement spawning.")
        return [type(self)(child) for child in self.seed_seq.spawn(n_children)]

    def random_raw(self, size=None):
        """64 bits, an int; or an array of ``size`` of them."""
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
    """The distributions, for :class:`Generator` and :class:`RandomState`."""

    __slots__ = ("_bits",)
    _kind = None  # the type of its arrays, where that is a door's

    # ---- the start of all

    def _give(self, array):
        return array if self._kind is None else array._as(self._kind)

    def _draw(self, op, shape, dtype, like=()):
        bits = self._bits
        return _engine.array_random(op, shape, bits._key, bits._take(math.prod(shape)), dtype, _device_of(like))

    def _unit(self, shape, dtype="float64", like=()):
        """In [0, 1)."""
        seeds = self._draw("random_bits", shape, "uint64", like)
        name = "random_unit32" if dtype == "float32" else "random_unit"
        return _engine.array_op(name, seeds, compute="uint64", result=dtype)

    def _open(self, shape, dtype="float64", like=()):
        """In (0, 1]."""
        return 1 - self._unit(shape, dtype, like)

    def _normal(self, shape, dtype="float64", like=()):
        return self._draw("random_normal32" if dtype == "float32" else "random_normal", shape, dtype, like)

    def _seeded(self, op, shape, *values):
        """A distribution that rejects; its values are float64."""
        seeds = self._draw("random_bits", shape, "uint64", values)
        return _engine.array_op(f"random_{op}", seeds, *values, compute="float64", result="float64")

    @staticmethod
    def _parameters(size, *values, not_negative=()):
        """The shape of the result, and the parameters as numbers or float64 arrays; ValueError for those named that are negative."""
        out = []
        with _here(*values):
            for value in values:
                is_array = isinstance(value, Array) or numpy.ndim(value)
                out.append(asarray(value).astype(float, copy=False) if is_array else float(value))
        for name, value in zip(not_negative, out, strict=False):
            if name and numpy.any((asnumpy(value) if isinstance(value, Array) else numpy.asarray(value)) < 0):
                raise ValueError(f"{name} < 0")
        shapes = [v.shape for v in out if isinstance(v, Array)]
        broadcast = numpy.broadcast_shapes(*shapes)
        shape = list(broadcast) if size is None else _shape(size)
        if builtins.any(n < 0 for n in shape):
            raise ValueError("negative dimensions are not allowed")
        if size is not None and numpy.broadcast_shapes(broadcast, tuple(shape)) != tuple(shape):
            raise ValueError(f"Output size {tuple(shape)} is not compatible with broadcast dimensions of inputs {broadcast}.")
        return shape, *out

    def _put(self, values, out):
        if out is None:
            return self._give(values)
        out[...] = values
        return out

    # ---- numbers in an interval

    def _integers(self, low, high, size, dtype, endpoint):
        """In [low, high), or [low, high] for ``endpoint``."""
        kind = numpy.dtype(dtype)
        if kind.kind not in "biu":
            raise TypeError(f"Unsupported dtype {kind!r} for integers")
        if not kind.isnative:
            raise ValueError("Providing a dtype with a non-native byteorder is not supported; convert it with newbyteorder('=')")
        if high is None:
            low, high = 0, low
        like = (low, high)
        least, most = (0, 1) if kind.kind == "b" else (int(numpy.iinfo(kind).min), int(numpy.iinfo(kind).max))
        first, last = (asnumpy(v) if isinstance(v, Array) else v for v in like)
        is_plain = numpy.ndim(first) == numpy.ndim(last) == 0
        if not is_plain:
            first, last = (numpy.asarray(v) for v in (first, last))
            if first.dtype.kind == "f" or last.dtype.kind == "f":
                first, last = (numpy.vectorize(int, otypes=[object])(v) for v in (first, last))
            first, last = first.astype(object), last.astype(object)
        else:
            first, last = int(first), int(last)
        last = last if endpoint else last - 1
        if numpy.any(first < least):
            raise ValueError(f"low is out of bounds for {kind.name}")
        if numpy.any(last > most):
            raise ValueError(f"high is out of bounds for {kind.name}")
        if numpy.any(first > last):
            raise ValueError(
                "low > high" if endpoint else "low >= high" if is_plain and first else "high <= 0" if is_plain else "low >= high"
            )
        shape = list(numpy.broadcast_shapes(numpy.shape(first), numpy.shape(last))) if size is None else _shape(size)
        if builtins.any(n < 0 for n in shape):
            raise ValueError("negative dimensions are not allowed")
        if is_plain:
            range = (last - first + 1) % _FULL
            start = first % _FULL
        else:
            if size is not None and numpy.broadcast_shapes(first.shape, last.shape, tuple(shape)) != tuple(shape):
                raise ValueError(f"Output size {tuple(shape)} is not compatible with broadcast dimensions of inputs")
            range = asarray(numpy.asarray((last - first + 1) % _FULL).astype(numpy.uint64))
            start = asarray(numpy.asarray(first % _FULL).astype(numpy.uint64))
        seeds = self._draw("random_bits", shape, "uint64", like)
        out = _engine.array_op("random_below", seeds, range, compute="uint64", result="uint64")
        if not (is_plain and start == 0):
            out = _engine.array_op("add", out, start, compute="uint64", result="uint64")
        return self._give(out.astype(_dtype_name(kind), copy=False))

    def bytes(self, length):
        """So many random bytes, an object of Python's."""
        words = asnumpy(self._draw("random_bits", [(length + 7) // 8], "uint64"))
        return words.astype("<u8").tobytes()[:length]

    # ---- picking

    def _choice(self, a, size, replace, p, axis, shuffle):
        is_number = not isinstance(a, Array) and numpy.ndim(a) == 0
        if is_number:
            count = operator.index(a)
            if count <= 0 and (size is None or math.prod(_shape(size)) != 0):
                raise ValueError("a must be a positive integer unless no samples are taken")
        else:
            a = asarray(a)
            axis = _axis(axis, a.ndim)
            count = a.shape[axis]
            if count == 0 and (size is None or math.prod(_shape(size)) != 0):
                raise ValueError("a cannot be empty unless no samples are taken")
        shape = [] if size is None else _shape(size)
        like = (a, p)
        if p is not None:
            p = self._probabilities(p, count)
        if replace:
            picks = self._integers(0, builtins.max(count, 1), shape, "int64", False) if p is None else self._weighted(p, shape, like)
        else:
            wanted = math.prod(shape)
            if wanted > count:
                raise ValueError("Cannot take a larger sample than population when replace is False")
            keys = self._draw("random_bits", [count], "uint64", like)
            if p is not None:
                if numpy.count_nonzero(p) < wanted:
                    raise ValueError("Fewer non-zero entries in p than size")
                # The first of exponential clocks that tick at the rates p.
                with numpy.errstate(divide="ignore"):
                    rates = asarray(1 / p)
                keys = -log(1 - _engine.array_op("random_unit", keys, compute="uint64", result="float64") + 2.0**-60) * rates
                keys = where(isnan(keys), math.inf, keys)
            picks = _order_of(keys, 0)[:wanted].reshape(shape)
        picks = picks.astype("int64", copy=False)
        if is_number:
            return self._give(picks)
        key = (slice(None),) * axis + (picks,)
        return self._give(a[key])

    @staticmethod
    def _probabilities(p, count):
        p = numpy.asarray(asnumpy(p) if isinstance(p, Array) else p, dtype=float)
        if p.ndim != 1:
            raise ValueError("p must be 1-dimensional")
        if p.size != count:
            raise ValueError("a and p must have same size")
        if numpy.isnan(p).any():
            raise ValueError("Probabilities contain NaN")
        if (p < 0).any():
            raise ValueError("Probabilities are not non-negative")
        if builtins.abs(math.fsum(p) - 1) > 1e-8:
            raise ValueError("Probabilities do not sum to 1. See Notes section of docstring for more information.")
        return p

    @staticmethod
    def _aliases(p):
        """Walker's alias method: how likely each pick is kept, and what stands beside it."""
        scaled = p * (p.size / p.sum())
        keep, beside = numpy.ones(p.size), numpy.arange(p.size)
        small, large = (list(numpy.flatnonzero(scaled < 1)), list(numpy.flatnonzero(scaled >= 1)))
        while small and large:
            few, many = small.pop(), large[-1]
            keep[few], beside[few] = scaled[few], many
            scaled[many] -= 1 - scaled[few]
            if scaled[many] < 1:
                small.append(large.pop())
        for few in small:  # what rounding left over
            if p[few] == 0:
                keep[few], beside[few] = 0, int(numpy.argmax(p))
        return keep, beside

    def _weighted(self, p, shape, like):
        """Places of ``p``, each as likely as it says: one, all alike, or what stands beside it."""
        keep, beside = self._aliases(p)
        picks = _engine.array_op(
            "random_below", self._draw("random_bits", shape, "uint64", like), p.size, compute="uint64", result="uint64"
        )
        picks = picks.astype("int64")
        return where(self._unit(shape, like=like) < asarray(keep)[picks], picks, asarray(beside)[picks])

    def _permutation(self, x, axis):
        if not isinstance(x, Array) and numpy.ndim(x) == 0:
            count = builtins.max(operator.index(x), 0)
            return self._give(_order_of(self._draw("random_bits", [count], "uint64"), 0).astype("int64", copy=False))
        x = asarray(x)
        axis = _axis(axis, x.ndim)
        order = _order_of(self._draw("random_bits", [x.shape[axis]], "uint64", (x,)), 0)
        return self._give(x[(slice(None),) * axis + (order,)])

    def _shuffle(self, x, axis):
        if isinstance(x, Array):
            if x.ndim == 0:
                raise TypeError("x must be an array of at least one dimension")
            x[...] = self._permutation(x, axis)
            return
        order = asnumpy(self._permutation(len(x), 0))
        if isinstance(x, numpy.ndarray):
            x[...] = numpy.take(x, order if axis == 0 else asnumpy(self._permutation(x.shape[axis], 0)), axis)
        else:
            if axis != 0:
                raise NotImplementedError("Axis argument is only supported on ndarray objects")
            x[:] = [x[n] for n in order]

    # ---- what NumPy draws

    @property
    def _host(self):
        """A generator of NumPy's that starts from the next number of the stream."""
        bits = self._bits
        return numpy.random.Generator(numpy.random.PCG64(numpy.random.SeedSequence([bits._key, bits._take(1)])))

    def _on_host(self, name, *args, **kwargs):
        return fallback.run(f"random.{type(self).__name__}.{name}", getattr(self._host, name), args, kwargs, kind=self._kind)

    def __getattr__(self, name):
        if name.startswith("_") or not callable(getattr(numpy.random.Generator, name, None)):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

        def call(*args, **kwargs):
            return self._on_host(name, *args, **kwargs)

        call.__name__ = call.__qualname__ = name
        call.__doc__ = getattr(numpy.random.Generator, name).__doc__
        call.__quern_host__ = getattr(numpy.random.Generator, name)
        return call

    def __reduce__(self):
        return (type(self), (self._bits,))

    def __repr__(self):
        return f"{type(self).__name__}(Philox4x32) at 0x{id(self):X}"

    def __str__(self):
        return f"{type(self).__name__}(Philox4x32)"


class Generator(Draws):
    """Random numbers with the methods of numpy.random.Generator; see :func:`quern.random.default_rng`.

    The distributions are NumPy's, the numbers are not: they come from Philox4x32-10, are the same on the CPU and on GPUs (integers
    and uniform numbers bit for bit), and each is computed where it is used. Parameters: ``bit_generator``: see :class:`Philox`.
    """

    __slots__ = ()

    def __init__(self, bit_generator=None):
        self._bits = _bits_of(bit_generator)

    @property
    def bit_generator(self):
        """What the numbers are drawn from, a :class:`Philox`; its ``state`` can be read and set."""
        return self._bits

    @bit_generator.setter
    def bit_generator(self, value):
        if not isinstance(value, Philox):
            raise TypeError(f"the bit generator must be one of quern's, not {type(value).__name__}")
        self._bits = value

    def spawn(self, n_children):
        """A list of new generators, independent of this one."""
        return [type(self)(child) for child in self._bits.spawn(n_children)]

    def integers(self, low, high=None, size=None, dtype=int, endpoint=False):
        """Integers in [low, high), each as likely; in [0, low) without ``high``; ``high`` too with ``endpoint``.

        Limits may be arrays. Raises ValueError for limits that ``dtype`` does not hold or that leave nothing.
        """
        with _here(low, high):
            return self._integers(low, high, size, dtype, endpoint)

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        """Picks of an array along ``axis``, or of range(a).

        Parameters: ``replace``: may one be picked again? ``p``: how likely each is, by default all alike; ``shuffle`` changes
        nothing, picks have no order. Raises ValueError for ``p`` that are no probabilities, or more picks than there are.
        """
        with _here(a, p):
            return self._choice(a, size, replace, p, axis, shuffle)

    def permutation(self, x, axis=0):
        """A copy of ``x`` in another order along ``axis``; of an int, range(x) in another order."""
        return self._permutation(x, axis)

    def shuffle(self, x, axis=0):
        """Puts ``x`` (an array, or a list) in another order along ``axis``, in place."""
        self._shuffle(x, axis)

    def permuted(self, x, *, axis=None, out=None):
        """A copy of ``x`` in which each line along ``axis`` has an order of its own; all elements by default."""
        x = asarray(x)
        flat = x.reshape(-1) if axis is None else x
        axis = 0 if axis is None else _axis(axis, x.ndim)
        order = _order_of(self._draw("random_bits", list(flat.shape), "uint64", (x,)), axis)
        with _here(x):
            shapes = [[-1 if d == e else 1 for e in range(flat.ndim)] for d in range(flat.ndim)]
            places = [asarray(numpy.arange(n).reshape(shape)) for n, shape in zip(flat.shape, shapes, strict=True)]
        places[axis] = order
        made = flat[tuple(places)].reshape(x.shape)
        return self._put(made, out)


class RandomState(Draws):
    """Random numbers with the methods of numpy.random.RandomState; see :class:`Generator` for what they are. ``seed``: see `seed`."""

    __slots__ = ()
    _has_short_seeds = True  # words of 32 bits, as NumPy's

    def __init__(self, seed=None):
        self.seed(seed)

    def seed(self, seed=None):
        """Starts anew: the same ``seed`` (an int, ints, None for any) gives the same numbers again."""
        if self._has_short_seeds and isinstance(seed, (int, numpy.integer, list, tuple, numpy.ndarray)):
            words = numpy.asarray(seed, object)
            if any(isinstance(word, (int, numpy.integer)) and not 0 <= word < 1 << 32 for word in words.flat):
                raise ValueError("Seed must be between 0 and 2**32 - 1")
        self._bits = _bits_of(seed)

    def get_state(self, legacy=True):
        """What the numbers come from, for `set_state`: a dict."""
        return self._bits.state

    def set_state(self, state):
        """Goes back to a state of `get_state`."""
        bits = Philox(key=0)
        bits.state = state
        self._bits = bits

    def randint(self, low, high=None, size=None, dtype=int):
        """Integers in [low, high), each as likely; in [0, low) without ``high``."""
        with _here(low, high):
            return self._integers(low, high, size, dtype, False)

    def random_integers(self, low, high=None, size=None):
        """Integers in [low, high]; in [1, low] without ``high``."""
        return self._integers(1 if high is None else low, low if high is None else high, size, int, True)

    def tomaxint(self, size=None):
        """Integers from 0 to the largest int64."""
        return self._integers(0, (1 << 63) - 1, size, int, True)

    def choice(self, a, size=None, replace=True, p=None):
        """Picks of a vector, or of range(a); see :meth:`Generator.choice`. Raises ValueError for more dimensions."""
        if not (isinstance(a, Array) or numpy.ndim(a)) or asarray(a).ndim == 1:
            with _here(a, p):
                return self._choice(a, size, replace, p, 0, True)
        raise ValueError("a must be 1-dimensional")

    def permutation(self, x):
        """A copy of ``x`` in another order along its first axis; of an int, range(x) in another order."""
        return self._permutation(x, 0)

    def shuffle(self, x):
        """Puts ``x`` (an array, or a list) in another order along its first axis, in place."""
        self._shuffle(x, 0)


# Most distributions are faces of the engine's (bindings/faces/distributions.pyi).
for _kind_of_state in (Generator, RandomState):
    for _name, _method in _engine.functions_of(_kind_of_state.__name__, "quern.random", _kind_of_state.__name__).items():
        setattr(_kind_of_state, _name, _method)

fallback._pairs_of_types[numpy.random.Generator] = Generator
fallback._pairs_of_types[numpy.random.RandomState] = RandomState
