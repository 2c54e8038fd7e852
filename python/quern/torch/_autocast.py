"""The state of automatic mixed precision in this thread, for each type of devices; what functions do in it is in the engine."""

from quern.lib import _engine
from quern.torch import _types


def _kind(device_type):
    if not isinstance(device_type, str):
        raise TypeError(f"device_type must be a string, not {type(device_type).__name__}")
    return _types.device(device_type).type


def _flag(enabled):
    if not isinstance(enabled, bool):
        raise TypeError(f"enabled must be a bool (got {type(enabled).__name__})")
    return enabled


def is_autocast_enabled(device_type="cuda"):
    """Return whether autocast is enabled for a type of devices, in this thread.

    Parameters
    ----------
    device_type : {"cuda", "cpu"}, optional
        Type of devices.

    Returns
    -------
    bool
        Whether it is.

    Examples
    --------
    >>> from quern import torch
    >>> torch.is_autocast_enabled("cpu")
    False
    """
    return _engine.autocast_enabled(_kind(device_type))


def set_autocast_enabled(device_type, enabled=None):
    """Enable or disable autocast for a type of devices, in this thread; ``torch.autocast`` does so for a region.

    Parameters
    ----------
    device_type : {"cuda", "cpu"}
        Type of devices; with one argument, that is `enabled` for "cuda".
    enabled : bool, optional
        Whether it is enabled.

    Examples
    --------
    >>> from quern import torch
    >>> torch.set_autocast_enabled("cpu", False)
    """
    if enabled is None:
        device_type, enabled = "cuda", device_type
    _engine.set_autocast_enabled(_kind(device_type), _flag(enabled))


def get_autocast_dtype(device_type):
    """Return the dtype that autocast computes products in, for a type of devices.

    Parameters
    ----------
    device_type : {"cuda", "cpu"}
        Type of devices.

    Returns
    -------
    dtype
        At first float16 for "cuda", bfloat16 for "cpu".

    Examples
    --------
    >>> from quern import torch
    >>> torch.get_autocast_dtype("cpu")
    torch.bfloat16
    """
    return _types.DTYPES[_engine.autocast_dtype(_kind(device_type))]


def set_autocast_dtype(device_type, dtype):
    """Set the dtype that autocast computes products in, for a type of devices.

    Parameters
    ----------
    device_type : {"cuda", "cpu"}
        Type of devices.
    dtype : dtype
        Dtype of products.

    Examples
    --------
    >>> from quern import torch
    >>> torch.set_autocast_dtype("cpu", torch.bfloat16)
    """
    if not isinstance(dtype, _types.dtype):
        raise TypeError(f"dtype must be a torch.dtype (got {type(dtype).__name__})")
    _engine.set_autocast_dtype(_kind(device_type), dtype._name)


def is_autocast_cpu_enabled():
    """Return whether autocast is enabled for the CPU, in this thread.

    Returns
    -------
    bool
        Whether it is.

    Examples
    --------
    >>> from quern import torch
    >>> torch.is_autocast_cpu_enabled()
    False
    """
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled):
    """Enable or disable autocast for the CPU, in this thread.

    Parameters
    ----------
    enabled : bool
        Whether it is enabled.

    Examples
    --------
    >>> from quern import torch
    >>> torch.set_autocast_cpu_enabled(False)
    """
    set_autocast_enabled("cpu", enabled)


def get_autocast_cpu_dtype():
    """Return the dtype that autocast computes products in on the CPU.

    Returns
    -------
    dtype
        At first bfloat16.

    Examples
    --------
    >>> from quern import torch
    >>> torch.get_autocast_cpu_dtype()
    torch.bfloat16
    """
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype):
    """Set the dtype that autocast computes products in on the CPU.

    Parameters
    ----------
    dtype : dtype
        Dtype of products.

    Examples
    --------
    >>> from quern import torch
    >>> torch.set_autocast_cpu_dtype(torch.bfloat16)
    """
    set_autocast_dtype("cpu", dtype)


def get_autocast_gpu_dtype():
    """Return the dtype that autocast computes products in on GPUs.

    Returns
    -------
    dtype
        At first float16.

    Examples
    --------
    >>> from quern import torch
    >>> torch.get_autocast_gpu_dtype()
    torch.float16
    """
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype):
    """Set the dtype that autocast computes products in on GPUs.

    Parameters
    ----------
    dtype : dtype
        Dtype of products.

    Examples
    --------
    >>> from quern import torch
    >>> torch.set_autocast_gpu_dtype(torch.float16)
    """
    set_autocast_dtype("cuda", dtype)


def is_autocast_cache_enabled():
    """Return whether autocast keeps casts of weights until the outermost region ends.

    Returns
    -------
    bool
        At first True.

    Examples
    --------
    >>> from quern import torch
    >>> torch.is_autocast_cache_enabled()
    True
    """
    return _engine.autocast_caches()


def set_autocast_cache_enabled(enabled):
    """Set whether autocast keeps casts of weights until the outermost region ends.

    Parameters
    ----------
    enabled : bool
        Whether casts are kept.

    Examples
    --------
    >>> from quern import torch
    >>> torch.set_autocast_cache_enabled(True)
    """
    _engine.set_autocast_caches(_flag(enabled))


def clear_autocast_cache():
    """Forget the casts of weights that autocast keeps.

    Examples
    --------
    >>> from quern import torch
    >>> torch.clear_autocast_cache()
    """
    _engine.clear_autocast_cache()


def autocast_increment_nesting():
    """Count one more region of this thread.

    Returns
    -------
    int
        Number of regions that the thread is in.

    Examples
    --------
    >>> from quern import torch
    >>> torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()
    (1, 0)
    """
    return _engine.autocast_depth(1)


def autocast_decrement_nesting():
    """Count one region of this thread less.

    Returns
    -------
    int
        Number of regions that the thread is in.

    Examples
    --------
    >>> from quern import torch
    >>> torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()
    (1, 0)
    """
    return _engine.autocast_depth(-1)


__all__ = """
is_autocast_enabled set_autocast_enabled get_autocast_dtype set_autocast_dtype is_autocast_cpu_enabled set_autocast_cpu_enabled
get_autocast_cpu_dtype set_autocast_cpu_dtype get_autocast_gpu_dtype set_autocast_gpu_dtype is_autocast_cache_enabled
set_autocast_cache_enabled clear_autocast_cache autocast_increment_nesting autocast_decrement_nesting
""".split()
