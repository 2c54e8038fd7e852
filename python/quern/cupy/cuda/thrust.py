"""cupy.cuda.thrust: the engine has sorts of its own."""

from quern.cupy.cuda import _unserved

available = False

__getattr__ = _unserved.getter("cupy.cuda.thrust", "Thrust is not used here; cupy.sort and related functions are the engine's own")
