"""Averaged stochastic gradient descent."""

from quern.torch import _namespace as torch
from quern.torch._engine_steps import apply_rule, updates
from quern.torch.optim._state import as_tensor, counted, number_in
from quern.torch.optim.optimizer import _check, _check_lr, _number, _RuleOptimizer, _sign

__all__ = ["ASGD"]


class ASGD(_RuleOptimizer):
    """Optimize parameters by averaged gradient descent (Polyak and Juditsky, 1992); the means are in the state's "ax".

    Parameters
    ----------
    params : iterable of Tensor or of dict
        Floating-point tensors of any shapes, or groups of them with options of their own.
    lr : float or Tensor, optional
        Learning rate.
    lambd : float, optional
        Decay of the weights.
    alpha : float, optional
        Exponent by which the learning rate falls.
    t0 : float, optional
        Step from which the parameters are averaged.
    weight_decay : float, optional
        Factor of the parameter that is added to the gradient.
    foreach : bool, optional
        Accepted for compatibility; all parameters take one step together.
    maximize : bool, optional
        Whether to climb instead of descend.
    differentiable : bool, optional
        Must be False.
    capturable : bool, optional
        Accepted for compatibility; all parameters take one step together.

    Raises
    ------
    ValueError
        For a negative `lr` or `weight_decay`; for an empty list of parameters.
    RuntimeError
        Where `differentiable` is True.

    Examples
    --------
    >>> from quern import torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = torch.optim.ASGD([w])
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> bool((w < torch.tensor([1.0, 2.0])).all())
    True
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
            eta, mu = number_in(state["eta"]), number_in(state["mu"])  # the last step's choice for this one
            batches.setdefault((eta, mu), []).append((p, grad, state["ax"]))
            for name, value in zip(("eta", "mu"), updates.after_asgd(lr, lambd, alpha, t0, step), strict=True):
                state[name].fill_(value)
        for (eta, mu), rows in batches.items():
            apply_rule(updates.asgd(eta, mu), rows, (_sign(group), _number(group["weight_decay"]), 1.0 - lambd * eta))
