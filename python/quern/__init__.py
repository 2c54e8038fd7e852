"""quern: GPU computing from Python on any machine.

Array programs, written as NumPy, and CUDA C++ source run on an NVIDIA GPU where there is one, and compiled to native code on the
CPU where there is none.

>>> import quern as qn
>>> x = qn.linspace(0, 1, 5)
>>> (x * x).sum()
array(1.875)

>>> import numpy, quern
>>> from quern.pycuda import driver
>>> add = quern.RawKernel('extern "C" __global__ void add(float* a, int n) { int i = threadIdx.x; if (i < n) a[i] += 1; }', "add")
>>> x = numpy.zeros(4, numpy.float32)
>>> a = driver.to_device(x)
>>> add((1,), (32,), (a, 4))
>>> driver.from_device(a, x.shape, x.dtype)
array([1., 1., 1., 1.], dtype=float32)
"""

from importlib import import_module as _import_module

import numpy as _numpy

import quern.lib as _lib
from quern import arrays as _arrays
from quern.arrays import *  # noqa: F403
from quern.arrays import fallback as _fallback
from quern.arrays.manipulation import stride_tricks as _stride_tricks
from quern.device import current_device, device, fastmath, set_tiered, synchronize
from quern.errors import CompileError, Error, InternalError, LaunchError, LogicError, OutOfMemoryError
from quern.raw import RawKernel, RawModule
from quern.tools.compile_note import say_at_exit as _say_at_exit
from quern.tools.development import get_include
from quern.tools.kept_sources import keep_sources
from quern.tools.trace import trace

__version__ = "0.1.0"

_say_at_exit()
_lib.stride_tricks = _stride_tricks  # as NumPy has it; the folder holds the engine

# Loaded when they are asked for, as what NumPy computes is: with them `import quern` takes twice the time.
_LATER = {
    "Profile": "quern.tools.profile",
    "SourceModule": "quern.pycuda.compiler",
    "Timing": "quern.tools.measure",
    "autograd": "quern.autograd",
    "bench": "quern.tools.measure",
    "check": "quern.tools.check",
    "explain": "quern.tools.measure",
    "fft": "quern.fft",
    "profile": "quern.tools.profile",
    "random": "quern.random",
}
__all__ = [
    *_arrays.__all__,
    *_LATER,
    "CompileError",
    "Error",
    "InternalError",
    "LaunchError",
    "LogicError",
    "OutOfMemoryError",
    "RawKernel",
    "RawModule",
    "current_device",
    "device",
    "get_include",
    "keep_sources",
    "fastmath",
    "set_tiered",
    "synchronize",
    "trace",
]


def __getattr__(name):
    if name in _LATER:
        module = _import_module(_LATER[name])
        value = globals()[name] = module if name in ("autograd", "fft", "random") else getattr(module, name)
        return value
    # A function of NumPy's that is not native: NumPy computes it on the host, with a warning.
    value = _fallback.stand_in(_numpy, name, "quern")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_LATER})


def load_ipython_extension(shell):
    """Load quern's magics ``%%quern_profile`` and ``%%quern_check`` in a notebook: ``%load_ext quern``.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
        Shell of the notebook, which IPython passes.

    Examples
    --------
    >>> import quern as qn
    >>> class Shell:
    ...     def register_magic_function(self, *arguments): pass
    ...     def register_magics(self, *arguments): pass
    >>> qn.load_ipython_extension(Shell())
    """
    from quern.tools.notebook import load

    load(shell)
