"""Copies of views, such as view_copy(), and functions of in-place methods, such as fill_()."""

import inspect

from quern.arrays.derived_docstrings import copying, in_place, of_method
from quern.arrays.public_names import settle
from quern.torch import (
    _copies_and_queries,  # noqa: F401  # defines methods of Tensor
    _creation,
    _shaping,
)
from quern.torch._arguments import checked
from quern.torch._core import Tensor, add_methods, finish, finish_same
from quern.torch._faces import FACES
from quern.torch._layouts import in_rows

# ---- copies of views


def _copying(name):
    view = FACES.get(name) or next((getattr(m, name) for m in (_shaping, _creation) if hasattr(m, name)), None) or getattr(Tensor, name)

    def function(*args, out=None, **kwargs):
        if "input" in kwargs:
            args = (kwargs.pop("input"), *args)
        made = view(*args, **kwargs)
        if isinstance(made, Tensor):
            return finish_same(in_rows(made), out)
        if out is not None:
            for one, part in zip(out, made, strict=True):
                finish(part, one)
            return None
        return tuple(map(in_rows, made))

    function.__name__ = name + "_copy"
    reference = f":meth:`Tensor.{name}`" if name in ("expand", "unfold", "view") else f":func:`torch.{name}`"
    function.__doc__ = copying(view.__doc__, f"torch.{name}_copy", reference, _COPYING_EXAMPLES.get(name))
    function.__signature__ = _named_input(inspect.signature(view), inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None))
    return function


def _named_input(signature, *added):
    """The signature of a function or method with `input` as its first parameter, without `out`, and with other parameters at the end."""
    first, *rest = (one for one in signature.parameters.values() if one.name != "out")
    return signature.replace(parameters=[first.replace(name="input"), *rest, *added])


_IMPORT = ">>> from quern import torch\n"
# Examples of copies of views whose own examples call another function, or pass sizes one by one.
_COPYING_EXAMPLES = {
    "detach": _IMPORT + ">>> torch.detach_copy(torch.ones(2, requires_grad=True)).requires_grad\nFalse",
    "expand": _IMPORT + ">>> torch.expand_copy(torch.tensor([[1], [2]]), (2, 3))\ntensor([[1, 1, 1],\n        [2, 2, 2]])",
    "split_with_sizes": _IMPORT + ">>> torch.split_with_sizes_copy(torch.arange(3), [1, 2])\n(tensor([0]), tensor([1, 2]))",
    "view": _IMPORT + ">>> torch.view_copy(torch.arange(4), (2, 2))\ntensor([[0, 1],\n        [2, 3]])",
}


_COPIES = """as_strided detach diagonal expand narrow permute select split split_with_sizes squeeze t transpose unbind unfold unsqueeze view
view_as_real view_as_complex""".split()
as_strided_copy = _copying("as_strided")
detach_copy = _copying("detach")
diagonal_copy = _copying("diagonal")
expand_copy = _copying("expand")
narrow_copy = _copying("narrow")
permute_copy = _copying("permute")
select_copy = _copying("select")
split_copy = _copying("split")
split_with_sizes_copy = _copying("split_with_sizes")
squeeze_copy = _copying("squeeze")
t_copy = _copying("t")
transpose_copy = _copying("transpose")
unbind_copy = _copying("unbind")
unfold_copy = _copying("unfold")
unsqueeze_copy = _copying("unsqueeze")
view_copy = _copying("view")
view_as_real_copy = _copying("view_as_real")
view_as_complex_copy = _copying("view_as_complex")


# In-place functions such as torch.exp_(x).
_IN_PLACE = """as_strided_ conj_physical_ detach_ fill_ i0_ ldexp_ resize_as_ xlogy_ zero_""".split()


def _of_method(name):
    method = getattr(Tensor, name)

    def function(input, *args, **kwargs):
        if not isinstance(input, Tensor):
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
        return method(input, *args, **kwargs)

    function.__name__ = name
    if name in ("fill_", "resize_as_", "zero_"):
        function.__signature__ = _named_input(inspect.signature(method))
        function.__doc__ = of_method(method.__doc__, f"torch.{name}")
    else:
        plain = getattr(Tensor, name[:-1])
        function.__signature__ = _named_input(inspect.signature(plain))
        error = {"error": "For a leaf that requires gradients"} if name == "as_strided_" else {}
        function.__doc__ = in_place(plain.__doc__, f"torch.{name}", f"torch.{name[:-1]}", **error)
    return function


as_strided_ = _of_method("as_strided_")
conj_physical_ = _of_method("conj_physical_")


@checked
def detach_(input):
    """Remove the history of a tensor in place; the gradient of a leaf stays.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype, which is no view.

    Returns
    -------
    Tensor
        `input`.

    Raises
    ------
    RuntimeError
        For a view.

    Examples
    --------
    >>> from quern import torch
    >>> torch.detach_(torch.ones(2, requires_grad=True).exp()).requires_grad
    False
    """
    return input.detach_()


fill_ = _of_method("fill_")
i0_ = _of_method("i0_")
ldexp_ = _of_method("ldexp_")
resize_as_ = _of_method("resize_as_")
xlogy_ = _of_method("xlogy_")
zero_ = _of_method("zero_")
__all__ = [*(name + "_copy" for name in _COPIES), *_IN_PLACE]
add_methods(__name__, "narrow_copy")
settle(__name__)
