"""What the current device's code is like: sizes of types, precision."""

from __future__ import annotations

import numpy as np

from quern.pycuda import driver as _driver
from quern.pycuda.compiler import SourceModule as _SourceModule
from quern.pycuda.tools import context_dependent_memoize


def platform_bits():
    """The bits of an address."""
    return 8 * np.dtype(np.intp).itemsize


def has_stack():
    """True: functions of kernels may call themselves."""
    return True


def has_double_support():
    """True: every device computes in double precision."""
    return True


@context_dependent_memoize
def sizeof(type_name, preamble=""):
    """Return the size of a C++ type in kernels.

    Parameters
    ----------
    type_name : str
        Name of the type.
    preamble : str, optional
        Source that defines it.

    Returns
    -------
    int
        Number of bytes.

    Examples
    --------
    >>> from quern.pycuda import autoinit, characterize
    >>> characterize.sizeof("double")
    8
    """
    source = f"{preamble}\n__global__ void quern_sizeof(unsigned long long* out) {{ *out = sizeof({type_name}); }}\n"
    out = np.zeros(1, np.uint64)
    _SourceModule(source).get_function("quern_sizeof")(_driver.Out(out), block=(1, 1, 1))
    return int(out[0])
