"""Settings of PyTorch that have no effect here, and functions of symbolic sizes, which are numbers here."""

import builtins
import math


def is_warn_always_enabled():
    """Return whether warnings are repeated: always False."""
    return False


def get_num_interop_threads():
    """Return the number of threads that run operations at the same time: always 1."""
    return 1


def is_anomaly_check_nan_enabled():
    """Return whether anomaly detection checks for NaN: always True."""
    return True


def compiled_with_cxx11_abi():
    """Return whether the C++11 ABI is used: always True."""
    return True


def is_vulkan_available():
    """Return whether Vulkan is available: always False."""
    return False


def set_flush_denormal(mode, /):
    """Do nothing and return False: denormal numbers stay."""
    return False


def set_warn_always(b, /):
    """Do nothing; accepted for compatibility."""


def set_num_interop_threads(num, /):
    """Do nothing; accepted for compatibility."""


def set_anomaly_enabled(enabled, check_nan=True):
    """Do nothing; accepted for compatibility."""


def init_num_threads():
    """Do nothing; accepted for compatibility."""


# ---- sizes that are not known yet: here all are


def sym_float(a):
    """Return the number as a float."""
    return float(a)


def sym_int(a):
    """Return the number as an int."""
    return int(a)


def sym_max(a, b):
    """Return the larger number."""
    return b if b > a else a


def sym_min(a, b):
    """Return the smaller number."""
    return b if b < a else a


def sym_not(a):
    """Return ``not a``."""
    return not a


def sym_sqrt(a):
    """Return the square root of a number."""
    return math.sqrt(a)


def sym_sum(args):
    """Return the sum of numbers."""
    return builtins.sum(args)


def sym_ite(b, t, f):
    """Return `t` if `b` is true, and `f` otherwise."""
    return t if b else f


__all__ = """
is_warn_always_enabled get_num_interop_threads
is_anomaly_check_nan_enabled compiled_with_cxx11_abi is_vulkan_available
set_flush_denormal set_warn_always set_num_interop_threads set_anomaly_enabled
init_num_threads sym_float sym_int sym_max sym_min sym_not sym_sqrt sym_sum sym_ite
""".split()
