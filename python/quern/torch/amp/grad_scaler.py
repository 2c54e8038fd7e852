"""Losses that are scaled, so that gradients in float16 do not become 0. The scale and what was found stay on the device."""

from collections import abc, defaultdict
from enum import Enum

from quern.torch import _namespace as torch
from quern.torch import cuda
from quern.torch.optim.optimizer import _RuleOptimizer
from quern.user_files import warn_user

__all__ = ["GradScaler", "OptState"]


class OptState(Enum):
    """What was done for an optimizer since the last :meth:`GradScaler.update`."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _refresh_per_optimizer_state():
    return {"stage": OptState.READY, "found_inf_per_device": {}}


class GradScaler:
    """Scale losses, and leave out steps whose gradients have an infinity or NaN; the scale then falls, and grows after many steps.

    Nothing waits for the device but :meth:`get_scale` and :meth:`state_dict`: a step of torch.optim's that is left out changes nothing.

    Parameters
    ----------
    device : {"cuda", "cpu"}, optional
        The type of devices.
    init_scale : float, optional
        The first scale.
    growth_factor, backoff_factor : float, optional
        Factors of the scale after `growth_interval` steps without an infinity, above 1, and after a step with one, below 1.
    growth_interval : int, optional
        Steps before the scale grows.
    enabled : bool, optional
        Whether losses are scaled; without, :meth:`step` is the optimizer's.

    Raises
    ------
    AssertionError
        For factors on the wrong side of 1.

    Examples
    --------
    >>> from quern import torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer, scaler = torch.optim.SGD([w], lr=0.5), torch.amp.GradScaler("cpu", init_scale=1024.0)
    >>> scaler.scale(w.sum()).backward()
    >>> scaler.step(optimizer)
    >>> scaler.update()
    >>> w.detach(), scaler.get_scale()
    (tensor([0.5000, 1.5000]), 1024.0)
    """

    def __init__(self, device="cuda", init_scale=2.0**16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):
        self._device = device
        self._enabled = enabled
        if device == "cuda" and enabled and not cuda.is_available():
            warn_user("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")
            self._enabled = False
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale = init_scale
        self._scale = None  # made by the first scale()
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._init_growth_tracker = 0
        self._growth_tracker = None
        self._per_optimizer_states = defaultdict(_refresh_per_optimizer_state)

    def _check_scale_growth_tracker(self, name):
        if self._scale is None:
            raise AssertionError(
                f"Attempted {name} but _scale is None.  This may indicate your script did not use scaler.scale(loss or outputs) earlier in "
                "the iteration."
            )

    def scale(self, outputs):
        """Return a loss, or several, times the scale.

        Parameters
        ----------
        outputs : Tensor or iterable of Tensor
            Losses.
        """
        if not self._enabled:
            return outputs
        if isinstance(outputs, torch.Tensor):
            if self._scale is None:
                self._scale = torch.full((), self._init_scale, dtype=torch.float32, device=outputs.device)
                self._growth_tracker = torch.full((), self._init_growth_tracker, dtype=torch.int32, device=outputs.device)
            return outputs * self._scale.to(outputs.device)
        if isinstance(outputs, abc.Iterable):
            made = map(self.scale, outputs)
            return type(outputs)(made) if isinstance(outputs, (list, tuple)) else made
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def _check_grads(self, optimizer, inverse, allow_fp16):
        """Multiplies gradients by a number and finds what is not finite: a tensor for each device, 1 where there is any."""
        found, factors = {}, {}
        with torch.no_grad():
            for group in optimizer.param_groups:
                for param in group["params"]:
                    grad = param.grad
                    if grad is None:
                        continue
                    if not allow_fp16 and grad.dtype == torch.float16:
                        raise ValueError("Attempting to unscale FP16 gradients.")
                    is_bad = torch.isfinite(grad).all().logical_not()
                    device = grad.device
                    found[device] = is_bad if device not in found else found[device] | is_bad
                    if inverse is not None:
                        if device not in factors:
                            factors[device] = inverse.to(device)
                        grad.mul_(factors[device])
        return {device: one.to(torch.float32) for device, one in found.items()}

    def unscale_(self, optimizer):
        """Divide an optimizer's gradients by the scale in place, for instance to clip them.

        Parameters
        ----------
        optimizer : Optimizer
            Its parameters have the gradients.

        Raises
        ------
        RuntimeError
            A second time before :meth:`update`, or after :meth:`step`.
        ValueError
            For gradients in float16.
        """
        if not self._enabled:
            return
        self._check_scale_growth_tracker("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        inverse = self._scale.double().reciprocal().float()
        state["found_inf_per_device"] = self._check_grads(optimizer, inverse, False)
        state["stage"] = OptState.UNSCALED

    def step(self, optimizer, *args, **kwargs):
        """Unscale the gradients, unless :meth:`unscale_` did, and take the optimizer's step if all are finite.

        Parameters
        ----------
        optimizer : Optimizer
            The optimizer.
        *args, **kwargs
            Arguments of its step.

        Returns
        -------
        object
            What the step returns.

        Raises
        ------
        RuntimeError
            For a closure, and a second time before :meth:`update`.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_scale_growth_tracker("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        if not state["found_inf_per_device"]:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = None
        if isinstance(optimizer, _RuleOptimizer) and not args and not kwargs:
            optimizer.step_unless(self._combined(state["found_inf_per_device"].values()))
        elif not sum(found.item() for found in state["found_inf_per_device"].values()):
            result = optimizer.step(*args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def _combined(self, found):
        first, *rest = (one.to(self._scale.device) for one in found)
        return sum(rest, first)

    def update(self, new_scale=None):
        """Let the scale follow what was found in this iteration, or set it.

        Parameters
        ----------
        new_scale : float or Tensor, optional
            The scale.
        """
        if not self._enabled:
            return
        self._check_scale_growth_tracker("update")
        if new_scale is not None:
            self._set_scale(new_scale)
        else:
            found = [one for state in self._per_optimizer_states.values() for one in state["found_inf_per_device"].values()]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            with torch.no_grad():
                self._follow(self._combined(found) != 0)
        self._per_optimizer_states = defaultdict(_refresh_per_optimizer_state)

    def _set_scale(self, new_scale):
        if isinstance(new_scale, float):
            self._scale.fill_(new_scale)
            return
        if new_scale.device.type != self._device or new_scale.numel() != 1 or new_scale.requires_grad:
            raise AssertionError(
                "new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor with requires_grad=False."
            )
        self._scale.copy_(new_scale)

    def _follow(self, is_bad):
        steps = self._growth_tracker + 1
        is_due = steps == self._growth_interval
        grown = self._scale * self._growth_factor
        grown = torch.where(is_due & torch.isfinite(grown), grown, self._scale)
        self._scale.copy_(torch.where(is_bad, self._scale * self._backoff_factor, grown))
        self._growth_tracker.copy_(torch.where(is_bad | is_due, 0, steps))

    def _get_scale_async(self):
        return self._scale

    def get_scale(self):
        """Return the scale as a float; this waits for the device. 1.0 where scaling is disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self):
        """Return the factor by which the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor):
        """Set the factor by which the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self):
        """Return the factor by which the scale falls."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor):
        """Set the factor by which the scale falls."""
        self._backoff_factor = new_factor

    def get_growth_interval(self):
        """Return the number of steps before the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval):
        """Set the number of steps before the scale grows."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self):
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else self._growth_tracker.item()

    def is_enabled(self):
        """Return whether losses are scaled."""
        return self._enabled

    def state_dict(self):
        """Return the scale and what it follows as a dict; empty where scaling is disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict):
        """Take over what :meth:`state_dict` returned.

        Parameters
        ----------
        state_dict : dict
            The state.

        Raises
        ------
        RuntimeError
            For an empty state.
        """
        if not self._enabled:
            return
        if len(state_dict) == 0:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._scale is not None:
            self._scale.fill_(state_dict["scale"])
            self._growth_tracker.fill_(state_dict["_growth_tracker"])

    def __getstate__(self):
        state = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after scaler.update()."
                )
            state |= {"_init_scale": self.get_scale(), "_init_growth_tracker": self._get_growth_tracker()}
            state |= {"_scale": None, "_growth_tracker": None}
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
