"""What `import numba` means under `quern run`: kernels and functions written in Python, on any device.

types.py        the types of values
decorators.py   jit and njit: functions for the host
quern.cuda      what numba.cuda is: kernels, device arrays, streams, devices        (start there)
"""

from quern import cuda
from quern.cuda.decorators import guvectorize, vectorize
from quern.kernel import types as _types
from quern.kernel.signatures import ALIASES as _ALIASES
from quern.kernel.signatures import typeof
from quern.numba import types
from quern.numba.decorators import jit, njit, prange

__version__ = "0.68.1"  # the version whose names these are

for _name, _type in _types.NUMBERS.items():
    globals()[_name] = _type
for _name, _target in _ALIASES.items():
    globals()[_name] = _types.NUMBERS[_target]
none = void = _types.none
intp, uintp = _types.int64, _types.uint64

__all__ = ["cuda", "types", "guvectorize", "jit", "njit", "prange", "typeof", "vectorize", "none", "void", *_types.NUMBERS, *_ALIASES]


def __getattr__(name):
    raise AttributeError(f"module 'numba' has no attribute '{name}' here: quern does not serve it")
