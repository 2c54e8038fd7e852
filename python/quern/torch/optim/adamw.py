"""AdamW."""

from quern.torch.optim.adam import Adam

__all__ = ["AdamW"]


class AdamW(Adam):
    """Optimize parameters by AdamW (Loshchilov and Hutter, 2019): Adam, whose weight decay does not enter the gradient.

    In each step, ``lr * weight_decay`` times the parameter is subtracted from it.

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
        Factor of the decay.
    amsgrad : bool, optional
        Whether to divide by the largest mean square so far (Reddi et al., 2018).
    maximize : bool, optional
        Whether to climb instead of descend.
    foreach, capturable : bool, optional
        Accepted for compatibility; all parameters take one step together.
    differentiable : bool, optional
        Must be False.
    fused : bool, optional
        Accepted for compatibility; all parameters take one step together.

    Raises
    ------
    ValueError
        For a negative `lr`, `eps` or `weight_decay`; for `betas` outside of [0, 1); for an empty list of parameters.
    RuntimeError
        Where `differentiable` is True.

    Examples
    --------
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
