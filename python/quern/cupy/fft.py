"""cupy.fft."""

import operator
import warnings

import numpy

from quern.arrays import fft as _fft
from quern.cupy._fallback import getter as _getter
from quern.cupy._names import FFT as _names


class PlanCache:
    """What CuPy's cache of plans tells, with the limits that programs set. It stays empty: the engine keeps plans itself."""

    def __init__(self, size=16, memsize=-1, dev=-1):
        self._size, self._memsize = size, memsize

    def get_size(self):
        """The most plans that it may hold."""
        return self._size

    def set_size(self, size):
        """Sets the most plans; -1: no limit."""
        self._size = operator.index(size)

    def get_memsize(self):
        """The most bytes that its plans may take."""
        return self._memsize

    def set_memsize(self, memsize):
        """Sets the most bytes; -1: no limit."""
        self._memsize = operator.index(memsize)

    def get_curr_size(self):
        """How many plans it holds: 0."""
        return 0

    def get_curr_memsize(self):
        """How many bytes they take: 0."""
        return 0

    def clear(self):
        """Does nothing: it is empty."""

    def show_info(self):
        """Prints the limits."""
        print(f"cached plans: 0 of {self._size}, memory: 0 of {self._memsize} bytes; the engine keeps plans itself")


def _warn_of_planning(stacklevel=3):
    warnings.warn("enable_nd_planning is deprecated: plans are of any number of dimensions", DeprecationWarning, stacklevel=stacklevel)


class _Config:
    """Settings of CuPy's that programs make; plans are kept by the engine in any case, and each transform runs on one device."""

    use_multi_gpus = False

    def __init__(self):
        self._is_planning, self._cache, self._gpus = True, PlanCache(), None

    @property
    def enable_nd_planning(self):
        """Deprecated; it changes nothing."""
        _warn_of_planning()
        return self._is_planning

    @enable_nd_planning.setter
    def enable_nd_planning(self, value):
        _warn_of_planning()
        self._is_planning = bool(value)

    def get_plan_cache(self):
        """The cache of plans, which stays empty: the engine keeps them itself."""
        return self._cache

    def show_plan_cache_info(self):
        """Prints the limits of the cache."""
        self._cache.show_info()

    def clear_plan_cache(self):
        """Does nothing: the cache is empty."""
        self._cache.clear()

    def set_cufft_gpus(self, gpus):
        """Accepts how many devices, or which, transforms are to run on; each runs on that of its array."""
        count = len(gpus) if isinstance(gpus, (list, tuple)) else operator.index(gpus)
        if count < 1:
            raise ValueError("the number of devices must be at least 1")
        self._gpus = gpus

    def set_cufft_callbacks(self, *args, **kwargs):
        """Raises NotImplementedError: transforms call no functions of the user's."""
        raise NotImplementedError("[cupy.fft.config] transforms take no callbacks; work on the array before and after")


config = _Config()

__getattr__ = _getter(globals(), _names, _fft, numpy.fft, "cupy.fft")
