"""What takes dimensions away, runs along them, or sorts them."""

from quern.lib import _engine
from quern.torch import _linalg, _types
from quern.torch._arguments import checked
from quern.torch._core import Tensor, add_methods, finish
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


METHODS = "norm dist"
__all__ = METHODS.split()
add_methods(__name__, METHODS)


def _in_place(name):
    function = FACES[name]

    def in_place(self, dim, *, dtype=None):
        return self._take_values(function(_engine.unhooked(self), dim, dtype=self.dtype if dtype is None else dtype), name)

    in_place.__name__ = name + "_"
    in_place.__doc__ = f"As :meth:`{name}`, written into this tensor, which is returned."
    return in_place


Tensor.cumsum_, Tensor.cumprod_ = _in_place("cumsum"), _in_place("cumprod")
