"""Schedules that go up and down, and the one that begins anew."""

import math

from quern.torch.optim._lr_base import LRScheduler, check_optimizer, listed, load_functions, saved_functions, set_value


def _has_momentum(optimizer):
    """Is the momentum the first of ``betas``? ValueError for an optimizer that has none."""
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
    return "betas" in optimizer.defaults


def _set_momentum(group, value, use_beta1):
    if use_beta1:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value


class CyclicLR(LRScheduler):
    """Move the learning rate up and down between two values (Smith, 2017), with a step after each batch.

    Parameters
    ----------
    optimizer : Optimizer
        Optimizer whose learning rates are set.
    base_lr : float or list of floats
        Lower learning rate, or one for each group.
    max_lr : float or list of floats
        Upper learning rate, or one for each group.
    step_size_up : int, optional
        Number of steps up.
    step_size_down : int, optional
        Number of steps down; None: as many as up.
    mode : {'triangular', 'triangular2', 'exp_range'}, optional
        Height of the cycles: constant; halved with each cycle; multiplied by ``gamma ** step``.
    gamma : float, optional
        Base of "exp_range".
    scale_fn : callable, optional
        Function that replaces the mode.
    scale_mode : {'cycle', 'iterations'}, optional
        Argument of `scale_fn`: the number of the cycle, or of the step.
    cycle_momentum : bool, optional
        Whether the momentum moves in the opposite direction.
    base_momentum, max_momentum : float or list of floats, optional
        Limits of the momentum.
    last_epoch : int, optional
        Last step of an earlier run; -1 for a new run.

    Raises
    ------
    ValueError
        For an unknown `mode`, or `cycle_momentum` with an optimizer that has no momentum.

    Examples
    --------
    >>> from quern import torch
    >>> optimizer = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=1.0, momentum=0.9)
    >>> schedule = torch.optim.lr_scheduler.CyclicLR(optimizer, 0.0, 1.0, step_size_up=2)
    >>> optimizer.step(), schedule.step()
    (None, None)
    >>> schedule.get_last_lr()
    [0.5]
    """

    def __init__(
        self,
        optimizer,
        base_lr,
        max_lr,
        step_size_up=2000,
        step_size_down=None,
        mode="triangular",
        gamma=1.0,
        scale_fn=None,
        scale_mode="cycle",
        cycle_momentum=True,
        base_momentum=0.8,
        max_momentum=0.9,
        last_epoch=-1,
    ):
        check_optimizer(optimizer)
        self.optimizer = optimizer
        groups = optimizer.param_groups
        bases = listed("base_lr", base_lr, groups)
        if last_epoch == -1:
            for group, lr in zip(groups, bases, strict=True):
                set_value(group, "lr", lr)
        self.max_lrs = listed("max_lr", max_lr, groups)
        up = float(step_size_up)
        down = up if step_size_down is None else float(step_size_down)
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self.scale_mode = scale_mode if scale_fn is not None else "iterations" if mode == "exp_range" else "cycle"
        self._scale_fn_custom = scale_fn
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = _has_momentum(optimizer)
            self.base_momentums = listed("base_momentum", base_momentum, groups)
            self.max_momentums = listed("max_momentum", max_momentum, groups)
            if last_epoch == -1:
                for group, most, least in zip(groups, self.max_momentums, self.base_momentums, strict=True):
                    _set_momentum(group, most, self.use_beta1)
                    group["max_momentum"] = most
                    group["base_momentum"] = least
        super().__init__(optimizer, last_epoch)
        self.base_lrs = bases

    def scale_fn(self, x):
        """Return the factor of a cycle's amplitude.

        Parameters
        ----------
        x : int or float
            Number of the cycle, or of the step with ``scale_mode="iterations"``.

        Returns
        -------
        float
            Factor.
        """
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular":
            return 1.0
        return 1 / 2.0 ** (x - 1) if self.mode == "triangular2" else self.gamma**x

    def get_lr(self):
        """The rates of step ``last_epoch``; sets the momentum, too."""
        self._check_within_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        height *= self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            ends = zip(self.base_momentums, self.max_momentums, self.optimizer.param_groups, strict=True)
            for least, most, group in ends:
                _set_momentum(group, most - (most - least) * height, self.use_beta1)
        return [base + (most - base) * height for base, most in zip(self.base_lrs, self.max_lrs, strict=True)]

    def state_dict(self):
        """Everything but the optimizer; a plain function is left out."""
        state = {name: value for name, value in super().state_dict().items() if name != "_scale_fn_custom"}
        return state | {"_scale_fn_custom": saved_functions([self._scale_fn_custom])[0]}

    def load_state_dict(self, state_dict):
        """Restore a state that :meth:`state_dict` returned; a plain `scale_fn` stays that of this schedule.

        Parameters
        ----------
        state_dict : dict
            State of a schedule of the same class.
        """
        state = dict(state_dict)
        custom = state.pop("_scale_fn_custom", None)
        super().load_state_dict(state)
        load_functions([self._scale_fn_custom], [custom])


class CosineAnnealingWarmRestarts(LRScheduler):
    """Decrease the learning rate along half a cosine, and restart (SGDR: Loshchilov and Hutter, 2017).

    ``step(epoch)`` accepts fractions of an epoch, too.

    Parameters
    ----------
    optimizer : Optimizer
        Optimizer whose learning rates are set.
    T_0 : int
        Number of steps until the first restart.
    T_mult : int, optional
        Factor by which each further period is longer.
    eta_min : float, optional
        Lowest learning rate.
    last_epoch : int, optional
        Last step of an earlier run; -1 for a new run.

    Raises
    ------
    ValueError
        For a `T_0` or `T_mult` below 1.

    Examples
    --------
    >>> from quern import torch
    >>> optimizer = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=1)
    >>> optimizer.step(), schedule.step()
    (None, None)
    >>> schedule.get_last_lr()
    [1.0]
    """

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The rates at ``T_cur`` of ``T_i`` steps."""
        self._check_within_step()
        share = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]

    def step(self, epoch=None):
        """Set the learning rates of the next step.

        Parameters
        ----------
        epoch : float, optional
            Number of the step, which may be fractional; None is the one after the last.
        """
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        elif epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        elif epoch < self.T_0:
            self.T_cur, self.T_i = epoch, self.T_0
        elif self.T_mult == 1:
            self.T_cur, self.T_i = epoch % self.T_0, self.T_0
        else:
            runs = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**runs - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**runs
        self.last_epoch = math.floor(epoch)
        self._get_lr_called_within_step = True
        try:
            rates = self.get_lr()
        finally:
            self._get_lr_called_within_step = False
        self._set(rates)


def _along_cosine(start, end, share):
    return end + (start - end) / 2.0 * (1 + math.cos(math.pi * share))


def _along_line(start, end, share):
    return (end - start) * share + start


class OneCycleLR(LRScheduler):
    """Move the learning rate up once, and down far below its first value (Smith and Topin, 2018), with a step after each batch.

    Parameters
    ----------
    optimizer : Optimizer
        Optimizer whose learning rates are set.
    max_lr : float or list of floats
        Highest learning rate, or one for each group.
    total_steps : int, optional
        Number of steps; None is ``epochs * steps_per_epoch``.
    epochs : int, optional
        Number of epochs.
    steps_per_epoch : int, optional
        Number of steps in an epoch.
    pct_start : float, optional
        Fraction of the steps that goes up.
    anneal_strategy : {'cos', 'linear'}, optional
        Shape of the curve.
    cycle_momentum : bool, optional
        Whether the momentum moves in the opposite direction.
    base_momentum, max_momentum : float or list of floats, optional
        Limits of the momentum.
    div_factor : float, optional
        `max_lr` divided by the first learning rate.
    final_div_factor : float, optional
        First learning rate divided by the last.
    three_phase : bool, optional
        Whether the learning rate returns to its first value as slowly as it rose, before it falls further.
    last_epoch : int, optional
        Last step of an earlier run; -1 for a new run.

    Raises
    ------
    ValueError
        Without a number of steps; for a `pct_start` outside of [0, 1]; for an unknown `anneal_strategy`; with
        `cycle_momentum`, for an optimizer that has no momentum.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch import nn
    >>> optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.1)
    >>> scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=10)
    >>> for step in range(5):
    ...     optimizer.step()
    ...     scheduler.step()
    >>> round(scheduler.get_last_lr()[0], 4)
    0.6113
    """

    def __init__(
        self,
        optimizer,
        max_lr,
        total_steps=None,
        epochs=None,
        steps_per_epoch=None,
        pct_start=0.3,
        anneal_strategy="cos",
        cycle_momentum=True,
        base_momentum=0.85,
        max_momentum=0.95,
        div_factor=25.0,
        final_div_factor=1e4,
        three_phase=False,
        last_epoch=-1,
    ):
        check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = _steps(total_steps, epochs, steps_per_epoch)
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        groups = optimizer.param_groups
        if last_epoch == -1:
            for group, most in zip(groups, listed("max_lr", max_lr, groups), strict=True):
                group["initial_lr"] = most / div_factor
                group["max_lr"] = most
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = _has_momentum(optimizer)
            highest = listed("max_momentum", max_momentum, groups)
            lowest = listed("base_momentum", base_momentum, groups)
            if last_epoch == -1:
                for group, most, least in zip(groups, highest, lowest, strict=True):
                    _set_momentum(group, most, self.use_beta1)
                    group["max_momentum"] = most
                    group["base_momentum"] = least
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The rates of step ``last_epoch``; sets the momentum, too."""
        self._check_within_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        begin = 0.0
        for phase in self._schedule_phases:
            if step <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            begin = phase["end_step"]
        share = (step - begin) / (phase["end_step"] - begin)
        between = _along_cosine if self._anneal_func_type == "cos" else _along_line
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(between(group[phase["start_lr"]], group[phase["end_lr"]], share))
            if self.cycle_momentum:
                ends = group[phase["start_momentum"]], group[phase["end_momentum"]]
                _set_momentum(group, between(*ends, share), self.use_beta1)
        return rates


def _steps(total, epochs, steps_per_epoch):
    if total is None and (epochs is None or steps_per_epoch is None):
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    given = {"total_steps": total} if total is not None else {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
    for name, value in given.items():
        if not isinstance(value, int) or value <= 0:
            raise ValueError(f"Expected positive integer {name}, but got {value}")
    return total if total is not None else epochs * steps_per_epoch


def _phases(total, pct_start, three):
    """Where each phase ends, and the names of the group's options between which it goes."""

    def phase(end_step, start_lr, end_lr, start_momentum, end_momentum):
        return {
            "end_step": end_step,
            "start_lr": start_lr,
            "end_lr": end_lr,
            "start_momentum": start_momentum,
            "end_momentum": end_momentum,
        }

    rise = phase(float(pct_start * total) - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum")
    if not three:
        return [rise, phase(total - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")]
    return [
        rise,
        phase(float(2 * pct_start * total) - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
        phase(total - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
    ]
