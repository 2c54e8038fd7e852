"""How often values occur: bincount and histograms."""

import operator

import numpy

from quern.arrays.core import Array, asarray, asnumpy
from quern.arrays.creation import zeros
from quern.arrays.data_types import _kind
from quern.arrays.fallback import Unserved
from quern.arrays.reductions import max as _max
from quern.arrays.reductions import min as _min
from quern.lib import _engine


def bincount(x, /, weights=None, minlength=0):
    """How often 0, 1, 2 ... occur in ``x``, or with ``weights`` the sums of these.

    Parameters: ``minlength``: the result has at least so many elements. On a GPU the order in which weights are added up is not
    fixed. Returns an array of int64, or of float64. This waits for the largest number. Raises TypeError for numbers that are no
    integers, ValueError for negative ones, for another number of dimensions than one, and for weights of another length.

    >>> bincount([0, 2, 2])
    array([1, 0, 2])
    """
    x = asarray(x) if not (isinstance(x, (list, tuple)) and len(x) == 0) else zeros((0,), "int64")
    weights = None if weights is None else asarray(weights)
    return _engine.array_bincount(x, weights, operator.index(minlength))


def _edges(a, bins, range, weights):
    """The edges on the host, and (first, last, how many) where they are even."""
    if isinstance(bins, str):
        raise Unserved("numbers of bins found by a rule are not native")
    if range is not None:
        first, last = range
        if first > last:
            raise ValueError("max must be larger than min in range parameter.")
        if not (numpy.isfinite(first) and numpy.isfinite(last)):
            raise ValueError(f"supplied range of [{first}, {last}] is not finite")
    bins = asnumpy(bins) if isinstance(bins, Array) else numpy.asarray(bins)
    if bins.ndim == 1:
        if (bins[:-1] > bins[1:]).any():
            raise ValueError("`bins` must increase monotonically, when an array")
        return bins, None
    if bins.ndim > 1:
        raise ValueError("`bins` must be 1d, when an array")
    try:
        count = operator.index(bins[()])
    except TypeError:
        raise TypeError("`bins` must be an integer, a string, or an array") from None
    if count < 1:
        raise ValueError("`bins` must be positive, when an integer")
    if range is None:
        if a.size:
            first, last = asnumpy(_min(a))[()], asnumpy(_max(a))[()]
            if not (numpy.isfinite(first) and numpy.isfinite(last)):
                raise ValueError(f"autodetected range of [{first}, {last}] is not finite")
        else:
            first, last = 0, 1
    if first == last:
        first, last = first - 0.5, last + 0.5
    name = numpy.result_type(first, last, a.dtype)
    if numpy.issubdtype(name, numpy.integer):
        name = numpy.result_type(name, float)
    return numpy.linspace(first, last, count + 1, endpoint=True, dtype=name), (first, last, count)


def _prepared(a, weights):
    a = asarray(a)
    if _kind(a) == "c":
        raise Unserved("histograms of complex numbers are not native")
    if _kind(a) == "b":
        a = a.astype("uint8")
    if weights is not None:
        weights = asarray(weights)
        if weights.shape != a.shape:
            raise ValueError("weights should have the same shape as a.")
        if _kind(weights) == "c":
            raise Unserved("complex weights are not native")
    return a, weights


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of the bins that :func:`histogram` counts in.

    >>> histogram_bin_edges([0, 4], bins=2)
    array([0., 2., 4.])
    """
    a, weights = _prepared(a, weights)
    return asarray(_edges(a, bins, range, weights)[0])


def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many elements lie in each of ``bins``.

    Parameters: ``bins``: how many even ones, or their edges; ``range``: from where to where, by default from the smallest to the
    largest element (which are looked at); ``density``: divided so that the area is one; ``weights``: what each element counts.
    Returns the counts and the edges. Raises ValueError for edges that fall, a range that is none, and bins that are no positive
    number.

    >>> histogram([1, 2, 2, 4], bins=3)
    (array([1, 2, 1]), array([1., 2., 3., 4.]))
    """
    a, weights = _prepared(a, weights)
    edges, even = _edges(a, bins, range, weights)
    on_device = asarray(edges)
    if even is not None:
        first, last, count = even
        width = last.astype(edges.dtype) - first.astype(edges.dtype) if isinstance(last, numpy.generic) else last - first
        even = (first, last, width, count)
    return _engine.array_histogram(a, on_device, even, weights, bool(density)), on_device
