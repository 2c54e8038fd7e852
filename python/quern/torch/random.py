"""Random tensors, and the generators they are drawn from.

Numbers are counter-based (Philox), the same on every device for a seed; they are not PyTorch's numbers of that seed.
"""

import contextlib

import numpy

from quern.lib import _engine
from quern.torch import _creation, _types


class Generator:
    """Source of random numbers: a seed, and how many numbers were drawn.

    Parameters
    ----------
    device : device or str, optional
        Device of the generator; the numbers of a seed are the same on every device.

    Examples
    --------
    >>> import quern.torch as torch
    >>> g = torch.Generator().manual_seed(1)
    >>> torch.rand(2, generator=g).shape
    torch.Size([2])
    """

    def __init__(self, device="cpu"):
        self.device = _types.as_device(device)
        self.manual_seed(67280421310721)

    def manual_seed(self, seed):
        """Set the seed of the generator.

        Parameters
        ----------
        seed : int
            Seed, of 64 bits; negative ones count from 2**64.

        Returns
        -------
        Generator
            The generator itself.

        Raises
        ------
        RuntimeError
            For a seed of more than 64 bits.

        Examples
        --------
        >>> from quern import torch
        >>> torch.Generator().manual_seed(7).initial_seed()
        7
        """
        try:
            seed = int(seed)
        except OverflowError:
            raise RuntimeError("Overflow when unpacking long long") from None
        if not -(1 << 63) <= seed < 1 << 64:
            raise RuntimeError("Overflow when unpacking long long")
        self._seed = seed % (1 << 64)
        self._stream = _engine.RandomStream(_engine.random_key([self._seed & 0xFFFFFFFF, self._seed >> 32]))
        return self

    def initial_seed(self):
        """The seed."""
        return self._seed

    def seed(self):
        """Starts the numbers of a seed that the system gives, and returns it."""
        import secrets

        self.manual_seed(secrets.randbits(63))
        return self._seed

    def get_state(self):
        """The seed and the place, as a tensor of bytes."""
        return _creation.from_numpy(numpy.array([self._seed, self._stream.place], numpy.uint64).view(numpy.uint8).copy())

    def set_state(self, new_state):
        """Set the state to one that :meth:`get_state` returned.

        Parameters
        ----------
        new_state : Tensor
            State, a tensor of bytes.

        Returns
        -------
        Generator
            The generator itself.

        Examples
        --------
        >>> from quern import torch
        >>> g = torch.Generator()
        >>> state = g.get_state()
        >>> a = torch.rand(2, generator=g)
        >>> _ = g.set_state(state)
        >>> torch.equal(a, torch.rand(2, generator=g))
        True
        """
        seed, place = new_state.cpu().numpy().view(numpy.uint64).tolist()
        self.manual_seed(seed)
        self._stream.place = place
        return self

    def clone_state(self):
        """Another generator in the same state."""
        return Generator(self.device).set_state(self.get_state())

    def __repr__(self):
        return f"<torch._C.Generator object of {self.device}>"


default_generator = Generator()
_engine.set_front_end("torch", generator=default_generator)


def manual_seed(seed):
    """Set the seed of the random numbers on all devices.

    Parameters
    ----------
    seed : int
        Seed, of 64 bits; negative ones count from 2**64.

    Returns
    -------
    Generator
        The default generator.

    Raises
    ------
    RuntimeError
        For a seed of more than 64 bits.
    ValueError
        For a string that is no number.

    Examples
    --------
    >>> from quern import torch
    >>> _ = torch.manual_seed(0)
    >>> a = torch.rand(2)
    >>> _ = torch.manual_seed(0)
    >>> torch.equal(a, torch.rand(2))
    True
    """
    return default_generator.manual_seed(seed)


def seed():
    """Set the seed to one that the system gives, and return it.

    Returns
    -------
    int
        Seed.

    Examples
    --------
    >>> from quern import torch
    >>> torch.seed() == torch.initial_seed()
    True
    """
    return default_generator.seed()


def initial_seed():
    """The default generator's seed.

    Returns
    -------
    int
        Seed.

    Examples
    --------
    >>> from quern import torch
    >>> generator = torch.manual_seed(7)
    >>> torch.initial_seed()
    7
    """
    return default_generator.initial_seed()


def get_rng_state():
    """The default generator's state, as a tensor of bytes.

    Returns
    -------
    Tensor
        State, a tensor of bytes.

    Examples
    --------
    >>> from quern import torch
    >>> state = torch.get_rng_state()
    >>> torch.set_rng_state(state)
    """
    return default_generator.get_state()


def set_rng_state(new_state):
    """Set the state of the default generator.

    Parameters
    ----------
    new_state : Tensor
        State that :func:`get_rng_state` returned.

    Examples
    --------
    >>> from quern import torch
    >>> state = torch.get_rng_state()
    >>> a = torch.rand(2)
    >>> torch.set_rng_state(state)
    >>> torch.equal(a, torch.rand(2))
    True
    """
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices", device_type="cuda"):
    """While it lasts, random numbers are drawn without changing the default generator."""
    state = get_rng_state() if enabled else None
    try:
        yield
    finally:
        if state is not None:
            set_rng_state(state)


NAMES = "Generator default_generator manual_seed seed initial_seed get_rng_state set_rng_state".split()
__all__ = NAMES
