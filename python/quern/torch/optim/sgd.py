"""Stochastic gradient descent."""

from quern.torch import _namespace as torch
from quern.torch._engine_steps import apply_rule, updates
from quern.torch.optim.optimizer import _check, _check_fused, _check_lr, _number, _RuleOptimizer, _sign

__all__ = ["SGD"]


class SGD(_RuleOptimizer):
    """Optimize parameters by stochastic gradient descent, optionally with momentum.

    Parameters
    ----------
    params : iterable of Tensor or of dict
        Floating-point tensors of any shapes, or groups of them with options of their own.
    lr : float or Tensor, optional
        Learning rate.
    momentum : float, optional
        Fraction of the last step that is kept.
    dampening : float, optional
        Fraction of the gradient that does not enter the momentum.
    weight_decay : float, optional
        Factor of the parameter that is added to the gradient.
    nesterov : bool, optional
        Whether to use Nesterov's momentum (Sutskever et al., 2013).
    maximize : bool, optional
        Whether to climb instead of descend.
    foreach : bool, optional
        Accepted for compatibility; all parameters take one step together.
    differentiable : bool, optional
        Must be False.
    fused : bool, optional
        Accepted for compatibility; all parameters take one step together.

    Raises
    ------
    ValueError
        For a negative `lr`, `momentum` or `weight_decay`; for `nesterov` without momentum, or with dampening; for an empty
        list of parameters.
    RuntimeError
        Where `differentiable` is True, or `fused` and `foreach` both are.

    Examples
    --------
    >>> from quern import torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=0.1)
    >>> optimizer.zero_grad()
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.detach()
    tensor([0.8000, 1.6000])
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
