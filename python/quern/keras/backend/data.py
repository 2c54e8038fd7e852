"""Data for fit(), evaluate() and predict(): batches of arrays, sliced and shuffled on the device, and those of other sources."""

import math
import sys

import numpy as np
from keras.src import backend, tree
from keras.src.trainers.data_adapters import array_slicing
from keras.src.trainers.data_adapters.array_data_adapter import ArrayDataAdapter
from keras.src.trainers.data_adapters.data_adapter import DataAdapter
from keras.src.trainers.epoch_iterator import EpochIterator

from quern.keras.backend.core import convert_to_tensor
from quern.lib import _engine

_WHOLE = 1 << 30  # of how many bytes data go to the device at once
_SHUFFLED = 1 << 28  # of how many bytes they are shuffled as a whole, and else batch by batch


def on_device(batch):
    """A batch with its arrays as tensors on the current device."""
    kind = type(batch)
    if kind is tuple or kind is list:
        return kind([on_device(one) for one in batch])
    if kind is dict:
        return {name: on_device(one) for name, one in batch.items()}
    if batch is None:
        return batch
    if isinstance(batch, _engine.BareArray):
        batch, here = convert_to_tensor(batch), _engine.current_device()
        return batch if batch.device == here else batch.to_device(here)
    if isinstance(batch, np.ndarray) and batch.dtype.kind in "biufc":
        return convert_to_tensor(batch)
    if type(batch).__module__.partition(".")[0] in ("torch", "jaxlib", "tensorflow", "pandas"):
        return convert_to_tensor(np.asarray(_table(batch)))
    return batch


def _tables(arrays):
    """Arrays with pandas' tables such that NumPy has a type for them."""
    return tree.map_structure(_table, arrays) if "pandas" in sys.modules else arrays


def _table(x):
    """A table or column of pandas as it is, or as floatx() where its columns have no type in common that NumPy has."""
    if type(x).__module__.partition(".")[0] != "pandas" or not hasattr(x, "iloc"):
        return x
    kinds = list(x.dtypes) if x.ndim == 2 else [x.dtype]
    if any(getattr(kind, "kind", "O") not in "biuf" for kind in kinds):
        return x  # names, dates, categories: Keras handles them
    mixed = len({kind.kind == "b" for kind in kinds}) > 1 or not all(isinstance(kind, np.dtype) for kind in kinds)
    return x.astype(backend.floatx()) if mixed else x


def split(arrays, share):
    """Arrays in two parts, the last ones for validation."""
    arrays = _tables(arrays)
    flat = [x for x in tree.flatten(arrays) if x is not None]
    if not any(isinstance(x, _engine.BareArray) for x in flat):
        return array_slicing.train_validation_split(arrays, validation_split=share)
    arrays = tree.map_structure(lambda x: None if x is None else on_device(x), arrays)
    count = int(flat[0].shape[0])
    at = math.floor(count * (1.0 - share))
    if at in (0, count):
        raise ValueError(
            f"Training data contains {count} samples, which is not sufficient to split it into a validation and training set as "
            f"specified by `validation_split={share}`. Either provide more data, or a different value for the `validation_split` argument."
        )
    return tuple(tree.map_structure(lambda x, s=s: None if x is None else x[s], arrays) for s in (slice(0, at), slice(at, count)))


class Source:
    """Batches that can be walked over again and again, of a kind that Keras does not know; fit() takes them."""

    batch_size = None
    num_batches = None
    name = "tf.data.Dataset"


class _Loader(Source):
    """A DataLoader of quern.torch."""

    name = "torch.utils.data.DataLoader"

    def __init__(self, loader):
        self._loader = loader
        self.batch_size = getattr(loader, "batch_size", None)
        self.num_batches = len(loader) if hasattr(type(loader), "__len__") else None

    def __iter__(self):
        return iter(self._loader)


class _Adapter(DataAdapter):
    """What Keras asks of such batches."""

    has_partial_batch = partial_batch_size = None

    def __init__(self, source):
        self._source = source

    def get_numpy_iterator(self):
        """The batches of an epoch."""
        for batch in self._source:
            yield tuple(on_device(batch)) if isinstance(batch, (tuple, list)) else (on_device(batch),)

    get_jax_iterator = get_torch_dataloader = get_tf_dataset = get_numpy_iterator

    @property
    def num_batches(self):
        """How many batches an epoch has, or None."""
        return self._source.num_batches

    @property
    def batch_size(self):
        """How many rows a batch has, or None."""
        return self._source.batch_size


_MEANINGS = {"y": "targets", "sample_weights": "sample weights"}


def _refuse(name, **given):
    """Raise ValueError where fit() was given what a dataset's batches hold."""
    for argument, value in given.items():
        if value is not None:
            raise ValueError(
                f"When providing `x` as a {name}, `{argument}` should not be passed. Instead, the {_MEANINGS[argument]} should be "
                f"included as part of the {name}."
            )


class Batches(EpochIterator):
    """Keras's iterator over the batches of epochs; arrays of moderate size lie on the device."""

    def __init__(self, x, y=None, sample_weight=None, **kwargs):
        self._arrays = None
        x, y, sample_weight = _tables((x, y, sample_weight))
        if type(x).__module__.startswith("quern.torch") and hasattr(x, "dataset") and hasattr(x, "__iter__"):
            x = _Loader(x)
        if isinstance(x, Source):
            _refuse(x.name, y=y, sample_weights=sample_weight)
            x = _Adapter(x)
        super().__init__(x, y, sample_weight, **kwargs)

    def _get_iterator(self):
        adapter = self.data_adapter
        if type(adapter) is ArrayDataAdapter:
            if self._arrays is None:
                self._arrays = _whole(adapter._inputs)
            if self._arrays:
                return _batches(self._arrays[0], adapter)
        return adapter.get_numpy_iterator()


def _whole(inputs):
    """Arrays on the device in a list, or an empty one where they are too large or not dense."""
    if sum(getattr(x, "nbytes", _size_of(x)) for x in tree.flatten(inputs) if x is not None) > _WHOLE:
        return ()

    def one(x):
        if x is None:
            return None
        if isinstance(x, _engine.BareArray):
            x = on_device(x)
            is_other = "float" in x._dtype_name and x._dtype_name != backend.floatx()
            return x.astype(backend.floatx()) if is_other else x
        sliceable = x if isinstance(x, array_slicing.Sliceable) else array_slicing.convert_to_sliceable(x, target_backend="numpy")
        found = sliceable.convert_to_numpy(sliceable[:]) if not isinstance(sliceable.array, np.ndarray) else sliceable.array
        if found.dtype.kind not in "biufc":
            raise _NotDense
        if found.dtype.kind == "f" and found.dtype.name != backend.floatx():
            found = found.astype(backend.floatx())
        return convert_to_tensor(found)

    try:
        return [tree.map_structure(one, inputs)]
    except _NotDense:
        return ()


class _NotDense(Exception):
    pass


def _size_of(x):
    array = getattr(x, "array", x)
    return getattr(array, "nbytes", 0)


def _batches(arrays, adapter):
    """The batches of an epoch, in the order that Keras's own iterator would give."""
    count, size, shuffle = adapter._num_samples, adapter._batch_size, adapter._shuffle
    order = None
    if shuffle and shuffle != "batch":
        order = convert_to_tensor(np.random.permutation(count))
        if sum(x.nbytes for x in tree.flatten(arrays) if x is not None) <= _SHUFFLED:
            arrays, order = _picked(arrays, order), None
    for start in range(0, count, size):
        stop = min(start + size, count)
        if shuffle == "batch":
            yield _picked(arrays, convert_to_tensor(np.random.permutation(stop - start) + start))
        else:
            yield _picked(arrays, slice(start, stop) if order is None else order[start:stop])


def _picked(arrays, place):
    return tree.map_structure(lambda x: None if x is None else x[place], arrays)
