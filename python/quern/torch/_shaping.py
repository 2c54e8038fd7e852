"""Views with other dimensions, tensors put together and taken apart, elements moved."""

import math
import operator

import numpy

from quern.lib import _engine
from quern.torch import _creation, _types
from quern.torch._arguments import checked, wrong
from quern.torch._core import Tensor, add_methods, engine_device_of, filled
from quern.torch._dimensions import dim_of, sizes_in, sizes_of
from quern.torch._faces import FACES
from quern.user_files import warn_user

transpose, movedim, unsqueeze, ravel = (FACES[name] for name in ("transpose", "movedim", "unsqueeze", "ravel"))
cat, stack, broadcast_tensors, atleast_2d = (FACES[name] for name in ("cat", "stack", "broadcast_tensors", "atleast_2d"))
meshgrid = FACES["meshgrid"]


def _axis(input, dim):
    """A dimension of a tensor that has some."""
    if input._rank == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    return dim_of(dim, input._rank)


def _numbers(given, name):
    """One integer or a sequence of them, as a list."""
    if isinstance(given, Tensor) or not isinstance(given, list | tuple):
        given = (given,)
    try:
        return [operator.index(n) for n in given]
    except TypeError:
        raise TypeError(f"{name}(): an integer or a tuple of integers is required") from None


@checked
def view_as_real(input):
    """Return a view of complex numbers as pairs of real numbers.

    Parameters
    ----------
    input : Tensor
        Complex numbers of any shape.

    Returns
    -------
    Tensor
        View with a last dimension of size 2.

    Raises
    ------
    TypeError
        For real numbers.

    Examples
    --------
    >>> from quern import torch
    >>> torch.view_as_real(torch.tensor([1 + 2j]))
    tensor([[1., 2.]])
    """
    if not input.is_complex():
        raise TypeError("view_as_real is only supported for complex tensors")
    half = input.dtype.itemsize // 2
    return _engine.array_viewed_as(input, [*input._shape, 2], [*input._strides, half], input._offset, input.dtype.to_real()._name)


@checked
def view_as_complex(input):
    """Return a view of pairs of real numbers as complex numbers.

    Parameters
    ----------
    input : Tensor
        Real numbers, whose last dimension has the size 2.

    Returns
    -------
    Tensor
        View without the last dimension.

    Raises
    ------
    RuntimeError
        For another size of the last dimension.
    NotImplementedError
        For integers.

    Examples
    --------
    >>> from quern import torch
    >>> torch.view_as_complex(torch.tensor([[1.0, 2.0]]))
    tensor([1.+2.j])
    """
    (input,) = _engine.casts_for("view_as_complex", input)
    if input._dtype_name not in ("float32", "float64"):
        raise (TypeError if input.is_complex() else NotImplementedError)(
            f"view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: "
            f"{_types.scalar_name(input.dtype)}"
        )
    if not input._rank or input._shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    item = input.dtype.itemsize
    if input._strides[-1] != item or any(s % (2 * item) for s in input._strides[:-1]) or input._offset % (2 * item):
        raise RuntimeError("Tensor must have a last dimension with stride 1, and all others and the offset divisible by 2")
    return _engine.array_viewed_as(input, list(input._shape[:-1]), list(input._strides[:-1]), input._offset, input.dtype.to_complex()._name)


@checked
def as_strided(input, size, stride, storage_offset=None):
    """Return a view of the tensor's memory with other sizes and strides.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    size, stride : sequence of ints
        Sizes and strides of the view, in elements.
    storage_offset : int, optional
        Offset of the first element; None is that of `input`.

    Returns
    -------
    Tensor
        View of the memory.

    Raises
    ------
    RuntimeError
        For elements outside of the memory.

    Examples
    --------
    >>> from quern import torch
    >>> torch.as_strided(torch.arange(6), (2, 2), (1, 2))
    tensor([[0, 2],
            [1, 3]])
    """
    item = input.dtype.itemsize
    size, stride = sizes_of((size,)), sizes_of((stride,))
    offset = input._offset if storage_offset is None else operator.index(storage_offset) * item
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(s < 0 for s in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {stride}")
    if any(n < 0 for n in size) or offset < 0:
        raise RuntimeError(f"as_strided: negative sizes {size} or a negative offset")
    last = sum((n - 1) * s for n, s in zip(size, stride, strict=True)) if all(size) else -1
    held = _engine.memory_bytes(input)
    if offset + (last + 1) * item > held:
        raise RuntimeError(
            f"setStorage: sizes {size}, strides {stride}, storage offset {offset // item}, and itemsize {item} requiring a storage size of "
            f"{offset + (last + 1) * item} are out of bounds for storage of size {held}"
        )
    return _engine.array_viewed_as(input, list(size), [s * item for s in stride], offset, input._dtype_name)


@checked
def unflatten(input, dim, sizes):
    """Split a dimension into several.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    dim : int
        Dimension of the operation; a negative one counts from the end.
    sizes : sequence of ints
        Sizes of the new dimensions; one of them may be -1.

    Returns
    -------
    Tensor
        View of `input`.

    Raises
    ------
    IndexError
        For a `dim` out of range.
    RuntimeError
        For sizes whose product is not that of the dimension.

    Examples
    --------
    >>> from quern import torch
    >>> torch.unflatten(torch.zeros(2, 6), 1, (2, 3)).shape
    torch.Size([2, 2, 3])
    """
    sizes = _numbers(sizes, "unflatten")
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    if not input._rank and dim in (0, -1):
        raise RuntimeError("unflatten got an unexpected error:\nDimension specified as 0 but tensor has no dimensions")
    dim = _axis(input, dim)
    if any(n < -1 for n in sizes) or sizes.count(-1) > 1:
        raise RuntimeError(f"unflatten: only one dimension can be inferred, and none is negative: {sizes}")
    n = input._shape[dim]
    if -1 in sizes:
        rest = math.prod(s for s in sizes if s != -1)
        sizes[sizes.index(-1)] = n // rest if rest else 0
    if math.prod(sizes) != n:
        raise RuntimeError(f"unflatten: Provided sizes {sizes} don't multiply up to the size of dim {dim} ({n}) in the input tensor")
    return input._reshaped([*input._shape[:dim], *sizes, *input._shape[dim + 1 :]])


@checked
def adjoint(input):
    """Return the conjugate transpose of matrices.

    Parameters
    ----------
    input : Tensor
        Matrices, of shape (*, M, N).

    Returns
    -------
    Tensor
        Shape (*, N, M).

    Raises
    ------
    RuntimeError
        For fewer than two dimensions.
    """
    return _of_matrices(input, "adjoint()", "Consider using x.conj().").conj()


def _of_matrices(input, name, instead="This function is the identity in these cases."):
    """The last two dimensions exchanged; ``name``: what PyTorch's errors call it."""
    if input._rank > 1:
        return transpose(input, -2, -1)
    shown = name if name == "adjoint()" else f"Tensor.{name}"
    if input._rank == 1:
        raise RuntimeError(f"tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor.")
    warn_user(f"{shown} is deprecated on 0-D tensors. {instead}")
    return input.view_as(input)


def _reversed(input):
    """The dimensions in the other order: a view."""
    if input._rank == 0:
        warn_user("Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases.")
    elif input._rank != 2:
        warn_user(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated. Consider `x.mT` to transpose "
            "batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
        )
    return input._transposed(list(range(input._rank))[::-1])


def _conjugated(input):
    """A matrix transposed, complex numbers conjugated."""
    if input._rank == 0:
        warn_user("Tensor.H is deprecated on 0-D tensors. Consider using x.conj().")
        return input.conj()
    if input._rank != 2:
        more = " For batches of matrices, consider using tensor.mH" if input._rank > 2 else ""
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {input._rank}-D tensor.{more}")
    return input._transposed([1, 0]).conj()


def _check_tensors(tensors, name):
    for i, one in enumerate(tensors):
        if not isinstance(one, Tensor):
            raise TypeError(f"{name}(): expected Tensor as element {i} in argument 0, but got {type(one).__name__}")


def _mismatch(sizes):
    """The first size that does not broadcast with one before it: (that one, itself, the dimension from the end)."""
    for i, b in enumerate(sizes):
        for a in sizes[:i]:
            for d in range(-1, -1 - min(len(a), len(b)), -1):
                if a[d] != b[d] and 1 not in (a[d], b[d]):
                    return a, b, d
    raise RuntimeError("the common size is too large")


def broadcast_shapes(*shapes):
    """Return the shape to which shapes broadcast.

    Parameters
    ----------
    *shapes : int or tuple of ints
        Shapes.

    Returns
    -------
    Size
        The common shape.

    Raises
    ------
    RuntimeError
        Where there is no such shape.

    Examples
    --------
    >>> from quern import torch
    >>> torch.broadcast_shapes((3, 1), (4,))
    torch.Size([3, 4])
    """
    shapes = [tuple(_numbers(s, "broadcast_shapes")) for s in shapes]
    if any(n < 0 for s in shapes for n in s):
        raise RuntimeError("Trying to create tensor with negative dimension")
    try:
        return _types.size_of(numpy.broadcast_shapes(*shapes))
    except (ValueError, OverflowError):
        a, b, d = _mismatch(shapes)
        raise RuntimeError(
            f"Shape mismatch: objects cannot be broadcast to a single shape: {list(a)} and {list(b)} have {a[d]} and {b[d]} in dim {d}"
        ) from None


@checked
def narrow(input, dim, start, length):
    """Return a view of consecutive elements of a dimension.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    dim : int
        Dimension of the operation; a negative one counts from the end.
    start : int
        Index of the first element.
    length : int
        Number of elements.

    Returns
    -------
    Tensor
        View of `input`.

    Raises
    ------
    IndexError
        For a `dim` out of range.
    RuntimeError
        For elements that the dimension does not have.

    Examples
    --------
    >>> from quern import torch
    >>> torch.narrow(torch.tensor([1, 2, 3, 4]), 0, 1, 2)
    tensor([2, 3])
    """
    if not input.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    dim = _axis(input, dim)
    start, length = operator.index(start), operator.index(length)
    n = input._shape[dim]
    if not -n <= start <= n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})")
    start = start + n if start < 0 else start
    if length < 0 or start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return _cut(input, dim, start, start + length)


def _cut(input, dim, start, stop, step=1):
    return input[(slice(None),) * dim + (slice(start, stop, step),)]


@checked(free="index")
def select(input, dim, index):
    """Return a view of one index of a dimension.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    dim : int
        Dimension of the operation; a negative one counts from the end.
    index : int
        Index; a negative one counts from the end.

    Returns
    -------
    Tensor
        View without the dimension.

    Raises
    ------
    IndexError
        For a `dim` or an `index` out of range.

    Examples
    --------
    >>> from quern import torch
    >>> torch.select(torch.tensor([[1, 2], [3, 4]]), 0, 1)
    tensor([3, 4])
    """
    if input._rank == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim, index = dim_of(dim, input._rank), operator.index(index)
    n = input._shape[dim]
    if not -n <= index < n:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(input._shape)} at dimension {dim}")
    return input[(slice(None),) * dim + (index,)]


@checked
def unfold(self, dimension, size, step):
    """Return a view of all windows of a size along a dimension.

    Parameters
    ----------
    dimension : int
        Dimension of the windows.
    size : int
        Number of elements in a window.
    step : int
        Distance of the windows.

    Returns
    -------
    Tensor
        The dimension has one element for each window; a new last dimension has the elements of the windows.

    Raises
    ------
    RuntimeError
        For a `size` that is negative or larger than the dimension, or a `step` that is not positive.

    Examples
    --------
    >>> from quern import torch
    >>> torch.arange(5).unfold(0, 3, 1)
    tensor([[0, 1, 2],
            [1, 2, 3],
            [2, 3, 4]])
    """
    dim = dim_of(dimension, self._rank)
    size, step = operator.index(size), operator.index(step)
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if self._rank == 0:
        if size > 1:
            raise RuntimeError(f"maximum size for tensor at dimension 0 is 1 but size is {size}")
        return self._reshaped([1])[:size]
    shape, strides = list(self.size()), list(self.stride())
    count = (shape[dim] - size) // step + 1
    if size > shape[dim]:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {shape[dim]} but size is {size}")
    places = [*shape[:dim], count, *shape[dim + 1 :], size]
    return as_strided(self, places, [*strides[:dim], strides[dim] * step, *strides[dim + 1 :], strides[dim]], self.storage_offset())


# ---- put together


def _common(tensors):
    names = {x._dtype_name for x in tensors}
    return tensors[0]._dtype_name if len(names) == 1 else _engine.tensor_common_type(*tensors)








@checked
def block_diag(*tensors):
    """Return a matrix of zeros with matrices along its diagonal.

    Parameters
    ----------
    *tensors : Tensor
        Matrices, vectors or numbers.

    Returns
    -------
    Tensor
        Matrix in the common dtype.

    Raises
    ------
    RuntimeError
        For more than two dimensions.

    Examples
    --------
    >>> from quern import torch
    >>> torch.block_diag(torch.tensor([[1, 2]]), torch.tensor(3))
    tensor([[1, 2, 0],
            [0, 0, 3]])
    """
    _check_tensors(tensors, "block_diag")
    if not tensors:
        return _creation.empty((1, 0))
    for one in tensors:
        if one._rank > 2:
            raise RuntimeError(f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Got {one._rank}")
    tensors = [atleast_2d(x) for x in tensors]
    rows, columns = sum(x._shape[0] for x in tensors), sum(x._shape[1] for x in tensors)
    made = filled([rows, columns], 0, _common(tensors), engine_device_of(tensors[0]))
    r = c = 0
    for x in tensors:
        made[r : r + x._shape[0], c : c + x._shape[1]] = x
        r, c = r + x._shape[0], c + x._shape[1]
    return made


@checked
def cartesian_prod(*tensors):
    """Return all combinations of the elements of vectors, as rows.

    Parameters
    ----------
    *tensors : Tensor
        Vectors.

    Returns
    -------
    Tensor
        Matrix; of one vector, that vector.

    Raises
    ------
    RuntimeError
        For other than one dimension.

    Examples
    --------
    >>> from quern import torch
    >>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
    _check_tensors(tensors, "cartesian_prod")
    for one in tensors:
        if one._rank != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(one._shape)}")
    if len(tensors) == 1:
        return tensors[0]
    return stack([ravel(x) for x in meshgrid(*tensors)], 1)


# ---- elements moved


@checked
def repeat_interleave(input, repeats=None, dim=None, *, output_size=None):
    """Repeat each element of a dimension.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    repeats : int or Tensor
        Number of repetitions, for all elements or for each.
    dim : int, optional
        Dimension; None flattens the tensor.
    output_size : int, optional
        Size of the result along the dimension, if it is known.

    Returns
    -------
    Tensor
        Dtype of `input`.

    Raises
    ------
    RuntimeError
        For negative repetitions, or another number of them than elements.
    IndexError
        For a `dim` out of range.

    Examples
    --------
    >>> from quern import torch
    >>> torch.repeat_interleave(torch.tensor([1, 2]), torch.tensor([2, 1]))
    tensor([1, 1, 2])
    """
    if repeats is None:
        if dim is not None:
            raise TypeError("repeat_interleave() missing 1 required positional argument: 'repeats'")
        if input._dtype_name not in ("int32", "int64"):
            raise NotImplementedError(f"\"repeat_interleave\" not implemented for '{_types.scalar_name(input.dtype)}'")
        if input._rank != 1:
            raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
        return repeat_interleave(FACES["arange"](input._size, dtype=input.dtype, device=input.device), input, 0, output_size=output_size)
    if dim is None:
        input, dim = ravel(input), 0
    dim = _axis(input, dim)
    if isinstance(repeats, Tensor):
        if repeats._dtype_name not in ("int32", "int64"):
            raise NotImplementedError(f"\"repeat_interleave\" not implemented for '{_types.scalar_name(repeats.dtype)}'")
        if repeats._rank > 1:
            raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
        repeats = repeats.reshape(-1).tolist()
    elif not isinstance(repeats, int):
        wrong("repeat_interleave", "repeats", 2, "Tensor or int", repeats)
    times = _numbers(repeats, "repeat_interleave")
    if any(n < 0 for n in times):
        raise RuntimeError("repeats can not be negative")
    if len(times) not in (1, input._shape[dim]):
        raise RuntimeError("repeats must have the same size as input along dim")
    sizes_in([input._size, max(times, default=0)])
    size = sum(times) if len(times) == input._shape[dim] else times[0] * input._shape[dim]
    if output_size is not None and output_size != size:
        raise RuntimeError(f"repeat_interleave(): the result has {size} parts, not output_size={output_size}")
    if not times:
        return input.clone()
    return _engine.array_repeated(input, times, dim)


def _in_place_view(name):
    method = getattr(Tensor, name)

    def in_place(self, *args, **kwargs):
        view = method(self, *args, **kwargs)
        _engine.check_may_write(self)
        _engine.set_view(self, view, is_written=True)
        return self

    in_place.__name__ = name + "_"
    in_place.__doc__ = f"Change the tensor to the result of :meth:`{name}`, with the same parameters; return the tensor."
    return in_place


METHODS = """as_strided unflatten adjoint narrow select unfold repeat_interleave"""
__all__ = """view_as_real view_as_complex as_strided unflatten adjoint broadcast_shapes narrow select
block_diag meshgrid cartesian_prod repeat_interleave""".split()
add_methods(__name__, METHODS)
_VIEWS = "squeeze unsqueeze transpose swapaxes swapdims t as_strided".split()
_engine.add_methods(Tensor, {name + "_": _in_place_view(name) for name in _VIEWS})
Tensor.T, Tensor.H = property(_reversed), property(_conjugated)
Tensor.mT = property(lambda self: _of_matrices(self, "mT"), doc="The last two dimensions exchanged: a view.")
Tensor.mH = property(
    lambda self: _of_matrices(self, "mH", "Consider using x.conj().").conj(), doc="The last two dimensions exchanged, conjugated."
)
