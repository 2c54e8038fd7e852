"""PyCUDA's random numbers: rand() and the generators.

All numbers come from the engine's own generator, Philox4x32-10 (quern/arrays/random), whatever a class is called; they are not cuRAND's
for a seed. The same seeds give the same numbers again.
"""

from __future__ import annotations

import hashlib
import operator
import random

import numpy as np

from quern.arrays import exp as _exp
from quern.arrays.core import known_name
from quern.arrays.random import Generator, Philox
from quern.device import current_device
from quern.pycuda import driver as drv
from quern.pycuda import gpuarray
from quern.pycuda._array import as_gpu, on_stream, plain
from quern.pycuda.elementwise import memoize_method  # noqa: F401
from quern.pycuda.enums import direction_vector_set  # noqa: F401  (PyCUDA's name)

# Four random numbers for the text of an elementwise kernel with an argument `seed`: a, b, c and d, of element `i`. PyCUDA's come from MD5,
# hence the name; these are a round of Philox4x32-10.
md5_code = """
unsigned int a = (unsigned int)i, b = (unsigned int)((unsigned long long)i >> 32), c = 0, d = 0;
for (unsigned int quern_round = 0, quern_first = seed, quern_second = 0; quern_round < 10; ++quern_round) {
  unsigned int quern_a = a, quern_c = c;
  a = __umulhi(0xCD9E8D57u, quern_c) ^ b ^ quern_first;
  b = 0xCD9E8D57u * quern_c;
  c = __umulhi(0xD2511F53u, quern_a) ^ d ^ quern_second;
  d = 0xD2511F53u * quern_a;
  quern_first += 0x9E3779B9u;
  quern_second += 0xBB67AE85u;
}
"""


def get_curand_version():
    """Return the version of cuRAND whose interface this module has.

    Returns
    -------
    tuple of ints
        Major, minor and patch version.

    Examples
    --------
    >>> from quern.pycuda import curandom
    >>> len(curandom.get_curand_version())
    3
    """
    return (10, 3, 0)


def seed_getter_uniform(n):
    """Return equal seeds; Python's ``random.seed()`` determines them.

    Parameters
    ----------
    n : int
        Number of seeds.

    Returns
    -------
    GPUArray
        Seeds of shape ``(n,)``, in int32.

    Examples
    --------
    >>> from quern.pycuda import curandom
    >>> seeds = curandom.seed_getter_uniform(3).get()
    >>> seeds.shape, len(set(seeds.tolist()))
    ((3,), 1)
    """
    return gpuarray.empty((n,), np.int32).fill(random.randint(-(2**31), 2**31 - 1))


def seed_getter_unique(n):
    """Return different seeds; ``numpy.random.seed()`` determines them.

    Parameters
    ----------
    n : int
        Number of seeds.

    Returns
    -------
    GPUArray
        Seeds of shape ``(n,)``, in int32.

    Examples
    --------
    >>> from quern.pycuda import curandom
    >>> curandom.seed_getter_unique(3).shape
    (3,)
    """
    return gpuarray.to_gpu(np.random.randint(-(2**31), 2**31, n, np.int64).astype(np.int32))


def _name(dtype):
    return known_name(dtype) or np.dtype(dtype).name


def _drawn(draws, shape, dtype, is_open):
    """Uniform numbers: reals in (0, 1] or [0, 1), or all bits of integers; complex ones have both parts so."""
    name = _name(dtype)
    if name in ("float32", "float64"):
        units = draws.random(shape, name)
        return 1 - units if is_open else units
    if name in ("complex64", "complex128"):
        part = np.empty(0, dtype).real.dtype
        return _drawn(draws, [*shape, 2], part, is_open).view(dtype)._reshaped(shape)
    if name in ("int32", "uint32", "int64", "uint64"):
        return draws.bit_generator.random_raw(shape).astype(dtype)
    raise NotImplementedError(f"[curandom] the dtype must be float32, float64, complex, or integers of 32 or 64 bits, not {name}")


def rand(shape, dtype=np.float32, stream=None):
    """Return uniform random numbers in [0, 1); integers have random bits.

    ``numpy.random.seed()`` determines them. Both parts of complex numbers are random.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape of the result.
    dtype : dtype, optional
        Dtype of the result.
    stream : Stream, optional
        Stream of the work.

    Returns
    -------
    GPUArray
        Random numbers of shape `shape`, in `dtype`.

    Raises
    ------
    NotImplementedError
        For another dtype.

    Examples
    --------
    >>> from quern.pycuda import curandom
    >>> curandom.rand((2, 3)).shape
    (2, 3)
    """
    shape = [operator.index(n) for n in shape] if isinstance(shape, (tuple, list)) else [operator.index(shape)]
    draws = Generator(Philox(np.random.randint(2**31 - 1)))
    with on_stream(stream):
        return as_gpu(_drawn(draws, shape, dtype, False))


class _Generator:
    """What all generators do."""

    generators_per_block = 256
    _takes = ("float32", "float64", "int32", "uint32")

    def __init__(self, seed, offset):
        self.block_count = max(1, current_device().info()["multiprocessors"]) * 2
        self._draws = Generator(Philox(seed))
        self._draws.bit_generator.advance(int(offset))

    def _shape(self, shape):
        return [operator.index(n) for n in shape] if isinstance(shape, (tuple, list)) else [operator.index(shape)]

    def _check(self, dtype, what, kinds):
        name = _name(dtype)
        if name not in kinds:
            raise NotImplementedError(f"[{type(self).__name__}.{what}] numbers are {', '.join(kinds)}, not {name}")
        return name

    def _uniform(self, shape, dtype):
        dtype = self._check(dtype, "gen_uniform", self._takes)
        return _drawn(self._draws, shape, dtype, True)

    def _normal(self, shape, dtype):
        return self._draws.standard_normal(shape, self._check(dtype, "gen_normal", ("float32", "float64")))

    def _log_normal(self, shape, dtype, mean, stddev):
        self._check(dtype, "gen_log_normal", ("float32", "float64"))
        return _exp(self._normal(shape, dtype) * float(stddev) + float(mean))

    def _poisson(self, shape, dtype, mean):
        dtype = self._check(dtype, "gen_poisson", ("uint32", "int32", "uint64", "int64", "float32", "float64"))
        return self._draws.poisson(float(mean), tuple(shape)).astype(dtype)

    def _made(self, numbers, shape, dtype, stream, *more):
        with on_stream(stream):
            return as_gpu(numbers(self._shape(shape), dtype, *more))

    def _filled(self, numbers, data, stream, *more):
        with on_stream(stream):
            data[...] = as_gpu(numbers(list(data.shape), data.dtype, *more))

    def gen_uniform(self, shape, dtype, stream=None):
        """A new GPUArray of uniform numbers: reals in (0, 1], integers of all their bits."""
        return self._made(self._uniform, shape, dtype, stream)

    def fill_uniform(self, data, stream=None):
        """Sets the elements of ``data`` to such numbers."""
        self._filled(self._uniform, data, stream)

    def gen_normal(self, shape, dtype, stream=None):
        """A new GPUArray of normal numbers, with mean 0 and standard deviation 1: float32 or float64."""
        return self._made(self._normal, shape, dtype, stream)

    def fill_normal(self, data, stream=None):
        """Sets the elements of ``data`` to such numbers."""
        self._filled(self._normal, data, stream)

    def gen_log_normal(self, shape, dtype, mean, stddev, stream=None):
        """A new GPUArray of numbers whose logarithm is normal; ``mean`` and ``stddev`` are the logarithm's."""
        return self._made(self._log_normal, shape, dtype, stream, mean, stddev)

    def fill_log_normal(self, data, mean, stddev, stream=None):
        """Sets the elements of ``data`` to such numbers."""
        self._filled(self._log_normal, data, stream, mean, stddev)

    def gen_poisson(self, shape, dtype, lambda_value, stream=None):
        """A new GPUArray of Poisson numbers with that mean. Raises ValueError for a negative one."""
        return self._made(self._poisson, shape, dtype, stream, lambda_value)

    def fill_poisson(self, data, lambda_value=None, stream=None):
        """Sets the elements of ``data`` to such numbers; without ``lambda_value`` each element to one with itself as the mean."""
        if lambda_value is not None:
            self._filled(self._poisson, data, stream, lambda_value)
            return
        with on_stream(stream):
            means = plain(data).astype("float64")
            data[...] = as_gpu(self._draws.poisson(means).astype(data.dtype))

    def __call__(self, shape, dtype=np.float32, stream=None):
        return self.gen_uniform(shape, dtype, stream)

    def call_skip_ahead(self, i, stream=None):
        """Leaves out ``i`` numbers of each of the generators that PyCUDA has."""
        self._draws.bit_generator.advance(int(i) * self.block_count * self.generators_per_block)

    def call_skip_ahead_array(self, i, stream=None):
        """The same with a number for each of the generators, in a GPUArray."""
        self._draws.bit_generator.advance(int(i.get().astype(object).sum()))


class _PseudoRandom(_Generator):
    """What those do that start from seeds."""

    def __init__(self, seed_getter=None, offset=0):
        count = max(1, current_device().info()["multiprocessors"]) * 2 * self.generators_per_block
        seeds = (seed_getter or seed_getter_uniform)(count)
        if not isinstance(seeds, gpuarray.GPUArray) or seeds.dtype != np.int32 or seeds.size != count:
            raise TypeError(f"seed must be GPUArray of integers of right length: {count} of int32")
        digest = hashlib.blake2b(self._kind + seeds.get().tobytes(), digest_size=16).digest()
        super().__init__(int.from_bytes(digest, "little"), offset)

    __init__.__qualname__ = "RandomNumberGenerator.__init__"  # in Python's errors of wrong calls

    def call_skip_ahead_sequence(self, i, stream=None):
        """Goes on ``i`` sequences further, each of 2^48 numbers. Raises ValueError for more than the 65,536 that there are."""
        self._skip(i, 48)

    def call_skip_ahead_sequence_array(self, i, stream=None):
        """The same with a number for each of the generators, in a GPUArray: all go on by their mean."""
        self._skip(_mean(i), 48)


    def _skip(self, parts, bits):
        # Past 2^64 numbers they begin again: that would be no skip at all.
        if abs(int(parts)) >> (64 - bits):
            raise ValueError(f"[curandom] {int(parts)} is too far to skip: there are {1 << (64 - bits):,} sequences of 2^{bits} numbers")
        self._draws.bit_generator.advance(int(parts) << bits)


def _mean(numbers):
    # Rounded up, so that one generator that goes on is enough for other numbers.
    return -(-int(numbers.get().astype(object).sum()) // max(1, numbers.size))


class XORWOWRandomNumberGenerator(_PseudoRandom):
    """A generator under PyCUDA's name; the numbers are Philox4x32-10's, not XORWOW's.

    Parameters
    ----------
    seed_getter : callable
        Takes a number and returns as many seeds, a GPUArray of int32: seed_getter_uniform, seed_getter_unique, or one of yours.
    offset : int
        How many numbers to leave out first.

    Raises
    ------
    TypeError
        For seeds that are none.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import curandom
    >>> curandom.XORWOWRandomNumberGenerator().gen_uniform(3, numpy.float32).shape
    (3,)
    """

    _kind = b"xorwow"


class MRG32k3aRandomNumberGenerator(_PseudoRandom):
    """A generator under PyCUDA's name; the numbers are Philox4x32-10's, not MRG32k3a's. See XORWOWRandomNumberGenerator."""

    _kind = b"mrg32k3a"

    def call_skip_ahead_subsequence(self, i, stream=None):
        """Goes on ``i`` subsequences further, each of 2^40 numbers. Raises ValueError for more than the 16,777,216 that there are."""
        self._skip(i, 40)

    def call_skip_ahead_subsequence_array(self, i, stream=None):
        """The same with a number for each of the generators, in a GPUArray: all go on by their mean."""
        self._skip(_mean(i), 40)


class _QuasiRandom(_Generator):
    # The seed is the same each time, as a Sobol sequence always is.
    def __init__(self, dir_vector=None, offset=0):
        if dir_vector is not None:
            raise drv.LogicError(f"[{type(self).__name__}] direction vectors are not supported: the generators are Philox; leave them out")
        super().__init__(20110 + len(type(self).__name__), offset)

    __init__.__qualname__ = "RandomNumberGenerator.__init__"  # in Python's errors of wrong calls


class Sobol32RandomNumberGenerator(_QuasiRandom):
    """A generator under PyCUDA's name. The numbers are Philox4x32-10's, from the same seed each time: independent random numbers, not a
    Sobol sequence, so that integrals converge as with random numbers. Raises pycuda.driver.LogicError for ``dir_vector``."""


class Sobol64RandomNumberGenerator(_QuasiRandom):
    """See Sobol32RandomNumberGenerator; integers may have 64 bits, too."""

    _takes = ("float32", "float64", "int32", "uint32", "int64", "uint64")


class _Scrambled(_QuasiRandom):
    def __init__(self, dir_vector=None, scramble_vector=None, offset=0):
        if scramble_vector is not None:
            raise drv.LogicError(f"[{type(self).__name__}] scramble vectors are not supported: the generators are Philox; leave them out")
        super().__init__(dir_vector, offset)

    __init__.__qualname__ = "RandomNumberGenerator.__init__"  # in Python's errors of wrong calls


class ScrambledSobol32RandomNumberGenerator(_Scrambled):
    """See Sobol32RandomNumberGenerator. Raises pycuda.driver.LogicError for ``scramble_vector``, too."""


class ScrambledSobol64RandomNumberGenerator(_Scrambled):
    """See ScrambledSobol32RandomNumberGenerator; integers may have 64 bits, too."""

    _takes = ("float32", "float64", "int32", "uint32", "int64", "uint64")


def generate_direction_vectors(count, direction=None):
    """Raises LogicError: no generator here takes direction vectors."""
    raise drv.LogicError("[generate_direction_vectors] not supported: the generators are Philox; make generators without these")


def generate_scramble_constants32(count):
    """Raises LogicError: no generator here takes them."""
    raise drv.LogicError("[generate_scramble_constants32] not supported: the generators are Philox; make generators without them")


def generate_scramble_constants64(count):
    """Raises LogicError: no generator here takes them."""
    raise drv.LogicError("[generate_scramble_constants64] not supported: the generators are Philox; make generators without them")
