"""cupy.cuda.cufft: plans that programs make by hand. The engine makes its own for each transform; these say which one is meant.

As in cuFFT, no transform divides by the number of points. A plan as a context manager is accepted, and changes nothing.
"""

import math
import operator

import numpy

from quern.arrays import core as _core
from quern.arrays import fft as _fft
from quern.cupy.cuda import _unserved

CUFFT_C2C, CUFFT_R2C, CUFFT_C2R = 0x29, 0x2A, 0x2C
CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D = 0x69, 0x6A, 0x6C
CUFFT_FORWARD, CUFFT_INVERSE = -1, 1

# What each type takes and gives.
_TYPES = {CUFFT_C2C: "FF", CUFFT_R2C: "fF", CUFFT_C2R: "Ff", CUFFT_Z2Z: "DD", CUFFT_D2Z: "dD", CUFFT_Z2D: "Dd"}
_WIDER = {"e": "f", "E": "F"}  # float16, and pairs of it
_current = []


def get_current_plan():
    """The plan of the innermost ``with`` block, or None."""
    return _current[-1] if _current else None


class _Plan:
    def _plan(self, name, shape, batch, takes, gives):
        self._name, self.shape, self.batch = name, tuple(operator.index(n) for n in shape), operator.index(batch)
        if self.batch < 1 or not self.shape or min(self.shape) < 1:
            raise ValueError(f"[{name}] sizes and the batch must be at least 1, not {self.shape} and {self.batch}")
        self._takes, self._gives = takes, gives

    def __enter__(self):
        _current.append(self)
        return self

    def __exit__(self, *exc):
        _current.pop()

    def _values(self, array, kind, last):
        """The batch of arrays to transform, in float32 or float64; ``last``: how many numbers their rows have."""
        if array.dtype != {"e": "e", "E": "e"}.get(kind, kind):
            raise TypeError(f"[{self._name}] the plan takes {numpy.dtype(_WIDER.get(kind, kind))}, not {array.dtype}; convert it")
        shape = (self.batch, *self.shape[:-1], last)
        if array.size != math.prod(shape) * (2 if kind == "E" else 1):
            raise ValueError(f"[{self._name}] the plan is of shape {shape}, the array of {array.shape}")
        if kind == "E":
            array = array.reshape(*shape, 2).astype("f")
            return array[..., 0] + array[..., 1] * numpy.complex64(1j)
        return array.reshape(shape).astype(_WIDER.get(kind, kind), copy=False)

    def fft(self, a, out, direction):
        """Writes the transforms of ``a`` into ``out``; both are CuPy's arrays or NumPy's."""
        if direction not in (CUFFT_FORWARD, CUFFT_INVERSE):
            raise ValueError(f"[{self._name}] the direction must be CUFFT_FORWARD or CUFFT_INVERSE, not {direction!r}")
        axes, half = tuple(range(1, len(self.shape) + 1)), self.shape[-1] // 2 + 1
        is_real, gives_real = self._takes in "efd", self._gives in "efd"
        values = self._values(_core.asarray(a), self._takes, half if gives_real else self.shape[-1])
        if is_real:
            made = _fft.rfftn(values, axes=axes)
        elif gives_real:
            made = _fft.irfftn(values, s=self.shape, axes=axes, norm="forward")
        elif direction == CUFFT_FORWARD:
            made = _fft.fftn(values, axes=axes)
        else:
            made = _fft.ifftn(values, axes=axes, norm="forward")
        if self._gives == "E":
            made = made.view("f").astype("e")
        if out.size != made.size:
            raise ValueError(f"[{self._name}] the result has {made.size} numbers, `out` {out.size}")
        made = made.reshape(out.shape)
        out[...] = _core.asnumpy(made) if isinstance(out, numpy.ndarray) else made


class Plan1d(_Plan):
    """``batch`` transforms of ``nx`` points each. ``devices`` is accepted: they run on the current one."""

    def __init__(self, nx, fft_type, batch, *, devices=None, out=None):
        if fft_type not in _TYPES:
            raise ValueError(f"[cupy.cuda.cufft.Plan1d] {fft_type!r} is not a transform type; use one such as CUFFT_C2C")
        self._plan("cupy.cuda.cufft.Plan1d", (nx,), batch, *_TYPES[fft_type])
        self.nx, self.fft_type, self.gpus = self.shape[0], fft_type, devices


def _check_dense(name, order, layouts):
    """Raises NotImplementedError for arrays with gaps; ``layouts``: (nembed, stride, dist, numbers of an array) of each side."""
    if order != "C" or any(stride != 1 or (dist is not None and dist != size) for _, stride, dist, size in layouts):
        raise NotImplementedError(f"[{name}] transforms of arrays with gaps or in Fortran order: make them contiguous, or call cupy.fft")


class PlanNd(_Plan):
    """``batch`` transforms of arrays of ``shape``, which lie one behind the other without gaps."""

    def __init__(self, shape, inembed, istride, idist, onembed, ostride, odist, fft_type, batch, order, last_axis, last_size):
        if fft_type not in _TYPES:
            raise ValueError(f"[cupy.cuda.cufft.PlanNd] {fft_type!r} is not a transform type; use one such as CUFFT_C2C")
        takes, gives = _TYPES[fft_type]
        self._plan("cupy.cuda.cufft.PlanNd", shape, batch, takes, gives)
        whole, halved = math.prod(self.shape), math.prod((*self.shape[:-1], self.shape[-1] // 2 + 1))
        sizes = (halved if gives in "fd" else whole), (halved if takes in "fd" else whole)
        _check_dense(self._name, order, [(inembed, istride, idist, sizes[0]), (onembed, ostride, odist, sizes[1])])
        self.fft_type, self.order, self.last_axis, self.last_size = fft_type, order, last_axis, last_size


class XtPlanNd(_Plan):
    """As PlanNd, of types by their letters: "e" and "E" are float16 and pairs of it. Half precision is computed in float32."""

    def __init__(
        self, shape, inembed, istride, idist, idtype, onembed, ostride, odist, odtype, batch, edtype, *, order, last_axis, last_size
    ):
        kinds = [kind if kind in ("e", "E") else numpy.dtype(kind).char for kind in (idtype, odtype, edtype)]
        if "".join(kinds[:2]) not in ("eE", "Ee", "EE", *_TYPES.values()):
            raise ValueError(f"[cupy.cuda.cufft.XtPlanNd] there is no transform of {idtype!r} to {odtype!r}")
        self._plan("cupy.cuda.cufft.XtPlanNd", shape, batch, *kinds[:2])
        whole, halved = math.prod(self.shape), math.prod((*self.shape[:-1], self.shape[-1] // 2 + 1))
        sizes = (halved if kinds[1] in "efd" else whole), (halved if kinds[0] in "efd" else whole)
        _check_dense(self._name, order, [(inembed, istride, idist, sizes[0]), (onembed, ostride, odist, sizes[1])])
        self.order, self.last_axis, self.last_size = order, last_axis, last_size


__getattr__ = _unserved.getter("cupy.cuda.cufft", "the engine alone calls cuFFT; cupy.fft has the transforms, Plan1d and PlanNd plans")
