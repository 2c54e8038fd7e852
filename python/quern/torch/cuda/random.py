"""torch.cuda.random: random numbers on GPUs; one generator is used for all devices."""

from quern.torch import random as _random
from quern.torch._devices import gpu_count


def manual_seed(seed):
    """Set the seed of the random numbers; one generator is used for all devices.

    Parameters
    ----------
    seed : int
        Seed, of 64 bits.
    """
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
    """Return the state of the random numbers.

    Parameters
    ----------
    device : device, str or int, optional
        Accepted for compatibility: one generator is used for all devices.

    Returns
    -------
    Tensor
        State, a tensor of bytes.
    """
    return _random.get_rng_state()


def set_rng_state(new_state, device="cuda"):
    """Set the state of the random numbers.

    Parameters
    ----------
    new_state : Tensor
        State that :func:`get_rng_state` returned.
    device : device, str or int, optional
        Accepted for compatibility: one generator is used for all devices.
    """
    _random.set_rng_state(new_state)


def get_rng_state_all():
    """Return the state of the random numbers once for each GPU."""
    return [get_rng_state() for _ in range(gpu_count())]


def set_rng_state_all(new_states):
    """Set the state of the random numbers to the first one of a list.

    Parameters
    ----------
    new_states : iterable of Tensor
        States that :func:`get_rng_state_all` returned.
    """
    for state in list(new_states)[:1]:
        set_rng_state(state)
