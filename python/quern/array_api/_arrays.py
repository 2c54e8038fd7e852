"""The standard's functions about shapes, places and sets of arrays."""

from quern import arrays as ours

__all__ = """argmax argmin argsort broadcast_arrays broadcast_to concat count_nonzero expand_dims flip moveaxis nonzero permute_dims repeat
reshape roll searchsorted sort squeeze stack take take_along_axis tile unique_all unique_counts unique_inverse unique_values unstack
where""".split()


def broadcast_arrays(*arrays):
    """Views of the arrays with the shape that they broadcast to, as a list."""
    return list(ours.broadcast_arrays(*arrays))


def broadcast_to(x, /, shape):
    """A view of ``x`` with a shape that it broadcasts to."""
    return ours.broadcast_to(x, shape)


def concat(arrays, /, *, axis=0):
    """The arrays one after the other along an axis; ``axis=None``: flattened."""
    return ours.concat(arrays, axis=axis)


def expand_dims(x, /, axis=0):
    """A view with an axis of one element inserted at ``axis``."""
    return ours.expand_dims(x, axis)


def flip(x, /, *, axis=None):
    """``x`` backwards along an axis, a tuple of axes, or all."""
    return ours.flip(x, axis)


def moveaxis(x, source, destination, /):
    """A view with axes moved to other places."""
    return ours.moveaxis(x, source, destination)


def permute_dims(x, /, axes):
    """A view with the axes in another order."""
    return ours.permute_dims(x, axes)


def repeat(x, repeats, /, *, axis=None):
    """Each element ``repeats`` times, along an axis or flattened."""
    return ours.repeat(x, repeats, axis)


def reshape(x, /, shape, *, copy=None):
    """``x`` in another shape: a view where strides allow. ``copy``: True always copies; False raises ValueError where it must."""
    return ours.reshape(x, shape, copy=copy)


def roll(x, /, shift, *, axis=None):
    """``x`` with its elements moved on by ``shift``, around the end, along an axis or flattened."""
    return ours.roll(x, shift, axis)


def squeeze(x, /, axis):
    """A view without the axes ``axis``, of one element each."""
    return ours.squeeze(x, axis)


def stack(arrays, /, *, axis=0):
    """The arrays, all of one shape, along a new axis."""
    return ours.stack(arrays, axis=axis)


def tile(x, repetitions, /):
    """``x`` as often as said along each axis."""
    return ours.tile(x, repetitions)


def unstack(x, /, *, axis=0):
    """A tuple of the views along an axis."""
    return ours.unstack(x, axis=axis)


# ---- searching and sorting


def argmax(x, /, *, axis=None, keepdims=False):
    """Where the greatest value is, along an axis or of all in C order."""
    return ours.argmax(x, axis, keepdims=keepdims)


def argmin(x, /, *, axis=None, keepdims=False):
    """Where the smallest value is, along an axis or of all in C order."""
    return ours.argmin(x, axis, keepdims=keepdims)


def count_nonzero(x, /, *, axis=None, keepdims=False):
    """How many elements are not zero."""
    return ours.count_nonzero(x, axis, keepdims=keepdims)


def nonzero(x, /):
    """The places of the elements that are not zero: a tuple of an array of indices for each axis. Raises ValueError for a 0-d array."""
    if x.ndim == 0:
        raise ValueError("[nonzero] calling nonzero on 0d arrays is not allowed; reshape it to one axis")
    return ours.nonzero(x)


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    """Where the values ``x2`` belong in the sorted 1-d ``x1``."""
    return ours.searchsorted(x1, x2, side, sorter)


def where(condition, x1, x2, /):
    """The elements of ``x1`` where ``condition`` is true, of ``x2`` elsewhere."""
    return ours.where(condition, x1, x2)


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    """The places that sort ``x`` along an axis."""
    return ours.argsort(x, axis, stable=stable, descending=descending)


def sort(x, /, *, axis=-1, descending=False, stable=True):
    """``x`` sorted along an axis."""
    return ours.sort(x, axis, stable=stable, descending=descending)


def take(x, indices, /, *, axis=None):
    """The elements at ``indices`` along an axis, which may be left out for a 1-d ``x``."""
    if axis is None and x.ndim != 1:
        raise ValueError(f"[take] an array of {x.ndim} dimensions needs an axis")
    return ours.take(x, indices, axis)


def take_along_axis(x, indices, /, *, axis=-1):
    """The elements at ``indices``, which has the shape of ``x`` but for ``axis``."""
    return ours.take_along_axis(x, indices, axis)


# ---- sets


def unique_all(x, /):
    """values, indices, inverse_indices and counts of the different elements: a named tuple."""
    return ours.unique_all(x)


def unique_counts(x, /):
    """values and counts of the different elements: a named tuple."""
    return ours.unique_counts(x)


def unique_inverse(x, /):
    """values and inverse_indices of the different elements: a named tuple."""
    return ours.unique_inverse(x)


def unique_values(x, /):
    """The different elements."""
    return ours.unique_values(x)
