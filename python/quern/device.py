"""Devices, and which one is current in this thread."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys

from quern.errors.of_calls import wrong_operand
from quern.lib import _engine

_engine.set_package_folder(os.path.dirname(os.path.abspath(__file__)) + os.sep)
_engine.set_nvidia_search_paths([p for p in sys.path if p.endswith(("site-packages", "dist-packages"))])
_engine.set_host_blas_folders(
    [os.path.join(p, *folder) for p in sys.path if "-packages" in p for folder in (("numpy.libs",), ("scipy_openblas64", "lib"))]
)
atexit.register(_engine.finish_all)


def door_devices() -> list:
    """The devices that a CUDA program sees: the GPUs, or the CPU where there is none (or QUERN_DEVICE asks for it)."""
    default = _engine.default_device()
    if default.kind == "cpu":
        return [default]
    return [_engine.cuda(i) for i in range(_engine.cuda_count())]


def device(name: str | None = None):
    """Return the device of that name, or the default device.

    Parameters
    ----------
    name : str, optional
        "cpu", "cuda" or "cuda:N".

    Returns
    -------
    Device
        The device.

    Raises
    ------
    ValueError
        For another name.
    RuntimeError
        If there is no such GPU.

    Examples
    --------
    >>> import quern
    >>> quern.device("cpu").kind
    'cpu'
    """
    if name is None:
        return _engine.default_device()
    if name == "cpu":
        return _engine.cpu()
    kind, _, index = name.partition(":")
    if kind != "cuda" or (index and not index.isdigit()):
        raise ValueError(f"[device] there is no device {name!r}; use 'cpu', 'cuda' or 'cuda:N'")
    return _engine.cuda(int(index or 0))


def device_given(given):
    """Return the engine's device for a ``device=`` argument: None (the current one), a name, a device of the engine or of a front end."""
    if given is None:
        return _engine.current_device()
    if isinstance(given, str):
        return device(given)
    found = getattr(given, "_engine_device", given)
    if not isinstance(found, _engine.Device):
        raise wrong_operand(given, "a Device or a name such as 'cpu', 'cuda' or 'cuda:1'")
    return found


def current_device():
    """Return the current device of this thread.

    Returns
    -------
    Device
        The device that calls without a `device` argument use.

    Examples
    --------
    >>> import quern
    >>> quern.current_device() == quern.device()
    True
    """
    return _engine.current_device()


def set_current_device(device) -> None:
    """Set the current device of this thread.

    Parameters
    ----------
    device : Device or None
        The device; None restores the default.

    Examples
    --------
    >>> from quern.device import device, set_current_device
    >>> set_current_device(device("cpu"))
    >>> set_current_device(None)
    """
    _engine.set_current_device(device)


def synchronize() -> None:
    """Submit what arrays have recorded, and wait for all work of the current device.

    Raises
    ------
    LaunchError
        If a kernel failed since the last synchronization.

    Examples
    --------
    >>> import quern
    >>> quern.synchronize()
    """
    current_device().synchronize()


def set_tiered(enabled: bool) -> bool:
    """Set whether array operations run before their fused kernel is compiled.

    On the CPU, operations whose fused kernel is not compiled yet run one by one, with kernels that were compiled when quern was built.
    The values are the same bit for bit. Where it pays, the fused kernel is compiled on another thread and used from then on. This is
    the default; the environment variable ``QUERN_TIERED=0`` turns it off.

    Parameters
    ----------
    enabled : bool
        False: a kernel is compiled when it is first needed, and the program waits for it.

    Returns
    -------
    bool
        The former setting.

    Examples
    --------
    >>> import quern
    >>> before = quern.set_tiered(False)
    >>> quern.set_tiered(before)
    False
    """
    return _engine.set_tiered(bool(enabled))


@contextlib.contextmanager
def fastmath():
    """Let array operations inside the block round otherwise, for speed.

    Inside of it, kernels may compute sums, differences and products of real and complex numbers in any order, fuse products with sums,
    and ignore the sign of zero, similar to Numba's ``fastmath=True``. Where one of these is NaN or infinite, or becomes so, the result
    may be anything. Quotients and other functions are computed as always, and so are small arrays, single operations that run before
    their kernel is compiled, code of your own, and functions of libraries (matrix products, FFT, sorting). On a GPU, products are fused
    with sums.

    It applies to what this thread records inside of the block, wherever it is evaluated; do not ``await`` or ``yield`` in it.

    Yields
    ------
    None
        The block runs.

    Examples
    --------
    >>> import numpy as np
    >>> import quern as qn
    >>> x = qn.arange(100_000) / 100_000
    >>> with qn.fastmath():
    ...     y = x * x * x + 2 * x
    >>> np.allclose(y, x**3 + 2 * x)
    True
    """
    before = _engine.set_fast_math(True)
    try:
        yield
    finally:
        _engine.set_fast_math(before)
