"""numba.cuda.libdevice: CUDA's mathematical functions and intrinsics, by libdevice's names, for kernels.

What each is: quern/kernel/library/libdevice.py.
"""

from quern.kernel.library.libdevice import functions as _functions

globals().update(_functions)

__all__ = list(_functions)
