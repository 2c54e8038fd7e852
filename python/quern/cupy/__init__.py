"""CuPy's names on quern's arrays: what `import cupy` leads to under `quern run`.

What is not here raises AttributeError when it is asked for; nothing is served in half.
"""

import functools

import numpy

import quern as _quern
from quern import arrays as _arrays
from quern.arrays import elementwise as _elementwise
from quern.arrays import reductions as _reductions
from quern.cupy import cuda, linalg  # noqa: F401
from quern.cupy._array import as_ndarray, ndarray
from quern.cupy._fusion import fuse, vectorize  # noqa: F401
from quern.cupy._kernels import ElementwiseKernel, ReductionKernel  # noqa: F401
from quern.raw import RawKernel, RawModule  # noqa: F401

_hidden = {"Array", "asnumpy", "linalg"}


def _of_ours(function):
    """The function with its result as CuPy's type."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        return as_ndarray(function(*args, **kwargs))

    return call


for _name in _arrays.__all__:
    _value = getattr(_arrays, _name)
    if _name in _hidden:
        continue
    _module = getattr(_value, "__module__", "")
    if _module.startswith("quern.arrays.") and _module not in (_elementwise.__name__, _reductions.__name__) and callable(_value):
        _value = _of_ours(_value)
    globals()[_name] = _value


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """A NumPy array with the values of ``a``; this waits for them. What is no array of ours is given to numpy.asarray."""
    host = _quern.asnumpy(a) if isinstance(a, ndarray) else numpy.asarray(a)
    if out is None:
        return host
    out[...] = host
    return out


def get_array_module(*args):
    """This module when one of ``args`` is an array of ours, else numpy."""
    import sys

    return sys.modules[__name__] if any(isinstance(a, _quern.Array) for a in args) else numpy


def is_available():
    """Is there a device? Always: the CPU where there is no GPU."""
    return True


def __getattr__(name):
    if not name.startswith("__") and hasattr(numpy, name):
        raise AttributeError(f"module 'cupy' has no attribute {name!r} here yet: quern does not serve that function")
    raise AttributeError(f"module 'cupy' has no attribute {name!r}")
