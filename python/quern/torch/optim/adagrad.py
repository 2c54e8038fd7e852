"""Adagrad."""

from quern.lib import _engine
from quern.torch import _namespace as torch
from quern.torch._engine_steps import apply_rule, updates
from quern.torch.optim._state import as_tensor
from quern.torch.optim.optimizer import _check, _check_fused, _check_lr, _number, _RuleOptimizer, _sign

__all__ = ["Adagrad"]


class Adagrad(_RuleOptimizer):
    """Optimize parameters by Adagrad (Duchi et al., 2011): the gradient is divided by the root of the sum of its squares.

    Parameters
    ----------
    params : iterable of Tensor or of dict
        Floating-point tensors of any shapes, or groups of them with options of their own.
    lr : float or Tensor, optional
        Learning rate.
    lr_decay : float, optional
        Decay of the learning rate with the steps.
    weight_decay : float, optional
        Factor of the parameter that is added to the gradient.
    initial_accumulator_value : float, optional
        Start value of the sums.
    eps : float, optional
        Number that is added to the root.
    foreach : bool, optional
        Accepted for compatibility; all parameters take one step together.
    maximize : bool, optional
        Whether to climb instead of descend.
    differentiable : bool, optional
        Must be False.
    fused : bool, optional
        Accepted for compatibility; all parameters take one step together.

    Raises
    ------
    ValueError
        For a negative `lr`, `lr_decay`, `weight_decay`, `initial_accumulator_value` or `eps`; for an empty list of
        parameters.
    RuntimeError
        Where `differentiable` is True.

    Examples
    --------
    >>> from quern import torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = torch.optim.Adagrad([w])
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> bool((w < torch.tensor([1.0, 2.0])).all())
    True
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
                self.state[p].update(step=as_tensor(0.0), **self._begin(p))

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
