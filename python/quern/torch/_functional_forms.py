"""PyTorch's functions under `torch` itself that `torch.nn.functional` has too, with other parameters: reductions are numbers, 1 mean,
2 sum, and by default none."""

from quern.arrays import derived_docstrings
from quern.torch import _creation, _reductions
from quern.torch.nn import functional

_REDUCTION = "int, optional\n    0 for none, 1 for the mean, 2 for the sum."
_IGNORED = "bool\n    Accepted for compatibility."
# Of each function: a call, and what it prints.
_EXAMPLES = {
    "binary_cross_entropy_with_logits": ("torch.zeros(1), torch.ones(1)", "tensor([0.6931])"),
    "cosine_embedding_loss": ("torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 0.0]]), torch.tensor([1])", "tensor([0.])"),
    "hinge_embedding_loss": ("torch.tensor([2.0]), torch.tensor([1.0])", "tensor([2.])"),
    "kl_div": ("torch.zeros(1), torch.ones(1)", "tensor([0.])"),
    "margin_ranking_loss": ("torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([1.0])", "tensor([2.])"),
    "poisson_nll_loss": ("torch.tensor([1.0]), torch.tensor([2.0]), False, False, 1e-8, 0", "tensor([1.])"),
    "triplet_margin_loss": ("torch.tensor([[0.0]]), torch.tensor([[1.0]]), torch.tensor([[3.0]])", "tensor([0.])"),
    "batch_norm": (
        "torch.ones(1, 1), None, None, torch.zeros(1), torch.ones(1), False, 0.1, 0.0, True",
        "tensor([[1.]])",
    ),
    "instance_norm": ("torch.ones(1, 1, 2), None, None, None, None, True, 0.1, 1e-5, True", "tensor([[[0., 0.]]])"),
}


def _documented(function):
    """A decorator: the docstring gets the sections of nn.functional's function of the same name, in the order of the parameters."""
    name = function.__name__
    plain = derived_docstrings.sections(getattr(functional, name).__doc__)
    entries = {
        one: f"{head.partition(' : ')[2]}\n{body.rstrip()}"
        for head, body in derived_docstrings._ENTRY.findall(plain["Parameters"] + "\n")
        for one in head.partition(" : ")[0].split(", ")
    }
    entries |= {"reduction": _REDUCTION, "cudnn_enabled": _IGNORED}
    code, (call, printed) = function.__code__, _EXAMPLES[name]
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    parts = {
        "": plain[""].partition("\n\n")[0] + f"\n\n{function.__doc__}",
        "Parameters": "".join(f"{one} : {entries[one]}\n" for one in parameters),
        "Returns": plain["Returns"],
        "Examples": f">>> from quern import torch\n>>> torch.{name}({call})\n{printed}",
    }
    function.__doc__ = derived_docstrings.joined(parts)
    return function


def _reduction(number):
    return {1: "mean", 2: "sum"}.get(number, "none")


@_documented
def binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction=0):
    """See :func:`nn.functional.binary_cross_entropy_with_logits`."""
    return functional.binary_cross_entropy_with_logits(input, target, weight, reduction=_reduction(reduction), pos_weight=pos_weight)


@_documented
def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction=0):
    """See :func:`nn.functional.cosine_embedding_loss`."""
    return functional.cosine_embedding_loss(input1, input2, target, margin, reduction=_reduction(reduction))


@_documented
def hinge_embedding_loss(input, target, margin=1.0, reduction=0):
    """See :func:`nn.functional.hinge_embedding_loss`."""
    return functional.hinge_embedding_loss(input, target, margin, reduction=_reduction(reduction))


@_documented
def kl_div(input, target, reduction=0, *, log_target=False):
    """See :func:`nn.functional.kl_div`; the mean is that over all elements."""
    loss = functional.kl_div(input, target, reduction="none", log_target=log_target)
    return functional._loss.reduced(loss, _reduction(reduction))


@_documented
def margin_ranking_loss(input1, input2, target, margin=0.0, reduction=0):
    """See :func:`nn.functional.margin_ranking_loss`."""
    return functional.margin_ranking_loss(input1, input2, target, margin, reduction=_reduction(reduction))


@_documented
def poisson_nll_loss(input, target, log_input, full, eps, reduction):
    """See :func:`nn.functional.poisson_nll_loss`."""
    return functional.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=_reduction(reduction))


@_documented
def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-6, swap=False, reduction=0):
    """See :func:`nn.functional.triplet_margin_loss`."""
    return functional.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=_reduction(reduction))


@_documented
def batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled):
    """See :func:`nn.functional.batch_norm`; ``cudnn_enabled`` changes nothing."""
    return functional.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


@_documented
def instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled):
    """See :func:`nn.functional.instance_norm`; ``cudnn_enabled`` changes nothing."""
    return functional.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def constant_pad_nd(input, pad, value=0):
    """Pad a tensor with a value; see :func:`nn.functional.pad`.

    Parameters
    ----------
    input : Tensor
        Tensor of any shape and dtype.
    pad : sequence of ints
        Elements that are added before and after each dimension, from the last dimension on.
    value : scalar, optional
        Value of the padding.

    Returns
    -------
    Tensor
        Padded tensor.

    Examples
    --------
    >>> from quern import torch
    >>> torch.constant_pad_nd(torch.ones(2), (1, 2), 5)
    tensor([5., 1., 1., 5., 5.])
    """
    return functional.pad(input, pad, value=value)


def native_dropout(input, p, train):
    """Return the result of dropout, and which elements it kept.

    Parameters
    ----------
    input : Tensor
        Floating-point tensor of any shape.
    p : float
        Probability of an element to be set to 0.
    train : bool
        Whether dropout is applied.

    Returns
    -------
    tuple of Tensor
        Result, and mask of bools, in the shape of `input`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.native_dropout(torch.ones(2), 0.0, True)
    (tensor([1., 1.]), tensor([True, True]))
    """
    if train is False:
        return input, _creation.ones_like(input, dtype=_creation._types.DTYPES["bool"])
    kept = _creation.empty_like(input).bernoulli_(1 - p).bool()
    return input * kept * (1 / (1 - p) if p < 1 else 0.0), kept


def norm_except_dim(v, pow=2, dim=0):
    """Return the norms over all dimensions but one, which stay with size 1.

    Parameters
    ----------
    v : Tensor
        Tensor of any shape.
    pow : int, optional
        Order of the norm.
    dim : int, optional
        Dimension that is kept; -1 for none.

    Returns
    -------
    Tensor
        Norms.

    Examples
    --------
    >>> from quern import torch
    >>> torch.norm_except_dim(torch.tensor([[3.0, 4.0], [0.0, 2.0]]))
    tensor([[5.],
            [2.]])
    """
    dims = [d for d in range(v._rank) if d != dim]
    return v.norm(pow) if dim == -1 else _reductions.norm(v, pow, dims, True)


__all__ = """binary_cross_entropy_with_logits cosine_embedding_loss hinge_embedding_loss kl_div margin_ranking_loss poisson_nll_loss
triplet_margin_loss batch_norm instance_norm constant_pad_nd native_dropout norm_except_dim""".split()
