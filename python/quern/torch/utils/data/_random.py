"""Random numbers of samplers, in PyTorch's order. They are made on the CPU unless the generator is elsewhere."""

from quern.torch import _namespace as torch


def place(generator):
    """The device for a generator's numbers, whatever the default device is."""
    return "cpu" if generator is None else generator.device


def seed(generator=None):
    """A number from a generator, to seed another with."""
    return torch.empty((), dtype=torch.int64, device=place(generator)).random_(generator=generator).item()


def seeded(number):
    """A new generator."""
    generator = torch.Generator()
    generator.manual_seed(number)
    return generator


def permutation(n, generator=None):
    """The numbers below n in random order, a tensor."""
    return torch.randperm(n, generator=generator, device=place(generator))
