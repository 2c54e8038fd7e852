"""cupy.fft."""

import numpy

from quern.arrays import fft as _fft
from quern.cupy._fallback import getter as _getter
from quern.cupy._fallback import of_ours as _of_ours
from quern.cupy._names import FFT as _names
from quern.cupy.fft import config  # noqa: F401
from quern.cupy.fft._callbacks import NAMES as _TRANSFORMS
from quern.cupy.fft._callbacks import watched as _watched

for _name in _TRANSFORMS:
    globals()[_name] = _watched(_name, _of_ours(getattr(_fft, _name)))

__getattr__ = _getter(globals(), _names, _fft, numpy.fft, "cupy.fft")
