"""Losses of regression and classification. The arguments ``size_average`` and ``reduce`` are older names for ``reduction``.

``reduction`` is "mean", "sum", or "none" for the loss of each element (of each sample, where classes are meant).
"""

import math

from quern.lib import _engine
from quern.torch import _composed, _refusals, _types
from quern.torch import _namespace as torch
from quern.torch.nn.functional._reduction import check_reduction, element_loss, reduced, reduction_of, refuse_gradient, same_sizes, weighted
from quern.user_files import warn_user

_TYPES = {"int32": "Int", "int16": "Short", "int8": "Char", "bool": "Bool", "float32": "Float", "float64": "Double", "float16": "Half"}


# ---- of the difference


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """The absolute difference; with ``weight``, of the input's size, its mean is a weighted one."""
    reduction = reduction_of(size_average, reduce, reduction)
    _check_weight(input, weight)
    input, target = same_sizes(input, target)
    if input.is_complex() or target.is_complex() or not (input.is_floating_point() or target.is_floating_point()):
        loss = (input - target).abs()
        return reduced(loss, reduction) if weight is None else weighted(loss, weight, reduction)
    return _weighted("l1", (input, target), weight, reduction)


def _refuse_whole(input, target, function):
    if not target.is_floating_point():  # next to real numbers others are converted to these
        _composed.refuse_whole(input, function)


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """The square of the difference; with ``weight``, of the input's size, its mean is a weighted one.

    >>> F.mse_loss(torch.zeros(3), torch.tensor([0.0, 1.0, 2.0]))
    tensor(1.6667)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    _refuse_whole(input, target, "mse_cpu")
    _check_weight(input, weight)
    return _weighted("mse", same_sizes(input, target), weight, reduction)


def _check_weight(input, weight):
    if weight is not None and weight.shape != input.shape:
        raise ValueError("Weights and input must have the same size.")


def _weighted(name, inputs, weight, reduction):
    if weight is None:
        return element_loss(name, inputs, reduction)
    return weighted(element_loss(name, inputs, "none"), weight, reduction)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """The square of the difference / (2 ``beta``) where it is below beta, elsewhere the absolute difference less beta / 2."""
    reduction = reduction_of(size_average, reduce, reduction)
    input, target = same_sizes(input, target)
    _refuse_whole(input, target, "smooth_l1_cpu")
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    return element_loss("smooth_l1", (input, target), reduction, beta) if beta else element_loss("l1", (input, target), reduction)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """Half the square of the difference where it is below ``delta``, elsewhere delta times the difference less delta / 2."""
    input, target = same_sizes(input, target)
    _refuse_whole(input, target, "huber_cpu")
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    _check_weight(input, weight)
    return element_loss("huber", (input, target), reduction, delta, weight)


# ---- of classes


def _check_classes(input, target, weight):
    """Sizes and types of logits and class numbers; the numbers as int64."""
    if input.dim() == 0:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if input.dim() != 1 and (target.dim() == 0 or input.shape[0] != target.shape[0]):
        n = target.shape[0] if target.dim() else 0
        raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({n}).")
    classes = input.shape[0 if input.dim() == 1 else 1]
    if target.shape != input.shape[:1] + input.shape[2:] if input.dim() > 1 else target.dim() > 1 or target.numel() != 1:
        if input.dim() == 4 and target.dim() != 3:
            raise RuntimeError(f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {target.dim()}")
        if input.dim() <= 2 and target.dim() > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        expected = list(input.shape[:1] + input.shape[2:]) if input.dim() > 1 else []
        raise RuntimeError(f"Expected target size {expected}, got {list(target.shape)}")
    if target.dtype != torch.int64:
        if target.dtype != torch.uint8:
            name = str(target.dtype).rpartition(".")[2]
            raise RuntimeError(f"expected target dtype to be Long or Byte, but got {_TYPES.get(name, name)}")
        target = target.to(torch.int64)
    if weight is not None and (weight.dim() != 1 or weight.shape[0] != classes):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes "
            f"but got weight tensor of shape: {list(weight.shape)}"
        )
    return target.reshape(()) if input.dim() == 1 and target.dim() == 1 else target


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    """Minus the log-probability of each target class.

    Parameters: ``input``: log-probabilities, (C), (N, C) or (N, C, d1, ...); ``target``: class numbers, the same without C; ``weight``: one
    for each class, (C); ``ignore_index``: the class number of samples that do not count.
    """
    reduction = reduction_of(size_average, reduce, reduction)
    check_reduction(reduction)
    return _composed.nll_loss(input, _check_classes(input, target, weight), weight, ignore_index, reduction)


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
    """Minus the logarithm of the probability that logits give to the target class.

    Parameters: ``input``: logits, (C), (N, C) or (N, C, d1, ...); ``target``: class numbers, the same without C, or a probability of each
    class, of the input's size; ``weight``: one for each class, (C); ``ignore_index``: the class number of samples that do not count;
    ``label_smoothing``: the part, 0 to 1, of the target that is given to all classes in equal shares.

        >>> F.cross_entropy(torch.zeros(2, 4), torch.tensor([0, 3]))
        tensor(1.3863)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    check_reduction(reduction)
    if weight is None and label_smoothing == 0:
        loss = _engine.tensor_cross_entropy_of_classes(input, target, ignore_index, reduction)
        if loss is not None:
            return loss
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    if input.shape == target.shape and target.is_floating_point():
        return _cross_entropy_of_probabilities(input, target, weight, ignore_index, reduction, label_smoothing)
    target = _check_classes(input, target, weight)
    return _composed.cross_entropy(input, target, weight, ignore_index, label_smoothing, reduction)


def _cross_entropy_of_probabilities(input, target, weight, ignore_index, reduction, label_smoothing):
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    axis = 0 if input.dim() == 1 else 1
    classes = input.shape[axis]
    if weight is not None and (weight.dim() != 1 or weight.shape[0] != classes):
        raise RuntimeError(
            "cross_entropy: weight tensor should be defined either for all "
            f"{classes} classes or no classes but got weight tensor of shape: {list(weight.shape)}"
        )
    return _engine.tensor_soft_cross_entropy(input, target, axis, reduction, weight, label_smoothing)


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """The Kullback-Leibler divergence of probabilities from others, whose logarithms are given.

    Parameters: ``input``: log-probabilities; ``target``: probabilities, or with ``log_target`` their logarithms. ``reduction`` may also be
    "batchmean": the sum divided by the number of samples, which is what the divergence is.
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if not (input.is_floating_point() or target.is_floating_point()):
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if reduction == "mean":
        warn_user(
            "reduction: 'mean' divides the total loss by both the batch size and the support size. "
            "'batchmean' divides only by the batch size, and aligns with the KL div math definition.",
        )
    name, inputs = "kl_div_log" if log_target else "kl_div", (input, target)
    if reduction == "batchmean":
        loss = element_loss(name, inputs, "sum")
        return loss / input.shape[0] if input.dim() else loss
    return element_loss(name, inputs, reduction)


# ---- of probabilities of yes


_NO_PROBABILITIES = [f"all elements of {one} should be between 0 and 1" for one in ("input", "target")]


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """-(target log x + (1 - target) log(1 - x)) of probabilities ``input``; logarithms end at -100.

    ``weight`` can be broadcast to the input's size. Inputs and targets are from 0 to 1.
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if input.shape != target.shape:
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is deprecated. "
            "Please ensure they have the same size."
        )
    refuse_gradient("binary_cross_entropy", "weight", weight)
    loss = element_loss("binary_cross_entropy", (input, target), reduction, 0.0, weight)
    good, good_target = _refusals.all_within(input, 0, 1), _refusals.all_within(target, 0, 1)
    if good is True and good_target is True:
        return loss
    code = torch.where(torch.as_tensor(good), torch.where(torch.as_tensor(good_target), 0, 1), -1)
    return _refusals.unless_code(loss, code, _NO_PROBABILITIES)


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
    """binary_cross_entropy() of sigmoid(input), exact for large logits, too.

    ``weight`` and ``pos_weight``, that of the part with the target, can be broadcast to the input's size.
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if input.shape != target.shape:
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    if not (target.is_floating_point() or target.is_complex()):
        kinds = _types.scalar_name(input.dtype), _types.scalar_name(target.dtype)
        raise RuntimeError(f"result type {kinds[0]} can't be cast to the desired output type {kinds[1]}; convert the target with .float()")
    refuse_gradient("binary_cross_entropy_with_logits", "weight", weight)
    refuse_gradient("binary_cross_entropy_with_logits", "pos_weight", pos_weight)
    inputs = (input, target) if pos_weight is None else (input, target, pos_weight)
    return element_loss("bce_with_logits", inputs, reduction, 0.0, weight)


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """log(1 + exp(-target * x)), with targets 1 and -1."""
    reduction = reduction_of(size_average, reduce, reduction)
    refuse_gradient("soft_margin_loss", "target", target)
    return element_loss("soft_margin", (input, target), reduction)


def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """binary_cross_entropy_with_logits() of several labels, (N, C) or (C), as the mean of each sample's labels."""
    reduction = reduction_of(size_average, reduce, reduction)
    loss = element_loss("bce_with_logits", (input, target), "none", 0.0, weight)
    if not input.dim():
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")
    # As PyTorch where the two broadcast: over the input's last dimension, divided by its size.
    dim = input.dim() - 1
    return reduced(loss.sum(dim) / input.shape[dim], reduction)


# ---- of distributions with parameters


def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"):
    """Minus the log-likelihood of counts ``target`` under a Poisson distribution.

    ``input``: the logarithm of its mean, or with ``log_input=False`` the mean, to which ``eps`` is added; ``full``: with an approximation
    of the term that depends on the target alone.
    """
    reduction = reduction_of(size_average, reduce, reduction)
    check_reduction(reduction)
    name = "poisson_nll" + "_log" * bool(log_input) + "_full" * bool(full)
    return element_loss(name, (input, target), reduction, eps)


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """Minus the log-likelihood of ``target`` under normal distributions with the means ``input`` and the variances ``var``.

    ``var``: a number; or a tensor of the input's size, or with 1 or nothing in its last place. No negative ones are taken.
    Variances below ``eps`` count as that. ``full``: with the constant term.
    """
    good = None
    if isinstance(var, torch.Tensor):
        good = ~(var < 0).any()
    elif var < 0:
        raise ValueError("var has negative entry/entries")
    if good is None:
        var = input.new_full((), var)
    elif var.shape != input.shape:
        if input.shape[:-1] == var.shape:
            var = var.unsqueeze(-1)
        elif not _differs_by_one(var.shape, input.shape):
            raise ValueError("var is of incorrect size")
    check_reduction(reduction)
    var = var.clone()
    with torch.no_grad():  # the derivative is that of var itself
        var.clamp_(min=eps)
    loss = element_loss("gaussian_nll", (input, target, var), reduction, 0.5 * math.log(2 * math.pi) if full else 0.0)
    return loss if good is None else _refusals.unless(loss, good, "var has negative entry/entries", "ValueError")


def _differs_by_one(shape, target):
    """Is ``shape`` the target's but for one dimension, in which it has one element?"""
    return len(shape) == len(target) and sum(n for n, m in zip(shape, target, strict=True) if n != m) == 1
