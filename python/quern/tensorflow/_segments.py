"""tf.math's reductions of slices that have one segment number. Numbers that are no segment raise on a CPU, as in TensorFlow."""

import keras
import numpy as np

from quern.keras.backend import recording
from quern.keras.backend.core import convert_to_tensor as _tensor
from quern.lib import _engine
from quern.tensorflow import _functions
from quern.tensorflow._constants import converted
from quern.tensorflow.errors import InvalidArgumentError as _InvalidArgumentError
from quern.tensorflow.errors import checked as _checked

_ops = keras.ops


def _known(ids):
    """The numbers on the host where they are checked: on a CPU, and not while a step is recorded."""
    return ids.get() if recording.recorder() is None and _engine.default_device().kind == "cpu" else None


def _read(what, data, segment_ids):
    data, ids = converted(data), converted(segment_ids)
    if ids._dtype_name not in ("int32", "int64"):
        raise _InvalidArgumentError(f"[{what}] segment_ids must be int32 or int64, not {ids._dtype_name}; use tf.cast()")
    return data, ids


def _sorted(name, doc, reduction, empty):
    what = f"tf.math.segment_{name}"

    def call(data, segment_ids, name=None):
        data, ids = _read(what, data, segment_ids)
        if ids.ndim != 1 or ids.shape[0] != data.shape[0]:
            raise _InvalidArgumentError(f"[{what}] segment_ids should be a vector of the size of data's first axis, {data.shape[0]}")
        known = _known(ids)
        if known is not None and known.size and known.min() < 0:
            raise _InvalidArgumentError(f"[{what}] segment id {known.min()} out of range, must not be negative")
        if known is not None and (np.diff(known) < 0).any():
            raise _InvalidArgumentError(f"[{what}] segment ids are not increasing; use tf.math.unsorted_segment_{what[16:]}")
        count = int(_ops.max(ids)) + 1 if ids.size else 0
        made = reduction(data, ids, count)
        if empty is None:
            return made
        counts = _counts(ids, count, data.ndim)
        return _ops.where(counts > 0, made, _ops.cast(_ops.full_like(made, empty), made.dtype))

    call.__name__ = call.__qualname__ = f"segment_{name}"
    call.__doc__ = doc
    return _checked(call)


def _unsorted(name, doc, reduction, empty=None):
    what = f"tf.math.unsorted_segment_{name}"

    def call(data, segment_ids, num_segments, name=None):
        data, ids = _read(what, data, segment_ids)
        count = int(num_segments)
        sizes, wanted = tuple(data.shape), tuple(ids.shape)
        if sizes[: ids.ndim] != wanted:
            raise _InvalidArgumentError(f"[{what}] data.shape = {sizes} does not start with segment_ids.shape = {wanted}")
        known = _known(ids)
        if known is not None and (known >= count).any():
            raise _InvalidArgumentError(f"[{what}] segment_ids = {known.max()} is out of range [0, {count})")
        data, ids = _ops.reshape(data, (-1, *data.shape[ids.ndim :])), _ops.reshape(ids, (-1,))
        made = reduction(data, ids, count)
        if empty is None:
            return made
        return _ops.where(_counts(ids, count, data.ndim) > 0, made, _tensor(_limit(data, empty), data._dtype_name))

    call.__name__ = call.__qualname__ = f"unsorted_segment_{name}"
    call.__doc__ = doc
    return _checked(call)


def _limit(data, which):
    limits = np.iinfo(data._dtype_name) if "int" in data._dtype_name else np.finfo(data._dtype_name)
    return getattr(limits, which)


def _extremes(reduction, limit=None):
    """A reduction to extremes, none of them beyond the type's ``limit``, whose gradient goes in equal parts to the elements that are it."""

    def call(data, ids, count):
        if "float" not in data._dtype_name or not _engine.wants_gradient(data):
            return limited(reduction(data, ids, count), data)

        @_functions.custom_gradient
        def of_data(data):
            made = limited(reduction(data, ids, count), data)

            def slope(g):
                rows = _ops.clip(ids, 0, max(count - 1, 0))
                is_row = _ops.reshape(_ops.equal(ids, rows), (-1,) + (1,) * (data.ndim - 1))
                is_extreme = _ops.logical_and(is_row, _ops.equal(data, _ops.take(made, rows, axis=0)))
                shares = g / _ops.segment_sum(_ops.cast(is_extreme, data._dtype_name), ids, count)
                return _ops.where(is_extreme, _ops.take(shares, rows, axis=0), 0)

            return made, slope

        return of_data(data)

    def limited(made, data):
        if limit is None or "float" not in data._dtype_name:
            return made
        return (_ops.maximum if limit == "min" else _ops.minimum)(made, _tensor(_limit(data, limit), data._dtype_name))

    return call


def _counts(ids, count, rank):
    counts = _ops.segment_sum(_ops.ones(ids.shape, "int32"), ids, count)
    return _ops.reshape(counts, (-1,) + (1,) * (rank - 1))


def _mean(data, ids, count):
    sums = _ops.segment_sum(data, ids, count)
    counts = _ops.cast(_ops.maximum(_counts(ids, count, data.ndim), 1), data._dtype_name)
    return sums // counts if "int" in data._dtype_name else sums / counts


def _root_mean(data, ids, count):
    counts = _ops.cast(_ops.maximum(_counts(ids, count, data.ndim), 1), data._dtype_name)
    return _ops.segment_sum(data, ids, count) / _ops.sqrt(counts)


def _product(data, ids, count):
    from quern.keras.backend.math import segment_prod

    return segment_prod(data, ids, count)


def _least(data, ids, count):
    from quern.keras.backend.math import segment_min

    return segment_min(data, ids, count)


segment_sum = _sorted("sum", "Return the sums of the slices that have one number.", _ops.segment_sum, None)
segment_mean = _sorted("mean", "Return the means of the slices that have one number.", _mean, None)
segment_max = _sorted("max", "Return the largest elements of the slices that have one number.", _extremes(_ops.segment_max), 0)
segment_min = _sorted("min", "Return the smallest elements of the slices that have one number.", _extremes(_least), 0)
segment_prod = _sorted("prod", "Return the products of the slices that have one number.", _product, None)
unsorted_segment_sum = _unsorted("sum", "Return the sums of the slices that have one number.", _ops.segment_sum)
unsorted_segment_mean = _unsorted("mean", "Return the means of the slices that have one number.", _mean)
unsorted_segment_max = _unsorted(
    "max", "Return the largest elements of the slices that have one number.", _extremes(_ops.segment_max, "min"), "min"
)
unsorted_segment_min = _unsorted(
    "min", "Return the smallest elements of the slices that have one number.", _extremes(_least, "max"), "max"
)
unsorted_segment_prod = _unsorted("prod", "Return the products of the slices that have one number.", _product)
unsorted_segment_sqrt_n = _unsorted("sqrt_n", "Return the sums divided by the roots of their counts.", _root_mean)
