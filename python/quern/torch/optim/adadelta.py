"""Adadelta."""

from quern.lib import _engine
from quern.torch import _namespace as torch
from quern.torch._engine_steps import apply_rule, updates
from quern.torch.optim.optimizer import _check, _check_lr, _number, _RuleOptimizer, _sign

__all__ = ["Adadelta"]


def _zeros(p):
    return {"square_avg": torch.zeros_like(p), "acc_delta": torch.zeros_like(p)}


class Adadelta(_RuleOptimizer):
    """Steps as large as the steps of late, by the gradient over its root mean square (Zeiler, 2012).

    Parameters: ``params``: tensors or groups of them; ``lr``: times the step; ``rho``: how much of the mean squares stays; ``eps``: added
    to them under the roots; ``weight_decay``: times the parameter is added to the gradient; ``maximize``: uphill. ``foreach`` and
    ``capturable`` are accepted and change nothing; ``differentiable=True`` is refused.
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
