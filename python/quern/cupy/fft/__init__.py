"""cupy.fft."""

import numpy

from quern.arrays import fft as _fft
from quern.cupy._fallback import getter as _getter
from quern.cupy._fallback import of_ours as _of_ours
from quern.cupy._names import FFT as _names
from quern.cupy.fft import config  # noqa: F401
from quern.cupy.fft._callbacks import watched as _watched

fft = _watched("fft", _of_ours(_fft.fft))
ifft = _watched("ifft", _of_ours(_fft.ifft))
fft2 = _watched("fft2", _of_ours(_fft.fft2))
ifft2 = _watched("ifft2", _of_ours(_fft.ifft2))
fftn = _watched("fftn", _of_ours(_fft.fftn))
ifftn = _watched("ifftn", _of_ours(_fft.ifftn))
rfft = _watched("rfft", _of_ours(_fft.rfft))
irfft = _watched("irfft", _of_ours(_fft.irfft))
rfft2 = _watched("rfft2", _of_ours(_fft.rfft2))
irfft2 = _watched("irfft2", _of_ours(_fft.irfft2))
rfftn = _watched("rfftn", _of_ours(_fft.rfftn))
irfftn = _watched("irfftn", _of_ours(_fft.irfftn))

__getattr__ = _getter(globals(), _names, _fft, numpy.fft, "cupy.fft")
