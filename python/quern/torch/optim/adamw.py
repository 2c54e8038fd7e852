"""AdamW."""

from quern.torch.optim.adam import Adam

__all__ = ["AdamW"]


class AdamW(Adam):
    """Adam whose weights decay apart from the gradient (Loshchilov and Hutter, 2019): in each step lr * weight_decay of them goes.

    Parameters: those of Adam; ``weight_decay`` is 0.01 by default.

    >>> from quern import torch
    >>> model = torch.nn.Linear(3, 1)
    >>> optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=0.1)
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=1e-2,
        amsgrad=False,
        *,
        maximize=False,
        foreach=None,
        capturable=False,
        differentiable=False,
        fused=None,
    ):
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True  # also in a state of Adam's
