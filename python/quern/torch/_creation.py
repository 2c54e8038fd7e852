"""New tensors: of values, of one value, of numbers in a row, and from the memory of others."""


import numpy

from quern.arrays.records import numpy_dtypes
from quern.lib import _engine
from quern.torch import _types
from quern.torch._arguments import checked
from quern.torch._core import Tensor, add_methods, filled, grown
from quern.torch._devices import engine_device, name_of
from quern.torch._dimensions import sizes_in, sizes_of
from quern.torch._faces import FACES
from quern.torch._host_values import name_of_type
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
    """Return a number as a tensor without dimensions.

    Parameters
    ----------
    s : scalar
        Number or bool.
    dtype : dtype, optional
        Dtype of the result; None is the default floating-point dtype.
    device : device or str, optional
        Device of the result, such as "cpu" or "cuda:0"; None is the default one.
    requires_grad : bool, optional
        Whether the result records operations for gradients.

    Returns
    -------
    Tensor
        Without dimensions.

    Raises
    ------
    TypeError
        For a tensor.

    Examples
    --------
    >>> from quern import torch
    >>> torch.scalar_tensor(2)
    tensor(2.)
    """
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


_LEGACY = """Make a tensor of {dtype}: of sizes, with any values, or of the values of a sequence.

Parameters
----------
*args : ints, Size, sequence or Tensor
    Sizes of the tensor, or its values.
device : device, str or int, optional
    Where it is; None is the default device.

Raises
------
TypeError
    For a tensor of another dtype.

Examples
--------
>>> from quern import torch
>>> torch.{kind}([1, 0]).dtype
torch.{dtype}
"""


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

    kind = f"{_types.scalar_name(DTYPES[name])}Tensor"
    doc = _LEGACY.format(dtype=name, kind=kind)
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
    """Return a tensor that shares the memory of another library's array, by DLPack.

    Parameters
    ----------
    ext_tensor : object
        Object with ``__dlpack__``, or a capsule.
    device : device or str, optional
        Accepted for compatibility; has no effect.
    copy : bool, optional
        Accepted for compatibility; has no effect.

    Returns
    -------
    Tensor
        Shape and dtype of `ext_tensor`, on its device.

    Examples
    --------
    >>> import numpy
    >>> from quern import torch
    >>> a = numpy.zeros(2)
    >>> t = torch.from_dlpack(a)
    >>> a[0] = 5
    >>> t
    tensor([5., 0.], dtype=torch.float64)
    """
    from quern.arrays.core import _from_capsule_of

    array = _from_capsule_of(ext_tensor) if hasattr(ext_tensor, "__dlpack__") else _engine.array_from_capsule(ext_tensor)
    return grown(array)


@checked
def to_dlpack(tensor):
    """Return a DLPack capsule of the memory of a tensor.

    Parameters
    ----------
    tensor : Tensor
        Tensor of any shape and dtype that does not require gradients.

    Returns
    -------
    capsule
        Capsule that one call of :func:`from_dlpack` consumes.

    Raises
    ------
    BufferError
        For a tensor that requires gradients.

    Examples
    --------
    >>> from quern import torch
    >>> torch.from_dlpack(torch.to_dlpack(torch.ones(2)))
    tensor([1., 1.])
    """
    return tensor.__dlpack__()


@checked
def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """Return a one-dimensional tensor that shares the memory of an object with the buffer protocol.

    Parameters
    ----------
    buffer : object
        Object with the buffer protocol, such as bytearray.
    dtype : dtype
        Dtype of the elements.
    count : int, optional
        Number of elements; -1 reads all.
    offset : int, optional
        Number of bytes before the first element.
    requires_grad : bool, optional
        Whether the result records operations for gradients.

    Returns
    -------
    Tensor
        One-dimensional, on the CPU.

    Raises
    ------
    ValueError
        For an empty buffer, an offset outside of it, or a length that the element size does not divide.

    Examples
    --------
    >>> from quern import torch
    >>> torch.frombuffer(bytearray([1, 0, 2, 0]), dtype=torch.int16)
    tensor([1, 2], dtype=torch.int16)
    """
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
    """Return a tensor of a shape and strides; its values are zeros.

    Parameters
    ----------
    size : tuple of ints
        Shape of the result.
    stride : tuple of ints
        Number of elements between neighbours along each dimension.
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
        Shape `size`, strides `stride`.

    Raises
    ------
    RuntimeError
        For negative strides, or sizes and strides of different lengths.

    Examples
    --------
    >>> from quern import torch
    >>> torch.empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
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
    """Return a new tensor of values, by default in the dtype and on the device of this tensor.

    Parameters
    ----------
    data : array_like
        Numbers, nested sequences of them, or an array.
    dtype : dtype, optional
        Dtype of the result; None is that of this tensor.
    device : device or str, optional
        Device of the result; None is that of this tensor.
    requires_grad : bool, optional
        Whether the result records operations for gradients.

    Returns
    -------
    Tensor
        Shape of `data`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.zeros(1, dtype=torch.float64).new_tensor([1, 2])
    tensor([1., 2.], dtype=torch.float64)
    """
    return tensor(data, dtype=dtype or self.dtype, device=device or self.device, requires_grad=requires_grad)


__all__ = """tensor as_tensor asarray scalar_tensor from_numpy from_dlpack to_dlpack frombuffer empty_strided""".split()
add_methods(__name__, "new_tensor")
Tensor._made = staticmethod(legacy_tensor)
Tensor.__array_wrap__ = lambda self, array, context=None, return_scalar=False: tensor(array)
Tensor.new = lambda self, *args, device=None: legacy_tensor(args, device).to(self.dtype)


def _dlpack(self, **asked):
    """A capsule over the tensor's memory."""
    if self.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    return _engine.BareArray.__dlpack__(self, **asked)


Tensor.__dlpack__ = _dlpack
