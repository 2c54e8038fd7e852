"""cupy.cuda.cub: the engine has sorts, scans and reductions of its own."""

from quern.cupy.cuda import _unserved

available = False

__getattr__ = _unserved.getter("cupy.cuda.cub", "CUB is not used here; cupy.sum, cupy.cumsum and related functions are the engine's own")
