"""numba.cuda.bf16: bfloat16 and its functions, for kernels. What each is: quern/kernel/library/bfloat.py."""

from quern.kernel.library.bfloat import functions as _functions
from quern.kernel.types import bfloat16

__all__ = ["bfloat16", *_functions]


def __getattr__(name):
    if name in _functions:
        return _functions[name]
    raise AttributeError(f"module 'numba.cuda.bf16' has no attribute '{name}'")


def __dir__():
    return __all__
