"""jit and njit: functions compiled for the host."""

from __future__ import annotations

import sys

from quern.cuda.decorators import each_of_module
from quern.kernel import types
from quern.kernel.hosted import HostFunction
from quern.kernel.intrinsics import prange  # noqa: F401
from quern.kernel.source import python_function


def jit(signature_or_function=None, **options):
    """Compile a Python function for the host.

    It is compiled at its first call with arguments of new types, or at once for the types of signatures. The language is that of kernels:
    numbers, arrays that are passed, tuples, loops, branches, and other such functions. A function that needs more is run by Python, and a
    FallbackWarning says why (see :func:`quern.set_fallback`).

    Parameters
    ----------
    signature_or_function : callable, str, Signature or list, optional
        Function; or signatures, such as ``"float64(float64[:])"``, for which a decorator is returned.
    **options : object
        ``boundscheck=True``: an index outside of an array raises IndexError. ``error_model="numpy"``: a division by 0 returns infinity or
        NaN instead of raising ZeroDivisionError. ``fastmath=True``: products may be fused with sums. ``locals={"x": float32}``: types of
        local variables. Other options of Numba are accepted and have no effect.

    Returns
    -------
    callable
        Compiled function, or a decorator.

    Raises
    ------
    TypeError
        For an object that is no function.

    Examples
    --------
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
    """Apply :func:`jit` to each Python function that the calling module has defined so far without a decorator.

    Parameters
    ----------
    **options : object
        Options of :func:`jit`.
    """
    each_of_module(sys._getframe(1).f_globals, lambda function: jit(**options)(function))
