"""Averages of a model's weights over the steps of training."""

import itertools
import math
from copy import deepcopy

from quern.torch import _namespace as torch
from quern.torch.nn import Module
from quern.torch.optim._lr_base import LRScheduler, listed

__all__ = [
    "AveragedModel",
    "SWALR",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]


def _check_decay(decay):
    if not 0.0 <= decay <= 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_multi_avg_fn(decay=0.999):
    """Return a function for `multi_avg_fn` of :class:`AveragedModel` that computes exponential moving averages.

    Parameters
    ----------
    decay : float, optional
        Fraction of the average that stays, in [0, 1].

    Returns
    -------
    callable
        ``function(averages, values, count)``, which updates the averages in place.

    Raises
    ------
    ValueError
        For a `decay` outside of [0, 1].

    Examples
    --------
    >>> from quern import torch
    >>> averages, values = [torch.tensor(1.0)], [torch.tensor(3.0)]
    >>> torch.optim.swa_utils.get_ema_multi_avg_fn(0.5)(averages, values, 1)
    >>> averages
    [tensor(2.)]
    """
    _check_decay(decay)

    def update(averages, values, _):
        with torch.no_grad():
            for average, value in zip(averages, values, strict=True):
                if average.is_floating_point() or average.is_complex():
                    average.lerp_(value, 1 - decay)
                else:
                    average.copy_(average * decay + value * (1 - decay))

    return update


def get_swa_multi_avg_fn():
    """Return a function for `multi_avg_fn` of :class:`AveragedModel` that makes the mean of all values (Izmailov et al., 2018).

    Returns
    -------
    callable
        Function of lists of averages and of new values, and of the number of values.

    Examples
    --------
    >>> from quern import torch
    >>> averages, values = [torch.tensor(1.0)], [torch.tensor(3.0)]
    >>> torch.optim.swa_utils.get_swa_multi_avg_fn()(averages, values, 1)
    >>> averages
    [tensor(2.)]
    """

    def update(averages, values, count):
        with torch.no_grad():
            for average, value in zip(averages, values, strict=True):
                change = (value - average) / (count + 1)
                if average.is_floating_point() or average.is_complex():
                    average.add_(change)
                else:
                    average.copy_(average + change)

    return update


def get_ema_avg_fn(decay=0.999):
    """Return a function for `avg_fn` of :class:`AveragedModel` that computes an exponential moving average.

    Parameters
    ----------
    decay : float, optional
        Fraction of the average that stays, in [0, 1].

    Returns
    -------
    callable
        ``function(average, value, count)``, which returns the new average.

    Raises
    ------
    ValueError
        For a `decay` outside of [0, 1].

    Examples
    --------
    >>> from quern import torch
    >>> average = torch.optim.swa_utils.get_ema_avg_fn(0.5)
    >>> average(torch.tensor(1.0), torch.tensor(3.0), 1)
    tensor(2.)
    """
    _check_decay(decay)

    def update(average, value, count):
        with torch.no_grad():
            return decay * average + (1 - decay) * value

    return update


def get_swa_avg_fn():
    """Return a function for `avg_fn` of :class:`AveragedModel` that makes the mean of all values.

    Returns
    -------
    callable
        Function of the average, the new value and the number of values.

    Examples
    --------
    >>> from quern import torch
    >>> average = torch.optim.swa_utils.get_swa_avg_fn()
    >>> average(torch.tensor(1.0), torch.tensor(3.0), 1)
    tensor(2.)
    """

    def update(average, value, count):
        with torch.no_grad():
            return average + (value - average) / (count + 1)

    return update


class AveragedModel(Module):
    """Copy of a model whose parameters are averages of the model's parameters.

    Parameters
    ----------
    model : Module
        Model.
    device : device or str, optional
        Device of the copy; None is that of the model.
    avg_fn : callable, optional
        ``avg_fn(average, value, count)`` returns the new average of one tensor; None computes the mean.
    multi_avg_fn : callable, optional
        ``multi_avg_fn(averages, values, count)`` updates all averages in place.
    use_buffers : bool, optional
        Whether buffers are averaged instead of copied.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
    >>> model = torch.nn.Linear(3, 1)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    >>> average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.999))
    >>> optimizer.step()
    >>> average.update_parameters(model)
    >>> average(torch.ones(2, 3)).shape
    torch.Size([2, 1])
    """

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", torch.tensor(0, dtype=torch.long, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args, **kwargs):
        """Return the result of the copy.

        Parameters
        ----------
        *args : object
            Arguments of the model.
        **kwargs : object
            Keyword arguments of the model.

        Returns
        -------
        object
            Result.
        """
        return self.module(*args, **kwargs)

    def _values(self, model):
        return itertools.chain(model.parameters(), model.buffers() if self.use_buffers else ())

    def update_parameters(self, model):
        """Update the averages by the parameters of a model; the first call copies them.

        Parameters
        ----------
        model : Module
            Model of the same structure.
        """
        ours, theirs = [], []
        for average, value in zip(self._values(self.module), self._values(model), strict=False):
            ours.append(average.detach())
            theirs.append(value.detach().to(average.device))
        count = self.n_averaged
        with torch.no_grad():
            if int(count) == 0:
                for average, value in zip(ours, theirs, strict=True):
                    average.copy_(value)
            elif self.avg_fn is not None:
                for average, value in zip(ours, theirs, strict=True):
                    average.copy_(self.avg_fn(average, value, count.to(average.device)))
            else:
                update = self.multi_avg_fn or get_swa_multi_avg_fn()
                update(ours, theirs, count.to(ours[0].device) if ours else count)
            if not self.use_buffers:  # as they are in the model
                for mine, value in zip(self.module.buffers(), model.buffers(), strict=True):
                    mine.detach().copy_(value.detach())
            count.add_(1)


def update_bn(loader, model, device=None):
    """Compute the running statistics of a model's batch normalizations anew.

    Parameters
    ----------
    loader : iterable
        Batches, or lists whose first element is the batch.
    model : Module
        Model; it is in training mode meanwhile.
    device : device or str, optional
        Device to which batches are moved.

    Examples
    --------
    >>> from quern import torch
    >>> model = torch.nn.BatchNorm1d(1)
    >>> torch.optim.swa_utils.update_bn([torch.tensor([[1.0], [3.0]])], model)
    >>> model.running_mean
    tensor([2.])
    """
    with torch.no_grad():
        momenta = {m: m.momentum for m in model.modules() if _is_batch_norm(m)}
        if not momenta:
            return
        for m in momenta:
            m.reset_running_stats()
            m.momentum = None  # the mean of all batches
        was_training = model.training
        model.train()
        for batch in loader:
            if isinstance(batch, (list, tuple)):
                batch = batch[0]
            model(batch if device is None else batch.to(device))
        for m, momentum in momenta.items():
            m.momentum = momentum
        model.train(was_training)


def _is_batch_norm(module):
    return hasattr(module, "reset_running_stats") and "InstanceNorm" not in type(module).__name__


class SWALR(LRScheduler):
    """Change the learning rate to `swa_lr` within a number of steps, and keep it from then on.

    Parameters
    ----------
    optimizer : Optimizer
        Optimizer whose rates are set.
    swa_lr : float or list of floats
        Last rate, for all groups or each.
    anneal_epochs : int, optional
        Number of steps.
    anneal_strategy : {'cos', 'linear'}, optional
        Shape of the change.
    last_epoch : int, optional
        Number of the last step; -1 for a new run.

    Raises
    ------
    ValueError
        For an unknown `anneal_strategy`, or `anneal_epochs` that is no int or negative.

    Examples
    --------
    >>> from quern import torch
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.swa_utils.SWALR(optimizer, swa_lr=0.1, anneal_epochs=1, anneal_strategy="linear")
    >>> optimizer.step()
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.1]
    """

    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1):
        for group, lr in zip(optimizer.param_groups, listed("swa_lr", swa_lr, optimizer.param_groups), strict=True):
            group["swa_lr"] = lr
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self._anneal_strategy = anneal_strategy
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _share(self, step):
        """How far a step is on the way from the first rate, from 0 to 1."""
        t = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * t)) / 2 if self._anneal_strategy == "cos" else t

    def get_lr(self):
        """The rates of the next step."""
        self._check_within_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, share = self._share(step - 1), self._share(step)
        out = []
        for group in self.optimizer.param_groups:
            end, lr = group["swa_lr"], group["lr"]
            # the rate of the last one, for another schedule may have set it
            start = end if before == 1 else (lr - before * end) / (1 - before)
            out.append(end * share + start * (1 - share))
        return out
