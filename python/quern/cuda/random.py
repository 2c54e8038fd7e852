"""numba.cuda.random: random numbers in kernels, xoroshiro128+ (Blackman and Vigna) with a state for each thread.

A state is two numbers of 64 bits. Its sequence starts where splitmix64 leads from the seed; that of thread i is 2**64 * i steps further.
Kernels see states as an array of uint64 with two columns; the functions of kernels below are compiled like the user's own. Steps are
linear over bits, so far jumps are matrices.
"""

from __future__ import annotations

import functools
import math

import numpy

from quern.arrays import core as _core
from quern.arrays.creation import empty as _empty
from quern.cuda import config  # noqa: F401
from quern.cuda.decorators import jit  # noqa: F401
from quern.cuda.ndarray import DeviceNDArray
from quern.cuda.numpy_support import from_dtype
from quern.kernel.dispatcher import DeviceFunction
from quern.kernel.types import float32, float64, int64, uint32, uint64  # noqa: F401

xoroshiro128p_dtype = numpy.dtype([("s0", numpy.uint64), ("s1", numpy.uint64)], align=True)
HAS_NUMBA = True
TWO_PI_FLOAT32 = numpy.float32(2 * math.pi)
TWO_PI_FLOAT64 = numpy.float64(2 * math.pi)
_MASK = 2**64 - 1


class RandomStates(DeviceNDArray):
    """States on the device, one for each thread: what ``create_xoroshiro128p_states`` returns and kernels are given.

    On the host it is an array of ``xoroshiro128p_dtype``; in a kernel it has two columns of uint64.
    """

    __slots__ = ()

    shape = property(lambda self: (len(self),), doc="(the number of states,)")
    dtype = property(lambda self: xoroshiro128p_dtype)
    size = property(lambda self: len(self))
    ndim = property(lambda self: 1)

    def copy_to_host(self, ary=None, stream=0):
        """The states as a NumPy array of ``xoroshiro128p_dtype``, or in ``ary``, which is returned."""
        host = _core.asnumpy(self._as(DeviceNDArray)).view(xoroshiro128p_dtype).reshape(-1)
        if ary is None:
            return host
        ary[...] = host
        return ary

    def copy_to_device(self, ary, stream=0):
        """Takes the states of ``ary``, an array of ``xoroshiro128p_dtype`` of the same length."""
        host = ary.copy_to_host() if isinstance(ary, RandomStates) else numpy.ascontiguousarray(ary, xoroshiro128p_dtype)
        if host.shape != self.shape:
            raise ValueError(f"[copy] the shapes differ: {self.shape} on the device, {host.shape}")
        self._as(DeviceNDArray).copy_to_device(host.view(numpy.uint64).reshape(-1, 2))

    def __getitem__(self, key):
        return self.copy_to_host()[key]

    def __setitem__(self, key, value):
        host = self.copy_to_host()
        host[key] = value
        self.copy_to_device(host)

    def __reduce__(self):
        return (_states_of, (self.copy_to_host(),))

    def __repr__(self):
        return f"<{len(self)} random states>"

    __str__ = __repr__


# ---- on the host


def _fields(states):
    return states["s0"], states["s1"]


def _host_next(states, index):
    s0, s1 = (int(f[index]) for f in _fields(states))
    states[index] = _stepped(s0, s1)
    return numpy.uint64((s0 + s1) & _MASK)


def _rotated(x, k):
    return (x << k | x >> (64 - k)) & _MASK


def _stepped(s0, s1):
    s1 ^= s0
    return _rotated(s0, 55) ^ s1 ^ (s1 << 14 & _MASK), _rotated(s1, 36)


def _applied(matrix, s0, s1):
    """The matrix (columns by bit, each two words) times states, which are arrays."""
    out0, out1 = numpy.zeros_like(s0), numpy.zeros_like(s1)
    for bit in range(128):
        chosen = (s0 if bit < 64 else s1) >> numpy.uint64(bit % 64) & numpy.uint64(1)
        chosen = numpy.uint64(0) - chosen
        out0 ^= chosen & matrix[0][bit]
        out1 ^= chosen & matrix[1][bit]
    return out0, out1


@functools.cache
def _jump(power):
    """The matrix of 2**power steps."""
    if power == 0:
        columns = [_stepped(1 << bit if bit < 64 else 0, 1 << (bit - 64) if bit >= 64 else 0) for bit in range(128)]
        return tuple(numpy.array(part, numpy.uint64) for part in zip(*columns, strict=True))
    half = _jump(power - 1)
    return _applied(half, *half)


def _jumped(s0, s1, steps):
    """States after ``steps`` times 2**64 steps."""
    power = 64
    while steps:
        if steps & 1:
            s0, s1 = _applied(_jump(power), s0, s1)
        steps, power = steps >> 1, power + 1
    return s0, s1


def _host_jump(states, index):
    s0, s1 = (f[index : index + 1].copy() for f in _fields(states))
    states[index] = tuple(int(part[0]) for part in _jumped(s0, s1, 1))


def _seeded(seed):
    z = (int(seed) + 0x9E3779B97F4A7C15) & _MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK
    return z ^ z >> 31


def _host_seed(states, index, seed):
    states[index] = (_seeded(seed), _seeded(seed))


def init_xoroshiro128p_states_cpu(states, seed, subsequence_start):
    """Set states of the host to those of a seed.

    Parameters
    ----------
    states : numpy.ndarray
        Array of dtype `xoroshiro128p_dtype`.
    seed : int
        Seed.
    subsequence_start : int
        Number of subsequences that are skipped.
    """
    if subsequence_start < 0:
        raise ValueError(f"[init_xoroshiro128p_states] subsequence_start must be a non-negative integer, not {subsequence_start}")
    count = states.shape[0]
    if count == 0:
        return
    first = numpy.array([_seeded(seed)], numpy.uint64)
    s0, s1 = _jumped(first, first.copy(), int(subsequence_start))
    while len(s0) < count:  # twice as many each time
        more0, more1 = _jumped(s0[: count - len(s0)], s1[: count - len(s0)], len(s0))
        s0, s1 = numpy.concatenate([s0, more0]), numpy.concatenate([s1, more1])
    states["s0"], states["s1"] = s0, s1


def init_xoroshiro128p_states(states, seed, subsequence_start=0, stream=0):
    """Set states of the device to those of a seed.

    Parameters
    ----------
    states : DeviceNDArray
        States that :func:`create_xoroshiro128p_states` returned.
    seed : int
        Seed.
    subsequence_start : int, optional
        Number of subsequences that are skipped.
    stream : Stream, optional
        Accepted for compatibility.
    """
    made = numpy.empty(len(states), xoroshiro128p_dtype)
    init_xoroshiro128p_states_cpu(made, seed, subsequence_start)
    states.copy_to_device(made)


def create_xoroshiro128p_states(n, seed, subsequence_start=0, stream=0):
    """Return random states for threads, on the device.

    Parameters
    ----------
    n : int
        Number of threads.
    seed : int
        Seed.
    subsequence_start : int, optional
        Number of subsequences, of 2**64 numbers each, that are skipped.
    stream : Stream, optional
        Accepted for compatibility: the states are complete when the function returns.

    Returns
    -------
    DeviceNDArray
        States, of dtype `xoroshiro128p_dtype`; each thread has a subsequence of its own.

    Examples
    --------
    >>> from quern import cuda
    >>> from quern.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32
    >>> import numpy as np
    >>> @cuda.jit
    ... def draw(states, out):
    ...     i = cuda.grid(1)
    ...     if i < out.size:
    ...         out[i] = xoroshiro128p_uniform_float32(states, i)
    >>> out = np.zeros(4, np.float32)
    >>> draw[1, 32](create_xoroshiro128p_states(32, seed=1), out)  # doctest: +SKIP
    """
    states = _empty_states(n)
    init_xoroshiro128p_states(states, seed, subsequence_start)
    return states


def _states_of(host):
    states = _empty_states(len(host))
    states.copy_to_device(host)
    return states


def _empty_states(n):
    return _empty((int(n), 2), numpy.uint64)._as(RandomStates)


# ---- in kernels; on the host with a NumPy array of states


class StateFunction(DeviceFunction):
    """A function of states: kernels call it with what they are given, the host with a NumPy array of ``xoroshiro128p_dtype``."""

    def __init__(self, function, on_host):
        super().__init__(function)
        self._on_host = on_host
        on_host.__name__ = on_host.__qualname__ = function.__name__  # the name in Python's errors of wrong calls

    def __call__(self, *args):
        return self._on_host(*args)


def _of_states(on_host):
    return lambda function: StateFunction(function, on_host)


@_of_states(lambda x, k: numpy.uint64(_rotated(int(x), int(k))))
def rotl(x, k):
    """The bits of a uint64 moved to the left, those that leave it coming back at the right."""
    x = uint64(x)
    return (x << k) | (x >> (64 - k))


@_of_states(_host_seed)
def init_xoroshiro128p_state(states, index, seed):
    """The state that a seed leads to, by splitmix64."""
    z = uint64(seed) + uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> 30)) * uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> 27)) * uint64(0x94D049BB133111EB)
    z = z ^ (z >> 31)
    states[index, 0] = z
    states[index, 1] = z


@_of_states(_host_next)
def xoroshiro128p_next(states, index):
    """The next uint64 of ``states[index]``."""
    s0 = states[index, 0]
    s1 = states[index, 1]
    result = s0 + s1
    s1 = s1 ^ s0
    states[index, 0] = rotl(s0, 55) ^ s1 ^ (s1 << 14)
    states[index, 1] = rotl(s1, 36)
    return result


@_of_states(_host_jump)
def xoroshiro128p_jump(states, index):
    """Moves ``states[index]`` on by 2**64 steps."""
    s0 = uint64(0)
    s1 = uint64(0)
    for b in range(128):
        word = uint64(0xBEAC0467EBA5FACB) if b < 64 else uint64(0xD86B048B86AA9922)
        if (word >> (b % 64)) & uint64(1) != uint64(0):
            s0 = s0 ^ states[index, 0]
            s1 = s1 ^ states[index, 1]
        xoroshiro128p_next(states, index)
    states[index, 0] = s0
    states[index, 1] = s1


@_of_states(lambda x: float(int(x) >> 11) * 2.0**-53)
def uint64_to_unit_float64(x):
    """A float64 in [0, 1) of a uint64's upper 53 bits."""
    return float64(uint64(x) >> 11) * (1.0 / 9007199254740992.0)


@_of_states(lambda x: numpy.float32(float(int(x) >> 11) * 2.0**-53))
def uint64_to_unit_float32(x):
    """The same as a float32."""
    return float32(uint64_to_unit_float64(x))


@_of_states(lambda states, index: uint64_to_unit_float32(_host_next(states, index)))
def xoroshiro128p_uniform_float32(states, index):
    """The next float32 of ``states[index]``, even in [0, 1)."""
    return uint64_to_unit_float32(xoroshiro128p_next(states, index))


@_of_states(lambda states, index: uint64_to_unit_float64(_host_next(states, index)))
def xoroshiro128p_uniform_float64(states, index):
    """The next float64 of ``states[index]``, even in [0, 1)."""
    return uint64_to_unit_float64(xoroshiro128p_next(states, index))


def _host_normal(of, two_pi):
    def draw(states, index):
        u, v = (uint64_to_unit_float32(_host_next(states, index)) for _ in range(2))
        return numpy.sqrt(of(-2.0) * numpy.log(u)) * numpy.cos(two_pi * v)

    return draw


@_of_states(_host_normal(numpy.float32, TWO_PI_FLOAT32))
def xoroshiro128p_normal_float32(states, index):
    """The next float32 of a normal distribution (mean 0, deviation 1), by Box and Muller's way; it takes two steps."""
    u = xoroshiro128p_uniform_float32(states, index)
    v = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(float32(-2.0) * math.log(u)) * math.cos(TWO_PI_FLOAT32 * v)


# From numbers of 32 bits too, as Numba's.
@_of_states(_host_normal(numpy.float64, TWO_PI_FLOAT64))
def xoroshiro128p_normal_float64(states, index):
    """The next float64 of a normal distribution (mean 0, deviation 1); it takes two steps."""
    u = xoroshiro128p_uniform_float32(states, index)
    v = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(float64(-2.0) * math.log(u)) * math.cos(TWO_PI_FLOAT64 * v)


__all__ = [
    *("create_xoroshiro128p_states", "init_xoroshiro128p_state", "init_xoroshiro128p_states", "init_xoroshiro128p_states_cpu"),
    *("rotl", "uint64_to_unit_float32", "uint64_to_unit_float64", "xoroshiro128p_dtype", "xoroshiro128p_jump", "xoroshiro128p_next"),
    *("xoroshiro128p_normal_float32", "xoroshiro128p_normal_float64", "xoroshiro128p_uniform_float32", "xoroshiro128p_uniform_float64"),
]


def __getattr__(name):
    if name == "xoroshiro128p_type":
        return from_dtype(xoroshiro128p_dtype)
    raise AttributeError(f"module 'quern.cuda.random' has no attribute '{name}'")
