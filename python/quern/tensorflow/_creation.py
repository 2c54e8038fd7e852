"""tf's functions that create and convert tensors."""

import math

import keras
import numpy as np

from quern.keras.backend.core import convert_to_tensor as _tensor
from quern.keras.backend.core import stop_gradient as _stopped
from quern.tensorflow import _operands
from quern.tensorflow import errors as _errors
from quern.tensorflow._constants import converted as _converted
from quern.tensorflow.dtypes import as_dtype

_ops = keras.ops


def constant(value, dtype=None, shape=None, name=None):
    """Return a tensor of a number, nested lists or an array.

    Parameters
    ----------
    value : array_like
        Values.
    dtype : DType or str, optional
        Data type; None infers it.
    shape : sequence of ints, optional
        Shape; one number is repeated to it.
    name : str, optional
        Accepted for compatibility.

    Returns
    -------
    Tensor
        Tensor.

    Examples
    --------
    >>> import quern.keras
    >>> import quern.tensorflow as tf
    >>> tf.constant(7, shape=(2, 2)).numpy()
    array([[7, 7],
           [7, 7]], dtype=int32)
    """
    if dtype is not None and hasattr(value, "_dtype_name") and value._dtype_name != as_dtype(dtype).name:
        raise TypeError(f"Expected tensor {value} with dtype {as_dtype(dtype)!r}, but got dtype {value.dtype!r}; use tf.cast()")
    x = _converted(value, dtype)
    if shape is None:
        return x
    sizes = _sizes(shape)
    if x.size != 1 and x.size != math.prod(sizes):
        raise TypeError(
            f"Eager execution of tf.constant with unsupported shape. Tensor {x.numpy()} (converted from {value}) has {x.size} elements, "
            f"but got `shape` {sizes} with {math.prod(sizes)} elements)."
        )
    return _ops.broadcast_to(_ops.reshape(x, ()), sizes) if x.size == 1 else _ops.reshape(x, sizes)


def convert_to_tensor(value, dtype=None, dtype_hint=None, name=None):
    """Return a tensor of a number, nested lists, an array or a variable; a tensor is returned as it is.

    Parameters
    ----------
    value : array_like
        Values.
    dtype : DType or str, optional
        Data type; None infers it.
    dtype_hint : DType or str, optional
        Data type that is used if the values can be converted to it.
    name : str, optional
        Accepted for compatibility.

    Returns
    -------
    Tensor
        Tensor.

    Examples
    --------
    >>> import quern.keras
    >>> import quern.tensorflow as tf
    >>> tf.convert_to_tensor([1.0, 2.0]).numpy()
    array([1., 2.], dtype=float32)
    """
    if _operands.is_tensor(value):
        _operands.exactly(value, dtype)
    if dtype is None and dtype_hint is not None and not hasattr(value, "dtype"):
        try:
            return _converted(value, dtype_hint)
        except (TypeError, ValueError):
            pass
    return _converted(value, dtype)


def is_tensor(x):
    """Is it a tensor or a variable?"""
    return keras.ops.is_tensor(x) or isinstance(x, keras.Variable)


@_errors.checked
def cast(x, dtype, name=None):
    """Return the tensor in another data type.

    Parameters
    ----------
    x : array_like
        Values.
    dtype : DType or str
        Data type.
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
    >>> tf.cast([1.7, 2.0], tf.int32).numpy()
    array([1, 2], dtype=int32)
    """
    return _tensor(_converted(x), as_dtype(dtype).name)


@_errors.checked
def identity(input, name=None):
    """A copy, through which gradients pass."""
    return _tensor(input) * 1 if "float" in _tensor(input)._dtype_name else _tensor(input).copy()


@_errors.checked
def stop_gradient(input, name=None):
    """The same values; gradients do not pass."""
    return _stopped(input)


@_errors.checked
def zeros(shape, dtype="float32", name=None):
    """Zeros of a shape."""
    return _ops.zeros(shape, dtype)


@_errors.checked
def ones(shape, dtype="float32", name=None):
    """Ones of a shape."""
    return _ops.ones(shape, dtype)


@_errors.checked
def fill(dims, value, name=None):
    """A tensor of a shape that holds one value."""
    sizes = _sizes(dims)
    if any(n < 0 for n in sizes):
        raise _errors.InvalidArgumentError(f"[tf.fill] dims must be >= 0, got {sizes}")
    return _ops.broadcast_to(_converted(value), sizes)


@_errors.checked
def eye(num_rows, num_columns=None, batch_shape=None, dtype="float32", name=None):
    """The unit matrix."""
    x = _ops.eye(num_rows, num_columns, dtype=dtype)
    return x if batch_shape is None else _ops.broadcast_to(x, (*_sizes(batch_shape), *x.shape))


@_errors.checked
def range(start, limit=None, delta=1, dtype=None, name=None):  # noqa: A001
    """Numbers in equal steps."""
    start, limit, delta = (_stopped(x) if _operands.is_tensor(x) else x for x in (start, limit, delta))
    start, limit = (0, start) if limit is None else (start, limit)
    if not delta:
        raise _errors.InvalidArgumentError("[tf.range] Requires delta != 0: 0")
    if (start > limit) if delta > 0 else (start < limit):
        sign = "<=" if delta > 0 else ">="
        raise _errors.InvalidArgumentError(f"[tf.range] Requires start {sign} limit for this sign of delta: {start}, {limit}")
    return _ops.arange(start, limit, delta, dtype=dtype)


@_errors.checked
def linspace(start, stop, num, name=None, axis=0):
    """Numbers in equal steps, both ends included; of integers float64."""
    start, stop = _tensor(start), _tensor(stop)
    kind = "float64" if "int" in start._dtype_name else start._dtype_name
    _check_whole(num, "num")
    return _ops.linspace(start, stop, num, dtype=kind, axis=axis)


def _sizes(shape):
    """Sizes as numbers: of one, of a list, of a tensor."""
    if hasattr(shape, "_dtype_name"):
        shape = shape.get().tolist()
    return (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(int(n) for n in shape)


def _check_whole(value, name):
    """Raise TypeError for a number that must be an integer."""
    kind = _operands._name(value if _operands.is_tensor(value) else _converted(value))
    if "int" not in kind:
        raise TypeError(f"Argument `tensor` (name: {name}) must be of type integer. Received `tensor` = {value} of dtype: {kind}")


@_errors.checked
def saturate_cast(value, dtype, name=None):
    """The tensor with another data type; what does not fit becomes the type's nearest value."""
    return _ops.saturate_cast(_tensor(value), dtype)
