"""numba.core: config, errors and types, which are in quern/cuda/."""

from quern.cuda import config, errors, types

__all__ = ["config", "errors", "types"]
