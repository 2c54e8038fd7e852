"""NAdam."""

from quern.torch import _namespace as torch
from quern.torch._engine_steps import apply_rule, updates
from quern.torch.optim._state import as_tensor, counted, number_in
from quern.torch.optim.adam import _decays
from quern.torch.optim.optimizer import _check, _check_betas, _check_lr, _number, _RuleOptimizer, _sign

__all__ = ["NAdam"]


class NAdam(_RuleOptimizer):
    """Optimize parameters by NAdam (Dozat, 2016): Adam with Nesterov's momentum.

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
    momentum_decay : float, optional
        Growth of the momentum.
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
        For a negative `lr`, `eps`, `weight_decay` or `momentum_decay`; for `betas` outside of [0, 1); for an empty list
        of parameters.
    RuntimeError
        Where `differentiable` is True.

    Examples
    --------
    >>> from quern import torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = torch.optim.NAdam([w])
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> bool((w < torch.tensor([1.0, 2.0])).all())
    True
    """

    _numbers = ("step", "mu_product")

    def __init__(
        self,
        params,
        lr=2e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        momentum_decay=4e-3,
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
        _check("momentum_decay value", momentum_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _update(self, group):
        lr, psi = _number(group["lr"]), _number(group["momentum_decay"])
        beta1, beta2 = map(_number, group["betas"])
        batches = {}
        for p in group["params"]:
            grad = p.grad
            if grad is None:
                continue
            state = self.state[p]
            if not state:
                state.update(step=as_tensor(0.0), mu_product=as_tensor(1.0), exp_avg=torch.zeros_like(p), exp_avg_sq=torch.zeros_like(p))
            step = counted(state)
            product = number_in(state["mu_product"].mul_(updates.nadam_momentum(beta1, psi, step)))
            batches.setdefault((step, product), []).append((p, grad, state["exp_avg"], state["exp_avg_sq"]))
        for (step, product), rows in batches.items():
            update = updates.nadam(lr, beta1, beta2, _number(group["eps"]), psi, step, product)
            apply_rule(update, rows, (_sign(group), *_decays(group, lr)))
