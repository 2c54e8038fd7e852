"""scatter_add, scatter_max and scatter_min: many values to places of an array. What does it is in quern/arrays/ufuncs/scatter.py."""

from quern import arrays
from quern.arrays.core import Array, asarray


def scatter(name, array, slices, value):
    """``array[slices] = name(array[slices], value)``, for each place as often as ``slices`` names it."""
    if not isinstance(array, Array):
        raise TypeError(f"scatter_{name[:3]} needs an array, not {type(array).__name__}")
    if array._dtype_name == "bool":
        raise TypeError(f"scatter_{name[:3]} only supports numbers as data type, not bool; use an array of integers")
    getattr(arrays, name).at(array, slices, asarray(value).astype(array._dtype_name, copy=False))
