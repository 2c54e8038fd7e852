"""How often values occur: bincount and histograms."""

import operator

import numpy

from quern.arrays.core import asarray, check_recorded, looked_at
from quern.arrays.creation import zeros
from quern.arrays.data_types import _kind
from quern.arrays.fallback import Unserved
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
    if x.size == 0 and weights is not None and weights.shape == x.shape:
        weights = None  # NumPy counts nothing at all in integers
    return _engine.array_bincount(x, weights, operator.index(minlength))


def _edges(bins):
    """The edges on the host, or how many even bins there are."""
    if isinstance(bins, str):
        raise Unserved("numbers of bins found by a rule are not native")
    bins = numpy.asarray(looked_at("histogram", bins)[0])
    if bins.ndim > 1:
        raise ValueError("`bins` must be 1d, when an array")
    if bins.ndim == 1:
        if (bins[:-1] > bins[1:]).any():
            raise ValueError("`bins` must increase monotonically, when an array")
        return bins, None
    try:
        return None, operator.index(bins[()])
    except TypeError:
        raise TypeError("`bins` must be an integer, a string, or an array") from None


def _prepared(a, weights):
    a = asarray(a)
    check_recorded("histogram", a, weights)
    if _kind(a) == "c":
        raise Unserved("histograms of complex numbers are not native")
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
    edges, count = _edges(bins)
    return _engine.array_even_edges(a, count, *range or (None, None)) if edges is None else asarray(edges)


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
    edges, count = _edges(bins)
    if edges is None:
        return _engine.array_even_histogram(a, count, *range or (None, None), weights, bool(density))
    return _engine.array_histogram(a, asarray(edges), weights, bool(density))
