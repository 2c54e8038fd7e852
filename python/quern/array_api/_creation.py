"""The standard's functions that make arrays."""

from quern import arrays as ours

__all__ = """arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril triu zeros
zeros_like""".split()


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    """Numbers from ``start`` (0, where ``stop`` is left out) up to ``stop``, which is not one of them."""
    if stop is None:
        start, stop = 0, start
    return ours.arange(start, stop, step, dtype=dtype, device=device)


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """An array of numbers, lists, NumPy arrays, what has DLPack or the buffer protocol.

    ``copy``: True always copies, None only where it must; False raises ValueError where it must.
    """
    return ours.asarray(obj, dtype, device=device, copy=copy)


def empty(shape, *, dtype=None, device=None):
    """An array whose elements are not set."""
    return ours.empty(shape, dtype or float, device=device)


def empty_like(x, /, *, dtype=None, device=None):
    """An array of the shape of ``x`` whose elements are not set."""
    return ours.empty_like(x, dtype, device=device)


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    """Ones on the diagonal ``k``, zeros elsewhere."""
    return ours.eye(n_rows, n_cols, k, dtype or float, device=device)


def from_dlpack(x, /, *, device=None, copy=None):
    """An array over the memory of another library's; see :func:`quern.from_dlpack`."""
    return ours.from_dlpack(x, device=device, copy=copy)


def full(shape, fill_value, *, dtype=None, device=None):
    """An array of one value."""
    return ours.full(shape, fill_value, dtype, device=device)


def full_like(x, /, fill_value, *, dtype=None, device=None):
    """An array of the shape of ``x`` and one value."""
    return ours.full_like(x, fill_value, dtype, device=device)


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    """``num`` numbers in equal steps from ``start`` to ``stop``, which is the last where ``endpoint``."""
    return ours.linspace(start, stop, num, endpoint, dtype=dtype, device=device)


def meshgrid(*arrays, indexing="xy"):
    """The coordinates of a grid, a list of an array for each of the 1-d ``arrays``."""
    return list(ours.meshgrid(*arrays, indexing=indexing))


def ones(shape, *, dtype=None, device=None):
    """An array of ones."""
    return ours.ones(shape, dtype or float, device=device)


def ones_like(x, /, *, dtype=None, device=None):
    """An array of the shape of ``x`` and ones."""
    return ours.ones_like(x, dtype, device=device)


def tril(x, /, *, k=0):
    """The matrices' lower triangles, up to the diagonal ``k``; zeros elsewhere."""
    return ours.tril(x, k)


def triu(x, /, *, k=0):
    """The matrices' upper triangles, from the diagonal ``k`` on; zeros elsewhere."""
    return ours.triu(x, k)


def zeros(shape, *, dtype=None, device=None):
    """An array of zeros."""
    return ours.zeros(shape, dtype or float, device=device)


def zeros_like(x, /, *, dtype=None, device=None):
    """An array of the shape of ``x`` and zeros."""
    return ours.zeros_like(x, dtype, device=device)
