"""The standard's data types and what is asked of them."""

import dataclasses

import numpy

from quern import arrays as ours

__all__ = """astype bool can_cast complex128 complex64 finfo float32 float64 iinfo int16 int32 int64 int8 isdtype result_type uint16 uint32
uint64 uint8""".split()


bool = ours.bool_
int8, int16, int32, int64 = ours.int8, ours.int16, ours.int32, ours.int64
uint8, uint16, uint32, uint64 = ours.uint8, ours.uint16, ours.uint32, ours.uint64
float32, float64, complex64, complex128 = ours.float32, ours.float64, ours.complex64, ours.complex128


@dataclasses.dataclass(frozen=True)
class finfo_object:  # noqa: N801
    """Limits of a type of reals, as Python's numbers."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: numpy.dtype


@dataclasses.dataclass(frozen=True)
class iinfo_object:  # noqa: N801
    """Limits of a type of integers."""

    bits: int
    max: int
    min: int
    dtype: numpy.dtype


def _type_of(given):
    return given.dtype if hasattr(given, "dtype") and not isinstance(given, type) else numpy.dtype(given)


def astype(x, dtype, /, *, copy=True, device=None):
    """``x`` in another type, and on another ``device``. ``copy``: False gives ``x`` itself where nothing changes."""
    return ours.astype(x, dtype, copy=copy, device=device)


def can_cast(from_, to, /):
    """Does the type rules' promotion allow to cast ``from_`` (a type or an array) to the type ``to``?"""
    return ours.can_cast(_type_of(from_), to)


def finfo(type, /):
    """Limits of a type of reals or complex numbers (their parts), or of an array's."""
    dtype = _type_of(type)
    limits = numpy.finfo(dtype)
    numbers = (float(limits.eps), float(limits.max), float(limits.min), float(limits.smallest_normal))
    return finfo_object(limits.bits, *numbers, limits.dtype)


def iinfo(type, /):
    """Limits of a type of integers, or of an array's."""
    limits = numpy.iinfo(_type_of(type))
    return iinfo_object(limits.bits, int(limits.max), int(limits.min), limits.dtype)


def isdtype(dtype, kind):
    """Is ``dtype`` of a ``kind``: a type, a name as "real floating", or a tuple of these?"""
    return numpy.isdtype(dtype, kind)


def result_type(*arrays_and_dtypes):
    """The type that arrays, types and Python's numbers promote to. Raises ValueError where none of them is an array or a type."""
    if all(isinstance(one, (int, float, complex)) for one in arrays_and_dtypes):
        raise ValueError("[result_type] at least one array or dtype is required")
    return ours.result_type(*arrays_and_dtypes)
