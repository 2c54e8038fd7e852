"""cupy.linalg. A call on a matrix that it is not defined for does what cupyx.errstate(linalg=) says."""

import functools

import numpy

from quern import arrays as _arrays
from quern.arrays import core as _core
from quern.arrays import linalg as _linalg
from quern.cupy import _errstate
from quern.cupy._array import as_ndarray as _as_ndarray
from quern.cupy._fallback import getter as _getter
from quern.cupy._names import LINALG as _names
from quern.lib import _engine


def _look(part):
    """Raises LinAlgError where the work for the array failed."""
    if isinstance(part, _core.Array) and part.size:
        _core.asnumpy(part.ravel()[:1])


def _watched(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        for one in args:
            if isinstance(one, numpy.ndarray):
                raise numpy.linalg.LinAlgError("cupy.linalg only supports cupy.ndarray; make an array with cupy.asarray()")
        watches = _errstate.linalg() == "raise"
        before = _engine.set_quiet_factors(not watches)
        try:
            result = function(*args, **kwargs)
        finally:
            _engine.set_quiet_factors(before)
        if watches:
            for part in result if isinstance(result, tuple) else (result,):
                _look(part)
        return _as_ndarray(result)

    return call


@_watched
def eigh(a, UPLO="L"):  # noqa: N803
    """See :func:`quern.linalg.eigh`. Matrices of float16 are computed in float32, and the results are float16."""
    a = _core.asarray(a)
    if a.dtype != numpy.float16:
        return _as_ndarray(_linalg.eigh(a, UPLO))
    values = _linalg.eigh(a.astype("float32"), UPLO)
    return _as_ndarray(type(values)(*(part.astype("float16") for part in values)))


@_watched
def eigvalsh(a, UPLO="L"):  # noqa: N803
    """See :func:`quern.linalg.eigvalsh`. Matrices of float16 are computed in float32, and the result is float16."""
    a = _core.asarray(a)
    if a.dtype != numpy.float16:
        return _as_ndarray(_linalg.eigvalsh(a, UPLO))
    return _as_ndarray(_linalg.eigvalsh(a.astype("float32"), UPLO).astype("float16"))


@_watched
def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """The x with ``a @ x == b``, from the triangle of ``a`` that cholesky() gives, in a pair with whether it is the lower one.

    Stacks are taken. Raises LinAlgError where the shapes do not fit, ValueError for what is not finite, unless ``check_finite`` is False.
    """
    factor, lower = c_and_lower
    factor, b = _core.asarray(factor), _core.asarray(b)
    if factor.ndim < 2 or factor.shape[-1] != factor.shape[-2]:
        raise numpy.linalg.LinAlgError(f"[cho_solve] the factor is a square matrix, or a stack of them, not of shape {factor.shape}")
    is_vector = b.ndim == 1 or b.ndim == factor.ndim - 1
    if b.ndim == 0 or b.shape[-1 if is_vector else -2] != factor.shape[-1]:
        raise numpy.linalg.LinAlgError(f"[cho_solve] shapes {factor.shape} and {b.shape} do not fit")
    if check_finite:
        for part in (factor, b):
            if not bool(_arrays.isfinite(part).all()):
                raise ValueError("[cho_solve] an array has values that are infinite or no numbers")
    low = _arrays.tril(factor) if lower else _arrays.triu(factor).conj().swapaxes(-1, -2)
    x = _linalg.solve(low.conj().swapaxes(-1, -2), _linalg.solve(low, b[..., None] if is_vector else b))
    return x[..., 0] if is_vector else x


cholesky = _watched(_linalg.cholesky)
cond = _watched(_linalg.cond)
det = _watched(_linalg.det)
eig = _watched(_linalg.eig)
eigvals = _watched(_linalg.eigvals)
inv = _watched(_linalg.inv)
lstsq = _watched(_linalg.lstsq)
matrix_power = _watched(_linalg.matrix_power)
matrix_rank = _watched(_linalg.matrix_rank)
norm = _watched(_linalg.norm)
pinv = _watched(_linalg.pinv)
qr = _watched(_linalg.qr)
slogdet = _watched(_linalg.slogdet)
solve = _watched(_linalg.solve)
svd = _watched(_linalg.svd)
tensorinv = _watched(_linalg.tensorinv)
tensorsolve = _watched(_linalg.tensorsolve)

__getattr__ = _getter(globals(), _names, _linalg, numpy.linalg, "cupy.linalg")
