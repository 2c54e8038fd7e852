"""numba.cuda.cg: cooperative groups, for kernels. ``this_grid().sync()`` waits for all threads of the launch."""

from quern.kernel.intrinsics import cg as _cg
from quern.kernel.signatures import Signature
from quern.kernel.types import GridGroup, grid_group

GridGroupClass = GridGroup

this_grid = _cg.this_grid


def signature(return_type, *args):
    """The signature of a function: ``signature(int32, grid_group)``."""
    return Signature(return_type, args)


__all__ = ["GridGroup", "GridGroupClass", "grid_group", "signature", "this_grid"]
