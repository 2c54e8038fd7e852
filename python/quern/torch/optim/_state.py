"""The numbers in the state that an optimizer keeps for a parameter, such as the count of steps: tensors on the CPU."""

from quern.lib import _engine
from quern.torch import _namespace as torch


def as_tensor(value):
    """A number as PyTorch keeps it in a state."""
    kind = torch.float64 if torch.get_default_dtype() == torch.float64 else torch.float32
    return torch.tensor(float(value), dtype=kind, device="cpu")


def number_in(tensor):
    """The number in a tensor of a state. The program has not asked for it, so that it is no copy in a profile."""
    value = _engine.number_at_hand(tensor)
    return float(tensor) if value is None else value


def counted(state):
    """Count a step, and return its number."""
    step = state["step"]
    if not isinstance(step, torch.Tensor):  # the program has put it there
        step = state["step"] = as_tensor(step)
    return number_in(step.add_(1))
