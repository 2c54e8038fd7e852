"""Stochastic gradient descent."""

from quern.torch import _namespace as torch
from quern.torch._engine_steps import apply_rule, updates
from quern.torch.optim.optimizer import _check, _check_fused, _check_lr, _number, _RuleOptimizer, _sign

__all__ = ["SGD"]


class SGD(_RuleOptimizer):
    """Stochastic gradient descent, optionally with momentum (Sutskever et al., 2013, for Nesterov's form).

    Parameters: ``params``: tensors or groups of them; ``lr``: the learning rate, a number or a tensor of one; ``momentum``: how much of the
    last step stays; ``dampening``: how much of the gradient does not enter the momentum; ``weight_decay``: times the parameter is added
    to the gradient; ``nesterov``: steps from where the momentum leads; ``maximize``: uphill. ``foreach`` and ``fused`` are accepted: all
    parameters take one step together anyway. ``differentiable=True`` is refused.

    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    >>> optimizer.zero_grad()
    >>> loss_fn(model(x), y).backward()
    >>> optimizer.step()
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        momentum=0,
        dampening=0,
        weight_decay=0,
        nesterov=False,
        *,
        maximize=False,
        foreach=None,
        differentiable=False,
        fused=None,
    ):
        _check_lr(lr)
        _check("momentum value", momentum)
        _check("weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        _check_fused(fused, foreach, differentiable)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)

    def _update(self, group):
        momentum = _number(group["momentum"])
        lr, decays = _number(group["lr"]), (_sign(group), _number(group["weight_decay"]), 1.0)
        if momentum == 0:
            rows = [(p, grad) for p in group["params"] if (grad := p.grad) is not None]
            if rows:
                apply_rule(updates.sgd(lr, 0.0, 1.0, False), rows, decays)
            return
        first, later = [], []
        for p in group["params"]:
            grad = p.grad
            if grad is None:
                continue
            state = self.state[p]
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = torch.zeros_like(p)
                first.append((p, grad, buffer))
            else:
                later.append((p, grad, buffer))
        for rows, weight in ((first, 1.0), (later, 1.0 - _number(group["dampening"]))):
            if rows:
                apply_rule(updates.sgd(lr, momentum, weight, bool(group["nesterov"])), rows, decays)
