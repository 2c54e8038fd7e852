"""Write elements at indices: scatter, index_add, index_put, and related functions; _indexing.py reads them."""

import builtins

from quern.lib import _engine
from quern.torch import _creation, _shaping, _value_checks
from quern.torch._arguments import checked
from quern.torch._core import Tensor, _op, add_methods, check_apart, finish, is_number
from quern.torch._dimensions import dim_of
from quern.torch._indexing import _free_places, _index, _type, nonzero
from quern.torch._layouts import in_rows
from quern.torch._types import iinfo


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
    """Write the elements of `src` in place at indices along a dimension: ``self[index[i][j]][j] = src[i][j]`` for ``dim=0``.

    Where several elements have the same index, any one of them may stay, as in PyTorch.

    Parameters
    ----------
    dim : int
        Dimension along which the index selects.
    index : Tensor
        Integers, int64 or int32, with as many dimensions as the tensor; no larger than `src` along any dimension.
    src : Tensor or scalar
        Values that are written, in the dtype of the tensor.
    value : scalar, optional
        Number that is written, in place of `src`.
    reduce : {'add', 'multiply'}, optional
        Combine the values with the elements that are there, instead of replacing them.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    RuntimeError
        For indices out of range, an index or a source of the wrong shape, or a source of another dtype.

    Examples
    --------
    >>> from quern import torch
    >>> torch.zeros(2, 3).scatter_(1, torch.tensor([[2], [0]]), 1.0)
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """
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
    """Return a copy of `input` with the elements of `src` written at indices along a dimension.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    dim : int
        Dimension along which the index selects.
    index : Tensor
        Integers, int64 or int32, with as many dimensions as `input`; no larger than `src` along any dimension.
    src : Tensor or scalar
        Values that are written, in the dtype of `input`.
    value : scalar, optional
        Number that is written, in place of `src`.
    reduce : {'add', 'multiply'}, optional
        Combine the values with the elements that are there, instead of replacing them.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    RuntimeError
        For indices out of range, an index or a source of the wrong shape, or a source of another dtype.

    Examples
    --------
    >>> from quern import torch
    >>> torch.scatter(torch.zeros(3), 0, torch.tensor([2, 0]), torch.tensor([5.0, 7.0]))
    tensor([7., 0., 5.])
    """
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
    input, src = _engine.casts_for("scatter_add", input, src)
    return finish(scatter_add_(in_rows(input), dim, index, src), out)


@checked(tensors="src")
def scatter_reduce_(self, dim, index, src, reduce, *, include_self=True):
    """Combine the elements of `src` in place with those at the indices along a dimension.

    Parameters
    ----------
    dim : int
        Dimension along which the index selects.
    index : Tensor
        Integers, int64 or int32, with as many dimensions as the tensor; no larger than `src` along any dimension.
    src : Tensor
        Values that are combined, in the dtype of the tensor.
    reduce : {'sum', 'prod', 'mean', 'amax', 'amin'}
        How elements with the same index are combined.
    include_self : bool, optional
        Whether the elements that are there take part.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    RuntimeError
        For indices out of range, an index or a source of the wrong shape, or a source of another dtype.

    Examples
    --------
    >>> from quern import torch
    >>> torch.zeros(2).scatter_reduce_(0, torch.tensor([0, 1, 0]), torch.tensor([1.0, 2.0, 3.0]), reduce="amax")
    tensor([3., 2.])
    """
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
        new = _op("where", any_hit, got, old)  # where nothing is hit an infinity equals the filling
    if base._shape == new._shape:
        self.copy_(new.to(self.dtype).movedim(-1, dim))
    else:
        self.movedim(dim, -1)[lead].copy_(new.to(self.dtype))
    return whole


@checked(tensors="src", same_out=True)
def scatter_reduce(input, dim, index, src, reduce, *, include_self=True, out=None):
    """Return a copy of `input` with the elements of `src` combined with those at the indices along a dimension.

    The parameters are those of :meth:`Tensor.scatter_reduce_`; the result has the shape and dtype of `input`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.scatter_reduce(torch.zeros(2), 0, torch.tensor([0, 1, 0]), torch.tensor([1.0, 2.0, 3.0]), reduce="mean", include_self=False)
    tensor([2., 2.])
    """
    return finish(scatter_reduce_(in_rows(input), dim, index, src, reduce, include_self=include_self), out)


def _check_parts(self, dim, index, source, name):
    """Parts along a dimension: one place for each, and the other dimensions alike."""
    _index(index, self, dim, name)
    if index._rank > 1:
        raise IndexError(f"{name}(): Index is supposed to be a vector")
    if source._rank != self._rank and source._rank and self._rank:
        kind = IndexError if name == "index_copy_" else RuntimeError
        raise kind(f"{name}(): When source and destination are not scalars, their dimensionality must match. Source dimensionality "
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
    """Copy slices of `source` in place to the slices of a dimension that the index selects.

    Parameters
    ----------
    dim : int
        Dimension along which the index selects.
    index : Tensor
        One-dimensional, int64; one index for each slice of `source`.
    source : Tensor
        Shape and dtype of the tensor, with the length of `index` along `dim`.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    RuntimeError
        For an index that is not int64, or a source of another dtype.
    IndexError
        For an index out of range, or of another length than `source`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.zeros(3, 2).index_copy_(0, torch.tensor([2, 0]), torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[3., 4.],
            [0., 0.],
            [1., 2.]])
    """
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
    """Return a copy of `input` with slices of `source` in the slices of a dimension that the index selects.

    The parameters are those of :meth:`Tensor.index_copy_`; the result has the shape and dtype of `input`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.index_copy(torch.zeros(3), 0, torch.tensor([2, 0]), torch.tensor([1.0, 2.0]))
    tensor([2., 0., 1.])
    """
    input, source = _engine.casts_for("index_copy", input, source)
    return finish(index_copy_(in_rows(input), dim, index, source), out)


@checked
def index_fill_(self, dim, index, value):
    """Set the slices of a dimension that the index selects to a value, in place.

    Parameters
    ----------
    dim : int
        Dimension along which the index selects.
    index : Tensor
        One-dimensional, int64.
    value : scalar or Tensor
        Number, or tensor without dimensions.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    IndexError
        For an index that is out of range or not int64.
    RuntimeError
        For a value with dimensions.

    Examples
    --------
    >>> from quern import torch
    >>> torch.zeros(2, 3).index_fill_(1, torch.tensor([0, 2]), -1.0)
    tensor([[-1.,  0., -1.],
            [-1.,  0., -1.]])
    """
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
    """Return a copy of `input` with a value in the slices of a dimension that the index selects.

    The parameters are those of :meth:`Tensor.index_fill_`; the result has the shape and dtype of `input`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.index_fill(torch.zeros(3), 0, torch.tensor([1]), 5.0)
    tensor([0., 5., 0.])
    """
    return index_fill_(input.clone(), dim, index, value)


@checked(tensors="values")
def index_put_(self, indices, values, accumulate=False):
    """Write values at indices in place: ``self[indices] = values``.

    Parameters
    ----------
    indices : tuple of Tensor
        One tensor for each of the first dimensions: int64, int32, or a mask of bools.
    values : Tensor
        Values in the dtype of the tensor; they broadcast to the shape of the indices.
    accumulate : bool, optional
        Whether to add the values; an index that occurs several times then receives each of its values.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    TypeError
        For indices that are not a tuple or list of tensors, or values that are no tensor.
    IndexError
        For indices of another dtype.

    Examples
    --------
    >>> from quern import torch
    >>> torch.zeros(3).index_put_((torch.tensor([0, 0, 2]),), torch.tensor([1.0, 2.0, 3.0]), accumulate=True)
    tensor([3., 0., 3.])
    """
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
    """Return a copy of `input` with values written at indices.

    The parameters are those of :meth:`Tensor.index_put_`; the result has the shape and dtype of `input`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.index_put(torch.zeros(3), (torch.tensor([1]),), torch.tensor([4.0]))
    tensor([0., 4., 0.])
    """
    input, values = _engine.casts_for("index_put", input, values)
    return index_put_(input.clone(), indices, values, accumulate)


@checked(tensors="source")
def put_(self, index, source, accumulate=False):
    """Write the elements of `source` in place at indices of the flattened tensor.

    Parameters
    ----------
    index : Tensor
        Integers, int64, of any shape.
    source : Tensor
        As many elements as `index`, in the dtype of the tensor.
    accumulate : bool, optional
        Whether to add the values instead of writing them.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    RuntimeError
        For an index that is not int64, or a source of another dtype or size.

    Examples
    --------
    >>> from quern import torch
    >>> torch.zeros(2, 2).put_(torch.tensor([0, 3]), torch.tensor([1.0, 2.0]))
    tensor([[1., 0.],
            [0., 2.]])
    """
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
    """Return a copy of `input` with the elements of `source` written at indices of the flattened tensor.

    The parameters are those of :meth:`Tensor.put_`; the result has the shape and dtype of `input`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.put(torch.zeros(3), torch.tensor([1]), torch.tensor([4.0]))
    tensor([0., 4., 0.])
    """
    return put_(input.clone().contiguous(), index, source, accumulate)


METHODS = """scatter_ scatter scatter_add_ scatter_add scatter_reduce_ scatter_reduce index_add_ index_add index_copy_ index_copy
index_fill_ index_fill index_put_ index_put put_ put"""
__all__ = """scatter scatter_add scatter_reduce index_add index_copy index_fill index_put index_put_ put""".split()
add_methods(__name__, METHODS)
