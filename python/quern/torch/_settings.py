"""Settings of PyTorch that have no effect here, and functions of symbolic sizes, which are numbers here."""

import builtins
import math


def is_warn_always_enabled():
    """Return whether warnings are repeated: always False.

    Returns
    -------
    bool
        False.

    Examples
    --------
    >>> from quern import torch
    >>> torch.is_warn_always_enabled()
    False
    """
    return False


def get_num_interop_threads():
    """Return the number of threads that run operations at the same time: always 1.

    Returns
    -------
    int
        1.

    Examples
    --------
    >>> from quern import torch
    >>> torch.get_num_interop_threads()
    1
    """
    return 1


def is_anomaly_check_nan_enabled():
    """Return whether anomaly detection checks for NaN: always True.

    Returns
    -------
    bool
        True.

    Examples
    --------
    >>> from quern import torch
    >>> torch.is_anomaly_check_nan_enabled()
    True
    """
    return True


def compiled_with_cxx11_abi():
    """Return whether the C++11 ABI is used: always True.

    Returns
    -------
    bool
        True.

    Examples
    --------
    >>> from quern import torch
    >>> torch.compiled_with_cxx11_abi()
    True
    """
    return True


def is_vulkan_available():
    """Return whether Vulkan is available: always False.

    Returns
    -------
    bool
        False.

    Examples
    --------
    >>> from quern import torch
    >>> torch.is_vulkan_available()
    False
    """
    return False


def set_flush_denormal(mode, /):
    """Do nothing and return False: denormal numbers stay.

    Parameters
    ----------
    mode : bool
        Accepted for compatibility.

    Returns
    -------
    bool
        False.

    Examples
    --------
    >>> from quern import torch
    >>> torch.set_flush_denormal(True)
    False
    """
    return False


def set_warn_always(b, /):
    """Do nothing; accepted for compatibility.

    Parameters
    ----------
    b : bool
        Accepted for compatibility.

    Examples
    --------
    >>> from quern import torch
    >>> torch.set_warn_always(True)
    """


def set_num_interop_threads(num, /):
    """Do nothing; accepted for compatibility.

    Parameters
    ----------
    num : int
        Accepted for compatibility.

    Examples
    --------
    >>> from quern import torch
    >>> torch.set_num_interop_threads(2)
    """


def set_anomaly_enabled(enabled, check_nan=True):
    """Do nothing; accepted for compatibility.

    Parameters
    ----------
    enabled, check_nan : bool
        Accepted for compatibility.

    Examples
    --------
    >>> from quern import torch
    >>> torch.set_anomaly_enabled(False)
    """


def init_num_threads():
    """Do nothing; accepted for compatibility.

    Examples
    --------
    >>> from quern import torch
    >>> torch.init_num_threads()
    """


# ---- sizes that are not known yet: here all are


def sym_float(a):
    """Return the number as a float.

    Parameters
    ----------
    a : number
        Number.

    Returns
    -------
    float
        Number.

    Examples
    --------
    >>> from quern import torch
    >>> torch.sym_float(2)
    2.0
    """
    return float(a)


def sym_int(a):
    """Return the number as an int.

    Parameters
    ----------
    a : number
        Number.

    Returns
    -------
    int
        Number, rounded toward zero.

    Examples
    --------
    >>> from quern import torch
    >>> torch.sym_int(2.5)
    2
    """
    return int(a)


def sym_max(a, b):
    """Return the larger number.

    Parameters
    ----------
    a, b : number
        Numbers.

    Returns
    -------
    number
        The larger one.

    Examples
    --------
    >>> from quern import torch
    >>> torch.sym_max(2, 3)
    3
    """
    return b if b > a else a


def sym_min(a, b):
    """Return the smaller number.

    Parameters
    ----------
    a, b : number
        Numbers.

    Returns
    -------
    number
        The smaller one.

    Examples
    --------
    >>> from quern import torch
    >>> torch.sym_min(2, 3)
    2
    """
    return b if b < a else a


def sym_not(a):
    """Return ``not a``.

    Parameters
    ----------
    a : bool
        Value.

    Returns
    -------
    bool
        Its negation.

    Examples
    --------
    >>> from quern import torch
    >>> torch.sym_not(True)
    False
    """
    return not a


def sym_sqrt(a):
    """Return the square root of a number.

    Parameters
    ----------
    a : number
        Number that is not negative.

    Returns
    -------
    float
        Root.

    Examples
    --------
    >>> from quern import torch
    >>> torch.sym_sqrt(4)
    2.0
    """
    return math.sqrt(a)


def sym_sum(args):
    """Return the sum of numbers.

    Parameters
    ----------
    args : iterable of numbers
        Numbers.

    Returns
    -------
    number
        Sum.

    Examples
    --------
    >>> from quern import torch
    >>> torch.sym_sum([1, 2, 3])
    6
    """
    return builtins.sum(args)


def sym_ite(b, t, f):
    """Return `t` if `b` is true, and `f` otherwise.

    Parameters
    ----------
    b : bool
        Which one is returned.
    t, f : object
        Values.

    Returns
    -------
    object
        One of the values.

    Examples
    --------
    >>> from quern import torch
    >>> torch.sym_ite(True, 2, 3)
    2
    """
    return t if b else f


__all__ = """
is_warn_always_enabled get_num_interop_threads
is_anomaly_check_nan_enabled compiled_with_cxx11_abi is_vulkan_available
set_flush_denormal set_warn_always set_num_interop_threads set_anomaly_enabled
init_num_threads sym_float sym_int sym_max sym_min sym_not sym_sqrt sym_sum sym_ite
""".split()
