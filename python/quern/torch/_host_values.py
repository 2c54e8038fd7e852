"""Python's numbers and nested sequences as NumPy arrays of the types that PyTorch gives them, and what is refused among them."""

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


def host_array(data, is_exact):
    """What plain numbers alone do not make up, as a NumPy array of the type that PyTorch gives it; ``is_exact``: another is asked for."""
    try:
        host = numpy.asarray(data)
    except ValueError as error:
        raise _uneven(data) or ValueError(f"the nested sequences do not make a tensor: {error}") from None
    if host.dtype.kind in "OUS":
        raise _no_number(data, is_exact)
    if is_exact or not host.size:
        return host if host.size else host.astype(numpy_dtypes[_engine.torch_default()])
    return host.astype(numpy_dtypes[_common_type(data)._name], copy=False)


def _no_number(data, is_exact):
    """The error of values that are not all numbers."""
    leaves = [data]
    while leaves:
        one = leaves.pop()
        if isinstance(one, list | tuple):
            leaves += reversed(one)
        elif isinstance(one, str) and one is _first(data):
            return ValueError("too many dimensions 'str'")
        elif isinstance(one, str | bytes):
            return TypeError(f"new(): invalid data type '{type(one).__name__}'")
        elif not is_number(one):
            if is_exact:
                return TypeError(f"must be real number, not {type(one).__name__}")
            return RuntimeError(f"Could not infer dtype of {type(one).__name__}; make it an array of numbers first")
    return ValueError("Overflow when unpacking long long; a number does not fit into 64 bits")


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
