"""The base of learning rate schedules."""

from functools import partial

from quern.torch import _namespace as torch
from quern.torch.optim.optimizer import Optimizer
from quern.user_files import warn_user

EPOCH_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use `scheduler.step()` to "
    "step the scheduler: with an epoch, the closed form is used instead of the chainable form, where there is one."
)
_SEE = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"


def check_optimizer(optimizer):
    """TypeError for what is no optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def values(groups, name):
    """An option of all groups; of tensors copies, which stay what they are."""
    return [value.clone() if isinstance(value := group[name], torch.Tensor) else value for group in groups]


def set_value(group, name, value):
    """Gives a group's option another value; a tensor is filled with it, for the program may hold it."""
    if isinstance(group[name], torch.Tensor):
        if isinstance(value, torch.Tensor):
            group[name].copy_(value)
        else:
            group[name].fill_(value)
    else:
        group[name] = value


def listed(name, value, groups):
    """A list with a value for each group, of one value or of a list of them."""
    if isinstance(value, (list, tuple)):
        if len(value) != len(groups):
            raise ValueError(
                f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
                f"param_groups has {len(groups)}."
            )
        return list(value)
    return [value] * len(groups)


class LRScheduler:
    """Base class of schedules: it sets the learning rates of an optimizer's groups, step by step.

    A derived class defines ``get_lr()``, which computes the learning rates of step `last_epoch` from those of the step
    before.

    Parameters
    ----------
    optimizer : Optimizer
        Optimizer whose learning rates are set.
    last_epoch : int, optional
        Last step of an earlier run; -1 for a new run.

    Examples
    --------
    >>> from quern import torch
    >>> issubclass(torch.optim.lr_scheduler.StepLR, torch.optim.lr_scheduler.LRScheduler)
    True
    """

    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer, last_epoch=-1):
        check_optimizer(optimizer)
        self.optimizer = optimizer
        if last_epoch == -1:
            for group, lr in zip(optimizer.param_groups, values(optimizer.param_groups, "lr"), strict=True):
                group.setdefault("initial_lr", lr)
        else:
            for i, group in enumerate(optimizer.param_groups):
                if "initial_lr" not in group:
                    raise KeyError(
                        f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with last_epoch >= 0.\n"
                        "Load the optimizer's state before, or leave last_epoch at -1 for a new run"
                    )
        self.base_lrs = values(optimizer.param_groups, "initial_lr")
        self.last_epoch = last_epoch
        self._watch()
        self._initial_step()

    def _watch(self):
        """Has the optimizer remember what its step() was, to tell of calls in a wrong order."""
        known = vars(self.optimizer)
        if "_step_known" not in known:
            self.optimizer._opt_called = False
            self.optimizer._step_known = known.get("step")

    def _initial_step(self):
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self):
        """Everything of this schedule but the optimizer, as a dict."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict):
        """Restore a state that :meth:`state_dict` returned.

        Parameters
        ----------
        state_dict : dict
            State of a schedule of the same class.
        """
        self.__dict__.update(state_dict)

    def get_last_lr(self):
        """Return the learning rates that were set last, one for each group."""
        return self._last_lr

    def get_lr(self):
        """Return the learning rates of step `last_epoch`; a derived class defines it."""
        raise NotImplementedError

    def _check_within_step(self):
        if not self._get_lr_called_within_step:
            warn_user("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.")

    def step(self, epoch=None):
        """Set the learning rates of the next step.

        Parameters
        ----------
        epoch : int, optional
            Number of the step; None is the one after the last.

        Examples
        --------
        >>> from quern import torch
        >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
        >>> optimizer.step()
        >>> schedule.step()
        >>> schedule.get_last_lr()
        [0.5]
        """
        if self._step_count == 1:
            if vars(self.optimizer).get("step") is not self.optimizer._step_known:
                warn_user(
                    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, make sure to "
                    f"call `optimizer.step()` before `lr_scheduler.step()`. {_SEE}",
                )
            elif not self.optimizer._opt_called:
                warn_user(
                    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. You should call them in the opposite order: "
                    "`optimizer.step()` before `lr_scheduler.step()`.  Failure to do this skips the first value of the learning rate "
                    f"schedule. {_SEE}",
                )
        self._step_count += 1
        if epoch is not None:
            warn_user(EPOCH_WARNING)
        self._update_lr(epoch)

    def _update_lr(self, epoch=None):
        self._get_lr_called_within_step = True
        try:
            if epoch is None:
                self.last_epoch += 1
                rates = self.get_lr()
            else:
                self.last_epoch = epoch
                rates = self._get_closed_form_lr() if hasattr(self, "_get_closed_form_lr") else self.get_lr()
        finally:
            self._get_lr_called_within_step = False
        self._set(rates)

    def _set(self, rates):
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            set_value(group, "lr", lr)
        self._last_lr = values(self.optimizer.param_groups, "lr")

    def _rates(self, factor=None):
        """The groups' rates as they are, or times a factor."""
        rates = values(self.optimizer.param_groups, "lr")
        return rates if factor is None else [lr * factor for lr in rates]


def saved_functions(functions):
    """What state_dict() keeps of functions: the attributes of objects that can be called, None for plain functions."""
    return [vars(f).copy() if _is_object(f) else None for f in functions]


def load_functions(functions, states):
    """Gives the objects among functions the attributes that were saved."""
    for f, state in zip(functions, states, strict=True):
        if state is not None:
            f.__dict__.update(state)


def _is_object(f):
    return not isinstance(f, (type(_is_object), type(len), partial)) and hasattr(f, "__dict__")
