"""Fourier transforms of arrays, as in numpy.fft: of float32 and complex64 in single precision, of others in double precision.

They are faces of the engine's functions (bindings/faces/transforms.pyi).
"""

import numpy

from quern.arrays import fallback
from quern.lib import _engine

_engine.add_functions(__name__, "numpy", "fft", shown="quern.fft")

__getattr__ = fallback.serve_module(globals(), numpy.fft, "fft.")
