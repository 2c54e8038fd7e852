"""cupy.linalg."""

import numpy

from quern.arrays import core as _core
from quern.arrays import linalg as _linalg
from quern.cupy._array import as_ndarray as _as_ndarray
from quern.cupy._fallback import getter as _getter
from quern.cupy._names import LINALG as _names


def eigh(a, UPLO="L"):  # noqa: N803
    """See :func:`quern.linalg.eigh`. Matrices of float16 are computed in float32, and the results are float16."""
    a = _core.asarray(a)
    if a.dtype != numpy.float16:
        return _as_ndarray(_linalg.eigh(a, UPLO))
    values = _linalg.eigh(a.astype("float32"), UPLO)
    return _as_ndarray(type(values)(*(part.astype("float16") for part in values)))


def eigvalsh(a, UPLO="L"):  # noqa: N803
    """See :func:`quern.linalg.eigvalsh`. Matrices of float16 are computed in float32, and the result is float16."""
    a = _core.asarray(a)
    if a.dtype != numpy.float16:
        return _as_ndarray(_linalg.eigvalsh(a, UPLO))
    return _as_ndarray(_linalg.eigvalsh(a.astype("float32"), UPLO).astype("float16"))


__getattr__ = _getter(globals(), _names, _linalg, numpy.linalg, "cupy.linalg")
