"""What `import numba` means under `quern run`: kernels and functions written in Python, on any device.

decorators.py   jit and njit: functions for the host; threads.py: how many threads they have
core/, np/      types, errors, config and numpy_support by the modules that Numba has them in; they are in quern/cuda/
quern.cuda      what numba.cuda is: kernels, device arrays, streams, devices        (start there)
"""

from quern import cuda  # noqa: F401
from quern.cuda import config, errors, extending, types  # noqa: F401
from quern.cuda.decorators import guvectorize, vectorize
from quern.cuda.errors import *  # noqa: F403
from quern.cuda.numpy_support import from_dtype
from quern.kernel import types as _types
from quern.kernel.intrinsics import carray, farray, literal_unroll
from quern.kernel.number_names import *  # noqa: F403
from quern.kernel.number_names import __all__ as _numbers
from quern.kernel.signatures import typeof
from quern.numba import core, np  # noqa: F401
from quern.numba.decorators import jit, jit_module, njit, prange
from quern.numba.threads import *  # noqa: F403
from quern.numba.threads import __all__ as _of_threads

__version__ = "0.68.1"  # the version whose names these are
version_info = (0, 68, 1)

none = void = _types.none
optional = _types.Optional

# As Numba has it: `from numba import *` must not hide a program's own names, such as `np`.
__all__ = [
    "carray",
    "farray",
    "from_dtype",
    "guvectorize",
    "jit",
    "jit_module",
    "literal_unroll",
    "njit",
    "none",
    "optional",
    "prange",
    "typeof",
    "vectorize",
    "void",
    *errors.__all__,
    *_of_threads,
    *(name for name in _numbers if name not in ("bool", "float16", "bfloat16")),
]


# Alternatives to unsupported functions.
_INSTEAD = {
    "typed": "hand functions NumPy arrays and tuples",
    "experimental": "hand functions NumPy arrays, records and named tuples instead of jitclass and structref",
    "jitclass": "hand functions NumPy arrays, records and named tuples",
    "autojit": "write @numba.njit",
    "generated_jit": "write @numba.extending.overload",
    "stencil": "write the loop, or a kernel with cuda.grid()",
    "cfunc": "pass Python's callable, or CUDA C++ with cuda.declare_device",
    "objmode": "call what needs Python's objects outside of the function",
    "gdb": "QUERN_PURE_PYTHON=1 runs kernels as plain Python, in which a debugger stops",
    "pycc": "compiled code is kept on disk by itself",
    "core": "kernels are not compiled by Numba; functions are added with numba.extending.overload",
}


def __getattr__(name):
    instead = _INSTEAD.get(name.partition("_")[0] if name.startswith("gdb") else name, "")
    raise AttributeError(f"module 'numba' has no attribute '{name}': quern does not support it{'; ' + instead if instead else ''}")
