"""The array type, data types, and the way in and out of arrays."""

import builtins
import operator

import numpy

from quern.arrays.functions import functions
from quern.arrays.records import UnsupportedDType, numpy_dtypes, record_name
from quern.device import current_device as _device
from quern.errors import OutOfMemoryError
from quern.lib import _engine

Array = _engine.Array
Array.__module__ = "quern"
Array.__array_priority__ = 1000

# The installed NumPy's meaning is ours, where versions differ.
NUMPY_2_5 = numpy.lib.NumpyVersion(numpy.__version__) >= "2.5.0"

_names = set(_engine.dtype_names())


# What programs call the types of numbers: NumPy's dtypes, its scalar types, their names, Python's types. dtype.name takes a microsecond.
_called = {kind: name for name in _names - {"bfloat16"} for kind in (numpy.dtype(name), numpy.dtype(name).type, name)}
_called |= {bool: "bool", int: numpy.dtype(int).name, float: "float64", complex: "complex128"}
for _object, _name in _called.items():
    _engine.name_dtype(_object, _name)


def known_name(dtype):
    """The engine's name of a type of numbers, where programs call it by one of its usual names; None for all else."""
    try:
        return _called.get(dtype)
    except TypeError:  # a list of fields
        return None


def _dtype_name(dtype):
    """The engine's name of a data type, given as NumPy takes it."""
    known = known_name(dtype)
    if known is not None:
        return known
    if isinstance(dtype, str) and dtype in numpy_dtypes:
        return dtype
    dtype = numpy.dtype(dtype)
    name = dtype.name
    if name not in _names:
        if dtype.kind == "V":
            return record_name(dtype)
        if dtype.kind in "USTO":
            what = "text" if dtype.kind in "UST" else "Python objects"
            raise UnsupportedDType(f"Unsupported dtype {dtype}: arrays hold numbers, not {what}; convert it first, as in float(x)")
        raise UnsupportedDType(f"Unsupported dtype {name}; convert to one of: {', '.join(sorted(_names))}")
    return name


_numpy_dtype = numpy_dtypes.__getitem__  # NumPy's, by the engine's name


def _axis(axis, ndim):
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise numpy.exceptions.AxisError(axis, ndim)
    return axis % ndim


def _no_bool(axis):
    """The axis of a function that takes no bool for one."""
    if isinstance(axis, (bool, numpy.bool_)):
        raise TypeError("an integer is required for the axis")
    return axis


def _is_out(out):
    """Is there an array that takes the result? TypeError for what is none."""
    if out is not None and not isinstance(out, (Array, numpy.ndarray)):
        raise TypeError("return arrays must be of ArrayType")
    return out is not None


def _axes(axis, ndim):
    """Axes as a list of numbers from 0 on; ValueError where one is named twice."""
    axes = [_axis(n, ndim) for n in (axis if isinstance(axis, (tuple, list)) else (axis,))]
    if len(set(axes)) != len(axes):
        raise ValueError("repeated axis")
    return axes


def _device_of(a):
    """The engine's device that an array is on."""
    return _engine.cpu() if a._device_number < 0 else _engine.cuda(a._device_number)


def _check_cast(origin, target, casting):
    if not numpy.can_cast(origin, target, casting):
        raise TypeError(f"Cannot cast array data from {origin!r} to {target!r} according to the rule '{casting}'")


def _shape(shape):
    if not isinstance(shape, (tuple, list)):
        try:
            return _sizes([operator.index(shape)])
        except TypeError:
            pass
    if shape is None:
        raise TypeError("Use () rather than None for the shape of an array without dimensions")
    return _sizes([operator.index(n) for n in shape])


def _sizes(numbers):
    if any(not -_MOST <= n < _MOST for n in numbers):
        raise ValueError(f"Maximum allowed dimension exceeded: {tuple(numbers)}")
    return numbers


_MOST = 1 << 63


# ---- in and out


asarray, array = functions["asarray"], functions["array"]


def shared(obj, device):
    """An array over the memory of what is no array of ours. Raises ValueError where a copy is needed."""
    if not isinstance(obj, numpy.ndarray) and hasattr(obj, "__dlpack__"):
        return _from_capsule_of(obj)
    if device.kind != "cpu":
        raise ValueError(f"Unable to avoid copy while creating an array as requested: host memory cannot be an array on {device.name}")
    return _numpy_alias(numpy.asarray(obj, copy=False))


def _is_on_gpu(obj):
    """Does it have memory on a GPU that is not ours?"""
    return not isinstance(obj, (Array, numpy.ndarray, list, tuple)) and hasattr(obj, "__cuda_array_interface__")


def _as_target(obj):
    """What takes a result: an array of the host or the device as it is, another library's over the same memory, all else as it is."""
    return asarray(obj, copy=False) if not isinstance(obj, Array) and _engine.offers_array(obj) else obj


class NoDerivative(NotImplementedError):
    """A function whose result would forget that the arrays it was made from want a gradient."""


def check_recorded(name, *values):
    """Raises NoDerivative where one of the values requires a gradient: the function reads their elements."""
    parts = [p for v in values for p in (v if isinstance(v, (list, tuple)) else (v,))]
    if _engine.records(parts):
        raise NoDerivative(
            f"[{name}] derivative for {name} is not implemented with respect to operands that it only reads; pass arrays of "
            "quern.autograd.detach(), or compose it of other functions"
        )


def looked_at(name, *values):
    """The values, arrays as NumPy's."""
    check_recorded(name, *values)
    return [asnumpy(v) if isinstance(v, Array) else v for v in values]


def asnumpy(a):
    """Return a NumPy array with the values of ``a``; this synchronizes.

    Parameters
    ----------
    a : array_like
        Input array.

    Returns
    -------
    ndarray
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.asnumpy(qn.ones(2))
    array([1., 1.])
    """
    a = asarray(a)
    dtype = _numpy_dtype(a._dtype_name)
    if a._contiguous[0] or a.ndim < 2 or 0 in a.strides:
        are_records = dtype.kind == "V"  # by way of void: their fields may overlap
        try:
            out = numpy.empty(a.shape, (numpy.void, dtype.itemsize) if are_records else dtype)
        except MemoryError as error:
            raise OutOfMemoryError(
                f"[asnumpy] out of memory: the host has no room for {a.nbytes / 2**30:.1f} GiB, an array of shape {a.shape} and dtype "
                f"{dtype}; read a part of it, such as a[:1000], or reduce it first"
            ) from error
        _engine.array_read(a, out.reshape(-1).view(numpy.uint8))
        return out.view(dtype) if are_records else out
    # As it lies: what NumPy's functions make of it lies as theirs does.
    axes = sorted(range(a.ndim), key=lambda n: -builtins.abs(a.strides[n]))
    return asnumpy(a._transposed(axes)._in_order("C")).transpose([axes.index(n) for n in range(a.ndim)])


def _fields(a, names):
    """A view of some fields of records, as NumPy gives it."""
    return _engine.array_viewed_as(a, a.shape, a.strides, a._offset, _dtype_name(a.dtype[names]))


_engine.set_fields_maker(_fields)


# ---- memory of others


def _from_capsule_of(x):
    """An array over the memory of an object with ``__dlpack__``."""
    kind, _ = x.__dlpack_device__()
    # On a GPU we work on the legacy default stream, whose number is 1.
    stream = {"stream": 1} if kind in (2, 13) else {}
    try:
        capsule = x.__dlpack__(max_version=(1, 0), **stream)
    except TypeError:
        capsule = x.__dlpack__(**stream)  # from before DLPack 1.0
    return _engine.array_from_capsule(capsule)


def _from_interface(obj, name="asarray"):
    """An array over the memory that ``__cuda_array_interface__`` describes; ``name``: the function that errors name."""
    interface = obj.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise ValueError(f"[{name}] quern does not support arrays with a mask; pass the data and the mask separately")
    device = device_of_interface(interface, type(obj).__name__, name)
    stream = interface.get("stream")
    if stream == 0:
        raise ValueError(f"[{name}] __cuda_array_interface__ must not name stream 0; 1 is the legacy default stream")
    if stream is not None:
        _engine.wait_for_stream(device, int(stream))
    return alias_of_interface(interface, device, obj, name)


def alias_of_interface(interface, device, owner, name):
    """An array over the memory on ``device`` that a ``__cuda_array_interface__`` describes; it keeps ``owner``."""
    dtype = numpy.dtype(interface["typestr"])
    if dtype.kind == "V" and interface.get("descr"):
        dtype = numpy.lib.format.descr_to_dtype(interface["descr"])
    if not dtype.isnative:
        raise ValueError(f"[{name}] the memory has the other byte order; convert it first")
    address, read_only = interface["data"]
    strides = interface.get("strides")
    shape = [int(n) for n in interface["shape"]]
    strides = None if strides is None else [int(n) for n in strides]
    return _engine.array_alias(device, int(address or 0), shape, strides, _dtype_name(dtype), bool(read_only), owner)


def device_of_interface(interface, owner, name):
    """The device with the memory that a ``__cuda_array_interface__`` describes: a GPU, or the CPU for memory that quern has given.

    Raises ValueError for memory of a GPU where there is none; ``owner``: the class of the object that describes it.
    """
    device = _device()
    address = int(interface["data"][0] or 0)
    if address == 0 or (device.kind == "cpu" and device.pool_holds(address)):
        return device
    holder = _engine.device_of_memory(address)
    if holder is not None or device.kind == "cuda":
        return holder or device
    if _engine.cuda_count() == 0:
        raise ValueError(
            f"[{name}] `{owner}` describes memory of a GPU (__cuda_array_interface__), and quern finds no GPU on this machine; copy it to "
            "the host where it was made and pass the NumPy array"
        )
    return _engine.cuda(0)


def _numpy_alias(host):
    """An array on the CPU over the memory of a NumPy array. Raises ValueError when that cannot be."""
    name = _dtype_name(host.dtype)
    if not host.dtype.isnative:
        raise ValueError("Unable to avoid copy while creating an array as requested: the byte order is not the machine's")
    address = host.__array_interface__["data"][0]
    try:
        return _engine.array_alias(_engine.cpu(), address, list(host.shape), list(host.strides), name, not host.flags.writeable, host)
    except BufferError as error:
        raise ValueError(f"Unable to avoid copy while creating an array as requested: {error}") from None


# ---- copies


def copy(a, order="K", subok=False):
    """Return a new array with the same values; ``order``: their memory layout, see :func:`asarray`.

    ``subok`` is NumPy's.

    Parameters
    ----------
    a : array_like
        Input array.
    order : {'C', 'F', 'A', 'K'}, optional
        Memory layout of the result.
    subok : bool, optional
        Accepted for compatibility; has no effect.

    Returns
    -------
    Array
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> x = qn.ones(2)
    >>> y = qn.copy(x)
    >>> y[0] = 3
    >>> x
    array([1., 1.])
    """
    return a._astype(a._dtype_name, order) if isinstance(a, Array) else array(a, order=order)
