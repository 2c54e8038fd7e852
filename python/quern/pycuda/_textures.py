"""CUDA arrays, texture references and surface references.

A reference is a variable of the kernel's (codegen/prelude/quern/texture_references.cuh) that holds a texture or surface object. What the
program sets on the host makes an object at once, whose handle is written there. Start reading at TextureReference.
"""

from __future__ import annotations

import struct

import numpy as np

from quern.errors import LogicError
from quern.lib import _engine
from quern.pycuda._copies import Memcpy2D, Memcpy3D, _array
from quern.pycuda.enums import (
    TRSF_NORMALIZED_COORDINATES,
    TRSF_READ_AS_INTEGER,
    address_mode,
    array3d_flags,
    array_format,
    device_attribute,
    filter_mode,
)


class ArrayDescriptor:
    """What a CUDA array of one or two axes is: ``width``, ``height`` (0 for one axis), ``format``, ``num_channels``.

    Examples
    --------
    >>> from quern.pycuda import driver
    >>> what = driver.ArrayDescriptor()
    >>> what.width, what.height = 8, 4
    >>> what.format, what.num_channels = driver.array_format.FLOAT, 1
    >>> driver.Array(what).get_descriptor().width
    8
    """

    width = height = num_channels = 0
    format = array_format.FLOAT


class ArrayDescriptor3D(ArrayDescriptor):
    """The same of three axes: ``depth`` and ``flags`` (array3d_flags) too.

    Examples
    --------
    >>> from quern.pycuda import driver
    >>> what = driver.ArrayDescriptor3D()
    >>> what.width, what.height, what.depth = 8, 4, 2
    >>> what.format, what.num_channels = driver.array_format.FLOAT, 1
    >>> driver.Array(what).get_descriptor_3d().depth
    2
    """

    depth = flags = 0


class Array(_engine.DeviceArray):
    """A CUDA array: memory that textures and surfaces read, made from a descriptor. Memcpy2D and Memcpy3D fill it.

    >>> from quern.pycuda import driver
    >>> what = driver.ArrayDescriptor()
    >>> what.width, what.height, what.num_channels = 8, 4, 1
    >>> driver.Array(what).get_descriptor().height
    4

    Raises
    ------
    LogicError
        There is no such format, or extents are over the limits.
    """

    def __init__(self, descriptor):
        if not isinstance(descriptor, ArrayDescriptor):
            raise TypeError(f"[Array] an ArrayDescriptor is needed, not {type(descriptor).__name__}")
        depth, flags = getattr(descriptor, "depth", 0), getattr(descriptor, "flags", 0)
        numbers = {"width": descriptor.width, "height": descriptor.height, "depth": depth, "flags": flags}
        for name, value in numbers.items():
            if int(value) < 0:
                raise LogicError(f"[Array] the descriptor's {name} is {value}")
        super().__init__(
            _engine.current_device(),
            *(int(n) for n in (descriptor.width, descriptor.height, depth, descriptor.format, descriptor.num_channels, flags)),
        )

    def get_descriptor(self):
        """The ArrayDescriptor of an array of one or two axes."""
        return self._described(ArrayDescriptor())

    def get_descriptor_3d(self):
        """The ArrayDescriptor3D of any array."""
        return self._described(ArrayDescriptor3D())

    def _described(self, out):
        out.width, out.height, depth = self.extents
        out.format, out.num_channels = array_format(self.format), self.channels
        if isinstance(out, ArrayDescriptor3D):
            out.depth, out.flags = depth, self.array_flags
        return out

    handle = property(lambda self: self.native)


class _Reference:
    """A variable of a module's that holds an object: `_push()` writes another one there."""

    _program = _address = None
    _object = None  # what the kernel's variable names

    def _push(self, made, *more):
        if self._program is not None:
            device = self._program.device
            if self._object is not None:
                device.synchronize()  # a kernel may still read the variable
            _engine.htod(device, self._address, struct.pack("Qi", made.handle, *more) if more else struct.pack("Q", made.handle))
            device.default_stream().synchronize()
        self._object = made


class TextureReference(_Reference):
    """A texture reference of a module, from Module.get_texref(): what ``tex2D(image, x, y)`` in its kernels reads, and how.

    Bind it to an Array, or to device memory; it keeps what it is bound to. What the declaration in the source says is set already.
    """

    def __init__(self):
        self._source = None  # makes the object from settings
        self._array = self._declared_mode = None
        self._memory = None
        self._format, self._channels = array_format.FLOAT, 1
        self._address_modes = [address_mode.CLAMP] * 3
        self._filter, self._flags = filter_mode.POINT, 0
        self._border = (0.0, 0.0, 0.0, 0.0)

    @classmethod
    def _of(cls, program, name):
        self = cls()
        address = _variable(program, name, _DECLARED.size, "get_texref", "texture")
        declared = bytearray(_DECLARED.size)
        _engine.dtoh(program.device, declared, address)
        _, _, number, channels, _, mode, normalized, filtering, *modes = _DECLARED.unpack(declared)
        self._program, self._address = program, address
        self._format, self._channels = array_format(number), channels
        self._declared_mode = mode
        self._flags = (TRSF_NORMALIZED_COORDINATES if normalized else 0) | (0 if mode else TRSF_READ_AS_INTEGER)
        self._filter, self._address_modes = filter_mode(filtering), [address_mode(m) for m in modes]
        return self

    def _bind(self):
        """Makes the object anew, of what is bound."""
        if self._source is not None:
            self._push(*self._source())

    def _settings(self, number):
        is_narrow = int(number) not in (array_format.UNSIGNED_INT32, array_format.SIGNED_INT32, array_format.HALF, array_format.FLOAT)
        # What the kernel was compiled for counts: its instructions read either floats or integers.
        as_floats = not self._flags & TRSF_READ_AS_INTEGER if self._declared_mode is None else self._declared_mode == 1
        return {
            "address": [int(mode) for mode in self._address_modes],
            "linear": self._filter == filter_mode.LINEAR,
            "normalized_floats": is_narrow and as_floats,
            "normalized_coordinates": bool(self._flags & TRSF_NORMALIZED_COORDINATES),
            "border": list(self._border),
        }

    def set_array(self, ary):
        """Read from an Array.

        Parameters
        ----------
        ary : Array
            Array.
        """
        _array(ary, "TextureReference.set_array")
        self._memory, self._array = None, ary
        self._source = lambda: (_engine.texture_of_array(ary, **self._settings(ary.format)), 0)
        self._bind()

    def set_address(self, devptr, bytes, allow_offset=False):
        """Read from device memory, by ``tex1Dfetch()``.

        Parameters
        ----------
        devptr : DeviceAllocation or int
            Memory.
        bytes : int
            Number of bytes.
        allow_offset : bool, optional
            Whether the memory need not be aligned.
        """
        start, bytes = _address_of(devptr), int(bytes)
        self._memory, self._array = devptr, None

        def source():
            device = _engine.current_device() if self._program is None else self._program.device
            texel = _texel_bytes(self._format, self._channels)
            alignment = device.attribute(int(device_attribute.TEXTURE_ALIGNMENT)) if device.kind == "cuda" else 1
            before = start % alignment
            if before % texel:
                raise LogicError(f"[TextureReference.set_address] the address {start:#x} is not one of texels of {texel} bytes")
            settings = self._settings(self._format)
            settings["linear"] = False  # tex1Dfetch() never filters
            extents = (bytes + before, 0, 0, 0)
            memory = devptr if isinstance(devptr, _engine.Allocation) and before == 0 else start - before
            made = _engine.texture_of_memory(device, memory, extents, int(self._format), self._channels, **settings)
            return made, before // texel

        self._source = source
        self._bind()
        return 0

    def set_address_2d(self, devptr, descr, pitch):
        """Read from rows in device memory.

        Parameters
        ----------
        devptr : DeviceAllocation or int
            Memory.
        descr : ArrayDescriptor
            Width, height and format of the rows.
        pitch : int
            Number of bytes from one row to the next.
        """
        start = devptr if isinstance(devptr, _engine.Allocation) else _address_of(devptr)
        self._memory, self._array = devptr, None
        self._format, self._channels = array_format(int(descr.format)), int(descr.num_channels)
        extents = (0, int(descr.width), int(descr.height), int(pitch))

        def source():
            device = _engine.current_device() if self._program is None else self._program.device
            settings = self._settings(self._format)
            return _engine.texture_of_memory(device, start, extents, int(self._format), self._channels, **settings), 0

        self._source = source
        self._bind()

    def _set(self, **changes):
        before = {name: getattr(self, name) for name in changes}
        vars(self).update(changes)
        try:
            self._bind()
        except LogicError:
            vars(self).update(before)
            raise

    def set_format(self, fmt, num_components):
        """Set what a texel of device memory is; an Array has its own format.

        Parameters
        ----------
        fmt : array_format
            Type of a channel.
        num_components : int
            Number of channels.
        """
        _texel_bytes(fmt, num_components)
        self._set(_format=array_format(int(fmt)), _channels=int(num_components))

    def set_address_mode(self, dim, am):
        """Set the treatment of coordinates outside of an axis.

        Parameters
        ----------
        dim : int
            Axis.
        am : address_mode
            Mode; WRAP and MIRROR need normalized coordinates.
        """
        if dim not in (0, 1, 2):
            raise LogicError(f"[TextureReference.set_address_mode] a texture has the axes 0, 1 and 2, not {dim}")
        modes = list(self._address_modes)
        modes[dim] = address_mode(int(am))
        self._set(_address_modes=modes)

    def set_filter_mode(self, fm):
        """Set how texels are read between their centres.

        Parameters
        ----------
        fm : filter_mode
            POINT reads the nearest texel, LINEAR interpolates.
        """
        self._set(_filter=filter_mode(int(fm)))

    def set_flags(self, flags):
        """Set flags.

        Parameters
        ----------
        flags : int
            TRSF_NORMALIZED_COORDINATES, TRSF_READ_AS_INTEGER, or both; the declaration in the source determines how integers are
            read.
        """
        self._set(_flags=int(flags))

    def set_border_color(self, color):
        """Set the value outside of the array with ``address_mode.BORDER``.

        Parameters
        ----------
        color : sequence of four floats
            Value of each channel.
        """
        self._set(_border=tuple(float(c) for c in color))

    def get_array(self):
        """The Array that is bound. Raises LogicError when there is none."""
        if self._array is None:
            raise LogicError("[TextureReference.get_array] no Array is bound to this texture reference")
        return self._array

    def get_address(self):
        """The address of the device memory that is bound. Raises LogicError when there is none."""
        if self._memory is None:
            raise LogicError("[TextureReference.get_address] no device memory is bound to this texture reference")
        return _address_of(self._memory)

    def get_format(self):
        """(array_format, number of channels) of a texel."""
        if self._array is not None:
            return array_format(self._array.format), self._array.channels
        return self._format, self._channels

    def get_address_mode(self, dim):
        """Return the treatment of coordinates outside of an axis.

        Parameters
        ----------
        dim : int
            Axis.

        Returns
        -------
        address_mode
            Mode.
        """
        return self._address_modes[dim]

    def get_filter_mode(self):
        """The filter_mode."""
        return self._filter

    def get_flags(self):
        """The flags, as set_flags() takes them."""
        return self._flags


# The variable: object, offset, format, channels, dimensions, read mode, normalised, filter mode, three address modes.
_DECLARED = struct.Struct("Q10i")


class SurfaceReference(_Reference):
    """A surface reference of a module, from Module.get_surfref(): what ``surf2Dwrite(value, image, x, y)`` in its kernels writes."""

    def __init__(self):
        self._array = None

    @classmethod
    def _of(cls, program, name):
        self = cls()
        self._program, self._address = program, _variable(program, name, 8, "get_surfref", "surface")
        return self

    def set_array(self, array, flags=0):
        """Reads and writes an Array that was made with array3d_flags.SURFACE_LDST."""
        made = _engine.surface_of_array(_array(array, "SurfaceReference.set_array"))
        self._array = array
        self._push(made)

    def get_array(self):
        """The Array that is bound. Raises LogicError when there is none."""
        if self._array is None:
            raise LogicError("[SurfaceReference.get_array] no Array is bound to this surface reference")
        return self._array


def _address_of(memory):
    """It also marks an array's memory as read by others from now on: by kernels that have no argument for it."""
    return int(memory.ptr if hasattr(memory, "ptr") else memory)


def _variable(program, name, size, what, kind):
    try:
        address, bytes = program.global_variable(name)
    except LogicError:
        raise LogicError(f"[{what}] there is no {kind} reference '{name}' in this source that a kernel uses") from None
    if bytes != size:
        raise LogicError(f"[{what}] '{name}' is a variable, not a {kind} reference; get_global() gives its address")
    return address


def _texel_bytes(fmt, channels):
    sizes = {0x01: 1, 0x02: 2, 0x03: 4, 0x08: 1, 0x09: 2, 0x0A: 4, 0x10: 2, 0x20: 4}
    if int(fmt) not in sizes or int(channels) not in (1, 2, 4):
        raise LogicError(f"[set_format] there are no texels of format {fmt} with {channels} channels; use 1, 2 or 4")
    return sizes[int(fmt)] * int(channels)


# ---- NumPy's arrays

_FORMATS = {
    "uint8": array_format.UNSIGNED_INT8,
    "uint16": array_format.UNSIGNED_INT16,
    "uint32": array_format.UNSIGNED_INT32,
    "int8": array_format.SIGNED_INT8,
    "int16": array_format.SIGNED_INT16,
    "int32": array_format.SIGNED_INT32,
    "float16": array_format.HALF,
    "float32": array_format.FLOAT,
}
# What the kernel puts together again (pycuda-helpers.hpp).
_PACKED = {
    "float64": (array_format.SIGNED_INT32, 2),
    "complex64": (array_format.UNSIGNED_INT32, 2),
    "complex128": (array_format.SIGNED_INT32, 4),
}


def dtype_to_array_format(dtype):
    """Return the array format of a NumPy dtype.

    Parameters
    ----------
    dtype : dtype
        Integers of up to 32 bits, float16 or float32.

    Returns
    -------
    array_format
        Format for :class:`ArrayDescriptor`.

    Raises
    ------
    TypeError
        For a dtype that textures do not have.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> driver.dtype_to_array_format(numpy.float32) == driver.array_format.FLOAT
    True
    """
    dtype = np.dtype(dtype)
    if dtype.name not in _FORMATS:
        raise TypeError(f"[dtype_to_array_format] textures hold no {dtype}; they hold integers up to 32 bits, float16 and float32")
    return _FORMATS[dtype.name]


def _packed_format(dtype):
    """(array_format, channels) of any number's type."""
    return _PACKED.get(np.dtype(dtype).name) or (dtype_to_array_format(dtype), 1)


def _filled(values, order, texel, what, flags=0, from_device=False):
    """A new Array of what `values` holds, without gaps in that order: its first index is an Array's last, or ("F") its first."""
    if order not in ("C", "F"):
        raise LogicError(f"[{what}] order must be 'C' or 'F', not {order!r}")
    shape = values.shape if order == "C" else values.shape[::-1]
    if not (values.flags.c_contiguous if order == "C" else values.flags.f_contiguous):
        raise LogicError(f"[{what}] the array is not contiguous in the order '{order}'")
    out = ArrayDescriptor3D()
    out.format, out.num_channels = texel
    out.flags = flags
    out.depth, out.height, out.width = (0, 0, 0, *shape)[-3:]
    if flags & array3d_flags.LAYERED:
        out.depth = 1
    made = Array(out)
    copy = Memcpy3D()
    (copy.set_src_device if from_device else copy.set_src_host)(values.gpudata if from_device else values)
    copy.set_dst_array(made)
    copy.width_in_bytes = copy.src_pitch = out.width * made.texel_bytes
    copy.height = copy.src_height = max(1, out.height)
    copy.depth = max(1, out.depth)
    copy()
    return made


def _check_axes(values, axes, what):
    if values.ndim not in axes:
        raise LogicError(f"[{what}] an array of {' or '.join(map(str, axes))} axes is needed, not {values.ndim}")


def matrix_to_array(matrix, order, allow_double_hack=False):
    """Copy a NumPy matrix to a new Array.

    Parameters
    ----------
    matrix : numpy.ndarray
        Matrix.
    order : {'C', 'F'}
        Whether its rows ("C") or its columns are the rows of the Array.
    allow_double_hack : bool, optional
        Whether float64 becomes pairs of int32.

    Returns
    -------
    Array
        The values, for textures and surfaces.

    Raises
    ------
    LogicError
        For another number of axes, or an array that is not contiguous in `order`.
    TypeError
        For a dtype that textures do not have.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> array = driver.matrix_to_array(numpy.ones((4, 8), numpy.float32), "C")
    >>> array.get_descriptor().width
    8
    """
    _check_axes(matrix, (2,), "matrix_to_array")
    order = order.upper()
    matrix = np.asarray(matrix, order=order if order in "CF" else None)
    is_double = allow_double_hack and matrix.dtype == np.float64
    texel = _packed_format(matrix.dtype) if is_double else (dtype_to_array_format(matrix.dtype), 1)
    return _filled(matrix, order, texel, "matrix_to_array")


def _surface_flags(values, allowed):
    """What PyCUDA asks for so that surfaces may be bound: a matrix is the one layer of a layered array then."""
    if not allowed:
        return 0
    return int(array3d_flags.SURFACE_LDST) | (int(array3d_flags.LAYERED) if values.ndim == 2 else 0)


def np_to_array(nparray, order, allowSurfaceBind=False):
    """Copy a NumPy array of two or three axes to a new Array.

    float64 and complex elements become integers side by side.

    Parameters
    ----------
    nparray : numpy.ndarray
        Contiguous array of two or three axes.
    order : {'C', 'F'}
        "C": the last axis is the width of the Array; "F": the first.
    allowSurfaceBind : bool, optional
        Whether surfaces may be bound to it; a matrix is one layer then, for ``tex2DLayered``.

    Returns
    -------
    Array
        The values, for textures and surfaces.

    Raises
    ------
    LogicError
        For another number of axes, or an array that is not contiguous in `order`.
    TypeError
        For a dtype that textures do not have.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> array = driver.np_to_array(numpy.ones((4, 8), numpy.float32), "C")
    >>> array.get_descriptor().width
    8
    """
    _check_axes(nparray, (2, 3), "np_to_array")
    flags = _surface_flags(nparray, allowSurfaceBind)
    return _filled(nparray, order, _packed_format(nparray.dtype), "np_to_array", flags)


def gpuarray_to_array(gpuarray, order, allowSurfaceBind=False):
    """Copy a GPUArray of two or three axes to a new Array.

    float64 and complex elements become integers side by side.

    Parameters
    ----------
    gpuarray : GPUArray
        Contiguous array of two or three axes.
    order : {'C', 'F'}
        "C": the last axis is the width of the Array; "F": the first.
    allowSurfaceBind : bool, optional
        Whether surfaces may be bound to it; a matrix is one layer then, for ``tex2DLayered``.

    Returns
    -------
    Array
        The values, for textures and surfaces.

    Raises
    ------
    LogicError
        For another number of axes, or an array that is not contiguous in `order`.
    TypeError
        For a dtype that textures do not have.

    Examples
    --------
    >>> from quern.pycuda import driver, gpuarray
    >>> array = driver.gpuarray_to_array(gpuarray.zeros((4, 8), "float32"), "C")
    >>> array.get_descriptor().width
    8
    """
    _check_axes(gpuarray, (2, 3), "gpuarray_to_array")
    flags = _surface_flags(gpuarray, allowSurfaceBind)
    return _filled(gpuarray, order, _packed_format(gpuarray.dtype), "gpuarray_to_array", flags, from_device=True)


def make_multichannel_2d_array(ndarray, order):
    """Copy a NumPy array to a new Array whose texels have several channels.

    Parameters
    ----------
    ndarray : numpy.ndarray
        Array of three axes: (height, width, channels) in order "C", (channels, width, height) in order "F".
    order : {'C', 'F'}
        Order of the axes.

    Returns
    -------
    Array
        The values, for textures and surfaces.

    Raises
    ------
    LogicError
        For other than three axes, or another `order`.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> array = driver.make_multichannel_2d_array(numpy.ones((4, 8, 2), numpy.float32), "C")
    >>> array.get_descriptor().num_channels
    2
    """
    _check_axes(ndarray, (3,), "make_multichannel_2d_array")
    if order not in ("C", "F"):
        raise LogicError(f"[make_multichannel_2d_array] order must be 'C' or 'F', not {order!r}")
    channels = ndarray.shape[-1 if order == "C" else 0]
    out = ArrayDescriptor()
    out.height, out.width = ndarray.shape[:2] if order == "C" else ndarray.shape[:0:-1]
    out.format, out.num_channels = dtype_to_array_format(ndarray.dtype), channels
    made = Array(out)
    copy = Memcpy2D()
    copy.set_src_host(np.ascontiguousarray(ndarray) if order == "C" else np.asfortranarray(ndarray))
    copy.set_dst_array(made)
    copy.width_in_bytes = copy.src_pitch = out.width * made.texel_bytes
    copy.height = out.height
    copy(aligned=True)
    return made


def bind_array_to_texref(ary, texref):
    """Bind an Array to a texture reference that reads the nearest texel, and the border outside.

    Parameters
    ----------
    ary : Array
        Array.
    texref : TextureReference
        Reference from ``Module.get_texref()``.
    """
    texref.set_array(ary)
    texref.set_address_mode(0, address_mode.CLAMP)
    texref.set_address_mode(1, address_mode.CLAMP)
    texref.set_filter_mode(filter_mode.POINT)


def matrix_to_texref(matrix, texref, order):
    """Copy a NumPy matrix to a new Array, and bind that to a texture reference.

    Parameters
    ----------
    matrix : numpy.ndarray
        Matrix.
    texref : TextureReference
        Reference from ``Module.get_texref()``.
    order : {'C', 'F'}
        Whether its rows ("C") or its columns are the rows of the Array.
    """
    bind_array_to_texref(matrix_to_array(matrix, order), texref)
