"""cupyx.jit: kernels written in Python, by CuPy's names and rules. The front end is quern.kernel, with its cupy_rules.py.

_names.py      what means something inside of kernels: threadIdx, grid, shared_memory, atomic_add
_library.py    what these compile to
_interface.py  rawkernel, and the kernels that it makes
cg.py          cooperative groups; cub.py, thrust.py: unsupported functions
"""

from quern.cupyx.jit import cg, cub, thrust  # noqa: F401
from quern.cupyx.jit._interface import rawkernel  # noqa: F401
from quern.cupyx.jit._names import (  # noqa: F401
    atomic_add,
    atomic_and,
    atomic_cas,
    atomic_dec,
    atomic_exch,
    atomic_inc,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_sub,
    atomic_xor,
    blockDim,
    blockIdx,
    grid,
    gridDim,
    gridsize,
    laneid,
    range,
    shared_memory,
    shfl_down_sync,
    shfl_sync,
    shfl_up_sync,
    shfl_xor_sync,
    syncthreads,
    syncwarp,
    threadIdx,
    warpsize,
)
