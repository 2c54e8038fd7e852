"""Averaged stochastic gradient descent."""

from quern.torch import _namespace as torch
from quern.torch._engine_steps import apply_rule, updates
from quern.torch.optim._state import as_tensor, counted
from quern.torch.optim.optimizer import _check, _check_lr, _number, _RuleOptimizer, _sign

__all__ = ["ASGD"]


class ASGD(_RuleOptimizer):
    """Gradient descent with a mean of the parameters beside it, in the state's "ax" (Polyak and Juditsky, 1992).

    Parameters: ``params``: tensors or groups of them; ``lr``: the learning rate; ``lambd``: how fast weights decay; ``alpha``: the power by
    which the rate falls; ``t0``: the step from which on parameters are averaged; ``weight_decay``: times the parameter is added to the
    gradient; ``maximize``: uphill. ``foreach`` and ``capturable`` are accepted and change nothing; ``differentiable=True`` is refused.
    """

    _numbers = ("step", "eta", "mu")

    def __init__(
        self,
        params,
        lr=1e-2,
        lambd=1e-4,
        alpha=0.75,
        t0=1e6,
        weight_decay=0,
        foreach=None,
        maximize=False,
        differentiable=False,
        capturable=False,
    ):
        _check_lr(lr)
        _check("lambd value", lambd)
        _check("alpha value", alpha)
        _check("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _update(self, group):
        lr, lambd = _number(group["lr"]), _number(group["lambd"])
        alpha, t0 = _number(group["alpha"]), _number(group["t0"])
        batches = {}
        for p in group["params"]:
            grad = p.grad
            if grad is None:
                continue
            state = self.state[p]
            if not state:
                state.update(step=as_tensor(0.0), eta=as_tensor(lr), mu=as_tensor(1.0), ax=torch.zeros_like(p))
            step = counted(state)
            eta, mu = float(state["eta"]), float(state["mu"])  # the last step's choice for this one
            batches.setdefault((eta, mu), []).append((p, grad, state["ax"]))
            for name, value in zip(("eta", "mu"), updates.after_asgd(lr, lambd, alpha, t0, step), strict=True):
                state[name].fill_(value)
        for (eta, mu), rows in batches.items():
            apply_rule(updates.asgd(eta, mu), rows, (_sign(group), _number(group["weight_decay"]), 1.0 - lambd * eta))
