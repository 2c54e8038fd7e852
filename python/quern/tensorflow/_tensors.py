"""What tensors of Keras's get when a program imports TensorFlow: its attributes, its texts, and no item assignment."""

import sys

import numpy as np

import quern as qn
from quern.keras.backend.core import Array, convert_to_numpy
from quern.keras.backend.core import Variable as KerasVariable
from quern.tensorflow._shapes import TensorShape
from quern.tensorflow.dtypes import DType

_shape_of, _dtype_of = qn.ndarray.shape.__get__, qn.ndarray.dtype.__get__
_set_item, _items = Array.__setitem__, Array.__iter__
_OWN = ("quern", "keras")


class Reference:
    """A key for dictionaries and sets that stands for one tensor or variable."""

    __slots__ = ("_of",)

    def __init__(self, of):
        self._of = of

    def deref(self):
        """Return the tensor or the variable."""
        return self._of

    def __eq__(self, other):
        return isinstance(other, Reference) and self._of is other._of

    def __hash__(self):
        return id(self._of)

    def __repr__(self):
        return f"<Reference wrapping {self._of!r}>"


def numpy(self):
    """Return the values: a NumPy array, or a NumPy scalar of a tensor without axes."""
    return self.get()[()]  # of a tensor in a step that is being recorded get() ends the recording


def get_shape(self):
    """Return the shape."""
    return self.shape


def set_shape(self, shape):
    """Raise ValueError unless the tensor's shape is compatible with ``shape``."""
    wanted = TensorShape(shape)
    if not wanted.is_compatible_with(self.shape):
        raise ValueError(f"Tensor's shape {self.shape} is not compatible with supplied shape {wanted}.")


def ref(self):
    """Return an object that stands for this tensor in dictionaries and sets."""
    return Reference(self)


def _shape(self):
    return TensorShape._of(_shape_of(self))


def _asks_from_within():
    """Whether a function of quern's own asks; those of quern.tensorflow count as the program's."""
    name = sys._getframe(2).f_globals.get("__name__", "")
    return name.startswith("quern.") and not name.startswith("quern.tensorflow")


def _dtype(self):
    # Functions of whole arrays hand the dtype on to NumPy, which takes none of other kinds.
    return _dtype_of(self) if _asks_from_within() else DType(self._dtype_name)


def _text(self):
    values = numpy(self)
    text = str(values)
    return f"tf.Tensor({chr(10) if chr(10) in text else ''}{text}, shape={tuple(values.shape)}, dtype={self._dtype_name})"


def value_text(values):
    """The text of NumPy values as TensorFlow's repr() has them."""
    text = repr(values.item()) if values.ndim == 0 else repr(values)
    return f"{chr(10) if chr(10) in text else ''}{text}"


def _repr(self):
    return f"<tf.Tensor: shape={tuple(_shape_of(self))}, dtype={self._dtype_name}, numpy={value_text(numpy(self))}>"


def _format(self, spec):
    return format(numpy(self), spec)


def _assign_item(self, key, value):
    if sys._getframe(1).f_globals.get("__name__", "").partition(".")[0] not in _OWN:  # quern fills results of its own in place
        raise TypeError(
            "'Tensor' object does not support item assignment: tensors are immutable. Use tf.tensor_scatter_nd_update(), tf.where(), "
            "or a tf.Variable and its assign()"
        )
    _set_item(self, key, value)


def _delete_item(self, key):
    raise TypeError("'Tensor' object doesn't support item deletion: tensors are immutable. Use tf.boolean_mask() or tf.concat()")


def _iterate(self):
    if not self.ndim:
        raise TypeError("Cannot iterate over a scalar tensor.")
    return _items(self)


def _length(self):
    sizes = _shape_of(self)
    if not sizes:
        raise TypeError("Scalar tensor has no `len()`; use tf.size() for the number of elements")
    return sizes[0]


def _hash(self):
    raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")


def _comparison(original, of_none):
    def compare(self, other):
        return of_none if other is None else original(self, other)

    return compare


def _without_tensors(value):
    if isinstance(value, Array):
        return value.get()
    if type(value) in (list, tuple):
        return type(value)(map(_without_tensors, value))
    return value


def _numpy_function(self, function, kinds, args, kwargs):
    """NumPy's functions compute in NumPy and return its arrays, as of TensorFlow's tensors."""
    return function(*map(_without_tensors, args), **{name: _without_tensors(one) for name, one in kwargs.items()})


def _no_logits(self):
    raise AttributeError("'Tensor' object has no attribute '_keras_logits'")


def _variable_shape(self):
    return TensorShape._of(self._shape)


def _variable_numpy(self):
    return np.asarray(convert_to_numpy(self))[()]


def install():
    """Give tensors and variables TensorFlow's attributes."""
    for name, what in {
        "numpy": numpy,
        "get_shape": get_shape,
        "set_shape": set_shape,
        "ref": ref,
        "shape": property(_shape),
        "dtype": property(_dtype),
        "__str__": _text,
        "__repr__": _repr,
        "__format__": _format,
        "__setitem__": _assign_item,
        "__delitem__": _delete_item,
        "__iter__": _iterate,
        "__len__": _length,
        "__eq__": _comparison(Array.__eq__, False),
        "__ne__": _comparison(Array.__ne__, True),
        "__hash__": _hash,
        "__array_function__": _numpy_function,
        "_keras_logits": property(_no_logits, lambda self, logits: None),  # tf.keras.backend.softmax() notes it
    }.items():
        setattr(Array, name, what)
    KerasVariable.shape = property(_variable_shape)
    KerasVariable.numpy = _variable_numpy
    KerasVariable.get_shape, KerasVariable.ref = get_shape, ref
