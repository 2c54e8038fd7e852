"""Conversions of tensors, values and sizes that are set in place, and queries of dtypes."""

import math

from quern.lib import _engine
from quern.torch import _layouts, _types
from quern.torch._arguments import checked, wrong
from quern.torch._core import Tensor, add_methods, check_apart, engine_device_of, filled, is_number, tensor_like
from quern.torch._devices import engine_device, name_of
from quern.torch._dimensions import sizes_in, sizes_of
from quern.torch._layouts import clone, contiguous  # noqa: F401
from quern.torch._types import DTYPES


@checked
def to(self, *args, dtype=None, device=None, non_blocking=False, copy=False, memory_format=None):
    """Return the tensor in another dtype or on another device; the tensor itself where nothing changes.

    Parameters
    ----------
    *args : dtype, device, str or Tensor
        ``to(dtype)``, ``to(device)``, ``to(device, dtype)``, or ``to(other)`` for the dtype and device of a tensor.
    dtype : dtype, optional
        Dtype of the result.
    device : device or str, optional
        Device of the result.
    non_blocking : bool, optional
        Accepted for compatibility; has no effect.
    copy : bool, optional
        Whether to copy in any case.
    memory_format : memory_format, optional
        Order of the dimensions in memory; None keeps the order of the tensor.

    Returns
    -------
    Tensor
        Shape of the tensor.

    Examples
    --------
    >>> from quern import torch
    >>> torch.tensor([1.7, 2.0]).to(torch.int64)
    tensor([1, 2])
    """
    for one in args:
        if isinstance(one, _types.dtype):
            dtype = one
        elif isinstance(one, Tensor):
            dtype, device = one.dtype, one.device
        elif isinstance(one, bool):
            pass  # non_blocking, copy
        elif one is not None:
            device = one
    if len(args) > 2 and args[-1] is True:
        copy = True
    out = self
    if device is not None:
        target = engine_device(device)
        out = _moved(out, target)
    kind = out._dtype_name if dtype is None else name_of(dtype, "to")
    return _layouts.converted(out, kind, memory_format, copy and out is self)


def _moved(tensor, target):
    number = -1 if target.kind == "cpu" else target.index
    if tensor._device_number == number:
        return tensor
    return _engine.array_move(tensor, target)


@checked
def cpu(self, memory_format=None):
    """Return the tensor on the CPU; the tensor itself where it is there.

    Parameters
    ----------
    memory_format : memory_format, optional
        Order of the dimensions in memory; None keeps the order of the tensor.

    Returns
    -------
    Tensor
        Shape and dtype of the tensor.
    """
    return _layouts.converted(_moved(self, _engine.cpu()), self._dtype_name, memory_format)


@checked
def cuda(self, device=None, non_blocking=False, memory_format=None):
    """Return the tensor on a GPU; the tensor itself where it is there.

    Parameters
    ----------
    device : device, str or int, optional
        GPU, such as "cuda:1"; None is the current one.
    non_blocking : bool, optional
        Accepted for compatibility; has no effect.
    memory_format : memory_format, optional
        Order of the dimensions in memory; None keeps the order of the tensor.

    Returns
    -------
    Tensor
        Shape and dtype of the tensor.
    """
    if device is None:
        device = "cuda"
    moved = _moved(self, engine_device(f"cuda:{device}" if isinstance(device, int) else device))
    return _layouts.converted(moved, self._dtype_name, memory_format)


def _conversion(name, dtype):
    def method(self, memory_format=None):
        return self if self._dtype_name == dtype and memory_format is None else _layouts.converted(self, dtype, memory_format)

    method.__name__ = name
    method.__doc__ = f"Return the tensor as {dtype}; the tensor itself where it has that dtype."
    return method


_CONVERSIONS = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "int": "int32", "long": "int64", "short": "int16",
    "char": "int8", "byte": "uint8", "bool": "bool", "cfloat": "complex64", "cdouble": "complex128",
}  # fmt: skip
_engine.add_methods(Tensor, {name: _conversion(name, dtype) for name, dtype in _CONVERSIONS.items()})


@checked(tensors="other")
def type_as(self, other):
    """Return the tensor in the dtype and on the device of another one.

    Parameters
    ----------
    other : Tensor
        Tensor whose dtype and device the result has.

    Returns
    -------
    Tensor
        Shape of the tensor.

    Examples
    --------
    >>> from quern import torch
    >>> torch.tensor([1, 2]).type_as(torch.ones(1))
    tensor([1., 2.])
    """
    return to(self, other)


@checked
def copy_(self, src, non_blocking=False):
    """Copy the values of another tensor into this one.

    Parameters
    ----------
    src : Tensor or scalar
        Values that broadcast to the shape of this tensor; they are converted to its dtype.
    non_blocking : bool, optional
        Accepted for compatibility; has no effect.

    Returns
    -------
    Tensor
        The tensor itself.

    Examples
    --------
    >>> from quern import torch
    >>> torch.zeros(2, 2, dtype=torch.int64).copy_(torch.tensor([1.0, 2.0]))
    tensor([[1, 2],
            [1, 2]])
    """
    check_apart(self)
    if isinstance(src, Tensor) and src._device_number != self._device_number:
        src = _moved(src, engine_device_of(self))
    elif not isinstance(src, Tensor):
        if not is_number(src):
            wrong("copy_", "other", 1, "Tensor", src)
        src = tensor_like(src, self)
    if src._shape != self._shape:
        _check_fits(self._shape, src._shape)
    _engine.array_assign(self, src)
    return self


def _check_fits(shape, source):
    whole = list(max(shape, source, key=len))
    for i in range(1, min(len(shape), len(source)) + 1):
        a, b = shape[-i], source[-i]
        if a != b and 1 not in (a, b):
            dim = len(whole) - i
            raise RuntimeError(f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension {dim}")
        whole[-i] = b if a == 1 else a
    if whole != list(shape):
        raise RuntimeError(f"output with shape {list(shape)} doesn't match the broadcast shape {whole}")


@checked
def fill_(self, value):
    """Set all elements to a value, in place.

    Parameters
    ----------
    value : scalar or Tensor
        Number, or tensor without dimensions.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    RuntimeError
        For a value with dimensions; for a leaf that requires gradients.
    TypeError
        For a value that is no number.

    Examples
    --------
    >>> from quern import torch
    >>> torch.zeros(2).fill_(7)
    tensor([7., 7.])
    """
    if isinstance(value, Tensor) and value._rank:
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value._rank} dimensions.")
    if not isinstance(value, Tensor) and not is_number(value):
        raise TypeError(f"fill_(): argument 'value' (position 1) must be Number, not {type(value).__name__}")
    _engine.array_assign(self, value)
    return self


@checked
def zero_(self):
    """Set all elements to 0, in place.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    RuntimeError
        For a leaf that requires gradients.

    Examples
    --------
    >>> from quern import torch
    >>> torch.ones(2).zero_()
    tensor([0., 0.])
    """
    return fill_(self, 0)


@checked
def fill(input, value):
    """Return a tensor of the shape of `input` with one value.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    value : scalar or Tensor
        Number, or tensor without dimensions.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    RuntimeError
        For a tensor with dimensions.

    Examples
    --------
    >>> from quern import torch
    >>> torch.fill(torch.zeros(2), 7)
    tensor([7., 7.])
    """
    return clone(input).fill_(value)


@checked
def fill_diagonal_(self, fill_value, wrap=False):
    """Set the main diagonal to a value, in place.

    Parameters
    ----------
    fill_value : scalar
        Number.
    wrap : bool, optional
        Whether the diagonal of a tall matrix starts again below the last column.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    RuntimeError
        For a tensor with fewer than two dimensions, or with more than two of different sizes.

    Examples
    --------
    >>> from quern import torch
    >>> torch.zeros(2, 2).fill_diagonal_(3)
    tensor([[3., 0.],
            [0., 3.]])
    """
    if isinstance(fill_value, Tensor) and fill_value._rank:
        wrong("fill_diagonal_", "fill_value", 1, "Number", fill_value)
    if self._rank < 2:
        raise RuntimeError("dimensions must larger than 1")
    if self._rank > 2 and len(set(self._shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    n = min(self._shape)
    step = sum(self.stride())
    _engine.array_assign(self.as_strided((n,), (step,), self.storage_offset()), fill_value)
    if wrap and self._rank == 2 and self._shape[0] > self._shape[1] + 1:
        rows, columns = self._shape
        first = columns + 1
        while first < rows:
            part = self[first:]
            fill_diagonal_(part, fill_value)
            first += columns + 1
    return self


@checked
def set_(self, source=None, storage_offset=0, size=None, stride=None):
    """Share the memory, shape and dtype of another tensor.

    Parameters
    ----------
    source : Tensor, optional
        Tensor whose memory this tensor shares; None makes it an empty one.
    storage_offset : int, optional
        First element, counted from the beginning of the memory.
    size : tuple of ints, optional
        Shape; None is that of `source`.
    stride : tuple of ints, optional
        Number of elements between neighbours along each dimension.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    TypeError
        For a source that is no tensor.

    Examples
    --------
    >>> from quern import torch
    >>> torch.zeros(1).set_(torch.arange(4.0), 1, (2,), (2,))
    tensor([1., 3.])
    """
    if source is not None and not isinstance(source, Tensor):
        raise TypeError(
            f"set_() received an invalid combination of arguments - got ({type(source).__name__}), but expected one of:\n * ()\n"
            " * (Tensor source)\n * (Tensor source, int storage_offset, tuple of ints size, tuple of ints stride)\n"
        )
    if size is not None:
        if stride is None:
            stride = [math.prod(size[n + 1 :]) for n in range(len(size))]
        source = source.as_strided(size, stride, storage_offset)
    if self.requires_grad and self.is_leaf and _engine.gradient_mode():
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    _engine.check_may_write(self)
    _engine.set_data(self, source if source is not None else self.new_empty(0))
    return self


@checked
def resize_(self, *size, memory_format=None):
    """Change the shape in place.

    The tensor keeps its memory if that holds enough elements, and gets new memory with the same first elements otherwise.

    Parameters
    ----------
    *size : int or sequence of ints
        New shape.
    memory_format : memory_format, optional
        Order of the dimensions in memory; None keeps the order of the tensor.

    Returns
    -------
    Tensor
        The tensor itself.

    Raises
    ------
    RuntimeError
        For a tensor that requires gradients.

    Examples
    --------
    >>> from quern import torch
    >>> torch.arange(4).resize_(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    if self.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    sizes = sizes_of(size)
    count = math.prod(sizes_in(sizes))
    _engine.check_may_write(self)
    if tuple(sizes) == self._shape:
        return self
    start, held = self.storage_offset(), _engine.memory_bytes(self) // self.itemsize
    memory = self
    if start + count > held:
        memory = filled([start + count], 0, self._dtype_name, engine_device_of(self))
        _engine.array_check_room(memory)
        if held:
            _engine.array_assign(memory[:held], self.detach().as_strided((held,), (1,), 0))
    _engine.set_data(self, memory.detach().as_strided((count,), (1,), start).reshape(sizes))
    return self


@checked(tensors="the_template")
def resize_as_(self, the_template, memory_format=None):
    """Change the shape in place to that of another tensor.

    Parameters
    ----------
    the_template : Tensor
        Tensor whose shape this tensor gets.
    memory_format : memory_format, optional
        Order of the dimensions in memory; None keeps the order of the tensor.

    Returns
    -------
    Tensor
        The tensor itself.

    Examples
    --------
    >>> from quern import torch
    >>> torch.arange(4).resize_as_(torch.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    return resize_(self, *the_template._shape)


def is_tensor(obj):
    """Return whether an object is a tensor.

    Parameters
    ----------
    obj : object
        Object.

    Returns
    -------
    bool
        Whether it is one.

    Examples
    --------
    >>> from quern import torch
    >>> torch.is_tensor(torch.ones(2)), torch.is_tensor(2)
    (True, False)
    """
    return isinstance(obj, Tensor)


@checked
def is_floating_point(input):
    """Return whether the dtype of a tensor is a floating-point one.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.

    Returns
    -------
    bool
        Whether it is.

    Examples
    --------
    >>> from quern import torch
    >>> torch.is_floating_point(torch.ones(2))
    True
    """
    return input.dtype.is_floating_point


@checked
def is_complex(input):
    """Return whether the dtype of a tensor is a complex one.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.

    Returns
    -------
    bool
        Whether it is.

    Examples
    --------
    >>> from quern import torch
    >>> torch.is_complex(torch.ones(2))
    False
    """
    return input.dtype.is_complex


@checked
def is_nonzero(input):
    """Return whether the only element of a tensor is not 0.

    The function waits for the value.

    Parameters
    ----------
    input : Tensor
        Tensor with one element.

    Returns
    -------
    bool
        Whether the element is not 0.

    Raises
    ------
    RuntimeError
        For a tensor that has not exactly one element.

    Examples
    --------
    >>> from quern import torch
    >>> torch.is_nonzero(torch.tensor([0.5]))
    True
    """
    if input._size != 1:
        raise RuntimeError("Boolean value of Tensor with " + ("no values" if not input._size else "more than one value") + " is ambiguous")
    return bool(input != 0)


@checked
def numel(input):
    """Return the number of elements of a tensor.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.

    Returns
    -------
    int
        Number of elements.

    Examples
    --------
    >>> from quern import torch
    >>> torch.numel(torch.ones(2, 3))
    6
    """
    return input._size


def result_type(tensor1, tensor2):
    """Return the dtype of the result of an operation on two operands.

    Parameters
    ----------
    tensor1 : Tensor or scalar
        First operand.
    tensor2 : Tensor or scalar
        Second operand.

    Returns
    -------
    dtype
        Dtype of the result.

    Raises
    ------
    TypeError
        For an operand that is neither a tensor nor a number.

    Examples
    --------
    >>> from quern import torch
    >>> torch.result_type(torch.tensor([1, 2]), 1.5)
    torch.float32
    """
    for one in (tensor1, tensor2):
        if not isinstance(one, Tensor) and not is_number(one):
            raise TypeError(f"result_type(): arguments must be tensors or numbers, not {type(one).__name__}")
    return DTYPES[_engine.tensor_common_type(tensor1, tensor2)]


METHODS = """to cpu cuda type_as clone contiguous copy_ fill_ zero_ fill_diagonal_ set_ resize_ resize_as_ is_nonzero"""
__all__ = "clone fill is_tensor is_floating_point is_complex is_nonzero numel result_type".split()
add_methods(__name__, METHODS)
