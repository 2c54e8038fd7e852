"""Adafactor: an optimizer whose state is small, for it keeps the sums of rows and columns only."""

from quern.torch import _namespace as torch
from quern.torch.optim._state import as_tensor, counted
from quern.torch.optim.optimizer import _check_lr, _number, _RuleOptimizer

__all__ = ["Adafactor"]


class Adafactor(_RuleOptimizer):
    """Optimize parameters by Adafactor (Shazeer and Stern, 2018): the mean square is kept as means of rows and columns.

    Parameters
    ----------
    params : iterable of Tensor or of dict
        Floating-point tensors of any shapes, or groups of them with options of their own.
    lr : float, optional
        Largest relative step.
    beta2_decay : float, optional
        Exponent of the step's number by which the means change.
    eps : pair of floats, optional
        Smallest mean square (None: that of the dtype), and smallest size of a parameter for its step.
    d : float, optional
        Largest root mean square of an update.
    weight_decay : float, optional
        ``lr * weight_decay`` times the parameter is subtracted from it.
    foreach : bool, optional
        Accepted for compatibility; all parameters take one step together.
    maximize : bool, optional
        Whether to climb instead of descend.

    Raises
    ------
    ValueError
        For a negative `lr`, `eps` or `weight_decay`; for a `beta2_decay` above 0, or a `d` below 1; for an empty list
        of parameters.

    Examples
    --------
    >>> from quern import torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = torch.optim.Adafactor([w])
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> bool((w < torch.tensor([1.0, 2.0])).all())
    True
    """

    def __init__(
        self,
        params,
        lr=1e-2,
        beta2_decay=-0.8,
        eps=(None, 1e-3),
        d=1.0,
        weight_decay=0.0,
        *,
        foreach=None,
        maximize=False,
    ):
        if isinstance(lr, torch.Tensor):
            _check_lr(lr)
        if not lr >= 0.0:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not beta2_decay <= 0.0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not eps[0] >= 0.0:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not eps[1] >= 0.0:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not d >= 1.0:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not weight_decay >= 0.0:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _update(self, group):
        for p in group["params"]:
            grad = p.grad
            if grad is None:
                continue
            if p.is_complex():
                raise RuntimeError("Adafactor does not support complex parameters")
            state = self.state[p]
            if not state:
                shape = tuple(p.shape)
                state["step"] = as_tensor(0.0)
                if len(shape) > 1:
                    state["row_var"] = torch.zeros((*shape[:-1], 1), dtype=p.dtype, device=p.device)
                    state["col_var"] = torch.zeros((*shape[:-2], 1, shape[-1]), dtype=p.dtype, device=p.device)
                else:
                    state["variance"] = torch.zeros_like(p)
            step = counted(state)
            _step(p, -grad if group["maximize"] else grad, state, step, group)


def _size(x):
    """The root mean square, a tensor, so that nothing waits for it."""
    return torch.sqrt(torch.mean(x * x))


def _step(p, grad, state, step, group):
    least, least_size = group["eps"]
    least = torch.finfo(p.dtype).eps if least is None else least
    lr = _number(group["lr"])
    weight = step ** group["beta2_decay"]
    length = torch.clamp(_size(p), min=least_size) * min(lr, 1.0 / step**0.5)
    squares = grad * grad
    if p.dim() > 1:
        row, column = state["row_var"], state["col_var"]
        row.lerp_(squares.mean(dim=-1, keepdim=True), weight)
        column.lerp_(squares.mean(dim=-2, keepdim=True), weight)
        mean = row * column / torch.clamp(row.mean(dim=-2, keepdim=True), min=least)
    else:
        mean = state["variance"].lerp_(squares, weight)
    update = torch.rsqrt(torch.clamp(mean, min=least * least)) * grad
    length = length / torch.clamp(_size(update) / group["d"], min=1.0)
    if group["weight_decay"] != 0:
        p.mul_(1.0 - lr * group["weight_decay"])
    p.sub_(update * length)
