"""Data sets, samplers, and the loader that makes batches of them.

>>> from quern import torch
>>> from quern.torch.utils.data import DataLoader, TensorDataset, random_split
>>> data = TensorDataset(torch.rand(100, 3), torch.rand(100))
>>> train, test = random_split(data, [0.8, 0.2])
>>> [len(y) for x, y in DataLoader(train, batch_size=32, shuffle=True)]
[32, 32, 16]
"""

from quern.torch.utils.data.collate import default_collate, default_convert
from quern.torch.utils.data.dataloader import DataLoader, get_worker_info
from quern.torch.utils.data.dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from quern.torch.utils.data.sampler import (
    BatchSampler,
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "random_split",
]
