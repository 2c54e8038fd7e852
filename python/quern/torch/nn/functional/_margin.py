"""Losses with a margin, and the distances that some of them are made of."""

from quern.lib import _engine
from quern.torch import _namespace as torch
from quern.torch import _refusals
from quern.torch._core import dims_of
from quern.torch.nn.functional._reduction import check_reduction, element_loss, reduced, reduction_of, refuse_gradient

# ---- distances


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """The cosine of the angle between vectors along ``dim``, whose norms count as no less than ``eps``."""
    if x1.shape != x2.shape:  # norms are those of the broadcast vectors
        x1, x2 = torch.broadcast_tensors(x1, x2)
    is_one = x1.dtype == x2.dtype and not x1.is_complex() and x1.dim() > 0
    a, b = (x1.detach(), x2.detach()) if is_one else (x1, x2)
    norms = a.norm(2, dim, keepdim=True), b.norm(2, dim, keepdim=True)
    divisors = norms[0].clamp(min=eps), norms[1].clamp(min=eps)
    cos = (a / divisors[0] * (b / divisors[1])).sum(dim)
    return _engine.tensor_cosine(x1, x2, (cos, *norms, *divisors), dims_of(dim, x1.dim())[0]) if is_one else cos


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """The p-norm of x1 - x2 + ``eps`` along the last dimension."""
    return (x1 - x2 + eps).norm(p, -1, keepdim=keepdim)


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    """x divided by its p-norm along ``dim``, which counts as no less than ``eps``.

    >>> F.normalize(torch.tensor([[3.0, 4.0]]))
    tensor([[0.6000, 0.8000]])
    """
    x = input.detach()
    size = x.norm(p, dim, keepdim=True)
    result = x / size.clamp(min=eps)
    if input.requires_grad:
        axes = [d for d in dims_of(dim, x.dim()) if d < x.dim()]
        result = _engine.tensor_normalized(input, result, size, 2.0 if p == "fro" else float(p), axes, eps)
    return result if out is None else out.resize_(result.shape).copy_(result) if out.shape != result.shape else out.copy_(result)


# ---- two inputs


def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """max(0, -target * (input1 - input2) + margin): targets are 1 where input1 should be larger, -1 where input2 should."""
    reduction = reduction_of(size_average, reduce, reduction)
    check_reduction(reduction)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return element_loss("margin_ranking", (input1, input2, target), reduction, margin)


def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """x where the target is 1, max(0, margin - x) where it is -1."""
    reduction = reduction_of(size_average, reduce, reduction)
    check_reduction(reduction)
    return element_loss("hinge_embedding", (input, target.detach()), reduction, margin)


def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """1 - cos where the target is 1, max(0, cos - margin) where it is -1; inputs: (N, D) or (D), targets: (N) or ()."""
    reduction = reduction_of(size_average, reduce, reduction)
    check_reduction(reduction)
    if target.dim() not in (0, 1):
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if input1.dim() != target.dim() + 1 or input2.dim() != target.dim() + 1:
        sizes = "(N, D) and (N)" if target.dim() else "(D) and ()"
        raise RuntimeError(
            f"{target.dim()}D target tensor expects {target.dim() + 1}D input tensors, sizes {sizes}, "
            f"but found inputs with sizes {list(input1.shape)} and {list(input2.shape)}."
        )
    squares = (torch.square(input1).sum(-1) + 1e-12) * (torch.square(input2).sum(-1) + 1e-12)
    cos = (input1 * input2).sum(-1) * torch.rsqrt(squares)
    near = (1 - cos).masked_fill(target != 1, 0)
    far = (cos - margin).clamp(min=0).masked_fill(target != -1, 0)
    return reduced(near + far, reduction)


# ---- classes


def _samples(input, name):
    """The input as (N, C)."""
    if input.dim() > 2 or input.dim() == 2 and input.shape[1] == 0:
        raise RuntimeError(f"{name}: Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(input.shape)}")
    return input if input.dim() == 2 else input.reshape(1, -1)


def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
    """The mean over all other classes i of max(0, margin - x[target] + x[i]) ** p, with p 1 or 2.

    Parameters: ``input``: (N, C) or (C); ``target``: class numbers, (N) or (); ``weight``: one for each class, (C).
    """
    reduction = reduction_of(size_average, reduce, reduction)
    refuse_gradient("multi_margin_loss", "weight", weight)
    check_reduction(reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    x = _samples(input, "multi_margin_loss")
    n, classes = x.shape
    if target.dim() > 1 or target.numel() != n:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). "
            f"Expected target size [{n}], but got {list(target.shape)}. Input has shape {list(input.shape)}."
        )
    target = _refusals.places(target, classes, "target out of range").reshape(n, 1)
    loss = (margin - x.gather(1, target) + x).clamp(min=0)
    if p == 2:
        loss = torch.square(loss)
    if weight is not None:
        loss = loss * weight[target]
    loss = loss.masked_fill(torch.arange(classes, device=x.device) == target, 0).sum(1) / classes
    return reduced(loss if input.dim() == 2 else loss.squeeze(0), reduction)


def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """The sum over target classes j and other classes i of max(0, 1 - x[j] + x[i]), divided by the number of classes.

    Parameters: ``input``: (N, C) or (C); ``target``: class numbers, of the same size, in each row up to the first -1.
    """
    reduction = reduction_of(size_average, reduce, reduction)
    check_reduction(reduction)
    x = _samples(input, "multilabel_margin_loss")
    if target.shape != input.shape:
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}")
    target = _refusals.places(target, x.shape[1], "argument #2 'target' is out of range", low=-1)
    target = target.reshape(x.shape)
    valid = torch.cumprod((target >= 0).to(torch.int64), 1)
    index = target * valid  # class 0 stands for what does not count, and is marked by nothing
    is_target = torch.zeros_like(target).scatter_add(1, index, valid) > 0
    loss = (1 - x.gather(1, index).unsqueeze(2) + x.unsqueeze(1)).clamp(min=0)
    loss = loss.masked_fill((valid == 0).unsqueeze(2) | is_target.unsqueeze(1), 0)
    loss = loss.sum((1, 2)) / x.shape[1]
    return reduced(loss if input.dim() == 2 else loss.squeeze(0), reduction)


# ---- three inputs


def _check_margin(margin):
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")


def _check_three(anchor, positive, negative):
    if not anchor.dim() == positive.dim() == negative.dim():
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
            f"but got: anchor {anchor.dim()}D, positive {positive.dim()}D, and negative {negative.dim()}D inputs"
        )


def triplet_margin_loss(
    anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean"
):
    """max(0, distance(anchor, positive) - distance(anchor, negative) + margin), with pairwise_distance().

    ``swap``: the distance from positive to negative counts where it is less than that from anchor to negative.
    """
    reduction = reduction_of(size_average, reduce, reduction)
    _check_margin(margin)
    _check_three(anchor, positive, negative)

    def distance(a, b):
        return pairwise_distance(a, b, p, eps)

    return _triplet(anchor, positive, negative, distance, margin, swap, reduction)


def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"):
    """triplet_margin_loss() with a distance of one's own: a function of two tensors."""
    check_reduction(reduction)
    _check_margin(margin)
    _check_three(anchor, positive, negative)
    return _triplet(anchor, positive, negative, distance_function or pairwise_distance, margin, swap, reduction)


def _triplet(anchor, positive, negative, distance, margin, swap, reduction):
    far = distance(anchor, negative)
    if swap:
        far = torch.minimum(far, distance(positive, negative))
    return reduced((margin + distance(anchor, positive) - far).clamp(min=0), reduction)
