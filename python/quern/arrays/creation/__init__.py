"""New arrays: faces of the engine's table (bindings/faces/creation.pyi), by the names that modules of this package import.

grids.py: coordinates by slices; layouts.py: arrays of a certain layout.
"""

from quern.arrays.functions import functions
from quern.device import device_given as _device_given
from quern.lib import _engine

_engine.set_front_end("numpy", device=_device_given)
zeros, empty, full, arange = (functions[name] for name in ("zeros", "empty", "full", "arange"))
