"""tf.TensorSpec: the shape and the type of tensors, as datasets and functions tell them."""

from quern.keras.backend.core import Array
from quern.tensorflow._constants import converted
from quern.tensorflow._shapes import TensorShape
from quern.tensorflow.dtypes import as_dtype


class TensorSpec:
    """The shape and the type of tensors; None for sizes that differ."""

    def __init__(self, shape, dtype="float32", name=None):
        self.shape, self.dtype, self.name = TensorShape(shape), as_dtype(dtype), name

    @classmethod
    def from_tensor(cls, tensor, name=None):
        """Return the spec of a tensor."""
        return cls(tensor.shape, tensor.dtype, name)

    @classmethod
    def from_spec(cls, spec, name=None):
        """Return the same spec with another name."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @property
    def value_type(self):
        """The type of such values."""
        return Array

    def is_compatible_with(self, spec_or_value):
        """Return whether a tensor, or tensors of another spec, fit."""
        other = spec_or_value
        return hasattr(other, "shape") and self.dtype == as_dtype(other.dtype) and self.shape.is_compatible_with(other.shape)

    def is_subtype_of(self, other):
        """Return whether each such tensor is of the other spec, too."""
        return isinstance(other, TensorSpec) and self.dtype == other.dtype and self.shape.is_subtype_of(other.shape)

    def most_specific_compatible_type(self, other):
        """Return the spec with None at each axis where the two differ."""
        if self.dtype != other.dtype:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return TensorSpec(self.shape.most_specific_compatible_shape(other.shape), self.dtype)

    def __repr__(self):
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"

    def _key(self):
        return self.shape, self.shape.rank, self.dtype, self.name

    def __eq__(self, other):
        return isinstance(other, TensorSpec) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())


class DatasetSpec:
    """What the elements of datasets in a dataset are."""

    def __init__(self, element_spec, dataset_shape=()):
        self.element_spec, self._shape = element_spec, TensorShape(dataset_shape)

    def __repr__(self):
        return f"DatasetSpec({self.element_spec!r}, {self._shape!r})"

    def __eq__(self, other):
        return isinstance(other, DatasetSpec) and self.element_spec == other.element_spec

    def __hash__(self):
        return hash(repr(self))


def type_spec_from_value(value):
    """Return the spec of a tensor or of what becomes one."""
    return TensorSpec.from_tensor(value if hasattr(value, "_dtype_name") else converted(value))
