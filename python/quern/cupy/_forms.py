"""Functions of CuPy's that take less than NumPy's of the same name, and say so: r_, c_, *_like(subok=), cov, packbits."""

import functools

import numpy

from quern import arrays as _arrays
from quern.arrays import core as _array_core
from quern.cupy._array import as_ndarray, ndarray


class _Joined:
    """What ``r_[...]`` and ``c_[...]`` are: arrays, sequences and numbers one after the other along an axis."""

    def __init__(self, name, axis, ndmin):
        self._name, self._axis, self._ndmin = name, axis, ndmin

    def __getitem__(self, key):
        parts, types = [], []
        for place, one in enumerate(key if isinstance(key, tuple) else (key,)):
            if isinstance(one, str) and place:
                raise ValueError("special directives must be the first entry.")
            if isinstance(one, (str, slice)):
                what = "slices; join cupy.arange() or cupy.linspace()" if isinstance(one, slice) else "directives; use cupy.concatenate()"
                raise NotImplementedError(f"[cupy.{self._name}] does not take {what} instead")
            is_number = not isinstance(one, ndarray) and numpy.isscalar(one)
            types.append(one if type(one) in (bool, int, float, complex) else None)
            part = as_ndarray(_array_core.asarray(one))
            types[-1] = part.dtype if types[-1] is None else types[-1]
            parts.append(self._raised(part) if not is_number else part.reshape((1,) * self._ndmin))
        common = numpy.result_type(*types) if types else None
        return as_ndarray(_arrays.concatenate([part.astype(common, copy=False) for part in parts], axis=self._axis))

    def _raised(self, part):
        """With the dimensions that are joined: of ``c_`` a vector is a column."""
        if part.ndim >= self._ndmin:
            return part
        return part.reshape(-1, 1) if self._ndmin == 2 and part.ndim == 1 else part.reshape((1,) * self._ndmin)

    def __len__(self):
        return 0


r_, c_ = _Joined("r_", 0, 1), _Joined("c_", -1, 2)


def without_subok(function):
    """A function in ``_like`` that refuses any ``subok``, as CuPy's do."""
    place = 4 if function.__name__ == "full_like" else 3

    @functools.wraps(function)
    def call(*args, **kwargs):
        if kwargs.get("subok", args[place] if len(args) > place else None) is not None:
            raise TypeError("subok is not supported yet")
        if len(args) > place:
            args = (*args[:place], True, *args[place + 1 :])
        kwargs.pop("subok", None)
        return function(*args, **kwargs)

    return call


def _weights(name, weights):
    if weights is not None and not isinstance(weights, ndarray):
        raise TypeError(f"{name} must be a cupy.ndarray")
    return weights


def cov(a, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """See :func:`quern.cov`. Weights are arrays of CuPy's; how often an observation was made is an integer."""
    fweights, aweights = _weights("fweights", fweights), _weights("aweights", aweights)
    if fweights is not None and fweights.dtype.kind not in "iu":
        raise TypeError("fweights must be integer")
    return as_ndarray(_arrays.cov(a, y, rowvar, bias, ddof, fweights, aweights, dtype=dtype))


def _check_order(bitorder):
    if bitorder not in ("big", "little"):
        raise ValueError("bitorder must be either 'big' or 'little'")


def _places(bitorder):
    return _array_core.asarray(numpy.arange(8, dtype=numpy.uint8)[:: -1 if bitorder == "big" else 1])


def packbits(a, axis=None, bitorder="big"):
    """The elements, as bits that say whether each is not 0, eight in a byte along ``axis`` (None: of the flattened array)."""
    _check_order(bitorder)
    a = as_ndarray(_array_core.asarray(a))
    if a.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    a = a.ravel() if axis is None else _arrays.moveaxis(a, axis, -1)
    gap = -a.shape[-1] % 8
    bits = (a != 0).astype("uint8")
    if gap:
        bits = _arrays.concatenate([bits, _arrays.zeros((*a.shape[:-1], gap), "uint8")], axis=-1)
    made = (bits.reshape(*a.shape[:-1], -1, 8) << _places(bitorder)).sum(-1, dtype="uint8") if bits.size else bits
    return as_ndarray(made if axis is None else _arrays.moveaxis(made, -1, axis))


def unpackbits(a, axis=None, bitorder="big"):
    """The bits of bytes, eight elements for each along ``axis`` (None: of the flattened array)."""
    _check_order(bitorder)
    a = as_ndarray(_array_core.asarray(a))
    if a.dtype != numpy.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    a = a.ravel() if axis is None else _arrays.moveaxis(a, axis, -1)
    made = (a[..., None] >> _places(bitorder) & 1).astype("uint8").reshape(*a.shape[:-1], a.shape[-1] * 8)
    return as_ndarray(made if axis is None else _arrays.moveaxis(made, -1, axis))
