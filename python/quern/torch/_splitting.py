"""Tensors taken apart along a dimension: views."""

from quern.lib import _engine
from quern.torch import _shaping
from quern.torch._arguments import check_all, of_several
from quern.torch._core import Tensor, add_methods, dim_of, sizes_in


def unbind(input, dim=0):
    """A view of each element of a dimension, as a tuple."""
    dim = _shaping._axis(input, dim)
    lead = (slice(None),) * dim
    return tuple(input[(*lead, i)] for i in range(input._shape[dim]))


def split(input, split_size_or_sections=None, dim=0, *, split_size=None):
    """Views of parts along a dimension: of so many elements each, or of these sizes."""
    split_size_or_sections = _either("split", split_size_or_sections, split_size=split_size)
    dim = _shaping._axis(input, dim)
    n = input._shape[dim]
    if isinstance(split_size_or_sections, int):
        size = split_size_or_sections
        if size < 0 or size == 0 and n:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
        sizes = [min(size, n - start) for start in range(0, n, size)] if n and size else [0]
    else:
        sizes = _shaping._numbers(split_size_or_sections, "split")
        if any(size < 0 for size in sizes):
            raise RuntimeError(f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={sizes}")
        if sum(sizes) != n:
            raise RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at dimension {dim}), but got "
                f"split_sizes={sizes}"
            )
    parts, start = [], 0
    for size in sizes:
        parts.append(_shaping._cut(input, dim, start, start + size))
        start += size
    return tuple(parts)


def split_with_sizes(input, split_sizes, dim=0):
    """Views of parts of these sizes along a dimension."""
    return split(input, list(_shaping._numbers(split_sizes, "split_with_sizes")), dim)


def _either(name, given, **others):
    """The one argument that is given, under either name."""
    for value in others.values():
        given = value if given is None else given
    if given is None:
        raise TypeError(f"{name}() missing 1 required positional arguments: \"{next(iter(others))}\"")
    return given


def chunk(input, chunks, dim=0):
    """Views of at most so many parts along a dimension."""
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    n = input._shape[_shaping._axis(input, dim)]
    return split(input, max(-(-n // chunks), 1), dim) if n else split(input, [0] * chunks, dim)


def tensor_split(input, indices_or_sections=None, dim=0, *, indices=None, sections=None, tensor_indices_or_sections=None):
    """Views of parts along a dimension: so many as equal as can be, or between cuts."""
    indices_or_sections = _either(
        "tensor_split", indices_or_sections, indices=indices, sections=sections, tensor=tensor_indices_or_sections
    )
    if input._rank == 0:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    dim = dim_of(dim, input._rank)
    if isinstance(indices_or_sections, Tensor):
        if indices_or_sections._dtype_name != "int64" or indices_or_sections._rank > 1:
            raise RuntimeError("tensor_split expected tensor_indices_or_sections to be a long tensor of 0 or 1 dimensions")
        indices_or_sections = indices_or_sections.tolist()
    if isinstance(indices_or_sections, int):
        if indices_or_sections <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {indices_or_sections}")
        sizes_in([indices_or_sections, 1 << 20])
        return tuple(_engine.array_parts(input, indices_or_sections, dim, False))
    cuts = [0, *_shaping._numbers(indices_or_sections, "tensor_split"), input._shape[dim]]
    return tuple(_engine.array_parts_between(input, dim, cuts))


def hsplit(input, indices_or_sections=None, *, indices=None, sections=None):
    """Parts along the second dimension, or the only one."""
    if input._rank == 0:
        raise RuntimeError("torch.hsplit requires a tensor with at least 1 dimension, but got a tensor with 0 dimensions!")
    return tensor_split(input, _either("hsplit", indices_or_sections, indices=indices, sections=sections), 0 if input._rank == 1 else 1)


def vsplit(input, indices_or_sections=None, *, indices=None, sections=None):
    """Parts along the first dimension."""
    if input._rank < 2:
        raise RuntimeError(f"torch.vsplit requires a tensor with at least 2 dimension, but got a tensor with {input._rank} dimensions!")
    return tensor_split(input, _either("vsplit", indices_or_sections, indices=indices, sections=sections), 0)


def dsplit(input, indices_or_sections=None, *, indices=None, sections=None):
    """Parts along the third dimension."""
    if input._rank < 3:
        raise RuntimeError(f"torch.dsplit requires a tensor with at least 3 dimension, but got a tensor with {input._rank} dimensions!")
    return tensor_split(input, _either("dsplit", indices_or_sections, indices=indices, sections=sections), 2)


METHODS = "unbind split split_with_sizes chunk tensor_split hsplit vsplit dsplit"
NAMES = METHODS.split()
check_all(globals(), NAMES)
add_methods(globals(), METHODS)
Tensor.hsplit, Tensor.vsplit, Tensor.dsplit = of_several(hsplit), of_several(vsplit), of_several(dsplit)
