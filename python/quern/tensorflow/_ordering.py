"""tf's functions that order, search and select elements, and running sums."""

import builtins
import collections

import keras
import numpy as np

from quern.keras.backend.core import convert_to_tensor as _tensor
from quern.tensorflow import _operands
from quern.tensorflow import errors as _errors
from quern.tensorflow._constants import converted as _converted
from quern.tensorflow._shapes import TensorShape

_ops = keras.ops
_Unique = collections.namedtuple("Unique", ["y", "idx"])
_UniqueWithCounts = collections.namedtuple("UniqueWithCounts", ["y", "idx", "count"])


def boolean_mask(tensor, mask, axis=None, name="boolean_mask"):
    """Return the elements, or slices along an axis, where a mask is true.

    Parameters
    ----------
    tensor : array_like
        Values.
    mask : array_like of bool
        Mask, in the shape of the first axes, or of those from `axis` on.
    axis : int, optional
        First axis of the mask.
    name : str, optional
        Accepted for compatibility.

    Returns
    -------
    Tensor
        Selected elements.

    Examples
    --------
    >>> import quern.keras
    >>> import quern.tensorflow as tf
    >>> tf.boolean_mask([1, 2, 3], [True, False, True]).numpy()
    array([1, 3], dtype=int32)
    """
    tensor, mask = _tensor(tensor), _tensor(mask, "bool")
    TensorShape(tensor.shape[axis or 0 :][: mask.ndim]).assert_is_compatible_with(mask.shape)
    return tensor[(builtins.slice(None),) * (axis or 0) + (mask,)]


@_errors.checked
def sequence_mask(lengths, maxlen=None, dtype="bool", name=None):
    """True at the first places of each row, as many as its length."""
    lengths = _tensor(lengths)
    count = int(maxlen) if maxlen is not None else int(_ops.max(lengths))
    return _tensor(_ops.arange(count, dtype=lengths._dtype_name) < _ops.expand_dims(lengths, -1), dtype)


@_errors.checked
def sort(values, axis=-1, direction="ASCENDING", name=None):
    """The elements in order along an axis."""
    ordered = _ops.sort(_operands.check("sort", _tensor(values)), axis=axis)
    return ordered if direction == "ASCENDING" else _ops.flip(ordered, axis=axis)


@_errors.checked
def argsort(values, axis=-1, direction="ASCENDING", stable=False, name=None):
    """Return the indices that sort the elements along an axis.

    Parameters
    ----------
    values : array_like
        Values.
    axis : int, optional
        Axis.
    direction : {'ASCENDING', 'DESCENDING'}, optional
        Order.
    stable : bool, optional
        Accepted for compatibility.
    name : str, optional
        Accepted for compatibility.

    Returns
    -------
    Tensor
        Indices, int32, in the shape of `values`.

    Examples
    --------
    >>> import quern.keras
    >>> import quern.tensorflow as tf
    >>> tf.argsort([3, 1, 2]).numpy()
    array([1, 2, 0], dtype=int32)
    """
    values = _tensor(values)
    if direction == "ASCENDING":
        return _ops.cast(_ops.argsort(values, axis=axis), "int32")
    count = values.shape[axis] - 1  # equal elements keep their order
    return _ops.cast(_ops.flip(count - _ops.argsort(_ops.flip(values, axis=axis), axis=axis), axis=axis), "int32")


def _running(function, start):
    def call(x, axis=0, exclusive=False, reverse=False, name=None):
        x = _operands.check("cumsum", _tensor(x))
        if reverse:
            x = _ops.flip(x, axis=axis)
        if exclusive:
            axis = axis % x.ndim
            first = (builtins.slice(None),) * axis
            before = _ops.full_like(x[(*first, builtins.slice(0, 1))], start)
            x = _ops.concatenate([before, x[(*first, builtins.slice(0, -1))]], axis)
        made = _tensor(function(x, axis=axis), x._dtype_name)
        return _ops.flip(made, axis=axis) if reverse else made

    return call


@_errors.checked
def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
    """Return cumulative sums along an axis.

    Parameters
    ----------
    x : array_like
        Values.
    axis : int, optional
        Axis.
    exclusive : bool, optional
        Whether each sum is without its own element.
    reverse : bool, optional
        Whether to sum from the end.
    name : str, optional
        Accepted for compatibility.

    Returns
    -------
    Tensor
        Shape of `x`.

    Examples
    --------
    >>> import quern.keras
    >>> import quern.tensorflow as tf
    >>> tf.cumsum([1, 2, 3], exclusive=True).numpy()
    array([0, 1, 3], dtype=int32)
    """
    return _running(_ops.cumsum, 0)(x, axis, exclusive, reverse)


@_errors.checked
def cumprod(x, axis=0, exclusive=False, reverse=False, name=None):
    """Return cumulative products along an axis; the parameters are those of :func:`cumsum`.

    Examples
    --------
    >>> import quern.keras
    >>> import quern.tensorflow as tf
    >>> tf.math.cumprod([1, 2, 3]).numpy()
    array([1, 2, 6], dtype=int32)
    """
    return _running(_ops.cumprod, 1)(x, axis, exclusive, reverse)


@_errors.checked
def one_hot(indices, depth, on_value=None, off_value=None, axis=-1, dtype=None, name=None):
    """Return vectors with one value at each index, and another one elsewhere.

    Parameters
    ----------
    indices : array_like of ints
        Indices; one out of range gives a vector without the value.
    depth : int
        Length of the vectors.
    on_value : scalar, optional
        Value at the index; None is 1.
    off_value : scalar, optional
        Value elsewhere; None is 0.
    axis : int, optional
        Axis of the vectors.
    dtype : DType or str, optional
        Data type; None is that of the values, or float32.
    name : str, optional
        Accepted for compatibility.

    Returns
    -------
    Tensor
        Shape of `indices` with a new axis.

    Examples
    --------
    >>> import quern.keras
    >>> import quern.tensorflow as tf
    >>> tf.one_hot([0, 2], 3).numpy()
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    indices = _tensor(indices)
    if "int" not in indices._dtype_name:
        raise _errors.InvalidArgumentError(f"[tf.one_hot] the indices must be integers, not {indices._dtype_name}; use tf.cast()")
    if dtype is None:
        given = [one for one in (on_value, off_value) if one is not None]
        kinds = [_converted(one)._dtype_name for one in given]
        if len(set(kinds)) > 1:
            raise TypeError(f"dtype {kinds[0]} of on_value does not match dtype {kinds[1]} of off_value; use tf.cast()")
        dtype = _converted(given[0])._dtype_name if given else "float32"
    x = _ops.one_hot(indices, int(depth), axis=axis, dtype=dtype)
    if on_value is None and off_value is None:
        return x
    on, off = 1 if on_value is None else on_value, 0 if off_value is None else off_value
    return _tensor(x * on + (1 - x) * off, dtype)


@_errors.checked
def searchsorted(sorted_sequence, values, side="left", out_type="int32", name=None):
    """The places at which values would keep each row in order."""
    rows, values = _converted(sorted_sequence), _converted(values)
    if rows._dtype_name != values._dtype_name:
        _operands.refuse_mixed("LowerBound" if side == "left" else "UpperBound", rows._dtype_name, values._dtype_name)
    if rows.ndim == 1:
        return _tensor(_ops.searchsorted(rows, values, side=side), out_type)
    flat = zip(_ops.reshape(rows, (-1, rows.shape[-1])), _ops.reshape(values, (-1, values.shape[-1])), strict=True)
    return _tensor(_ops.reshape(_ops.stack([_ops.searchsorted(r, v, side=side) for r, v in flat]), values.shape), out_type)


@_errors.checked
def unique_with_counts(x, out_idx="int32", name=None):
    """The values of a vector in the order of their first places, where each element's value stands among them, and how often."""
    values, first, places, counts = np.unique(_tensor(x).get(), return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first)
    at = np.argsort(order)[places.reshape(-1)]
    return _UniqueWithCounts(_tensor(values[order]), _tensor(at, out_idx), _tensor(counts[order], out_idx))


@_errors.checked
def unique(x, out_idx="int32", name=None):
    """The values of a vector in the order of their first places, and where each element's value stands among them."""
    return _Unique(*unique_with_counts(x, out_idx)[:2])


@_errors.checked
def argmax(input, axis=0, output_type="int64", name=None):
    """Return the indices of the largest elements along an axis.

    Parameters
    ----------
    input : array_like
        Values.
    axis : int, optional
        Axis.
    output_type : DType or str, optional
        Data type of the result.
    name : str, optional
        Accepted for compatibility.

    Returns
    -------
    Tensor
        Shape of `input` without `axis`.

    Examples
    --------
    >>> import quern.keras
    >>> import quern.tensorflow as tf
    >>> tf.argmax([[1, 5], [7, 2]], axis=1).numpy()
    array([1, 0])
    """
    return _tensor(_ops.argmax(input, axis=axis), output_type)


@_errors.checked
def argmin(input, axis=0, output_type="int64", name=None):
    """Return the indices of the smallest elements along an axis.

    Parameters
    ----------
    input : array_like
        Values.
    axis : int, optional
        Axis.
    output_type : DType or str, optional
        Data type of the result.
    name : str, optional
        Accepted for compatibility.

    Returns
    -------
    Tensor
        Shape of `input` without `axis`.

    Examples
    --------
    >>> import quern.keras
    >>> import quern.tensorflow as tf
    >>> tf.argmin([[1, 5], [7, 2]], axis=1).numpy()
    array([0, 1])
    """
    return _tensor(_ops.argmin(input, axis=axis), output_type)
