"""Copies between host and device memory, and fills.

Memcpy2D and Memcpy3D copy boxes of bytes out of memory with a pitch. What is without gaps goes as one piece. Otherwise a kernel gathers
the rows on the device, so that host and device exchange one piece as well; a few rows go one by one.
"""

from __future__ import annotations

import functools
import operator

import numpy as np

from quern.errors import LogicError
from quern.lib import _engine
from quern.pycuda._memory import DeviceAllocation, mem_alloc
from quern.pycuda.enums import memory_type


def memcpy_htod(dest, src):
    """Copy a host array to device memory.

    The function returns when `src` may be changed.

    Parameters
    ----------
    dest : DeviceAllocation, int or GPUArray
        Device memory: an allocation, an address, or an array.
    src : buffer
        Contiguous array of the host, or another object with the buffer interface.

    Raises
    ------
    LogicError
        Where `src` is longer than `dest`, or `dest` was freed.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> memory = driver.mem_alloc(12)
    >>> driver.memcpy_htod(memory, numpy.arange(3, dtype=numpy.int32))
    >>> driver.from_device(memory, 3, numpy.int32)
    array([0, 1, 2], dtype=int32)
    """
    device = _engine.current_device()
    _engine.htod(device, dest, src)
    if is_page_locked(src):  # else the copy has left it
        device.default_stream().synchronize()


def is_page_locked(array):
    """Is it, or is it a view of, page-locked memory?"""
    while isinstance(array, np.ndarray):
        array = array.base
    return isinstance(array, _engine.HostMemory)


def memcpy_htod_async(dest, src, stream=None):
    """Copy a host array to device memory in a stream.

    Page-locked memory may be changed when the stream has passed the copy, other memory as soon as the function returns.

    Parameters
    ----------
    dest : DeviceAllocation, int or GPUArray
        Device memory: an allocation, an address, or an array.
    src : buffer
        Contiguous array of the host, or another object with the buffer interface.
    stream : Stream, optional
        Stream in which the copy runs; None is the default stream.

    Raises
    ------
    LogicError
        Where `src` is longer than `dest`, or `dest` was freed.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> a, host = driver.mem_alloc(16), driver.pagelocked_zeros(2, numpy.int64)
    >>> driver.memcpy_htod_async(a, host, driver.Stream())
    >>> driver.Context.synchronize()
    >>> driver.from_device(a, (2,), numpy.int64)
    array([0, 0])
    """
    _engine.htod(_engine.current_device(), dest, src, stream, blocking=False)


def memcpy_dtoh(dest, src):
    """Copy device memory to a host array.

    The function waits for the work before it and raises errors of that work.

    Parameters
    ----------
    dest : buffer
        Contiguous, writable array of the host; its size is the number of bytes.
    src : DeviceAllocation, int or GPUArray
        Device memory: an allocation, an address, or an array.

    Raises
    ------
    LogicError
        Where `dest` is longer than `src`, or `src` was freed.
    LaunchError
        For a kernel that failed before.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> memory, host = driver.to_device(numpy.arange(3)), numpy.empty(3, int)
    >>> driver.memcpy_dtoh(host, memory)
    >>> host
    array([0, 1, 2])
    """
    _engine.dtoh(_engine.current_device(), dest, src)


def memcpy_dtoh_async(dest, src, stream=None):
    """Copy device memory to a host array in a stream.

    Page-locked memory may be read once the stream is synchronized, other memory as soon as the function returns.

    Parameters
    ----------
    dest : buffer
        Contiguous, writable array of the host; its size is the number of bytes.
    src : DeviceAllocation, int or GPUArray
        Device memory: an allocation, an address, or an array.
    stream : Stream, optional
        Stream in which the copy runs; None is the default stream.

    Raises
    ------
    LogicError
        Where `dest` is longer than `src`, or `src` was freed.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> a, host = driver.to_device(numpy.array([1, 2])), driver.pagelocked_empty(2, numpy.int64)
    >>> stream = driver.Stream()
    >>> driver.memcpy_dtoh_async(host, a, stream)
    >>> stream.synchronize()
    >>> host
    array([1, 2])
    """
    _engine.dtoh(_engine.current_device(), dest, src, stream, blocking=not is_page_locked(dest))


def memcpy_dtod(dest, src, size):
    """Copy bytes from device memory to device memory.

    Parameters
    ----------
    dest, src : DeviceAllocation, int or GPUArray
        Device memory: an allocation, an address, or an array.
    size : int
        Number of bytes.

    Raises
    ------
    LogicError
        Where `size` is above that of either memory.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> a, b = driver.to_device(numpy.array([1, 2], numpy.int32)), driver.mem_alloc(8)
    >>> driver.memcpy_dtod(b, a, 8)
    >>> driver.from_device(b, (2,), numpy.int32)
    array([1, 2], dtype=int32)
    """
    _engine.dtod(_engine.current_device(), dest, src, size)


def memcpy_dtod_async(dest, src, size, stream=None):
    """Copy bytes from device memory to device memory in a stream.

    Parameters
    ----------
    dest, src : DeviceAllocation, int or GPUArray
        Device memory: an allocation, an address, or an array.
    size : int
        Number of bytes.
    stream : Stream, optional
        Stream in which the copy runs; None is the default stream.

    Raises
    ------
    LogicError
        Where `size` is above that of either memory.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> a, b = driver.to_device(numpy.array([1, 2], numpy.int32)), driver.mem_alloc(8)
    >>> driver.memcpy_dtod_async(b, a, 8)
    >>> driver.from_device(b, (2,), numpy.int32)
    array([1, 2], dtype=int32)
    """
    _engine.dtod(_engine.current_device(), dest, src, size, stream)


def memcpy_peer(dest, src, size, dest_context=None, src_context=None):
    """Copy bytes from memory of one device to memory of another.

    Parameters
    ----------
    dest, src : DeviceAllocation, int or GPUArray
        Memory of either device.
    size : int
        Number of bytes.
    dest_context, src_context : Context, optional
        Accepted for compatibility; an address identifies its device.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> a, b = driver.to_device(numpy.array([1, 2], numpy.int32)), driver.mem_alloc(8)
    >>> driver.memcpy_peer(b, a, 8)
    >>> driver.from_device(b, (2,), numpy.int32)
    array([1, 2], dtype=int32)
    """
    memcpy_peer_async(dest, src, size, dest_context, src_context)


def memcpy_peer_async(dest, src, size, dest_context=None, src_context=None, stream=None):
    """Copy bytes from memory of one device to memory of another in a stream.

    Parameters
    ----------
    dest, src : DeviceAllocation, int or GPUArray
        Memory of either device.
    size : int
        Number of bytes.
    dest_context, src_context : Context, optional
        Accepted for compatibility; an address identifies its device.
    stream : Stream, optional
        Stream of either device; None is the default stream.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> a, b = driver.to_device(numpy.array([1, 2], numpy.int32)), driver.mem_alloc(8)
    >>> driver.memcpy_peer_async(b, a, 8)
    >>> driver.from_device(b, (2,), numpy.int32)
    array([1, 2], dtype=int32)
    """
    _engine.dtod(_engine.current_device(), dest, src, size, stream)


_MEMSET = """Set values of {bits} bits in device memory.

Parameters
----------
dest : DeviceAllocation, int or GPUArray
    Device memory: an allocation, an address, or an array.
data : int
    Value; its lowest {bits} bits count.
size : int
    Number of values.
stream : Stream, optional
    Stream in which the work runs; None is the default stream.

Raises
------
LogicError
    Where the values end behind the memory.

Examples
--------
>>> import numpy
>>> from quern.pycuda import driver
>>> a = driver.to_device(numpy.zeros(4, numpy.uint{bits}))
>>> driver.{name}(a, 7, 3)
>>> driver.from_device(a, (4,), numpy.uint{bits})
array([7, 7, 7, 0], dtype=uint{bits})
"""
_MEMSET_2D = """Set rows of values of {bits} bits in device memory with a pitch.

Parameters
----------
dest : DeviceAllocation, int or GPUArray
    Device memory: an allocation, an address, or an array.
pitch : int
    Distance of two rows, in bytes.
data : int
    Value; its lowest {bits} bits count.
width : int
    Number of values in a row.
height : int
    Number of rows.
stream : Stream, optional
    Stream in which the work runs; None is the default stream.

Raises
------
LogicError
    Where the last row ends behind the memory.

Examples
--------
>>> import numpy
>>> from quern.pycuda import driver
>>> a = driver.to_device(numpy.zeros((2, 3), numpy.uint{bits}))
>>> driver.{name}(a, {pitch}, 7, 2, 2)
>>> driver.from_device(a, (2, 3), numpy.uint{bits})
array([[7, 7, 0],
       [7, 7, 0]], dtype=uint{bits})
"""


def _memset(name, bits):
    def memset(dest, data, size, stream=None):
        _engine.fill(_engine.current_device(), dest, 0, operator.index(data) & 0xFFFFFFFF, bits // 8, size, 1, stream)

    return _named(memset, name, _MEMSET.format(name=name, bits=bits))


def _memset_2d(name, bits):
    def memset_2d(dest, pitch, data, width, height, stream=None):
        _engine.fill(_engine.current_device(), dest, pitch, operator.index(data) & 0xFFFFFFFF, bits // 8, width, height, stream)

    return _named(memset_2d, name, _MEMSET_2D.format(name=name, bits=bits, pitch=3 * bits // 8))


def _named(function, name, doc):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


memset_d8 = _memset("memset_d8", 8)
memset_d8_async = _memset("memset_d8_async", 8)
memset_d16 = _memset("memset_d16", 16)
memset_d16_async = _memset("memset_d16_async", 16)
memset_d32 = _memset("memset_d32", 32)
memset_d32_async = _memset("memset_d32_async", 32)
memset_d2d8 = _memset_2d("memset_d2d8", 8)
memset_d2d8_async = _memset_2d("memset_d2d8_async", 8)
memset_d2d16 = _memset_2d("memset_d2d16", 16)
memset_d2d16_async = _memset_2d("memset_d2d16_async", 16)
memset_d2d32 = _memset_2d("memset_d2d32", 32)
memset_d2d32_async = _memset_2d("memset_d2d32_async", 32)


def to_device(bf_obj):
    """Copy a host array to new device memory.

    Parameters
    ----------
    bf_obj : buffer
        Contiguous array of the host, or another object with the buffer interface.

    Returns
    -------
    DeviceAllocation
        Memory with the bytes of the array; at least one byte.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> driver.from_device(driver.to_device(numpy.arange(3)), 3, int)
    array([0, 1, 2])
    """
    with memoryview(bf_obj) as view:
        result = mem_alloc(max(1, view.nbytes))
    memcpy_htod(result, bf_obj)
    return result


def from_device(devptr, shape, dtype, order="C"):
    """Copy device memory to a new NumPy array.

    Parameters
    ----------
    devptr : DeviceAllocation, int or GPUArray
        Device memory: an allocation, an address, or an array.
    shape : int or tuple of ints
        Shape of the array.
    dtype : dtype
        Dtype of the array.
    order : {'C', 'F'}, optional
        Memory order of the array.

    Returns
    -------
    numpy.ndarray
        Shape `shape`, in `dtype`.

    Raises
    ------
    LogicError
        Where the array is longer than the memory.

    Examples
    --------
    >>> import numpy as np
    >>> import quern.pycuda.autoinit
    >>> from quern.pycuda import driver
    >>> memory = driver.to_device(np.arange(3.0))
    >>> driver.from_device(memory, 3, np.float64)
    array([0., 1., 2.])
    """
    result = np.empty(shape, dtype, order)
    memcpy_dtoh(result, devptr)
    return result


def from_device_like(devptr, other_ary):
    """Copy device memory to a new NumPy array of the shape and dtype of another.

    Parameters
    ----------
    devptr : DeviceAllocation, int or GPUArray
        Device memory: an allocation, an address, or an array.
    other_ary : numpy.ndarray
        Array whose shape, dtype and memory order the result has.

    Returns
    -------
    numpy.ndarray
        Shape and dtype of `other_ary`.

    Raises
    ------
    LogicError
        Where the array is longer than the memory.

    Examples
    --------
    >>> import numpy as np
    >>> import quern.pycuda.autoinit
    >>> from quern.pycuda import driver
    >>> host = np.arange(3.0)
    >>> driver.from_device_like(driver.to_device(host), host)
    array([0., 1., 2.])
    """
    result = np.empty_like(other_ary)
    memcpy_dtoh(result, devptr)
    return result


# ---- boxes of bytes

FEW_ROWS = 8  # are copied one by one

# `height` rows of `width` values in each of `depth` slices: a thread for a column, blocks for rows and slices.
ROWS_KERNEL = """
template <class T>
__device__ void rows(char* to, long long to_pitch, long long to_slice, const char* from, long long from_pitch, long long from_slice,
                     long long width, long long height, long long depth) {
  for (long long z = blockIdx.z; z < depth; z += gridDim.z)
    for (long long y = blockIdx.y; y < height; y += gridDim.y)
      for (long long x = blockIdx.x * (long long)blockDim.x + threadIdx.x; x < width; x += (long long)gridDim.x * blockDim.x)
        ((T*)(to + z * to_slice + y * to_pitch))[x] = ((const T*)(from + z * from_slice + y * from_pitch))[x];
}
__global__ void rows_of_bytes(char* to, long long at, long long to_pitch, long long to_slice, const char* from, long long from_at,
                              long long from_pitch, long long from_slice, long long width, long long height, long long depth) {
  rows<char>(to + at, to_pitch, to_slice, from + from_at, from_pitch, from_slice, width, height, depth);
}
__global__ void rows_of_words(char* to, long long at, long long to_pitch, long long to_slice, const char* from, long long from_at,
                              long long from_pitch, long long from_slice, long long width, long long height, long long depth) {
  rows<int>(to + at, to_pitch, to_slice, from + from_at, from_pitch, from_slice, width, height, depth);
}
"""


@functools.cache
def _rows_kernels(device):
    program = _engine.build(device, ROWS_KERNEL, "quern_rows.cu")
    return {1: _engine.Function(program, "rows_of_bytes"), 4: _engine.Function(program, "rows_of_words")}


class _Side:
    """Where a box comes from, or goes to: memory (`host`, its bytes, or `device`), where it starts, from row to row, slice to slice."""

    def __init__(self, host, device, start, pitch, slice):
        self.host, self.device, self.start, self.pitch, self.slice = host, device, start, pitch, slice

    def address(self):
        return _engine.device_address(self.device) if not isinstance(self.device, int) else self.device

    def piece(self, offset, bytes):
        """Part of it: a view of the host's, or an address."""
        if self.host is not None:
            return self.host[self.start + offset : self.start + offset + bytes]
        return self.address() + self.start + offset

    def box(self, box):
        """Of the host's memory: the box as an array of bytes."""
        return np.lib.stride_tricks.as_strided(self.host[self.start :], box, (self.slice, self.pitch, 1))

    def is_far(self):
        """On another device than the current one, whose kernels may not reach it."""
        return isinstance(self.device, _engine.Allocation) and self.device.device != _engine.current_device()

    def is_packed(self, box):
        depth, height, width = box
        return (height == 1 or self.pitch == width) and (depth == 1 or self.slice == width * height)


def _gapless(host, device, box):
    depth, height, width = box
    return _Side(host, device, 0, width, width * height)


def _wait(stream):
    """A copy on the host alone comes after the work before it, too."""
    (_engine.current_device() if stream is None else stream).synchronize()


def _copy_piece(to, from_, bytes, stream, blocking):
    device = _engine.current_device()
    if to.host is not None and from_.host is not None:
        _wait(stream)
        to.piece(0, bytes)[:] = from_.piece(0, bytes)
    elif to.host is not None:
        _engine.dtoh(device, to.piece(0, bytes), from_.piece(0, bytes), stream, blocking=blocking)
    elif from_.host is not None:
        _engine.htod(device, to.piece(0, bytes), from_.piece(0, bytes), stream, blocking=blocking)
        if blocking and is_page_locked(from_.host):
            _wait(stream)
    else:
        _engine.dtod(device, to.piece(0, bytes), from_.piece(0, bytes), bytes, stream)


def _copy_rows(to, from_, box, stream):
    """A box within the device, by a kernel."""
    depth, height, width = box
    numbers = [to.address(), to.start, to.pitch, to.slice, from_.address(), from_.start, from_.pitch, from_.slice, width]
    word = 4 if all(number % 4 == 0 for number in numbers) else 1
    _rows_kernels(_engine.current_device())[word](
        *(to.device, to.start, to.pitch, to.slice, from_.device, from_.start, from_.pitch, from_.slice, width // word, height, depth),
        block=(256, 1, 1),
        grid=(min((width // word + 255) // 256, 65535), min(height, 65535), min(depth, 65535)),
        stream=stream,
    )


def _copy_box(to, from_, box, stream, blocking):
    """Copies `box` (depth, height, bytes of a row). Asynchronous copies to the host do not wait, whatever the pitch."""
    depth, height, width = box
    total = depth * height * width
    if total == 0:
        return
    if to.is_packed(box) and from_.is_packed(box):
        return _copy_piece(to, from_, total, stream, blocking)
    if to.host is not None and from_.host is not None:
        _wait(stream)
        to.box(box)[...] = from_.box(box)
    elif to.host is None and from_.host is None and not to.is_far() and not from_.is_far():
        _copy_rows(to, from_, box, stream)
    elif depth * height <= FEW_ROWS or to.is_far() or from_.is_far() or (to.host is not None and not blocking and not to.is_packed(box)):
        for z in range(depth):
            for y in range(height):
                rows = [_Side(s.host, s.device, s.start + z * s.slice + y * s.pitch, width, width) for s in (to, from_)]
                _copy_piece(*rows, width, stream, blocking)
    elif from_.host is not None:
        packed = np.ascontiguousarray(from_.box(box)).reshape(-1)
        if to.is_packed(box):
            return _copy_piece(to, _gapless(packed, None, box), total, stream, True)
        staged = _gapless(None, mem_alloc(total), box)
        _engine.htod(_engine.current_device(), staged.device, packed, stream)
        _copy_rows(to, staged, box, stream)
    else:
        staged = from_
        if not from_.is_packed(box):
            staged = _gapless(None, mem_alloc(total), box)
            _copy_rows(staged, from_, box, stream)
        if to.is_packed(box):
            return _copy_piece(to, staged, total, stream, blocking)
        packed = np.empty(box, np.uint8)
        _copy_piece(_gapless(packed.reshape(-1), None, box), staged, total, stream, True)
        to.box(box)[...] = packed


def _bytes_of(array, what, writable):
    """A host array's memory as bytes."""
    if isinstance(array, np.ndarray):
        if not (array.flags.c_contiguous or array.flags.f_contiguous):
            raise LogicError(f"[{what}] the host array is not contiguous; copy it, or set the pitch of the whole array")
        flat = (array if array.flags.c_contiguous else array.T).reshape(-1).view(np.uint8)
    else:
        flat = np.frombuffer(array, np.uint8)
    if writable and not flat.flags.writeable:
        raise LogicError(f"[{what}] the host array is read-only")
    return flat


def _array(value, what):
    if not isinstance(value, _engine.DeviceArray):
        raise TypeError(f"[{what}] an Array is needed, not {type(value).__name__}")
    return value


class _MemoryCopy:
    """What Memcpy2D and Memcpy3D share: two sides, and where the box starts in them."""

    width_in_bytes = 0
    height = 0
    depth = 1
    src_x_in_bytes = src_y = src_z = src_pitch = src_height = src_lod = 0
    dst_x_in_bytes = dst_y = dst_z = dst_pitch = dst_height = dst_lod = 0
    src_memory_type = dst_memory_type = None
    _src = _dst = None  # (host bytes, device memory)

    @property
    def _name(self):
        return type(self).__name__

    def set_src_host(self, buffer):
        """Copies from the host array `buffer`, which is contiguous."""
        self._src, self.src_memory_type = (_bytes_of(buffer, self._name, False), None), memory_type.HOST

    def set_dst_host(self, buffer):
        """Copies to the host array `buffer`, which is contiguous."""
        self._dst, self.dst_memory_type = (_bytes_of(buffer, self._name, True), None), memory_type.HOST

    def set_src_device(self, devptr):
        """Copies from device memory."""
        self._src, self.src_memory_type = (None, devptr), memory_type.DEVICE

    def set_dst_device(self, devptr):
        """Copies to device memory."""
        self._dst, self.dst_memory_type = (None, devptr), memory_type.DEVICE

    def set_src_unified(self, buffer):
        """Copies from managed memory."""
        self._src, self.src_memory_type = (None, buffer), memory_type.UNIFIED

    def set_dst_unified(self, buffer):
        """Copies to managed memory."""
        self._dst, self.dst_memory_type = (None, buffer), memory_type.UNIFIED

    def set_src_array(self, array):
        """Copies from an Array."""
        self._src, self.src_memory_type = (None, _array(array, self._name)), memory_type.ARRAY

    def set_dst_array(self, array):
        """Copies to an Array."""
        self._dst, self.dst_memory_type = (None, _array(array, self._name)), memory_type.ARRAY

    @property
    def src_device(self):
        """The address that set_src_device() was given; setting it calls that."""
        return 0 if self._src is None or self._src[1] is None else _engine.device_address(self._src[1])

    @src_device.setter
    def src_device(self, devptr):
        self.set_src_device(devptr)

    @property
    def dst_device(self):
        """The address that set_dst_device() was given; setting it calls that."""
        return 0 if self._dst is None or self._dst[1] is None else _engine.device_address(self._dst[1])

    @dst_device.setter
    def dst_device(self, devptr):
        self.set_dst_device(devptr)

    def _side(self, which, box):
        depth, height, width = box
        given = getattr(self, "_" + which)
        if given is None:
            verb, role = ("from", "src") if which == "src" else ("to", "dst")
            ways = f"set_{role}_host(), set_{role}_device() or set_{role}_array()"
            raise LogicError(f"[{self._name}] no memory to copy {verb} is set; call {ways}")
        x, y, z, pitch, rows = (int(getattr(self, f"{which}_{n}")) for n in ("x_in_bytes", "y", "z", "pitch", "height"))
        if min(x, y, z, pitch, rows) < 0:
            raise LogicError(f"[{self._name}] the {which} side has a negative offset or pitch")
        if pitch and pitch < x + width:
            raise LogicError(f"[{self._name}] {which}_pitch is {pitch}, less than the {x + width} bytes that are copied of a row")
        pitch = pitch or x + width
        rows = rows or y + height
        if depth > 1 and rows < y + height:
            raise LogicError(f"[{self._name}] {which}_height is {rows}, less than the {y + height} rows that are copied of a slice")
        slice = pitch * rows
        start = z * slice + y * pitch + x
        needed = start + (depth - 1) * slice + (height - 1) * pitch + width if depth * height * width else 0
        host, device = given
        there = host.size if host is not None else device.nbytes if isinstance(device, DeviceAllocation) else None
        if there is not None and needed > there:
            raise LogicError(f"[{self._name}] the copy ends {needed} bytes into the {which} side, which has {there}")
        return _Side(host, device, start, pitch, slice)

    def _box_side(self, which, box):
        """What _engine.copy_box() takes: for copies with an Array."""
        host, device = getattr(self, "_" + which) or (None, None)
        x, y, z = (int(getattr(self, f"{which}_{n}")) for n in ("x_in_bytes", "y", "z"))
        if isinstance(device, _engine.DeviceArray):
            if min(x, y, z) < 0:
                raise LogicError(f"[{self._name}] the {which} side has a negative offset")
            return "array", device, x, y, z, 0, 0
        side = self._side(which, box)  # refuses what is not inside
        rows = side.slice // side.pitch if side.pitch else 0
        return ("device", device, x, y, z, side.pitch, rows) if host is None else ("host", host, x, y, z, side.pitch, rows)

    def _copy(self, stream, blocking):
        box = tuple(int(n) for n in (self.depth, self.height, self.width_in_bytes))
        if min(box) < 0:
            raise LogicError(f"[{self._name}] a copy of {box[2]} bytes, {box[1]} rows, {box[0]} slices has a negative extent")
        if memory_type.ARRAY in (self.src_memory_type, self.dst_memory_type):
            to, from_ = self._box_side("dst", box), self._box_side("src", box)
            waits = blocking and "host" in (to[0], from_[0])
            return _engine.copy_box(_engine.current_device(), to, from_, box, stream, waits)
        _copy_box(self._side("dst", box), self._side("src", box), box, stream, blocking)

    def _waits(self, stream):
        into = None if self._dst is None else self._dst[0]
        return stream is None or (into is not None and not is_page_locked(into))

    def _is_stream(self, stream):
        if stream is not None and not isinstance(stream, _engine.Stream):
            raise TypeError(f"[{self._name}] stream must be a Stream or None, not {type(stream).__name__}")


class Memcpy2D(_MemoryCopy):
    """Copies `height` rows of `width_in_bytes` bytes between memory with a pitch.

    Name the two sides by set_src_host() and the other set_* methods, and where the rows start by ``src_x_in_bytes``, ``src_y``,
    ``src_pitch`` and the same with ``dst``. A call with a stream does not wait, unless it is for host memory that is not
    page-locked; ``copy(aligned=True)`` does. A pitch of 0 is that of rows without gaps.

    Examples
    --------
    >>> import numpy as np
    >>> from quern.pycuda import driver
    >>> host, (device, pitch) = np.ones((3, 5), np.float32), driver.mem_alloc_pitch(20, 3, 4)
    >>> copy = driver.Memcpy2D()
    >>> copy.set_src_host(host)
    >>> copy.set_dst_device(device)
    >>> copy.width_in_bytes, copy.height, copy.dst_pitch = 20, 3, pitch
    >>> copy(aligned=True)
    """

    def __call__(self, aligned=False, *, stream=None):
        """Copies: and waits, or in the stream that is given, also in the place of `aligned`."""
        if isinstance(aligned, _engine.Stream):
            aligned, stream = False, aligned
        self._is_stream(stream)
        self._copy(stream, self._waits(stream))


class Memcpy3D(_MemoryCopy):
    """Copy `depth` slices of `height` rows of bytes between memory with a pitch.

    As :class:`Memcpy2D`. Slices are ``src_height`` and ``dst_height`` rows apart; the copy starts at slice ``src_z``
    and ``dst_z``.
    """

    depth = 0

    def __call__(self, stream=None):
        """Copies: and waits, or in the stream that is given."""
        self._is_stream(stream)
        self._copy(stream, self._waits(stream))


class Memcpy3DPeer(Memcpy3D):
    """Copy slices of rows of bytes between the memory of two devices.

    As :class:`Memcpy3D`; the contexts need not be set.
    """

    src_context = dst_context = None

    def set_src_context(self, context):
        """Accepted: an address identifies its device."""
        self.src_context = context

    def set_dst_context(self, context):
        """Accepted: an address identifies its device."""
        self.dst_context = context
