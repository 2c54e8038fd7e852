"""Rounding towards zero."""

from quern.arrays.mathematics import trunc


def fix(x, out=None):
    """Elements rounded towards zero.

    >>> fix([1.7, -1.7])
    array([ 1., -1.])
    """
    return trunc(x, out=out)
