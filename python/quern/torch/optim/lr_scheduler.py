"""Schedules of learning rates.

>>> from quern import torch
>>> model = torch.nn.Linear(3, 1)
>>> optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
>>> schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30, gamma=0.5)
>>> for epoch in range(60):
...     optimizer.step()
...     schedule.step()
>>> schedule.get_last_lr()
[0.125]
"""

import math
from bisect import bisect_right
from collections import Counter

from quern.torch.optim._lr_base import LRScheduler, load_functions, saved_functions, set_value, values
from quern.torch.optim._lr_cycles import CosineAnnealingWarmRestarts, CyclicLR, OneCycleLR
from quern.torch.optim._lr_plateau import ReduceLROnPlateau

__all__ = [
    "LambdaLR",
    "MultiplicativeLR",
    "StepLR",
    "MultiStepLR",
    "ConstantLR",
    "LinearLR",
    "ExponentialLR",
    "SequentialLR",
    "CosineAnnealingLR",
    "ChainedScheduler",
    "ReduceLROnPlateau",
    "CyclicLR",
    "CosineAnnealingWarmRestarts",
    "OneCycleLR",
    "PolynomialLR",
    "LRScheduler",
]


class _LRScheduler(LRScheduler):
    """LRScheduler under its old name."""


class LambdaLR(LRScheduler):
    """Multiply the first learning rate by a function of the step's number.

    Parameters
    ----------
    optimizer : Optimizer
        Optimizer whose learning rates are set.
    lr_lambda : callable or list of callable
        Function from the step's number to the factor, or one for each group.
    last_epoch : int, optional
        Last step of an earlier run; -1 for a new run.

    Raises
    ------
    ValueError
        For a list of another length than the number of groups.

    Examples
    --------
    >>> from quern import torch
    >>> model = torch.nn.Linear(3, 1)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    >>> schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 4))  # a warm-up
    >>> schedule.get_last_lr()
    [0.125]
    """

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        self.optimizer = optimizer
        self.lr_lambdas = _functions(optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def state_dict(self):
        """Everything but the optimizer and plain functions, which cannot be saved; of objects that can be called their attributes."""
        state = {name: value for name, value in super().state_dict().items() if name != "lr_lambdas"}
        return state | {"lr_lambdas": saved_functions(self.lr_lambdas)}

    def load_state_dict(self, state_dict):
        """Restore a state that :meth:`state_dict` returned; plain functions stay those of this schedule.

        Parameters
        ----------
        state_dict : dict
            State of a schedule of the same class.
        """
        state = dict(state_dict)
        functions = state.pop("lr_lambdas")
        super().load_state_dict(state)
        load_functions(self.lr_lambdas, functions)

    def get_lr(self):
        """The rates of step ``last_epoch``."""
        self._check_within_step()
        return [base * f(self.last_epoch) for base, f in zip(self.base_lrs, self.lr_lambdas, strict=True)]


class MultiplicativeLR(LambdaLR):
    """Multiply the last learning rate by a function of the step's number.

    Parameters
    ----------
    optimizer : Optimizer
        Optimizer whose learning rates are set.
    lr_lambda : callable or list of callable
        Function from the step's number to the factor, or one for each group.
    last_epoch : int, optional
        Last step of an earlier run; -1 for a new run.

    Raises
    ------
    ValueError
        For a list of another length than the number of groups.

    Examples
    --------
    >>> from quern import torch
    >>> optimizer = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda step: 0.5)
    >>> optimizer.step(), schedule.step()
    (None, None)
    >>> schedule.get_last_lr()
    [0.5]
    """

    def get_lr(self):
        """The rates of step ``last_epoch``."""
        self._check_within_step()
        if self._is_initial:
            return self._rates()
        return [lr * f(self.last_epoch) for lr, f in zip(self._rates(), self.lr_lambdas, strict=True)]


def _functions(optimizer, given):
    groups = getattr(optimizer, "param_groups", ())
    if not isinstance(given, (list, tuple)):
        return [given] * len(groups)
    if len(given) != len(groups):
        raise ValueError(f"Expected {len(groups)} lr_lambdas, but got {len(given)}")
    return list(given)


class StepLR(LRScheduler):
    """Multiply the learning rate by a factor every few steps.

    Parameters
    ----------
    optimizer : Optimizer
        Optimizer whose learning rates are set.
    step_size : int
        Number of steps between two changes.
    gamma : float, optional
        Factor.
    last_epoch : int, optional
        Last step of an earlier run; -1 for a new run.

    Examples
    --------
    >>> from quern import torch
    >>> optimizer = torch.optim.SGD(torch.nn.Linear(3, 1).parameters(), lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> rates = []
    >>> for step in range(5):
    ...     rates.append(schedule.get_last_lr()[0])
    ...     optimizer.step()
    ...     schedule.step()
    >>> rates
    [1.0, 1.0, 0.5, 0.5, 0.25]
    """

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The rates of step ``last_epoch``."""
        self._check_within_step()
        return self._rates(None if self.last_epoch == 0 or self.last_epoch % self.step_size else self.gamma)

    def _get_closed_form_lr(self):
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Multiply the learning rate by a factor at some steps.

    Parameters
    ----------
    optimizer : Optimizer
        Optimizer whose learning rates are set.
    milestones : sequence of ints
        Numbers of these steps.
    gamma : float, optional
        Factor.
    last_epoch : int, optional
        Last step of an earlier run; -1 for a new run.

    Examples
    --------
    >>> from quern import torch
    >>> optimizer = torch.optim.SGD(torch.nn.Linear(3, 1).parameters(), lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.MultiStepLR(optimizer, [1, 3], gamma=0.5)
    >>> rates = []
    >>> for step in range(4):
    ...     rates.append(schedule.get_last_lr()[0])
    ...     optimizer.step()
    ...     schedule.step()
    >>> rates
    [1.0, 0.5, 0.5, 0.25]
    """

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The rates of step ``last_epoch``."""
        self._check_within_step()
        times = self.milestones.get(self.last_epoch)
        return self._rates(None if times is None else self.gamma**times)

    def _get_closed_form_lr(self):
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """Multiply the learning rate by a factor until a step.

    Parameters
    ----------
    optimizer : Optimizer
        Optimizer whose learning rates are set.
    factor : float, optional
        Factor, in [0, 1].
    total_iters : int, optional
        Number of steps with the factor.
    last_epoch : int, optional
        Last step of an earlier run; -1 for a new run.

    Raises
    ------
    ValueError
        For a `factor` outside of [0, 1].

    Examples
    --------
    >>> from quern import torch
    >>> optimizer = torch.optim.SGD(torch.nn.Linear(3, 1).parameters(), lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
    >>> rates = []
    >>> for step in range(3):
    ...     rates.append(schedule.get_last_lr()[0])
    ...     optimizer.step()
    ...     schedule.step()
    >>> rates
    [0.5, 0.5, 1.0]
    """

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        if not 0 <= factor <= 1.0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The rates of step ``last_epoch``."""
        self._check_within_step()
        if self.last_epoch == 0:
            return self._rates(self.factor)
        return self._rates(None if self.last_epoch != self.total_iters else 1.0 / self.factor)

    def _get_closed_form_lr(self):
        factor = 1.0 if self.last_epoch >= self.total_iters else self.factor
        return [base * factor for base in self.base_lrs]


class LinearLR(LRScheduler):
    """Multiply the learning rate by a factor that changes linearly.

    Parameters
    ----------
    optimizer : Optimizer
        Optimizer whose learning rates are set.
    start_factor : float, optional
        First factor, above 0 and at most 1.
    end_factor : float, optional
        Last factor, in [0, 1].
    total_iters : int, optional
        Number of steps from the first to the last factor.
    last_epoch : int, optional
        Last step of an earlier run; -1 for a new run.

    Raises
    ------
    ValueError
        For factors outside of these ranges.

    Examples
    --------
    >>> from quern import torch
    >>> optimizer = torch.optim.SGD(torch.nn.Linear(3, 1).parameters(), lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> rates = []
    >>> for step in range(3):
    ...     rates.append(schedule.get_last_lr()[0])
    ...     optimizer.step()
    ...     schedule.step()
    >>> rates
    [0.5, 0.75, 1.0]
    """

    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1):
        if not 0 < start_factor <= 1.0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0 <= end_factor <= 1.0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The rates of step ``last_epoch``."""
        self._check_within_step()
        if self.last_epoch == 0:
            return self._rates(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._rates()
        rise = self.end_factor - self.start_factor
        return self._rates(1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise))

    def _get_closed_form_lr(self):
        share = min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * (self.start_factor + (self.end_factor - self.start_factor) * share) for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Multiply the learning rate by a factor at each step.

    Parameters
    ----------
    optimizer : Optimizer
        Optimizer whose learning rates are set.
    gamma : float
        Factor.
    last_epoch : int, optional
        Last step of an earlier run; -1 for a new run.

    Examples
    --------
    >>> from quern import torch
    >>> optimizer = torch.optim.SGD(torch.nn.Linear(3, 1).parameters(), lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> rates = []
    >>> for step in range(3):
    ...     rates.append(schedule.get_last_lr()[0])
    ...     optimizer.step()
    ...     schedule.step()
    >>> rates
    [1.0, 0.5, 0.25]
    """

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The rates of step ``last_epoch``."""
        self._check_within_step()
        return self._rates(None if self._is_initial else self.gamma)

    def _get_closed_form_lr(self):
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """Decrease the learning rate along half a cosine, and increase it again (Loshchilov and Hutter, 2017).

    Parameters
    ----------
    optimizer : Optimizer
        Optimizer whose learning rates are set.
    T_max : int
        Number of steps of half a cosine.
    eta_min : float, optional
        Lowest learning rate.
    last_epoch : int, optional
        Last step of an earlier run; -1 for a new run.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch import nn
    >>> optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.1)
    >>> scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)
    >>> for step in range(5):
    ...     optimizer.step()
    ...     scheduler.step()
    >>> round(scheduler.get_last_lr()[0], 4)
    0.05
    """

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The rates of step ``last_epoch``."""
        self._check_within_step()
        step, half, least = self.last_epoch, self.T_max, self.eta_min
        if self._is_initial:
            return self._rates()
        if self._step_count == 1 and step > 0:
            return self._get_closed_form_lr()
        if (step - 1 - half) % (2 * half) == 0:  # up from the bottom, where the ratio of two steps has no meaning
            rise = (1 - math.cos(math.pi / half)) / 2
            return [lr + (base - least) * rise for base, lr in zip(self.base_lrs, self._rates(), strict=True)]
        ratio = (1 + math.cos(math.pi * step / half)) / (1 + math.cos(math.pi * (step - 1) / half))
        return [ratio * (lr - least) + least for lr in self._rates()]

    def _get_closed_form_lr(self):
        share = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """Decrease the learning rate to 0 by a power of the remaining steps.

    Parameters
    ----------
    optimizer : Optimizer
        Optimizer whose learning rates are set.
    total_iters : int, optional
        Number of steps.
    power : float, optional
        Exponent.
    last_epoch : int, optional
        Last step of an earlier run; -1 for a new run.

    Examples
    --------
    >>> from quern import torch
    >>> optimizer = torch.optim.SGD(torch.nn.Linear(3, 1).parameters(), lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=2)
    >>> rates = []
    >>> for step in range(3):
    ...     rates.append(schedule.get_last_lr()[0])
    ...     optimizer.step()
    ...     schedule.step()
    >>> rates
    [1.0, 0.5, 0.0]
    """

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The rates of step ``last_epoch``."""
        self._check_within_step()
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._rates()
        left, before = 1.0 - self.last_epoch / self.total_iters, 1.0 - (self.last_epoch - 1) / self.total_iters
        return self._rates((left / before) ** self.power)

    def _get_closed_form_lr(self):
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * left**self.power for base in self.base_lrs]


# ---- schedules of schedules


def _check_parts(name, schedulers, optimizer):
    """Errors for schedules that cannot work together."""
    for i, scheduler in enumerate(schedulers):
        if not hasattr(scheduler, "optimizer"):
            raise TypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
        if isinstance(scheduler, ReduceLROnPlateau):
            raise ValueError(
                f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be specified when calling "
                f"`step`, but got one at index {i} in the given schedulers sequence."
            )
        if scheduler.optimizer is not optimizer:
            raise ValueError(
                f"{name} expects all schedulers to belong to the same optimizer, but got scheduler {type(scheduler).__name__} at index "
                f"{i} has {scheduler.optimizer}, which is different from {type(optimizer).__name__}."
            )


class _Joined(LRScheduler):
    """A schedule that is made of others."""

    def state_dict(self):
        """Everything but the optimizer, with the states of the schedules."""
        state = {name: value for name, value in super().state_dict().items() if name != "_schedulers"}
        return state | {"_schedulers": [s.state_dict() for s in self._schedulers]}

    def load_state_dict(self, state_dict):
        """Takes over what state_dict() gave."""
        state = dict(state_dict)
        parts = state.pop("_schedulers")
        super().load_state_dict(state)
        for scheduler, part in zip(self._schedulers, parts, strict=True):
            scheduler.load_state_dict(part)


class SequentialLR(_Joined):
    """Run one schedule after another.

    Parameters
    ----------
    optimizer : Optimizer
        Optimizer whose learning rates are set.
    schedulers : list of LRScheduler
        Schedules of the same optimizer.
    milestones : list of ints
        Steps at which the second and the following schedules begin, each at its own step 0.
    last_epoch : int, optional
        Last step of an earlier run; -1 for a new run.

    Raises
    ------
    ValueError
        For no schedules, schedules of another optimizer, or a wrong number of milestones.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch.optim import lr_scheduler
    >>> model = torch.nn.Linear(3, 1)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    >>> warm_up = lr_scheduler.LinearLR(optimizer, start_factor=0.25, total_iters=10)
    >>> decay = lr_scheduler.CosineAnnealingLR(optimizer, T_max=90)
    >>> schedule = lr_scheduler.SequentialLR(optimizer, [warm_up, decay], milestones=[10])
    >>> schedule.get_last_lr()
    [0.125]
    """

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        if len(schedulers) < 1:
            raise ValueError("SequentialLR expects at least one scheduler, but got no scheduler.")
        _check_parts("SequentialLR", schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone points, but got "
                f"number of schedulers {len(schedulers)} and the number of milestones to be equal to {len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        # each schedule has set its first rate: all is undone but the first one's
        for group in optimizer.param_groups:
            set_value(group, "lr", group["initial_lr"])
        _undo(schedulers)
        schedulers[0]._initial_step()
        self._last_lr = schedulers[0].get_last_lr()

    def step(self):
        """Sets the rates of the next step."""
        self.last_epoch += 1
        i = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[i]
        if i > 0 and self._milestones[i - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


def _undo(schedulers):
    for scheduler in schedulers:
        if isinstance(scheduler, _Joined):  # keeps its own count, as PyTorch's does
            _undo(scheduler._schedulers)
        else:
            scheduler.last_epoch -= 1


class ChainedScheduler(_Joined):
    """Apply several schedules in each step.

    Parameters
    ----------
    schedulers : list of LRScheduler
        Schedules of the same optimizer.
    optimizer : Optimizer, optional
        None is that of the first schedule.

    Raises
    ------
    ValueError
        For no schedules.

    Examples
    --------
    >>> from quern import torch
    >>> optimizer = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=1.0)
    >>> halves = [torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5) for _ in range(2)]
    >>> schedule = torch.optim.lr_scheduler.ChainedScheduler(halves)
    >>> optimizer.step(), schedule.step()
    (None, None)
    >>> schedule.get_last_lr()
    [0.25]
    """

    def __init__(self, schedulers, optimizer=None):
        if len(schedulers) < 1:
            raise ValueError("ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.")
        optimizer = optimizer or schedulers[0].optimizer
        _check_parts("ChainedScheduler", schedulers, optimizer)
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._last_lr = values(optimizer.param_groups, "lr")

    def step(self):
        """Sets the rates of the next step, by all schedules one after another."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = values(self.optimizer.param_groups, "lr")
