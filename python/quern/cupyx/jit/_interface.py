"""rawkernel, and what it makes: kernels that are compiled when they are called, and functions that kernels call."""

import functools

import numpy

from quern.arrays.core import Array
from quern.cupyx.jit import _library  # noqa: F401  (it enters what kernels may call)
from quern.kernel.cupy_rules import RULES
from quern.kernel.dispatcher import Dispatcher
from quern.kernel.inspection import Inspectable
from quern.kernel.program import Program
from quern.kernel.source import python_function
from quern.tools.check import report
from quern.user_files import warn_user


class _Compiled(Dispatcher):
    """The kernels of a function for the types that it was called with."""

    warns = False

    def __new__(cls, function, rules):
        return Inspectable.__new__(cls)

    def __init__(self, function, rules):
        super().__init__(function)
        self.rules = rules

    def _program(self, parameters, anew=False):
        found = None if anew else self._programs.get(parameters)
        if found is None:
            found = self._programs[parameters] = Program(self.py_func, parameters, rules=self.rules)
            report.note_kernel_in_cupy(found.kernel.source.file, self.__name__)
        return found


class _JitRawKernel:
    """A kernel written in Python; :func:`rawkernel` makes it.

    ``kernel(grid, block, args, shared_mem=0, stream=None)``, or ``kernel[grid, block](*args, shared_mem=0, stream=None)``, launches it:
    grid and block are tuples of up to three numbers, with brackets also one number each. Arguments are arrays of the device and numbers.

    Raises
    ------
    TypeError
        For an argument of another type, and for an operation that its operands' types do not have.
    quern.kernel.errors.KernelError
        When the function cannot be a kernel; the message shows the line.
    """

    def __init__(self, func, mode, device):
        functools.update_wrapper(self, func)
        self.py_func = func
        self._mode, self._device = mode, device
        self._compiled = _Compiled(func, RULES[mode])

    def _number(self, value):
        """One of Python's own numbers, as the kernel gets it."""
        if self._mode == "numpy" or isinstance(value, bool):
            return value
        if isinstance(value, int):
            return numpy.int32(value) if -(2**31) <= value < 2**31 else value
        return numpy.float32(value) if isinstance(value, float) else numpy.complex64(value)

    def _argument(self, value):
        if isinstance(value, (Array, numpy.generic)):
            return value
        if isinstance(value, (bool, int, float, complex)):
            return self._number(value)
        raise TypeError(f"{type(value)} is not supported for RawKernel")

    def __call__(self, grid, block, args, shared_mem=0, stream=None):
        if self._device:
            raise TypeError(
                f"[{self.__name__}] a device function cannot be launched; leave out device=True for a kernel"
            )
        self._compiled[grid, block, stream, shared_mem](*map(self._argument, args))

    def __getitem__(self, grid_and_block):
        grid, block = grid_and_block
        return lambda *args, **kwargs: self(grid, block, args, **kwargs)

    @property
    def cached_codes(self):
        """The CUDA C++ texts compiled so far, by the types of the arguments."""
        codes = {parameters: definition.text for parameters, definition in self._compiled.overloads.items()}
        if not codes:
            warn_user("No codes are cached because compilation is deferred until the first function call.")
        return codes

    @property
    def cached_code(self):
        """The first of ``cached_codes``."""
        codes = self.cached_codes
        if len(codes) > 1:
            warn_user("The input types of the kernel could not be inferred. Please use `.cached_codes` instead.")
        return next(iter(codes.values()), None)


_JitRawKernel.__module__ = "cupyx.jit._interface"


def rawkernel(*, mode="cuda", device=False):
    """Compile a Python function as a kernel, or (``device=True``) as a function that kernels call.

    Parameters
    ----------
    mode : str
        By which rules numbers have types. "cuda": CUDA C++'s, in which Python's numbers are int32 and float32; "numpy": NumPy's.
    device : bool
        A function that kernels call, and that may return a value.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> from quern.cupyx import jit
    >>> @jit.rawkernel()
    ... def double(x, size):
    ...     i = jit.grid(1)
    ...     if i < size:
    ...         x[i] *= 2
    >>> x = cp.arange(4)
    >>> double[1, 32](x, x.size)
    >>> x
    array([0, 2, 4, 6])
    """
    if mode not in RULES:
        raise ValueError(f"[jit.rawkernel] mode must be 'cuda' or 'numpy', not {mode!r}")
    return lambda func: _JitRawKernel(python_function(func, "jit.rawkernel"), mode, bool(device))
