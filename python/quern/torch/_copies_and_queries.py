"""Copies of views, queries about tensors, and functions that are made of a few others."""

import builtins
import itertools
import math

import numpy

from quern.arrays.public_names import settle
from quern.arrays.records import numpy_dtypes
from quern.lib import _engine
from quern.torch import (
    _creation,
    _indexing,
    _linalg,
    _namespace,  # noqa: F401  # defines the methods of Tensor
    _scatter,
    _value_checks,
)
from quern.torch._arguments import checked
from quern.torch._core import Tensor, _op, add_in_place, add_methods, finish
from quern.torch._devices import name_of
from quern.torch._dimensions import dim_of, sizes_of
from quern.torch._types import DTYPES
from quern.torch.autograd import no_grad


@checked(same_out=True)
def alias_copy(input, *, out=None):
    """Return a copy of a tensor.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    RuntimeError
        For an `out` of another dtype.

    Examples
    --------
    >>> from quern import torch
    >>> torch.alias_copy(torch.tensor([1, 2]))
    tensor([1, 2])
    """
    return finish(input.clone(), out)


@checked(free="end", same_out=True)
def slice_copy(input, dim=0, start=None, end=None, step=1, *, out=None):
    """Return a copy of a slice of a dimension.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    dim : int, optional
        Dimension that is sliced.
    start : int, optional
        First index.
    end : int, optional
        End of the slice, excluded.
    step : int, optional
        Distance of the indices.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        In the dtype of `input`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.slice_copy(torch.arange(5), 0, 1, 5, 2)
    tensor([1, 3])
    """
    dim = dim_of(dim, input._rank)
    return finish(input[(slice(None),) * dim + (slice(start, end, step),)].clone(), out)


@checked(tensors="src")
def as_strided_scatter(input, src, size, stride, storage_offset=None):
    """Return a copy of `input` with `src` in the elements that :func:`as_strided` selects.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    src : Tensor
        Values, of shape `size`.
    size : tuple of ints
        Shape of the selection.
    stride : tuple of ints
        Number of elements between neighbours along each dimension.
    storage_offset : int, optional
        First element, counted from the beginning of the memory.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.as_strided_scatter(torch.zeros(2, 2), torch.ones(2), (2,), (3,))
    tensor([[1., 0.],
            [0., 1.]])
    """
    made = input.clone()
    made.as_strided(size, stride, storage_offset).copy_(src)
    return made


# ---- queries


@checked
def detach(input):
    """Return a tensor with the same memory and without history.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.

    Returns
    -------
    Tensor
        Shape and dtype of `input`; it does not require gradients.

    Examples
    --------
    >>> from quern import torch
    >>> torch.detach(torch.ones(2, requires_grad=True)).requires_grad
    False
    """
    return input.detach()


@checked
def get_device(input):
    """Return the number of the GPU on which a tensor is, -1 for the CPU."""
    return input._device_number


@checked
def is_signed(input):
    """Return whether the dtype of a tensor has signed numbers."""
    return input.dtype.is_signed


@checked
def is_conj(input):
    """Return whether a tensor is a view that conjugates: always False."""
    return False


@checked
def is_neg(input):
    """Return whether a tensor is a view that negates: always False."""
    return False


@checked
def is_distributed(input):
    """Return whether a tensor is distributed over several processes: always False."""
    return False


@checked
def is_inference(input):
    """Return whether a tensor, or the tensor that it is a view of, was made in inference mode."""
    return _engine.is_inference(input)


def is_storage(obj):
    """Return whether an object is a storage: always False, since there are none."""
    return False


@checked(tensors="other")
def is_same_size(input, other):
    """Return whether two tensors have the same shape."""
    return input._shape == other._shape


def typename(obj):
    """Return the name of an object's type."""
    if isinstance(obj, Tensor):
        return obj.type()
    module = getattr(type(obj), "__module__", "")
    return f"{module}.{type(obj).__qualname__}" if module and module != "builtins" else type(obj).__qualname__


# ---- combinations of elements


@checked
def combinations(input, r=2, with_replacement=False):
    """Return all combinations of elements of a vector, as rows.

    Parameters
    ----------
    input : Tensor
        One-dimensional.
    r : int, optional
        Number of elements in a combination.
    with_replacement : bool, optional
        Whether an element may occur several times.

    Returns
    -------
    Tensor
        Shape (number of combinations, r), in the dtype of `input`.

    Raises
    ------
    RuntimeError
        For an input that is not one-dimensional, or a negative `r`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.combinations(torch.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    if input._rank != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input._shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    count = math.comb(input._size + r - 1, r) if with_replacement and r else math.comb(input._size, r)
    _creation.empty((min(count, 1 << 45), r), dtype=DTYPES["int64"], device=input.device)  # raises where the rows do not fit
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = numpy.array(list(choose(range(input._size), r)), numpy.int64).reshape(-1, r)
    return input[_creation.tensor(rows, device=input.device)]


@checked(tensors="indices")
def unravel_index(indices, shape):
    """Return the indices of each dimension for indices of the flattened tensor.

    Parameters
    ----------
    indices : Tensor
        Integers of any shape.
    shape : int or tuple of ints
        Shape of the tensor.

    Returns
    -------
    tuple of Tensor
        For each dimension the indices, int64, in the shape of `indices`.

    Raises
    ------
    ValueError
        For indices that are not integers, or a negative size.
    TypeError
        For a `shape` that is no int and no sequence of ints.

    Examples
    --------
    >>> from quern import torch
    >>> torch.unravel_index(torch.tensor([1, 5]), (2, 3))
    (tensor([0, 1]), tensor([1, 2]))
    """
    if indices.dtype._kind not in "iu":
        raise ValueError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, int | list | tuple):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    shape = [shape] if isinstance(shape, int) else shape
    for n in shape:
        if not isinstance(n, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(n)}")
    if builtins.any(n < 0 for n in shape):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(shape)}")
    indices = indices.to(DTYPES["int64"])  # those beyond the shape begin anew, as in PyTorch
    parts = []
    for n in reversed(shape):
        parts.append(indices % n)
        indices = indices // n
    return tuple(reversed(parts))


@checked(same_out=True)
def renorm(input, p, dim, maxnorm, *, out=None):
    """Scale slices of a dimension so that their norms are at most a limit.

    Parameters
    ----------
    input : Tensor
        Floating-point or complex numbers, at least two dimensions.
    p : float
        Order of the norm, positive.
    dim : int
        Dimension whose slices are scaled.
    maxnorm : float
        Largest norm, not negative.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    RuntimeError
        For fewer than two dimensions, a `p` that is not positive, or a negative `maxnorm`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.renorm(torch.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
    if input._rank < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input._rank} dimensions")
    if p <= 0:
        raise RuntimeError("renorm: non-positive norm degree")
    if not maxnorm >= 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    dim = dim_of(dim, input._rank)
    dims = [d for d in range(input._rank) if d != dim]
    is_long = _linalg.vector_norm(input.detach(), p, dims, True) > maxnorm
    size = _linalg.vector_norm(_op("where", is_long, input, 1.0), p, dims, True)  # of others the gradient is what comes, also beside NaN
    scaled = _op("where", is_long, input * (maxnorm / (size + 1e-7)).to(size.dtype), input)
    return finish(scaled._in_order("C"), out)


@checked(tensors="source", same_out=True)
def index_reduce(input, dim, index, source, reduce, *, include_self=True, out=None):
    """Return a copy of `input` whose slices at indices are combined with slices of `source`.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    dim : int
        Dimension along which the index selects.
    index : Tensor
        One-dimensional integers; one for each slice of `source`.
    source : Tensor
        Slices, in the dtype of `input`.
    reduce : {'prod', 'mean', 'amax', 'amin'}
        How slices with the same index are combined.
    include_self : bool, optional
        Whether the slices of `input` take part.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    RuntimeError
        For an unknown `reduce`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.index_reduce(torch.ones(2), 0, torch.tensor([0, 0, 1]), torch.tensor([2.0, 3.0, 4.0]), "prod")
    tensor([6., 4.])
    """
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    dim = dim_of(dim, input._rank)
    _scatter._check_parts(input, dim, index, source, "index_reduce_")
    shape = [1] * input._rank
    if input._rank:
        shape[dim] = index._size
    size = input._shape[dim] if input._rank else 1
    index = _value_checks.places(index, size, "index out of range in self", "IndexError")
    places = index.to(DTYPES["int64"])._reshaped(shape).expand(source._shape)
    return finish(_scatter.scatter_reduce(input, dim, places, source, reduce, include_self=include_self), out)


@checked(same_out=True)
def nonzero_static(input, *, size, fill_value=-1, out=None):
    """Return a fixed number of indices of elements that are not 0.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    size : int
        Number of rows of the result.
    fill_value : int, optional
        Value of the rows after the last index.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Indices, int64, of shape (size, number of dimensions).

    Raises
    ------
    RuntimeError
        For a negative `size`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nonzero_static(torch.tensor([0, 3, 4]), size=3)
    tensor([[ 1],
            [ 2],
            [-1]])
    """
    found = _indexing.nonzero(input)
    if size < 0:
        raise RuntimeError(f"nonzero_static: 'size' must be an non-negative integer, but got {size}")
    made = found.new_full((size, input._rank), fill_value)
    count = builtins.min(size, found._shape[0])
    if count and input._rank:
        made[:count] = found[:count]
    return finish(made, out)


# ---- parts


def empty_permuted(size, physical_layout, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """Return a tensor of a shape whose dimensions have an order in memory; its values are zeros.

    Parameters
    ----------
    size : tuple of ints
        Shape of the result.
    physical_layout : tuple of ints
        Dimensions from the outermost to the innermost in memory.
    dtype : dtype, optional
        Dtype of the result; None is the default floating-point dtype.
    layout : layout, optional
        Accepted for compatibility; has no effect.
    device : device or str, optional
        Device of the result, such as "cpu" or "cuda:0"; None is the default one.
    requires_grad : bool, optional
        Whether the result records operations for gradients.
    pin_memory : bool, optional
        Accepted for compatibility; has no effect.

    Returns
    -------
    Tensor
        Shape `size`.

    Raises
    ------
    RuntimeError
        For a `physical_layout` that is no permutation of the dimensions.

    Examples
    --------
    >>> from quern import torch
    >>> torch.empty_permuted((2, 3), (1, 0)).stride()
    (1, 2)
    """
    size, order = sizes_of((size,)), sizes_of((physical_layout,))
    if sorted(order) != list(range(len(size))):
        raise RuntimeError(f"empty_permuted: physical_layout {order} is not a permutation of {len(size)} dimensions")
    made = _creation.empty([size[d] for d in order], dtype=dtype, device=device)
    made = made.permute([order.index(d) for d in range(len(size))])
    return made.requires_grad_() if requires_grad else made


def from_file(filename, shared=False, size=0, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """Return a one-dimensional tensor of the numbers in a file.

    Parameters
    ----------
    filename : str
        Path of the file.
    shared : bool, optional
        Whether to map the file, so that writes change it, instead of reading it.
    size : int, optional
        Number of elements.
    dtype : dtype, optional
        Dtype of the elements; None is the default floating-point dtype.
    layout, device, requires_grad, pin_memory : object, optional
        Accepted for compatibility; have no effect.

    Returns
    -------
    Tensor
        Shape (size,), on the CPU.
    """
    kind = numpy_dtypes[_engine.torch_default() if dtype is None else name_of(dtype)]
    if shared:
        return _creation.from_numpy(numpy.memmap(filename, kind, "r+", shape=(size,)))
    return _creation.from_numpy(numpy.fromfile(filename, kind, size))


# ---- methods alone


def apply_(self, callable):  # noqa: A002
    """Replace each element by the result of a Python function; slow, and only on the CPU.

    Parameters
    ----------
    callable : callable
        Function of a number.

    Returns
    -------
    Tensor
        The tensor itself.

    Examples
    --------
    >>> from quern import torch
    >>> torch.tensor([1.0, 2.0]).apply_(lambda x: x * 10)
    tensor([10., 20.])
    """
    if self.is_cuda:
        raise TypeError("apply_ is only implemented on CPU tensors")
    return _from_python(self, [callable(v) for v in self.reshape(-1).tolist()])


@checked
def map_(self, tensor, callable):  # noqa: A002
    """Replace each element by the result of a Python function of it and of another tensor's element; slow, and only on the CPU.

    Parameters
    ----------
    tensor : Tensor
        Other tensor, which broadcasts to the shape of this one.
    callable : callable
        Function of two numbers.

    Returns
    -------
    Tensor
        The tensor itself.

    Examples
    --------
    >>> from quern import torch
    >>> torch.tensor([1.0, 2.0]).map_(torch.tensor([3.0, 4.0]), lambda a, b: a + b)
    tensor([4., 6.])
    """
    others = tensor.expand(self._shape).reshape(-1).tolist()
    return _from_python(self, [callable(a, b) for a, b in zip(self.reshape(-1).tolist(), others, strict=True)])


def _from_python(self, values):
    with no_grad():
        return self.copy_(_creation.tensor(values, dtype=self.dtype).reshape(self._shape)) if values else self


@checked
def sum_to_size(self, *size):
    """Sum over the dimensions that broadcast from a shape to that of this tensor.

    Parameters
    ----------
    *size : int or sequence of ints
        Shape of the result.

    Returns
    -------
    Tensor
        Shape `size`, in the dtype of this tensor.

    Raises
    ------
    RuntimeError
        For a size that does not broadcast to the shape of this tensor.

    Examples
    --------
    >>> from quern import torch
    >>> torch.ones(2, 3).sum_to_size(1, 3)
    tensor([[2., 2., 2.]])
    """
    size = sizes_of(size)
    if not size:
        return self.sum()
    lead = self._rank - len(size)
    own = self._shape[builtins.max(lead, 0) :]
    if lead < 0 or builtins.any(n not in (1, m) for n, m in zip(size, own, strict=True)):
        raise RuntimeError(f"size {size} is not expandable to size {list(self._shape)}.")
    dims = [*range(lead), *(lead + d for d, n in enumerate(size) if n == 1 and self._shape[lead + d] != 1)]
    return self.sum(dims, True)._reshaped(size) if dims else self


@checked
def dim_order(self, ambiguity_check=False):
    """Return the dimensions from the outermost to the innermost in memory.

    Parameters
    ----------
    ambiguity_check : bool, optional
        Accepted for compatibility.

    Returns
    -------
    tuple of ints
        Dimensions.

    Examples
    --------
    >>> from quern import torch
    >>> torch.ones(2, 3).t().dim_order()
    (1, 0)
    """
    steps = self._strides
    return tuple(sorted(range(self._rank), key=lambda d: -steps[d]))


def new_empty_strided(self, size, stride, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """Return a tensor of a shape and strides, by default in the dtype and on the device of this tensor.

    The parameters are those of :func:`empty_strided`; the values are zeros.

    Examples
    --------
    >>> from quern import torch
    >>> torch.ones(1).new_empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    return _creation.empty_strided(size, stride, dtype=dtype or self.dtype, device=device or self.device, requires_grad=requires_grad)


def pin_memory(self, device=None):
    """Return the tensor itself: copies to a GPU go through pinned memory in any case."""
    return self


def record_stream(self, stream):
    """Do nothing; accepted for compatibility: memory is kept until all work that uses it is done."""


def to_dense(self, dtype=None, *, masked_grad=None):
    """Return the tensor itself, or the tensor in another dtype."""
    return self if dtype is None else self.to(dtype)


def const_data_ptr(self):
    """The address of the first element."""
    return self.data_ptr()


@checked(tensors="other")
def module_load(self, other, assign=False):
    """What load_state_dict() takes from another tensor."""
    return other.detach() if assign else self.copy_(other).detach()


# ---- where they are shown

__all__ = [
    *"""alias_copy slice_copy as_strided_scatter detach get_device is_signed is_same_size is_conj is_neg is_distributed is_inference
    is_storage typename combinations unravel_index renorm index_reduce nonzero_static empty_permuted from_file""".split(),
]
METHODS = """as_strided_scatter is_same_size is_distributed renorm index_reduce nonzero_static
apply_ map_ sum_to_size dim_order new_empty_strided
pin_memory record_stream to_dense const_data_ptr module_load"""
add_methods(__name__, METHODS)
add_in_place("renorm index_reduce")
Tensor.name = property(lambda self: None, doc="None: tensors have no names here.")

settle(__name__)
