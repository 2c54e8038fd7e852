"""Rprop."""

from quern.lib import _engine
from quern.torch import _namespace as torch
from quern.torch._engine_steps import apply_rule, updates
from quern.torch.optim.optimizer import _check_lr, _number, _RuleOptimizer, _sign

__all__ = ["Rprop"]


class Rprop(_RuleOptimizer):
    """Optimize parameters by the sign of the gradient (Riedmiller and Braun, 1993).

    The step of an element grows until its gradient changes the sign.

    Parameters
    ----------
    params : iterable of Tensor or of dict
        Floating-point tensors of any shapes, or groups of them with options of their own.
    lr : float or Tensor, optional
        First step.
    etas : pair of floats, optional
        Factors by which a step shrinks and grows.
    step_sizes : pair of floats, optional
        Smallest and largest step.
    capturable, foreach : bool, optional
        Accepted for compatibility; all parameters take one step together.
    maximize : bool, optional
        Whether to climb instead of descend.
    differentiable : bool, optional
        Must be False.

    Raises
    ------
    ValueError
        For a negative `lr`; for `etas` that are not below and above 1; for an empty list of parameters.
    RuntimeError
        Where `differentiable` is True.

    Examples
    --------
    >>> from quern import torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = torch.optim.Rprop([w])
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> bool((w < torch.tensor([1.0, 2.0])).all())
    True
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
