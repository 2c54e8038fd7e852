"""Rprop."""

from quern.lib import _engine
from quern.torch import _namespace as torch
from quern.torch._engine_steps import apply_rule, updates
from quern.torch.optim.optimizer import _check_lr, _number, _RuleOptimizer, _sign

__all__ = ["Rprop"]


class Rprop(_RuleOptimizer):
    """Steps by the gradient's sign; each element's step grows until its sign turns (Riedmiller and Braun, 1993).

    Parameters: ``params``: tensors or groups of them; ``lr``: the first step; ``etas``: by how much a step shrinks and grows;
    ``step_sizes``: the least and the largest step; ``maximize``: uphill. ``foreach`` and ``capturable`` are accepted and change nothing;
    ``differentiable=True`` is refused.
    """

    def __init__(
        self,
        params,
        lr=1e-2,
        etas=(0.5, 1.2),
        step_sizes=(1e-6, 50),
        *,
        capturable=False,
        foreach=None,
        maximize=False,
        differentiable=False,
    ):
        _check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _update(self, group):
        lr = _number(group["lr"])

        def begin(p):
            return {"prev": torch.zeros_like(p), "step_size": torch.full_like(p, complex(lr, lr) if p.is_complex() else lr)}

        update = updates.rprop(*map(_number, group["etas"]), *map(_number, group["step_sizes"]))
        for rows in self._counted(group, _engine.rule_states("rprop"), begin).values():
            apply_rule(update, rows, (_sign(group), 0.0, 1.0))
