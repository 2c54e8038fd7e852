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
    """The absolute difference."""

    __constants__ = ["reduction"]

    def forward(self, input, target):
        """One number, or one for each with reduction "none"."""
        return F.l1_loss(input, target, reduction=self.reduction)


class NLLLoss(_WeightedLoss):
    """Minus the log-probability of each target class: (C), (N, C) or (N, C, d1, ...), and class numbers, the same without C.

    Parameters: ``weight``: one for each class, (C); ``ignore_index``: the class number of samples that do not count.
    """

    __constants__ = ["ignore_index", "reduction"]

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input, target):
        """One number, or one for each with reduction "none"."""
        return F.nll_loss(input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class PoissonNLLLoss(_Loss):
    """Minus the log-likelihood of counts under a Poisson distribution.

    Parameters: ``log_input``: is the input the logarithm of the mean? ``full``: with an approximation of the term of the target
    alone; ``eps``: what is added to a mean before its logarithm.
    """

    __constants__ = ["log_input", "full", "eps", "reduction"]

    def __init__(self, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, input, target):
        """One number, or one for each with reduction "none"."""
        return F.poisson_nll_loss(input, target, self.log_input, self.full, eps=self.eps, reduction=self.reduction)


class GaussianNLLLoss(_Loss):
    """Minus the log-likelihood of targets under normal distributions with means and variances.

    Parameters: ``full``: with the constant term; ``eps``: variances below it count as that.
    """

    __constants__ = ["full", "eps", "reduction"]

    def __init__(self, *, full=False, eps=1e-6, reduction="mean"):
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input, target, var):
        """One number, or one for each with reduction "none"."""
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class KLDivLoss(_Loss):
    """The Kullback-Leibler divergence of probabilities from others, whose logarithms are the input.

    Parameters: ``reduction``: may also be "batchmean", which is what the divergence is; ``log_target``: are the targets logarithms, too?
    """

    __constants__ = ["reduction"]

    def __init__(self, size_average=None, reduce=None, reduction="mean", log_target=False):
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input, target):
        """One number, or one for each with reduction "none"."""
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class MSELoss(_Loss):
    """The square of the difference.

    >>> from quern.torch import nn
    >>> from quern import torch
    >>> nn.MSELoss()(torch.zeros(3), torch.tensor([0.0, 1.0, 2.0]))
    tensor(1.6667)
    """

    __constants__ = ["reduction"]

    def forward(self, input, target):
        """One number, or one for each with reduction "none"."""
        return F.mse_loss(input, target, reduction=self.reduction)


class BCELoss(_WeightedLoss):
    """-(target log x + (1 - target) log(1 - x)) of probabilities; logarithms end at -100. ``weight``: can be broadcast to the input."""

    __constants__ = ["reduction"]

    def forward(self, input, target):
        """One number, or one for each with reduction "none"."""
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """BCELoss of sigmoid(x), exact for large logits, too.

    Parameters: ``weight``, and ``pos_weight``, that of the part with the target: both can be broadcast to the input.
    """

    __constants__ = ["reduction"]

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input, target):
        """One number, or one for each with reduction "none"."""
        return F.binary_cross_entropy_with_logits(input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction)


class HingeEmbeddingLoss(_Loss):
    """x where the target is 1, max(0, ``margin`` - x) where it is -1."""

    __constants__ = ["margin", "reduction"]

    def __init__(self, margin=1.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input, target):
        """One number, or one for each with reduction "none"."""
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MultiLabelMarginLoss(_Loss):
    """The sum over target classes j and other classes i of max(0, 1 - x[j] + x[i]), divided by the number of classes.

    Targets are class numbers, of the input"s size, (N, C) or (C), in each row up to the first -1.
    """

    __constants__ = ["reduction"]

    def forward(self, input, target):
        """One number, or one for each with reduction "none"."""
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """The square of the difference / (2 ``beta``) where it is below beta, elsewhere the absolute difference less beta / 2."""

    __constants__ = ["reduction"]

    def __init__(self, size_average=None, reduce=None, reduction="mean", beta=1.0):
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input, target):
        """One number, or one for each with reduction "none"."""
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """Half the square of the difference where it is below ``delta``, elsewhere delta times the difference less delta / 2."""

    __constants__ = ["reduction", "delta"]

    def __init__(self, reduction="mean", delta=1.0):
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input, target):
        """One number, or one for each with reduction "none"."""
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class SoftMarginLoss(_Loss):
    """log(1 + exp(-target * x)), with targets 1 and -1."""

    __constants__ = ["reduction"]

    def forward(self, input, target):
        """One number, or one for each with reduction "none"."""
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class CrossEntropyLoss(_WeightedLoss):
    """Minus the logarithm of the probability that logits give to the target class.

    Logits are (C), (N, C) or (N, C, d1, ...), targets class numbers, the same without C, or a probability of each class.

    Parameters: ``weight``: one for each class, (C); ``ignore_index``: the class number of samples that do not count; ``label_smoothing``:
    the part, 0 to 1, of the target that is given to all classes in equal shares.

        >>> from quern.torch import nn
        >>> from quern import torch
        >>> nn.CrossEntropyLoss()(torch.zeros(2, 4), torch.tensor([0, 3]))
        tensor(1.3863)
    """

    __constants__ = ["ignore_index", "reduction", "label_smoothing"]

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input, target):
        """One number, or one for each with reduction "none"."""
        return F.cross_entropy(
            input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction, label_smoothing=self.label_smoothing
        )


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """BCEWithLogitsLoss of several labels, (N, C) or (C), as the mean of each sample"s labels."""

    __constants__ = ["reduction"]

    def forward(self, input, target):
        """One number, or one for each with reduction "none"."""
        return F.multilabel_soft_margin_loss(input, target, self.weight, reduction=self.reduction)


class CosineEmbeddingLoss(_Loss):
    """1 - cos where the target is 1, max(0, cos - ``margin``) where it is -1; inputs: (N, D) or (D), targets: (N) or ()."""

    __constants__ = ["margin", "reduction"]

    def __init__(self, margin=0.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1, input2, target):
        """One number, or one for each with reduction "none"."""
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_Loss):
    """max(0, -target * (input1 - input2) + ``margin``): targets are 1 where input1 should be larger, -1 where input2 should."""

    __constants__ = ["margin", "reduction"]

    def __init__(self, margin=0.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1, input2, target):
        """One number, or one for each with reduction "none"."""
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """The mean over all other classes i of max(0, ``margin`` - x[target] + x[i]) ** ``p``, with p 1 or 2; ``weight``: (C)."""

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
        """One number, or one for each with reduction "none"."""
        return F.multi_margin_loss(input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction)


class TripletMarginLoss(_Loss):
    """max(0, distance(anchor, positive) - distance(anchor, negative) + ``margin``), with PairwiseDistance.

    Parameters: ``p`` and ``eps``: the distance's; ``swap``: the distance from positive to negative counts where it is less than that from
    anchor to negative.
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
        """One number, or one for each with reduction "none"."""
        return F.triplet_margin_loss(anchor, positive, negative, self.margin, self.p, self.eps, self.swap, reduction=self.reduction)


class TripletMarginWithDistanceLoss(_Loss):
    """TripletMarginLoss with a distance of one's own, ``distance_function``: a function of two tensors, or a module."""

    __constants__ = ["margin", "swap", "reduction"]

    def __init__(self, *, distance_function=None, margin=1.0, swap=False, reduction="mean"):
        super().__init__(None, None, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead")
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor, positive, negative):
        """One number, or one for each with reduction "none"."""
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
    """An older name of NLLLoss."""
