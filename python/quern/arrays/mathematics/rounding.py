"""Numbers made rounder or safer, and taken apart: decimals, whole and broken parts, angles."""

import math

from quern.arrays.core import asarray
from quern.arrays.data_types import _kind
from quern.arrays.mathematics import (
    arctan2,
    trunc,
)


def fix(x, out=None):
    """Elements rounded towards zero.

    >>> fix([1.7, -1.7])
    array([ 1., -1.])
    """
    return trunc(x, out=out)


def angle(z, deg=False):
    """The angle of complex numbers in the plane, in radians, or degrees if ``deg``.

    >>> angle([1j, -1])
    array([1.57079633, 3.14159265])
    """
    z = asarray(z)
    out = arctan2(z.imag, z.real) if _kind(z) == "c" else arctan2(0, z)
    return out * (180 / math.pi) if deg else out
