"""torch.cuda.random: random numbers on GPUs; one generator is used for all devices."""

from quern.torch import random as _random
from quern.torch._devices import gpu_count
from quern.torch.cuda._docstrings import complete


def manual_seed(seed):
    """Set the seed of the random numbers; one generator is used for all devices."""
    _random.manual_seed(seed)


manual_seed_all = manual_seed


def seed():
    """Set the seed of the random numbers to one of the system."""
    _random.seed()


seed_all = seed


def initial_seed():
    """Return the seed of the generator."""
    return _random.initial_seed()


def get_rng_state(device="cuda"):
    """Return the state of the random numbers."""
    return _random.get_rng_state()


def set_rng_state(new_state, device="cuda"):
    """Set the state of the random numbers."""
    _random.set_rng_state(new_state)


def get_rng_state_all():
    """Return the state of the random numbers once for each GPU."""
    return [get_rng_state() for _ in range(gpu_count())]


def set_rng_state_all(new_states):
    """Set the state of the random numbers to the first one of a list."""
    for state in list(new_states)[:1]:
        set_rng_state(state)


complete(__name__)
