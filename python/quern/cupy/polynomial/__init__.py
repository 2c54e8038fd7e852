"""cupy.polynomial: series in powers of x, coefficients from the lowest power up."""

import numpy

from quern.arrays import fallback as _fallback
from quern.cupy._array import ndarray as _ndarray
from quern.cupy.polynomial import polynomial, polyutils  # noqa: F401


def __getattr__(name):
    return _fallback.stand_in(numpy.polynomial, name, "cupy.polynomial", "polynomial.", _ndarray)


__name__ = "cupy.polynomial"
