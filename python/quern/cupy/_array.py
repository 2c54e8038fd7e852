"""CuPy's array type."""

import builtins
import operator
import sys
import threading
import types

import numpy

from quern.arrays import core as _core
from quern.arrays import indexing as _indexing
from quern.arrays.creation import empty as _empty
from quern.arrays.mathematics import reductions as _reductions
from quern.arrays.objects import exchange as _exchange
from quern.arrays.objects import flat as _flat
from quern.cupy._array_checks import check_byte_order, check_can_take, check_fits_in
from quern.cupy._scatter import scatter
from quern.cupy.cuda._waiting import _may_wait
from quern.cupy.cuda.device import Device
from quern.cupy.cuda.memory import MemoryPointer, UnownedMemory, alloc, has_own_allocator, when_own_allocator
from quern.cupy.cuda.stream import on_stream
from quern.device import current_device
from quern.lib import _engine
from quern.user_files import warn_user


class _MdSpan(numpy.ndarray):
    """The bytes of a ``cuda::std::mdspan``: a record of NumPy's that keeps the array whose address it holds."""

    @classmethod
    def of(cls, array, index, steps):
        fields = [("data", numpy.uint64), ("extents", index, (array.ndim,)), ("steps", index, (array.ndim,))]
        made = numpy.zeros((), numpy.dtype(fields, align=True)).view(cls)
        made["data"], made["extents"], made["steps"] = array.data.ptr, array.shape, steps
        made.array = array
        return made

    def __array_finalize__(self, other):
        self.array = getattr(other, "array", None)


def warn_of_reals():
    """What NumPy says where complex numbers are converted to real ones."""
    warn_user("Casting complex values to real discards the imaginary part", numpy.exceptions.ComplexWarning)


def _warn_of_scatter(name):
    method = {"add": "scatter_add", "maximum": "scatter_max", "minimum": "scatter_min"}[name]
    text = f"`ndarray.{method}` is deprecated. Please use `cupy.{name}.at` instead."
    warn_user(text, DeprecationWarning)


_methods = _engine.functions_of("ndarray", "quern.cupy", "ndarray")


class ndarray(_core.Array):  # noqa: N801
    """Array on the device with CuPy's methods; its values are not set.

    `cupy.array`, `cupy.zeros` and `cupy.asarray` create arrays with values.

    Parameters
    ----------
    shape : int or tuple of ints
        Shape.
    dtype : dtype, optional
        Dtype of the elements.
    memptr : MemoryPointer, optional
        Memory of the elements; None is new memory.
    strides : tuple of ints, optional
        Bytes between neighbours along each dimension, with `memptr`.
    order : {"C", "F"}, optional
        Memory layout of new memory.

    Raises
    ------
    ValueError
        For strides that leave the memory, and for a dtype of the other byte order.
    OutOfMemoryError
        Where the device has not enough memory.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.ndarray((2, 3), cp.float32).nbytes
    24
    """

    __slots__ = ()

    def __new__(cls, shape, dtype=float, memptr=None, strides=None, order="C"):
        out = cls._new(shape, dtype, memptr, strides, order)
        if cls is not ndarray:
            out.__array_finalize__(None)
        return out

    def __array__(self, dtype=None, copy=None):
        """Refuse NumPy's implicit conversion: ``get()`` and ``cupy.asnumpy()`` copy the values."""
        if (sys._getframe(1).f_globals.get("__package__") or "").partition(".")[0] == "quern":
            return super().__array__(dtype, copy)
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array explicitly."
        )

    def __array_namespace__(self, *, api_version=None):
        """The module ``cupy``, whatever version of the array API is asked for."""
        return sys.modules[__package__]

    @classmethod
    def _new(cls, shape, dtype, memptr, strides, order):
        shape = _core._shape(shape)
        is_fortran = numpy.empty((2, 2), "V1", order=order or "C").flags.f_contiguous
        check_byte_order(dtype)
        kind = numpy.dtype(dtype)
        name = _core._dtype_name(kind)
        if strides is None and is_fortran:
            strides = numpy.empty(shape, "V1", order="F").strides
            strides = [s * kind.itemsize for s in strides]
        is_own = memptr is None
        if is_own:
            count = 1
            for n in shape:
                count *= n
            if strides is None and not has_own_allocator():
                made = _empty(tuple(shape), name)._as(cls)
                _engine.array_check_room(made)
                return made
            memptr = alloc(max(count * kind.itemsize, 1))
        strides = None if strides is None else [operator.index(s) for s in strides]
        if strides is not None and len(strides) != len(shape):
            raise ValueError(f"ndarray() with strides requires one for each dimension: {len(strides)} strides, {len(shape)} dimensions")
        if strides is not None and is_own:
            check_fits_in(memptr, kind.itemsize, shape, strides)
        memory = getattr(memptr.mem, "_allocation", None)
        if memory is not None:
            return _engine.array_over(memory, memptr.ptr - memptr.mem.ptr, shape, strides, name)._as(cls)
        return _engine.array_alias(current_device(), memptr.ptr, shape, strides, name, False, memptr)._as(cls)

    def __init__(self, *args, **kwargs):
        pass

    def __array_finalize__(self, obj):
        """For classes made of this one: is called for each object of theirs, with what it is made from (None: nothing)."""

    def view(self, dtype=None, type=None):
        """The same memory as another array: its bytes read as ``dtype``, an object of the class ``type``, which may stand for the first.

        Raises ValueError for a class that is not made of this one, and for bytes that do not make whole elements.
        """
        if type is None and isinstance(dtype, builtins.type) and issubclass(dtype, ndarray):
            dtype, type = None, dtype
        out = super().view(dtype)
        if type is None:
            return out
        if not (isinstance(type, builtins.type) and issubclass(type, ndarray)):
            raise ValueError("type must be a sub-type of cupy.ndarray")
        out = out._as(type)
        if type is not ndarray:
            out.__array_finalize__(self)
        return out

    astype, dot = _methods["astype"], _methods["dot"]

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """The array as a DLPack capsule; see :meth:`quern.Array.__dlpack__`. On the CPU any stream will do."""
        if stream == 0:
            warn_user(
                "Stream 0 is passed from a library that you are converting to; it is taken for the legacy default stream, which is 1 "
                "in the DLPack protocol",
                UserWarning,
            )
            stream = 1
        stream = None if self._device_number < 0 else stream
        return super().__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        """NumPy's ufuncs on CuPy's arrays, which accept no NumPy arrays beside them."""
        compares = ufunc in (numpy.equal, numpy.not_equal, numpy.less, numpy.less_equal, numpy.greater, numpy.greater_equal)
        if compares:
            inputs = tuple(x.item() if isinstance(x, numpy.ndarray) and x.ndim == 0 else x for x in inputs)
        for x in (*inputs, *(kwargs.get("out") or ())) if method in ("__call__", "outer") else ():
            if isinstance(x, (numpy.ndarray, list, tuple)):
                raise TypeError(f"Unsupported type {type(x)}; make an array of it with cupy.asarray()")
        return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)

    __array_ufunc__.is_of_front_end = True  # no other library's

    def __pos__(self):
        """A copy; of bools, too, with a warning."""
        if self._dtype_name == "bool":
            text = "Applying '+' to a non-numerical array is ill-defined. Returning a copy, but in the future this will error."
            warn_user(text, DeprecationWarning)
            return self.copy()
        return super().__pos__()

    @property
    def flat(self):
        """The elements in C order: an iterator that can be indexed by integers and slices, and assigned to.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.asarray([[1, 2], [3, 4]]).flat[2]
        array(3)
        """
        return flatiter(self)

    @flat.setter
    def flat(self, value):
        flatiter(self)[:] = value

    @property
    def imag(self):
        """The imaginary part: a view of a complex array, which can be assigned; new zeros of others.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.asarray([1 + 2j, 3]).imag
        array([2., 0.])
        """
        part = super().imag
        return part if self._dtype_name.startswith("complex") else part.copy()

    @imag.setter
    def imag(self, value):
        _core.Array.imag.__set__(self, value)

    @classmethod
    def __class_getitem__(cls, item):
        """For annotations: ``cupy.ndarray[int]``."""
        return types.GenericAlias(cls, item)

    def ptp(self, axis=None, out=None, keepdims=False):
        """Return the largest minus the smallest value along an axis.

        Parameters
        ----------
        axis : int or tuple of ints, optional
            Axis or axes; None is all of them.
        out : ndarray, optional
            Array that receives the result.
        keepdims : bool, optional
            Whether the reduced axes stay, with size 1.

        Returns
        -------
        ndarray
            Shape of the array without the axes.

        Raises
        ------
        ValueError
            For an empty reduction.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.asarray([3, 1, 7]).ptp()
        array(6)
        """
        return _reductions.ptp(self, axis, out, keepdims)

    def take(self, indices, axis=None, out=None, mode="wrap"):
        """Return the elements at indices along an axis.

        Parameters
        ----------
        indices : int or array_like of ints
            Indices; those out of range wrap around.
        axis : int, optional
            Axis; None selects elements of the flattened array.
        out : ndarray, optional
            Array that receives the result.
        mode : str, optional
            Accepted for compatibility; must be "wrap".

        Returns
        -------
        ndarray
            The shape of `indices` replaces the axis.

        Raises
        ------
        TypeError
            For indices that are not integers.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.asarray([10, 20, 30]).take([2, 0])
        array([30, 10])
        """
        if isinstance(indices, (float, complex, str, bytes, numpy.inexact)):  # in lists numbers become integers
            raise TypeError(f"take() needs integers as indices, not {indices!r}; convert it with int()")
        return as_ndarray(_indexing.take(self, indices, axis, out, mode))

    def put(self, indices, values, mode="wrap"):
        """Assign values to elements of the flattened array.

        Parameters
        ----------
        indices : int or array_like of ints
            Indices.
        values : array_like
            Values, repeated as often as needed.
        mode : {"wrap", "clip", "raise"}, optional
            What happens to indices out of range; "raise" reads them.

        Raises
        ------
        IndexError
            For an index out of range with mode "raise".
        ValueError
            For an unknown mode.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> a = cp.zeros(3, int)
        >>> a.put([0, 2], [7, 8])
        >>> a
        array([7, 0, 8])
        """
        if mode not in ("raise", "wrap", "clip"):
            raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
        if mode == "raise":
            indices = _indexing._places(indices)
            if bool(((indices < -self.size) | (indices >= self.size)).any()):
                raise IndexError(f"index out of range for an array of {self.size} elements")
        _indexing.put(self, indices, values, mode)

    def scatter_add(self, slices, value):
        """Add values to elements; deprecated, use ``cupyx.scatter_add``.

        Parameters
        ----------
        slices : index
            Index of the elements; one that occurs more than once gets each value.
        value : array_like
            Values.

        Examples
        --------
        >>> import warnings
        >>> from quern import cupy as cp
        >>> a = cp.zeros(3, int)
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     a.scatter_add(cp.asarray([0, 0, 2]), 1)
        >>> a
        array([2, 0, 1])
        """
        _warn_of_scatter("add")
        scatter("add", self, slices, value)

    def scatter_max(self, slices, value):
        """Replace elements by the larger of them and values; deprecated, use ``cupyx.scatter_max``.

        Parameters
        ----------
        slices : index
            Index of the elements.
        value : array_like
            Values.

        Examples
        --------
        >>> import warnings
        >>> from quern import cupy as cp
        >>> a = cp.zeros(3, int)
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     a.scatter_max(cp.asarray([0, 2]), 5)
        >>> a
        array([5, 0, 5])
        """
        _warn_of_scatter("maximum")
        scatter("maximum", self, slices, value)

    def scatter_min(self, slices, value):
        """Replace elements by the smaller of them and values; deprecated, use ``cupyx.scatter_min``.

        Parameters
        ----------
        slices : index
            Index of the elements.
        value : array_like
            Values.

        Examples
        --------
        >>> import warnings
        >>> from quern import cupy as cp
        >>> a = cp.zeros(3, int)
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     a.scatter_min(cp.asarray([0, 2]), -5)
        >>> a
        array([-5,  0, -5])
        """
        _warn_of_scatter("minimum")
        scatter("minimum", self, slices, value)

    def reduced_view(self, dtype=None):
        """Return a view of the same elements with as few dimensions as their strides allow.

        Parameters
        ----------
        dtype : dtype, optional
            Deprecated: dtype of the view.

        Returns
        -------
        ndarray
            View.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.zeros((2, 3)).reduced_view().shape
        (6,)
        """
        if dtype is not None:
            warn_user("calling reduced_view with dtype is deprecated", DeprecationWarning)
            return self.reduced_view().view(dtype)
        shape, strides = [], []
        for n, step in zip(self.shape, self.strides, strict=True):
            if n == 1:
                continue
            if shape and strides[-1] == n * step:
                shape[-1] *= n
                strides[-1] = step
            else:
                shape.append(n)
                strides.append(step)
        if self.size == 0:
            return self.reshape(0)
        if shape == list(self.shape):
            return self
        return _engine.array_viewed_as(self, shape, strides, self._offset, self._dtype_name)

    @property
    def cstruct(self):
        """Raise NotImplementedError: kernels accept arrays as pointers only.

        Raises
        ------
        NotImplementedError
            Always.
        """
        raise NotImplementedError("[cupy.ndarray.cstruct] kernels accept arrays as pointers only; pass shape and strides as integers")

    def mdspan(self, *, index_type=None, allow_unsafe=False):
        """Return an argument of kernels with a parameter ``cuda::std::mdspan``, of dynamic extents and ``layout_stride``.

        Parameters
        ----------
        index_type : dtype
            Dtype of the extents: int32 or int64.
        allow_unsafe : bool, optional
            Whether to allow zero or negative strides, and arrays without elements.

        Returns
        -------
        object
            Argument.

        Raises
        ------
        ValueError
            For another dtype, an array too large for it, and what `allow_unsafe` allows.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> argument = cp.zeros((2, 3)).mdspan(index_type=cp.int64)
        """
        index = numpy.dtype(index_type) if index_type is not None else None
        if index not in (numpy.int32, numpy.int64):
            raise ValueError(f"[cupy.ndarray.mdspan] index_type must be cupy.int32 or cupy.int64, not {index_type!r}")
        steps = [step // self.itemsize for step in self.strides]
        if index == numpy.int32 and max(self.size, *map(abs, steps), 0) > numpy.iinfo(index).max:
            raise ValueError("[cupy.ndarray.mdspan] the array is too large for int32; use index_type=cupy.int64")
        if not allow_unsafe and (self.size == 0 or min(steps, default=1) <= 0):
            raise ValueError("[cupy.ndarray.mdspan] zero or negative strides and empty arrays require allow_unsafe=True")
        return _MdSpan.of(self, index, steps)

    def copy(self, order="C"):
        """Return a copy of the array on the current device.

        Parameters
        ----------
        order : {"C", "F", "A", "K"}, optional
            Memory layout of the copy, as in :func:`cupy.copy`.

        Returns
        -------
        ndarray
            Shape and dtype of the array.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> a = cp.zeros(2)
        >>> b = a.copy()
        >>> b[0] = 1
        >>> a
        array([0., 0.])
        """
        moved = here(self)
        return super().copy(order) if moved is self else moved._in_order(None if order in ("A", "a") else order)

    def get(self, stream=None, order="C", out=None, blocking=True):
        """Return the values as a NumPy array; the function waits for them.

        Parameters
        ----------
        stream : Stream, optional
            Stream of the copy.
        order : {"C", "F", "A"}, optional
            Memory layout of the result; "A" is that of the array.
        out : numpy.ndarray, optional
            Array in C or Fortran order, of the same shape and dtype, that receives the values.
        blocking : bool, optional
            Accepted for compatibility: the function always waits.

        Returns
        -------
        numpy.ndarray
            Values, or `out`.

        Raises
        ------
        TypeError
            For an `out` that is no NumPy array, or has another dtype.
        ValueError
            For an `out` of another shape.
        RuntimeError
            For an `out` whose elements lie with gaps.
        OutOfMemoryError
            Where the host has not enough memory.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> type(cp.ones(2).get()).__name__
        'ndarray'
        """
        _may_wait("ndarray.get()")
        order = (order or "C").upper()
        if out is not None:
            check_can_take(out, self)
        with on_stream(stream):
            host = _core.asnumpy(self)
        if out is None:
            return numpy.asarray(host, order="F" if order == "A" and self._contiguous[1] else "C" if order == "A" else order)
        out[...] = host
        return out

    def item(self, *args):
        """Return an element as a Python number; the function waits for it.

        Parameters
        ----------
        *args : int
            Index of the element; without it the only element.

        Returns
        -------
        scalar
            Number.

        Raises
        ------
        ValueError
            Without an index, for an array that has not one element.
        IndexError
            For an index out of range.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.asarray([10, 20]).item(1)
        20
        """
        _may_wait("ndarray.item()")
        return super().item(*args)

    def tolist(self):
        """Return the values as nested lists; the function waits for them.

        Returns
        -------
        list or scalar
            Python's numbers; one level of lists for each dimension.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.asarray([[1, 2], [3, 4]]).tolist()
        [[1, 2], [3, 4]]
        """
        _may_wait("ndarray.tolist()")
        return super().tolist()

    def set(self, arr, stream=None):
        """Copy the values of a NumPy array into the array.

        Parameters
        ----------
        arr : numpy.ndarray
            Array of the same shape and dtype.
        stream : Stream, optional
            Stream of the copy.

        Raises
        ------
        TypeError
            For another object, or another dtype.
        ValueError
            For another shape.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cupy as cp
        >>> a = cp.zeros(3)
        >>> a.set(np.arange(3.0))
        >>> a
        array([0., 1., 2.])
        """
        if not isinstance(arr, numpy.ndarray):
            kind = type(arr).__name__
            raise TypeError(f"Only numpy.ndarray can be set to cupy.ndarray, not {kind}; convert it with numpy.asarray(x, '{self.dtype}')")
        if tuple(arr.shape) != self.shape:
            raise ValueError(f"Shape mismatch. Old shape: {self.shape}, new shape: {tuple(arr.shape)}")
        if arr.dtype != self.dtype:
            raise TypeError(f"{arr.dtype} array cannot be set to {self.dtype} array")
        with on_stream(stream):
            self[...] = _core.asarray(arr)

    def toDlpack(self):  # noqa: N802
        """Return a DLPack capsule of the memory; deprecated, use ``cupy.from_dlpack``.

        Returns
        -------
        capsule
            Capsule.

        Examples
        --------
        >>> import warnings
        >>> from quern import cupy as cp
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     capsule = cp.ones(2).toDlpack()
        """
        text = "This function is deprecated and will be removed in a future release. Use the cupy.from_dlpack() array constructor instead."
        warn_user(text, numpy.exceptions.VisibleDeprecationWarning)
        return self.__dlpack__()

    @property
    def data(self):
        """The address of the first element: a `cuda.MemoryPointer`, with the address as ``ptr``.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.ones(2).data.mem.size
        16
        """
        whole = _engine.array_whole(self)
        start = whole._address()
        memory = UnownedMemory(start, whole.nbytes, self, max(self._device_number, 0))
        return MemoryPointer(memory, self._address() - start)

    @property
    def device(self):
        """The device of the array, a `cuda.Device`.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.ones(2).device.id
        0
        """
        return Device(max(self._device_number, 0))

    def __reduce_ex__(self, protocol):
        return _unpickled, super().__reduce_ex__(protocol)[1]

    def __bytes__(self):
        return self.tobytes()

    def __reduce__(self):
        return self.__reduce_ex__(0)


ndarray.__module__ = "cupy"
_engine.set_door(
    ndarray,
    has_numbers=False,
    broadcasts_read_only=False,
    wraps_indices=True,
    tells_subclasses=True,
    truncates_powers=True,
    refuses_host_arrays=True,
)


class flatiter(_flat.flatiter):  # noqa: N801
    """``array.flat`` as other arrays have it, but indexed by integers and slices alone."""

    def _key(self, key):
        key = key if isinstance(key, tuple) else super()._key(key)
        if not isinstance(key, (int, slice)):
            raise IndexError(f"unsupported iterator index: {type(key).__name__}; a slice or an integer")
        return key


flatiter.__module__ = "cupy"


def _unpickled(dtype, host):
    return as_ndarray(_exchange._unpickled(dtype, host))


def placed(result):
    """New arrays of ours as CuPy's, in memory of alloc()."""
    if isinstance(result, (list, tuple)) and any(isinstance(r, _core.Array) for r in result):
        parts = [placed(r) for r in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    result = as_ndarray(result)
    if type(result) is not ndarray or result._is_view() or not result.size:
        return result
    out = ndarray(result.shape, result.dtype, alloc(result.nbytes), result.strides)
    out[...] = result
    return out


_placing = threading.local()


def placed_result(make, *given):
    """What ``make()`` gives, as CuPy's type, in memory of the function that set_allocator() was given, where there is one.

    Only the result is placed, not what is made on the way to it, nor what is one of the arguments ``given``.
    """
    if not has_own_allocator() or getattr(_placing, "is_on", False):
        return as_ndarray(make())
    _placing.is_on = True
    try:
        result = make()
        return as_ndarray(result) if any(result is g for g in given) else placed(result)
    finally:
        _placing.is_on = False


@when_own_allocator
def _place_results():
    """From now on results of operators, methods and ufuncs are placed, too."""
    _engine.set_placer(ndarray, lambda result, beside: placed_result(lambda: result))


def here(a):
    """An array of ours on the current device, itself where it is there; anything else as it is."""
    return _engine.array_here(a) if isinstance(a, _core.Array) else a


def as_ndarray(result):
    """An array of ours as CuPy's type; lists and tuples of them too; other results as they are."""
    if isinstance(result, _core.Array):
        return result if isinstance(result, ndarray) else result._as(ndarray)
    if isinstance(result, (list, tuple)) and any(isinstance(r, _core.Array) for r in result):
        parts = [as_ndarray(r) for r in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result
