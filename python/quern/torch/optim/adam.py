"""Adam."""

from quern.lib import _engine
from quern.torch import _namespace as torch
from quern.torch._engine_steps import apply_rule, updates
from quern.torch.optim.optimizer import _check, _check_betas, _check_fused, _check_lr, _number, _RuleOptimizer, _sign

__all__ = ["Adam"]


def _zeros(p):
    return {"exp_avg": torch.zeros_like(p), "exp_avg_sq": torch.zeros_like(p)}


def _zeros_amsgrad(p):
    return {**_zeros(p), "max_exp_avg_sq": torch.zeros_like(p)}


def _decays(group, lr):
    """How weights decay: what times the parameter goes into the gradient, and what is left of the parameter."""
    decay = _number(group["weight_decay"])
    return (0.0, 1.0 - lr * decay) if group["decoupled_weight_decay"] else (decay, 1.0)


class Adam(_RuleOptimizer):
    """Optimize parameters by Adam (Kingma and Ba, 2015): steps by running means of the gradient and of its square.

    Parameters
    ----------
    params : iterable of Tensor or of dict
        Floating-point tensors of any shapes, or groups of them with options of their own.
    lr : float or Tensor, optional
        Learning rate.
    betas : pair of floats, optional
        Decay rates of the two means.
    eps : float, optional
        Number that is added to the root of the mean square.
    weight_decay : float, optional
        Factor of the parameter that is added to the gradient.
    amsgrad : bool, optional
        Whether to divide by the largest mean square so far (Reddi et al., 2018).
    foreach : bool, optional
        Accepted for compatibility; all parameters take one step together.
    maximize : bool, optional
        Whether to climb instead of descend.
    capturable : bool, optional
        Accepted for compatibility; all parameters take one step together.
    differentiable : bool, optional
        Must be False.
    fused : bool, optional
        Accepted for compatibility; all parameters take one step together.
    decoupled_weight_decay : bool, optional
        Whether to subtract ``lr * weight_decay`` times the parameter instead, as AdamW does.

    Raises
    ------
    ValueError
        For a negative `lr`, `eps` or `weight_decay`; for `betas` outside of [0, 1); for an empty list of parameters.
    RuntimeError
        Where `differentiable` is True, or `fused` and `foreach` both are.

    Examples
    --------
    >>> from quern import torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = torch.optim.Adam([w], lr=0.1)
    >>> optimizer.zero_grad()
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.detach()
    tensor([0.9000, 1.9000])
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        amsgrad=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
        fused=None,
        decoupled_weight_decay=False,
    ):
        _check_lr(lr, foreach and not capturable)
        _check("epsilon value", eps)
        _check_betas(betas)
        _check("weight_decay value", weight_decay)
        if isinstance(betas[0], torch.Tensor) != isinstance(betas[1], torch.Tensor):
            raise ValueError("betas must be either both floats or both Tensors")
        _check_fused(fused, foreach, differentiable)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def _update(self, group):
        lr, beta1, beta2 = _number(group["lr"]), _number(group["betas"][0]), _number(group["betas"][1])
        eps, amsgrad = _number(group["eps"]), bool(group["amsgrad"])
        names = _engine.rule_states("adam_amsgrad" if amsgrad else "adam")
        for step, rows in self._counted(group, names, _zeros_amsgrad if amsgrad else _zeros).items():
            apply_rule(updates.adam(lr, beta1, beta2, eps, amsgrad, step), rows, (_sign(group), *_decays(group, lr)))
