"""Numbers made rounder or safer, and taken apart: decimals, whole and broken parts, angles."""

import math

import numpy

from quern.arrays.core import _check_cast, _is_out, asarray
from quern.arrays.data_types import _kind
from quern.arrays.logic import isneginf, isposinf
from quern.arrays.mathematics import (
    arctan2,
    isnan,
    sin,
    trunc,
    where,
)
from quern.lib import _engine


def _result(value, out):
    if not _is_out(out):
        return value
    if not numpy.can_cast(value.dtype, out.dtype, "same_kind"):
        raise TypeError(f"Cannot cast output from {value.dtype!r} to {out.dtype!r} with casting rule 'same_kind'")
    if numpy.broadcast_shapes(value.shape, out.shape) != out.shape:
        raise ValueError(f"non-broadcastable output operand with shape {out.shape} doesn't match the broadcast shape {value.shape}")
    out[...] = value
    return out


def around(a, decimals=0, out=None):
    """Elements rounded to so many decimals (negative: to tens, hundreds), halves to even. Integers stay integers.

    Raises TypeError or ValueError for an ``out`` that cannot take the result.

    >>> around([1.25, 2.5, -0.04], 1)
    array([ 1.2,  2.5, -0. ])
    """
    return _result(_engine.array_rounded(asarray(a), decimals), out)


round = around


def fix(x, out=None):
    """Elements rounded towards zero.

    >>> fix([1.7, -1.7])
    array([ 1., -1.])
    """
    return trunc(x, out=out)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Numbers in place of NaN and infinities: ``nan``, and the largest and smallest of the type unless given.

    ``copy``: False to write them into the array itself. Returns an array of the same type; integers as they are.

    >>> nan_to_num([nan, 1.0], nan=-1.0)
    array([-1.,  1.])
    """
    a = asarray(x)
    if _kind(a) not in "fc":
        return a.copy("K") if copy else a
    limits = numpy.finfo(a.dtype)
    high = float(limits.max) if posinf is None else posinf
    low = float(limits.min) if neginf is None else neginf

    def plain(part):
        result = where(isnan(part), nan, where(isposinf(part), high, where(isneginf(part), low, part)))
        if result.shape != part.shape:
            raise ValueError(f"could not broadcast input array from shape {result.shape} into shape {part.shape}")
        _check_cast(result.dtype, part.dtype, "same_kind")
        return result.astype(part.dtype, copy=False)

    if _kind(a) == "f":
        if copy:
            return plain(a)
        a[...] = plain(a)
        return a
    out = a.copy("K") if copy else a
    out.real[...] = plain(a.real)
    out.imag[...] = plain(a.imag)
    return out


def angle(z, deg=False):
    """The angle of complex numbers in the plane, in radians, or degrees if ``deg``.

    >>> angle([1j, -1])
    array([1.57079633, 3.14159265])
    """
    z = asarray(z)
    out = arctan2(z.imag, z.real) if _kind(z) == "c" else arctan2(0, z)
    return out * (180 / math.pi) if deg else out


def sinc(x):
    """sin(pi x) / (pi x), and 1 at 0.

    >>> sinc([0.0, 1.0])
    array([1.00000000e+00, 3.89817183e-17])
    """
    x = asarray(x) * math.pi
    tiny = float(numpy.finfo(x.dtype).eps) if x.dtype.kind == "f" else 1e-20
    y = where(x, x, tiny)
    return sin(y) / y
