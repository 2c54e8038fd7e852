"""RAdam."""

from quern.lib import _engine
from quern.torch._engine_steps import apply_rule, updates
from quern.torch.optim.adam import _decays, _zeros
from quern.torch.optim.optimizer import _check, _check_betas, _check_lr, _number, _RuleOptimizer, _sign

__all__ = ["RAdam"]


class RAdam(_RuleOptimizer):
    """Optimize parameters by RAdam (Liu et al., 2020): Adam, whose first steps do not use the mean square.

    Parameters
    ----------
    params : iterable of Tensor or of dict
        Floating-point tensors of any shapes, or groups of them with options of their own.
    lr : float or Tensor, optional
        Learning rate.
    betas : pair of floats, optional
        Decay rates of the means of the gradient and of its square.
    eps : float, optional
        Number that is added to the root of the mean square.
    weight_decay : float, optional
        Factor of the parameter that is added to the gradient; with `decoupled_weight_decay`, ``lr * weight_decay``
        times the parameter is subtracted from it.
    decoupled_weight_decay : bool, optional
        Whether weights decay as in AdamW.
    foreach : bool, optional
        Accepted for compatibility; all parameters take one step together.
    maximize : bool, optional
        Whether to climb instead of descend.
    capturable : bool, optional
        Accepted for compatibility; all parameters take one step together.
    differentiable : bool, optional
        Must be False.

    Raises
    ------
    ValueError
        For a negative `lr`, `eps` or `weight_decay`; for `betas` outside of [0, 1); for an empty list of parameters.
    RuntimeError
        Where `differentiable` is True.

    Examples
    --------
    >>> from quern import torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = torch.optim.RAdam([w])
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> bool((w < torch.tensor([1.0, 2.0])).all())
    True
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
