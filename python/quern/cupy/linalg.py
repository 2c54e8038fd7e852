"""cupy.linalg."""

from quern.arrays import linalg as _linalg
from quern.cupy._array import as_ndarray


def norm(x, ord=None, axis=None, keepdims=False):
    """See :func:`quern.linalg.norm`."""
    return as_ndarray(_linalg.norm(x, ord, axis, keepdims))


def __getattr__(name):
    raise AttributeError(f"module 'cupy.linalg' has no attribute {name!r} here yet: quern does not serve that function")
