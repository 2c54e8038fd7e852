"""cupy.fuse: a function on arrays, which is called, since array work is recorded and fused in any case. cupy.vectorize: a function of
numbers, which is compiled (quern.kernel, by cupy_rules.py)."""

import functools

import numpy

from quern.arrays.core import Array
from quern.cupy._array import as_ndarray, ndarray
from quern.cupy._fallback import refuse_host
from quern.kernel import types
from quern.kernel.cupy_rules import RULES
from quern.kernel.source import python_function
from quern.kernel.vectorize import Row
from quern.lib import _engine

_scalars = (int, float, complex, bool, numpy.generic)


class Fusion:
    """A function whose array work is recorded as one piece; see :func:`fuse`."""

    def __init__(self, func, name):
        self.func = func
        self.name = name or func.__name__
        functools.update_wrapper(self, func)

    def __call__(self, *args):
        ours = any(isinstance(a, Array) for a in args)
        if not ours:
            return self.func(*args)
        if any(isinstance(a, numpy.ndarray) for a in args):
            raise TypeError("Cannot mix numpy.ndarray and cupy.ndarray as arguments.")
        for arg in args:
            if arg is not None and not isinstance(arg, (Array, *_scalars)):
                raise TypeError(f"Invalid argument type for '{self.name}': {type(arg).__name__}; arrays, numbers and None are supported")
        keep = _engine.KeepPending()  # nothing is submitted in the middle of it
        try:
            return self.func(*args)
        finally:
            del keep

    def clear_cache(self):
        """Does nothing: compiled kernels are shared by all array work, and found by what they do."""

    def __repr__(self):
        return f"<Fusion name={self.name}>"


def fuse(*args, **kwargs):
    """Decorate a function so that its array operations are recorded as one piece, which becomes as few kernels as its shapes allow.

    Parameters
    ----------
    kernel_name : str, optional
        Name of the kernels; None is that of the function.

    Returns
    -------
    callable
        Function of arrays, numbers and None, which are passed by position. Its results are those of the function itself, with
        in-place operators on its arguments.

    Raises
    ------
    TypeError
        For arguments of other types.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> @cp.fuse(kernel_name="squared_diff")
    ... def squared_diff(x, y):
    ...     return (x - y) * (x - y)
    >>> squared_diff(cp.arange(4), cp.arange(4)[::-1])
    array([9, 1, 1, 9])
    """
    if len(args) == 1 and not kwargs and callable(args[0]):
        return Fusion(args[0], None)
    if args:
        raise TypeError("fuse() takes the function alone, or keywords: kernel_name")
    name = kwargs.pop("kernel_name", None)
    if kwargs:
        raise TypeError(f"fuse() got an unexpected keyword argument {next(iter(kwargs))!r}")
    return lambda func: Fusion(func, name)


class vectorize:  # noqa: N801
    """A function of numbers that is called with arrays instead, and computes each element.

    Parameters: ``pyfunc``: the function, a small Python program: ``if``, ``while``, ``for i in range(...)``, ``and``, ``or``, ``not``,
    min(), max(), CuPy's ufuncs and types such as ``cupy.float32(x)``; ``otypes``: the types of its results, letters or a list of
    dtypes. Its ``excluded``, ``cache`` and ``signature`` are not supported. Numbers have NumPy's types.

    Raises
    ------
    TypeError
        For an operation that its operands' types do not have.
    quern.kernel.errors.KernelError
        When the function cannot be compiled, or its source not be read; the message shows the line.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.vectorize(lambda x, y: x * x + y if x > 0 else -y)(cp.arange(3), 1)
    array([-1,  2,  5])
    """

    def __init__(self, pyfunc, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        if excluded or cache or signature:
            raise NotImplementedError("[cupy.vectorize] excluded, cache and signature are not supported")
        self.pyfunc = pyfunc
        self.otypes = list(otypes) if otypes is not None else None
        self.__name__ = getattr(pyfunc, "__name__", "vectorize")
        self.__doc__ = doc if doc is not None else getattr(pyfunc, "__doc__", None)
        self._function = None
        self._rows = {}  # types of the arguments -> Row

    def __call__(self, *args):
        from quern import arrays

        if self._function is None:
            self._function = python_function(self.pyfunc, "cupy.vectorize")
        refuse_host(args)
        values = [as_ndarray(a if isinstance(a, Array) else arrays.asarray(a)) for a in args]
        parameters = tuple(types.of_dtype(v.dtype) for v in values)
        row = self._rows.get(parameters)
        if row is None:
            row = self._rows[parameters] = Row(self._function, parameters, several=True, rules=RULES["numpy"])
        outs = row(values, (), ndarray)
        if self.otypes is not None:
            if len(self.otypes) != len(outs):
                raise ValueError(f"[cupy.vectorize] the function gives {len(outs)} results, otypes names {len(self.otypes)}")
            outs = [o.astype(t) for o, t in zip(outs, self.otypes, strict=True)]
        return tuple(outs) if row.is_tuple else outs[0]


Fusion.__module__ = vectorize.__module__ = ndarray.__module__
