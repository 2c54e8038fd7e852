"""Data sets, samplers, and the loader that makes batches of them.

>>> data = TensorDataset(x, y)
>>> train, test = random_split(data, [0.8, 0.2])
>>> for x, y in DataLoader(train, batch_size=64, shuffle=True):
...     step(x, y)
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
