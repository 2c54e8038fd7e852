"""cupy.cuda.driver: CUDA's driver API. The engine drives it; what is left are its version and its error."""

from quern.cupy.cuda import _unserved
from quern.cupy.cuda.runtime import driverGetVersion as get_build_version  # noqa: F401
from quern.errors import Error as CUDADriverError  # noqa: F401

__getattr__ = _unserved.getter("cupy.cuda.driver", "the engine drives CUDA itself; cupy.cuda.runtime has what programs need")
