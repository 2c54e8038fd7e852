"""Coordinates: grids, scales and windows. What depends on numbers alone is made on the host, as arange and linspace are."""

import numpy

from quern.arrays.core import _shape, asarray, looked_at
from quern.arrays.creation import arange, linspace, zeros
from quern.lib import _engine


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """A tuple of the coordinates of the points of a grid, one array for each of the vectors ``xi``.

    Parameters: ``indexing``: "xy" (the first vector runs along the second axis) or "ij"; ``sparse``: sizes of one where a
    coordinate does not change; ``copy``: False for views. Raises ValueError for another ``indexing``.

    >>> [a.tolist() for a in meshgrid([1, 2], [3])]
    [[[1, 2]], [[3, 3]]]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    out = _engine.array_grid([asarray(x) for x in xi], indexing == "ij", bool(sparse))
    return tuple(x.copy() for x in out) if copy else tuple(out)


def indices(dimensions, dtype=int, sparse=False):
    """The indices of a grid: an array of shape (N, *dimensions); with ``sparse`` a tuple of N arrays that broadcast to it.

    >>> indices((2, 2)).tolist()
    [[[0, 0], [1, 1]], [[0, 1], [0, 1]]]
    """
    dimensions = tuple(_shape(tuple(dimensions)))
    rank = len(dimensions)
    lines = [arange(size, dtype=dtype).reshape((1,) * n + (size,) + (1,) * (rank - n - 1)) for n, size in enumerate(dimensions)]
    if sparse:
        return tuple(lines)
    out = zeros((rank, *dimensions), dtype)
    for n, line in enumerate(lines):
        out[n] = line
    return out


class _Grid:
    """``ogrid[...]`` and ``mgrid[...]``: slices are ranges; an imaginary step is a number of points with the end included.

    >>> ogrid[0:2, 0:3][1]
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


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """``num`` numbers from ``base ** start`` to ``base ** stop`` with even steps of the exponent. Limits in arrays are looked at.

    >>> logspace(0, 2, 3)
    array([  1.,  10., 100.])
    """
    if _engine.records((start, stop, base)):
        made = asarray(base) ** linspace(start, stop, num, endpoint, axis=axis)
        return made if dtype is None else made.astype(dtype)
    start, stop, base = looked_at("logspace", start, stop, base)
    return asarray(numpy.logspace(start, stop, num, endpoint, base, dtype, axis))


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """``num`` numbers from ``start`` to ``stop``, each the same multiple of the one before. Limits in arrays are looked at.

    Raises ValueError for a limit of zero.

    >>> geomspace(1, 100, 3)
    array([  1.,  10., 100.])
    """
    start, stop = looked_at("geomspace", start, stop)
    return asarray(numpy.geomspace(start, stop, num, endpoint, dtype, axis))


def bartlett(M):
    """The Bartlett window of ``M`` points, a triangle.

    >>> bartlett(3)
    array([0., 1., 0.])
    """
    return asarray(numpy.bartlett(M))


def blackman(M):
    """The Blackman window of ``M`` points, of three cosines."""
    return asarray(numpy.blackman(M))


def hamming(M):
    """The Hamming window of ``M`` points, a raised cosine."""
    return asarray(numpy.hamming(M))


def hanning(M):
    """The Hann window of ``M`` points, a raised cosine that ends in zeros.

    >>> hanning(3)
    array([0., 1., 0.])
    """
    return asarray(numpy.hanning(M))


def kaiser(M, beta):
    """The Kaiser window of ``M`` points; the larger ``beta``, the narrower."""
    return asarray(numpy.kaiser(*looked_at("kaiser", M, beta)))
