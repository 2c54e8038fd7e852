"""The order in which Einstein's sums contract their operands, which NumPy finds from their shapes."""

import numpy

from quern.arrays.core import Array, asarray


def steps_of(subscripts, operands, optimize):
    """The contractions of einsum(), two operands at a time, as NumPy's path has them."""
    count = len(operands)
    path = numpy.einsum_path(*_without_values([subscripts, *operands]), optimize=optimize)[0][1:]
    steps = []
    for step in path:  # more than two at a time become several steps
        step = sorted(step)
        left = len(step)
        if left < 2:
            continue
        steps.append((step[0], step[1]))
        count -= 1
        for done, place in enumerate(step[2:], 2):
            steps.append((place - done, count - 1))
            count -= 1
    return steps


def _without_values(operands):
    def empty(a):
        return numpy.broadcast_to(numpy.empty((), a.dtype), a.shape)

    if isinstance(operands[0], str):
        return [operands[0], *(empty(asarray(a)) for a in operands[1:])]
    return [a if n % 2 or (n == len(operands) - 1 and len(operands) % 2) else empty(asarray(a)) for n, a in enumerate(operands)]


def einsum_path(*operands, optimize="greedy", einsum_call=False):
    """Return the order in which :func:`einsum` contracts its operands: NumPy's answer, from their shapes and dtypes alone.

    Parameters
    ----------
    *operands : sequence of array_like, optional
        Input arrays.
    optimize : bool or str, optional
        Order of the contractions.
    einsum_call : bool, optional
        Whether to return the contractions, too.

    Returns
    -------
    Array
        The result, as described above.

    Examples
    --------
    >>> import quern as qn
    >>> path, report = qn.einsum_path('ij,jk,kl->il', qn.ones((2, 3)), qn.ones((3, 4)), qn.ones((4, 5)))
    >>> path[0]
    'einsum_path'
    """
    if not operands:
        raise ValueError("No input operands")
    places = operands[1::2] if len(operands) % 2 == 0 else (*operands[1::2], operands[-1])
    if not isinstance(operands[0], str) and any(isinstance(of, Array) for of in places):
        raise TypeError("the places of an operand's axes are a list of integers, not an array; or begin with the subscripts as text")
    return numpy.einsum_path(*_without_values(operands), optimize=optimize, einsum_call=einsum_call)
