"""cupy.fft: faces of the engine's functions (bindings/faces/transforms.pyi)."""

import numpy

from quern.arrays import fft as _fft
from quern.cupy._fallback import getter as _getter
from quern.cupy._names import FFT as _names
from quern.cupy.fft import config  # noqa: F401
from quern.lib import _engine

_engine.add_functions(__name__, "cupy", "fft")

__getattr__ = _getter(globals(), _names, _fft, numpy.fft, "cupy.fft")
