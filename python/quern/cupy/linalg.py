"""cupy.linalg."""

import numpy

from quern.arrays import linalg as _linalg
from quern.cupy._fallback import getter as _getter
from quern.cupy._names import LINALG as _names

__getattr__ = _getter(globals(), _names, _linalg, numpy.linalg, "cupy.linalg")
