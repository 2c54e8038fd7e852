"""The keywords of ufuncs that work on vectors and matrices: which axes of the operands and of the result these are."""

import operator

import numpy

from quern.arrays.core import _axis, _no_bool, asarray
from quern.arrays.manipulation import moveaxis

AxisError = numpy.exceptions.AxisError


def _parts(self):
    """The names of the core dimensions of each operand and of the result, such as "m,n"."""
    before, after = self.signature.replace(" ", "").split("->")
    return [*before[1:-1].split("),("), after[1:-1]]


def _core_dimensions(self, arrays):
    """How many core dimensions each operand and the result have."""
    counts = [len(part.split(",")) if part else 0 for part in _parts(self)]
    if "?" in self.signature:  # vectors count as matrices of one row or column, which the result has not
        flat = [a.ndim == 1 for a in arrays]
        counts = [1 if is_flat else n for n, is_flat in zip(counts, flat, strict=False)] + [counts[-1] - sum(flat)]
    return counts


def _entry(self, n, entry, count, ndim):
    """One entry of ``axes`` as a list of axes, once it is found to fit."""
    if not isinstance(entry, tuple):
        if count != 1:
            if not hasattr(entry, "__index__"):
                raise TypeError(f"{self.__name__}: axes item {n} should be a tuple.")
            raise AxisError(f"{self.__name__}: operand {n} has {count} core dimensions, but the axes item is a single integer.")
        entry = (entry,)
    if len(entry) != count:
        raise AxisError(f"{self.__name__}: operand {n} has {count} core dimensions, but the axes tuple names {len(entry)}.")
    places = [_axis(_no_bool(axis), ndim) for axis in entry]
    for place in places:
        if places.count(place) > 1:
            raise ValueError(f"axes item {n} has value {place} repeated")
    return places


_NONE = object()


def check(self, axes=_NONE, axis=_NONE, keepdims=False):
    """Raises TypeError for keywords that the ufunc cannot have."""
    if axes is not _NONE and axis is not _NONE:
        raise TypeError("cannot specify both 'axis' and 'axes'")
    if not isinstance(keepdims, bool):
        raise TypeError("'keepdims' must be a boolean")
    *parts, result = _parts(self)
    is_plain = not result and len(set(parts)) == 1 and parts[0] and "," not in parts[0]
    if keepdims and not is_plain:
        raise TypeError(
            f"{self.__name__} does not support keepdims: its signature {self.signature} has other core dimensions than one that all "
            "operands share"
        )
    if axis is not _NONE and not is_plain:
        raise TypeError(
            f"{self.__name__}: axis can only be used with a single shared core dimension, not with those implied by signature "
            f"{self.signature}."
        )
    if axes is not _NONE and not isinstance(axes, list):
        raise TypeError("axes should be a list.")


def call(self, values, axes=_NONE, axis=_NONE, keepdims=False, **keywords):
    """The ufunc of the operands with their core dimensions moved to the end; those of the result are moved where they belong.

    Raises AxisError for axes that are not there or too many of them, ValueError for an axis named twice and too few entries,
    TypeError for what is no axis.
    """
    arrays = [asarray(v) for v in values]
    counts = _core_dimensions(self, arrays)
    if any(a.ndim < count for a, count in zip(arrays, counts, strict=False)):
        return self(*arrays, **keywords)  # which says what is wrong
    loops = max(a.ndim - count for a, count in zip(arrays, counts, strict=False))
    last = counts[-1] + keepdims
    if axis is not _NONE:
        place = operator.index(_no_bool(axis))
        places = [[_axis(place, a.ndim)] for a in arrays] + [[_axis(place, loops + 1)] if keepdims else []]
    elif axes is not _NONE:
        if len(axes) != self.nargs and (len(axes) != self.nin or _parts(self)[-1]):
            raise ValueError(
                f"axes should be a list with an entry for all {self.nargs} inputs and outputs; entries for outputs can only be omitted "
                "if none of them has core axes."
            )
        ndims = [a.ndim for a in arrays] + [loops + last]
        sizes = [*counts[:-1], last]
        places = [_entry(self, n, entry, sizes[n], ndims[n]) for n, entry in enumerate(axes)]
        if len(places) == self.nin:
            places.append([loops] if keepdims else [])
    else:
        places = [list(range(a.ndim - count, a.ndim)) for a, count in zip(arrays, counts, strict=False)]
        places.append(list(range(loops, loops + last)))
    moved = [moveaxis(a, at, list(range(-len(at), 0))) for a, at in zip(arrays, places, strict=False)]
    result = asarray(self(*moved, **keywords))
    if keepdims:
        result = result[..., None]
    return moveaxis(result, list(range(-last, 0)), places[-1]) if last else result
