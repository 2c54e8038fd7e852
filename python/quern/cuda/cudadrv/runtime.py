"""numba.cuda.cudadrv.runtime: CUDA's version."""

from quern.cuda.errors import CudaRuntimeError
from quern.lib import _engine


class Runtime:
    """``runtime``: what the driver supports; quern needs no CUDA runtime."""

    def get_version(self):
        """(major, minor) of the CUDA that the driver supports; (0, 0) where there is none."""
        version = _engine.cuda_driver_version()
        return version // 1000, version % 1000 // 10

    def is_supported_version(self):
        """Return True: a driver that is too old raises at its first use."""
        return True

    @property
    def supported_versions(self):
        """The versions that suit, as (major, minor)."""
        return tuple((12, minor) for minor in range(10)) + ((13, 0),)


runtime = Runtime()

__all__ = ["CudaRuntimeError", "Runtime", "runtime"]
