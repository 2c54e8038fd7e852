"""numba.core: config, errors, extending and types, which are in quern/cuda/."""

from quern.cuda import config, errors, extending, types

__all__ = ["config", "errors", "extending", "types"]
