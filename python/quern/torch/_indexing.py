"""Read elements at indices and by masks; _scatter.py writes them."""

import builtins

from quern.lib import _engine
from quern.torch import _creation, _shaping
from quern.torch._arguments import checked
from quern.torch._core import Tensor, _op, add_in_place, add_methods, finish, is_number
from quern.torch._dimensions import dim_of
from quern.torch._types import DTYPES, scalar_name


def _type(tensor):
    return scalar_name(tensor.dtype)


@checked(same_out=True)
def nonzero(input, *, out=None, as_tuple=False):
    """Return the indices of the elements that are not 0.

    The function waits for the values.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    out : Tensor, optional
        Tensor that receives the result.
    as_tuple : bool, optional
        Whether to return a tuple with one tensor for each dimension.

    Returns
    -------
    Tensor or tuple of Tensor
        Indices, int64: of shape (n, number of dimensions), or with `as_tuple` vectors of length n.

    Examples
    --------
    >>> from quern import torch
    >>> x = torch.tensor([[1, 0], [0, 2]])
    >>> torch.nonzero(x)
    tensor([[0, 0],
            [1, 1]])
    >>> x[torch.nonzero(x, as_tuple=True)]
    tensor([1, 2])
    """
    if as_tuple:
        if input._rank == 0:
            return (_engine.array_flat_nonzero(input._reshaped([1])),)
        return tuple(_engine.array_nonzero(input))
    return finish(_engine.array_argwhere(input), out)


argwhere = nonzero


@checked
def masked_fill(input, mask, value):
    """Return a copy with a value where a mask is true.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    mask : Tensor
        Bools that broadcast to `input`.
    value : scalar or Tensor
        Number, or tensor without dimensions.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    RuntimeError
        For a mask that is not bool or does not broadcast, or a `value` with dimensions.

    Examples
    --------
    >>> from quern import torch
    >>> x = torch.tensor([1, -2, 3])
    >>> torch.masked_fill(x, x < 0, 0)
    tensor([1, 0, 3])
    """
    if mask._dtype_name != "bool":
        raise RuntimeError(f"masked_fill only supports boolean masks, but got mask with dtype {mask.dtype}")
    if not isinstance(value, Tensor) and not is_number(value):
        raise TypeError(f"masked_fill(): argument 'value' must be Tensor or Number, not {type(value).__name__}")
    if isinstance(value, Tensor) and value._rank:
        raise RuntimeError(f"masked_fill only supports a 0-dimensional value tensor, but got tensor with {value._rank} dimension(s).")
    if isinstance(value, Tensor):
        if value.is_complex() and not input.is_complex() and input._dtype_name != "bool" and value.item().imag:
            raise RuntimeError(f"value cannot be converted to type {input.dtype} without overflow; pass its real part")
        if value._dtype_name != input._dtype_name:
            value = value._astype(input._dtype_name)
    else:
        value = _creation.full((), value, dtype=input.dtype, device=input.device)
    out = _op("where", mask, value, input)._in_order("C")
    return out if out._dtype_name == input._dtype_name else out._astype(input._dtype_name)


@checked(same_out=True)
def masked_select(input, mask, *, out=None):
    """Return the elements where a mask is true.

    The function waits for the mask.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    mask : Tensor
        Bools that broadcast with `input`.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        One-dimensional, in the dtype of `input`.

    Raises
    ------
    RuntimeError
        For a mask that is not bool or does not broadcast.

    Examples
    --------
    >>> from quern import torch
    >>> x = torch.tensor([1, -2, 3])
    >>> torch.masked_select(x, x > 0)
    tensor([1, 3])
    """
    if mask._dtype_name != "bool":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    input, mask = _shaping.broadcast_tensors(input, mask)
    return finish(input[mask] if input._rank else input._reshaped([1])[mask._reshaped([1])], out)


@checked(tensors="source")
def masked_scatter(input, mask, source):
    """Return a copy whose elements where a mask is true come from `source`, in order.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    mask : Tensor
        Bools that broadcast with `input`.
    source : Tensor
        Values in the dtype of `input`, at least as many as the mask has true elements.

    Returns
    -------
    Tensor
        Broadcast shape of `input` and `mask`, in the dtype of `input`.

    Raises
    ------
    RuntimeError
        For a mask that is not bool, a source of another dtype, or one with too few elements.

    Examples
    --------
    >>> from quern import torch
    >>> x = torch.zeros(4)
    >>> x.masked_scatter(torch.tensor([True, False, True, True]), torch.tensor([1.0, 2.0, 3.0]))
    tensor([1., 0., 2., 3.])
    """
    if mask._dtype_name != "bool":
        raise RuntimeError("masked_scatter_ only supports boolean masks, but got mask with dtype " + str(mask.dtype))
    if source._dtype_name != input._dtype_name:
        raise RuntimeError(f"masked_scatter: expected self and source to have same dtypes but got {input.dtype} and {source.dtype}")
    input, mask = _shaping.broadcast_tensors(input, mask)
    if not input._size:
        return input.clone()
    if source._size < int(mask.sum()):
        raise RuntimeError("masked_scatter: expected source to have at least as many elements as the mask has ones")
    if not source._size:
        return input.clone()
    at = _engine.array_running(mask.reshape(-1).to(DTYPES["int64"]), "add", 0, None) - 1
    values = source.reshape(-1)[_op("minimum", _op("maximum", at, at * 0), at * 0 + (source._size - 1))].reshape(input._shape)
    return _op("where", mask, values, input)._in_order("C")


def _index(index, input, dim, name):
    if index._dtype_name not in ("int64", "int32") and (index._size or name not in _EMPTY_OF_ANY_TYPE):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    return index if index._size else index.to(DTYPES["int64"])


_EMPTY_OF_ANY_TYPE = {"gather", "scatter", "scatter_add", "scatter_reduce"}  # an index without elements may have any type


def _free_places(input, dim, index):
    """For each dimension the places that pick input[..., index, ...]: the other dimensions' own."""
    places = []
    for d in range(input._rank):
        if d == dim:
            places.append(index)
        else:
            shape = [1] * input._rank
            shape[d] = -1
            places.append(_creation.arange(index._shape[d], device=index.device).reshape(shape))
    return places


@checked(same_out=True)
def gather(input, dim, index, *, sparse_grad=False, out=None):
    """Return the elements that an index selects along a dimension: ``input[index[i][j]][j]`` for ``dim=0``.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    dim : int
        Dimension along which the index selects.
    index : Tensor
        Integers, int64 or int32, with as many dimensions as `input`, and no larger than it along the others.
    sparse_grad : bool, optional
        Accepted for compatibility; has no effect.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Shape of `index`, in the dtype of `input`.

    Raises
    ------
    IndexError
        Where `dim` is out of range.
    RuntimeError
        For an `index` that is not int32 or int64, or has another number of dimensions; for indices out of range, when the result
        is read.

    Examples
    --------
    >>> from quern import torch
    >>> torch.gather(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([[0, 0], [1, 0]]))
    tensor([[1, 1],
            [4, 3]])
    """
    index = _index(index, input, dim, "gather")
    if builtins.max(index._rank, 1) != builtins.max(input._rank, 1):
        if not index._size:
            return finish(input.reshape(-1)[:0].reshape(index._shape), out)
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    dim = dim_of(dim, input._rank)
    if input._rank == 0:
        return finish(gather(input._reshaped([1]), 0, index.reshape(-1))._reshaped(index._shape), out)
    if index._rank == 0:
        return finish(gather(input, dim, index._reshaped([1]))._reshaped([]), out)
    for d in range(input._rank):
        if d != dim and index._shape[d] > input._shape[d]:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(index._shape)} to be no larger than self "
                f"{list(input._shape)} apart from dimension {dim}"
            )
    return finish(_engine.tensor_take(input, dim, "gather", *_free_places(input, dim, index))._in_order("C"), out)


@checked(tensors="indices", same_out=True)
def take_along_dim(input, indices, dim=None, *, out=None):
    """Return the elements that an index selects along a dimension; the other dimensions broadcast.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    indices : Tensor
        Integers, int64, with as many dimensions as `input`.
    dim : int, optional
        Dimension along which the index selects; None selects from the flattened tensor.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Shape of `indices`, broadcast with that of `input` except along `dim`; in the dtype of `input`.

    Raises
    ------
    RuntimeError
        For indices that are not int64, or that have another number of dimensions than `input`.

    Examples
    --------
    >>> from quern import torch
    >>> x = torch.tensor([[3, 1, 2], [9, 8, 7]])
    >>> torch.take_along_dim(x, torch.argsort(x, dim=1), dim=1)
    tensor([[1, 2, 3],
            [7, 8, 9]])
    """
    if indices._dtype_name != "int64":
        raise RuntimeError(f"torch.take_along_dim(): dtype of indices should be Long but got {_type(indices)}")
    if dim is None:
        return finish(gather(input.reshape(-1), 0, indices.reshape(-1)), out)
    if input._rank != indices._rank:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input._rank} dimensions for input, and {indices._rank} dimensions for indices"
        )
    if not input._rank:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim = dim_of(dim, input._rank)
    others = ([1 if d == dim else n for d, n in enumerate(x._shape)] for x in (input, indices))
    shape = list(_shaping.broadcast_shapes(*others))
    a, b = list(shape), list(shape)
    a[dim], b[dim] = input._shape[dim], indices._shape[dim]
    return gather(input.expand(a), dim, (indices % a[dim] if a[dim] else indices).expand(b), out=out)


@checked(same_out=True)
def index_select(input, dim, index, *, out=None):
    """Return the slices of a dimension at indices.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    dim : int
        Dimension of the operation; a negative one counts from the end.
    index : Tensor
        Integers, int64 or int32, of one dimension.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Size of `index` in place of `dim`.

    Raises
    ------
    IndexError
        For a `dim` out of range; for an `index` of several dimensions; for indices out of range, when the result is
        read.
    RuntimeError
        For an `index` that is not int64 or int32.

    Examples
    --------
    >>> from quern import torch
    >>> torch.index_select(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([1]))
    tensor([[2],
            [4]])
    """
    if index._rank > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    _index(index, input, dim, "index_select")
    dim = dim_of(dim, input._rank)
    if input._rank == 0:
        if index._size != 1:
            raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index._size} value(s)")
        return finish(index_select(input._reshaped([1]), 0, index)._reshaped([]), out)
    if not input._shape[dim] and index._size:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    return finish(_engine.tensor_take_at(input, index.reshape(-1), dim, "parts" if dim else "rows"), out)


@checked(same_out=True)
def take(input, index, *, out=None):
    """Return the elements of the flattened tensor at indices.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    index : Tensor
        Integers, int64, of any shape.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Shape of `index`, in the dtype of `input`.

    Raises
    ------
    IndexError
        For indices out of range, when the result is read.
    RuntimeError
        For an `index` that is not int64.

    Examples
    --------
    >>> from quern import torch
    >>> torch.take(torch.tensor([[1, 2], [3, 4]]), torch.tensor([3, 0]))
    tensor([4, 1])
    """
    if index._dtype_name != "int64":
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {_type(index)}")
    if not input._size and index._size:
        raise IndexError("take(): tried to take from an empty tensor")
    return finish(_engine.tensor_take_at(input.reshape(-1), index, 0, "flat"), out)


METHODS = """nonzero argwhere masked_fill masked_select masked_scatter gather take_along_dim index_select take"""
__all__ = METHODS.split()
add_methods(__name__, METHODS)
add_in_place("masked_fill masked_scatter")
