"""Losses as modules; the functions are in torch.nn.functional.

``reduction``: "mean", "sum", or "none" for the loss of each element or sample; ``size_average`` and ``reduce`` are older names for it.
"""

from quern.torch.nn import functional as F
from quern.torch.nn.functional._loss import reduction_of
from quern.torch.nn.modules.distance import PairwiseDistance
from quern.torch.nn.modules.module import Module


class _Loss(Module):
    def __init__(self, size_average=None, reduce=None, reduction="mean"):
        super().__init__()
        self.reduction = reduction_of(size_average, reduce, reduction)


class _WeightedLoss(_Loss):
    """A loss with a weight, which is a buffer."""

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class L1Loss(_Loss):
    """Loss: the absolute difference.

    Parameters
    ----------
    size_average, reduce : bool, optional
        Old forms of `reduction`; None uses that.
    reduction : {'mean', 'sum', 'none'}, optional
        What becomes of the losses of all elements: their mean, their sum, or themselves.

    Raises
    ------
    ValueError
        For an unknown `reduction`, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.L1Loss()(torch.tensor([[0.5, 0.0]]), torch.tensor([[1.0, 0.0]]))
    tensor(0.2500)
    """

    __constants__ = ["reduction"]

    def forward(self, input, target):
        """Return the loss: one number, or the unreduced values with reduction "none"."""
        return F.l1_loss(input, target, reduction=self.reduction)


class NLLLoss(_WeightedLoss):
    """Loss: minus the log-probability of the target class.

    Inputs are log-probabilities, (C), (N, C) or (N, C, d1, ...); targets are class numbers, of the same shape without
    C.

    Parameters
    ----------
    weight : Tensor, optional
        Weight of each class, (C).
    size_average : bool, optional
        Old forms of `reduction`; None uses that.
    ignore_index : int, optional
        Class number of samples that do not count.
    reduce : bool, optional
        Old forms of `reduction`; None uses that.
    reduction : {'mean', 'sum', 'none'}, optional
        What becomes of the losses of all elements: their mean, their sum, or themselves.

    Raises
    ------
    ValueError
        For another number of samples, at the call; for an unknown `reduction`, at the call.
    IndexError
        For class numbers out of range, when the result is read; for few targets, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.NLLLoss()(torch.tensor([[-1.0, -2.0]]), torch.tensor([1]))
    tensor(2.)
    """

    __constants__ = ["ignore_index", "reduction"]

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input, target):
        """Return the loss: one number, or the unreduced values with reduction "none"."""
        return F.nll_loss(input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class PoissonNLLLoss(_Loss):
    """Loss: minus the log-likelihood of counts under a Poisson distribution.

    Parameters
    ----------
    log_input : bool, optional
        Whether the input is the logarithm of the mean.
    full : bool, optional
        Whether to add an approximation of the term that depends on the target alone.
    size_average : bool, optional
        Old forms of `reduction`; None uses that.
    eps : float, optional
        Number that is added to a mean before its logarithm.
    reduce : bool, optional
        Old forms of `reduction`; None uses that.
    reduction : {'mean', 'sum', 'none'}, optional
        What becomes of the losses of all elements: their mean, their sum, or themselves.

    Raises
    ------
    ValueError
        For an unknown `reduction`, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.PoissonNLLLoss(log_input=False)(torch.tensor([1.0]), torch.tensor([2.0]))
    tensor(1.)
    """

    __constants__ = ["log_input", "full", "eps", "reduction"]

    def __init__(self, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, input, target):
        """Return the loss: one number, or the unreduced values with reduction "none"."""
        return F.poisson_nll_loss(input, target, self.log_input, self.full, eps=self.eps, reduction=self.reduction)


class GaussianNLLLoss(_Loss):
    """Loss: minus the log-likelihood of targets under normal distributions with means and variances.

    A call is ``loss(means, targets, variances)``.

    Parameters
    ----------
    full : bool, optional
        Whether to add the constant term.
    eps : float, optional
        Smallest variance.
    reduction : {'mean', 'sum', 'none'}, optional
        What becomes of the losses of all elements: their mean, their sum, or themselves.

    Raises
    ------
    ValueError
        For negative variances, at the call; for an unknown `reduction`, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.GaussianNLLLoss()(torch.tensor([1.0]), torch.tensor([2.0]), torch.tensor([1.0]))
    tensor(0.5000)
    """

    __constants__ = ["full", "eps", "reduction"]

    def __init__(self, *, full=False, eps=1e-6, reduction="mean"):
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input, target, var):
        """Return the loss: one number, or the unreduced values with reduction "none"."""
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class KLDivLoss(_Loss):
    """Loss: the Kullback-Leibler divergence of targets from the input, which has logarithms of probabilities.

    Parameters
    ----------
    size_average, reduce : bool, optional
        Old forms of `reduction`; None uses that.
    reduction : {'mean', 'batchmean', 'sum', 'none'}, optional
        What becomes of the losses of all elements; 'batchmean' is the divergence.
    log_target : bool, optional
        Whether the targets are logarithms, too.

    Raises
    ------
    ValueError
        For an unknown `reduction`, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch import nn
    >>> p = torch.tensor([[0.5, 0.5]])
    >>> nn.KLDivLoss(reduction="batchmean")(torch.tensor([[0.25, 0.75]]).log(), p)
    tensor(0.1438)
    """

    __constants__ = ["reduction"]

    def __init__(self, size_average=None, reduce=None, reduction="mean", log_target=False):
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input, target):
        """Return the loss: one number, or the unreduced values with reduction "none"."""
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class MSELoss(_Loss):
    """Loss: the square of the difference.

    Parameters
    ----------
    size_average, reduce : bool, optional
        Old forms of `reduction`; None uses that.
    reduction : {'mean', 'sum', 'none'}, optional
        What becomes of the losses of all elements: their mean, their sum, or themselves.

    Raises
    ------
    ValueError
        For an unknown `reduction`, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch import nn
    >>> nn.MSELoss()(torch.zeros(3), torch.tensor([0.0, 1.0, 2.0]))
    tensor(1.6667)
    """

    __constants__ = ["reduction"]

    def forward(self, input, target):
        """Return the loss: one number, or the unreduced values with reduction "none"."""
        return F.mse_loss(input, target, reduction=self.reduction)


class BCELoss(_WeightedLoss):
    """Loss: the binary cross-entropy of probabilities; logarithms below -100 count as -100.

    Parameters
    ----------
    weight : Tensor, optional
        Weight of each element; it broadcasts to the input.
    size_average, reduce : bool, optional
        Old forms of `reduction`; None uses that.
    reduction : {'mean', 'sum', 'none'}, optional
        What becomes of the losses of all elements: their mean, their sum, or themselves.

    Raises
    ------
    ValueError
        For targets of another shape, at the call; for an unknown `reduction`, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.BCELoss()(torch.tensor([[0.5, 0.0]]), torch.tensor([[1.0, 0.0]]))
    tensor(0.3466)
    """

    __constants__ = ["reduction"]

    def forward(self, input, target):
        """Return the loss: one number, or the unreduced values with reduction "none"."""
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """Loss: the binary cross-entropy of logits, exact for large logits, too.

    Parameters
    ----------
    weight : Tensor, optional
        Weight of each element; it broadcasts to the input.
    size_average, reduce : bool, optional
        Old forms of `reduction`; None uses that.
    reduction : {'mean', 'sum', 'none'}, optional
        What becomes of the losses of all elements: their mean, their sum, or themselves.
    pos_weight : Tensor, optional
        Weight of the terms where the target is 1; it broadcasts to the input.

    Raises
    ------
    ValueError
        For targets of another shape, at the call; for an unknown `reduction`, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch import nn
    >>> nn.BCEWithLogitsLoss()(torch.zeros(3), torch.ones(3))
    tensor(0.6931)
    """

    __constants__ = ["reduction"]

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input, target):
        """Return the loss: one number, or the unreduced values with reduction "none"."""
        return F.binary_cross_entropy_with_logits(input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction)


class HingeEmbeddingLoss(_Loss):
    """Loss: x where the target is 1, ``max(0, margin - x)`` where it is -1.

    Parameters
    ----------
    margin : float, optional
        Distance from which a pair or class costs nothing.
    size_average, reduce : bool, optional
        Old forms of `reduction`; None uses that.
    reduction : {'mean', 'sum', 'none'}, optional
        What becomes of the losses of all elements: their mean, their sum, or themselves.

    Raises
    ------
    ValueError
        For an unknown `reduction`, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.HingeEmbeddingLoss()(torch.tensor([[0.5, 0.0]]), torch.tensor([[1.0, -1.0]]))
    tensor(0.7500)
    """

    __constants__ = ["margin", "reduction"]

    def __init__(self, margin=1.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input, target):
        """Return the loss: one number, or the unreduced values with reduction "none"."""
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MultiLabelMarginLoss(_Loss):
    """Loss: the sum of ``max(0, 1 - x[j] + x[i])`` over target classes j and other classes i, divided by the number of classes.

    Inputs are scores, (N, C) or (C). Targets are class numbers of the same shape, in each row up to the first -1.

    Parameters
    ----------
    size_average, reduce : bool, optional
        Old forms of `reduction`; None uses that.
    reduction : {'mean', 'sum', 'none'}, optional
        What becomes of the losses of all elements: their mean, their sum, or themselves.

    Raises
    ------
    ValueError
        For an unknown `reduction`, at the call.
    RuntimeError
        For targets of another shape, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.MultiLabelMarginLoss()(torch.tensor([[0.1, 0.2, 0.7]]), torch.tensor([[2, -1, 0]]))
    tensor(0.3000)
    """

    __constants__ = ["reduction"]

    def forward(self, input, target):
        """Return the loss: one number, or the unreduced values with reduction "none"."""
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """Loss: quadratic where the difference is below `beta`, elsewhere the absolute difference.

    Parameters
    ----------
    size_average, reduce : bool, optional
        Old forms of `reduction`; None uses that.
    reduction : {'mean', 'sum', 'none'}, optional
        What becomes of the losses of all elements: their mean, their sum, or themselves.
    beta : float, optional
        Difference at which the quadratic part ends.

    Raises
    ------
    ValueError
        For an unknown `reduction`, at the call.
    RuntimeError
        For a negative `beta`, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.SmoothL1Loss()(torch.tensor([[0.5, 0.0]]), torch.tensor([[1.0, 0.0]]))
    tensor(0.0625)
    """

    __constants__ = ["reduction"]

    def __init__(self, size_average=None, reduce=None, reduction="mean", beta=1.0):
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input, target):
        """Return the loss: one number, or the unreduced values with reduction "none"."""
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """Loss: quadratic where the difference is below `delta`, elsewhere linear with the slope `delta`.

    Parameters
    ----------
    reduction : {'mean', 'sum', 'none'}, optional
        What becomes of the losses of all elements: their mean, their sum, or themselves.
    delta : float, optional
        Difference at which the quadratic part ends.

    Raises
    ------
    ValueError
        For an unknown `reduction`, at the call.
    RuntimeError
        For a `delta` that is not above 0, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.HuberLoss()(torch.tensor([[0.5, 0.0]]), torch.tensor([[1.0, 0.0]]))
    tensor(0.0625)
    """

    __constants__ = ["reduction", "delta"]

    def __init__(self, reduction="mean", delta=1.0):
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input, target):
        """Return the loss: one number, or the unreduced values with reduction "none"."""
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class SoftMarginLoss(_Loss):
    """Loss: ``log(1 + exp(-target * x))``, with targets 1 and -1.

    Parameters
    ----------
    size_average, reduce : bool, optional
        Old forms of `reduction`; None uses that.
    reduction : {'mean', 'sum', 'none'}, optional
        What becomes of the losses of all elements: their mean, their sum, or themselves.

    Raises
    ------
    ValueError
        For an unknown `reduction`, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.SoftMarginLoss()(torch.tensor([[0.5, 0.0]]), torch.tensor([[1.0, -1.0]]))
    tensor(0.5836)
    """

    __constants__ = ["reduction"]

    def forward(self, input, target):
        """Return the loss: one number, or the unreduced values with reduction "none"."""
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class CrossEntropyLoss(_WeightedLoss):
    """Loss: minus the logarithm of the probability that logits give to the target class.

    Inputs are logits, (C), (N, C) or (N, C, d1, ...). Targets are class numbers, of the same shape without C, or a
    probability for each class.

    Parameters
    ----------
    weight : Tensor, optional
        Weight of each class, (C).
    size_average : bool, optional
        Old forms of `reduction`; None uses that.
    ignore_index : int, optional
        Class number of samples that do not count.
    reduce : bool, optional
        Old forms of `reduction`; None uses that.
    reduction : {'mean', 'sum', 'none'}, optional
        What becomes of the losses of all elements: their mean, their sum, or themselves.
    label_smoothing : float, optional
        Fraction of the target, in [0, 1], that is distributed equally among all classes.

    Raises
    ------
    ValueError
        For another number of samples, at the call; for an unknown `reduction`, at the call.
    IndexError
        For class numbers out of range, when the result is read; for few targets, at the call.
    RuntimeError
        For a `label_smoothing` outside of [0, 1], at the call.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch import nn
    >>> nn.CrossEntropyLoss()(torch.zeros(2, 4), torch.tensor([0, 3]))
    tensor(1.3863)
    """

    __constants__ = ["ignore_index", "reduction", "label_smoothing"]

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input, target):
        """Return the loss: one number, or the unreduced values with reduction "none"."""
        return F.cross_entropy(
            input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction, label_smoothing=self.label_smoothing
        )


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """Loss: the binary cross-entropy of logits, as the mean of each sample's labels; inputs are (N, C) or (C).

    Parameters
    ----------
    weight : Tensor, optional
        Weight of each class, (C).
    size_average, reduce : bool, optional
        Old forms of `reduction`; None uses that.
    reduction : {'mean', 'sum', 'none'}, optional
        What becomes of the losses of all elements: their mean, their sum, or themselves.

    Raises
    ------
    ValueError
        For an unknown `reduction`, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.MultiLabelSoftMarginLoss()(torch.tensor([[0.5, 0.0]]), torch.tensor([[1.0, 0.0]]))
    tensor(0.5836)
    """

    __constants__ = ["reduction"]

    def forward(self, input, target):
        """Return the loss: one number, or the unreduced values with reduction "none"."""
        return F.multilabel_soft_margin_loss(input, target, self.weight, reduction=self.reduction)


class CosineEmbeddingLoss(_Loss):
    """Loss: ``1 - cos`` where the target is 1, ``max(0, cos - margin)`` where it is -1.

    Inputs are two tensors of shape (N, D) or (D); targets have the shape (N) or ().

    Parameters
    ----------
    margin : float, optional
        Distance from which a pair or class costs nothing.
    size_average, reduce : bool, optional
        Old forms of `reduction`; None uses that.
    reduction : {'mean', 'sum', 'none'}, optional
        What becomes of the losses of all elements: their mean, their sum, or themselves.

    Raises
    ------
    ValueError
        For an unknown `reduction`, at the call.
    RuntimeError
        For targets of more than one dimension, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.CosineEmbeddingLoss()(torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]]), torch.tensor([1.0]))
    tensor(1.)
    """

    __constants__ = ["margin", "reduction"]

    def __init__(self, margin=0.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1, input2, target):
        """Return the loss: one number, or the unreduced values with reduction "none"."""
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_Loss):
    """Loss: ``max(0, -target * (input1 - input2) + margin)``.

    Targets are 1 where `input1` should be larger, and -1 where `input2` should.

    Parameters
    ----------
    margin : float, optional
        Distance from which a pair or class costs nothing.
    size_average, reduce : bool, optional
        Old forms of `reduction`; None uses that.
    reduction : {'mean', 'sum', 'none'}, optional
        What becomes of the losses of all elements: their mean, their sum, or themselves.

    Raises
    ------
    ValueError
        For an unknown `reduction`, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.MarginRankingLoss()(torch.tensor([1.0]), torch.tensor([2.0]), torch.tensor([1.0]))
    tensor(1.)
    """

    __constants__ = ["margin", "reduction"]

    def __init__(self, margin=0.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1, input2, target):
        """Return the loss: one number, or the unreduced values with reduction "none"."""
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """Loss: the mean of ``max(0, margin - x[target] + x[i]) ** p`` over all other classes i.

    Parameters
    ----------
    p : {1, 2}, optional
        Exponent.
    margin : float, optional
        Distance from which a pair or class costs nothing.
    weight : Tensor, optional
        Weight of each class, (C).
    size_average, reduce : bool, optional
        Old forms of `reduction`; None uses that.
    reduction : {'mean', 'sum', 'none'}, optional
        What becomes of the losses of all elements: their mean, their sum, or themselves.

    Raises
    ------
    ValueError
        For another `p`, or a `weight` that is not one-dimensional; for an unknown `reduction`, at the call.
    RuntimeError
        For targets of another shape, at the call; for class numbers out of range when the loss is read.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.MultiMarginLoss()(torch.tensor([[0.1, 0.2, 0.7]]), torch.tensor([2]))
    tensor(0.3000)
    """

    __constants__ = ["p", "margin", "reduction"]

    def __init__(self, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead")
        self.p = p
        self.margin = margin

    def forward(self, input, target):
        """Return the loss: one number, or the unreduced values with reduction "none"."""
        return F.multi_margin_loss(input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction)


class TripletMarginLoss(_Loss):
    """Loss: ``max(0, distance(anchor, positive) - distance(anchor, negative) + margin)``.

    Parameters
    ----------
    margin : float, optional
        Distance from which a pair or class costs nothing.
    p : float, optional
        Order of the norm.
    eps : float, optional
        Number that is added to the differences.
    swap : bool, optional
        Whether the distance from `positive` to `negative` counts where that is smaller.
    size_average, reduce : bool, optional
        Old forms of `reduction`; None uses that.
    reduction : {'mean', 'sum', 'none'}, optional
        What becomes of the losses of all elements: their mean, their sum, or themselves.

    Raises
    ------
    ValueError
        For a `margin` that is not above 0; for an unknown `reduction`, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch import nn
    >>> nn.TripletMarginLoss()(torch.zeros(1, 2), torch.ones(1, 2), torch.full((1, 2), 3.0))
    tensor(0.)
    """

    __constants__ = ["margin", "p", "eps", "swap", "reduction"]

    def __init__(self, margin=1.0, p=2.0, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor, positive, negative):
        """Return the loss: one number, or the unreduced values with reduction "none"."""
        return F.triplet_margin_loss(anchor, positive, negative, self.margin, self.p, self.eps, self.swap, reduction=self.reduction)


class TripletMarginWithDistanceLoss(_Loss):
    """Loss: :class:`TripletMarginLoss` with a distance of your own.

    Parameters
    ----------
    distance_function : callable, optional
        Function of two tensors, or a module; None is :class:`PairwiseDistance`.
    margin : float, optional
        Distance from which a pair or class costs nothing.
    swap : bool, optional
        Whether the distance from `positive` to `negative` counts where that is smaller.
    reduction : {'mean', 'sum', 'none'}, optional
        What becomes of the losses of all elements: their mean, their sum, or themselves.

    Raises
    ------
    ValueError
        For a `margin` that is not above 0; for an unknown `reduction`, at the call.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.TripletMarginWithDistanceLoss()(torch.zeros(1, 2), torch.ones(1, 2), torch.ones(1, 2))
    tensor(1.0000)
    """

    __constants__ = ["margin", "swap", "reduction"]

    def __init__(self, *, distance_function=None, margin=1.0, swap=False, reduction="mean"):
        super().__init__(None, None, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead")
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor, positive, negative):
        """Return the loss: one number, or the unreduced values with reduction "none"."""
        return F.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


class NLLLoss2d(NLLLoss):
    """Older name of :class:`NLLLoss`."""
