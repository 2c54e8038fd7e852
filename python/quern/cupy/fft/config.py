"""Settings of CuPy's transforms. Programs make them; plans are kept by the engine in any case, and each transform runs on one device."""

import sys
import threading
import types

from quern.cupy.cuda.device import get_device_id as _get_device_id
from quern.cupy.cuda.runtime import getDeviceCount as _get_device_count
from quern.cupy.fft._cache import PlanCache as _PlanCache
from quern.cupy.fft._callbacks import set_cufft_callbacks  # noqa: F401
from quern.user_files import warn_user

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


def get_plan_cache_size():
    """How many plans the cache of the current device may hold."""
    return get_plan_cache().get_size()


def set_plan_cache_size(size):
    """Set how many plans the cache of the current device may hold.

    Parameters
    ----------
    size : int
        Number of plans; -1 for no limit.
    """
    get_plan_cache().set_size(size)


def get_plan_cache_max_memsize():
    """How many bytes the plans of the current device may take."""
    return get_plan_cache().get_memsize()


def set_plan_cache_max_memsize(size):
    """Set how many bytes the plans of the current device may take.

    Parameters
    ----------
    size : int
        Number of bytes; -1 for no limit.
    """
    get_plan_cache().set_memsize(size)


def clear_plan_cache():
    """Does nothing: the caches are empty."""


def set_cufft_gpus(gpus):
    """Check a number of devices; each transform runs on the device of its array.

    Parameters
    ----------
    gpus : int or list of ints
        Number of devices, or their numbers.
    """
    global _gpus
    warn_user("cupy.fft.config.set_cufft_gpus is experimental. The interface can change in the future.", FutureWarning)
    if not isinstance(gpus, (int, list, tuple)):
        raise ValueError(f"gpus must be an int or a list or tuple of int, not {type(gpus).__name__}")
    _gpus = tuple(range(gpus) if isinstance(gpus, int) else gpus)
    if len(_gpus) < 2:
        raise ValueError(f"Must use at least 2 GPUs, not {len(_gpus)}")


def _warn_of_planning():
    text = "enable_nd_planning is deprecated as of CuPy 14 and will always be True: plans are of any number of dimensions"
    warn_user(text, DeprecationWarning)


class _Settings(types.ModuleType):
    """A module that warns where its deprecated setting is read or changed."""

    @property
    def enable_nd_planning(self):
        """Deprecated; it changes nothing."""
        _warn_of_planning()
        return _is_planning

    @property
    def devices(self):
        """The devices that set_cufft_gpus() was given, where use_multi_gpus is set; else None."""
        return _gpus if use_multi_gpus else None

    @enable_nd_planning.setter
    def enable_nd_planning(self, value):
        global _is_planning
        _warn_of_planning()
        _is_planning = bool(value)


sys.modules[__name__].__class__ = _Settings
