"""NumPy's functions that are faces of the engine's table (bindings/faces/), by their names, and methods that are spelled otherwise."""

import numpy

from quern.lib import _engine

functions = _engine.add_functions(__name__, "numpy", shown="quern")
__all__ = list(functions)
methods = _engine.functions_of("Array", "quern", "Array")

# The types of tuples that functions give.
tuples = {name: type(getattr(numpy, name)([0])) for name in ("unique_all", "unique_counts", "unique_inverse")}
_engine.set_front_end("numpy", tuples=tuples)
