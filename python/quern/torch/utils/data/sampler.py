"""Samplers: in which order a loader takes the samples of a data set."""

import itertools
import math
from typing import Generic, TypeVar

from quern.torch import _namespace as torch
from quern.torch.utils.data._random import permutation, place, seed, seeded

__all__ = [
    "BatchSampler",
    "DistributedSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

_Index = TypeVar("_Index", covariant=True)

# Indices with replacement are drawn as they are asked for, as PyTorch draws them: num_samples may be any number.
_DRAWN_AT_ONCE = 32


def _check_count(name, value):
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


class Sampler(Generic[_Index]):
    """Base class of samplers: a derived class defines ``__iter__``, which yields indices or lists of them.

    Examples
    --------
    >>> from quern.torch.utils.data import Sampler
    >>> class Backwards(Sampler):
    ...     def __init__(self, data):
    ...         self.data = data
    ...
    ...     def __iter__(self):
    ...         return reversed(range(len(self.data)))
    >>> list(Backwards("abc"))
    [2, 1, 0]
    """

    def __iter__(self):
        raise NotImplementedError("Subclasses of Sampler should implement __iter__.")


class SequentialSampler(Sampler[int]):
    """Yield the indices in order.

    Parameters
    ----------
    data_source : Sized
        Data set, or any object with a length.

    Examples
    --------
    >>> from quern.torch.utils.data import SequentialSampler
    >>> list(SequentialSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Yield indices in random order.

    Parameters
    ----------
    data_source : Sized
        Data set, or any object with a length.
    replacement : bool, optional
        Whether an index may occur several times.
    num_samples : int, optional
        Number of indices; None is the length of `data_source`.
    generator : Generator, optional
        Source of the random order; None is a new one for each pass, seeded by the default generator.

    Raises
    ------
    ValueError
        For a `num_samples` that is not positive.
    TypeError
        For a `replacement` that is no bool.

    Examples
    --------
    >>> from quern.torch.utils.data import RandomSampler
    >>> sorted(RandomSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        _check_count("num_samples", self.num_samples)

    @property
    def num_samples(self):
        """How many indices a pass gives."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def _parts(self):
        """The indices as tensors."""
        n, count = len(self.data_source), self.num_samples
        generator = seeded(seed()) if self.generator is None else self.generator
        if self.replacement:
            for begin in range(0, count, _DRAWN_AT_ONCE):
                size = (min(_DRAWN_AT_ONCE, count - begin),)
                yield torch.randint(n, size, dtype=torch.int64, generator=generator, device=place(generator))
            return
        for _ in range(count // n):
            yield permutation(n, generator)
        if count % n or self.generator is not None:  # PyTorch's takes this one's numbers even where none are left
            yield permutation(n, generator)[: count % n]

    def __iter__(self):
        for part in self._parts():
            yield from part.tolist()

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Yield the elements of a sequence of indices in random order.

    Parameters
    ----------
    indices : sequence of ints
        Indices.
    generator : Generator, optional
        Source of the random numbers; None is the default generator.

    Examples
    --------
    >>> from quern.torch.utils.data import SubsetRandomSampler
    >>> sorted(SubsetRandomSampler([5, 2]))
    [2, 5]
    """

    def __init__(self, indices, generator=None):
        self.indices = indices
        self.generator = generator

    def __iter__(self):
        for i in permutation(len(self.indices), self.generator).tolist():
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Yield random indices with probabilities in proportion to weights.

    Parameters
    ----------
    weights : sequence of floats
        Weight of each index; they need not add up to 1.
    num_samples : int
        Number of indices.
    replacement : bool, optional
        Whether an index may occur several times.
    generator : Generator, optional
        Source of the random numbers; None is the default generator.

    Raises
    ------
    ValueError
        For a `num_samples` that is not positive, a `replacement` that is no bool, or weights that are not one-dimensional.

    Examples
    --------
    >>> from quern.torch.utils.data import WeightedRandomSampler
    >>> list(WeightedRandomSampler([0.0, 1.0], 3))
    [1, 1, 1]
    """

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        _check_count("num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        weights = torch.as_tensor(weights, dtype=torch.float64, device=place(generator))
        if weights.dim() != 1:
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {tuple(weights.shape)}")
        self.weights = weights
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self):
        yield from torch.multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator).tolist()

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler[list]):
    """Yield lists of the indices of another sampler.

    Parameters
    ----------
    sampler : iterable of ints
        Sampler.
    batch_size : int
        Number of indices in a list.
    drop_last : bool
        Whether to leave out a last list that is not full.

    Raises
    ------
    ValueError
        For a `batch_size` that is not positive, or a `drop_last` that is no bool.

    Examples
    --------
    >>> from quern.torch.utils.data import BatchSampler
    >>> list(BatchSampler(range(5), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler, batch_size, drop_last):
        _check_count("batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self):
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self):
        full, rest = divmod(len(self.sampler), self.batch_size)
        return full if self.drop_last or not rest else full + 1


class DistributedSampler(Sampler[int]):
    """Yield the indices of one process of several: every `num_replicas`-th index.

    Parameters
    ----------
    dataset : Dataset
        Data set with a length.
    num_replicas : int
        Number of processes.
    rank : int
        Number of this process.
    shuffle : bool, optional
        Whether the order is random.
    seed : int, optional
        Seed of the order, the same in all processes.
    drop_last : bool, optional
        Whether to leave out indices that do not divide evenly; by default some indices occur twice.

    Raises
    ------
    ValueError
        For a missing `num_replicas` or `rank`, or a `rank` out of range.

    Examples
    --------
    >>> from quern.torch.utils.data import DistributedSampler
    >>> list(DistributedSampler(range(6), num_replicas=2, rank=1, shuffle=False))
    [1, 3, 5]
    """

    def __init__(self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False):
        if num_replicas is None or (rank is None and num_replicas != 1):
            raise ValueError("Default process group has not been initialized: there is one process; pass num_replicas and rank.")
        rank = 0 if rank is None else rank
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        n = len(dataset)
        self.num_samples = n // num_replicas if drop_last and n % num_replicas else math.ceil(n / num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self):
        n = len(self.dataset)
        order = permutation(n, seeded(self.seed + self.epoch)).tolist() if self.shuffle else list(range(n))
        if len(order) < self.total_size:
            order = (order * math.ceil(self.total_size / n))[: self.total_size]
        return iter(order[self.rank : self.total_size : self.num_replicas])

    def __len__(self):
        return self.num_samples

    def set_epoch(self, epoch):
        """Set the epoch, on which the random order of the next pass depends.

        Parameters
        ----------
        epoch : int
            Number of the epoch, the same in all processes.
        """
        self.epoch = epoch
