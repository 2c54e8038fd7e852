"""numba.cuda.launchconfig: the launch that a kernel is compiled for, for functions that run meanwhile, such as those of ``overload``."""

import contextlib

from quern.kernel.launching import current_launch

__all__ = ["capture_compile_config", "current_launch_config", "ensure_current_launch_config"]


def current_launch_config():
    """The launch whose kernel is compiled now in this thread: ``griddim``, ``blockdim``, ``sharedmem``, ``args``; else None."""
    return current_launch(looks=True)


def ensure_current_launch_config():
    """The same. Raises RuntimeError where there is none."""
    launch = current_launch_config()
    if launch is None:
        raise RuntimeError("No launch config set for this thread: no launch makes a kernel be compiled now")
    return launch


@contextlib.contextmanager
def capture_compile_config(dispatcher):
    """A dict whose "config" is the launch that the kernel is compiled for within the block; None where it is compiled already.

    Examples
    --------
    >>> from quern import cuda
    >>> from quern.cuda import launchconfig
    >>> import numpy as np
    >>> @cuda.jit
    ... def first(x):
    ...     x[0] = 1
    >>> with launchconfig.capture_compile_config(first) as captured:
    ...     first[1, 32](np.zeros(4))
    >>> captured["config"].blockdim
    (32, 1, 1)
    """
    if not hasattr(dispatcher, "captures"):
        raise TypeError(f"[capture_compile_config] a kernel that @cuda.jit made is needed, not {dispatcher!r}")
    record = {"config": None}
    dispatcher.captures.append(record)
    try:
        yield record
    finally:
        dispatcher.captures[:] = [known for known in dispatcher.captures if known is not record]
