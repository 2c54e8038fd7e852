"""numba.cuda.cudadrv.devices: which device is current."""

from quern.cuda.devices import close as reset
from quern.cuda.devices import current_context as get_context
from quern.cuda.devices import gpus, require_context

__all__ = ["get_context", "gpus", "require_context", "reset"]
