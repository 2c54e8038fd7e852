"""Differences of neighbours, slopes and areas."""

import numpy

from quern.arrays.core import Array, _axes, _axis, asarray
from quern.arrays.creation import empty_like
from quern.arrays.data_types import _kind
from quern.arrays.manipulation import broadcast_to, concatenate, ravel
from quern.arrays.manipulation.arranging import _along
from quern.arrays.mathematics import subtract
from quern.arrays.mathematics.reductions import sum as _sum
from quern.lib import _engine


def _part(a, axis, start, stop=None):
    return a[_along(axis, slice(start, stop))]


def diff(a, n=1, axis=-1, prepend=None, append=None):
    """The differences of neighbours along ``axis``, taken ``n`` times; of bools: where they differ.

    Parameters: ``prepend``, ``append``: values put before and after first; numbers count as one element.
    Raises ValueError for negative ``n`` or an array without dimensions, AxisError for an axis that is not there.

    >>> diff([1, 4, 9])
    array([3, 5])
    """
    if n == 0:
        return a
    a = asarray(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = _axis(axis, a.ndim)
    parts = []
    for part in (prepend, a, append):
        if part is None:
            continue
        part = asarray(part)
        parts.append(part if part.ndim else broadcast_to(part, a.shape[:axis] + (1,) + a.shape[axis + 1 :]))
    if len(parts) > 1:
        a = concatenate(parts, axis)
    return _engine.array_differences(a, min(n, max(a.shape[axis], 1)), axis)  # more of them change nothing


def ediff1d(ary, to_end=None, to_begin=None):
    """The differences of neighbours of the flattened array, with what ``to_begin`` and ``to_end`` hold around them.

    Raises TypeError where these cannot be converted to the array's type.

    >>> ediff1d([1, 4, 9], to_end=[99])
    array([ 3,  5, 99])
    """
    ary = ravel(asarray(ary))
    ends = []
    for name, end in (("to_begin", to_begin), ("to_end", to_end)):
        if end is not None:
            end = ravel(asarray(end))
            if not numpy.can_cast(end.dtype, ary.dtype, "same_kind"):
                raise TypeError(f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule.")
            end = end.astype(ary.dtype, copy=False)
        ends.append(end)
    parts = [part for part in (ends[0], subtract(ary[1:], ary[:-1]), ends[1]) if part is not None]
    return concatenate(parts) if len(parts) > 1 else parts[0]


def gradient(f, *varargs, axis=None, edge_order=1):
    """The slope along each axis: central differences inside, one-sided ones of order ``edge_order`` (1 or 2) at the ends.

    Parameters: ``varargs``: the distance of neighbours, one for all axes or one for each, or the coordinates along an axis (an
    array of them is looked at, as evenly spaced ones are reckoned as one distance); ``axis``: an int, a tuple, or None for all.
    Returns an array, or a tuple of one for each of several axes. Raises ValueError for arrays too small and coordinates that do
    not fit, TypeError for a wrong number of distances.

    >>> gradient([1.0, 4.0, 9.0])
    array([3., 4., 5.])
    """
    f = asarray(f)
    axes = list(range(f.ndim)) if axis is None else _axes(axis, f.ndim)
    if not varargs:
        steps = [1.0] * len(axes)
    elif len(varargs) == 1 and asarray(varargs[0]).ndim == 0:
        steps = list(varargs) * len(axes)
    elif len(varargs) == len(axes):
        steps = [_spacing(distances, f.shape[n]) for distances, n in zip(varargs, axes, strict=True)]
    else:
        raise TypeError("invalid number of arguments")
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    if _kind(f) in "iu":
        f = f.astype("float64")
    out = [_slope(f, n, step, edge_order) for n, step in zip(axes, steps, strict=True)]
    return out[0] if len(out) == 1 else tuple(out)


def _spacing(distances, size):
    """The distance of neighbours, or an array of them where they differ."""
    if numpy.isscalar(distances):
        return distances
    distances = distances if isinstance(distances, Array) else numpy.asarray(distances)
    if distances.ndim == 0:
        return distances
    if distances.ndim != 1:
        raise ValueError("distances must be either scalars or 1d")
    if len(distances) != size:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    if distances.dtype.kind in "iu":
        distances = distances.astype("float64")
    steps = distances[1:] - distances[:-1]
    if (steps == steps[0]).all():
        return steps[0]
    return asarray(steps)


def _slope(f, axis, step, edge_order):
    size = f.shape[axis]
    if size < edge_order + 1:
        raise ValueError("Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are required.")
    out = empty_like(f, f.dtype if _kind(f) in "fc" else "float64")
    even = not isinstance(step, Array) or step.ndim == 0
    before, here, after = _part(f, axis, None, -2), _part(f, axis, 1, -1), _part(f, axis, 2)
    if even:
        inside = (after - before) / (2.0 * step)
    else:
        d1, d2 = step[:-1], step[1:]
        weights = (-d2 / (d1 * (d1 + d2)), (d2 - d1) / (d1 * d2), d1 / (d2 * (d1 + d2)))
        shape = (1,) * axis + (-1,) + (1,) * (f.ndim - axis - 1)
        a, b, c = (w.reshape(tuple(w.size if n == -1 else n for n in shape)) for w in weights)
        inside = a * before + b * here + c * after
    out[_along(axis, slice(1, -1))] = inside
    for end in (0, -1):
        places = (0, 1, 2) if end == 0 else (-1, -2, -3)
        near, next_, *more = (f[_along(axis, n)] for n in places[: edge_order + 1])
        if edge_order == 1:
            rise = next_ - near if end == 0 else near - next_
            value = rise / (step if even else step[end])
        elif end == 0:
            a, b, c = _edge(step, even, 0, 1)
            value = -a * near + b * next_ + -c * more[0]
        else:
            a, b, c = _edge(step, even, -1, -2)
            value = c * more[0] + -b * next_ + a * near
        out[_along(axis, end)] = value
    return out


def _edge(step, even, first, second):
    """The weights, without their signs, of the three elements at an end."""
    if even:
        return 1.5 / step, 2.0 / step, 0.5 / step
    d1, d2 = step[first], step[second]
    return (2.0 * d1 + d2) / (d1 * (d1 + d2)), (d1 + d2) / (d1 * d2), d1 / (d2 * (d1 + d2))


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The area under ``y`` along ``axis``, by trapezoids between the coordinates ``x`` or steps of ``dx``.

    >>> trapezoid([1, 2, 3])
    array(4.)
    """
    y = asarray(y)
    step = dx
    if x is not None:
        x = asarray(x)
        step = diff(x, axis=axis if x.ndim != 1 else -1)
        if x.ndim == 1:
            shape = [1] * y.ndim
            shape[axis] = step.shape[0]
            step = step.reshape(tuple(shape))
    place = _axis(axis, y.ndim)
    return _sum(step * (_part(y, place, 1) + _part(y, place, None, -1)) / 2.0, axis)
