"""Limits for gradients. All is computed on the device; no value is read unless ``error_if_nonfinite`` asks for it."""


import inspect

from quern.torch import _namespace as torch
from quern.user_files import warn_user


def _grads(parameters):
    if isinstance(parameters, torch.Tensor):
        parameters = [parameters]
    return [p.grad for p in parameters if p.grad is not None]


def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Return the norm of all elements of tensors together.

    Parameters
    ----------
    tensors : Tensor or iterable of Tensor
        Tensors.
    norm_type : float, optional
        Order of the norm.
    error_if_nonfinite : bool, optional
        Whether an infinite or NaN norm is an error; the norm is read then.
    foreach : bool, optional
        Accepted for compatibility; has no effect.

    Returns
    -------
    Tensor
        Tensor without dimensions.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.utils.get_total_norm([torch.tensor([3.0]), torch.tensor([4.0])])
    tensor(5.)
    """
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
    """Scale gradients in place by a known norm so that it becomes at most `max_norm`.

    Parameters
    ----------
    parameters : Tensor or iterable of Tensor
        Parameters; those without a gradient do not count.
    max_norm : float
        Largest norm.
    total_norm : Tensor
        Norm of all gradients.
    foreach : bool, optional
        Accepted for compatibility; has no effect.

    Examples
    --------
    >>> from quern import torch
    >>> w = torch.ones(2, requires_grad=True)
    >>> (w * torch.tensor([3.0, 4.0])).sum().backward()
    >>> torch.nn.utils.clip_grads_with_norm_(w, 10.0, torch.tensor(5.0))
    >>> w.grad
    tensor([3., 4.])
    """
    with torch.no_grad():
        scale = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
        for grad in _grads(parameters):
            grad.mul_(scale if scale.device == grad.device else scale.to(grad.device))


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scale gradients in place so that their norm is at most `max_norm`.

    The norm is that of all gradients' elements together.

    Parameters
    ----------
    parameters : Tensor or iterable of Tensor
        Parameters; those without a gradient do not count.
    max_norm : float
        Largest norm.
    norm_type : float, optional
        Order of the norm.
    error_if_nonfinite : bool, optional
        Whether an infinite or NaN norm is an error; the norm is read then.
    foreach : bool, optional
        Accepted for compatibility; has no effect.

    Returns
    -------
    Tensor
        The norm before the scaling, without dimensions.

    Raises
    ------
    RuntimeError
        For an infinite or NaN norm with `error_if_nonfinite`.
    ValueError
        For a `max_norm` that is no number.

    Examples
    --------
    >>> from quern import torch
    >>> w = torch.tensor([0.0, 0.0], requires_grad=True)
    >>> w.grad = torch.tensor([3.0, 4.0])
    >>> torch.nn.utils.clip_grad_norm_(w, 1.0)
    tensor(5.)
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
    warn_user(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.", FutureWarning
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


clip_grad_norm.__doc__ = "Older name of :func:`clip_grad_norm_`.\n\nParameters\n" + (
    inspect.cleandoc(clip_grad_norm_.__doc__).partition("Parameters\n")[2] + "\n"
)


def clip_grad_value_(parameters, clip_value, foreach=None):
    """Limit each element of gradients in place to the range [-clip_value, clip_value].

    Parameters
    ----------
    parameters : Tensor or iterable of Tensor
        Parameters; those without a gradient do not count.
    clip_value : float
        Largest absolute value.
    foreach : bool, optional
        Accepted for compatibility; has no effect.

    Examples
    --------
    >>> from quern import torch
    >>> w = torch.ones(2, requires_grad=True)
    >>> (w * torch.tensor([3.0, -9.0])).sum().backward()
    >>> torch.nn.utils.clip_grad_value_(w, 5.0)
    >>> w.grad
    tensor([ 3., -5.])
    """
    clip_value = float(clip_value)
    with torch.no_grad():
        for grad in _grads(parameters):
            grad.clamp_(min=-clip_value, max=clip_value)
