"""Coordinates by slices. They depend on numbers alone: NumPy makes them on the host."""

import numpy

from quern.arrays.core import asarray
from quern.arrays.creation import zeros


class _Grid:
    """``ogrid[...]`` and ``mgrid[...]``: slices are ranges; an imaginary step is a number of points with the end included.

    Examples
    --------
    >>> import quern as qn
    >>> qn.ogrid[0:2, 0:3][1]
    array([[0, 1, 2]])
    """

    def __init__(self, sparse):
        self.sparse = sparse

    def __getitem__(self, key):
        lines = numpy.ogrid[key]
        if not isinstance(lines, tuple):
            return asarray(lines)
        if self.sparse:
            return tuple(asarray(line) for line in lines)
        if not lines or not all(line.size for line in lines):  # nothing to save, and NumPy's errors
            return asarray(numpy.mgrid[key])
        out = zeros((len(lines), *numpy.broadcast_shapes(*(line.shape for line in lines))), lines[0].dtype)
        for n, line in enumerate(lines):
            out[n] = line
        return out


ogrid, mgrid = _Grid(True), _Grid(False)
