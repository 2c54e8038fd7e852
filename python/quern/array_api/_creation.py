"""The standard's functions that make arrays: faces of the engine's table (bindings/faces/creation.pyi), and two in Python."""

from quern import arrays as ours
from quern.lib import _engine

_faces = _engine.add_functions(__name__, "array_api")
__all__ = [*_faces, "from_dlpack", "meshgrid"]


def from_dlpack(x, /, *, device=None, copy=None):
    """An array over the memory of another library's; see :func:`quern.from_dlpack`."""
    return ours.from_dlpack(x, device=device, copy=copy)


def meshgrid(*arrays, indexing="xy"):
    """The coordinates of a grid, a list of an array for each of the 1-d ``arrays``."""
    return list(ours.meshgrid(*arrays, indexing=indexing))
