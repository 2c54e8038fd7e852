"""Python's numbers and nested sequences as NumPy arrays of the types that PyTorch gives them, and what is refused among them."""

import operator

import numpy

from quern.arrays.records import numpy_dtypes
from quern.lib import _engine
from quern.torch import _types
from quern.torch._core import is_number
from quern.torch._types import DTYPES


def _uneven(data):
    """What is wrong with nested sequences of several lengths, in PyTorch's words; None where nothing is."""
    level, dim = [data], 0
    while level and all(isinstance(part, (list, tuple)) for part in level):
        wrong = next((part for part in level if len(part) != len(level[0])), None)
        if wrong is not None:
            return ValueError(f"expected sequence of length {len(level[0])} at dim {dim} (got {len(wrong)})")
        level, dim = [one for part in level for one in part], dim + 1
    if any(isinstance(part, (list, tuple)) for part in level):
        if isinstance(level[0], (list, tuple)):
            return TypeError("not a sequence: numbers and sequences are mixed")
        return TypeError("'list' object cannot be interpreted as an integer: numbers and sequences are mixed")
    return None


def name_of_type(dtype):
    """The engine's name of a NumPy array's data type. Raises TypeError for types that no tensor has."""
    if dtype.name not in DTYPES:
        raise TypeError(
            f"can't convert np.ndarray of type {dtype}. The only supported types are: float64, float32, float16, complex64, "
            "complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool."
        )
    return dtype.name


def host_array(data, name):
    """What plain numbers alone do not make up, as a NumPy array of the type that PyTorch gives it, or as nested lists of plain numbers.

    Parameters: ``name``: of the data type that is asked for; None where there is none.
    """
    try:
        host = numpy.asarray(data)
    except ValueError as error:
        raise _uneven(data) or ValueError(f"the nested sequences do not make a tensor: {error}") from None
    if host.dtype.kind in "OUS":
        if isinstance(_first(data), str):
            raise ValueError("too many dimensions 'str'")
        numbers = plain(data, name)
        if host.dtype.kind == "O":
            return numbers
        raise ValueError("Overflow when unpacking long long; a number does not fit into 64 bits")
    if name is not None or not host.size:
        return host if host.size else host.astype(numpy_dtypes[_engine.torch_default()])
    return host.astype(numpy_dtypes[_common_type(data)._name], copy=False)


def plain(data, name):
    """Convert objects with ``__float__``, ``__index__`` or ``__complex__``, and lists of them, to Python's numbers for a data type."""
    if isinstance(data, list | tuple):
        return [plain(one, name) for one in data]
    if isinstance(data, bool | int | float | complex | numpy.generic):
        return data
    if isinstance(data, str | bytes):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if name is None:
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}; convert it to an array of a numeric dtype first")
    kind = "f" if name == "bfloat16" else numpy.dtype(name).kind
    if kind in "biu":
        return operator.index(data)
    try:
        return complex(data) if kind == "c" else float(data)
    except TypeError:
        raise TypeError(f"must be real number, not {type(data).__name__}") from None


def _first(data):
    while isinstance(data, list | tuple) and data:
        data = data[0]
    return data


def _common_type(data):
    """The type of numbers of Python's and NumPy's together: whole numbers leave a real type as it is."""
    if isinstance(data, list | tuple):
        kinds = [_common_type(one) for one in data if not isinstance(one, list | tuple) or one]
        common = kinds[0]
        for kind in kinds[1:]:
            common = common if common is kind else _types.promote_types(common, kind)
        return common
    if isinstance(data, numpy.ndarray | numpy.generic):
        return DTYPES[data.dtype.name]
    return _types.default_of_number(data) if is_number(data) else _common_type(numpy.asarray(data).tolist())
