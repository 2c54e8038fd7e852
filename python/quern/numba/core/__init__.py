"""numba.core: config, errors, extending, sigutils, types and typing, which are in quern/cuda/; dispatcher, utils."""

from quern.cuda import config, errors, extending, sigutils, types, typing
from quern.numba.core import dispatcher, utils

registry = dispatcher

__all__ = ["config", "dispatcher", "errors", "extending", "registry", "sigutils", "types", "typing", "utils"]
