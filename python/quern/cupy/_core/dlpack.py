"""cupy._core.dlpack: arrays as DLPack's capsules, and back."""

from quern.arrays.objects import exchange as _exchange
from quern.cupy._array import as_ndarray


def toDlpack(array):  # noqa: N802
    """The array as a capsule; see :meth:`cupy.ndarray.toDlpack`."""
    return array.toDlpack()


def fromDlpack(dltensor):  # noqa: N802
    """The array of a capsule, or of what offers one."""
    return as_ndarray(_exchange.from_dlpack(dltensor))


from_dlpack = fromDlpack
