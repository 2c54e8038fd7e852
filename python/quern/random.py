"""``quern.random``, numpy.random's functions on quern's arrays: arrays/random, under its public name; loaded when it is asked for."""

import sys

from quern.arrays import random

sys.modules[__name__] = random
