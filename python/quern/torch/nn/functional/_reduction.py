"""What losses share: the way from a loss of each element to one number, and the two arguments that older programs say it with."""


from quern.lib import _engine
from quern.torch import _namespace as torch
from quern.user_files import warn_user


def reduction_of(size_average, reduce, reduction="mean"):
    """The name of the reduction: ``reduction``, unless one of the two older arguments is given."""
    if size_average is None and reduce is None:
        return reduction
    name = legacy(size_average, reduce)
    warn_user(f"size_average and reduce args will be deprecated, please use reduction='{name}' instead.")
    return name


def legacy(size_average, reduce):
    """What the two older arguments mean."""
    if reduce is not None and not reduce:
        return "none"
    return "sum" if size_average is not None and not size_average else "mean"


def refuse_gradient(function, name, tensor):
    """Raises PyTorch's error for an argument that a loss has no derivative for."""
    if tensor is not None and tensor.requires_grad and torch.is_grad_enabled():
        raise RuntimeError(
            f"The function '{function}' is not differentiable with respect to argument '{name}'. This input cannot have "
            "requires_grad True."
        )


def reduced(loss, reduction):
    """The mean or the sum of a loss, or itself for "none"."""
    if reduction == "mean":
        return loss.mean()
    if reduction == "sum":
        return loss.sum()
    if reduction == "none":
        return loss
    raise ValueError(f"{reduction} is not a valid value for reduction")


def element_loss(name, inputs, reduction, number=0.0, weight=None):
    """A loss of each element, times ``weight``, reduced: one entry of the tape. ``name``, ``number``: engine/functions/losses.h."""
    check_reduction(reduction)
    for x in inputs if weight is None else (*inputs, weight):
        if x.shape != inputs[0].shape:
            torch.broadcast_tensors(x, inputs[0])  # says what does not fit
    if weight is None or not weight.requires_grad:
        return _engine.tensor_element_loss(inputs, name, number, reduction, weight)
    return reduced(_engine.tensor_element_loss(inputs, name, number, "none", None) * weight, reduction)


def check_reduction(reduction):
    """ValueError for a name that is none."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")


def same_sizes(input, target):
    """Both broadcast to one size, which they should have: a warning where they have not."""
    if input.shape == target.shape:
        return input, target
    warn_user(
        f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). "
        "This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
    )
    return torch.broadcast_tensors(input, target)


def weighted(loss, weight, reduction):
    """A loss with a weight for each element, whose mean is that of the weights."""
    loss = loss * weight
    return loss.sum() / weight.sum() if reduction == "mean" else reduced(loss, reduction)
