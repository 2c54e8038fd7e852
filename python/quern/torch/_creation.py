"""New tensors: of values, of one value, of numbers in a row, and from the memory of others."""

import math

import numpy

from quern.arrays.records import numpy_dtypes
from quern.lib import _engine
from quern.torch import _layouts, _types
from quern.torch._arguments import checked, wrong
from quern.torch._core import (
    Tensor,
    add_methods,
    check_apart,
    engine_device,
    engine_device_of,
    filled,
    grown,
    is_number,
    name_of,
    sizes_in,
    sizes_of,
    tensor_like,
)
from quern.torch._faces import FACES
from quern.torch._host_values import name_of_type
from quern.torch._layouts import clone, contiguous  # noqa: F401
from quern.torch._types import DTYPES


def _wanted(tensor, requires_grad):
    return tensor.requires_grad_() if requires_grad else tensor


def _default_name():
    return _engine.torch_default()


# ---- of values


tensor, as_tensor, asarray = FACES["tensor"], FACES["as_tensor"], FACES["asarray"]


def over_memory(data):
    """A tensor over the memory of an array of quern's, or of what describes memory of a GPU; None for what has no such memory."""
    from quern.arrays.core import Array, _from_capsule_of, _from_interface

    try:
        if isinstance(data, Array):
            return grown(_from_capsule_of(data))
    except (TypeError, ValueError):
        return None
    if hasattr(data, "__cuda_array_interface__"):
        try:
            return grown(_from_interface(data, "as_tensor"))
        except ValueError as error:
            raise RuntimeError(str(error)) from None
    return None


def over_buffer(data, name):
    """A tensor over the memory of an object with the buffer protocol, of its own type or of that ``name``."""
    memory = memoryview(data)
    if not memory.c_contiguous:
        raise RuntimeError("could not retrieve a contiguous buffer from the given object (non-contiguous buffer)")
    if not memory.nbytes:
        raise ValueError("both buffer length (0) and count (-1) must not be 0")
    if name is None:
        name = name_of_type(numpy.dtype(memory.format if memory.format != "c" else "B"))
    size = numpy_dtypes[name].itemsize
    if memory.nbytes % size:
        raise ValueError(
            f"buffer length ({memory.nbytes} bytes) after offset (0 bytes) must be a multiple of element size ({size})"
        )
    return frombuffer(data, dtype=DTYPES[name])


def scalar_tensor(s, *, dtype=None, device=None, requires_grad=False):
    """A number as a tensor without dimensions, of the default real type."""
    if isinstance(s, Tensor):
        raise TypeError("scalar_tensor(): argument 's' (position 1) must be Number, not Tensor")
    return full((), s, dtype=DTYPES[_default_name()] if dtype is None else dtype, device=device, requires_grad=requires_grad)


def legacy_tensor(args, device=None):
    """What ``torch.Tensor(...)`` makes: of sizes, or of values as the default real type."""
    name = _default_name()
    if len(args) == 1 and isinstance(args[0], Tensor):
        return args[0].view(args[0].shape) if args[0].requires_grad else args[0].detach()
    if len(args) == 1:
        _check_sequence(args[0])
    if len(args) == 1 and not isinstance(args[0], int) and not isinstance(args[0], _types.Size):
        return tensor(args[0], dtype=DTYPES[name], device=device)
    return empty(*args, dtype=DTYPES[name], device=device) if args else empty(0, dtype=DTYPES[name], device=device)


def _check_sequence(data):
    if isinstance(data, float | complex):
        raise TypeError(f"new(): data must be a sequence (got {type(data).__name__})")


class _OldType(type):
    """Metaclass of ``torch.FloatTensor`` and related classes: isinstance() checks the dtype."""

    def __instancecheck__(cls, x):
        return isinstance(x, Tensor) and x.dtype is cls.dtype and not x.is_cuda


def legacy_type(name):
    """``torch.FloatTensor`` and related classes: a class whose call makes tensors of one type, and that such tensors are instances of."""

    def made(cls, *args, device=None):
        if len(args) == 1 and isinstance(args[0], Tensor) and args[0].dtype is not DTYPES[name]:
            raise TypeError(f"expected a tensor of {name} (got {args[0].dtype}); convert it with to()")
        if len(args) == 1:
            _check_sequence(args[0])
        if len(args) == 1 and not isinstance(args[0], int) and not isinstance(args[0], _types.Size):
            return tensor(args[0], dtype=DTYPES[name], device=device)
        return empty(*(args or (0,)), dtype=DTYPES[name], device=device)

    doc = f"A tensor of {name}: of sizes, or of the values of a sequence."
    kind = f"{_types.scalar_name(DTYPES[name])}Tensor"
    return _OldType(kind, (), {"__new__": made, "__doc__": doc, "__module__": "torch", "dtype": DTYPES[name]})


# ---- from the memory of others


def from_numpy(ndarray):
    """Return a tensor that shares the memory of a NumPy array.

    Parameters
    ----------
    ndarray : numpy.ndarray
        Array of any shape, with numbers or bools.

    Returns
    -------
    Tensor
        Shape and dtype of the array, on the CPU; a write to one is visible in the other.

    Raises
    ------
    TypeError
        For objects that are no arrays, and for dtypes that are not supported.

    Examples
    --------
    >>> import numpy as np
    >>> from quern import torch
    >>> a = np.zeros(3)
    >>> t = torch.from_numpy(a)
    >>> t[0] = 5
    >>> a
    array([5., 0., 0.])
    """
    if not isinstance(ndarray, numpy.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    return grown(_engine.tensor_over_numpy(ndarray))


def from_dlpack(ext_tensor, *, device=None, copy=None):
    """A tensor over the memory of an object with ``__dlpack__``, or of a capsule."""
    from quern.arrays.core import _from_capsule_of

    array = _from_capsule_of(ext_tensor) if hasattr(ext_tensor, "__dlpack__") else _engine.array_from_capsule(ext_tensor)
    return grown(array)


@checked
def to_dlpack(tensor):
    """A DLPack capsule of the tensor's memory."""
    return tensor.__dlpack__()


@checked
def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """A tensor over the memory of an object with the buffer protocol; on the CPU."""
    type_, length = numpy_dtypes[name_of(dtype)], memoryview(buffer).nbytes
    if not length or not count:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({length} bytes) minus 1")
    if count < 0 and (length - offset) % type_.itemsize:
        raise ValueError(
            f"buffer length ({length - offset} bytes) after offset ({offset} bytes) must be a multiple of element size ({type_.itemsize})"
        )
    if count > 0 and offset + count * type_.itemsize > length:
        raise ValueError(
            f"requested buffer length ({count} * {type_.itemsize} bytes) after offset ({offset} bytes) must not be greater than actual "
            f"buffer length ({length} bytes)"
        )
    host = numpy.frombuffer(buffer, type_, count, offset)
    return _wanted(from_numpy(host), requires_grad)


# ---- of one value


def same_as_asked(out, dtype):
    """``out``, which must have the type that is asked for."""
    if dtype is not None and isinstance(out, Tensor) and out.dtype is not dtype:
        raise RuntimeError(f"dtype {dtype} does not match dtype of out parameter ({out.dtype})")
    return out


def _options(dtype, device, name=None):
    return (name or _default_name()) if dtype is None else name_of(dtype), engine_device(device)


zeros, ones, empty, full = (FACES[name] for name in ("zeros", "ones", "empty", "full"))
zeros_like, ones_like, empty_like, full_like = (FACES[name] for name in ("zeros_like", "ones_like", "empty_like", "full_like"))
arange, eye = FACES["arange"], FACES["eye"]


def empty_strided(size, stride, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """A tensor of that size whose elements lie so many elements apart; its values are zeros."""
    name, device = _options(dtype, device)
    size, stride = sizes_of((size,)), sizes_of((stride,))
    if len(size) != len(stride):
        raise RuntimeError(f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})")
    if any(s < 0 for s in stride):
        raise RuntimeError("as_strided: Negative strides are not supported at the moment")
    sizes_in(size)
    count = 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True)) if all(size) else 0
    return _wanted(filled([count], 0, name, device).as_strided(size, stride), requires_grad)


@checked
def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False):
    """A new tensor of these values, of this one's type and device unless others are given."""
    return tensor(data, dtype=dtype or self.dtype, device=device or self.device, requires_grad=requires_grad)


# ---- conversions


@checked
def to(self, *args, dtype=None, device=None, non_blocking=False, copy=False, memory_format=None):
    """The tensor as another type, or on another device; itself where nothing changes.

    ``to(dtype)``, ``to(device)``, ``to(device, dtype)``, ``to(other)``; ``copy=True``: a new tensor in any case.
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
    """The tensor on the CPU."""
    return _layouts.converted(_moved(self, _engine.cpu()), self._dtype_name, memory_format)


@checked
def cuda(self, device=None, non_blocking=False, memory_format=None):
    """The tensor on a GPU, by default the current one."""
    if device is None:
        device = "cuda"
    moved = _moved(self, engine_device(f"cuda:{device}" if isinstance(device, int) else device))
    return _layouts.converted(moved, self._dtype_name, memory_format)


def _conversion(name, dtype):
    def method(self, memory_format=None):
        return self if self._dtype_name == dtype and memory_format is None else _layouts.converted(self, dtype, memory_format)

    method.__name__ = name
    method.__doc__ = f"The tensor as {dtype}; itself where it has that type."
    return method


_CONVERSIONS = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "int": "int32", "long": "int64", "short": "int16",
    "char": "int8", "byte": "uint8", "bool": "bool", "cfloat": "complex64", "cdouble": "complex128",
}  # fmt: skip
_engine.add_methods(Tensor, {name: _conversion(name, dtype) for name, dtype in _CONVERSIONS.items()})


@checked(tensors="other")
def type_as(self, other):
    """The tensor as the type of another one, and on its device."""
    return to(self, other)


@checked
def copy_(self, src, non_blocking=False):
    """Takes the values of ``src``, which broadcasts to this tensor and is converted to its type; returns this tensor."""
    check_apart(self)
    if isinstance(src, Tensor) and src._device_number != self._device_number:
        src = _moved(src, engine_device_of(self))
    elif not isinstance(src, Tensor):
        if not is_number(src):
            wrong("copy_", "other", 1, "Tensor", src)
        src = tensor_like(src, self)
    try:
        _engine.array_assign(self, src)
    except ValueError:
        raise RuntimeError(f"The size of tensor a ({list(self._shape)}) must match the size of tensor b ({list(src._shape)})") from None
    return self


@checked
def fill_(self, value):
    """Sets all elements to a number; returns this tensor."""
    if isinstance(value, Tensor) and value._rank:
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value._rank} dimensions.")
    if not isinstance(value, Tensor) and not is_number(value):
        raise TypeError(f"fill_(): argument 'value' (position 1) must be Number, not {type(value).__name__}")
    _engine.array_assign(self, value)
    return self


@checked
def zero_(self):
    """Sets all elements to 0; returns this tensor."""
    return fill_(self, 0)


@checked
def fill(input, value):
    """A tensor of the size of ``input`` with one value."""
    return clone(input).fill_(value)


@checked
def fill_diagonal_(self, fill_value, wrap=False):
    """Sets the main diagonal of a matrix to a number; returns this tensor."""
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
    """Make this tensor share the memory, size and dtype of `source`; with ``size`` and ``stride``, a strided view of it."""
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
    """Becomes a tensor of that size over the same memory where it holds so many elements, else over new memory that begins with it."""
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
    """Becomes a tensor of the size of another one."""
    return resize_(self, *the_template._shape)


def is_tensor(obj):
    """Is it a tensor?"""
    return isinstance(obj, Tensor)


@checked
def is_floating_point(input):
    """Are its elements real numbers?"""
    return input.dtype.is_floating_point


@checked
def is_complex(input):
    """Are its elements complex numbers?"""
    return input.dtype.is_complex


@checked
def is_nonzero(input):
    """Is the only element not 0? This waits for it."""
    if input._size != 1:
        raise RuntimeError("Boolean value of Tensor with " + ("no values" if not input._size else "more than one value") + " is ambiguous")
    return bool(input != 0)


@checked
def numel(input):
    """How many elements it has."""
    return input._size


def result_type(tensor1, tensor2):
    """The type that an operation on both gives; each is a tensor or a number."""
    for one in (tensor1, tensor2):
        if not isinstance(one, Tensor) and not is_number(one):
            raise TypeError(f"result_type(): arguments must be tensors or numbers, not {type(one).__name__}")
    return DTYPES[_engine.tensor_common_type(tensor1, tensor2)]


METHODS = """to cpu cuda type_as clone contiguous copy_ fill_ zero_ fill_diagonal_ set_ resize_ resize_as_ new_tensor is_nonzero"""
NAMES = """tensor as_tensor asarray scalar_tensor from_numpy from_dlpack to_dlpack frombuffer empty_strided clone fill is_tensor
is_floating_point is_complex is_nonzero numel result_type""".split()
__all__ = NAMES
add_methods(__name__, METHODS)
Tensor._made = staticmethod(legacy_tensor)
Tensor.__array_wrap__ = lambda self, array, context=None, return_scalar=False: tensor(array)
Tensor.new = lambda self, *args, device=None: legacy_tensor(args, device).to(self.dtype)


def _dlpack(self, **asked):
    """A capsule over the tensor's memory."""
    if self.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    return _engine.BareArray.__dlpack__(self, **asked)


Tensor.__dlpack__ = _dlpack
