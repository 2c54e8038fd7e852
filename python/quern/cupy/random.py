"""cupy.random. The numbers are those that quern.random would draw from the same seed, not CuPy's: they come from Philox.

The functions of the module draw from one state, which get_random_state() gives. Its distributions, and those of a Generator, take the
type of their results as ``dtype``.
"""

import functools
import hashlib
import inspect
import os

import numpy

from quern.arrays import random as _random
from quern.arrays.core import Array as _Array
from quern.arrays.core import asnumpy as _asnumpy
from quern.arrays.public_names import settle as _settle
from quern.arrays.random.generator import _bits_of
from quern.cupy._array import ndarray as _ndarray
from quern.cupy._array import placed_result as _placed_result
from quern.cupy._fallback import getter as _getter
from quern.cupy._names import RANDOM as _names

_REALS = """beta chisquare dirichlet f gamma gumbel laplace logistic lognormal multivariate_normal noncentral_chisquare noncentral_f pareto
power rayleigh standard_cauchy standard_gamma standard_t triangular vonmises wald weibull""".split()
_INTEGERS = "binomial geometric hypergeometric logseries negative_binomial poisson zipf".split()


def _typed(method, default):
    """The distribution with ``dtype`` as its last parameter: what its numbers are converted to."""
    signature = inspect.signature(method)
    parameters = [p.replace(kind=p.POSITIONAL_OR_KEYWORD) for p in signature.parameters.values()]
    places = len(parameters)
    kinds = "f" if default is float else "iuf"

    @functools.wraps(method)
    def draw(*args, dtype=default, **kwargs):
        if len(args) > places:
            *args, dtype = args
        kind = numpy.dtype(dtype)
        if kind.kind not in kinds:
            raise TypeError(f"Unsupported dtype {kind!r} for {method.__name__}")
        named = dict(zip([p.name for p in parameters], args, strict=False))
        if named.keys() & kwargs.keys():
            raise TypeError(f"{method.__name__}() got multiple values for argument {min(named.keys() & kwargs.keys())!r}")
        return method(**named, **kwargs).astype(kind, copy=False)

    last = inspect.Parameter("dtype", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
    draw.__signature__ = signature.replace(parameters=[*parameters, last])
    return draw


class _Distributions:
    """What CuPy has otherwise than NumPy, for :class:`Generator` and :class:`RandomState`."""

    __slots__ = ()

    def _give(self, array):
        return _placed_result(lambda: array._as(self._kind))

    def dirichlet(self, alpha, size=None):
        """Numbers that sum to 1 along the last axis: one for each of ``alpha``; for a single ``alpha`` as many as ``size`` has there."""
        if numpy.ndim(alpha) or size is None:
            return super().dirichlet(alpha, size)
        *outer, count = [size] if isinstance(size, (int, numpy.integer)) else size
        return super().dirichlet(numpy.full(count, float(alpha)), tuple(outer))

    def hypergeometric(self, ngood, nbad, nsample, size=None):
        """How many good ones are among ``nsample`` picked of ``ngood`` good and ``nbad`` bad ones, all of them at most: int64.

        Raises ValueError for a negative number, and for ``nsample`` below 1.
        """
        ngood, nbad, nsample = (_asnumpy(v) if isinstance(v, _Array) else v for v in (ngood, nbad, nsample))
        if numpy.any(numpy.less(nsample, 1)):
            raise ValueError("nsample < 1")
        return super().hypergeometric(ngood, nbad, numpy.minimum(nsample, numpy.add(ngood, nbad)), size)


class Generator(_Distributions, _random.Generator):
    """See :class:`quern.random.Generator`; its arrays are CuPy's."""

    __slots__ = ()
    _kind = _ndarray

    def __init__(self, bit_generator):
        if not isinstance(bit_generator, (_random.Philox, numpy.random.BitGenerator)):
            raise TypeError(f"a Generator draws from a bit generator, such as XORWOW(seed), not from {bit_generator!r}")
        super().__init__(bit_generator)


class RandomState(_Distributions, _random.RandomState):
    """See :class:`quern.random.RandomState`; its arrays are CuPy's. ``method`` is accepted and changes nothing."""

    __slots__ = ()
    _has_short_seeds = False
    _kind = _ndarray

    def __init__(self, seed=None, method=None):
        super().__init__(_seed_of(seed))

    def seed(self, seed=None):
        """Starts anew: the same ``seed``, an integer from 0 to 2**64 - 1 or a NumPy array, gives the same numbers again."""
        super().seed(_seed_of(seed))


def _seed_of(given):
    if given is None or isinstance(given, _random.Philox) or isinstance(given, int) and 0 <= given < 1 << 64:
        return given
    if isinstance(given, numpy.ndarray):
        return int.from_bytes(hashlib.md5(numpy.ascontiguousarray(given), usedforsecurity=False).digest()[:8], "big")
    if isinstance(given, _ndarray) or numpy.asarray(given).dtype.kind not in "biu":
        raise TypeError(f"Seed must be an integer, not {type(given).__name__}; take int(seed)")
    if not 0 <= int(given) < 1 << 64:
        raise ValueError(f"Seed must be an integer between 0 and 2**64 - 1, not {given}")
    return int(given)


for _class in (Generator, RandomState):
    for _name in (*_REALS, *_INTEGERS):
        _method = getattr(_class, _name)
        if "dtype" not in inspect.signature(_method).parameters:
            setattr(_class, _name, _typed(_method, int if _name in _INTEGERS else float))


class BitGenerator(_random.Philox):
    """What generators draw their bits from; see :class:`quern.random.Philox`, which they all are. ``size`` changes nothing."""

    __slots__ = ()

    def __init__(self, seed=None, *, size=-1, key=None):
        super().__init__(seed, key=key)

    def random_raw(self, size=None):
        """64 bits, an int; or an array of ``size`` of them."""
        out = super().random_raw(size)
        return out if size is None else out._as(_ndarray)


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
    return seed if isinstance(seed, Generator) else Generator(_bits_of(seed))


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
        globals()[_name] = _random._of_state(_name, get_random_state, __name__, RandomState)

_settle(__name__)
__getattr__ = _getter(globals(), _names, _random, numpy.random, "cupy.random")
