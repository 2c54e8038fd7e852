"""cupy.linalg. A call on a matrix that it is not defined for does what cupyx.errstate(linalg=) says."""

import functools

import numpy

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


_WATCHED = "cholesky cond det eig eigvals inv lstsq matrix_power matrix_rank norm pinv qr slogdet solve svd tensorinv tensorsolve"
for _name in _WATCHED.split():
    globals()[_name] = _watched(getattr(_linalg, _name))

__getattr__ = _getter(globals(), _names, _linalg, numpy.linalg, "cupy.linalg")
