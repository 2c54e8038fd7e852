"""cupy.fft."""

import numpy

from quern.arrays import fft as _fft
from quern.cupy._fallback import getter as _getter
from quern.cupy._names import FFT as _names
from quern.cupy.fft import config  # noqa: F401

__getattr__ = _getter(globals(), _names, _fft, numpy.fft, "cupy.fft")
