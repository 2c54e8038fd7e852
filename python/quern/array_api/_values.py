"""The standard's functions that make one value of many: statistics, running sums, tests, differences."""

from quern import arrays as ours

__all__ = "all any cumulative_prod cumulative_sum diff max mean min prod std sum var".split()


def all(x, /, *, axis=None, keepdims=False):
    """Are all elements true, along an axis, a tuple of axes, or at all?"""
    return ours.all(x, axis, keepdims=keepdims)


def any(x, /, *, axis=None, keepdims=False):
    """Is any element true, along an axis, a tuple of axes, or at all?"""
    return ours.any(x, axis, keepdims=keepdims)


def _one_axis(name, x, axis):
    if axis is None and x.ndim != 1:
        raise ValueError(f"[{name}] an array of {x.ndim} dimensions needs an axis")
    return 0 if axis is None else axis


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """Running products along an axis, which may be left out for a 1-d ``x``; ``include_initial``: with a 1 before them."""
    axis = _one_axis("cumulative_prod", x, axis)
    return ours.cumulative_prod(x, axis=axis, dtype=dtype, include_initial=include_initial)


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    """Running sums along an axis, which may be left out for a 1-d ``x``; ``include_initial``: with a 0 before them."""
    axis = _one_axis("cumulative_sum", x, axis)
    return ours.cumulative_sum(x, axis=axis, dtype=dtype, include_initial=include_initial)


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    """Differences of neighbours along an axis, taken ``n`` times."""
    return ours.diff(x, n, axis, prepend, append)


def max(x, /, *, axis=None, keepdims=False):
    """The greatest elements; NaN where there is one."""
    return ours.max(x, axis, keepdims=keepdims)


def mean(x, /, *, axis=None, keepdims=False):
    """The mean."""
    return ours.mean(x, axis, keepdims=keepdims)


def min(x, /, *, axis=None, keepdims=False):
    """The smallest elements; NaN where there is one."""
    return ours.min(x, axis, keepdims=keepdims)


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    """The product; of small integers as int64 or uint64."""
    return ours.prod(x, axis, dtype, keepdims=keepdims)


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The standard deviation over N - ``correction``."""
    return ours.std(x, axis, correction=correction, keepdims=keepdims)


def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    """The sum; of small integers as int64 or uint64."""
    return ours.sum(x, axis, dtype, keepdims=keepdims)


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The variance over N - ``correction``."""
    return ours.var(x, axis, correction=correction, keepdims=keepdims)
