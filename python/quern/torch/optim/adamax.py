"""Adamax."""

from quern.lib import _engine
from quern.torch import _namespace as torch
from quern.torch._engine_steps import apply_rule, updates
from quern.torch.optim.optimizer import _check, _check_betas, _check_lr, _number, _RuleOptimizer, _sign

__all__ = ["Adamax"]


def _zeros(p):
    return {"exp_avg": torch.zeros_like(p), "exp_inf": torch.zeros_like(p)}


class Adamax(_RuleOptimizer):
    """Adam with the largest gradient of late in place of the mean square (Kingma and Ba, 2015, section 7.1).

    Parameters: ``params``: tensors or groups of them; ``lr``: the rate; ``betas``: how much of the mean and of the largest gradient
    stays in a step; ``eps``: added to the gradient's size; ``weight_decay``: times the parameter is added to the gradient;
    ``maximize``: uphill. ``foreach`` and ``capturable`` are accepted and change nothing; ``differentiable=True`` is refused.
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
