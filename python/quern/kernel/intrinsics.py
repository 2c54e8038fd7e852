"""Names that mean something inside of kernels only: ``cuda.threadIdx``, ``cuda.syncthreads``. What they compile to: library/cuda.py.

``cuda`` of the Numba front end re-exports what is here. In a kernel that runs as plain Python they ask the running thread.
"""

from __future__ import annotations

import ctypes
import operator
import threading

import numpy

running = threading.local()  # .thread: the thread of a kernel that runs as plain Python (plain.py)


class Intrinsic:
    """A function of kernels. Called from host code it raises RuntimeError."""

    def __init__(self, name, doc):
        self.__name__ = self.__qualname__ = name
        self.__module__ = "quern.cuda"
        self.__doc__ = doc

    def __call__(self, *args, **kwargs):
        return self._thread().call(self, args, kwargs)

    def _thread(self):
        thread = getattr(running, "thread", None)
        if thread is None:
            raise RuntimeError(f"cuda.{self.__name__} is available only inside a kernel; call it from a function under @cuda.jit")
        return thread

    def __repr__(self):
        return f"<cuda.{self.__name__}>"


class Index(Intrinsic):
    """Three numbers, ``x``, ``y`` and ``z``."""

    x, y, z = (property(lambda self, axis=axis: self._thread().axis(self.__name__, axis)) for axis in "xyz")


def _forwarded(operation, is_reflected=False):
    """Of a Number in plain Python: the operation of what it is now."""

    def apply(self, *others):
        if getattr(running, "thread", None) is None:
            return NotImplemented
        return operation(*others, int(self)) if is_reflected else operation(int(self), *others)

    return apply


class Number(Intrinsic):
    """A number that each thread has."""

    def __index__(self):
        return self._thread().value(self.__name__)

    __int__ = __index__
    __hash__ = object.__hash__
    __eq__ = _forwarded(operator.__eq__)
    __ne__ = _forwarded(operator.__ne__)
    __lt__ = _forwarded(operator.__lt__)
    __le__ = _forwarded(operator.__le__)
    __gt__ = _forwarded(operator.__gt__)
    __ge__ = _forwarded(operator.__ge__)
    __neg__ = _forwarded(operator.__neg__)
    __pos__ = _forwarded(operator.__pos__)
    __abs__ = _forwarded(operator.__abs__)
    __invert__ = _forwarded(operator.__invert__)
    __add__, __radd__ = _forwarded(operator.__add__), _forwarded(operator.__add__, True)
    __sub__, __rsub__ = _forwarded(operator.__sub__), _forwarded(operator.__sub__, True)
    __mul__, __rmul__ = _forwarded(operator.__mul__), _forwarded(operator.__mul__, True)
    __truediv__, __rtruediv__ = _forwarded(operator.__truediv__), _forwarded(operator.__truediv__, True)
    __floordiv__, __rfloordiv__ = _forwarded(operator.__floordiv__), _forwarded(operator.__floordiv__, True)
    __mod__, __rmod__ = _forwarded(operator.__mod__), _forwarded(operator.__mod__, True)
    __pow__, __rpow__ = _forwarded(operator.__pow__), _forwarded(operator.__pow__, True)
    __lshift__, __rlshift__ = _forwarded(operator.__lshift__), _forwarded(operator.__lshift__, True)
    __rshift__, __rrshift__ = _forwarded(operator.__rshift__), _forwarded(operator.__rshift__, True)
    __and__, __rand__ = _forwarded(operator.__and__), _forwarded(operator.__and__, True)
    __or__, __ror__ = _forwarded(operator.__or__), _forwarded(operator.__or__, True)
    __xor__, __rxor__ = _forwarded(operator.__xor__), _forwarded(operator.__xor__, True)


class Memory(Intrinsic):
    """``shared``, ``atomic`` and others: names under which functions are."""

    def __init__(self, name, doc, **functions):
        super().__init__(name, doc)
        vars(self).update(functions)


threadIdx = Index("threadIdx", "The thread's place in its block: .x, .y, .z, each int32.")
blockIdx = Index("blockIdx", "The block's place in the grid: .x, .y, .z, each int32.")
blockDim = Index("blockDim", "How many threads a block has: .x, .y, .z, each int32.")
gridDim = Index("gridDim", "How many blocks the grid has: .x, .y, .z, each int32.")
laneid = Number("laneid", "The thread's place in its warp, 0 to 31, int32.")
warpsize = Number("warpsize", "32, int32.")

_GRID = """Return the index of the thread in the whole grid, inside a kernel.

Parameters
----------
ndim : {1, 2, 3}
    Number of dimensions of the grid; a constant.

Returns
-------
int64 or tuple of int64
    For one dimension ``threadIdx.x + blockIdx.x * blockDim.x``; else a tuple of `ndim` indices.

Examples
--------
>>> import numpy as np
>>> from quern import cuda
>>> @cuda.jit
... def double(a):
...     i = cuda.grid(1)
...     if i < a.size:
...         a[i] *= 2
>>> a = np.arange(3.0)
>>> double[1, 32](a)
>>> a
array([0., 2., 4.])
"""
grid = Intrinsic("grid", _GRID)
gridsize = Intrinsic("gridsize", "gridsize(ndim): how many threads the whole grid has; int64 for ndim 1, else a tuple.")

shared = Memory(
    "shared",
    "Memory that the threads of a block share.",
    array=Intrinsic(
        "shared.array",
        "shared.array(shape, dtype, alignment=None): an array that the threads of a block share; shape is known when the kernel is "
        "compiled. Shape 0: as long as the launch's dynamic shared memory, kernel[grid, block, stream, nbytes]; all such arrays "
        "start at its beginning.",
    ),
)
local = Memory(
    "local",
    "Memory of one thread.",
    array=Intrinsic("local.array", "local.array(shape, dtype, alignment=None): an array that each thread has for itself."),
)
const = Memory(
    "const",
    "Memory that nobody writes.",
    array_like=Intrinsic("const.array_like", "const.array_like(a): the values that the global NumPy array has now, read-only."),
)

cg = Memory(
    "cg",
    "Cooperative groups.",
    this_grid=Intrinsic(
        "cg.this_grid",
        "cg.this_grid(): all threads of the launch; its sync() waits until all are there. All blocks of such a launch must fit on the "
        "device at once.",
    ),
)

syncthreads = Intrinsic("syncthreads", "Waits until all threads of the block are here; what they wrote before is then seen by all.")
syncthreads_count = Intrinsic(
    "syncthreads_count",
    "syncthreads_count(predicate): as syncthreads(); returns for how many threads it is true.",
)
syncthreads_and = Intrinsic("syncthreads_and", "syncthreads_and(predicate): as syncthreads(); is it true for all threads?")
syncthreads_or = Intrinsic("syncthreads_or", "syncthreads_or(predicate): as syncthreads(); is it true for any thread?")
threadfence = Intrinsic("threadfence", "What this thread wrote is seen by the device before what it writes later.")
threadfence_block = Intrinsic("threadfence_block", "What this thread wrote is seen by its block before what it writes later.")
threadfence_system = Intrinsic(
    "threadfence_system",
    "What this thread wrote is seen by the host and other devices before what it writes later.",
)
syncwarp = Intrinsic("syncwarp", "syncwarp(mask=0xffffffff): waits for the threads of the warp that the mask names.")
all_sync = Intrinsic("all_sync", "all_sync(mask, predicate): is it true for all threads of the mask?")
any_sync = Intrinsic("any_sync", "any_sync(mask, predicate): is it true for any thread of the mask?")
eq_sync = Intrinsic("eq_sync", "eq_sync(mask, predicate): is it the same for all threads of the mask?")
ballot_sync = Intrinsic("ballot_sync", "ballot_sync(mask, predicate): a bit for each thread of the warp for which it is true.")
shfl_sync = Intrinsic("shfl_sync", "shfl_sync(mask, value, source): the value that the thread `source` of the warp has.")
shfl_up_sync = Intrinsic("shfl_up_sync", "shfl_up_sync(mask, value, delta): the value of the thread `delta` places before.")
shfl_down_sync = Intrinsic("shfl_down_sync", "shfl_down_sync(mask, value, delta): the value of the thread `delta` places after.")
shfl_xor_sync = Intrinsic(
    "shfl_xor_sync",
    "shfl_xor_sync(mask, value, lanes): the value of the thread whose place differs in the bits of `lanes`.",
)
match_any_sync = Intrinsic("match_any_sync", "match_any_sync(mask, value): which threads of the mask have the same value.")
match_all_sync = Intrinsic(
    "match_all_sync",
    "match_all_sync(mask, value): the mask where all have the same value, else 0; and whether they have.",
)
activemask = Intrinsic("activemask", "activemask(): a bit for each thread of the warp that runs now.")
lanemask_lt = Intrinsic("lanemask_lt", "lanemask_lt(): a bit for each thread of the warp before this one.")
nanosleep = Intrinsic("nanosleep", "nanosleep(ns): lets this thread rest for about so many nanoseconds.")
popc = Intrinsic("popc", "popc(x): how many bits of the integer are set.")
brev = Intrinsic("brev", "brev(x): the integer's bits in reverse order.")
clz = Intrinsic("clz", "clz(x): how many bits are zero before the highest one.")
ffs = Intrinsic("ffs", "ffs(x): the place of the lowest bit that is set, from 1; 0 if there is none.")
fma = Intrinsic("fma", "fma(a, b, c): a * b + c, rounded once.")
cbrt = Intrinsic("cbrt", "cbrt(x): the cube root.")
selp = Intrinsic("selp", "selp(condition, a, b): a where the condition is true, else b.")
ldca = Intrinsic("ldca", "ldca(array, index): the element, by a load that every cache keeps.")
ldcg = Intrinsic("ldcg", "ldcg(array, index): the element, by a load that the global cache keeps.")
ldcs = Intrinsic("ldcs", "ldcs(array, index): the element, which is needed once.")
ldlu = Intrinsic("ldlu", "ldlu(array, index): the element, which is needed for the last time.")
ldcv = Intrinsic("ldcv", "ldcv(array, index): the element, read again from memory.")
stcg = Intrinsic("stcg", "stcg(array, index, value): writes the element into the global cache.")
stcs = Intrinsic("stcs", "stcs(array, index, value): writes the element, which is not needed soon.")
stwb = Intrinsic("stwb", "stwb(array, index, value): writes the element into every cache.")
stwt = Intrinsic("stwt", "stwt(array, index, value): writes the element through to memory.")


def carray(ptr, shape, dtype=None):
    """An array in C order over the memory that a pointer points to: ctypes' on the host, such as ``ffi.from_buffer(x)`` in a kernel."""
    return _over_pointer(ptr, shape, dtype, "C")


def farray(ptr, shape, dtype=None):
    """An array in Fortran's order over the memory that a pointer points to; see :func:`carray`."""
    return _over_pointer(ptr, shape, dtype, "F")


def _over_pointer(ptr, shape, dtype, order):
    if not isinstance(ptr, (ctypes.c_void_p, ctypes._Pointer)):
        raise TypeError(f"expected a ctypes pointer, got {ptr!r}")
    of = None if isinstance(ptr, ctypes.c_void_p) else numpy.dtype(ptr._type_)
    if of is None and dtype is None:
        raise TypeError("explicit dtype required for void* argument")
    if of is not None and dtype is not None and numpy.dtype(dtype) != of:
        raise TypeError(f"mismatching dtype '{numpy.dtype(dtype)}' for pointer {ptr!r}")
    dtype = of if dtype is None else numpy.dtype(dtype)
    count = int(numpy.prod(shape, dtype=numpy.int64))
    memory = (ctypes.c_byte * (count * dtype.itemsize)).from_address(ctypes.cast(ptr, ctypes.c_void_p).value or 0)
    return numpy.ndarray(shape, dtype, memory, order=order)


def literal_unroll(container):
    """The tuple itself. In kernels a loop over a tuple is written out for each element, whose types may differ."""
    return container


def prange(*args):
    """``range``, in compiled functions and outside of them."""
    return range(*args)


_ATOMICS = {
    "add": "atomic.add(array, index, value): array[index] += value; returns the old value.",
    "sub": "atomic.sub(array, index, value): array[index] -= value; returns the old value.",
    "and_": "atomic.and_(array, index, value): array[index] &= value; returns the old value.",
    "or_": "atomic.or_(array, index, value): array[index] |= value; returns the old value.",
    "xor": "atomic.xor(array, index, value): array[index] ^= value; returns the old value.",
    "inc": "atomic.inc(array, index, limit): counts up to the limit, then 0; returns the old value. Unsigned integers.",
    "dec": "atomic.dec(array, index, limit): counts down to 0, then the limit; returns the old value. Unsigned integers.",
    "exch": "atomic.exch(array, index, value): array[index] = value; returns the old value.",
    "max": "atomic.max(array, index, value): the larger one stays (NaN is passed on); returns the old value.",
    "min": "atomic.min(array, index, value): the smaller one stays (NaN is passed on); returns the old value.",
    "nanmax": "atomic.nanmax(array, index, value): the larger one stays, NaN counts for nothing; returns the old value.",
    "nanmin": "atomic.nanmin(array, index, value): the smaller one stays, NaN counts for nothing; returns the old value.",
    "compare_and_swap": "atomic.compare_and_swap(array, old, value): array[0] = value where it is old; returns what it was.",
    "cas": "atomic.cas(array, index, old, value): array[index] = value where it is old; returns what it was.",
}
atomic = Memory(
    "atomic",
    "Updates of one element that no other thread can come between.",
    **{name: Intrinsic("atomic." + name, doc) for name, doc in _ATOMICS.items()},
)

__all__ = [
    *("threadIdx", "blockIdx", "blockDim", "gridDim", "laneid", "warpsize", "grid", "gridsize", "shared", "local", "const", "atomic"),
    *(name for name, one in globals().items() if type(one) is Intrinsic and name not in ("grid", "gridsize")),
    "literal_unroll",
]
