"""numba.cuda.fp16: functions of numbers with 16 bits, for kernels. What each is: quern/kernel/library/half.py."""

from quern.kernel.library.half import functions as _functions

globals().update(_functions)

__all__ = list(_functions)
