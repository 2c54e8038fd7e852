"""CuPy's array type."""

from quern.arrays import core as _core


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

    @property
    def device(self):
        """The device the array is on."""
        from quern.cupy.cuda import Device

        return Device(max(self._device_number, 0))


ndarray.__module__ = "cupy"


def as_ndarray(result):
    """An array of ours as CuPy's type; lists and tuples of them too; other results as they are."""
    if isinstance(result, _core.Array):
        return result if isinstance(result, ndarray) else result._as(ndarray)
    if isinstance(result, (list, tuple)) and any(isinstance(r, _core.Array) for r in result):
        parts = [as_ndarray(r) for r in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result
