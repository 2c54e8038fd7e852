"""cupy.linalg. A call on a matrix that it is not defined for does what cupyx.errstate(linalg=) says."""

import numpy

from quern import arrays as _arrays
from quern.arrays import core as _core
from quern.arrays import linalg as _linalg
from quern.cupy._array import as_ndarray as _as_ndarray
from quern.cupy._fallback import getter as _getter
from quern.cupy._names import LINALG as _names
from quern.lib import _engine

_faces = _engine.add_functions(__name__, "cupy", "linalg")


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """Return the solution of ``a @ x == b`` from the Cholesky factor of `a`.

    Parameters
    ----------
    c_and_lower : tuple
        Factor that :func:`cholesky` returns, and whether it is the lower one.
    b : array_like
        Right-hand sides.
    overwrite_b : bool, optional
        Accepted for compatibility.
    check_finite : bool, optional
        Whether to check for infinities and NaN.

    Returns
    -------
    ndarray
        Shape of `b`.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> factor = cp.linalg.cholesky(cp.asarray([[4.0, 0.0], [0.0, 9.0]]))
    >>> cp.linalg.cho_solve((factor, True), cp.asarray([4.0, 18.0]))
    array([1., 2.])
    """
    factor, lower = c_and_lower
    for one in (factor, b):
        if isinstance(one, numpy.ndarray):
            raise numpy.linalg.LinAlgError("cupy.linalg only supports cupy.ndarray; make an array with cupy.asarray()")
    factor, b = _as_ndarray(_core.asarray(factor)), _core.asarray(b)
    if factor.ndim < 2 or factor.shape[-1] != factor.shape[-2]:
        raise numpy.linalg.LinAlgError(f"[cho_solve] the factor must be a square matrix, or a stack of them, not of shape {factor.shape}")
    is_vector = b.ndim == 1 or b.ndim == factor.ndim - 1
    if b.ndim == 0 or b.shape[-1 if is_vector else -2] != factor.shape[-1]:
        raise numpy.linalg.LinAlgError(f"[cho_solve] shapes {factor.shape} and {b.shape} do not fit")
    if check_finite:
        for part in (factor, b):
            if not bool(_arrays.isfinite(part).all()):
                raise ValueError("[cho_solve] array must not contain infs or NaNs")
    low = _arrays.tril(factor) if lower else _arrays.triu(factor).conj().swapaxes(-1, -2)
    solve = _faces["solve"]
    x = solve(low.conj().swapaxes(-1, -2), solve(low, b[..., None] if is_vector else b))
    return x[..., 0] if is_vector else x


__getattr__ = _getter(globals(), _names, _linalg, numpy.linalg, "cupy.linalg")
