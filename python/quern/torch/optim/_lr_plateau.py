"""The schedule that follows a measured value."""

import math

from quern.torch.optim._lr_base import EPOCH_WARNING, LRScheduler, check_optimizer, set_value, values
from quern.user_files import warn_user


class ReduceLROnPlateau(LRScheduler):
    """Decrease the learning rate when a value has stopped improving.

    ``step(value)`` is called with the value.

    Parameters
    ----------
    optimizer : Optimizer
        Optimizer whose learning rates are set.
    mode : {'min', 'max'}, optional
        Whether smaller or larger values are better.
    factor : float, optional
        Factor of the learning rate, below 1.
    patience : int, optional
        Number of steps without improvement that are allowed.
    threshold : float, optional
        Smallest improvement.
    threshold_mode : {'rel', 'abs'}, optional
        Whether `threshold` is a fraction of the best value, or a difference.
    cooldown : int, optional
        Number of steps after a decrease that do not count.
    min_lr : float or list of floats, optional
        Lowest learning rate, or one for each group.
    eps : float, optional
        Smallest decrease.

    Raises
    ------
    ValueError
        For a `factor` of 1 or more; for an unknown `mode` or `threshold_mode`; for a `min_lr` of another length.

    Examples
    --------
    >>> from quern import torch
    >>> model = torch.nn.Linear(3, 1)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    >>> schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    >>> for validation_loss in (1.0, 1.5, 1.5):
    ...     schedule.step(validation_loss)
    >>> schedule.get_last_lr()
    [0.25]
    """

    def __init__(
        self,
        optimizer,
        mode="min",
        factor=0.1,
        patience=10,
        threshold=1e-4,
        threshold_mode="rel",
        cooldown=0,
        min_lr=0,
        eps=1e-8,
    ):
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        check_optimizer(optimizer)
        self.optimizer = optimizer
        groups = optimizer.param_groups
        if isinstance(min_lr, (list, tuple)):
            if len(min_lr) != len(groups):
                raise ValueError(f"expected {len(groups)} min_lrs, got {len(min_lr)}")
            self.default_min_lr = None
            self.min_lrs = list(min_lr)
        else:
            self.default_min_lr = min_lr
            self.min_lrs = [min_lr] * len(groups)
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = values(groups, "lr")
        self._choose(mode, threshold, threshold_mode)
        self._reset()

    def _choose(self, mode, threshold, threshold_mode):
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode

    def _reset(self):
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    @property
    def in_cooldown(self):
        """Do steps not count, shortly after a fall?"""
        return self.cooldown_counter > 0

    def _is_better(self, value):
        sign = -1 if self.mode == "min" else 1
        goal = self.best * (1.0 + sign * self.threshold) if self.threshold_mode == "rel" else self.best + sign * self.threshold
        return value < goal if self.mode == "min" else value > goal

    def step(self, metrics, epoch=None):
        """Take the metric of a step, and set the learning rates.

        Parameters
        ----------
        metrics : float or Tensor
            Value that is watched, such as a validation loss; a tensor has one element.
        epoch : int, optional
            Number of the step; None is the one after the last.
        """
        value = float(metrics)
        if epoch is None:
            epoch = self.last_epoch + 1
        else:
            warn_user(EPOCH_WARNING)
        self.last_epoch = epoch
        if self._is_better(value):
            self.best = value
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(epoch)
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = values(self.optimizer.param_groups, "lr")

    def _reduce_lr(self, epoch):
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):  # groups were added
            if self.default_min_lr is None:
                raise RuntimeError(
                    "The number of param groups in the `optimizer` "
                    f"({len(groups)}) differs from when `ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due to a new "
                    "param group being added to the optimizer. Please modify the `min_lrs` field to match the length of the `optimizer` "
                    "param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, least in zip(groups, self.min_lrs, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                set_value(group, "lr", new)
