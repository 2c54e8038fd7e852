"""Keras's tensors: quern's arrays whose operators in Python are those of Keras on JAX.

The types of results are JAX's (engine/graph/keras_types.cpp), and ``x += y`` gives another tensor and leaves what else is called x as it
is. Functions and methods follow NumPy, as with all arrays; keras.ops converts to Keras's types before it calls them.
"""

import operator

import quern as qn
from quern.lib import _engine

OPERATORS = {  # what NumPy's ufuncs are as operators, and as methods of the right operand
    "add": (operator.add, "__radd__"),
    "subtract": (operator.sub, "__rsub__"),
    "multiply": (operator.mul, "__rmul__"),
    "divide": (operator.truediv, "__rtruediv__"),
    "floor_divide": (operator.floordiv, "__rfloordiv__"),
    "remainder": (operator.mod, "__rmod__"),
    "power": (operator.pow, "__rpow__"),
    "matmul": (operator.matmul, "__rmatmul__"),
    "divmod": (divmod, "__rdivmod__"),
    "bitwise_and": (operator.and_, "__rand__"),
    "bitwise_or": (operator.or_, "__ror__"),
    "bitwise_xor": (operator.xor, "__rxor__"),
    "left_shift": (operator.lshift, "__rlshift__"),
    "right_shift": (operator.rshift, "__rrshift__"),
    "equal": (operator.eq, "__eq__"),
    "not_equal": (operator.ne, "__ne__"),
    "less": (operator.lt, "__gt__"),
    "less_equal": (operator.le, "__ge__"),
    "greater": (operator.gt, "__lt__"),
    "greater_equal": (operator.ge, "__le__"),
}

Tensor = _engine.Tensor
Tensor.__module__ = "quern.keras"
Tensor.__doc__ = "A tensor of Keras's: what its functions, layers and variables take and give."
Tensor._reflected = {name: reflected for name, (_, reflected) in OPERATORS.items()}
Tensor.__divmod__ = lambda self, other: (self // other, self % other)
Tensor.__rdivmod__ = lambda self, other: (self.__rfloordiv__(other), self.__rmod__(other))
Tensor.__imatmul__ = lambda self, other: self @ other


def _reduce(self, protocol=None):
    return _unpickled, qn.ndarray.__reduce_ex__(self, protocol)


Tensor.__reduce_ex__ = Tensor.__reduce__ = _reduce
_engine.set_door(Tensor, has_numbers=True, broadcasts_read_only=True, truncates_powers=False, rebinds=True, types_as_keras=True)


def as_tensor(array):
    """An array of quern's as a tensor: the same memory, the same gradient."""
    return array if type(array) is Tensor else array._as(Tensor)


_REAL = frozenset(("float16", "bfloat16", "float32", "float64", "complex64", "complex128"))


def is_real(x):
    """Return whether an array's dtype is one that has gradients."""
    return x._dtype_name in _REAL


def typed(result):
    """A result of any kind with tensors in the place of arrays."""
    if type(result) is qn.ndarray:
        return result._as(Tensor)
    if type(result) in (list, tuple):
        return type(result)(typed(one) for one in result)
    return result


def _unpickled(make, given):
    return as_tensor(make(*given))
