"""Settings of CuPy's transforms. Programs make them; plans are kept by the engine in any case, and each transform runs on one device."""

import operator
import sys
import threading
import types
import warnings

from quern.cupy.cuda.device import get_device_id as _get_device_id
from quern.cupy.cuda.runtime import getDeviceCount as _get_device_count
from quern.cupy.fft._cache import PlanCache as _PlanCache
from quern.cupy.fft._callbacks import set_cufft_callbacks  # noqa: F401

use_multi_gpus = False
_gpus = None
_is_planning = True
_of_thread = threading.local()


def _caches():
    if not hasattr(_of_thread, "caches"):
        _of_thread.caches = {}
    return _of_thread.caches


def get_plan_cache():
    """The thread's cache of plans for the current device, which stays empty: the engine keeps them itself."""
    device = _get_device_id()
    return _caches().setdefault(device, _PlanCache(dev=device))


def show_plan_cache_info():
    """Prints the limits of the caches of all devices."""
    for device in range(_get_device_count()):
        _caches().setdefault(device, _PlanCache(dev=device)).show_info()


def clear_plan_cache():
    """Does nothing: the caches are empty."""


def set_cufft_gpus(gpus):
    """Accepts how many devices, or which, transforms are to run on; each runs on that of its array."""
    global _gpus
    count = len(gpus) if isinstance(gpus, (list, tuple)) else operator.index(gpus)
    if count < 1:
        raise ValueError("the number of devices must be at least 1")
    _gpus = gpus


def _warn_of_planning():
    warnings.warn("enable_nd_planning is deprecated: plans are of any number of dimensions", DeprecationWarning, stacklevel=3)


class _Settings(types.ModuleType):
    """A module that warns where its deprecated setting is looked at or changed."""

    @property
    def enable_nd_planning(self):
        """Deprecated; it changes nothing."""
        _warn_of_planning()
        return _is_planning

    @enable_nd_planning.setter
    def enable_nd_planning(self, value):
        global _is_planning
        _warn_of_planning()
        _is_planning = bool(value)


sys.modules[__name__].__class__ = _Settings
