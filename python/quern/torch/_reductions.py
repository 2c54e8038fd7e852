"""What takes dimensions away, runs along them, or sorts them."""

import math

from quern.lib import _engine
from quern.torch import _linalg, _shaping, _types
from quern.torch._arguments import checked
from quern.torch._core import THROUGH_RESULTS, Tensor, add_methods, dim_of, finish
from quern.torch._faces import FACES

sum = FACES["sum"]  # noqa: A001




@checked
def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """The norm of all elements, or along dimensions: ``p`` is 2 ("fro"), another number, an infinity, or "nuc"."""
    if not (input.is_floating_point() or input.is_complex()):
        raise NotImplementedError(f"norm(): the input must be floating point or complex, not {_types.scalar_name(input.dtype)}")
    if p == "nuc":
        return finish(_linalg.matrix_norm(input, "nuc", dim or (-2, -1), keepdim), out)
    return finish(_linalg.vector_norm(input, 2 if p in ("fro", None) else p, dim, keepdim, dtype=dtype), out)


@checked
def dist(input, other, p=2):
    """The norm of the difference."""
    return norm(input - other, p)


# ---- along a dimension


@checked(same_out=True)
def logcumsumexp(input, dim, *, out=None):
    """``log`` of the running sums of ``exp``, without overflow."""
    if input.dtype._kind in "iub":
        raise NotImplementedError(f"\"logcumsumexp_out_cpu\" not implemented for '{_types.scalar_name(input.dtype)}'")
    dim = dim_of(dim, input._rank)
    if out is None and input._rank and input._size and input.requires_grad and not input.is_complex() and _engine.gradient_mode():
        return THROUGH_RESULTS["logcumsumexp"](input, dim)
    return finish(_log_sums(input, dim), out)


def _log_sums(x, dim):
    """Each step adds what stands 1, 2, 4 ... places before."""
    n = x._shape[dim] if x._rank else 0
    shape, step = list(x._shape), 1
    while step < n:
        shape[dim] = step
        before = _shaping.cat([x.new_full(shape, -math.inf), _shaping.narrow(x, dim, 0, n - step)], dim)
        x = FACES["logaddexp"](x, before)
        step *= 2
    return (x.clone() if step == 1 else x)._in_order("C")


METHODS = "norm dist logcumsumexp"
__all__ = METHODS.split()
_SAME_OUT = "logcumsumexp"
add_methods(__name__, METHODS)


def _in_place(name):
    function = FACES[name]

    def in_place(self, dim, *, dtype=None):
        return self._take_values(function(_engine.unhooked(self), dim, dtype=self.dtype if dtype is None else dtype), name)

    in_place.__name__ = name + "_"
    in_place.__doc__ = f"As :meth:`{name}`, written into this tensor, which is returned."
    return in_place


Tensor.cumsum_, Tensor.cumprod_ = _in_place("cumsum"), _in_place("cumprod")
