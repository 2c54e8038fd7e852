"""RMSprop."""

from quern.lib import _engine
from quern.torch import _namespace as torch
from quern.torch._engine_steps import apply_rule, updates
from quern.torch.optim.optimizer import _check, _check_lr, _number, _RuleOptimizer, _sign

__all__ = ["RMSprop"]


class RMSprop(_RuleOptimizer):
    """Optimize parameters by RMSprop (Hinton, 2012): the gradient is divided by the root of its mean square.

    Parameters
    ----------
    params : iterable of Tensor or of dict
        Floating-point tensors of any shapes, or groups of them with options of their own.
    lr : float or Tensor, optional
        Learning rate.
    alpha : float, optional
        Decay rate of the means.
    eps : float, optional
        Number that is added to the root of the mean square.
    weight_decay : float, optional
        Factor of the parameter that is added to the gradient.
    momentum : float, optional
        Fraction of the last step that is kept.
    centered : bool, optional
        Whether to divide by the standard deviation instead (Graves, 2013).
    capturable, foreach : bool, optional
        Accepted for compatibility; all parameters take one step together.
    maximize : bool, optional
        Whether to climb instead of descend.
    differentiable : bool, optional
        Must be False.

    Raises
    ------
    ValueError
        For a negative `lr`, `eps`, `weight_decay`, `momentum` or `alpha`; for an empty list of parameters.
    RuntimeError
        Where `differentiable` is True.

    Examples
    --------
    >>> from quern import torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = torch.optim.RMSprop([w])
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> bool((w < torch.tensor([1.0, 2.0])).all())
    True
    """

    def __init__(
        self,
        params,
        lr=1e-2,
        alpha=0.99,
        eps=1e-8,
        weight_decay=0,
        momentum=0,
        centered=False,
        capturable=False,
        foreach=None,
        maximize=False,
        differentiable=False,
    ):
        _check_lr(lr)
        _check("epsilon value", eps)
        _check("momentum value", momentum)
        _check("weight_decay value", weight_decay)
        _check("alpha value", alpha)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _update(self, group):
        update = updates.rmsprop(*(_number(group[name]) for name in ("lr", "alpha", "eps", "momentum")), bool(group["centered"]))
        states = _engine.rule_states(update[0])
        for rows in self._counted(group, states, lambda p: {name: torch.zeros_like(p) for name in states}).values():
            apply_rule(update, rows, (_sign(group), _number(group["weight_decay"]), 1.0))
