"""Tensors of Python's values, by TensorFlow's rules: which types lists have, and what is refused."""

import numpy as np

from quern.keras.backend.core import convert_to_tensor as _tensor
from quern.lib import _engine
from quern.tensorflow.dtypes import as_dtype

_KIND = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}  # each one converts to those after it
_RANGES = (-(1 << 31), (1 << 31) - 1), (-(1 << 63), (1 << 63) - 1)


def converted(value, dtype=None):
    """Return a tensor of a value of any kind; of tensors and NumPy arrays the values are converted as by astype()."""
    name = None if dtype is None else as_dtype(dtype).name
    if isinstance(value, (list, tuple, range)):
        return _of_list(value, name)
    if isinstance(value, (str, bytes)):
        raise _no_text(value, name)
    if type(value) in (int, float, bool, complex):
        return _of_plain(np.array(value, dtype=object), value, name)
    if isinstance(value, _engine.BareArray) or hasattr(value, "__array__") or hasattr(value, "_dtype_name"):
        return _tensor(value, name)
    if hasattr(value, "value") and hasattr(value, "assign"):  # a variable
        return _tensor(value, name)
    raise _unsupported(value)


def _of_list(value, name):
    if isinstance(value, range):
        value = list(value)
    if _has_arrays(value):
        return _tensor(value, name)
    return _of_plain(np.array(value, dtype=object), value, name)


def _has_arrays(value):
    return any(_has_arrays(one) if isinstance(one, (list, tuple)) else hasattr(one, "shape") and not isinstance(one, np.generic)
               for one in value)  # fmt: skip


def _of_plain(leaves, value, name):
    """A tensor of numbers in an array of objects, of ``value``."""
    kinds = set()
    for kind in set(map(type, leaves.flat)):
        if issubclass(kind, (list, tuple)):
            is_mixed = any(not isinstance(one, (list, tuple)) for one in leaves.flat)
            what = "Python sequence with mixed types" if is_mixed else "non-rectangular Python sequence"
            raise ValueError(f"Can't convert {what} to Tensor.")
        if issubclass(kind, (str, bytes)):
            raise _no_text(value, name)
        if not issubclass(kind, (bool, int, float, complex, np.number, np.bool_)):
            raise _unsupported(next(one for one in leaves.flat if type(one) is kind))
        kinds.add(_KIND.get(np.dtype(kind).kind))
    if name is None:
        name = _type_of(leaves, kinds)
    _check_kinds(kinds, name, value)
    return _tensor(_as_array(leaves, name))


def _type_of(leaves, kinds):
    """The name of the type that TensorFlow chooses for a list of numbers: that of the first one, or wider."""
    if not kinds:
        return "float32"
    first = next(leaves.flat)
    if kinds != {0} and isinstance(first, (bool, np.bool_)):
        raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
    most = max(kinds)
    if most == 1:
        low, high = min(map(int, leaves.flat)), max(map(int, leaves.flat))
        if low < _RANGES[1][0] or high > _RANGES[1][1]:
            raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
        return "int32" if low >= _RANGES[0][0] and high <= _RANGES[0][1] else "int64"
    if most == 2:
        if isinstance(first, np.floating):
            return np.dtype(type(first)).name
        if any(np.isfinite(one) and abs(one) > np.finfo(np.float32).max for one in map(float, leaves.flat)):
            raise ValueError("Can't convert Python sequence with a value out of range for a double-precision float.")
        return "float32"
    return {0: "bool", 3: "complex128"}[most]


def _check_kinds(kinds, name, value):
    into = _KIND["f" if name == "bfloat16" else np.dtype(name).kind]
    if any(kind > into for kind in kinds):
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {name}")


def _as_array(leaves, name):
    if name.startswith(("int", "uint")):  # what does not fit wraps around
        bits, mask = np.dtype(name).itemsize * 8, (1 << np.dtype(name).itemsize * 8) - 1
        wide = [int(one) & mask for one in leaves.flat]
        return np.array(wide, dtype=f"uint{bits}").view(name).reshape(leaves.shape)
    with np.errstate(over="ignore"):
        if name == "bfloat16":
            return leaves.astype("float32").astype(as_dtype(name).as_numpy_dtype)
        return leaves.astype(name)


def _no_text(value, name):
    if name is not None:
        return TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {name}")
    return TypeError(
        f"Cannot convert {value!r} to a tensor: string tensors are not supported. Keep text in lists, and convert it to integers with "
        "tf.keras.preprocessing.text.Tokenizer or a dict"
    )


def _unsupported(value):
    return ValueError(f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)!r}) to a Tensor.")
