"""How samples become a batch."""

import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence

import numpy

from quern.torch import _namespace as torch

__all__ = ["default_collate", "default_convert"]

_REFUSAL = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def _of_numbers(x):
    """Is it a NumPy array or number of which a tensor can be made?"""
    return isinstance(x, (numpy.ndarray, numpy.generic)) and x.dtype.kind not in "SUaO"


def _with(mapping, values):
    """A mapping like another with other values."""
    try:
        if isinstance(mapping, MutableMapping):
            out = copy.copy(mapping)
            out.update(values)
            return out
        return type(mapping)(values)
    except TypeError:  # made in some other way
        return values


def _like(sequence, values):
    """A sequence like another with other values; a list where that cannot be made."""
    try:
        if isinstance(sequence, MutableSequence):
            out = copy.copy(sequence)
            for i, value in enumerate(values):
                out[i] = value
            return out
        return type(sequence)(values)
    except TypeError:
        return values


def default_convert(data):
    """Convert NumPy arrays and numbers to tensors, also inside lists, tuples and dicts.

    Parameters
    ----------
    data : object
        Sample.

    Returns
    -------
    object
        The same structure with tensors; other values stay the same.

    Examples
    --------
    >>> import numpy
    >>> from quern.torch.utils.data import default_convert
    >>> default_convert([numpy.float32(1.5), "text"])
    [tensor(1.5000), 'text']
    """
    if isinstance(data, torch.Tensor):
        return data
    if isinstance(data, (numpy.ndarray, numpy.generic)):
        return torch.as_tensor(data) if _of_numbers(data) else data
    if isinstance(data, Mapping):
        return _with(data, {name: default_convert(value) for name, value in data.items()})
    if isinstance(data, tuple):
        values = [default_convert(value) for value in data]
        return type(data)(*values) if hasattr(data, "_fields") else values
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _like(data, [default_convert(value) for value in data])
    return data


def default_collate(batch):
    """Make a batch of a list of samples.

    Tensors and arrays are stacked, numbers become a tensor; tuples, lists and dicts are collated element by element; strings stay the same.

    Parameters
    ----------
    batch : list
        Samples of the same structure.

    Returns
    -------
    object
        The structure of a sample, with batches in place of values.

    Raises
    ------
    TypeError
        For values that cannot be collated, such as None.

    Examples
    --------
    >>> from quern.torch.utils.data import default_collate
    >>> default_collate([(1, "a"), (2, "b")])
    [tensor([1, 2]), ('a', 'b')]
    """
    first = batch[0]
    if isinstance(first, torch.Tensor):
        return torch.stack(batch, 0)
    if isinstance(first, (numpy.ndarray, numpy.generic)) and not isinstance(first, (str, bytes)):
        return _arrays(batch, first)
    if isinstance(first, float):
        return torch.tensor(batch, dtype=torch.float64)
    if isinstance(first, int):
        return torch.tensor(batch)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return _with(first, {name: default_collate([sample[name] for sample in batch]) for name in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*[default_collate(samples) for samples in zip(*batch, strict=True)])
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        values = [default_collate(samples) for samples in zip(*batch, strict=True)]
        return values if isinstance(first, tuple) else _like(first, values)
    raise TypeError(_REFUSAL.format(type(first)))


def _arrays(batch, first):
    if not _of_numbers(first):
        raise TypeError(_REFUSAL.format(first.dtype))
    if all(isinstance(x, (numpy.ndarray, numpy.generic)) and x.dtype == first.dtype and x.shape == first.shape for x in batch):
        return torch.as_tensor(numpy.stack(batch))  # one copy
    return torch.stack([torch.as_tensor(x) for x in batch], 0)
