"""Elements by places and by masks."""

import builtins

from quern.lib import _engine
from quern.torch import _creation, _shaping, _value_checks
from quern.torch._arguments import checked
from quern.torch._core import Tensor, _op, add_in_place, add_methods, check_apart, dim_of, finish, is_number
from quern.torch._layouts import in_rows
from quern.torch._types import DTYPES, iinfo, scalar_name


def _type(tensor):
    return scalar_name(tensor.dtype)


@checked(same_out=True)
def nonzero(input, *, out=None, as_tuple=False):
    """The places of what is not 0, as rows of a matrix, or a tuple of a vector for each dimension. This waits for the values."""
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
    """A copy whose elements where the mask is true come from ``source``, one after the other."""
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


def _match(self, index, src, dim, name):
    """Index and source of a scatter have as many dimensions as the tensor, and the index is no larger than either."""
    rank = builtins.max(self._rank, 1)
    for what, one in (("self", self), ("src", src)):
        if isinstance(one, Tensor) and builtins.max(one._rank, 1) != builtins.max(index._rank, 1):
            raise RuntimeError(f"Index tensor must have the same number of dimensions as {what} tensor")
    if not index._size:
        return
    for d in range(rank):
        n = index._shape[d] if index._rank else 1
        here = self._shape[d] if self._rank else 1
        there = n if not isinstance(src, Tensor) else src._shape[d] if src._rank else 1
        if d != dim and n > here or n > there:
            raise RuntimeError(
                f"Expected index {list(index._shape)} to be no larger than self {list(self._shape)} apart from dimension {dim}"
                + (f" and to be no larger size than src {list(src._shape)}" if isinstance(src, Tensor) else "")
            )


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
    """The elements at places along a dimension; sizes broadcast. Without a dimension: of the flattened tensor."""
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


def _write(target, dim, index, values, how):
    """Into places along a dimension of ``target``, in place: "put" or "add"."""
    check_apart(target)
    places = _free_places(target, dim, index)
    (_engine.tensor_put_add if how == "add" else _engine.tensor_put)(target, list(range(len(places))), (dim, "gather"), values, *places)


def _cut_to(src, index):
    for d in range(src._rank):
        if src._shape[d] != index._shape[d]:
            src = src[(slice(None),) * d + (slice(0, index._shape[d]),)]
    return src


@checked(free="src")
def scatter_(self, dim, index, src=None, value=None, *, reduce=None):
    """``self[i][index[i][j]] = src[i][j]`` along a dimension; ``src``: a tensor or a number; ``reduce``: "add" or "multiply"."""
    if value is not None:
        src = value
    if not isinstance(src, Tensor) and not is_number(src):
        raise TypeError(f"scatter(): argument 'src' must be Tensor or Number, not {type(src).__name__}")
    dim = dim_of(dim, self._rank)
    index = _index(index, self, dim, "scatter")
    _match(self, index, src, dim, "scatter")
    if not index._size:
        return self
    if not self._rank:
        index = _value_checks.places(index, 1, "index {} is out of bounds for dimension 0 with size 1")
    if isinstance(src, Tensor):
        if src._dtype_name != self._dtype_name:
            raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    self, index, src, whole = _with_dimensions(self, index, src)
    if isinstance(src, Tensor):
        src = _cut_to(src, index)
    if reduce == "add":
        _write(self, dim, index, src, "add")
    elif reduce == "multiply":
        scatter_reduce_(self, dim, index, src if isinstance(src, Tensor) else self.new_full(index._shape, src), "prod")
    elif reduce is None:
        _write(self, dim, index, src, "put")
    else:
        raise RuntimeError("reduce argument must be either add or multiply.")
    return whole


def _with_dimensions(self, index, src):
    """The tensors with one dimension at least, and the tensor itself: views see what is written."""
    parts = [x._reshaped([1]) if isinstance(x, Tensor) and not x._rank else x for x in (self, index, src)]
    return *parts, self


@checked(free="src", same_out=True)
def scatter(input, dim, index, src=None, value=None, *, reduce=None, out=None):
    """A copy into which scatter_() has written."""
    return finish(scatter_(in_rows(input), dim, index, src, value, reduce=reduce), out)


@checked(tensors="src")
def scatter_add_(self, dim, index, src):
    """Add the elements of `src` in place at the indices along a dimension: ``self[index[i][j]][j] += src[i][j]`` for ``dim=0``.

    Parameters and result are those of :func:`scatter_add`; the tensor itself is returned.

    Examples
    --------
    >>> from quern import torch
    >>> torch.zeros(3).scatter_add_(0, torch.tensor([0, 2, 0]), torch.tensor([1.0, 2.0, 3.0]))
    tensor([4., 0., 2.])
    """
    dim = dim_of(dim, self._rank)
    if src._dtype_name != self._dtype_name:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    index = _index(index, self, dim, "scatter_add")
    _match(self, index, src, dim, "scatter_add")
    if not index._size:
        return self
    target, index, src, _ = _with_dimensions(self, index, src)
    _write(target, dim, index, _cut_to(src, index), "add")
    return self


@checked(tensors="src", same_out=True)
def scatter_add(input, dim, index, src, *, out=None):
    """Return a copy of `input` with the elements of `src` added at the indices along a dimension.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    dim : int
        Dimension along which the index selects.
    index : Tensor
        Integers, with as many dimensions as `input`; no larger than `src` along any dimension.
    src : Tensor
        Values that are added, in the dtype of `input`.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    IndexError
        Where `dim` is out of range.
    RuntimeError
        For an `index` that is not int32 or int64, or has another number of dimensions; for an `src` of another dtype; for indices out of
        range, when the result is read.

    Examples
    --------
    >>> from quern import torch
    >>> torch.scatter_add(torch.zeros(3), 0, torch.tensor([0, 2, 0]), torch.tensor([1.0, 2.0, 3.0]))
    tensor([4., 0., 2.])
    """
    return finish(scatter_add_(in_rows(input), dim, index, src), out)


@checked(tensors="src")
def scatter_reduce_(self, dim, index, src, reduce, *, include_self=True):
    """Combines the elements of ``src`` that an index sends to one place: "sum", "prod", "mean", "amax" or "amin"."""
    dim = dim_of(dim, self._rank)
    index = _index(index, self, dim, "scatter_reduce")
    _match(self, index, src, dim, "scatter_reduce")
    if src._dtype_name != self._dtype_name:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if not index._size:
        return self
    whole = self
    self, index, src, _ = _with_dimensions(self, index, src)
    src = _cut_to(src, index)
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    n = self._shape[dim]
    # One dimension more: which place each element goes to.
    text = f"index {{}} is out of bounds for dimension {dim} with size {n}"
    moved, at = src.movedim(dim, -1), _value_checks.places(index, n, text).movedim(dim, -1)
    hits = at.unsqueeze(-2) == _creation.arange(n, device=self.device).unsqueeze(-1)
    moved = moved.unsqueeze(-2)
    base = self.movedim(dim, -1)
    lead = tuple(slice(0, k) for k in moved._shape[:-2])
    old = base[lead]
    any_hit = hits.any(-1)
    if reduce in ("sum", "mean"):
        got = _op("where", hits, moved, 0).sum(-1)
        new = got + old if include_self else _op("where", any_hit, got, old)
        if reduce == "mean":
            count = hits.sum(-1) + (1 if include_self else 0)
            count = _op("maximum", count, count * 0 + 1)
            total = got + old if include_self else got
            new = total / count if self.is_floating_point() or self.is_complex() else total // count
            new = new if include_self else _op("where", any_hit, new, old)
    elif reduce == "prod":
        got = _op("where", hits, moved, 1).prod(-1)
        new = got * old if include_self else _op("where", any_hit, got, old)
    elif self.is_complex():
        raise NotImplementedError(f"\"scatter_reduce\" of '{reduce}' is not implemented for complex numbers")
    else:
        largest = reduce == "amax"
        if self.is_floating_point():
            fill = -float("inf") if largest else float("inf")
        else:
            low, high = (False, True) if self._dtype_name == "bool" else (iinfo(self.dtype).min, iinfo(self.dtype).max)
            fill = low if largest else high
        picked = _op("where", hits, moved, fill).to(self.dtype)
        if include_self:  # one of them: equal ones have equal shares of the derivative
            picked = _shaping.cat([picked, old.unsqueeze(-1)], -1)
        got = picked.amax(-1) if largest else picked.amin(-1)
        new = got if include_self else _op("where", any_hit, got, old)
    if base._shape == new._shape:
        self.copy_(new.to(self.dtype).movedim(-1, dim))
    else:
        self.movedim(dim, -1)[lead].copy_(new.to(self.dtype))
    return whole


@checked(tensors="src", same_out=True)
def scatter_reduce(input, dim, index, src, reduce, *, include_self=True, out=None):
    """A copy into which scatter_reduce_() has written."""
    return finish(scatter_reduce_(in_rows(input), dim, index, src, reduce, include_self=include_self), out)


def _check_parts(self, dim, index, source, name):
    """Parts along a dimension: one place for each, and the other dimensions alike."""
    _index(index, self, dim, name)
    if index._rank > 1:
        raise IndexError(f"{name}(): Index is supposed to be a vector")
    if source._rank != self._rank and source._rank and self._rank:
        raise RuntimeError(f"{name}(): When source and destination are not scalars, their dimensionality must match. Source dimensionality "
                           f"({source._rank}), destination dimensionality ({self._rank})")  # fmt: skip
    count = source._shape[dim] if source._rank > dim else 1
    if index._size != count:
        if not source._rank and name == "index_add_":
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        kind = IndexError if name == "index_copy_" else RuntimeError
        raise kind(f"{name}(): Number of indices ({index._size}) should be equal to source.size(dim): ({count}), for dim: {dim}")
    a, b = ([n for d, n in enumerate(x._shape) if d != dim] for x in (self, source))
    if a != b:
        raise RuntimeError(f"source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
                           f"{list(self._shape)} source.shape = {list(source._shape)}")  # fmt: skip


@checked(tensors="source")
def index_add_(self, dim, index, source, *, alpha=1):
    """Add slices of `source` in place to the slices of a dimension that the index selects.

    Parameters
    ----------
    dim : int
        Dimension along which the index selects.
    index : Tensor
        One-dimensional integers; one for each slice of `source`.
    source : Tensor
        Values that are added: shape and dtype of the tensor, with the length of `index` along `dim`.
    alpha : number, optional
        Factor of `source`.

    Returns
    -------
    Tensor
        The tensor itself.

    Examples
    --------
    >>> from quern import torch
    >>> torch.zeros(3, 2).index_add_(0, torch.tensor([0, 2]), torch.ones(2, 2), alpha=3)
    tensor([[3., 3.],
            [0., 0.],
            [3., 3.]])
    """
    dim = dim_of(dim, self._rank)
    if self._dtype_name != source._dtype_name:
        raise RuntimeError("index_add_(): self and source must have the same scalar type")
    _check_parts(self, dim, index, source, "index_add_")
    if alpha != 1:  # as a number of the type
        source = source * _creation.full((), alpha, dtype=source.dtype, device=source.device)
    if not source._size:
        return self
    check_apart(self)
    target, _, source, _ = _with_dimensions(self, index, source)
    rule = (0, "rows" if target._rank == 1 else "gather")
    _engine.tensor_put_add(target, [dim], rule, source.movedim(dim, 0) if dim else source, index.reshape(-1))
    return self


@checked(tensors="source", same_out=True)
def index_add(input, dim, index, source, *, alpha=1, out=None):
    """Return a copy of `input` with slices of `source` added to the slices of a dimension that the index selects.

    The parameters are those of :meth:`Tensor.index_add_`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.index_add(torch.zeros(3), 0, torch.tensor([0, 2]), torch.tensor([1.0, 2.0]))
    tensor([1., 0., 2.])
    """
    return finish(index_add_(in_rows(input), dim, index, source, alpha=alpha), out)


@checked(tensors="source")
def index_copy_(self, dim, index, source):
    """Copies the parts of ``source`` to those of a dimension that the index names."""
    dim = dim_of(dim, self._rank)
    if self._dtype_name != source._dtype_name:
        raise RuntimeError("index_copy_(): self and source expected to have the same dtype")
    if index._dtype_name != "int64":
        raise RuntimeError(f"index_copy_(): Expected a long tensor for index, but got {_type(index)}")
    _check_parts(self, dim, index, source, "index_copy_")
    if not source._size:
        return self
    check_apart(self)
    target, _, source, _ = _with_dimensions(self, index, source)
    _engine.tensor_put(target, [dim], (0, "copy"), source.movedim(dim, 0) if dim else source, index.reshape(-1))
    return self


@checked(tensors="source", same_out=True)
def index_copy(input, dim, index, source, *, out=None):
    """A copy into which index_copy_() has written."""
    return finish(index_copy_(in_rows(input), dim, index, source), out)


@checked
def index_fill_(self, dim, index, value):
    """Sets the parts of a dimension that the index names to a number."""
    dim = dim_of(dim, self._rank)
    if index._dtype_name != "int64":
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if isinstance(value, Tensor) and value._rank:
        raise RuntimeError(f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value._rank} dimension(s).")
    if getattr(value, "is_complex", lambda: isinstance(value, builtins.complex))() and not self.is_complex():
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported; pass its real part")
    value = value.to(self.dtype) if isinstance(value, Tensor) else _creation.full((), value, dtype=self.dtype, device=self.device)
    target = self if self._rank else self._reshaped([1])
    target[(slice(None),) * dim + (index.reshape(-1),)] = value
    return self


@checked
def index_fill(input, dim, index, value):
    """A copy into which index_fill_() has written."""
    return index_fill_(input.clone(), dim, index, value)


@checked(tensors="values")
def index_put_(self, indices, values, accumulate=False):
    """``self[indices] = values``, or ``+=`` where ``accumulate``: then places that occur more than once get it as often."""
    if not isinstance(indices, list | tuple):
        raise TypeError(f"index_put_(): argument 'indices' (position 1) must be tuple of Tensors, not {type(indices).__name__}")
    for n, one in enumerate(indices):
        if not isinstance(one, Tensor):
            raise TypeError(f"expected Tensor as element {n} in argument 0, but got {type(one).__name__}")
        if one._dtype_name not in ("int64", "int32", "uint8", "bool"):
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if not isinstance(values, Tensor):
        raise TypeError(f"index_put_(): argument 'values' must be Tensor, not {type(values).__name__}")
    if not accumulate:
        self[tuple(indices)] = values
        return self
    places = _without_masks(self, indices)
    if len(places) > self._rank:
        raise IndexError(f"too many indices for tensor of dimension {self._rank} (got {len(places)})")
    if self._dtype_name != values._dtype_name:
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {_type(self)} for the destination and {_type(values)} for "
            "the source."
        )
    _engine.tensor_put_add(self, list(range(len(places))), (-1, "places"), values, *places)
    return self


def _without_masks(self, indices):
    """The indices; instead of each mask the places of its true elements, one tensor for each of its dimensions."""
    places = []
    for one in indices:
        if one._dtype_name not in ("bool", "uint8"):
            places.append(one)
            continue
        if not one._rank:
            raise RuntimeError("index_put_(): a mask without dimensions is not supported with accumulate=True")
        there = self._shape[len(places) : len(places) + one._rank]
        if one._shape != there:
            axis = next((k for k in range(one._rank) if k >= len(there) or one._shape[k] != there[k]), 0)
            if len(places) + one._rank > self._rank:
                raise IndexError(f"too many indices for tensor of dimension {self._rank} (got {len(places) + one._rank})")
            raise IndexError(
                f"The shape of the mask {list(one._shape)} at index {axis} does not match the shape of the indexed tensor "
                f"{list(self._shape)} at index {len(places) + axis}"
            )
        places.extend(nonzero(one, as_tuple=True))
    return places


@checked(tensors="values")
def index_put(input, indices, values, accumulate=False):
    """A copy into which index_put_() has written."""
    return index_put_(input.clone(), indices, values, accumulate)


@checked(tensors="source")
def put_(self, index, source, accumulate=False):
    """Writes into places of the flattened tensor, or adds there."""
    if index._dtype_name != "int64":
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {_type(index)}")
    if self._dtype_name != source._dtype_name:
        raise RuntimeError("put_(): self and source expected to have the same dtype")
    if index._size != source._size:
        raise RuntimeError(
            f"put_(): Expected source and index to have the same number of elements, but got {source._size} and {index._size}"
        )
    if not index._size:
        return self
    if not self._size:
        raise IndexError("put_(): Tried to put elements into an empty tensor")
    check_apart(self)
    write = _engine.tensor_put_add if accumulate else _engine.tensor_put
    write(self.view(-1), [0], (0, "flat"), source.reshape(-1), index.reshape(-1))
    return self


@checked(tensors="source")
def put(input, index, source, accumulate=False):
    """A copy into which put_() has written."""
    return put_(input.clone().contiguous(), index, source, accumulate)


@checked(tensors="src", free="index")
def select_scatter(input, src, dim, index):
    """A copy with ``src`` at one place of a dimension."""
    made = input.clone()
    made.select(dim, index).copy_(src)
    return made


@checked(tensors="src", free="end", same_out=True)
def slice_scatter(input, src, dim=0, start=None, end=None, step=1, *, out=None):
    """A copy with ``src`` in a part of a dimension."""
    made = input.clone()
    part = (slice(None),) * dim_of(dim, input._rank) + (slice(start, end, step),)
    if made[part]._shape != src._shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src._shape)}, slice size = {list(made[part]._shape)}"
        )
    made[part] = src
    return finish(made, out)


@checked(tensors="src")
def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    """A copy with ``src`` on a diagonal."""
    made = input.clone()
    made.diagonal(offset, dim1, dim2).copy_(src)
    return made


METHODS = """nonzero argwhere masked_fill masked_select masked_scatter gather take_along_dim index_select take scatter_ scatter scatter_add_
scatter_add scatter_reduce_ scatter_reduce index_add_ index_add index_copy_ index_copy index_fill_ index_fill index_put_ index_put put_ put
select_scatter slice_scatter diagonal_scatter"""
__all__ = """nonzero argwhere masked_fill masked_select masked_scatter gather take_along_dim index_select take scatter scatter_add
scatter_reduce index_add index_copy index_fill index_put index_put_ put select_scatter slice_scatter diagonal_scatter""".split()
_FREE = dict.fromkeys(("scatter", "scatter_"), "input")
_FREE |= {"select_scatter": "index", "slice_scatter": "end"}
_FREE |= {"scatter": "src", "scatter_": "src"}
_TENSORS = dict.fromkeys(
    "scatter_add scatter_add_ scatter_reduce scatter_reduce_ select_scatter slice_scatter diagonal_scatter".split(), "src"
)
_TENSORS |= dict.fromkeys("index_add index_add_ index_copy index_copy_ masked_scatter put put_".split(), "source")
_TENSORS |= {"take_along_dim": "indices", "index_put": "values", "index_put_": "values"}
_SAME_OUT = """nonzero masked_select gather take_along_dim index_select take scatter scatter_add scatter_reduce index_add index_copy
slice_scatter"""
add_methods(__name__, METHODS)
add_in_place("masked_fill masked_scatter")
