"""What tensors of Keras's get when a program imports TensorFlow: its attributes, its texts, and no item assignment."""

import dis
import sys

import numpy as np

import quern as qn
from quern.keras.backend.core import Array, convert_to_numpy
from quern.keras.backend.core import Variable as KerasVariable
from quern.lib import _engine
from quern.tensorflow._operands import OPERATORS, computed, is_within, operated
from quern.tensorflow._shapes import TensorShape
from quern.tensorflow.dtypes import DType
from quern.tensorflow.errors import InvalidArgumentError
from quern.user_files import warn_user

_shape_of, _dtype_of, _device_of = qn.ndarray.shape.__get__, qn.ndarray.dtype.__get__, qn.ndarray.device.__get__
_get_item, _set_item, _items = Array.__getitem__, Array.__setitem__, Array.__iter__
_of_ufunc, _float_of, _int_of = Array.__array_ufunc__, Array.__float__, Array.__int__
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


def device_name(tensor):
    """Return TensorFlow's name of the device that holds a tensor, "/job:localhost/replica:0/task:0/device:CPU:0"."""
    device = _device_of(tensor)
    return f"/job:localhost/replica:0/task:0/device:{'CPU:0' if device.kind == 'cpu' else f'GPU:{device.index}'}"


def _device(self):
    return _device_of(self) if _asks_from_within() else device_name(self)


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


def get_item(self, key):
    """Return the part of a tensor at an index: numbers, slices, None, tensors of one number, or a mask."""
    if type(key) is int or type(key) is slice:
        return _part(self, key)
    for one in key if isinstance(key, (tuple, list)) else (key,):
        if isinstance(one, Array):
            is_refused = one.ndim and "int" in one._dtype_name
        else:
            is_refused = isinstance(one, (list, np.ndarray)) and np.asarray(one).dtype != bool
        if is_refused:
            raise TypeError(f"{_INDICES}, got {one!r}; use tf.gather() or tf.gather_nd()")
    return _part(self, tuple(key) if isinstance(key, list) else key)


def _part(self, key):
    try:
        return _get_item(self, key)
    except IndexError as e:
        if "only integers" in str(e):
            raise TypeError(f"{_INDICES}, got {key!r}") from None
        raise InvalidArgumentError(f"[tf.strided_slice] {e}") from None
    except ValueError as e:
        raise InvalidArgumentError(f"[tf.strided_slice] {e}") from None


_INDICES = "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are valid indices"


def _item_of(self, key):
    return _part(self, key) if type(key) is int else _get_item(self, key) if is_within(sys._getframe(1)) else get_item(self, key)


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


def _comparison(name, original, of_none):
    def compare(self, other):
        if other is None:
            return of_none
        if is_within(sys._getframe(1)):
            return original(self, other)
        return computed(name, self, other)

    return compare


def _without_tensors(value):
    if isinstance(value, (Array, KerasVariable)):
        return convert_to_numpy(value)
    if type(value) in (list, tuple):
        return type(value)(map(_without_tensors, value))
    return value


def _numpy_function(self, function, kinds, args, kwargs):
    """NumPy's functions compute in NumPy and return its arrays, as of TensorFlow's tensors."""
    return function(*map(_without_tensors, args), **{name: _without_tensors(one) for name, one in kwargs.items()})


def _ufunc(self, ufunc, method, *inputs, **kwargs):
    """An operator of a NumPy array and a tensor; functions of NumPy's compute in NumPy and return its arrays."""
    caller = sys._getframe(1)
    if is_within(caller):
        return _of_ufunc(self, ufunc, method, *inputs, **kwargs)
    return result_of_ufunc(caller, ufunc, method, inputs, kwargs)


def result_of_ufunc(caller, ufunc, method, inputs, kwargs):
    """The result of a function of NumPy's in the program: a tensor where it is an operator, `a + b`, else of NumPy's."""
    if method == "__call__" and not kwargs and len(inputs) == 2 and ufunc.__name__ in OPERATORS and not _calls(caller):
        return computed(ufunc.__name__, *inputs)
    return getattr(ufunc, method)(*map(_without_tensors, inputs), **{name: _without_tensors(one) for name, one in kwargs.items()})


def _calls(frame):
    """Is it a call by name that the frame is at, `np.add(a, b)`? TensorFlow's tensors get only operators, `a + b`."""
    return dis.opname[frame.f_code.co_code[frame.f_lasti]].startswith(("CALL", "PRECALL"))


def _float(self):
    return _float_of(_real_part(self))


def _int(self):
    return _int_of(_real_part(self))


def _real_part(self):
    if not self._dtype_name.startswith("complex"):
        return self
    warn_user("Casting complex values to real discards the imaginary part", np.exceptions.ComplexWarning)
    return self.real


def _no_logits(self):
    raise AttributeError("'Tensor' object has no attribute '_keras_logits'")


def _variable_shape(self):
    return TensorShape._of(self._shape)


def _variable_numpy(self):
    return np.asarray(convert_to_numpy(self))[()]


def install():
    """Give tensors and variables TensorFlow's attributes."""
    parts = {
        "numpy": numpy,
        "get_shape": get_shape,
        "set_shape": set_shape,
        "ref": ref,
        "shape": property(_shape),
        "dtype": property(_dtype),
        "device": property(_device),
        "__str__": _text,
        "__repr__": _repr,
        "__format__": _format,
        "__getitem__": _item_of,
        "__setitem__": _assign_item,
        "__delitem__": _delete_item,
        "__iter__": _iterate,
        "__len__": _length,
        "__eq__": _comparison("equal", Array.__eq__, False),
        "__ne__": _comparison("not_equal", Array.__ne__, True),
        "__hash__": _hash,
        "__float__": _float,
        "__int__": _int,
        "__array_ufunc__": _ufunc,
        "__array_function__": _numpy_function,
        "_keras_logits": property(_no_logits, lambda self, logits: None),  # tf.keras.backend.softmax() notes it
    }
    _engine.add_methods(Array, parts)
    _engine.set_strict_operator(operated)
    KerasVariable.shape = property(_variable_shape)
    _variable_numpy.__qualname__ = "Variable.numpy"
    KerasVariable.numpy = _variable_numpy
    KerasVariable.get_shape, KerasVariable.ref = get_shape, ref
