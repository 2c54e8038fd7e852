"""Limits for gradients. All is computed on the device; no value is read unless ``error_if_nonfinite`` asks for it."""


from quern.torch import _namespace as torch
from quern.user_files import warn_user


def _grads(parameters):
    if isinstance(parameters, torch.Tensor):
        parameters = [parameters]
    return [p.grad for p in parameters if p.grad is not None]


def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The norm of all elements of tensors together, a tensor (); ``foreach`` is taken and not used."""
    tensors = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return torch.tensor(0.0)
    device = tensors[0].device
    with torch.no_grad():
        norms = [t.norm(norm_type) for t in tensors]
        total = torch.stack([n if n.device == device else n.to(device) for n in norms]).norm(norm_type)
    if error_if_nonfinite and not bool(torch.isfinite(total)):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be clipped. "
            "To disable this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
        )
    return total


def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """Scales gradients in place so that a norm that is ``total_norm`` becomes no more than ``max_norm``."""
    with torch.no_grad():
        scale = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
        for grad in _grads(parameters):
            grad.mul_(scale if scale.device == grad.device else scale.to(grad.device))


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scales the gradients of parameters in place so that their norm, of all elements together, is no more than ``max_norm``.

    Returned: the norm before, a tensor (). ``error_if_nonfinite``: RuntimeError where it is not finite, for which this waits.

        >>> from quern import torch
        >>> w = torch.tensor([3.0, 4.0], requires_grad=True)
        >>> (w * w).sum().backward()
        >>> torch.nn.utils.clip_grad_norm_([w], 1.0)
        tensor(10.)
        >>> w.grad
        tensor([0.6000, 0.8000])
    """
    if not isinstance(parameters, torch.Tensor):
        parameters = list(parameters)
        if not parameters:
            warn_user("`parameters` is an empty generator, no gradient clipping will occur.")
    total = get_total_norm(_grads(parameters), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(parameters, max_norm, total)
    return total


def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """An older name of clip_grad_norm_()."""
    warn_user(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.", FutureWarning
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters, clip_value, foreach=None):
    """Limits each element of the gradients of parameters in place to the range from -``clip_value`` to clip_value."""
    clip_value = float(clip_value)
    with torch.no_grad():
        for grad in _grads(parameters):
            grad.clamp_(min=-clip_value, max=clip_value)
