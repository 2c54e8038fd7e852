"""Rounding towards zero."""

from quern.arrays.mathematics import trunc


def fix(x, out=None):
    """Return the elements rounded towards zero.

    Parameters
    ----------
    x : array_like
        Input array.
    out : Array, optional
        Array that receives the result; it must have the result's shape.

    Returns
    -------
    Array
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> qn.fix([1.7, -1.7])
    array([ 1., -1.])
    """
    return trunc(x, out=out)
