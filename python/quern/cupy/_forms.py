"""Functions of CuPy's that accept other arguments than NumPy's of the same name, or warn of some: r_, c_, packbits ..."""

import functools

import numpy

from quern import arrays as _arrays
from quern.arrays import core as _array_core
from quern.cupy._array import as_ndarray, ndarray
from quern.cupy._fallback import of_ours, refuse_host
from quern.lib import _engine


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


_LAYOUTS = ("C", "C_CONTIGUOUS", "CONTIGUOUS", "F", "F_CONTIGUOUS", "FORTRAN", "O", "OWNDATA")


def require(a, dtype=None, requirements=None):
    """Return an array of a dtype and layout; the array itself where it is one.

    Parameters
    ----------
    a : array_like
        Input array.
    dtype : dtype, optional
        Dtype of the result; None keeps it.
    requirements : sequence of str, optional
        Of "C", "F" and "O": C order, Fortran order, memory of its own.

    Returns
    -------
    ndarray
        Shape of `a`.

    Raises
    ------
    ValueError
        For both "C" and "F".

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.require(cp.ones((2, 3)).T, requirements=["C"]).flags.c_contiguous
    True
    """
    for name in requirements or ():
        if name.upper() not in _LAYOUTS:
            raise ValueError(f'Incorrect flag "{name}" in requirements')
    try:
        return as_ndarray(_arrays.require(a, dtype, requirements))
    except TypeError:
        raise ValueError(f'Incorrect dtype "{dtype}" provided') from None


def of_room(array):
    """Raise OutOfMemoryError for an array that is larger than the device's memory, or the pool's limit; else return it.

    Equal numbers take no memory before work needs them; in CuPy they do.
    """
    _engine.array_check_room(array)
    return array


def in_room(function):
    """A function whose result fits on the device."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        return of_room(function(*args, **kwargs))

    return call


def _check_order(bitorder):
    if bitorder not in ("big", "little"):
        raise ValueError("bitorder must be either 'big' or 'little'")


def _places(bitorder):
    return _array_core.asarray(numpy.arange(8, dtype=numpy.uint8)[:: -1 if bitorder == "big" else 1])


def packbits(a, axis=None, bitorder="big"):
    """Pack bits into bytes: each bit says whether an element is not 0.

    Parameters
    ----------
    a : array_like
        Integers or bools.
    axis : int, optional
        Axis; None is that of the flattened array.
    bitorder : {'big', 'little'}, optional
        Which bit the first element of a byte is.

    Returns
    -------
    ndarray
        Bytes, uint8; the last ones are filled up with zeros.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.packbits(cp.asarray([1, 0, 0, 0, 0, 0, 0, 1]))
    array([129], dtype=uint8)
    """
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
    """Unpack bytes into bits.

    Parameters
    ----------
    a : array_like
        Bytes, uint8.
    axis : int, optional
        Axis; None is that of the flattened array.
    bitorder : {'big', 'little'}, optional
        Which bit the first element of a byte is.

    Returns
    -------
    ndarray
        Eight elements, uint8, for each byte.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.unpackbits(cp.asarray([129], dtype=cp.uint8))
    array([1, 0, 0, 0, 0, 0, 0, 1], dtype=uint8)
    """
    _check_order(bitorder)
    a = as_ndarray(_array_core.asarray(a))
    if a.dtype != numpy.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    a = a.ravel() if axis is None else _arrays.moveaxis(a, axis, -1)
    made = (a[..., None] >> _places(bitorder) & 1).astype("uint8").reshape(*a.shape[:-1], a.shape[-1] * 8)
    return as_ndarray(made if axis is None else _arrays.moveaxis(made, -1, axis))


@of_ours
def copyto(dst, src, *args, **kwargs):
    """See :func:`quern.copyto`. A NumPy array has one element, or raises TypeError."""
    if isinstance(src, numpy.ndarray) and src.size != 1:
        refuse_host([src])
    return _arrays.copyto(dst, src, *args, **kwargs)


@of_ours
def repeat(a, repeats, axis=None):
    """See :func:`quern.repeat`. How often is an int, a list, or an array of CuPy's, which this waits for."""
    if isinstance(repeats, numpy.ndarray):
        raise TypeError("repeats cannot be a numpy.ndarray; make an array of it with cupy.asarray()")
    if isinstance(repeats, ndarray) and repeats.dtype == numpy.uint64:
        raise TypeError("Cannot cast repeats from uint64 to int64 according to the rule 'safe'; convert them with astype()")
    return _arrays.repeat(a, repeats, axis)


@of_ours
def select(condlist, choicelist, default=0):
    """See :func:`quern.select`. Choices are CuPy's arrays, and the default is a number."""
    if not numpy.isscalar(default):
        raise TypeError(f"default only accepts scalar values, not {type(default).__name__}")
    for one in choicelist if len(condlist) == len(choicelist) else ():
        if not isinstance(one, ndarray):
            raise TypeError(f"choicelist only accepts lists of cupy ndarrays, not {type(one).__name__}; see cupy.asarray()")
    return _arrays.select(condlist, choicelist, default)
