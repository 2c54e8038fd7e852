"""jit and njit: functions compiled for the host."""

from __future__ import annotations

import sys

from quern.cuda.decorators import each_of_module
from quern.kernel import types
from quern.kernel.hosted import HostFunction
from quern.kernel.intrinsics import prange  # noqa: F401
from quern.kernel.source import python_function


def jit(signature_or_function=None, **options):
    """Compiles a Python function for the host, where its types are known: at the call, or now with signatures.

    It has the language of kernels: numbers, arrays that it is given, tuples, loops, branches, other such functions; ``prange`` is
    ``range``. A function that needs more is run by Python, and a FallbackWarning says why (see ``quern.set_fallback``).

    ``boundscheck=True``: indices outside of arrays raise IndexError. ``error_model="numpy"``: divisions by 0 are numbers.
    ``fastmath=True``: products may be fused with sums. ``locals={"x": float32}``: the types of local names. Numba's other options change
    nothing.

    >>> from quern.numba import njit
    >>> import numpy as np
    >>> @njit
    ... def total(x):
    ...     s = 0.0
    ...     for v in x:
    ...         s += v * v
    ...     return s
    >>> total(np.arange(4.0))
    14.0
    """
    if callable(signature_or_function) and not isinstance(signature_or_function, types.Type):
        return HostFunction(python_function(signature_or_function, "jit"), **options)
    given = signature_or_function
    if not (given is None or isinstance(given, (list, str, tuple, types.Signature, types.Type))):
        raise TypeError(f"The decorated object is not a function (got type {type(given)}).")
    given = [] if given is None else given if isinstance(given, list) else [given]
    return lambda function: HostFunction(python_function(function, "jit"), given, **options)


njit = jit


def jit_module(**options):
    """``jit`` for each Python function of the calling module that is written so far and is not decorated."""
    each_of_module(sys._getframe(1).f_globals, lambda function: jit(**options)(function))
