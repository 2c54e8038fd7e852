"""Adamax."""

from quern.lib import _engine
from quern.torch import _namespace as torch
from quern.torch._engine_steps import apply_rule, updates
from quern.torch.optim.optimizer import _check, _check_betas, _check_lr, _number, _RuleOptimizer, _sign

__all__ = ["Adamax"]


def _zeros(p):
    return {"exp_avg": torch.zeros_like(p), "exp_inf": torch.zeros_like(p)}


class Adamax(_RuleOptimizer):
    """Optimize parameters by Adamax (Kingma and Ba, 2015): Adam, with the largest recent gradient instead of the mean square.

    Parameters
    ----------
    params : iterable of Tensor or of dict
        Floating-point tensors of any shapes, or groups of them with options of their own.
    lr : float or Tensor, optional
        Learning rate.
    betas : pair of floats, optional
        Decay rates of the mean and of the largest gradient.
    eps : float, optional
        Number that is added to the gradient's size.
    weight_decay : float, optional
        Factor of the parameter that is added to the gradient.
    foreach : bool, optional
        Accepted for compatibility; all parameters take one step together.
    maximize : bool, optional
        Whether to climb instead of descend.
    differentiable : bool, optional
        Must be False.
    capturable : bool, optional
        Accepted for compatibility; all parameters take one step together.

    Raises
    ------
    ValueError
        For a negative `lr`, `eps` or `weight_decay`; for `betas` outside of [0, 1); for an empty list of parameters.
    RuntimeError
        Where `differentiable` is True.

    Examples
    --------
    >>> from quern import torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = torch.optim.Adamax([w])
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> bool((w < torch.tensor([1.0, 2.0])).all())
    True
    """

    def __init__(
        self,
        params,
        lr=2e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        foreach=None,
        *,
        maximize=False,
        differentiable=False,
        capturable=False,
    ):
        _check_lr(lr)
        _check("epsilon value", eps)
        _check_betas(betas)
        _check("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _update(self, group):
        beta1, beta2 = map(_number, group["betas"])
        decays = _sign(group), _number(group["weight_decay"]), 1.0
        for step, rows in self._counted(group, _engine.rule_states("adamax"), _zeros).items():
            apply_rule(updates.adamax(_number(group["lr"]), beta1, beta2, _number(group["eps"]), step), rows, decays)
