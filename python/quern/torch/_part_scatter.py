"""Copies of tensors with a part replaced: select_scatter, slice_scatter, diagonal_scatter."""

from quern.torch._arguments import checked
from quern.torch._core import add_methods, finish
from quern.torch._dimensions import dim_of


@checked(tensors="src", free="index")
def select_scatter(input, src, dim, index):
    """Return a copy of `input` with `src` at one index of a dimension.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    src : Tensor
        Shape of `input` without `dim`.
    dim : int
        Dimension in which the index selects.
    index : int
        Index; a negative one counts from the end.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.select_scatter(torch.zeros(2, 3), torch.ones(2), 1, 0)
    tensor([[1., 0., 0.],
            [1., 0., 0.]])
    """
    made = input.clone()
    _write_part(made.select(dim, index), src)
    return made


@checked(tensors="src", free="end", same_out=True)
def slice_scatter(input, src, dim=0, start=None, end=None, step=1, *, out=None):
    """Return a copy of `input` with `src` in a slice of a dimension.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    src : Tensor
        Values, in the shape of the slice.
    dim : int, optional
        Dimension that is sliced.
    start : int, optional
        First index of the slice.
    end : int, optional
        End of the slice, excluded.
    step : int, optional
        Distance of the indices.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Raises
    ------
    RuntimeError
        For a `src` of another shape than the slice.

    Examples
    --------
    >>> from quern import torch
    >>> torch.slice_scatter(torch.zeros(5), torch.ones(2), 0, 1, 5, 2)
    tensor([0., 1., 0., 1., 0.])
    """
    made = input.clone()
    _write_part(made[(slice(None),) * dim_of(dim, input._rank) + (slice(start, end, step),)], src)
    return finish(made, out)


def _write_part(part, src):
    if part._shape != src._shape:
        sizes = f"src size = {list(src._shape)}, slice size = {list(part._shape)}"
        raise RuntimeError(f"expected src to have a size equal to the slice of self. {sizes}")
    part.copy_(src)


@checked(tensors="src")
def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    """Return a copy of `input` with `src` on a diagonal.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    src : Tensor
        Values, in the shape of the diagonal.
    offset : int, optional
        Number of the diagonal: 0 is the main one, positive ones are above it.
    dim1 : int, optional
        First dimension of the matrices.
    dim2 : int, optional
        Second dimension of the matrices.

    Returns
    -------
    Tensor
        Shape and dtype of `input`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.diagonal_scatter(torch.zeros(2, 2), torch.ones(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    made = input.clone()
    _write_part(made.diagonal(offset, dim1, dim2), src)
    return made


METHODS = "select_scatter slice_scatter diagonal_scatter"
__all__ = METHODS.split()
add_methods(__name__, METHODS)
