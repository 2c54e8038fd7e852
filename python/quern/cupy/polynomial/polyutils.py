"""cupy.polynomial.polyutils: coefficients checked, converted to one type and cut to what counts."""

import numpy

from quern import arrays as _qn
from quern.arrays import fallback as _fallback
from quern.cupy._array import as_ndarray as _as_ndarray
from quern.cupy._array import ndarray as _ndarray


def trimseq(seq):
    """The coefficients without zeros at the end; one stays. The same array where there is nothing to cut. This reads values.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.polynomial.polyutils.trimseq(cp.array([1.0, 2.0, 0.0]))
    array([1., 2.])
    """
    if seq.size == 0 or seq[-1] != 0:
        return seq
    used = numpy.flatnonzero(seq.get())
    return seq[: used[-1] + 1] if used.size else seq[:1]


def as_series(alist, trim=True):
    """1-d arrays of one type, float64 at least for integers, of each of ``alist``; with ``trim`` cut by trimseq().

    Raises ValueError for arrays that are empty, have more than one axis, or are of booleans.
    """
    arrays = [_as_ndarray(_qn.array(a, ndmin=1, copy=None)) for a in alist]
    for a in arrays:
        if a.size == 0:
            raise ValueError("Coefficient array is empty")
        if a.ndim != 1:
            raise ValueError("Coefficient array is not 1-d")
    if trim:
        arrays = [trimseq(a) for a in arrays]
    try:
        dtype = _qn.common_type(*arrays)
    except TypeError:
        raise ValueError("Coefficient arrays have no common type") from None
    return [a.astype(dtype, copy=False) for a in arrays]


def trimcoef(c, tol=0):
    """The coefficients without those at the end of at most ``tol`` in magnitude; a zero when none is above it. This reads values.

    Raises ValueError for a negative ``tol``.
    """
    if tol < 0:
        raise ValueError("tol must be non-negative")
    (c,) = as_series([c])
    above = numpy.flatnonzero(abs(c).get() > tol)
    return c[: above[-1] + 1].copy() if above.size else c[:1] * 0


def __getattr__(name):
    return _fallback.stand_in(numpy.polynomial.polyutils, name, "cupy.polynomial.polyutils", "polynomial.polyutils.", _ndarray)


__name__ = "cupy.polynomial.polyutils"
