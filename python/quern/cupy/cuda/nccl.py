"""cupy.cuda.nccl: not served."""

from quern.cupy.cuda import _unserved

available = False

__getattr__ = _unserved.getter("cupy.cuda.nccl", "NCCL is not served; one process uses one device here")
