"""tf's functions that read and write elements of tensors at given places. Places outside of a tensor raise, on a CPU at once."""

import math

import keras
import numpy as np

from quern.keras.backend import recording
from quern.keras.backend.core import convert_to_tensor as _tensor
from quern.lib import _engine
from quern.tensorflow import _operands
from quern.tensorflow.errors import InvalidArgumentError as _InvalidArgumentError
from quern.tensorflow.errors import checked as _checked

_ops = keras.ops


def _places(indices, what):
    x = _tensor(indices)
    if not x._dtype_name.startswith(("int", "uint")):
        raise _InvalidArgumentError(f"[{what}] the indices must be integers, not {x._dtype_name}; use tf.cast()")
    return x


def _is_of_host(given):
    return not isinstance(given, _engine.BareArray) and not hasattr(given, "assign")


def _check(indices, limits, what, given):
    """Raise InvalidArgumentError where a place is out of range.

    Indices of the host's are checked on any device; a tensor's on a CPU only, as in TensorFlow, and not while a step is recorded.
    """
    if not indices.size or recording.recorder() is not None or not _is_of_host(given) and _engine.default_device().kind != "cpu":
        return
    values = indices.get()
    limits = np.asarray(limits)
    wrong = (values < 0) | (values >= limits)
    if wrong.any():
        at = tuple(int(n[0]) for n in np.nonzero(wrong))
        limit = int(limits if limits.ndim == 0 else limits[at[-1]])
        raise _InvalidArgumentError(f"[{what}] indices[{','.join(map(str, at))}] = {values[at]} is not in [0, {limit})")


@_checked
def gather(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    """Return the slices at places along an axis; ``batch_dims``: so many leading axes belong together."""
    x, given, indices = _tensor(params), indices, _places(indices, "tf.gather")
    batch_dims = batch_dims + indices.ndim if batch_dims < 0 else batch_dims
    axis = batch_dims if axis is None else int(axis)
    if not -x.ndim <= axis < x.ndim:
        raise _InvalidArgumentError(f"[tf.gather] Expected params axis in the range [{-x.ndim}, {x.ndim}), but got {axis}")
    axis %= x.ndim
    if axis < batch_dims:
        raise _InvalidArgumentError(f"[tf.gather] batch_dims ({batch_dims}) must be less than or equal to axis ({axis})")
    _check(indices, x.shape[axis], "tf.gather", given)
    if not batch_dims:
        return _ops.take(x, indices, axis=axis)
    moved = _ops.moveaxis(x, axis, batch_dims)
    found = moved[(*_rows(indices, batch_dims), indices)]
    inner, before = indices.ndim - batch_dims, axis - batch_dims  # the axes between the batch's and `axis` come first
    order = [*range(batch_dims), *range(batch_dims + inner, batch_dims + inner + before), *range(batch_dims, batch_dims + inner)]
    return _ops.transpose(found, [*order, *range(len(order), found.ndim)]) if before else found


def _rows(indices, count):
    """Places of the leading axes, which broadcast with the indices."""
    return [_ops.reshape(_ops.arange(indices.shape[i], dtype="int32"), [-1 if i == j else 1 for j in range(indices.ndim)])
            for i in range(count)]  # fmt: skip


@_checked
def gather_nd(params, indices, batch_dims=0, name=None):
    """Return the elements, or slices, at places: each row of ``indices`` is the start of one."""
    x, given, indices = _tensor(params), indices, _places(indices, "tf.gather_nd")
    depth = indices.shape[-1]
    if depth + batch_dims > x.ndim:
        raise _InvalidArgumentError(
            f"[tf.gather_nd] index innermost dimension length must be <= params rank; saw: {depth} vs. {x.ndim - batch_dims}"
        )
    _check(indices, x.shape[batch_dims : batch_dims + depth], "tf.gather_nd", given)
    rows = _rows(indices[..., 0], batch_dims)
    return x[(*rows, *[indices[..., i] for i in range(depth)])] if rows or depth else x


def _scattered(what, indices, sizes, updates):
    given, indices = indices, _places(indices, what)
    depth = indices.shape[-1] if indices.ndim else 0
    if depth > len(sizes):
        raise _InvalidArgumentError(f"[{what}] indices have {depth} elements along their last axis; the tensor has {len(sizes)} axes")
    wanted = (*indices.shape[:-1], *sizes[depth:])
    if tuple(updates.shape) != wanted and math.prod(updates.shape) != 1:
        raise _InvalidArgumentError(f"[{what}] the updates' shape must be {wanted}, not {tuple(updates.shape)}")
    _check(indices, sizes[:depth], what, given)
    return indices


def _sizes_of(shape):
    shape = shape.get().tolist() if hasattr(shape, "_dtype_name") else shape
    return tuple(int(n) for n in (shape if hasattr(shape, "__iter__") else (shape,)))


@_checked
def scatter_nd(indices, updates, shape, name=None):
    """Return zeros of a shape with values added at places."""
    updates, sizes = _tensor(updates), _sizes_of(shape)
    return _ops.scatter(_scattered("tf.scatter_nd", indices, sizes, updates), updates, sizes)


def _check_kind(x, kinds, what):
    if x._dtype_name.startswith(kinds):
        raise _InvalidArgumentError(f"[{what}] tensors of {x._dtype_name} are not supported; use tf.cast()")


def _update(word, doc, reduction, sign=1):
    def call(tensor, indices, updates, name=None):
        x = _tensor(tensor)
        updates = _operands.as_kind(updates, x._dtype_name)
        if updates._dtype_name != x._dtype_name:
            _operands.refuse_mixed(f"TensorScatter{word.title()}", x._dtype_name, updates._dtype_name, 2)
        places = _scattered(f"tf.tensor_scatter_nd_{word}", indices, tuple(x.shape), updates)
        if reduction in ("max", "min"):
            _check_kind(x, ("bool", "complex"), f"tf.tensor_scatter_nd_{word}")
            if "float" in x._dtype_name:  # no update is NaN: it would be the result
                updates = _ops.where(_ops.isnan(updates), -math.inf if word == "max" else math.inf, updates)
        if x._dtype_name == "bool" and reduction == "add":
            made = call(_ops.cast(x, "int32"), indices, _ops.cast(updates, "int32"))
            return _ops.cast(made, "bool")
        if reduction == "add":
            return x + sign * _ops.scatter(places, updates, x.shape)
        return _ops.scatter_update(x, places, updates) if reduction is None else _ops.scatter_update(x, places, updates, reduction)

    call.__name__ = call.__qualname__ = f"tensor_scatter_nd_{word}"
    call.__doc__ = doc
    return _checked(call)


tensor_scatter_nd_update = _update("update", "Return the tensor with other values at places.", None)
tensor_scatter_nd_add = _update("add", "Return the tensor with values added at places.", "add")
tensor_scatter_nd_sub = _update("sub", "Return the tensor with values subtracted at places.", "add", -1)
tensor_scatter_nd_max = _update("max", "Return the larger ones of the tensor's elements and of values at places.", "max")
tensor_scatter_nd_min = _update("min", "Return the smaller ones of the tensor's elements and of values at places.", "min")
_tensor_scatter_nd_mul = _update("mul", "Return the tensor with its elements multiplied by values at places.", "mul")


class IndexedSlices:
    """Values of some slices of a tensor along its first axis: ``values[i]`` is slice ``indices[i]``. Tensors made of it have the sum of
    the values of a slice.

    >>> import quern.keras
    >>> import quern.tensorflow as tf
    >>> tf.Variable([1.0, 2.0, 3.0]).scatter_add(tf.IndexedSlices([10.0], [1])).numpy()
    array([ 1., 12.,  3.], dtype=float32)
    """

    def __init__(self, values, indices, dense_shape=None):
        self.values, self.indices, self.dense_shape = values, indices, dense_shape

    @property
    def dtype(self):
        """The data type of the values."""
        return self.values.dtype

    @property
    def shape(self):
        """The shape of the tensor; where that is not known, its first size is None."""
        sizes = (None, *np.shape(self.values)[1:]) if self.dense_shape is None else np.asarray(self.dense_shape).tolist()
        return tuple(sizes)

    def dense(self, shape=None):
        """Return the tensor, of ``shape`` where its own is not known. Raises ValueError where neither is."""
        shape = shape if self.dense_shape is None else self.shape
        if shape is None:
            raise ValueError(f"Tensor conversion requested for IndexedSlices without known dense shape: {self}; pass `dense_shape`")
        values = _tensor(self.values)
        places = _ops.expand_dims(_tensor(self.indices), -1)
        return tensor_scatter_nd_add(_ops.zeros(tuple(shape), values._dtype_name), places, values)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.dense().numpy(), dtype)

    def __neg__(self):
        return IndexedSlices(-_tensor(self.values), self.indices, self.dense_shape)

    def __repr__(self):
        shape = "" if self.dense_shape is None else f", dense_shape={self.dense_shape}"
        return f"IndexedSlices(indices={self.indices}, values={self.values}{shape})"


def _divided(x, places, updates):
    """The elements divided one after another, on the host: factors would round otherwise. Integers are divided as in C."""
    out, places, updates = x.numpy().copy(), places.numpy(), updates.numpy()
    updates = np.broadcast_to(updates, (*places.shape[:-1], *out.shape[1:]))
    for place in np.ndindex(places.shape[:-1]):
        row, by = places[place][0], updates[place]
        out[row] = out[row] / by if out.dtype.kind in "fcV" else (out[row] - np.fmod(out[row], by)) // by
    return _tensor(out)


_SCATTERED = {
    "update": tensor_scatter_nd_update,
    "add": tensor_scatter_nd_add,
    "sub": tensor_scatter_nd_sub,
    "mul": _tensor_scatter_nd_mul,
    "max": tensor_scatter_nd_max,
    "min": tensor_scatter_nd_min,
}


def with_slices(word, x, delta):
    """Return the tensor changed by slices; ``word``: how, as in ``scatter_add``. Raises TypeError for other than slices."""
    if not isinstance(delta, IndexedSlices):
        raise TypeError(f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {delta}")
    given = delta.indices
    places = np.expand_dims(given, -1) if _is_of_host(given) else _ops.expand_dims(_tensor(given), -1)
    if word != "update":
        _check_kind(x, "bool", f"scatter_{word}")
    if word != "div":
        return _SCATTERED[word](x, places, delta.values)
    updates = _operands.as_kind(delta.values, x._dtype_name)
    return _divided(x, _scattered("scatter_div", places, tuple(x.shape), updates), updates)


def with_slices_of_batches(x, delta):
    """Return the tensor with slices written into each element of its leading axes, as many as the indices have before their last."""
    if not isinstance(delta, IndexedSlices):
        raise TypeError(f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {delta}")
    indices = _places(delta.indices, "batch_scatter_update")
    rows = [_ops.broadcast_to(one, indices.shape) for one in _rows(indices, indices.ndim - 1)]
    return tensor_scatter_nd_update(x, _ops.stack([*[_ops.cast(one, indices.dtype) for one in rows], indices], -1), delta.values)
