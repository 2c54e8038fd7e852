"""What the elements of datasets are: their specs, found without drawing an element, and iterators over them."""

import numpy as np
from keras.src import tree
from keras.src.backend.common.keras_tensor import KerasTensor

from quern.keras.backend.core import compute_output_spec
from quern.tensorflow._shapes import TensorShape
from quern.tensorflow._specs import DatasetSpec, TensorSpec
from quern.tensorflow.errors import OutOfRangeError


class Iterator:
    """The elements of a dataset, one after the other."""

    def __init__(self, dataset):
        self._dataset, self._elements = dataset, dataset._make()

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._elements)

    def get_next(self):
        """Return the next element; raise OutOfRangeError at the end."""
        for element in self._elements:
            return element
        raise OutOfRangeError("End of sequence")

    @property
    def element_spec(self):
        """The shape and the type of the elements."""
        return self._dataset.element_spec


class NumpyIterator:
    """The elements of a dataset as NumPy arrays and scalars."""

    def __init__(self, dataset):
        self._iterator = iter(dataset)

    def __iter__(self):
        return self

    def __next__(self):
        return tree.map_structure(lambda x: NumpyIterator(x) if hasattr(x, "as_numpy_iterator") else x.numpy(), next(self._iterator))

    def __repr__(self):
        return f"NumpyIterator(iterator={self._iterator!r})"


def of_tensors(element):
    """The spec of an element."""
    return tree.map_structure(
        lambda x: DatasetSpec(x.element_spec) if hasattr(x, "as_numpy_iterator") else TensorSpec(tuple(x.shape), str(np.dtype(x.dtype))),
        element,
    )


def of_slices(arrays):
    """The spec of slices of arrays along the first axis."""
    return tree.map_structure(lambda x: TensorSpec(tuple(x.shape)[1:], str(np.dtype(x.dtype))), arrays)


def _changed(spec, shape):
    if isinstance(spec, DatasetSpec):
        return spec
    return TensorSpec(shape(spec.shape), spec.dtype)


def batched(spec, size):
    """The spec of stacked elements."""
    return tree.map_structure(lambda one: _changed(one, lambda shape: TensorShape([size]).concatenate(shape)), spec)


def padded(spec, size, shapes):
    """The spec of stacked and padded elements."""
    flat = tree.flatten(spec)
    if shapes is None:
        shapes = [[None] * len(one.shape) for one in flat]
    elif len(flat) == 1 and not tree.is_nested(spec):
        shapes = [shapes]


    def one(spec, shape):
        return TensorSpec([size, *[None if n in (None, -1) else int(n) for n in shape]], spec.dtype)

    return tree.pack_sequence_as(spec, list(map(one, flat, shapes)))


def unbatched(spec):
    """The spec of the slices of elements."""
    return tree.map_structure(lambda one: _changed(one, lambda shape: shape[1:]), spec)


def joined(first, second):
    """The spec that both kinds of elements have."""
    try:
        return tree.map_structure(lambda a, b: a.most_specific_compatible_type(b), first, second)
    except (AttributeError, ValueError):
        return first


def mapped(function, spec, call):
    """The spec of what a function makes of elements: found with symbolic tensors; None where that does not work."""
    flat = tree.flatten(spec)
    if any(isinstance(one, DatasetSpec) or one.shape.rank is None for one in flat):
        return None
    try:
        given = tree.map_structure(lambda one: KerasTensor(tuple(one.shape), one.dtype.name), spec)
        found = compute_output_spec(lambda x: call(function, x), given)
        return tree.map_structure(lambda x: TensorSpec(tuple(x.shape), x.dtype), found)
    except Exception:  # of the program's own function, which needs values: it is called with an element
        return None
