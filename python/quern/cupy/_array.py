"""CuPy's array type."""

from quern.arrays import core as _core
from quern.arrays import exchange as _exchange
from quern.lib import _engine


class ndarray(_core.Array):  # noqa: N801
    """An array with CuPy's methods; the same memory as ``quern.Array``, under CuPy's name."""

    __slots__ = ()

    def get(self, stream=None, order="C", out=None, blocking=True):
        """A NumPy array with the values; this waits for them."""
        host = _core.asnumpy(self)
        if out is None:
            return host
        out[...] = host
        return out

    def set(self, arr, stream=None):
        """Takes the values of a NumPy array of the same shape and type."""
        if tuple(arr.shape) != self.shape:
            raise ValueError(f"Shape mismatch. Old shape: {self.shape}, new shape: {tuple(arr.shape)}")
        if arr.dtype != self.dtype:
            raise TypeError(f"{arr.dtype} array cannot be set to {self.dtype} array")
        self[...] = arr

    def toDlpack(self):  # noqa: N802
        """A DLPack capsule of the memory."""
        return self.__dlpack__()

    @property
    def data(self):
        """Where the memory is: a MemoryPointer, with the address as ``ptr``."""
        from quern.cupy.cuda import MemoryPointer, UnownedMemory

        whole = _engine.array_whole(self)
        start = whole._address()
        memory = UnownedMemory(start, whole.nbytes, self, max(self._device_number, 0))
        return MemoryPointer(memory, self._address() - start)

    @property
    def device(self):
        """The device the array is on."""
        from quern.cupy.cuda import Device

        return Device(max(self._device_number, 0))

    def __reduce_ex__(self, protocol):
        return _unpickled, super().__reduce_ex__(protocol)[1]

    def __reduce__(self):
        return self.__reduce_ex__(0)


ndarray.__module__ = "cupy"


def _unpickled(dtype, host):
    return as_ndarray(_exchange._unpickled(dtype, host))


def as_ndarray(result):
    """An array of ours as CuPy's type; lists and tuples of them too; other results as they are."""
    if isinstance(result, _core.Array):
        return result if isinstance(result, ndarray) else result._as(ndarray)
    if isinstance(result, (list, tuple)) and any(isinstance(r, _core.Array) for r in result):
        parts = [as_ndarray(r) for r in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result
