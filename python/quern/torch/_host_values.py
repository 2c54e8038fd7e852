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


def host_array(data, is_exact=False):
    """Nested sequences, numbers and host arrays as a NumPy array of the type that PyTorch gives them; ``is_exact``: of a wider one."""
    if isinstance(data, numpy.ndarray | numpy.generic):
        return numpy.asarray(data)
    try:
        host = numpy.asarray(data)
    except ValueError as error:
        raise _uneven(data) or ValueError(f"the nested sequences do not make a tensor: {error}") from None
    if host.dtype.kind in "OUS":
        raise _no_number(data, is_exact)
    if is_exact and host.size:
        return host
    if host.dtype.kind in "fc" and isinstance(data, list | tuple) and _holds_numpy(data):
        return host.astype(numpy_dtypes[_common_type(data)._name])
    if host.dtype.kind == "f" and not _holds_numpy(data) or host.size == 0:
        host = host.astype(numpy_dtypes[_engine.torch_default()])
    elif host.dtype.kind == "c" and not _holds_numpy(data):
        host = host.astype(numpy.complex128 if _engine.torch_default() == "float64" else numpy.complex64)
    elif host.dtype.kind == "u" and not _holds_numpy(data):
        raise ValueError("too many dimensions or a number that does not fit: Overflow when unpacking long long")
    return host


def _no_number(data, is_exact):
    """The error of values that are not all numbers."""
    if isinstance(data, numpy.ndarray):
        return TypeError(
            f"can't convert np.ndarray of type {data.dtype}. The only supported types are: float64, float32, float16, complex64, "
            "complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool."
        )
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
    return DTYPES[data.dtype.name] if isinstance(data, numpy.ndarray | numpy.generic) else _types.default_of_number(data)


def _holds_numpy(data):
    return isinstance(_first(data), numpy.ndarray | numpy.generic)
