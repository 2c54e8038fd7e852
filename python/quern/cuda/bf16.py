"""numba.cuda.bf16: bfloat16 and its functions, for kernels. What each is: quern/kernel/library/bfloat.py."""

from quern.kernel.library.bfloat import functions as _functions
from quern.kernel.types import bfloat16

globals().update(_functions)

__all__ = ["bfloat16", *_functions]
