"""What losses that call a function of the user's are made of; all others are faces of the engine's (bindings/faces/losses.pyi)."""

from quern.lib import _engine
from quern.torch import _namespace as torch

_pairwise_distance = _engine.functions_of("torch", "quern.torch.nn.functional", binds=False, submodule="nn.functional")["pairwise_distance"]


def reduction_of(size_average, reduce, reduction="mean"):
    """The name of the reduction: ``reduction``, unless one of the two older arguments is given, which warns."""
    return _engine.loss_reduction(size_average, reduce, reduction)


def reduced(loss, reduction):
    """The mean or the sum of a loss, or itself for "none"."""
    if reduction == "mean":
        return loss.mean()
    if reduction == "sum":
        return loss.sum()
    if reduction == "none":
        return loss
    raise ValueError(f"{reduction} is not a valid value for reduction")


def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"):
    """Return the triplet margin loss for any distance.

    Parameters
    ----------
    anchor : Tensor
        Anchors, of shape (N, D).
    positive : Tensor
        Examples near to the anchors, in the shape of `anchor`.
    negative : Tensor
        Examples far from the anchors, in the shape of `anchor`.
    distance_function : callable, optional
        Function of two tensors that returns their distances; None is :func:`pairwise_distance`.
    margin : float, optional
        Difference of the distances from which on the loss is 0.
    swap : bool, optional
        Whether to use the distance of `positive` and `negative` if it is smaller.
    reduction : {'mean', 'sum', 'none'}, optional
        Whether to return the mean, the sum, or all losses.

    Returns
    -------
    Tensor
        Loss: one number, or with "none" one for each anchor.

    Examples
    --------
    >>> from quern import torch
    >>> a, p, n = torch.zeros(1, 2), torch.zeros(1, 2), torch.tensor([[0.0, 0.5]])
    >>> torch.nn.functional.triplet_margin_with_distance_loss(a, p, n)
    tensor(0.5000)
    """
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.dim() == positive.dim() == negative.dim():
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
            f"but got: anchor {anchor.dim()}D, positive {positive.dim()}D, and negative {negative.dim()}D inputs"
        )
    distance_function = distance_function or _pairwise_distance
    far = distance_function(anchor, negative)
    if swap:
        far = torch.minimum(far, distance_function(positive, negative))
    return reduced((margin + distance_function(anchor, positive) - far).clamp(min=0), reduction)
