"""jit, vectorize, guvectorize and reduce."""

from __future__ import annotations

import ast
import sys
import types as python_types

from quern.arrays import core as _core
from quern.arrays.mathematics import reductions as _reductions
from quern.cuda import config, warned  # noqa: F401  (warned watches launches)
from quern.cuda.errors import NumbaInvalidConfigWarning
from quern.cuda.linkable import linked_texts
from quern.cuda.ndarray import DeviceNDArray
from quern.kernel import settings, types
from quern.kernel.dispatcher import DeviceFunction, Dispatcher, ExtendedDispatcher, RaisingDispatcher
from quern.kernel.folds import reduction, returned
from quern.kernel.generalized import GeneralFunction
from quern.kernel.source import python_function
from quern.kernel.vectorize import VectorFunction
from quern.lib import _engine
from quern.user_files import warn_user

_OPTIONS = {
    "inline", "forceinline", "link", "debug", "opt", "lineinfo", "cache", "fastmath", "max_registers", "launch_bounds", "lto",
    "shared_memory_carveout", "boundscheck", "nopython", "ensure_contiguous_output", "extensions", "abi", "target", "argtypes", "restype",
    "bind",
}  # fmt: skip


settings.hooks["boundscheck"] = lambda: config.BOUNDSCHECK


def jit(func_or_sig=None, device=False, **options):
    """Compile a Python function as a kernel, or (``device=True``) as a function that kernels call.

    Parameters
    ----------
    func_or_sig : function, signature or list of signatures, optional
        With a signature, such as ``"void(float32[:], int32)"``, the kernel is compiled immediately, and accepts these
        types alone.
    device : bool, optional
        Whether the result is a function that kernels call; it may return a value.
    **options
        `fastmath`: faster, less exact functions; `debug`: whether ``assert`` and ``raise`` in kernels have an effect;
        `max_registers`, `launch_bounds`: limits for the compiler on a GPU; `link`: the code of functions of
        ``cuda.declare_device``, paths or :class:`CUSource` objects; `extensions`: objects whose ``prepare_args(type,
        value, stream, retr)`` replaces each argument before a launch. `inline`, `forceinline`, `opt`, `lineinfo`,
        `cache`, `lto` and `shared_memory_carveout` have no effect: compiled kernels are always cached.

    Returns
    -------
    Dispatcher
        Call it as ``kernel[grid, block, stream, shared](*args)``: blocks of the grid, threads of a block, stream, and
        bytes of dynamic shared memory.

    Raises
    ------
    quern.kernel.errors.KernelError
        For a function that cannot be compiled: immediately with a signature, else at the first call.
    TypeError
        For an unknown option.
    NotImplementedError
        For `boundscheck`; ``quern check`` finds indices out of range. On the CPU also for compiled code in `link`.

    Examples
    --------
    >>> from quern import cuda
    >>> import numpy as np
    >>> @cuda.jit
    ... def double(x):
    ...     i = cuda.grid(1)
    ...     if i < x.size:
    ...         x[i] *= 2
    >>> x = np.ones(3)
    >>> double[1, 32](x)
    >>> x
    array([2., 2., 2.])
    """
    if isinstance(device, (types.Type, types.Signature, str)):
        raise TypeError("[jit] a signature is one argument: void(int32[::1]), its string, or a tuple of types")
    unknown = set(options) - _OPTIONS
    if unknown:
        raise TypeError(f"[jit] unrecognized option {', '.join(sorted(unknown))}")
    registers = options.get("max_registers")
    if registers is not None and (not isinstance(registers, int) or registers < 0):
        raise TypeError(f"[jit] max_registers must be a non-negative integer, not {registers!r}")
    if options.get("link"):
        options["link"] = linked_texts(options["link"])
    if options.get("boundscheck"):
        from quern_doctor import commands

        hint = f"run {commands.typed('check FILE')}, which finds indices outside of arrays"
        raise NotImplementedError(f"bounds checking is not supported for CUDA; {hint}")
    _check_debugging(options)
    if callable(func_or_sig) and not isinstance(func_or_sig, types.Type):
        return _made(func_or_sig, None, device, options)
    given = func_or_sig if isinstance(func_or_sig, list) or func_or_sig is None else [func_or_sig]
    return lambda function: _made(function, given, device, options)


def jit_module(device=True, **options):
    """Apply :func:`jit` to all functions that the calling module has defined so far.

    Parameters
    ----------
    device : bool, optional
        Whether they become functions that kernels call, instead of kernels.
    **options
        Options of :func:`jit`.

    Examples
    --------
    >>> from quern import cuda
    >>> def halved(x):
    ...     return x / 2
    >>> cuda.jit_module()
    >>> def kernel(x):
    ...     x[0] = halved(x[0])
    >>> cuda.jit_module(device=False)
    >>> import numpy as np
    >>> x = np.array([3.0])
    >>> kernel[1, 1](x)
    >>> x
    array([1.5])
    """
    each_of_module(sys._getframe(1).f_globals, lambda function: jit(function, device=device, **options))


def each_of_module(names, decorator):
    """Replaces the Python functions that a module has of its own, and that are not decorated."""
    own = names.get("__name__")
    for name, value in list(names.items()):
        if isinstance(value, python_types.FunctionType) and value.__module__ == own:
            names[name] = decorator(value)


def _check_debugging(options):
    """The option ``debug`` where nobody says it; warns of what is not done together."""
    if options.get("debug") is None:
        options["debug"] = bool(config.CUDA_DEBUGINFO_DEFAULT)
    if options["debug"] and options.get("opt", True) in (True, None):
        said = "debug=True with opt=True is not supported by CUDA: code is optimised all the same; set debug=False or opt=False"
        warn_user(said, NumbaInvalidConfigWarning)
    if options["debug"] and options.get("lineinfo"):
        said = "debug and lineinfo are mutually exclusive: debug has the lines, too; leave one of them out"
        warn_user(said, NumbaInvalidConfigWarning)


def _made(function, given, device, options):
    function = python_function(function, "jit")
    if device:
        return DeviceFunction(function, given, **options)
    extensions = options.get("extensions") or ()
    for extension in extensions if isinstance(extensions, (list, tuple)) else [extensions]:
        if not hasattr(extension, "prepare_args"):
            raise TypeError(f"[jit] an extension has a method prepare_args(type, value, stream, retr); {extension!r} has none")
    kind = ExtendedDispatcher if extensions else RaisingDispatcher if options["debug"] else Dispatcher
    return kind(function, given, **options)


def vectorize(ftylist_or_function=(), **options):
    """Compile a Python function of numbers as an elementwise function of arrays.

    Parameters
    ----------
    ftylist_or_function : list of signatures, optional
        Such as ``["float32(float32, float32)"]``; without signatures, the types follow from the arguments of each call.
    **options
        `target`: "cpu", "parallel" or "cuda"; all run on the current device. `identity`: start value of ``reduce``.

    Returns
    -------
    ufunc-like
        Function that broadcasts its operands.

    Raises
    ------
    ValueError
        For an unknown `target`.
    KeyError
        For an unknown option with ``target="cuda"``.

    Examples
    --------
    >>> from quern.numba import vectorize
    >>> import numpy as np
    >>> @vectorize(["float64(float64, float64)"])
    ... def clipped(x, top):
    ...     return min(x, top)
    >>> clipped(np.arange(4.0), 2)
    array([0., 1., 2., 2.])
    """
    if options.setdefault("target", "cpu") not in ("cpu", "parallel", "cuda"):
        raise ValueError(f"[vectorize] unsupported target {options['target']!r}; it is 'cpu', 'parallel' or 'cuda'")
    if options["target"] == "cuda":
        if "nopython" in options:
            warn_user("nopython kwarg for cuda target is redundant", RuntimeWarning)
        for name in set(options) - {"target", "nopython", "identity", "cache"}:
            raise KeyError(f"Unrecognized options. cuda vectorize target does not support option: '{name}'")
    options.pop("nopython", None)
    if callable(ftylist_or_function) and not isinstance(ftylist_or_function, types.Type):
        return VectorFunction(python_function(ftylist_or_function, "vectorize"), kind=DeviceNDArray, **options)
    given = (
        [ftylist_or_function]
        if isinstance(ftylist_or_function, str) or not isinstance(ftylist_or_function, (list, tuple))
        else ftylist_or_function
    )
    return lambda function: VectorFunction(python_function(function, "vectorize"), given, kind=DeviceNDArray, **options)


def guvectorize(ftylist, signature=None, **options):
    """Compile a Python function of small arrays as a function over the leading axes of larger ones.

    The last arguments of the function are its results.

    Parameters
    ----------
    ftylist : list of signatures
        Such as ``["void(float64[:], float64[:], float64[:])"]``.
    signature : str
        Layout, such as ``"(n),(n)->(n)"`` or ``"(n)->()"``. A result without dimensions is an array of one element
        inside the function.
    **options
        `target`: "cpu", "parallel" or "cuda"; all run on the current device.

    Returns
    -------
    gufunc-like
        Function that broadcasts the leading axes of its operands.

    Raises
    ------
    ValueError
        For an unknown `target`.
    TypeError
        For an unknown option with ``target="cuda"``, or a layout that is no string.

    Examples
    --------
    >>> from quern.numba import guvectorize
    >>> import numpy as np
    >>> @guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    ... def largest(x, out):
    ...     out[0] = x[0]
    ...     for v in x:
    ...         out[0] = max(out[0], v)
    >>> largest(np.array([[1.0, 5.0], [7.0, 2.0]]))
    array([5., 7.])
    """
    if options.setdefault("target", "cpu") not in ("cpu", "parallel", "cuda"):
        raise ValueError(f"[guvectorize] unsupported target {options['target']!r}; it is 'cpu', 'parallel' or 'cuda'")
    if options["target"] == "cuda":
        if not options.get("nopython", True):
            raise TypeError("nopython flag must be True")
        unknown = [repr(name) for name in options if name not in ("target", "nopython", "identity", "cache")]
        if unknown:
            raise TypeError(f"The following target options are not supported: {', '.join(unknown)}")
    options.pop("nopython", None)
    if signature is None:
        ftylist, signature = [], ftylist
    if not isinstance(signature, str):
        raise TypeError(
            "[guvectorize] it is called as guvectorize(signatures, layout), such as guvectorize(['void(f8[:], f8[:])'], '(n)->()')"
        )
    given = ftylist if isinstance(ftylist, list) else [ftylist]
    return lambda function: GeneralFunction(python_function(function, "guvectorize"), given, signature, kind=DeviceNDArray, **options)


def _as_it_was_made(array):
    """The same elements in the shape that they were computed in, if ``array`` is all of them in order: their sum fuses with that."""
    whole = _engine.array_whole(array)
    same = whole.size == array.size and whole._dtype_name == array._dtype_name and whole._contiguous[0] and array._contiguous[0]
    return whole if same else array


# Types whose sums and products are of the same type, in kernels and in NumPy.
_OWN_TYPE = frozenset(("int64", "uint64", "float32", "float64", "complex64", "complex128"))


def _fold_of_numpy(function):
    """NumPy's function that folds as ``function`` does, where it is nothing but ``a + b`` or ``a * b``: it fuses with what is around it."""
    found = returned(function)
    if found is None:
        return None
    body, names = found
    if not isinstance(body, ast.BinOp) or len(names) != 2 or [getattr(x, "id", None) for x in (body.left, body.right)] != names:
        return None
    return {ast.Add: _reductions.sum, ast.Mult: _reductions.prod}.get(type(body.op))


class Reduce:
    """A reduction of one-dimensional arrays by a function of two numbers, made by ``@cuda.reduce``.

    An object is called as a function of an array.

    Parameters
    ----------
    functor : function
        Associative and commutative function of two numbers.

    Examples
    --------
    >>> from quern import cuda
    >>> import numpy as np
    >>> cuda.reduce(lambda a, b: a + b)(np.arange(5.0))
    np.float64(10.0)
    """

    def __init__(self, functor):
        self._function = python_function(functor, "reduce")
        self._fold = _fold_of_numpy(self._function)
        self.__name__ = self._function.__name__.strip("<>")
        self._kernels = {}
        self._both = VectorFunction(self._function, target="cuda")

    def __call__(self, arr, size=None, res=None, init=0, stream=0):
        """Reduce an array.

        Parameters
        ----------
        arr : array
            One-dimensional array of the device or of NumPy.
        size : int, optional
            Number of leading elements that are reduced; None: all.
        res : array, optional
            Array whose first element receives the result; the call returns None then.
        init : scalar, optional
            Value that is combined with the elements; the result for no elements.
        stream : Stream, optional
            Accepted for compatibility.

        Returns
        -------
        scalar
            The result, in the dtype of `arr`.

        Raises
        ------
        TypeError
            For an `arr` that has other than one dimension, or is no array.
        """
        if not hasattr(arr, "ndim"):
            raise TypeError(f"[{self.__name__}] an array is reduced, not a {type(arr).__name__}; numpy.asarray() makes one")
        if arr.ndim != 1:
            raise TypeError(f"[{self.__name__}] only arrays of one dimension are reduced, not of {arr.ndim}; reshape(-1) makes one")
        array = _core.asarray(arr)
        if size is not None:
            array = _core.Array.__getitem__(array, slice(None, size))
        if array.size == 0:
            result = _core.asarray(array.dtype.type(init))
        elif self._fold and init == 0 and array._dtype_name in _OWN_TYPE:
            result = self._fold(_as_it_was_made(array))
        else:
            kernel = self._kernels.get(array._dtype_name)
            if kernel is None:
                kernel = self._kernels[array._dtype_name] = reduction(self._function, types.of_dtype(array.dtype), self.__name__)
            (result,) = kernel.call((array,), (), None, False, _core.Array)
            if init != 0:
                result = self._both(_core.asarray(array.dtype.type(init)), result)
        if res is None:
            return _core.asnumpy(result)[()]
        if isinstance(res, _core.Array):
            _core.Array.__setitem__(res, slice(0, 1), result)
        else:
            res[:1] = _core.asnumpy(result)
        return None


def reduce(functor):
    """Compile a function of two numbers as a reduction of one-dimensional arrays.

    Parameters
    ----------
    functor : function
        Associative and commutative function of two numbers.

    Returns
    -------
    Reduce
        Call it as ``fold(arr, size=None, res=None, init=0)``; see :class:`Reduce`.

    Raises
    ------
    TypeError
        For a `functor` that is not a Python function; in a call, for another argument than a one-dimensional array.

    Examples
    --------
    >>> from quern import cuda
    >>> import numpy as np
    >>> @cuda.reduce
    ... def largest(a, b):
    ...     return a if a > b else b
    >>> float(largest(np.array([1.0, 5.0, 2.0])))
    5.0
    """
    return Reduce(functor)
