"""The loader: batches of a data set, made in this process."""

from typing import Generic, TypeVar

from quern.torch import _namespace as torch
from quern.torch.utils.data._random import seed
from quern.torch.utils.data.collate import default_collate, default_convert
from quern.torch.utils.data.dataset import IterableDataset, Subset, TensorDataset
from quern.torch.utils.data.sampler import BatchSampler, RandomSampler, SequentialSampler
from quern.user_files import warn_user

__all__ = ["DataLoader", "get_worker_info"]

_Batch = TypeVar("_Batch", covariant=True)
_told = False  # of workers, once


def get_worker_info():
    """Return None: batches are made in the process of the program.

    Raises
    ------
    ValueError
        For a `batch_size` below 1, a negative `num_workers` or `timeout`, and options that exclude each other, such as `sampler` and
        `shuffle`.

    Examples
    --------
    >>> from quern.torch.utils.data import get_worker_info
    >>> print(get_worker_info())
    None
    """
    return None


class DataLoader(Generic[_Batch]):
    """Iterate over the batches of a data set, once for each epoch.

    Parameters
    ----------
    dataset : Dataset or IterableDataset
        Samples: tensors, numbers, or tuples, lists and dicts of them.
    batch_size : int or None, optional
        Number of samples in a batch; None returns samples one by one.
    shuffle : bool, optional
        Whether each epoch has another order.
    sampler : Sampler or iterable of ints, optional
        Order of the indices.
    batch_sampler : Sampler or iterable of lists of ints, optional
        Indices of each batch, in place of `batch_size`, `shuffle`, `sampler` and `drop_last`.
    num_workers : int, optional
        Accepted for compatibility: batches are made in this process, and one warning says so.
    collate_fn : callable, optional
        Function that makes a batch of a list of samples; by default :func:`default_collate`, which stacks tensors.
    pin_memory : bool, optional
        Accepted for compatibility.
    drop_last : bool, optional
        Whether to leave out a last batch that is not full.
    timeout, worker_init_fn, multiprocessing_context : object, optional
        Accepted for compatibility.
    generator : Generator, optional
        Source of the random order.
    prefetch_factor, persistent_workers, pin_memory_device, in_order : object, optional
        Accepted for compatibility.

    Raises
    ------
    ValueError
        For a `batch_size` below 1, a negative `num_workers` or `timeout`, and options that exclude each other, such as `sampler` and
        `shuffle`.

    Notes
    -----
    Batches of a TensorDataset, or of a Subset of one, are taken out of the tensors at once.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch.utils.data import DataLoader, TensorDataset
    >>> images, labels = torch.zeros(5, 3), torch.arange(5)
    >>> for x, y in DataLoader(TensorDataset(images, labels), batch_size=2):
    ...     print(tuple(x.shape), y)
    (2, 3) tensor([0, 1])
    (2, 3) tensor([2, 3])
    (1, 3) tensor([4])
    """

    _fixed = False

    def __init__(
        self,
        dataset,
        batch_size=1,
        shuffle=None,
        sampler=None,
        batch_sampler=None,
        num_workers=0,
        collate_fn=None,
        pin_memory=False,
        drop_last=False,
        timeout=0,
        worker_init_fn=None,
        multiprocessing_context=None,
        generator=None,
        *,
        prefetch_factor=None,
        persistent_workers=False,
        pin_memory_device="",
        in_order=True,
    ):
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers, multiprocessing_context)
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers > 0 and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self._iterable = isinstance(dataset, IterableDataset)
        if self._iterable:
            _check_iterable(shuffle, sampler, batch_sampler)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")
            batch_size, drop_last = None, False
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None:
            if self._iterable:
                sampler = _Endless()
            else:
                sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        self.collate_fn = collate_fn if collate_fn is not None else default_convert if batch_sampler is None else default_collate
        self.persistent_workers = persistent_workers
        self._fixed = True

    def __setattr__(self, name, value):
        if self._fixed and name in ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"):
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    def __iter__(self):
        return _Iterator(self)

    def __len__(self):
        if not self._iterable:
            return len(self.sampler if self.batch_sampler is None else self.batch_sampler)
        count = len(self.dataset)
        if self.batch_size is None:
            return count
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

    # ---- the ways to batches

    def _batches(self):
        if self.batch_sampler is None:
            samples = self.dataset if self._iterable else map(self.dataset.__getitem__, self.sampler)
            return map(self.collate_fn, samples)
        if self._iterable:
            return self._streamed()
        tensors, chosen = _rows_of(self.dataset) if self.collate_fn is default_collate else (None, None)
        if tensors is None:
            return self._collated()
        if self.batch_size is not None and chosen is None:  # the batch sampler is not the program's own
            if type(self.sampler) is SequentialSampler and self.sampler.data_source is self.dataset:
                return self._sliced(tensors)
            if type(self.sampler) is RandomSampler and not self.sampler.replacement and self.sampler.num_samples == len(self.dataset):
                return self._shuffled(tensors)
        return self._picked(tensors, chosen)

    def _collated(self):
        """Sample by sample."""
        dataset = self.dataset
        many = getattr(dataset, "__getitems__", None)
        for indices in self.batch_sampler:
            yield self.collate_fn(many(indices) if callable(many) else [dataset[i] for i in indices])

    def _streamed(self):
        """Of a data set without an index."""
        samples = iter(self.dataset)
        for indices in self.batch_sampler:
            batch = [sample for _, sample in zip(indices, samples, strict=False)]
            if not batch or (self.drop_last and len(batch) < len(indices)):
                return
            yield self.collate_fn(batch)
            if len(batch) < len(indices):
                return

    def _sliced(self, tensors):
        """Rows of tensors, one after another."""
        for begin, end in self._ranges():
            yield [t[begin:end].clone() for t in tensors]  # a batch is the program's own to change

    def _shuffled(self, tensors):
        """Rows of tensors in random order, which stays on the device."""
        parts = list(self.sampler._parts())
        orders = {}
        for begin, end in self._ranges():
            out = []
            for t in tensors:
                if t.device not in orders:
                    orders[t.device] = parts[0].to(t.device)
                out.append(t[orders[t.device][begin:end]])
            yield out

    def _ranges(self):
        size, count = self.batch_size, len(self.dataset)
        for begin in range(0, count - size + 1 if self.drop_last else count, size):
            yield begin, min(begin + size, count)

    def _picked(self, tensors, chosen):
        """Rows of tensors by lists of indices; ``chosen``: the indices of a Subset."""
        for indices in self.batch_sampler:
            rows = [int(i) for i in indices] if chosen is None else [int(chosen[i]) for i in indices]
            if rows and rows[0] >= 0 and rows == list(range(rows[0], rows[0] + len(rows))) and rows[-1] < len(tensors[0]):
                yield [t[rows[0] : rows[-1] + 1].clone() for t in tensors]
                continue
            places = {}
            for t in tensors:
                if t.device not in places:
                    places[t.device] = torch.tensor(rows, dtype=torch.int64, device=t.device)
            yield [t[places[t.device]] for t in tensors]


class _Endless:
    """The sampler of data sets without an index: there is always another sample."""

    def __iter__(self):
        while True:
            yield None


class _Iterator:
    """One pass over the batches."""

    def __init__(self, loader):
        self._loader = loader
        seed(loader.generator)  # PyTorch's takes a number for its workers, so that the same seed gives the same order here
        self._batches = iter(loader._batches())

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._batches)

    def __len__(self):
        return len(self._loader)


def _rows_of(dataset):
    """The tensors that batches can be taken out of at once, and the indices of a subset; (None, None) for other data sets."""
    if type(dataset) is TensorDataset:
        return (dataset.tensors, None) if dataset.tensors else (None, None)
    if type(dataset) is Subset and type(dataset.dataset) is TensorDataset and dataset.dataset.tensors:
        return dataset.dataset.tensors, dataset.indices
    return None, None


def _check_iterable(shuffle, sampler, batch_sampler):
    for name, value, wrong in (("shuffle", shuffle, shuffle), ("sampler", sampler, sampler is not None)):
        if wrong:
            raise ValueError(f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}")
    if batch_sampler is not None:
        raise ValueError(
            f"DataLoader with IterableDataset: expected unspecified batch_sampler option, but got batch_sampler={batch_sampler}"
        )


def _check_workers(num_workers, timeout, prefetch_factor, persistent_workers, context):
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0:
        if prefetch_factor is not None:
            raise ValueError(
                "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable multiprocessing, "
                "otherwise set prefetch_factor to None."
            )
        if persistent_workers:
            raise ValueError("persistent_workers option needs num_workers > 0")
        if context is not None:
            raise ValueError("multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got num_workers=0")
        return
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    global _told
    if not _told:
        _told = True
        warn_user(f"num_workers={num_workers}: batches are made in this process; worker_init_fn is not called")
