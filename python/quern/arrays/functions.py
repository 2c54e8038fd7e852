"""NumPy's functions that are faces of the engine's table (bindings/faces/), by their names, and methods that are spelled otherwise."""

from quern.lib import _engine

functions = _engine.functions_of("numpy", "quern")
methods = _engine.functions_of("Array", "quern", "Array")
