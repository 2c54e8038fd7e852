"""CuPy's functions that are NumPy's on quern's arrays: those of quern.arrays, with CuPy's type of array for their results.

Functions of the engine's table have faces of their own for CuPy, which quern.cupy has in their place.
"""

import numpy

from quern import arrays as _arrays
from quern.arrays import core as _core
from quern.arrays.ufuncs import ufunc as _kind_of_ufunc
from quern.cupy import _polynomials, _ufunc
from quern.cupy._array import as_ndarray, ndarray
from quern.cupy._fallback import of_ours
from quern.cupy._names import CUPY


class _Grid:
    """``mgrid`` and ``ogrid`` with CuPy's arrays."""

    def __init__(self, grid):
        self._grid = grid

    def __getitem__(self, key):
        return as_ndarray(self._grid[tuple(map(_of_numbers, key)) if isinstance(key, tuple) else _of_numbers(key)])


def _of_numbers(part):
    """A slice whose bounds of one element are numbers: this waits for them. Others are arrays of the host's."""
    bounds = [_core.asnumpy(x) if isinstance(x, ndarray) else x for x in (part.start, part.stop, part.step)]
    return slice(*(x.item() if isinstance(x, numpy.ndarray) and x.ndim == 0 else x for x in bounds))


# Functions that accept CuPy's arrays alone, as CuPy's do.
_OWN_ARRAYS = frozenset("putmask place angle fix".split())
_ELSEWHERE = frozenset("exceptions fft flatiter lib linalg ndarray random testing".split()).union(_polynomials.__all__)


def _of(name):
    value = getattr(_arrays, name)
    if isinstance(value, _kind_of_ufunc):
        return _ufunc.of_ours(value)
    if hasattr(value, "__quern_native__") or (getattr(value, "__module__", None) or "").startswith("quern.arrays.") and callable(value):
        return of_ours(value, name in _OWN_ARRAYS)
    return _Grid(value) if name in ("mgrid", "ogrid") else value


_FUNCTIONS = {name: _of(name) for name in _arrays.__all__ if name in CUPY and name not in _ELSEWHERE}
__all__ = list(_FUNCTIONS)  # noqa: PLE0605


def __getattr__(name):
    if name in _FUNCTIONS:
        return _FUNCTIONS[name]
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
