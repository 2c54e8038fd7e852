"""Names that mean something inside of kernels only: ``cuda.threadIdx``, ``cuda.syncthreads``. What they compile to: library/cuda.py.

``cuda`` of the Numba front end re-exports what is here. In a kernel that runs as plain Python they ask the running thread.
"""

from __future__ import annotations

import ctypes
import operator
import threading

import numpy

from quern.kernel.intrinsic_examples import EXAMPLES

running = threading.local()  # .thread: the thread of a kernel that runs as plain Python (plain.py)


class _Signature:
    """The attribute __signature__ of intrinsics, made of the names of their parameters when it is read."""

    def __get__(self, made, owner=None):
        parameters = getattr(made, "parameters", None)
        if parameters is None:
            raise AttributeError("__signature__")
        import inspect  # which takes a tenth of the time of `import quern`

        kind, none = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
        return inspect.Signature([inspect.Parameter(name, kind, default=none if needed else None) for name, needed in parameters])


class Intrinsic:
    """A function of kernels. Called from host code it raises RuntimeError."""

    __signature__ = _Signature()

    def __init__(self, name, doc, parameters=None):
        self.__name__ = self.__qualname__ = name
        self.__module__ = "quern.cuda"
        self.__doc__ = doc
        self.parameters = parameters

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


# Parameters of the functions below: type, description.
_PARAMETERS = {
    "mask": ("int", "Bit for each thread of the warp that takes part; all of them call the function."),
    "warp": ("int, optional", "Bit for each thread of the warp that is waited for; None is all."),
    "predicate": ("bool", "Condition of this thread."),
    "value": ("scalar", "Value of this thread."),
    "source": ("int", "Index of a thread in the warp, 0 to 31."),
    "delta": ("int", "Distance of the other thread in the warp."),
    "lanes": ("int", "Bits in which the other thread's index in the warp differs."),
    "ns": ("int", "Time in nanoseconds."),
    "x": ("int", "Integer of 32 or 64 bits."),
    "real": ("float", "Floating-point number."),
    "a b c": ("float", "Floating-point numbers."),
    "condition": ("bool", "Whether to return `a`."),
    "a": ("scalar", "Result where the condition is true."),
    "b": ("scalar", "Result elsewhere."),
    "array": ("array", "Array in global or shared memory."),
    "index": ("int or tuple of ints", "Index of the element."),
    "stored": ("scalar", "Value, which is converted to the array's dtype."),
    "limit": ("int", "Largest value."),
    "old": ("scalar", "Value that is compared with the element."),
    "ndim": ("{1, 2, 3}", "Number of dimensions of the grid; a constant."),
    "shape": ("int or tuple of ints", "Shape of the array, known when the kernel is compiled."),
    "dtype": ("dtype", "Dtype of the elements."),
    "alignment": ("int, optional", "Alignment of the array in bytes, a power of two."),
    "ary": ("numpy.ndarray", "Global NumPy array."),
}
_NAMES = {"real": "x", "a b c": "a, b, c", "stored": "value", "ary": "a", "warp": "mask"}  # names where one name has several meanings


_OUTSIDE = "RuntimeError\n    Outside of a kernel.\n"
_EXAMPLE = """>>> import numpy as np
>>> from quern import cuda
>>> @cuda.jit
... def kernel(out):
...     {body}
>>> out = np.zeros({count}, np.{dtype})
>>> kernel[1, {count}](out)
>>> out
{printed}
"""


def _example(name):
    """The example of a function: a kernel that is run, or nothing."""
    if name not in EXAMPLES:
        return ""
    body, count, printed = EXAMPLES[name]
    dtype = printed.partition("dtype=")[2].strip(")") or ("float64" if "." in printed else "int64")
    return _EXAMPLE.format(body=body.replace("\n", "\n...     "), count=count, dtype=dtype, printed=printed)


def _doc(name, summary, parameters, returns="", rest="", raises=""):
    """A docstring with numpydoc's sections. `parameters`: names of _PARAMETERS; `returns`: type, then the description after a semicolon.

    `raises`: what the compiler refuses, besides a call outside of a kernel, which all of these functions do.
    """
    described = [(_NAMES.get(name, name), *_PARAMETERS[name]) for name in parameters]
    listed = "".join(f"{name} : {kind}\n    {said}\n" for name, kind, said in described)
    kind, _, said = returns.partition("; ")
    sections = {
        "Parameters": listed,
        "Returns": returns and f"{kind}\n    {said}\n",
        "Raises": _OUTSIDE + (raises and f"TypingError\n    {raises}\n"),
        "Examples": _example(name),
    }
    parts = [summary, rest, *(f"{title}\n{'-' * len(title)}\n{text}" for title, text in sections.items() if text)]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def _function(name, summary, parameters, *doc):
    names = [(one, "optional" not in _PARAMETERS[name][0]) for name in parameters for one in _NAMES.get(name, name).split(", ")]
    return Intrinsic(name, _doc(name, summary, parameters, *doc), names)


threadIdx = Index("threadIdx", "Index of the thread in its block: ``x``, ``y`` and ``z``, each int32.")
blockIdx = Index("blockIdx", "Index of the block in the grid: ``x``, ``y`` and ``z``, each int32.")
blockDim = Index("blockDim", "Number of threads in a block: ``x``, ``y`` and ``z``, each int32.")
gridDim = Index("gridDim", "Number of blocks in the grid: ``x``, ``y`` and ``z``, each int32.")
laneid = Number("laneid", "Index of the thread in its warp, 0 to 31; int32.")
warpsize = Number("warpsize", "Number of threads in a warp, 32; int32.")

_DIMENSIONS = "For an `ndim` that is not a constant, or not 1, 2 or 3."
grid = _function(
    "grid",
    "Return the index of the thread in the whole grid, inside a kernel.",
    ["ndim"],
    "int64 or tuple of int64; For one dimension ``threadIdx.x + blockIdx.x * blockDim.x``; else a tuple of `ndim` indices.",
    "",
    _DIMENSIONS,
)
gridsize = _function(
    "gridsize",
    "Return the number of threads in the whole grid.",
    ["ndim"],
    "int64 or tuple of int64; A number for each dimension.",
    "",
    _DIMENSIONS,
)

_ARRAY = ("shape", "dtype", "alignment")
_OF_ARRAYS = "For a shape that is not a constant or is negative, no dtype, or an `alignment` that is not a power of two."
_DYNAMIC = """An array of shape 0 is the dynamic shared memory of the launch, ``kernel[grid, block, stream, nbytes]``; all of them begin
at its start."""
shared = Memory(
    "shared",
    "Memory that the threads of a block share: ``shared.array(shape, dtype)``.",
    array=_function(
        "shared.array",
        "Return an array that the threads of a block share.",
        _ARRAY,
        "array; Its values are not set.",
        _DYNAMIC,
        _OF_ARRAYS,
    ),
)
local = Memory(
    "local",
    "Memory of one thread: ``local.array(shape, dtype)``.",
    array=_function(
        "local.array", "Return an array that each thread has for itself.", _ARRAY, "array; Its values are not set.", "", _OF_ARRAYS
    ),
)
const = Memory(
    "const",
    "Read-only memory: ``const.array_like(a)``.",
    array_like=_function(
        "const.array_like", "Return a global NumPy array as a constant.", ["ary"], "array; Read-only, with the values at compile time."
    ),
)

cg = Memory(
    "cg",
    "Cooperative groups.",
    this_grid=_function(
        "cg.this_grid",
        "Return the group of all threads of the launch; its method ``sync()`` synchronizes them.",
        [],
        "GridGroup; All blocks of such a launch must fit on the device at once.",
    ),
)

_BARRIER = "Memory that a thread wrote before the call is visible to the block after it."
syncthreads = _function("syncthreads", "Wait until all threads of the block have reached this call.", [], "", _BARRIER)
syncthreads_count = _function(
    "syncthreads_count",
    "Synchronize the block, and return the number of threads whose predicate is true.",
    ["predicate"],
    "int32; Number of threads.",
    _BARRIER,
)
syncthreads_and = _function(
    "syncthreads_and", "Synchronize the block, and return whether all predicates are true.", ["predicate"], "int32; 1 or 0.", _BARRIER
)
syncthreads_or = _function(
    "syncthreads_or", "Synchronize the block, and return whether any predicate is true.", ["predicate"], "int32; 1 or 0.", _BARRIER
)
_FENCE = "Make the thread's earlier writes visible to {} before its later writes."
threadfence = _function("threadfence", _FENCE.format("the device"), [])
threadfence_block = _function("threadfence_block", _FENCE.format("its block"), [])
threadfence_system = _function("threadfence_system", _FENCE.format("the host and other devices"), [])
syncwarp = _function("syncwarp", "Wait for the threads of the warp in a mask; by default all.", ["warp"])
_AGREED, _BITS = "bool; The same for all threads.", "int32; Bit for each thread of the warp."
_VOTE, _SHUFFLE = ["mask", "predicate"], "scalar; Value of that thread, in the dtype of `value`."
all_sync = _function("all_sync", "Return whether the predicate is true for all threads of the mask.", _VOTE, _AGREED)
any_sync = _function("any_sync", "Return whether the predicate is true for any thread of the mask.", _VOTE, _AGREED)
eq_sync = _function("eq_sync", "Return whether the predicate is the same for all threads of the mask.", _VOTE, _AGREED)
ballot_sync = _function("ballot_sync", "Return which threads of the mask have a true predicate.", _VOTE, _BITS)
shfl_sync = _function("shfl_sync", "Return the value of another thread of the warp.", ["mask", "value", "source"], _SHUFFLE)
shfl_up_sync = _function("shfl_up_sync", "Return the value of the thread `delta` before this one.", ["mask", "value", "delta"], _SHUFFLE)
shfl_down_sync = _function("shfl_down_sync", "Return the value of the thread `delta` after this one.", ["mask", "value", "delta"], _SHUFFLE)
shfl_xor_sync = _function(
    "shfl_xor_sync", "Return the value of the thread whose index is this one's XOR `lanes`.", ["mask", "value", "lanes"], _SHUFFLE
)
match_any_sync = _function(
    "match_any_sync", "Return which threads of the mask have the same value.", ["mask", "value"], _BITS
)
match_all_sync = _function(
    "match_all_sync",
    "Return whether all threads of the mask have the same value.",
    ["mask", "value"],
    "tuple; Pair (mask, bool): the mask, or 0 where values differ.",
)
activemask = _function("activemask", "Return which threads of the warp are active.", [], _BITS)
lanemask_lt = _function("lanemask_lt", "Return a mask of the threads of the warp before this one.", [], "int32; Bit for each thread.")
nanosleep = _function("nanosleep", "Suspend the thread for about a time.", ["ns"])
popc = _function("popc", "Return the number of bits that are set.", ["x"], "int; From 0 to the number of bits.")
brev = _function("brev", "Return the bits of an integer in reverse order.", ["x"], "int; In the dtype of `x`.")
clz = _function("clz", "Return the number of zero bits above the highest bit that is set.", ["x"], "int; Number of bits of `x` for 0.")
ffs = _function("ffs", "Return the position of the lowest bit that is set, from 1.", ["x"], "int; 0 where no bit is set.")
fma = _function("fma", "Return ``a * b + c``, rounded once.", ["a b c"], "float; In the dtype of the operands.")
cbrt = _function("cbrt", "Return the cube root.", ["real"], "float; In the dtype of `x`.")
selp = _function("selp", "Return one of two values by a condition; both are evaluated.", ["condition", "a", "b"], "scalar; `a` or `b`.")
_LOAD, _STORE, _ELEMENT = ["array", "index"], ["array", "index", "stored"], "scalar; The element."
ldca = _function("ldca", "Return an element, cached at all levels.", _LOAD, _ELEMENT)
ldcg = _function("ldcg", "Return an element, cached at the global level alone.", _LOAD, _ELEMENT)
ldcs = _function("ldcs", "Return an element that is probably read once.", _LOAD, _ELEMENT)
ldlu = _function("ldlu", "Return an element that is read for the last time.", _LOAD, _ELEMENT)
ldcv = _function("ldcv", "Return an element, read from memory without caches.", _LOAD, _ELEMENT)
stcg = _function("stcg", "Store an element, cached at the global level alone.", _STORE)
stcs = _function("stcs", "Store an element that is probably not read soon.", _STORE)
stwb = _function("stwb", "Store an element, cached at all levels.", _STORE)
stwt = _function("stwt", "Store an element through the caches to memory.", _STORE)


def carray(ptr, shape, dtype=None):
    """Return an array in C order over the memory at a pointer, without a copy.

    Parameters
    ----------
    ptr : ctypes pointer
        Pointer on the host; in kernels also ``ffi.from_buffer(x)``.
    shape : int or tuple of ints
        Shape of the array.
    dtype : dtype, optional
        Dtype of the elements; a ``ctypes.c_void_p`` needs it.

    Returns
    -------
    numpy.ndarray
        Array over the memory.

    Raises
    ------
    TypeError
        For an object that is no ctypes pointer, or a dtype that is not the pointer's.

    Examples
    --------
    >>> import ctypes
    >>> from quern.numba import carray
    >>> numbers = (ctypes.c_double * 4)(1, 2, 3, 4)
    >>> carray(ctypes.cast(numbers, ctypes.POINTER(ctypes.c_double)), (2, 2))
    array([[1., 2.],
           [3., 4.]])
    """
    return _over_pointer(ptr, shape, dtype, "C")


def farray(ptr, shape, dtype=None):
    """Return an array in Fortran order over the memory at a pointer, without a copy.

    Parameters
    ----------
    ptr : ctypes pointer
        Pointer on the host; in kernels also ``ffi.from_buffer(x)``.
    shape : int or tuple of ints
        Shape of the array.
    dtype : dtype, optional
        Dtype of the elements; a ``ctypes.c_void_p`` needs it.

    Returns
    -------
    numpy.ndarray
        Array over the memory.

    Raises
    ------
    TypeError
        For an object that is no ctypes pointer, or a dtype that is not the pointer's.

    Examples
    --------
    >>> import ctypes
    >>> from quern.numba import farray
    >>> numbers = (ctypes.c_double * 4)(1, 2, 3, 4)
    >>> farray(ctypes.cast(numbers, ctypes.POINTER(ctypes.c_double)), (2, 2))
    array([[1., 3.],
           [2., 4.]])
    """
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
    """Return the tuple itself; in kernels, a loop over it is unrolled, so that its elements may have different types.

    Parameters
    ----------
    container : tuple
        Tuple.

    Returns
    -------
    tuple
        `container`.

    Examples
    --------
    >>> from quern.numba import literal_unroll, njit
    >>> @njit
    ... def total():
    ...     s = 0.0
    ...     for x in literal_unroll((1, 2.5)):
    ...         s += x
    ...     return s
    >>> total()
    3.5
    """
    return container


def prange(*args):
    """Return ``range(*args)``: the loop over it is compiled like one over a range.

    Parameters
    ----------
    *args : int
        Start, stop and step.

    Returns
    -------
    range
        Range.

    Examples
    --------
    >>> from quern.numba import njit, prange
    >>> @njit(parallel=True)
    ... def total(n):
    ...     s = 0
    ...     for i in prange(n):
    ...         s += i
    ...     return s
    >>> total(5)
    10
    """
    return range(*args)


_ATOMICS = {
    "add": "Add a value to an element",
    "sub": "Subtract a value from an element",
    "and_": "Combine an element with a value by AND",
    "or_": "Combine an element with a value by OR",
    "xor": "Combine an element with a value by XOR",
    "inc": "Count an element up, and after the limit from 0",
    "dec": "Count an element down, and after 0 from the limit",
    "exch": "Replace an element by a value",
    "max": "Replace an element by the larger of it and a value (NaN propagates)",
    "min": "Replace an element by the smaller of it and a value (NaN propagates)",
    "nanmax": "Replace an element by the larger of it and a value (NaN is ignored)",
    "nanmin": "Replace an element by the smaller of it and a value (NaN is ignored)",
    "compare_and_swap": "Replace the first element by a value where it equals `old`",
    "cas": "Replace an element by a value where it equals `old`",
}
_OPERANDS = {
    "inc": ["array", "index", "limit"],
    "dec": ["array", "index", "limit"],
    "compare_and_swap": ["array", "old", "stored"],
    "cas": ["array", "index", "old", "stored"],
}
atomic = Memory(
    "atomic",
    "Atomic updates of array elements, such as ``atomic.add(array, index, value)``.",
    **{
        name: _function(f"atomic.{name}", f"{says}, atomically.", _OPERANDS.get(name, _STORE), "scalar; The element before the update.")
        for name, says in _ATOMICS.items()
    },
)

__all__ = [
    *("threadIdx", "blockIdx", "blockDim", "gridDim", "laneid", "warpsize", "grid", "gridsize", "shared", "local", "const", "atomic"),
    *(name for name, one in globals().items() if type(one) is Intrinsic and name not in ("grid", "gridsize")),
    "literal_unroll",
]
