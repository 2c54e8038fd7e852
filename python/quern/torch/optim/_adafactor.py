"""Adafactor: an optimizer whose state is small, for it keeps the sums of rows and columns only."""

from quern.torch import _namespace as torch
from quern.torch.optim._state import as_tensor, counted
from quern.torch.optim.optimizer import _check_lr, _number, _RuleOptimizer

__all__ = ["Adafactor"]


class Adafactor(_RuleOptimizer):
    """Divides the gradient by the root of its mean square, as rows' and columns' means tell it (Shazeer and Stern, 2018).

    Parameters: ``params``: tensors or groups of them; ``lr``: the largest relative step; ``beta2_decay``: the power of the step's number by
    which the means change; ``eps``: the least mean square, by default the type's own, and the least size of a parameter for its step;
    ``d``: the largest update, as a root mean square; ``weight_decay``: times lr times the parameter is taken from it; ``maximize``: uphill.
    ``foreach`` is accepted and changes nothing.
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
