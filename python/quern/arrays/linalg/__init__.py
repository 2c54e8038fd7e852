"""Linear algebra on arrays, as in numpy.linalg: faces of the engine's table (bindings/faces/linalg.pyi). NumPy computes on the host what
is missing here.

Factorisations are LAPACK's on the CPU and cuSOLVER's on a GPU; what that has not goes through the CPU. A matrix that does not allow what
is asked raises LinAlgError when the result is read.
"""

import numpy
from numpy.linalg import LinAlgError  # noqa: F401

from quern.arrays import fallback
from quern.arrays.core import NUMPY_2_5
from quern.arrays.functions import functions, tuples
from quern.arrays.mathematics import composed
from quern.lib import _engine

_results = getattr(numpy.linalg, "_linalg", None) or numpy.linalg.linalg
tuples |= {name.lower(): getattr(_results, f"{name}Result") for name in ("Slogdet", "QR", "Eigh", "Eig", "SVD")}
_engine.set_real_eigenvalues(not NUMPY_2_5)
_engine.add_functions(__name__, "numpy", "linalg", shown="quern.linalg")
matrix_transpose = functions["matrix_transpose"]


def vecdot(x1, x2, /, *, axis=-1):
    """Return the products of vectors along ``axis``, the first one conjugated.

    Parameters
    ----------
    x1 : array_like
        First input array.
    x2 : array_like
        Second input array.
    axis : int, optional
        Axis of the operation; a negative one counts from the end.

    Returns
    -------
    Array
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.linalg.vecdot([1, 2], [3, 4])
    array(11)
    """
    return composed.vecdot(x1, x2, axis=axis)


__getattr__ = fallback.serve_module(globals(), numpy.linalg, "linalg.")
