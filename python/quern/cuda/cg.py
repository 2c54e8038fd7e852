"""numba.cuda.cg: cooperative groups, for kernels. ``this_grid().sync()`` waits for all threads of the launch."""

from quern.kernel.intrinsics import cg as _cg
from quern.kernel.types import GridGroup, grid_group

this_grid = _cg.this_grid

__all__ = ["GridGroup", "grid_group", "this_grid"]
