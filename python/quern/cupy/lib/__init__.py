"""cupy.lib."""

import numpy

from quern.arrays import fallback as _fallback
from quern.cupy._array import ndarray as _ndarray
from quern.cupy.lib import stride_tricks  # noqa: F401


def __getattr__(name):
    return _fallback.stand_in(numpy.lib, name, "cupy.lib", "lib.", _ndarray)


__name__ = "cupy.lib"
