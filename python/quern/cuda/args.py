"""numba.cuda.args: what is said about an argument of a launch."""

from quern.lib import _engine

ArgHint = _engine.Transfer


class In(ArgHint):
    """A host array that a launch copies to the device, and not back.

    Parameters
    ----------
    ary : numpy.ndarray
        Array of any shape.
    """

    def __init__(self, ary):
        super().__init__(ary, True, False)


class Out(ArgHint):
    """A host array that a launch copies back from the device; the kernel does not see its values.

    Parameters
    ----------
    ary : numpy.ndarray
        Array of any shape.

    Examples
    --------
    >>> import numpy as np
    >>> from quern import cuda
    >>> @cuda.jit
    ... def count(x):
    ...     x[cuda.grid(1)] = cuda.grid(1)
    >>> x = np.zeros(3)
    >>> count[1, 3](cuda.Out(x))
    >>> x
    array([0., 1., 2.])
    """

    def __init__(self, ary):
        super().__init__(ary, False, True)


class InOut(ArgHint):
    """A host array that a launch copies to the device and back, as it does with a plain array.

    Parameters
    ----------
    ary : numpy.ndarray
        Array of any shape.
    """

    def __init__(self, ary):
        super().__init__(ary, True, True)


def wrap_arg(value, default=InOut):
    """The value, with ``default`` said about it where nothing is said."""
    return value if isinstance(value, ArgHint) else default(value)


__all__ = ["ArgHint", "In", "InOut", "Out", "wrap_arg"]
