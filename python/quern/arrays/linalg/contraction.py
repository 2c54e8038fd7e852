"""Einstein's sums: subscripts are read, and operands contracted two at a time as matrix products, or as products and sums."""

import string

import numpy

from quern.arrays.core import Array, _ordered, asarray
from quern.lib import _engine


def _label(n):
    if not 0 <= n < 52:
        raise ValueError("subscript is not within the valid range [0, 52)")
    return string.ascii_letters[n]


def _text_of(subscripts):
    return "".join("..." if s is Ellipsis else _label(s) for s in subscripts)


def _read(operands):
    """The subscripts as text, and the operands as arrays."""
    if not operands:
        raise ValueError("must specify the einstein sum subscripts string and at least one operand")
    if isinstance(operands[0], str):
        return operands[0], [asarray(a) for a in operands[1:]]
    pairs = len(operands) // 2
    text = ",".join(_text_of(s) for s in operands[1 : 2 * pairs : 2])
    if len(operands) % 2:
        text += "->" + _text_of(operands[-1])
    return text, [asarray(a) for a in operands[: 2 * pairs : 2]]


def _order(operands, arrays, optimize):
    """Which operands are contracted, step by step: NumPy's path, or from left to right."""
    count = len(arrays)
    if count < 3 or optimize is False:
        return []
    path = numpy.einsum_path(*_without_values(operands), optimize=optimize)[0][1:]
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


def _sums_nothing(text):
    """Has the result every subscript of the only operand?"""
    given, arrow, kept = text.replace(" ", "").partition("->")
    return set(given) <= set(kept) if arrow else all(given.count(s) == 1 for s in given if s != ".")


def einsum(*operands, out=None, optimize=False, dtype=None, order="K", casting="safe"):
    """Einstein's summation: products of elements of the operands, summed over the subscripts that the result has not.

    Parameters: ``einsum("ij,jk->ik", a, b)``, or ``einsum(a, [0, 1], b, [1, 2], [0, 2])``; "..." stands for further axes; without
    "->" the result has the subscripts that occur once, in order. ``optimize``: as NumPy takes it, the order of the operands; by
    default from left to right. ``dtype``, ``casting``: what is computed in; ``out``: an array that takes the result.
    Raises ValueError for subscripts that do not fit the operands, TypeError for a ``dtype`` they are not cast to.

    >>> einsum("ii", [[1, 2], [3, 4]])
    array(5)
    """
    text, arrays = _read(operands)
    if not arrays:
        raise ValueError("must specify the einstein sum subscripts string and at least one operand, or at least one operand and its list")
    if len(arrays) == 1 and out is None and _sums_nothing(text):
        return _engine.array_einsum(text, arrays, arrays[0]._dtype_name, [])  # a view, whatever the type, as NumPy has it
    common = numpy.result_type(*[a.dtype for a in arrays]) if dtype is None else numpy.dtype(dtype)
    for a in arrays:
        if not numpy.can_cast(a.dtype, common, casting):
            raise TypeError(f"Iterator operand required copying or buffering, but {a.dtype} does not cast to {common} by '{casting}'")
    value = _engine.array_einsum(text, arrays, common.name, _order(operands, arrays, optimize))
    if out is None:
        return value if order in ("K", "k", "A", "a") or not isinstance(value, Array) else _ordered(value, order)
    out[...] = value
    return out


def einsum_path(*operands, optimize="greedy", einsum_call=False):
    """The order in which :func:`einsum` contracts its operands: NumPy's answer, from their shapes and types alone."""
    return numpy.einsum_path(*_without_values(operands), optimize=optimize, einsum_call=einsum_call)
