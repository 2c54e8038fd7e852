"""What kernels may use of Python, NumPy, math and CUDA. One table, filled by the modules here; the key is the object itself.

table.py      how a function is entered: a row of types and text, or a function that says more
python.py     built-in functions, loops, attributes of numbers and arrays
elementwise.py  ufuncs over whole arrays
ufunc_loops.py  the types that a ufunc's operands are converted to
arrays.py     reductions and methods of whole arrays
mathematics.py  math, cmath, operator, NumPy's ufuncs
cuda.py       threads, barriers, shared and local arrays, atomics
libdevice.py  CUDA's mathematical functions and intrinsics, by libdevice's names
half.py       functions of float16; bfloat.py: of bfloat16
vectors.py    vector types, as float4
pointers.py   carray, farray
times.py      functions of datetime64 and timedelta64
"""

from quern.kernel.library import (  # noqa: F401  (they fill the table)
    arrays,
    bfloat,
    cuda,
    half,
    libdevice,
    mathematics,
    pointers,
    python,
    times,
    vectors,
)
from quern.kernel.library.python import loop  # noqa: F401
from quern.kernel.library.table import attribute, call, frozen, is_own  # noqa: F401
