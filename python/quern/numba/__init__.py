"""What `import numba` means under `quern run`: kernels and functions written in Python, on any device.

decorators.py   jit and njit: functions for the host
core/, np/      types, errors, config and numpy_support by the modules that Numba has them in; they are in quern/cuda/
quern.cuda      what numba.cuda is: kernels, device arrays, streams, devices        (start there)
"""

from quern import cuda
from quern.cuda import config, errors, types
from quern.cuda.decorators import guvectorize, vectorize
from quern.cuda.errors import *  # noqa: F403
from quern.cuda.numpy_support import from_dtype
from quern.kernel import types as _types
from quern.kernel.intrinsics import literal_unroll
from quern.kernel.signatures import ALIASES as _ALIASES
from quern.kernel.signatures import typeof
from quern.numba import core, np
from quern.numba.decorators import jit, njit, prange

__version__ = "0.68.1"  # the version whose names these are
version_info = (0, 68, 1)

for _name, _type in _types.NUMBERS.items():
    globals()[_name] = _type
for _name, _target in _ALIASES.items():
    globals()[_name] = _types.NUMBERS[_target]
none = void = _types.none
optional = _types.Optional
intp, uintp = _types.int64, _types.uint64

__all__ = [
    "config",
    "core",
    "cuda",
    "errors",
    "from_dtype",
    "guvectorize",
    "jit",
    "literal_unroll",
    "njit",
    "none",
    "np",
    "optional",
    "prange",
    "typeof",
    "types",
    "vectorize",
    "version_info",
    "void",
    *errors.__all__,
    *_types.NUMBERS,
    *(name for name in _ALIASES if name != "bool"),
]


def __getattr__(name):
    raise AttributeError(f"module 'numba' has no attribute '{name}' here: quern does not serve it")
