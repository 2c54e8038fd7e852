"""numba.cuda.libdevice: CUDA's mathematical functions and intrinsics, by libdevice's names, for kernels.

What each is: quern/kernel/library/libdevice.py.
"""

from quern.kernel.library.libdevice import functions as _functions

__all__ = list(_functions)


def __getattr__(name):
    if name in _functions:
        return _functions[name]
    raise AttributeError(f"module 'numba.cuda.libdevice' has no attribute '{name}'")


def __dir__():
    return __all__
