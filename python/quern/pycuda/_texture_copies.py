"""Copies of bytes to and from the arrays of textures."""

from __future__ import annotations

from quern.errors import LogicError
from quern.pycuda._copies import Memcpy2D, _array


def _box(ary, index, size, what):
    """(x in bytes, first row, bytes of a row, rows) of a piece of an array: a part of a row, or whole ones."""
    _array(ary, what)
    width, index, size = ary.extents[0] * ary.texel_bytes, int(index), int(size)
    if index < 0 or size < 0:
        raise LogicError(f"[{what}] {size} bytes from byte {index} on are not inside an array")
    if index % width + size <= width:
        return index % width, index // width, size, 1
    if index % width or size % width:
        raise LogicError(f"[{what}] {size} bytes from byte {index} on are neither within a row of {width} bytes nor whole rows")
    return 0, index // width, width, size // width


def _copy_bytes(what, size, to, from_):
    """Copies `size` bytes; of (array, index) on either side, or (setter, memory)."""
    copy = Memcpy2D()
    copy.height = None
    for role, side in (("dst", to), ("src", from_)):
        if isinstance(side[0], str):
            getattr(copy, f"set_{role}_{side[0]}")(side[1])
            continue
        x, row, width, rows = _box(*side, size, what)
        if copy.height not in (None, rows):
            raise LogicError(f"[{what}] the {size} bytes are not rows of the same length in both arrays")
        getattr(copy, f"set_{role}_array")(side[0])
        setattr(copy, f"{role}_x_in_bytes", x)
        setattr(copy, f"{role}_y", row)
        copy.width_in_bytes, copy.height = width, rows
    copy(aligned=True)


def memcpy_dtoa(ary, index, src, size):
    """Copy device memory to an Array.

    Parameters
    ----------
    ary : Array
        Destination.
    index : int
        First byte in `ary`.
    src : DeviceAllocation or int
        Device memory.
    size : int
        Number of bytes: part of a row, or whole rows.

    Raises
    ------
    LogicError
        Where the bytes are not inside the Array, or neither part of a row nor whole rows.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> array = driver.np_to_array(numpy.zeros((1, 2), numpy.float32), "C")
    >>> driver.memcpy_dtoa(array, 0, driver.to_device(numpy.array([1, 2], numpy.float32)), 8)
    >>> host = numpy.zeros(2, numpy.float32)
    >>> driver.memcpy_atoh(host, array, 0)
    >>> host
    array([1., 2.], dtype=float32)
    """
    _copy_bytes("memcpy_dtoa", size, (ary, index), ("device", src))


def memcpy_atod(dest, ary, index, size):
    """Copy bytes of an Array to device memory.

    Parameters
    ----------
    dest : DeviceAllocation or int
        Device memory.
    ary : Array
        Source.
    index : int
        First byte in `ary`.
    size : int
        Number of bytes: part of a row, or whole rows.

    Raises
    ------
    LogicError
        Where the bytes are not inside the Array, or neither part of a row nor whole rows.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> array = driver.np_to_array(numpy.ones((1, 2), numpy.float32), "C")
    >>> a = driver.mem_alloc(8)
    >>> driver.memcpy_atod(a, array, 0, 8)
    >>> driver.from_device(a, (2,), numpy.float32)
    array([1., 1.], dtype=float32)
    """
    _copy_bytes("memcpy_atod", size, ("device", dest), (ary, index))


def memcpy_atoa(dest, dest_index, src, src_index, size):
    """Copy bytes of an Array to another.

    Parameters
    ----------
    dest : Array
        Destination.
    dest_index : int
        First byte in `dest`.
    src : Array
        Source.
    src_index : int
        First byte in `src`.
    size : int
        Number of bytes: part of a row, or whole rows.

    Raises
    ------
    LogicError
        Where the bytes are not inside the Array, or neither part of a row nor whole rows.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> a, b = (driver.np_to_array(numpy.full((1, 2), n, numpy.float32), "C") for n in (0, 7))
    >>> driver.memcpy_atoa(a, 0, b, 0, 8)
    >>> host = numpy.zeros(2, numpy.float32)
    >>> driver.memcpy_atoh(host, a, 0)
    >>> host
    array([7., 7.], dtype=float32)
    """
    _copy_bytes("memcpy_atoa", size, (dest, dest_index), (src, src_index))


def memcpy_htoa(ary, index, src):
    """Copy a host array to an Array.

    Parameters
    ----------
    ary : Array
        Destination.
    index : int
        First byte in `ary`.
    src : buffer
        Contiguous array of the host.

    Raises
    ------
    LogicError
        Where the bytes are not inside the Array, or neither part of a row nor whole rows.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> array = driver.np_to_array(numpy.zeros((1, 2), numpy.float32), "C")
    >>> driver.memcpy_htoa(array, 0, numpy.array([1, 2], numpy.float32))
    >>> host = numpy.zeros(2, numpy.float32)
    >>> driver.memcpy_atoh(host, array, 0)
    >>> host
    array([1., 2.], dtype=float32)
    """
    _copy_bytes("memcpy_htoa", memoryview(src).nbytes, (ary, index), ("host", src))


def memcpy_atoh(dest, ary, index):
    """Copy bytes of an Array to a host array.

    Parameters
    ----------
    dest : buffer
        Contiguous, writable array of the host; its size is the number of bytes.
    ary : Array
        Source.
    index : int
        First byte in `ary`.

    Raises
    ------
    LogicError
        Where the bytes are not inside the Array, or neither part of a row nor whole rows.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import driver
    >>> array = driver.np_to_array(numpy.ones((1, 4), numpy.float32), "C")
    >>> host = numpy.zeros(4, numpy.float32)
    >>> driver.memcpy_atoh(host, array, 0)
    >>> host
    array([1., 1., 1., 1.], dtype=float32)
    """
    _copy_bytes("memcpy_atoh", memoryview(dest).nbytes, ("host", dest), (ary, index))


py_memcpy_htoa = memcpy_htoa
py_memcpy_atoh = memcpy_atoh
