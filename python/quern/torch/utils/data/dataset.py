"""Data sets: what gives a sample for an index, or one sample after another."""

import bisect
import itertools
import math
from typing import Generic, TypeVar

from quern.torch.utils.data._random import permutation
from quern.user_files import warn_user

__all__ = ["Dataset", "IterableDataset", "TensorDataset", "StackDataset", "ConcatDataset", "ChainDataset", "Subset", "random_split"]

_Sample = TypeVar("_Sample", covariant=True)


class Dataset(Generic[_Sample]):
    """Base class of data sets with an index: a derived class defines ``__getitem__`` and usually ``__len__``.

    It may also define ``__getitems__``, which returns a list of samples for a list of indices. ``a + b`` concatenates two data sets.

    Examples
    --------
    >>> from quern.torch.utils.data import Dataset
    >>> class Squares(Dataset):
    ...     def __len__(self):
    ...         return 10
    ...     def __getitem__(self, i):
    ...         return i * i
    >>> Squares()[3]
    9
    """

    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset[_Sample]):
    """Base class of data sets without an index: a derived class defines ``__iter__``.

    Examples
    --------
    >>> from quern.torch.utils.data import IterableDataset
    >>> class Squares(IterableDataset):
    ...     def __iter__(self):
    ...         return (i * i for i in range(3))
    >>> list(Squares())
    [0, 1, 4]
    """

    def __iter__(self):
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")

    def __add__(self, other):
        return ChainDataset([self, other])


class TensorDataset(Dataset):
    """Data set of the rows of tensors: sample i is a tuple of the rows i.

    A DataLoader reads its batches from the tensors at once.

    Parameters
    ----------
    *tensors : Tensor
        Tensors with the same length of the first dimension.

    Raises
    ------
    AssertionError
        For tensors of different lengths.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch.utils.data import TensorDataset
    >>> TensorDataset(torch.arange(3), torch.ones(3, 2))[1]
    (tensor(1), tensor([1., 1.]))
    """

    def __init__(self, *tensors):
        if any(len(t) != len(tensors[0]) for t in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(t[index] for t in self.tensors)

    def __len__(self):
        return len(self.tensors[0])


class StackDataset(Dataset):
    """Data set whose samples are tuples or dicts of the samples of several data sets.

    Parameters
    ----------
    *args : Dataset
        Data sets of the same length; samples are tuples.
    **kwargs : Dataset
        Data sets of the same length by name, instead of `args`; samples are dicts.

    Raises
    ------
    ValueError
        For data sets of different lengths, no data sets, or both kinds.

    Examples
    --------
    >>> from quern.torch.utils.data import StackDataset
    >>> StackDataset(image=[1.0, 2.0], text=["cat", "dog"])[0]
    {'image': 1.0, 'text': 'cat'}
    """

    def __init__(self, *args, **kwargs):
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both types are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        parts = args or tuple(kwargs.values())
        self._length = len(parts[0])
        if any(len(part) != self._length for part in parts):
            raise ValueError("Size mismatch between datasets")
        self.datasets = args or kwargs

    def __getitem__(self, index):
        if isinstance(self.datasets, dict):
            return {name: part[index] for name, part in self.datasets.items()}
        return tuple(part[index] for part in self.datasets)

    def __getitems__(self, indices):
        """The samples of a list of indices."""
        if isinstance(self.datasets, dict):
            columns = [_samples(part, indices) for part in self.datasets.values()]
            return [dict(zip(self.datasets, row, strict=True)) for row in zip(*columns, strict=True)]
        return list(zip(*[_samples(part, indices) for part in self.datasets], strict=True))

    def __len__(self):
        return self._length


def _samples(dataset, indices):
    """The samples of a list of indices, by the data set's own function for many where it has one."""
    many = getattr(dataset, "__getitems__", None)
    if not callable(many):
        return [dataset[i] for i in indices]
    out = many(indices)
    if len(out) != len(indices):
        raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(out)}")
    return out


class ConcatDataset(Dataset[_Sample]):
    """Concatenation of data sets with an index.

    The attribute `cumulative_sizes` has the index at which each data set ends.

    Parameters
    ----------
    datasets : iterable of Dataset
        Data sets.

    Raises
    ------
    AssertionError
        For no data sets, or an IterableDataset.

    Examples
    --------
    >>> from quern.torch.utils.data import ConcatDataset
    >>> ConcatDataset([range(3), range(5)])[4]
    1
    """

    def __init__(self, datasets):
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(part, IterableDataset) for part in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = list(itertools.accumulate(map(len, self.datasets)))

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, index):
        if index < 0:
            if -index > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            index += len(self)
        part = bisect.bisect_right(self.cumulative_sizes, index)
        return self.datasets[part][index - (self.cumulative_sizes[part - 1] if part > 0 else 0)]


class ChainDataset(IterableDataset):
    """Concatenation of data sets without an index.

    Parameters
    ----------
    datasets : iterable of IterableDataset
        Data sets.

    Examples
    --------
    >>> from quern.torch.utils.data import ChainDataset, IterableDataset
    >>> class Count(IterableDataset):
    ...     def __iter__(self):
    ...         return iter(range(2))
    >>> list(ChainDataset([Count(), Count()]))
    [0, 1, 0, 1]
    """

    def __init__(self, datasets):
        super().__init__()
        self.datasets = datasets

    def __iter__(self):
        for part in self.datasets:
            if not isinstance(part, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield from part

    def __len__(self):
        return sum(len(part) for part in self.datasets)


class Subset(Dataset[_Sample]):
    """Data set of the samples of another one at indices.

    Parameters
    ----------
    dataset : Dataset
        Data set.
    indices : sequence of ints
        Indices of the samples.

    Examples
    --------
    >>> from quern.torch.utils.data import Subset
    >>> Subset("abcd", [3, 1])[0]
    'd'
    """

    def __init__(self, dataset, indices):
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index):
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __getitems__(self, indices):
        """The samples of a list of indices."""
        indices = [self.indices[i] for i in indices]
        many = getattr(self.dataset, "__getitems__", None)
        return many(indices) if callable(many) else [self.dataset[i] for i in indices]

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=None):
    """Split a data set into random subsets.

    Parameters
    ----------
    dataset : Dataset
        Data set with a length.
    lengths : sequence of ints or floats
        Length of each subset; or fractions that add up to 1.
    generator : Generator, optional
        Source of the random numbers; None is the default generator.

    Returns
    -------
    list of Subset
        Subsets; each sample is in one of them.

    Raises
    ------
    ValueError
        For lengths that do not add up to that of the data set.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch.utils.data import random_split
    >>> train, test = random_split(range(10), [0.9, 0.1], generator=torch.Generator().manual_seed(42))
    >>> len(train), len(test)
    (9, 1)
    """
    total = len(dataset)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        sizes = []
        for i, share in enumerate(lengths):
            if not 0 <= share <= 1:
                raise ValueError(f"Fraction at index {i} is not between 0 and 1")
            sizes.append(math.floor(total * share))
        for i in range(total - sum(sizes)):  # what rounding left over goes round
            sizes[i % len(sizes)] += 1
        lengths = sizes
        for i, size in enumerate(lengths):
            if size == 0:
                warn_user(f"Length of split at index {i} is 0. This might result in an empty dataset.")
    if sum(lengths) != total:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = permutation(total, generator).tolist()
    ends = itertools.accumulate(lengths)
    return [Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths, strict=True)]
