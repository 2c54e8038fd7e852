"""RMSprop."""

from quern.lib import _engine
from quern.torch import _namespace as torch
from quern.torch._engine_steps import apply_rule, updates
from quern.torch.optim.optimizer import _check, _check_lr, _number, _RuleOptimizer, _sign

__all__ = ["RMSprop"]


class RMSprop(_RuleOptimizer):
    """Divides the gradient by the root of its mean square (Hinton's lecture 6e, 2012; centered: Graves, 2013).

    Parameters: ``params``: tensors or groups of them; ``lr``: the learning rate; ``alpha``: how much of the means stays in a step; ``eps``:
    added to the root; ``weight_decay``: times the parameter is added to the gradient; ``momentum``: how much of the last step stays;
    ``centered``: divides by the standard deviation; ``maximize``: uphill. ``foreach`` and ``capturable`` are accepted and change nothing;
    ``differentiable=True`` is refused.
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
