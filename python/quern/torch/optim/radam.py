"""RAdam."""

from quern.lib import _engine
from quern.torch._engine_steps import apply_rule, updates
from quern.torch.optim.adam import _decays, _zeros
from quern.torch.optim.optimizer import _check, _check_betas, _check_lr, _number, _RuleOptimizer, _sign

__all__ = ["RAdam"]


class RAdam(_RuleOptimizer):
    """Adam whose first steps are rectified (Liu et al., 2020): the mean square counts as far as its variance is known.

    Parameters: ``params``: tensors or groups of them; ``lr``: the rate; ``betas``: how much of the means of the gradient and of its
    square stays in a step; ``eps``: added to the root of the mean square; ``weight_decay``: times the parameter is added to the gradient,
    or, with ``decoupled_weight_decay``, times lr times the parameter is taken from it; ``maximize``: uphill. ``foreach`` and
    ``capturable`` are accepted and change nothing; ``differentiable=True`` is refused.
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        decoupled_weight_decay=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
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
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _update(self, group):
        lr = _number(group["lr"])
        beta1, beta2 = map(_number, group["betas"])
        for step, rows in self._counted(group, _engine.rule_states("radam"), _zeros).items():
            apply_rule(updates.radam(lr, beta1, beta2, _number(group["eps"]), step), rows, (_sign(group), *_decays(group, lr)))
