"""Muon: an optimizer for matrices."""

import math

from quern.torch import _namespace as torch
from quern.torch.optim.optimizer import Optimizer, _check_lr, _loss_of, _number

__all__ = ["Muon"]


class Muon(Optimizer):
    """Optimize matrices by the orthogonal matrix nearest to the momentum (Jordan et al., 2024).

    The matrix is computed by Newton-Schulz iterations in bfloat16.

    Parameters
    ----------
    params : iterable of Tensor or of dict
        Matrices, or groups of them with options of their own.
    lr : float or Tensor, optional
        Learning rate.
    weight_decay : float, optional
        ``lr * weight_decay`` times the parameter is subtracted from it.
    momentum : float, optional
        Decay rate of the mean gradient.
    nesterov : bool, optional
        Whether to use Nesterov's momentum.
    ns_coefficients : tuple of floats, optional
        Three coefficients of the iteration's polynomial.
    eps : float, optional
        Smallest norm.
    ns_steps : int, optional
        Number of iterations, below 100.
    adjust_lr_fn : {None, 'original', 'match_rms_adamw'}, optional
        Factor of the learning rate: the root of rows over columns, if above 1; or 0.2 times the root of the larger of
        both (Liu et al., 2025).

    Raises
    ------
    ValueError
        For a negative `lr`, `weight_decay` or `momentum`; for another `adjust_lr_fn`; for parameters that are no
        matrices; for an empty list of parameters.

    Examples
    --------
    >>> from quern import torch
    >>> w = torch.ones(2, 2, requires_grad=True)
    >>> optimizer = torch.optim.Muon([w], lr=0.1)
    >>> w.sum().backward()
    >>> optimizer.step()
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        weight_decay=0.1,
        momentum=0.95,
        nesterov=True,
        ns_coefficients=(3.4445, -4.7750, 2.0315),
        eps=1e-7,
        ns_steps=5,
        adjust_lr_fn=None,
    ):
        if isinstance(lr, torch.Tensor):
            _check_lr(lr)
        for name, value in (("Learning rate", lr), ("momentum", momentum), ("weight decay", weight_decay)):
            if not value >= 0.0:
                raise ValueError(f"{name} should be >= 0 but is: {value}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for p in group["params"]:
                if p.dim() != 2:
                    raise ValueError(f"Muon only supports 2D parameters whereas we found a parameter with size: {p.shape}")

    def step(self, closure=None):
        """Update the parameters by their gradients.

        Parameters
        ----------
        closure : callable, optional
            Function that computes the loss again, with its gradients, and returns it.

        Returns
        -------
        object
            Result of `closure`, or None.
        """
        loss = _loss_of(closure)
        with torch.no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    if (grad := p.grad) is not None:
                        self._step(p, grad, group)
        return loss

    def _step(self, p, grad, group):
        if p.is_complex():
            raise RuntimeError("Muon does not support complex parameters")
        state = self.state[p]
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = torch.zeros_like(p)
        lr, momentum = _number(group["lr"]), group["momentum"]
        buffer = state["momentum_buffer"].lerp_(grad, 1 - momentum)
        update = torch.lerp(grad, buffer, momentum) if group["nesterov"] else buffer
        update = _orthogonal(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
        p.mul_(1 - lr * group["weight_decay"])
        p.add_(update.to(p.dtype), alpha=-_adjusted(lr, group["adjust_lr_fn"], p.shape))


def _adjusted(lr, name, shape):
    rows, columns = shape
    return lr * (0.2 * math.sqrt(max(rows, columns)) if name == "match_rms_adamw" else math.sqrt(max(1, rows / columns)))


def _orthogonal(x, coefficients, steps, eps):
    """The orthogonal matrix nearest to ``x``, about: each step moves all singular values towards one."""
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(x.shape) != 2:
        raise ValueError("Input tensor gradient must be a 2D matrix")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    tall = x.shape[0] > x.shape[1]
    x = x.to(torch.bfloat16)
    x = x.T if tall else x  # the smaller product
    x = x / torch.clamp(torch.sqrt(torch.sum(x.to(torch.float32) ** 2)), min=eps).to(torch.bfloat16)
    for _ in range(steps):
        square = x @ x.T
        x = torch.addmm(x, torch.addmm(square, square, square, beta=b, alpha=c), x, beta=a)
    return x.T if tall else x
