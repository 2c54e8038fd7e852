"""Memory shared with others: DLPack, the CUDA array interface, NumPy views; pickling, and attributes that describe an array's memory."""

import numpy

from quern.arrays import core
from quern.arrays.core import Array, asnumpy
from quern.arrays.objects import described
from quern.lib import _engine


def from_dlpack(x, /, *, device=None, copy=None):
    """Return an array over the memory of an object with ``__dlpack__`` (NumPy's, torch's, CuPy's arrays) or of a DLPack capsule.

    The array sees every write to `x`, and the other way round, unless it was copied. It is read-only where `x` is.

    Parameters
    ----------
    x : object
        Object with ``__dlpack__``, or a capsule.
    device : Device or str, optional
        Device of the result, by default that of `x`.
    copy : bool, optional
        True for new memory in any case, False for shared memory or an error.

    Returns
    -------
    Array
        The array.

    Raises
    ------
    BufferError
        For memory that cannot be shared, because of its device or dtype.
    ValueError
        If ``copy=False`` and `device` contradict each other.
    AttributeError
        If `x` has no ``__dlpack__``.

    Examples
    --------
    >>> import numpy, quern as qn
    >>> host = numpy.zeros(3)
    >>> qn.from_dlpack(host)[1] = 5
    >>> host
    array([0., 5., 0.])
    """
    if isinstance(x, Array):
        out = x[...]
    elif type(x).__name__ == "PyCapsule":
        out = _engine.array_from_capsule(x)
    else:
        out = core._from_capsule_of(x)
    return core.asarray(out, device=device, copy=copy)


def _cuda_array_interface(self):
    if self._device_number < 0:
        raise AttributeError(
            "__cuda_array_interface__ is of memory of a GPU, and this array is on the CPU; exchange it by NumPy or DLPack"
        )
    return interface_of(self)


def interface_of(self):
    """What ``__cuda_array_interface__`` says of an array, on the CPU too, where only quern itself can use it."""
    if self._dtype_name == "bfloat16":
        raise AttributeError("__cuda_array_interface__ has no bfloat16; exchange it by DLPack, or view it as uint16")
    address = self._address() if self.size else 0
    return {
        "shape": self.shape,
        "typestr": self.dtype.str,
        "data": (address, not self._writeable),
        "strides": None if self._contiguous[0] else self.strides,
        "descr": self.dtype.descr,
        "version": 3,
        "stream": 1,
    }


def _set_writeable(flags, value):
    flags._array._writeable = bool(value)


class _flag(property):  # noqa: N801
    """A property of :class:`Flags`, with an example: its value for new zeros of shape (2, 3)."""

    def __init__(self, get, text, value, put=None):
        super().__init__(get, put)
        self._parts = (text, value)

    def __set_name__(self, owner, name):
        text, value = self._parts
        example = f">>> import quern as qn\n>>> qn.zeros((2, 3)).flags.{name}\n{value}\n"
        self.__doc__ = f"{text}\n\nExamples\n--------\n{example}"


class Flags:
    """Memory layout of an array, and whether it may be written: attributes and keys as NumPy's ``flags`` has them.

    Parameters
    ----------
    array : Array
        The array.

    Examples
    --------
    >>> import quern as qn
    >>> qn.zeros((2, 3)).flags.c_contiguous
    True
    """

    _short = {"C": "c_contiguous", "F": "f_contiguous", "O": "owndata", "W": "writeable", "A": "aligned", "X": "writebackifcopy"}
    _short |= {"CA": "carray", "FA": "farray", "B": "behaved"}

    def __init__(self, array):
        self._array = array

    c_contiguous = contiguous = _flag(lambda self: self._array._contiguous[0], "Whether the elements lie in C order, without gaps.", True)
    f_contiguous = fortran = _flag(lambda self: self._array._contiguous[1], "Whether they lie in Fortran order, without gaps.", False)
    owndata = _flag(lambda self: not self._array._is_view(), "Whether the array owns its memory; False for a view.", True)
    aligned = _flag(lambda self: True, "Whether each element lies at a multiple of its size; always True.", True)
    writebackifcopy = _flag(lambda self: False, "Whether the array is a copy that is written back; always False.", False)
    fnc = _flag(lambda self: self.f_contiguous and not self.c_contiguous, "Whether it is in Fortran order and not in C order.", False)
    forc = _flag(lambda self: self.f_contiguous or self.c_contiguous, "Whether it is in Fortran order or in C order.", True)
    carray = _flag(lambda self: self.c_contiguous and self.writeable, "Whether it is in C order and writeable.", True)
    farray = _flag(lambda self: self.fnc and self.writeable, "Whether it is in Fortran order, not in C order, and writeable.", False)
    behaved = _flag(lambda self: self.writeable, "Whether it is aligned and writeable.", True)
    writeable = _flag(lambda self: self._array._writeable, "Whether elements can be assigned; it can be set.", True, _set_writeable)

    def _name(self, key):
        name = self._short.get(key, key.lower() if isinstance(key, str) and key.isupper() else None)
        if name is None or name.startswith("_") or not hasattr(type(self), name):
            raise KeyError("Unknown flag")
        return name

    def __getitem__(self, key):
        return getattr(self, self._name(key))

    def __setitem__(self, key, value):
        name = self._name(key)
        if name != "writeable":
            raise KeyError("Unknown flag")
        self.writeable = value

    def __repr__(self):
        names = ("c_contiguous", "f_contiguous", "owndata", "writeable", "aligned", "writebackifcopy")
        return "".join(f"  {name.upper()} : {getattr(self, name)}\n" for name in names)


def _set_flags(self, write=None, align=None, uic=None):
    """Set whether the array may be written.

    Parameters
    ----------
    write : bool, optional
        New value of ``flags.writeable``; None keeps it.
    align, uic : None, optional
        Accepted for compatibility.

    Raises
    ------
    ValueError
        For ``write=True`` and memory that is read-only itself.

    Examples
    --------
    >>> import quern as qn
    >>> a = qn.zeros(2)
    >>> a.setflags(write=False)
    >>> a.flags.writeable
    False
    """
    if write is not None:
        self._writeable = bool(write)


def _array_interface(self, dtype=None, copy=None):
    if copy is False:
        if self._device_number >= 0:
            raise ValueError("NumPy cannot see an array on a GPU without a copy; use asnumpy()")
        seen = _numpy_view(self)
        if dtype is not None and numpy.dtype(dtype) != seen.dtype:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return seen
    out = asnumpy(self)
    return out if dtype is None else out.astype(dtype, copy=False)


def _numpy_view(self):
    """A NumPy array over the same memory, of the CPU."""
    if self._dtype_name == "bfloat16":
        return numpy.asarray(memoryview(self.view("uint16"))).view(core._numpy_dtype("bfloat16"))
    if self._has_records:  # the buffer protocol has no words for some types
        return numpy.asarray(memoryview(self.view(f"V{self.itemsize}"))).view(self.dtype)
    return numpy.asarray(memoryview(self))


def _reduce(self, protocol=None):
    bits = self.view("uint16") if self._dtype_name == "bfloat16" else self
    return _unpickled, (self._dtype_name, asnumpy(bits))


def _unpickled(dtype, host):
    return core.asarray(host.view(core._numpy_dtype(dtype)) if dtype == "bfloat16" else host)


def _base(self):
    return _engine.array_whole(self) if self._is_view() else None


def _view_as(self, dtype=None):
    """Return a view of the memory as another dtype.

    Parameters
    ----------
    dtype : dtype, optional
        Dtype of the view; None keeps that of the array.

    Returns
    -------
    Array
        Shape of the array, with a last axis that has as many bytes.

    Raises
    ------
    ValueError
        For a last axis whose bytes the new dtype does not divide.

    Examples
    --------
    >>> import quern as qn
    >>> qn.asarray([1, 256], dtype="uint16").view("uint8")
    array([1, 0, 0, 1], dtype=uint8)
    """
    if dtype is None:
        return self[...]
    name = core._dtype_name(dtype)
    old, new = self.itemsize, core._numpy_dtype(name).itemsize
    shape, strides = list(self.shape), list(self.strides)
    if old != new:
        if not shape:
            raise ValueError("Changing the dtype of a 0d array is only supported if the itemsize is unchanged")
        if shape[-1] != 1 and self.size and strides[-1] != old:
            raise ValueError("To change to a dtype of a different size, the last axis must be contiguous")
        if shape[-1] * old % new:
            raise ValueError(
                "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last axis of the array."
            )
        shape[-1], strides[-1] = shape[-1] * old // new, new
    return _engine.array_viewed_as(self, shape, strides, self._offset, name)


def _ctypes(self):
    return _numpy_view(self).ctypes


def attach():
    """Gives the array type what is here."""
    Array.__array__ = _array_interface
    Array.__cuda_array_interface__ = property(_cuda_array_interface)
    Array.__reduce_ex__ = _reduce
    Array.__reduce__ = _reduce
    _view_as.__qualname__, _set_flags.__qualname__ = "view", "setflags"  # in Python's errors of wrong calls
    Array.view = _view_as
    Array.flags = property(Flags, doc=described.FLAGS)
    Array.setflags = _set_flags
    Array.base = property(_base, doc=described.BASE)
    Array.data = property(memoryview, doc=described.DATA)
    Array.ctypes = property(_ctypes, doc=described.CTYPES)
