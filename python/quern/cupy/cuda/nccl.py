"""cupy.cuda.nccl: not supported."""

from quern.cupy.cuda import _unserved

available = False

__getattr__ = _unserved.getter("cupy.cuda.nccl", "NCCL is not supported; one process uses one device here")
