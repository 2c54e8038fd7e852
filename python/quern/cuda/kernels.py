"""numba.cuda.kernels: transpose; reduction is in quern/cuda/decorators.py."""

from quern.arrays import core as _core
from quern.cuda.arrays import device_array, to_device
from quern.cuda.decorators import Reduce


def transpose(a, b=None):
    """The transposed matrix as a new array on the device, or in ``b``."""
    if a.ndim != 2:
        raise ValueError(f"[transpose] a matrix has two dimensions, not {a.ndim}")
    made = device_array(a.shape[::-1], a.dtype) if b is None else b
    if made.shape != a.shape[::-1]:
        raise ValueError(f"[transpose] the result has shape {a.shape[::-1]}, and the array for it {made.shape}")
    turned = (a if isinstance(a, _core.Array) else to_device(a)).T
    if isinstance(made, _core.Array):
        _core.Array.__setitem__(made, ..., turned)
    else:
        made[...] = _core.asnumpy(turned)
    return made


__all__ = ["Reduce", "transpose"]
