"""Checks of dimensions and sizes, with the messages of PyTorch."""

import operator

from quern.errors import OutOfMemoryError


def dim_of(dim, ndim):
    """``dim`` counted from the front; IndexError where there is no such dimension."""
    try:
        dim = operator.index(dim)
    except TypeError:
        raise TypeError(f"dim must be an int, not {type(dim).__name__}") from None
    most = max(ndim, 1)
    if not -most <= dim < most:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-most}, {most - 1}], but got {dim})")
    return dim % most


def dims_of(dim, ndim):
    """Dimensions as a list, each once; None is all of them."""
    if dim is None:
        return list(range(ndim))
    dims = [dim_of(d, ndim) for d in (dim if isinstance(dim, (tuple, list)) else (dim,))]
    if len(set(dims)) != len(dims):
        repeated = next(d for d in dims if dims.count(d) > 1)
        raise RuntimeError(f"dim {repeated} appears multiple times in the list of dims")
    return dims


def sizes_of(sizes):
    """Sizes given one by one or as one sequence, as a list of ints."""
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = sizes[0]
    return [operator.index(n) for n in sizes]


def sizes_in(shape):
    """Sizes that memory can be asked for: RuntimeError for negative ones, OutOfMemoryError for more elements than can be counted."""
    count = 1
    for n in shape:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(shape)}")
        count *= n
    if count >= 1 << 46:
        raise OutOfMemoryError(f"[memory] out of memory: can't allocate memory for a tensor of size {list(shape)}; make it smaller")
    return list(shape)
