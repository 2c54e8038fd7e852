"""PyCUDA's array type: GPUArray, the engine's array with PyCUDA's rules.

What it computes is the engine's work, recorded and fused like any other; here stand the rules that differ from NumPy's: no
broadcasting but of arrays without axes, results that keep the arrays' type, copies where PyCUDA has copies. The functions are in
gpuarray.py.
"""

from __future__ import annotations

import contextlib
import inspect
import numbers
import operator
import threading

import numpy as np

from quern.arrays import core as _core
from quern.arrays.creation import empty as _empty
from quern.arrays.manipulation import reshape as _reshape
from quern.arrays.mathematics import conjugate as _conjugate
from quern.arrays.objects import exchange as _exchange
from quern.device import current_device
from quern.lib import _engine
from quern.pycuda import _textures
from quern.pycuda import driver as _driver
from quern.pycuda._copies import is_page_locked
from quern.pycuda._streams import timer
from quern.pycuda.compyte import array as _compyte
from quern.user_files import warn_user

_Base = _core.Array


class _OnStream:
    def __init__(self, stream):
        if not isinstance(stream, _engine.Stream):
            raise TypeError(f"stream must be a pycuda.driver.Stream or None, not {type(stream).__name__}")
        self._stream, self._device = stream, current_device()

    def __enter__(self):
        _engine.set_current_stream(self._device, self._stream)

    def __exit__(self, *error):
        _engine.set_current_stream(self._device, None)


_anywhere = contextlib.nullcontext()


def on_stream(stream):
    """While it lasts, array work goes to the stream; None: where it goes anyway."""
    return _anywhere if stream is None else _OnStream(stream)


def splay(n):
    """(grid, block) for a kernel on ``n`` elements: some dozen blocks for each multiprocessor at most."""
    most = 32 * max(1, current_device().info()["multiprocessors"])
    n = max(int(n), 1)
    if n < 128:
        return (1, 1), (32 * -(-n // 32), 1, 1)
    return (min(most, -(-n // 128)), 1), (128, 1, 1)


class ArrayPointer(_driver.PointerHolderBase):
    """Where a GPUArray's elements are: its ``gpudata``. ``int(p)`` is the address, ``p + n`` an address n bytes further; as an
    argument of kernels and copies it stands for the array. The memory lives for as long as the array or this does."""

    __slots__ = ("_array",)

    def __init__(self, array):
        self._array = array

    def get_pointer(self):
        """The address, a number."""
        return self._array._address()

    @property
    def gpudata(self):
        """What kernels take."""
        return self._array

    def __int__(self):
        return self._array._address()

    __index__ = __int__

    def __add__(self, offset):
        return int(self) + operator.index(offset)

    __radd__ = __add__

    def __sub__(self, offset):
        return int(self) - operator.index(offset)

    def __eq__(self, other):
        return (isinstance(other, (int, _driver.PointerHolderBase, _engine.Allocation)) and int(self) == int(other)) or NotImplemented

    def __hash__(self):
        return hash(int(self))

    def __repr__(self):
        return f"<device memory at {int(self):#x}>"

    def free(self):
        """Does nothing: the memory goes with the last array that uses it."""


def plain(value):
    """An array as quern's own type, whose methods and operators are NumPy's: what the functions of quern.arrays stand on."""
    return value._as(_Base) if isinstance(value, GPUArray) else value


def is_scalar(value):
    """Is it a number, of Python's or NumPy's?"""
    return isinstance(value, (int, float, complex, np.number, np.bool_))


def check_shapes(a, b):
    """Raises NotImplementedError where PyCUDA has no result for two arrays of these shapes."""
    if a.shape != b.shape and a.shape != () and b.shape != ():
        raise NotImplementedError(
            f"Broadcasting binary operator with shapes: {a.shape}, {b.shape}; reshape one, or repeat its elements on the host"
        )


def common_dtype(a, b):
    """The dtype that NumPy gives for what is computed of two arrays, or of an array and a number."""
    return _compyte.get_common_dtype(a, b)


_ROWS = {"add": "add", "sub": "subtract", "mul": "multiply", "floordiv": "floor_divide", "mod": "remainder", "truediv": "true_divide",
         "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "left_shift", "rshift": "right_shift"}  # fmt: skip


def _operator(name):
    compute = getattr(_Base, name)
    row = _ROWS.get(name.strip("_").removeprefix("r"), _ROWS.get(name.strip("_")))
    is_turned = name.strip("_") not in _ROWS

    def call(self, other):
        if isinstance(other, GPUArray):
            if other.shape != self.shape:
                check_shapes(self, other)
        elif not is_scalar(other):
            return NotImplemented
        if _pools.are_used and row is not None:
            out = _room_for(self, other)
            if out is not None:
                _engine.array_op(row, *((other, plain(self)) if is_turned else (plain(self), plain(other))), into=out)
                return out
        return compute(self, other)

    return call


_true_quotient, _turned_quotient = _operator("__truediv__"), _operator("__rtruediv__")


def _comparison(name):
    compute = _operator(name)

    def call(self, other):
        if _pools.are_used and "_allocator" in self.__dict__:
            return placed_result(lambda: compare(self, other), self)
        return compare(self, other)

    def compare(self, other):
        out = compute(self, other)
        if out is NotImplemented:
            return out
        is_alike = not isinstance(other, GPUArray) or other._dtype_name == self._dtype_name
        return out._astype(self._dtype_name if is_alike else _core._dtype_name(common_dtype(self, other)))

    return call


_INEXACT = {"float16", "bfloat16", "float32", "float64", "complex64", "complex128"}


def _is_alike(array, other):
    """Return whether the result of both certainly has the array's dtype."""
    if isinstance(other, GPUArray):
        return other._dtype_name == array._dtype_name
    return type(other) is int or (type(other) is float and array._dtype_name in _INEXACT)


def _in_place(name, compute, keeps_integers=True):
    at_once = getattr(_Base, name)

    def call(self, other):
        if isinstance(other, GPUArray):
            if other.shape != self.shape and other.shape != ():
                raise NotImplementedError(f"Broadcasting binary operator with shapes: {self.shape}, {other.shape}, in place")
        elif not is_scalar(other):
            return NotImplemented
        if _is_alike(self, other) and (keeps_integers or self._dtype_name in _INEXACT):
            return at_once(self, other)
        with _pools.aside():
            values = plain(compute(self, other))  # in the common type, then converted, as C would
        _Base.__setitem__(self, ..., values)
        return self

    return call


def quotient(a, b):
    """a / b in the common type: of integers what C gives, without the part behind the point; x / 0 is 0."""
    array, other = (a, b) if isinstance(a, _Base) else (b, a)
    if array._dtype_name not in _INEXACT or not _is_alike(array, other):
        kind = common_dtype(a, b)
        if kind.kind in "biu":
            return placed(_integer_quotient(a, b, kind), None, array)
    return _true_quotient(a, b) if array is a else _turned_quotient(b, a)


def _integer_quotient(a, b, kind):
    a, b = (plain(x).astype(kind, copy=False) if isinstance(x, _Base) else kind.type(x) for x in (a, b))
    out = a // b
    if kind.kind == "i":
        rest = a - out * b
        out = out + ((rest != 0) & ((rest < 0) != (a < 0))).astype(kind)
    return out


class GPUArray(_Base):
    """An array on the device, with PyCUDA's methods; the same memory as ``quern.Array``, under PyCUDA's name.

    Operators compute element by element. Both arrays have the same shape, or one has no axes; the result's dtype is NumPy's, but ``/``
    of integers gives integers, as C does, and comparisons give 0 or 1 in the arrays' common dtype, beside a number in the array's. What
    is computed is not waited for: get() and all that copies does that.

    Parameters
    ----------
    shape : tuple of int, or int
    dtype : numpy dtype
    allocator : callable
        Takes a number of bytes and returns memory, such as ``DeviceMemoryPool().allocate``; by default the engine's memory is used.
        What is computed from the array comes from it, too, and is computed at once, a kernel for each operation.
    base : object
        What keeps ``gpudata`` alive.
    gpudata : device memory
        Memory to use: a DeviceAllocation, an address, another array's ``gpudata``; by default new memory, whose values are anything.
    strides : tuple of int
        In bytes.
    order : str
        "C" or "F".

    Raises
    ------
    TypeError
        For a dtype that arrays cannot have here, such as strings.
    pycuda.driver.MemoryError
        When there is no room.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> a = gpuarray.to_gpu(numpy.array([1, 2, 3], numpy.float32))
    >>> (2 * a + 1).get()
    array([3., 5., 7.], dtype=float32)
    """

    __array_priority__ = 100
    __array_ufunc__ = None  # NumPy's arrays leave operators to this class, which refuses them

    def __new__(cls, *args, **kwargs):
        if cls.__init__ is GPUArray.__init__:
            return cls._made(*args, **kwargs)
        return _empty((0,), "float32")._as(cls)  # a program's own class, whose constructor calls ours

    def __init__(self, *args, **kwargs):
        if type(self).__init__ is not GPUArray.__init__:
            made = GPUArray._made(*args, **kwargs)
            _engine.set_view(self, made)
            self.__dict__.update(made.__dict__)

    def _made(cls, shape, dtype, allocator=None, base=None, gpudata=None, strides=None, order="C"):
        shape = _core._shape(shape)
        if any(n < 0 for n in shape):
            raise ValueError("negative dimensions are not allowed")
        kind = np.dtype(dtype)
        name = _core._dtype_name(kind)
        if strides is not None:
            strides = [operator.index(s) for s in strides]
            if len(strides) != len(shape):
                raise ValueError(f"{len(strides)} strides do not fit {len(shape)} dimensions")
        elif order == "F":
            strides = list(_compyte.f_contiguous_strides(kind.itemsize, shape))
        elif order != "C":
            raise ValueError(f"order must be 'C' or 'F', not {order!r}")
        if gpudata is None:
            if strides is None and allocator in (None, _driver.mem_alloc):
                return _empty(tuple(shape), name)._as(cls)
            size = kind.itemsize
            if strides is None:
                size *= int(np.prod(shape, dtype=np.int64))
            elif 0 not in shape:
                size += sum(s * (n - 1) for n, s in zip(shape, strides, strict=True))
            gpudata = _allocated(allocator or _driver.mem_alloc, max(size, 1))
        self = _over(gpudata, base, shape, strides, name)._as(cls)
        self.__dict__.update(_memory=gpudata, _allocator=allocator)
        if allocator not in (None, _driver.mem_alloc):
            _pools.use()
        return self

    _made.__qualname__ = "GPUArray.__init__"  # which Python's errors of wrong calls name
    _made = classmethod(_made)
    __signature__ = inspect.signature(_made.__func__).replace(parameters=[*inspect.signature(_made.__func__).parameters.values()][1:])

    # ---- the memory

    @property
    def gpudata(self):
        """Where the elements are: an argument of kernels and copies; int() gives the address. The memory that the array was made with."""
        return self.__dict__.get("_memory") or ArrayPointer(self)

    ptr = property(lambda self: self._address(), doc="The address of the first element.")
    mem_size = property(lambda self: self.size, doc="How many elements there are.")
    allocator = property(lambda self: self.__dict__.get("_allocator") or _driver.mem_alloc, doc="What the memory came from.")

    @property
    def base(self):
        """For a view an array of the whole memory, else None."""
        return _engine.array_whole(self) if self._is_view() else None

    def get(self, ary=None, pagelocked=False, async_=False, stream=None, **kwargs):
        """The values as a NumPy array that lies as this array does; this waits for them.

        Parameters: ``ary``: a NumPy array of the same shape and dtype that takes them; ``pagelocked``: the new array is in page-locked
        memory; ``stream``: after the work of that stream; ``async_``: see get_async(). Raises ValueError for an ``ary`` of another size,
        TypeError for one of another dtype.
        """
        async_ = kwargs.pop("async", async_)
        _no_more(kwargs)
        if ary is not None:
            _check_host(self, ary, TypeError)
        if stream is not None:
            ary = _read_on(self, ary, stream, pagelocked)
            if not async_:
                stream.synchronize()
            return ary
        values = _core.asnumpy(self)
        if ary is None and pagelocked:
            ary = _driver.pagelocked_empty(self.shape, self.dtype, "F" if self._contiguous[1] and not self._contiguous[0] else "C")
        if ary is None:
            return values
        ary[...] = values.reshape(ary.shape)
        return ary

    def get_async(self, stream=None, ary=None):
        """As get(), in a stream. In page-locked memory the values are there when the stream is synchronised; other memory is waited for."""
        return self.get(ary, async_=True, stream=stream)

    def set(self, ary, async_=False, stream=None, **kwargs):
        """Takes the values of a NumPy array of the same shape and dtype. Raises ValueError for one that does not fit."""
        async_ = kwargs.pop("async", async_)
        _no_more(kwargs)
        ary = np.asarray(ary)
        _check_host(self, ary)
        if stream is None:
            _Base.__setitem__(self, ..., _core.asarray(ary.reshape(self.shape)))
            return
        with on_stream(stream):
            if self._contiguous[0]:
                _engine.htod(current_device(), self, np.ascontiguousarray(ary), stream, blocking=not async_)
            else:
                _Base.__setitem__(self, ..., _core.asarray(ary.reshape(self.shape)))

    def set_async(self, ary, stream=None):
        """As set(), in a stream."""
        self.set(ary, async_=True, stream=stream)

    def bind_to_texref(self, texref, allow_offset=False):
        """Lets a texture reference read this array, by tex1Dfetch(). Returns the number of the first element there, which is 0."""
        return texref.set_address(self.gpudata, self.nbytes, allow_offset) // self.dtype.itemsize

    def bind_to_texref_ext(self, texref, channels=1, allow_double_hack=False, allow_complex_hack=False, allow_offset=False):
        """As bind_to_texref(), and sets the texels' format, of `channels` elements each.

        The hacks: float64 and complex numbers as integers, which fp_tex1Dfetch() of pycuda-helpers.hpp puts together again.
        """
        is_packed = (allow_double_hack and self.dtype == np.float64) or (allow_complex_hack and self.dtype.kind == "c")
        if is_packed and channels != 1:
            raise ValueError(f"[GPUArray.bind_to_texref_ext] {self.dtype} uses all channels; 'channels' must be 1")
        number, channels = _textures._packed_format(self.dtype) if is_packed else (_textures.dtype_to_array_format(self.dtype), channels)
        texref.set_format(number, channels)
        offset = self.bind_to_texref(texref, allow_offset)
        if is_packed or self.dtype.kind in "iu":
            texref.set_flags(texref.get_flags() | _driver.TRSF_READ_AS_INTEGER)
        return offset

    # PyCUDA's own names, which programs with prepared kernels use.
    _grid = property(lambda self: splay(self.size)[0])
    _block = property(lambda self: splay(self.size)[1])

    def _new_like_me(self, dtype=None, order="K"):
        name = self._dtype_name if dtype is None else _core._dtype_name(dtype)
        return placed(_engine.array_full(list(self.shape), 0, name, _core._device_of(self), order, self)._as(type(self)), None, self)

    # ---- other arrays of it

    def copy(self):
        """A new array with the same values, which lies as this does."""
        return self._astype(self._dtype_name, "K")

    def astype(self, dtype, stream=None):
        """A new array with the values converted to ``dtype``."""
        with on_stream(stream):
            return self._astype(_core._dtype_name(dtype), "K")

    def fill(self, value, stream=None):
        """Sets all elements to a number; returns this array."""
        with on_stream(stream):
            _Base.__setitem__(self, ..., value)
        return self

    def reshape(self, *shape, **kwargs):
        """The same memory in another shape, whose elements lie in the order "C" or "F" (``order=``). One length may be -1.

        An array without gaps gives a view; unlike NumPy's, its elements keep their places in memory, not their order by index. One with
        gaps gives a copy of its elements in the order of their indices. Raises ValueError when the numbers of elements differ.
        """
        order = kwargs.pop("order", "C")
        _no_more(kwargs)
        if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
            shape = shape[0]
        is_c, is_fortran = self._contiguous
        if not is_c and not is_fortran:
            return placed(_reshape(plain(self), shape, order), None, self)
        memory = plain(self if is_c else self.transpose())
        view = as_gpu(_reshape(memory, shape, "C") if order == "C" else _reshape(memory, tuple(shape)[::-1], "C").T)
        return _from_where(view, self)

    def ravel(self):
        """The elements in one dimension, as they lie in memory: a view; of an array with gaps a copy, in the order of their indices."""
        return self.reshape(self.size)

    def view(self, dtype=None):
        """The same memory with its bytes read as ``dtype``; the axis whose elements lie side by side changes its length.

        Raises ValueError when the bytes of that axis do not make whole elements, or lie apart.
        """
        if dtype is None:
            return self[...]
        side = min(range(self.ndim), key=lambda n: abs(self.strides[n]), default=0)
        if self._contiguous[0] or side == self.ndim - 1:
            return _exchange._view_as(self, dtype)
        last = [n for n in range(self.ndim) if n != side] + [side]
        back = sorted(range(self.ndim), key=last.__getitem__)
        return _exchange._view_as(self.transpose(last), dtype).transpose(back)

    def squeeze(self):
        """A view without the axes of length 1."""
        return self._view([n for n in self.shape if n != 1], self._steps(n != 1 for n in self.shape))

    def _steps(self, kept):
        return [s for s, keep in zip(self.strides, kept, strict=True) if keep]

    def transpose(self, axes=None):
        """A view with the axes in another order, by default reversed."""
        axes = range(self.ndim - 1, -1, -1) if axes is None else [_core._axis(n, self.ndim) for n in axes]
        if sorted(axes) != list(range(self.ndim)):
            raise ValueError("axes don't match array")
        return self._transposed(list(axes))

    T = property(transpose, doc="A view with the axes reversed.")

    @property
    def real(self):
        """The real parts: a new array; this array where it is real."""
        return self._real().copy() if self.dtype.kind == "c" else self

    @property
    def imag(self):
        """The imaginary parts: a new array."""
        if self.dtype.kind == "c":
            return self._imag().copy()
        return self._new_like_me()

    def conj(self, out=None):
        """The complex conjugates: a new array, or ``out``; this array where it is real and there is no ``out``."""
        if self.dtype.kind != "c":
            if out is None:
                return self
            out[...] = self
            return out
        values = _conjugate(plain(self))
        if out is None:
            return placed(values, None, self)
        out[...] = values.astype(out.dtype)
        return out

    conjugate = conj

    def reverse(self, stream=None):
        """A new array with the elements in the opposite order."""
        with on_stream(stream):
            return placed(plain(self)._raveled("C")[::-1].copy()._reshaped(list(self.shape)), None, self)

    # ---- arithmetic

    def mul_add(self, selffac, other, otherfac, add_timer=None, stream=None, out=None):
        """``selffac * self + otherfac * other`` in the arrays' common dtype: a new array, or ``out``.

        ``add_timer`` is called with the number of elements that are read and written, and a function that gives the seconds it took.
        """
        check_shapes(self, other)
        if add_timer is not None:
            start, end = _driver.Event().record(stream), _driver.Event()
            out = self.mul_add(selffac, other, otherfac, None, stream, out)
            out._address()  # computes now
            add_timer(3 * self.size, timer(start, end.record(stream)))
            return out
        with on_stream(stream):
            with _pools.aside():
                values = (self * selffac + other * otherfac).astype(common_dtype(self, other))
            if out is None:
                return placed(values, None, self)
            out[...] = values
            return out

    def _axpbyz(self, selffac, other, otherfac, out, add_timer=None, stream=None):
        return self.mul_add(selffac, other, otherfac, add_timer, stream, out)

    def __truediv__(self, other):
        if isinstance(other, GPUArray):
            check_shapes(self, other)
        elif not is_scalar(other):
            return NotImplemented
        return quotient(self, other)

    def __rtruediv__(self, other):
        return quotient(other, self) if is_scalar(other) else NotImplemented

    __div__, __rdiv__ = __truediv__, __rtruediv__

    def __pow__(self, other):
        if isinstance(other, GPUArray):
            check_shapes(self, other)
        elif not is_scalar(other):
            return NotImplemented
        return _Base.__pow__(self, other)

    def __rpow__(self, other):
        return _Base.__rpow__(self, other) if is_scalar(other) else NotImplemented

    def any(self, stream=None, allocator=None):
        """Is any element not zero? An array without axes."""
        with on_stream(stream):
            return placed(_core.asarray(plain(self).any()), allocator, self)

    def all(self, stream=None, allocator=None):
        """Are all elements not zero? An array without axes."""
        with on_stream(stream):
            return placed(_core.asarray(plain(self).all()), allocator, self)

    def __setitem__(self, index, value):
        if isinstance(value, (_Base, np.ndarray)):
            part = _Base.__getitem__(self, index)
            if part.shape != value.shape:
                raise ValueError(f"src and dst must have the same shape, not {value.shape} and {part.shape}")
            if part.dtype != value.dtype:
                raise TypeError(f"src and dst must have the same dtype, not {value.dtype} and {part.dtype}; convert with astype()")
        elif not is_scalar(value) and not isinstance(value, np.void):
            raise TypeError(f"an array or a number is needed, not {type(value).__name__}")
        _Base.__setitem__(self, index, value)

    __add__, __radd__ = _operator("__add__"), _operator("__radd__")
    __iadd__ = _in_place("__iadd__", __add__)
    __sub__, __rsub__ = _operator("__sub__"), _operator("__rsub__")
    __isub__ = _in_place("__isub__", __sub__)
    __mul__, __rmul__ = _operator("__mul__"), _operator("__rmul__")
    __imul__ = _in_place("__imul__", __mul__)
    __floordiv__, __rfloordiv__ = _operator("__floordiv__"), _operator("__rfloordiv__")
    __ifloordiv__ = _in_place("__ifloordiv__", __floordiv__)
    __mod__, __rmod__ = _operator("__mod__"), _operator("__rmod__")
    __imod__ = _in_place("__imod__", __mod__)
    __and__, __rand__ = _operator("__and__"), _operator("__rand__")
    __iand__ = _in_place("__iand__", __and__)
    __or__, __ror__ = _operator("__or__"), _operator("__ror__")
    __ior__ = _in_place("__ior__", __or__)
    __xor__, __rxor__ = _operator("__xor__"), _operator("__rxor__")
    __ixor__ = _in_place("__ixor__", __xor__)
    __lshift__, __rlshift__ = _operator("__lshift__"), _operator("__rlshift__")
    __ilshift__ = _in_place("__ilshift__", __lshift__)
    __rshift__, __rrshift__ = _operator("__rshift__"), _operator("__rrshift__")
    __irshift__ = _in_place("__irshift__", __rshift__)
    __lt__ = _comparison("__lt__")
    __le__ = _comparison("__le__")
    __eq__ = _comparison("__eq__")
    __ne__ = _comparison("__ne__")
    __gt__ = _comparison("__gt__")
    __ge__ = _comparison("__ge__")

    def __bool__(self):
        if self.size == 1:
            return bool(_core.asnumpy(self))
        raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()")

    def __hash__(self):
        raise TypeError("pycuda arrays are not hashable.")

    def __array_function__(self, func, types, args, kwargs):
        args, kwargs = tuple(_all_plain(a) for a in args), {name: _all_plain(a) for name, a in kwargs.items()}
        result = _Base.__array_function__(self, func, [_Base if issubclass(t, GPUArray) else t for t in types], args, kwargs)
        return _all_gpu(result)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce_ex__(self, protocol):
        return _unpickled, _exchange._reduce(self)[1]

    def __reduce__(self):
        return self.__reduce_ex__(0)


GPUArray.__module__ = "pycuda.gpuarray"
_engine.set_door(GPUArray, has_numbers=False, broadcasts_read_only=False, truncates_powers=True)

GPUArray.__itruediv__ = GPUArray.__idiv__ = _in_place("__itruediv__", GPUArray.__truediv__, keeps_integers=False)
GPUArray.__ipow__ = _in_place("__ipow__", GPUArray.__pow__)


def _over(memory, base, shape, strides, name):
    """An array over memory of the caller's."""
    if isinstance(memory, _engine.Allocation):
        return _engine.array_over(memory, 0, shape, strides, name)
    array = memory._array if isinstance(memory, ArrayPointer) else memory if isinstance(memory, _Base) else None
    seen = None if array is None else _seen_as(array, shape, strides, name)
    if seen is not None:
        return seen
    owner = (memory, base)
    address = int(memory) if array is None else array._address()
    number = array if array is not None else base if isinstance(base, _Base) else None
    device = current_device() if number is None else _core._device_of(number)
    return _engine.array_alias(device, address, shape, strides, name, False, owner)


def _seen_as(array, shape, strides, name):
    """The memory from the array's first element on as another array; None where it does not lie inside, or not on whole elements."""
    size = _core._numpy_dtype(name).itemsize
    if strides is None:
        strides = [size] * len(shape)
        for n in range(len(shape) - 1, 0, -1):
            strides[n - 1] = strides[n] * shape[n]
    start = array._offset
    end = start + size + sum(s * (n - 1) for s, n in zip(strides, shape, strict=True))
    if 0 in shape or any(s < 0 or s % size for s in strides) or start % size or end > _engine.array_whole(array).nbytes:
        return None
    return _engine.array_viewed_as(array, shape, strides, start, name)


def _no_more(kwargs):
    if kwargs:
        raise TypeError(f"unexpected keyword argument: {', '.join(kwargs)}")


def _check_host(array, host, of_dtype=ValueError):
    if not isinstance(host, np.ndarray):
        raise TypeError(f"a NumPy array is needed, not {type(host).__name__}")
    if host.size != array.size:
        raise ValueError(f"ary and self must be the same size: {host.shape} and {array.shape}")
    if host.shape != array.shape:
        warn_user("get() and set() between arrays of different shape are deprecated", DeprecationWarning)
    if host.dtype != array.dtype:
        raise of_dtype(f"ary and self must have the same dtype, not {host.dtype} and {array.dtype}; convert with astype()")


def _read_on(array, host, stream, pagelocked):
    """The values into a host array, in a stream."""
    with on_stream(stream):
        fortran = array._contiguous[1] and not array._contiguous[0]
        dense = array if array._contiguous[0] or fortran else array._in_order("C")
        order = "F" if fortran else "C"
        lies = host is not None and (host.flags.f_contiguous if fortran else host.flags.c_contiguous) and host.shape == array.shape
        into = host
        if not lies:
            into = (_driver.pagelocked_empty if pagelocked else np.empty)(array.shape, array.dtype, order)
        if array.size:
            _engine.dtoh(current_device(), into, dense, stream, blocking=not is_page_locked(into))
        if host is not None and not lies:
            stream.synchronize()
            host[...] = into.reshape(host.shape)
            into = host
    return into


def _unpickled(dtype, host):
    return as_gpu(_exchange._unpickled(dtype, host))


def _all_plain(value):
    return type(value)(map(_all_plain, value)) if type(value) in (list, tuple) else plain(value)


def _all_gpu(value):
    return type(value)(map(_all_gpu, value)) if type(value) in (list, tuple) else as_gpu(value) if isinstance(value, _Base) else value


def as_gpu(result):
    """An array of ours as PyCUDA's type."""
    return result if isinstance(result, GPUArray) else result._as(GPUArray)


def _allocated(allocator, size):
    """Return ``size`` bytes of memory from ``allocator``, which is a user's argument."""
    if not callable(allocator):
        raise TypeError(f"[allocator] must be callable, as pycuda.driver.mem_alloc or a pool's allocate, not {type(allocator).__name__}")
    memory = allocator(size)
    if isinstance(memory, (str, bytes, numbers.Number)) and not (isinstance(memory, int) and memory >= 4096):  # the zero page is nobody's
        raise TypeError(f"[allocator] must return device memory, not {memory!r}")
    return memory


def placed(values, allocator, *arrays):
    """An array as PyCUDA's type, in memory of ``allocator`` or else of what the first of ``arrays`` came from."""
    allocator = allocator or next((a.__dict__.get("_allocator") for a in arrays), None)
    values = as_gpu(values)
    if allocator in (None, _driver.mem_alloc) or _pools.is_aside:
        return values
    is_c, is_fortran = values._contiguous
    if not (is_c or is_fortran):
        values = as_gpu(values._in_order("C"))
    memory = _allocated(allocator, max(values.nbytes, 1))
    out = _over(memory, None, list(values.shape), None if is_c else list(values.strides), values._dtype_name)
    _Base.__setitem__(out, ..., plain(values))
    out = out._as(type(values))
    out.__dict__.update(_memory=memory, _allocator=allocator)
    _pools.use()
    return out


def _room_for(array, other):
    """An array in memory of what the array came from, for what is computed of both; None where another way is taken."""
    allocator = array.__dict__.get("_allocator")
    if allocator in (None, _driver.mem_alloc) or _pools.is_aside or not array.size:
        return None
    is_c, is_fortran = array._contiguous
    if not (is_c or is_fortran) or not _is_alike(array, other) or array._dtype_name == "bool":
        return None
    if isinstance(other, GPUArray) and other.shape != array.shape:
        return None
    memory = _allocated(allocator, array.nbytes)
    out = _over(memory, None, list(array.shape), None if is_c else list(array.strides), array._dtype_name)._as(type(array))
    out.__dict__.update(_memory=memory, _allocator=allocator)
    return out


def placed_result(make, array):
    """What ``make()`` gives, in memory of what the array came from; nothing on the way to it is placed."""
    with _pools.aside():
        result = make()
    return result if result is NotImplemented else placed(result, None, array)


def _from_where(view, array):
    """The view of an array, which says what that came from."""
    if _pools.are_used and "_allocator" in array.__dict__:
        view.__dict__["_allocator"] = array.__dict__["_allocator"]
    return view


def _handed_out(result, operand):
    """What operators, methods and views give, before the program has it: see Door::placer."""
    if not isinstance(operand, GPUArray) or operand.__dict__.get("_allocator") is None:
        return result
    return _from_where(result, operand) if result._is_view() or not result.size else placed(result, None, operand)


class _Pools(threading.local):
    """Do results come from where their operands came from? Programs without allocators of their own pay nothing for it."""

    are_used = False  # of all threads
    is_aside = False

    def use(self):
        """From now on."""
        if not _Pools.are_used:
            _Pools.are_used = True
            _engine.set_placer(GPUArray, _handed_out)

    @contextlib.contextmanager
    def aside(self):
        """While it lasts, nothing is placed: what is computed is not yet the result."""
        before, self.is_aside = self.is_aside, True
        try:
            yield
        finally:
            self.is_aside = before


_pools = _Pools()
