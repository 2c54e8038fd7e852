"""What takes dimensions away, runs along them, or sorts them."""

from quern.lib import _engine
from quern.torch import _linalg, _types
from quern.torch._arguments import checked
from quern.torch._core import Tensor, add_methods, finish
from quern.torch._faces import FACES

sum = FACES["sum"]  # noqa: A001




@checked
def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """Return the norm of all elements, or along dimensions.

    Parameters
    ----------
    input : Tensor
        Floating-point or complex numbers of any shape.
    p : int, float or str, optional
        Order: "fro" is 2, "nuc" is the nuclear norm of matrices.
    dim : int or tuple of ints, optional
        Dimensions that are reduced; None: all.
    keepdim : bool, optional
        Whether the reduced dimensions stay, with size 1.
    out : Tensor, optional
        Tensor that receives the result.
    dtype : dtype, optional
        Dtype of the computation.

    Returns
    -------
    Tensor
        Shape of the input without the reduced dimensions; real.

    Raises
    ------
    IndexError
        For a `dim` out of range.
    NotImplementedError
        For integers.
    RuntimeError
        For an unknown order, and for more than two dimensions of "fro" or "nuc".

    Examples
    --------
    >>> from quern import torch
    >>> torch.norm(torch.tensor([3.0, 4.0]))
    tensor(5.)
    """
    if not (input.is_floating_point() or input.is_complex()):
        raise NotImplementedError(f"norm(): the input must be floating point or complex, not {_types.scalar_name(input.dtype)}")
    has_many = isinstance(dim, (tuple, list)) and len(dim) > 2
    if isinstance(p, str) and (p != "fro" or has_many):  # matrix_norm() refuses other orders and dimensions
        return finish(_linalg.matrix_norm(input, p, tuple(range(input.ndim)) if dim is None else dim, keepdim, dtype=dtype), out)
    return finish(_linalg.vector_norm(input, 2 if p in ("fro", None) else p, dim, keepdim, dtype=dtype), out)


@checked
def dist(input, other, p=2):
    """Return the norm of the difference of two tensors.

    Parameters
    ----------
    input : Tensor
        Floating-point or complex numbers.
    other : Tensor
        Numbers that broadcast with the first.
    p : float, optional
        Order of the norm.

    Returns
    -------
    Tensor
        Tensor without dimensions.

    Raises
    ------
    RuntimeError
        For shapes that do not broadcast.

    Examples
    --------
    >>> from quern import torch
    >>> torch.dist(torch.tensor([3.0, 4.0]), torch.tensor([0.0, 0.0]))
    tensor(5.)
    """
    return norm(input - other, p)


METHODS = "norm dist"
__all__ = METHODS.split()
add_methods(__name__, METHODS)


def _in_place(name):
    function = FACES[name]

    def in_place(self, dim, *, dtype=None):
        return self._take_values(function(_engine.unhooked(self), dim, dtype=self.dtype if dtype is None else dtype), name)

    in_place.__name__ = name + "_"
    in_place.__doc__ = f"Compute :meth:`{name}` in place, with the same parameters; return the tensor."
    return in_place


Tensor.cumsum_, Tensor.cumprod_ = _in_place("cumsum"), _in_place("cumprod")
