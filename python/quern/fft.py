"""``quern.fft``, numpy.fft's functions on quern's arrays: arrays/fft.py, under its public name; loaded when it is asked for."""

import sys

from quern.arrays import fft

sys.modules[__name__] = fft
