"""Einstein's sums: subscripts are read, and operands contracted two at a time as matrix products, or as products and sums."""

import math
import string

import numpy

from quern.arrays.core import Array, asarray
from quern.arrays.elementwise import logical_and, multiply
from quern.arrays.reductions import any as _any
from quern.arrays.reductions import sum as _sum
from quern.lib import _engine


def _label(n):
    if not 0 <= n < 52:
        raise ValueError("subscript is not within the valid range [0, 52)")
    return string.ascii_letters[n]


def _text_of(subscripts):
    return "".join("..." if s is Ellipsis else _label(s) for s in subscripts)


def _read(operands):
    """The operands, the labels of each, and those of the result; what an ellipsis stands for has labels that are numbers."""
    if not operands:
        raise ValueError("must specify the einstein sum subscripts string and at least one operand")
    if isinstance(operands[0], str):
        text, arrays = operands[0].replace(" ", ""), list(operands[1:])
    else:
        pairs = len(operands) // 2
        arrays = list(operands[: 2 * pairs : 2])
        text = ",".join(_text_of(s) for s in operands[1 : 2 * pairs : 2])
        if len(operands) % 2:
            text += "->" + _text_of(operands[-1])
    arrays = [asarray(a) for a in arrays]
    if ("-" in text or ">" in text) and text.count("->") != 1:
        raise ValueError("einstein sum subscript string contains '->' more than once, or a part of it")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(arrays):
        which = "more" if len(arrays) > len(terms) else "fewer"
        raise ValueError(f"{which} operands provided to einstein sum function than specified in the subscripts string")
    for letter in (left + right).replace("...", "").replace(",", ""):
        if letter not in string.ascii_letters:
            raise ValueError(f"invalid subscript '{letter}' in einstein sum subscripts string, subscripts must be letters")
    labels, widest = [], 0
    for term, a in zip(terms, arrays, strict=True):
        before, dots, after = term.partition("...")
        extra = a.ndim - len(before) - len(after)
        if extra < 0 or (extra and not dots):
            why = "too many subscripts for operand" if extra < 0 else "too few subscripts for an operand, and no '...' for its other axes"
            raise ValueError(f"einstein sum subscripts string contains {why}")
        widest = max(widest, extra)
        labels.append([*before, *range(-extra, 0), *after])
    every = [x for term in labels for x in term]
    if arrow:
        before, dots, after = right.partition("...")
        result = [*before, *(range(-widest, 0) if dots else ()), *after]
        if not dots and widest:
            raise ValueError("output had too few broadcast dimensions")
    else:
        once = sorted({x for x in every if isinstance(x, str) and every.count(x) == 1})
        result = [*range(-widest, 0), *once]
    for x in result:
        if result.count(x) > 1:
            raise ValueError(f"einstein sum subscripts string includes output subscript '{x}' multiple times")
        if x not in every:
            raise ValueError(f"einstein sum subscripts string included output subscript '{x}' which never appeared in an input")
    return arrays, labels, result


def _sizes(arrays, labels):
    sizes = {}
    for a, term in zip(arrays, labels, strict=True):
        for x, size in zip(term, a.shape, strict=True):
            if sizes.setdefault(x, size) not in (1, size) and size != 1:
                raise ValueError(f"operands could not be broadcast together with remapped shapes: {sizes[x]} and {size} for '{x}'")
            if sizes[x] == 1:
                sizes[x] = size
    return sizes


def _diagonals(a, term, sizes):
    """Each label once, and its whole size: a view."""
    steps = [0 if n == 1 else stride // a.itemsize for n, stride in zip(a.shape, a.strides, strict=True)]
    if len(set(term)) == len(term) and all(n == sizes[x] for n, x in zip(a.shape, term, strict=True)):
        return a, list(term)
    own = list(dict.fromkeys(term))
    step = [sum(s for s, x in zip(steps, term, strict=True) if x == y) for y in own]
    # What is 1 here and more elsewhere is left as it is; products broadcast it.
    size = [max(n for n, x in zip(a.shape, term, strict=True) if x == y) for y in own]
    return a._view(size, step), own


def _summed(a, term, keep):
    gone = tuple(n for n, x in enumerate(term) if x not in keep)
    if not gone:
        return a, term
    a = _any(a, gone) if a._dtype_name == "bool" else _sum(a, gone, a._dtype_name)
    return a, [x for x in term if x in keep]


def _ordered(a, term, wanted, sizes=None):
    """The axes in the order of ``wanted``; labels that are not there become axes of one element, or of the size given."""
    there = [x for x in wanted if x in term]
    a = a._transposed([term.index(x) for x in there])
    shape = [a.shape[there.index(x)] if x in there else 1 for x in wanted]
    if len(there) != len(wanted):
        a = a[tuple(slice(None) if x in there else None for x in wanted)]
    if sizes is None or all(n == sizes[x] for n, x in zip(shape, wanted, strict=True)):
        return a
    from quern.arrays.shapes import broadcast_to

    return broadcast_to(a, [sizes[x] for x in wanted])


def _pair(a, first, b, second, keep):
    """Two operands become one; ``keep``: the labels that are still needed."""
    a, first = _summed(a, first, set(second) | keep)
    b, second = _summed(b, second, set(first) | keep)
    sizes = {}
    for array, term in ((a, first), (b, second)):
        for x, size in zip(term, array.shape, strict=True):
            sizes[x] = size if sizes.get(x, 1) == 1 else sizes[x]
    shared = [x for x in first if x in second]
    inner = [x for x in shared if x not in keep]
    outer = [x for x in shared if x in keep]
    rows = [x for x in first if x not in second]
    columns = [x for x in second if x not in first]
    if not inner:
        every = outer + rows + columns
        left, right = _ordered(a, first, every), _ordered(b, second, every)
        return (logical_and if a._dtype_name == "bool" else multiply)(left, right), every
    count = {name: math.prod(sizes[x] for x in labels) for name, labels in (("m", rows), ("k", inner), ("n", columns))}
    stack = [sizes[x] for x in outer]
    left = _ordered(a, first, outer + rows + inner, sizes)._reshaped([*stack, count["m"], count["k"]])
    right = _ordered(b, second, outer + inner + columns, sizes)._reshaped([*stack, count["k"], count["n"]])
    out = _engine.array_matmul(left, right)
    return out._reshaped(stack + [sizes[x] for x in rows + columns]), outer + rows + columns


def _order(operands, arrays, optimize):
    """Which operands are contracted, step by step: NumPy's path, or from left to right."""
    count = len(arrays)
    if count < 3 or optimize is False:
        return [(0, 1)] * (count - 1)
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
    steps.extend([(0, 1)] * (count - 1))
    return steps


def _without_values(operands):
    def empty(a):
        return numpy.broadcast_to(numpy.empty((), a.dtype), a.shape)

    if isinstance(operands[0], str):
        return [operands[0], *(empty(asarray(a)) for a in operands[1:])]
    return [a if n % 2 or (n == len(operands) - 1 and len(operands) % 2) else empty(asarray(a)) for n, a in enumerate(operands)]


def einsum(*operands, out=None, optimize=False, dtype=None, order="K", casting="safe"):
    """Einstein's summation: products of elements of the operands, summed over the subscripts that the result has not.

    Parameters: ``einsum("ij,jk->ik", a, b)``, or ``einsum(a, [0, 1], b, [1, 2], [0, 2])``; "..." stands for further axes; without
    "->" the result has the subscripts that occur once, in order. ``optimize``: as NumPy takes it, the order of the operands; by
    default from left to right. ``dtype``, ``casting``: what is computed in; ``out``: an array that takes the result.
    Raises ValueError for subscripts that do not fit the operands, TypeError for a ``dtype`` they are not cast to.

    >>> einsum("ii", [[1, 2], [3, 4]])
    array(5)
    """
    arrays, labels, result = _read(operands)
    sizes = _sizes(arrays, labels)
    common = numpy.result_type(*[a.dtype for a in arrays]) if dtype is None else numpy.dtype(dtype)
    for a in arrays:
        if not numpy.can_cast(a.dtype, common, casting):
            raise TypeError(f"Iterator operand required copying or buffering, but {a.dtype} does not cast to {common} by '{casting}'")
    work = [_diagonals(a.astype(common, copy=False), term, sizes) for a, term in zip(arrays, labels, strict=True)]
    for i, j in _order(operands, arrays, optimize):
        b, second = work.pop(j)
        a, first = work.pop(i)
        keep = set(result).union(*(term for _, term in work))
        work.append(_pair(a, first, b, second, keep))
    value, term = _summed(*work[0], set(result))
    value = _ordered(value, term, result)
    if out is None:
        return value if order in ("K", "A") or not isinstance(value, Array) else value.copy(order) if order == "F" else value
    out[...] = value
    return out


def einsum_path(*operands, optimize="greedy", einsum_call=False):
    """The order in which :func:`einsum` contracts its operands: NumPy's answer, from their shapes and types alone."""
    return numpy.einsum_path(*_without_values(operands), optimize=optimize, einsum_call=einsum_call)
