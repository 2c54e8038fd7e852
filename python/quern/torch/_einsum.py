"""einsum() of tensors: operands are brought to products of stacks of matrices, two at a time from the left."""

import math

from quern.lib import _engine
from quern.torch._core import _op
from quern.torch._faces import FACES

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _subscripts(text, rank, dots, place):
    """The subscripts of one operand, a letter each; those of an ellipsis are numbers, counted from the end."""
    if "..." in text:
        before, after = text.split("...", 1)
        count = rank - len(before) - len(after)
        if count < 0:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation is more than the number of dimensions for operand {place}"
            )
        out = [*before, *range(count - 1, -1, -1), *after]
        dots.append(count)
    else:
        out = list(text)
        if len(out) != rank:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({len(out)}) does not match the number of dimensions ({rank}) for "
                f"operand {place}, and no ellipsis was given"
            )
    for one in out:
        if isinstance(one, str) and one not in _LETTERS:
            raise RuntimeError(
                f"einsum(): invalid subscript given at index in the equation string, subscripts must be in [a-zA-Z]: {one!r}"
            )
    return out


def _read(equation, operands):
    """Subscripts of each operand and of the result."""
    equation = equation.replace(" ", "")
    left, arrow, right = equation.partition("->")
    texts, dots = left.split(","), []
    if len(texts) != len(operands):
        raise RuntimeError(f"einsum(): {len(texts)} lists of subscripts for {len(operands)} operands")
    given = [_subscripts(t, x._rank, dots, n) for n, (t, x) in enumerate(zip(texts, operands, strict=True))]
    every = [one for subscripts in given for one in subscripts]
    most = max(dots, default=0)
    if arrow:
        if right.count("...") > 1:
            raise RuntimeError("einsum(): the output has more than one ellipsis")
        before, dotted, after = right.partition("...")
        result = [*before, *(range(most - 1, -1, -1) if dotted else ()), *after]
        for one in result:
            if result.count(one) > 1:
                raise RuntimeError(f"einsum(): output subscript {one} appears more than once in the output")
            if one not in every:
                raise RuntimeError(f"einsum(): output subscript {one} does not appear in the equation for any input operand")
    else:
        once = sorted({one for one in every if isinstance(one, str) and every.count(one) == 1})
        result = [*range(most - 1, -1, -1), *once]
    return given, result


def _prepared(x, subscripts, keep):
    """An operand in which each subscript occurs once, without those that nobody needs."""
    while True:
        twice = next((one for one in subscripts if subscripts.count(one) > 1), None)
        if twice is None:
            break
        first = subscripts.index(twice)
        second = subscripts.index(twice, first + 1)
        if x._shape[first] != x._shape[second]:
            raise RuntimeError(
                f"einsum(): subscript {twice} is repeated for an operand but the sizes don't match, {x._shape[first]} != {x._shape[second]}"
            )
        x = _engine.array_diagonal(x, 0, first, second)
        subscripts = [one for n, one in enumerate(subscripts) if n not in (first, second)] + [twice]
    gone = [n for n, one in enumerate(subscripts) if one not in keep]
    if gone:
        x = x.sum(gone)
        subscripts = [one for n, one in enumerate(subscripts) if n not in gone]
    return x, subscripts


def _ordered(x, subscripts, order, sizes):
    """The operand with the dimensions of ``order``; those that it has not are of one element."""
    have = [one for one in order if one in subscripts]
    x = x.permute([subscripts.index(one) for one in have])
    return x._reshaped([x._shape[have.index(one)] if one in have else 1 for one in order])


def _product(a, sub_a, b, sub_b, keep, sizes):
    """Two operands as one; what is not in ``keep`` is summed."""
    both = [one for one in sub_a if one in sub_b]
    summed = [one for one in both if one not in keep]
    stack = [one for one in both if one in keep]
    rows, columns = [one for one in sub_a if one not in both], [one for one in sub_b if one not in both]
    order = stack + rows + columns
    broadcast = [one for one in both if a._shape[sub_a.index(one)] != b._shape[sub_b.index(one)]]
    if not summed:
        made = _ordered(a, sub_a, order, sizes) * _ordered(b, sub_b, order, sizes)
        return made, order
    if broadcast:  # dimensions of one element beside longer ones
        made = _ordered(a, sub_a, order + summed, sizes) * _ordered(b, sub_b, order + summed, sizes)
        return made.sum(list(range(len(order), len(order) + len(summed)))), order
    a = a.permute([sub_a.index(one) for one in stack + rows + summed])
    b = b.permute([sub_b.index(one) for one in stack + summed + columns])
    size = lambda names: math.prod(sizes[one] for one in names)  # noqa: E731
    left = a.reshape([size(stack), math.prod(a._shape[len(stack) : len(stack) + len(rows)]), size(summed)])
    right = b.reshape([size(stack), size(summed), math.prod(b._shape[len(stack) + len(summed) :])])
    shape = [*a._shape[: len(stack) + len(rows)], *b._shape[len(stack) + len(summed) :]]
    return FACES["matmul"](left, right)._reshaped(shape), order


def einsum(equation, operands):
    """The sums of products that the equation names."""
    given, result = _read(equation, operands)
    sizes = {}
    for x, subscripts in zip(operands, given, strict=True):
        for one, n in zip(subscripts, x._shape, strict=True):
            if sizes.setdefault(one, n) != n and n != 1:
                if sizes[one] != 1:
                    raise RuntimeError(
                        f"einsum(): subscript {one} has size {n} for an operand which does not broadcast with previously seen size "
                        f"{sizes[one]}"
                    )
                sizes[one] = n
    later = [set(result).union(*given[n + 1 :]) for n in range(len(given))]
    made, subscripts = _prepared(operands[0], given[0], later[0])
    for n in range(1, len(operands)):
        x, own = _prepared(operands[n], given[n], later[n].union(subscripts))
        made, subscripts = _product(made, subscripts, x, own, later[n], sizes)
    made, subscripts = _prepared(made, subscripts, set(result))
    made = made.permute([subscripts.index(one) for one in result])
    return made if len(operands) > 1 or made is not operands[0] else _op("multiply", made, 1)
