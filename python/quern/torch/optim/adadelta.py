"""Adadelta."""

from quern.lib import _engine
from quern.torch import _namespace as torch
from quern.torch._engine_steps import apply_rule, updates
from quern.torch.optim.optimizer import _check, _check_lr, _number, _RuleOptimizer, _sign

__all__ = ["Adadelta"]


def _zeros(p):
    return {"square_avg": torch.zeros_like(p), "acc_delta": torch.zeros_like(p)}


class Adadelta(_RuleOptimizer):
    """Optimize parameters by Adadelta (Zeiler, 2012): steps of the size of the recent steps.

    Parameters
    ----------
    params : iterable of Tensor or of dict
        Floating-point tensors of any shapes, or groups of them with options of their own.
    lr : float or Tensor, optional
        Factor of the steps.
    rho : float, optional
        Decay rate of the mean squares.
    eps : float, optional
        Number that is added to the mean squares.
    weight_decay : float, optional
        Factor of the parameter that is added to the gradient.
    foreach, capturable : bool, optional
        Accepted for compatibility; all parameters take one step together.
    maximize : bool, optional
        Whether to climb instead of descend.
    differentiable : bool, optional
        Must be False.

    Raises
    ------
    ValueError
        For a negative `lr`, `eps` or `weight_decay`; for a `rho` outside of [0, 1]; for an empty list of parameters.
    RuntimeError
        Where `differentiable` is True.

    Examples
    --------
    >>> from quern import torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = torch.optim.Adadelta([w])
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> bool((w < torch.tensor([1.0, 2.0])).all())
    True
    """

    def __init__(
        self,
        params,
        lr=1.0,
        rho=0.9,
        eps=1e-6,
        weight_decay=0,
        foreach=None,
        *,
        capturable=False,
        maximize=False,
        differentiable=False,
    ):
        _check_lr(lr)
        _check("rho value", rho, 1.0)
        _check("epsilon value", eps)
        _check("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _update(self, group):
        update = updates.adadelta(*(_number(group[name]) for name in ("lr", "rho", "eps")))
        for rows in self._counted(group, _engine.rule_states("adadelta"), _zeros).values():
            apply_rule(update, rows, (_sign(group), _number(group["weight_decay"]), 1.0))
