"""Adagrad."""

from quern.lib import _engine
from quern.torch import _namespace as torch
from quern.torch._engine_steps import apply_rule, updates
from quern.torch.optim.optimizer import _check, _check_fused, _check_lr, _number, _RuleOptimizer, _sign

__all__ = ["Adagrad"]


class Adagrad(_RuleOptimizer):
    """Divides the gradient by the root of the sum of all its squares (Duchi et al., 2011).

    Parameters: ``params``: tensors or groups of them; ``lr``: the learning rate; ``lr_decay``: how fast it falls with the steps;
    ``weight_decay``: times the parameter is added to the gradient; ``initial_accumulator_value``: what the sums begin with; ``eps``: added
    to the root; ``maximize``: uphill. ``foreach`` and ``fused`` are accepted and change nothing; ``differentiable=True`` is refused.
    """

    def __init__(
        self,
        params,
        lr=1e-2,
        lr_decay=0,
        weight_decay=0,
        initial_accumulator_value=0,
        eps=1e-10,
        foreach=None,
        *,
        maximize=False,
        differentiable=False,
        fused=None,
    ):
        _check_lr(lr)
        _check("lr_decay value", lr_decay)
        _check("weight_decay value", weight_decay)
        _check("initial_accumulator_value value", initial_accumulator_value)
        _check("epsilon value", eps)
        _check_fused(fused, foreach, differentiable)
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p].update(step=0.0, **self._begin(p))

    def _begin(self, p):
        first = self.defaults["initial_accumulator_value"]
        return {"sum": torch.full_like(p, complex(first, first) if p.is_complex() else first)}

    def share_memory(self):
        """Does nothing: there is one process."""

    def _update(self, group):
        decays = _sign(group), _number(group["weight_decay"]), 1.0
        lr, slower, eps = (_number(group[name]) for name in ("lr", "lr_decay", "eps"))
        for step, rows in self._counted(group, _engine.rule_states("adagrad"), self._begin).items():
            apply_rule(updates.adagrad(lr, slower, eps, step), rows, decays)
