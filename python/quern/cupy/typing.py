"""cupy.typing: the words for annotations; NDArray is of CuPy's arrays."""

from types import GenericAlias as _GenericAlias
from typing import Any as _Any
from typing import TypeVar as _TypeVar

import numpy as _numpy
from numpy.typing import ArrayLike, DTypeLike, NBitBase  # noqa: F401

from quern.cupy._array import ndarray as _ndarray

_Scalar = _TypeVar("_Scalar", bound=_numpy.generic)
NDArray = _GenericAlias(_ndarray, (_Any, _GenericAlias(_numpy.dtype, (_Scalar,))))

__name__ = "cupy.typing"
