"""numba.cuda.fp16: functions of numbers with 16 bits, for kernels. What each is: quern/kernel/library/half.py."""

from quern.kernel.library.half import functions as _functions

__all__ = list(_functions)


def __getattr__(name):
    if name in _functions:
        return _functions[name]
    raise AttributeError(f"module 'numba.cuda.fp16' has no attribute '{name}'")


def __dir__():
    return __all__
