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


_ctc_of_batch = _engine.functions_of("torch", "quern.torch.nn.functional", binds=False, submodule="nn.functional")["_ctc_of_batch"]


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    """Return the connectionist temporal classification loss: labels at unknown places of a sequence (Graves et al., 2006).

    Parameters
    ----------
    log_probs : Tensor
        Logarithms of the probabilities of classes, of shape (T, N, C) or (T, C).
    targets : Tensor
        Labels, without the blank, of shape (N, S), or those of all samples one after another; of one sample (S).
    input_lengths : Tensor or sequence of int
        Numbers of steps of the samples, at most T, of shape (N) or ().
    target_lengths : Tensor or sequence of int
        Numbers of labels of the samples, of shape (N) or ().
    blank : int, optional
        Class of no label.
    reduction : {'mean', 'sum', 'none'}, optional
        Whether to return the mean of the losses over their numbers of labels, the sum, or all losses.
    zero_infinity : bool, optional
        Whether losses are 0 where they are infinite: for more labels than steps.

    Returns
    -------
    Tensor
        Loss: one number, or with "none" one for each sample.

    Raises
    ------
    RuntimeError
        For lengths beyond the sizes, or a blank that is no class.

    Examples
    --------
    >>> from quern import torch
    >>> log_probs = torch.zeros(4, 1, 3).log_softmax(2)
    >>> torch.nn.functional.ctc_loss(log_probs, torch.tensor([[1, 2]]), [4], [2])
    tensor(0.8432)
    """
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    is_one = log_probs.dim() == 2
    if is_one:
        log_probs = log_probs.unsqueeze(1)
    if log_probs.dim() != 3:
        raise RuntimeError(f"[ctc_loss] log_probs must have the shape (T, N, C) or (T, C), not {tuple(log_probs.shape)}")
    if not log_probs.is_floating_point() or log_probs.dtype.itemsize < 4:
        raise NotImplementedError(f"\"ctc_loss_cpu\" not implemented for '{torch_name(log_probs.dtype)}'")
    steps, samples, classes = log_probs.shape
    durations = _lengths(input_lengths, samples, "input_lengths")
    lengths = _lengths(target_lengths, samples, "target_lengths")
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    if any(not 0 <= n <= steps for n in durations):
        worst = max(durations, key=lambda n: abs(n - steps / 2))
        raise RuntimeError(
            f"Expected input_lengths to have value at most {steps}, but got value {worst} (while checking arguments for ctc_loss_cpu)"
        )
    if is_one:
        targets = targets.unsqueeze(0) if targets.dim() == 1 else targets
    labels = _padded(targets, lengths)
    one = {"dtype": torch.int64, "device": log_probs.device}
    durations, lengths = torch.tensor(durations, **one), torch.tensor(lengths, **one)
    loss = _ctc_of_batch(log_probs, labels.to(log_probs.device), durations, lengths, blank)
    if zero_infinity:
        loss = torch.where(loss.isinf(), 0.0, loss)
    if reduction == "mean":
        return (loss / lengths.clamp(min=1).to(loss.dtype)).mean()
    return reduced(loss.squeeze(0) if is_one and reduction == "none" else loss, reduction)


def torch_name(dtype):
    """PyTorch's name of a dtype in errors, as Half."""
    return {"float16": "Half", "bfloat16": "BFloat16", "int64": "Long", "int32": "Int"}.get(str(dtype).rpartition(".")[2], str(dtype))


def _lengths(given, samples, name):
    """The lengths of the samples as integers."""
    values = given.reshape(-1).tolist() if isinstance(given, torch.Tensor) else list(given) if hasattr(given, "__iter__") else [given]
    if len(values) != samples:
        raise RuntimeError(f"{name} must be of size batch_size")
    if any(int(n) != n for n in values):
        raise RuntimeError(f"{name} must be integral")
    return [int(n) for n in values]


def _padded(targets, lengths):
    """The labels as rows of a matrix."""
    most = max(lengths, default=0)
    if targets.dim() == 2:
        if targets.shape[0] != len(lengths) or targets.shape[1] < most:
            raise RuntimeError(
                f"Expected tensor to have size at least {most} at dimension 1, but got size {targets.shape[1]} for argument #2 'targets'"
                " (while checking arguments for ctc_loss_cpu)"
            )
        return targets[:, :most].long()
    if targets.dim() != 1:
        raise RuntimeError(f"[ctc_loss] targets must have one or two dimensions, not {targets.dim()}")
    if targets.shape[0] != sum(lengths):
        raise RuntimeError(
            f"Expected targets to have {sum(lengths)} labels in total, but it has {targets.shape[0]}"
            " (while checking arguments for ctc_loss_cpu)"
        )
    rows = torch.zeros((len(lengths), most), dtype=torch.int64, device=targets.device)
    places = [row * most + i for row, n in enumerate(lengths) for i in range(n)]
    return rows.view(-1).scatter(0, torch.tensor(places, dtype=torch.int64, device=targets.device), targets.long()).view(rows.shape)
