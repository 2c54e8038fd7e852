"""numpy.fft on arrays. A function defined here is native; NumPy computes the others on the host."""

import numpy

from quern.arrays import fallback

__getattr__ = fallback.serve_module(globals(), numpy.fft, "fft.")
